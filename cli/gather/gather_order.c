/* The order of the files: which dimension joins them, and where each one begins along it. */
#include <stdlib.h>
#include <string.h>

#include "gather.h"

/* How likely does the dimension join files: 3: --grows names it, 2: it is unlimited, 1: a variable has it; 0: it does
 * not. */
static int rank_of(const struct appending *p, const struct dimension *dim)
{
    const struct name_list *grows = p->wish->grows;

    for (int i = 0; i < grows->n; i++)
        if (grows->of[i] && strcmp(grows->of[i], dim->name) == 0)
            return 3;
    return grows->n > 0 || !dim->used ? 0 : dim->unlimited ? 2 : 1;
}

/* Has another file the same coordinates along a dimension, or without any the same extent? */
static bool is_alike(struct whole_file *f, int d, struct whole_file *other)
{
    const char *name = f->dim[d].name;
    const int e = dim_of_file(other, name), i = coordinate_of_file(f, name), k = coordinate_of_file(other, name);
    const int64_t zero = 0, n = f->dim[d].extent;
    const size_t bytes = i < 0 ? 0 : (size_t)n * drx_type_size(f->var[i].source.type);
    char *both = calloc(2 * bytes + 2, 1);
    bool alike = both && e >= 0 && other->dim[e].extent == n && (i < 0) == (k < 0);

    if (alike && i >= 0)
        alike = f->var[i].source.type == other->var[k].source.type && source_read(&f->var[i].source, &zero, &n, both) &&
                source_read(&other->var[k].source, &zero, &n, both + bytes) && memcmp(both, both + bytes, bytes) == 0;
    free(both);
    return alike;
}

/* Of several that may, it is the one along which the first two files differ: if it is the right one, it differs. */
int choose_dimension(struct appending *p)
{
    struct whole_file other = { .path = NULL };
    int best = 0, may = 0, found = 0, status = open_planned(p, &p->of[0]);

    if (status == DONE && !open_whole(&other, p->of[1].path, p->wish->skip))
        status = FAILED;
    for (int d = 0; status == DONE && d < p->f.ndims; d++) {
        const int rank = rank_of(p, &p->f.dim[d]);

        may = rank > best ? 1 : may + (rank == best);
        best = rank > best ? rank : best;
    }
    for (int d = 0; status == DONE && d < p->f.ndims; d++)
        if (best > 0 && rank_of(p, &p->f.dim[d]) == best && (may == 1 || !is_alike(&p->f, d, &other)) && found++ == 0)
            p->name = strdup(p->f.dim[d].name);
    close_whole(&other);
    if (status == DONE && found != 1)
        status = failed("%s and %s: which dimension joins them is not clear, since they differ along %s; --grows NAME "
                        "says which one",
                        p->of[0].path, p->of[1].path, found ? "several" : "none");
    return status == DONE && !p->name ? out_of_memory(BUFSIZ) : status;
}

/* Read both ends of the coordinate of the open file, in the units of p->cf, or of the first file, which p->keeper
 * keeps. Gives the exit code. */
static int read_ends(struct appending *p, struct planned *now)
{
    const int d = dim_of_file(&p->f, p->name), i = coordinate_of_file(&p->f, p->name);
    const int64_t one = 1, ends[] = { 0, d < 0 ? 0 : p->f.dim[d].extent - 1 };
    _Alignas(VALUE_ALIGN_BYTES) unsigned char value[VALUE_MAX_BYTES];
    struct source *s = i < 0 ? NULL : &p->f.var[i].source;
    drx_array *keeper;
    drx_status st = DRX_OK;
    drx_cf cf;
    int status = DONE;

    if (d < 0)
        return failed("%s: has no dimension '%s'", now->path, p->name);
    if (!s)
        return failed("%s: has no coordinate variable '%s' of numbers, so its place among several files is not known; "
                      "append one file at a time",
                      now->path, p->name);
    now->extent = p->f.dim[d].extent;
    keeper = describe_source(s, &cf);
    if (!keeper)
        return FAILED;
    if (!p->cf.type) {
        p->cf = cf;
        p->keeper = keeper;
    }
    for (int k = 0; status == DONE && now->extent > 0 && k < 2; k++) {
        status = source_read(s, &ends[k], &one, value) ? DONE : FAILED;
        st = drx_cf_unpack(&cf, 1, value, &now->ends[k]);
        if (!st)
            st = drx_cf_convert(&cf, &p->cf, 1, &now->ends[k], &now->ends[k]);
        if (status == DONE && st)
            status = failed("%s: %s; compared with %s", s->label, drx_last_error(), p->told);
    }
    if (keeper != p->keeper)
        (void)drx_close(keeper);
    return status;
}

static int compare_begins(const void *a, const void *b)
{
    const struct planned *x = a, *y = b;

    if ((x->extent == 0) != (y->extent == 0))
        return x->extent == 0 ? 1 : -1;
    return x->ends[0] != y->ends[0] ? (x->ends[0] < y->ends[0] ? -1 : 1) : strcmp(x->path, y->path);
}

static void turn(struct planned *of, int n)
{
    for (int i = 0; i < n / 2; i++) {
        const struct planned other = of[i];

        of[i] = of[n - 1 - i];
        of[n - 1 - i] = other;
    }
}

/* Do the coordinates fall? What is stored says so, or else the first file that has several. */
static bool falls(const struct appending *p, const double stored[2])
{
    if (p->values && p->stored > 1)
        return stored[1] < stored[0];
    for (int i = 0; i < p->n; i++)
        if (p->of[i].extent > 1)
            return p->of[i].ends[1] < p->of[i].ends[0];
    return false;
}

/* Sort the files that were read, the first ones of which lead up to what is stored. */
static int sort(struct appending *p)
{
    const bool there = p->values && p->stored > 0;
    double stored[2] = { 0 };
    char text[DRX_CF_TEXT_BYTES] = "";
    int filled = p->n;
    bool down;

    for (int k = 0; there && k < 2; k++)
        (void)drx_cf_unpack(&p->cf, 1,
                            (const char *)p->values + (size_t)(k ? p->stored - 1 : 0) * drx_type_size(p->cf.type),
                            &stored[k]);
    qsort(p->of, (size_t)p->n, sizeof *p->of, compare_begins);
    while (filled > 0 && p->of[filled - 1].extent == 0)
        filled--;
    down = falls(p, stored);
    if (down)
        turn(p->of, filled);
    for (int i = 1; i < filled; i++)
        if (p->of[i].ends[0] == p->of[i - 1].ends[0]) {
            (void)drx_cf_text(&p->cf, p->of[i].ends[0], text);
            return failed("%s: begins at %s, as %s does; give one of them", p->of[i].path, text, p->of[i - 1].path);
        }
    while (there && p->leading < filled &&
           (down ? p->of[p->leading].ends[0] > stored[0] : p->of[p->leading].ends[0] < stored[0]))
        p->leading++;
    turn(p->of, p->leading);
    return DONE;
}

int order_files(struct appending *p)
{
    int status = DONE;

    for (int i = 0; status == DONE && i < p->n; i++) {
        status = interrupted() ? FAILED : open_planned(p, &p->of[i]);
        if (status == DONE)
            status = read_ends(p, &p->of[i]);
    }
    close_planned(p);
    if (status == DONE)
        status = sort(p);
    (void)drx_close(p->keeper);
    p->keeper = NULL;
    return status;
}

void put_in_sequence(struct appending *p)
{
    turn(p->of, p->leading);
}
