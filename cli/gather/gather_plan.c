/* What goes where: each file is checked, and its coordinates get their place. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/paths.h"
#include "gather.h"

void close_planned(struct appending *p)
{
    for (int i = 0; p->joined && i < p->f.nvars; i++)
        (void)drx_close(p->joined[i].given);
    free(p->joined);
    p->joined = NULL;
    if (p->now)
        close_whole(&p->f);
    p->now = NULL;
}

int open_planned(struct appending *p, struct planned *now)
{
    struct stat file;

    if (p->now == now)
        return DONE;
    close_planned(p);
    (void)snprintf(remains->reading, PATH_MAX, "%s", now->path);
    if (stat(now->path, &file) != 0)
        return failed_errno(now->path, "open");
    if (now->file.st_nlink == 0)
        now->file = file;
    if (file.st_ino != now->file.st_ino || file.st_dev != now->file.st_dev || file.st_size != now->file.st_size ||
        file.st_mtim.tv_sec != now->file.st_mtim.tv_sec || file.st_mtim.tv_nsec != now->file.st_mtim.tv_nsec)
        return failed("%s: changed while the import was checking files, so nothing is stored; import it again when it "
                      "is complete",
                      now->path);
    if (!open_whole(&p->f, now->path, p->wish->skip))
        return FAILED;
    p->now = now;
    p->f.rounding = p->wish->rounding;
    p->joined = calloc((size_t)p->f.nvars + 1, sizeof *p->joined);
    return p->joined ? DONE : out_of_memory(p->f.nvars);
}

/* Name the planned file that has some of the coordinates of this one already; to be freed. */
static char *other_file(const struct appending *p)
{
    const double *here = p->now->ends;
    char *text;

    for (const struct planned *other = p->of; p->n > 1 && other < p->now; other++)
        if (other->extent > 0 && fmin(other->ends[0], other->ends[1]) <= fmax(here[0], here[1]) &&
            fmax(other->ends[0], other->ends[1]) >= fmin(here[0], here[1]))
            return asprintf(&text, "; %s has some of them", other->path) < 0 ? NULL : text;
    return strdup("");
}

/* Print why they do not align, and what else of the file is of another extent. */
static int refuse_coordinates(const struct appending *p, const struct aligned *pair)
{
    char *why = strdup(drx_last_error()), *extents = unlike_extents(p), *other = other_file(p), *more = NULL;
    const bool finer = why && strstr(why, "finer units") && holds_dates(pair->stored);
    const char *hint =
        !finer && !(extents && extents[0]) && p->wish->append ? overlap_hint(pair, p->wish->overlap) : "";
    int status;

    if (asprintf(&more, "%s%s%s%s", other ? other : "", extents ? extents : "", hint,
                 finer ? "; 'drx retime' rewrites what is stored in finer units" : "") < 0)
        more = NULL;
    status = failed_why(p->joined[p->coordinate].var->source.label, why ? why : "", more ? more : "");
    free(why);
    free(extents);
    free(other);
    free(more);
    return status;
}

/* Add the new ones, with `gap` others between them and the stored ones. */
static int add_values(struct appending *p, const void *added, const void *between, int64_t gap)
{
    const size_t bytes = drx_type_size(drx_dtype(p->joined[p->coordinate].array));
    struct planned *now = p->now;
    const int64_t n = now->place.appended + gap;
    const bool before = now->place.side == DRX_CF_BEFORE;
    char *all = n > 0 ? reallocarray(p->values, (size_t)(p->extent + n) + 1, bytes) : p->values, *to;

    if (!all)
        return out_of_memory((p->extent + n) * (int64_t)bytes);
    p->values = all;
    for (int64_t i = 0; i < now->extent; i++)
        now->index[i] -= p->before;
    now->at = before ? -p->before - n : p->extent - p->before + gap;
    if (before)
        memmove(all + (size_t)n * bytes, all, (size_t)p->extent * bytes);
    to = before ? all : all + (size_t)p->extent * bytes;
    memcpy(before ? to + (size_t)now->place.appended * bytes : to, between ? between : "", (size_t)gap * bytes);
    memcpy(before ? to : to + (size_t)gap * bytes, added, (size_t)now->place.appended * bytes);
    p->extent += n;
    p->before += before ? n : 0;
    return DONE;
}

/* Give the new coordinates of the file their place, and what is missing before them, too. */
static int place_values(struct appending *p, char *encoded)
{
    const struct joined *j = &p->joined[p->coordinate];
    struct planned *now = p->now;
    const drx_cf *cf = &j->means.stored;
    const char *added = encoded + (size_t)now->place.from * drx_type_size(drx_dtype(j->array));
    const bool before = now->place.side == DRX_CF_BEFORE;
    void *between = NULL;
    int64_t gap = 0;
    int status = DONE;

    now->gap = gap_text(cf, p->extent, p->values, now->place.appended, added, before);
    if (now->gap && p->wish->leave_gaps) {
        status = fill_gap(j->var->source.label, cf, p->extent, p->values, now->place.appended, added, before, &between,
                          &gap);
        free(now->gap);
        now->gap = NULL;
    }
    if (status == DONE)
        status = add_values(p, added, between, gap);
    free(between);
    return status;
}

static int align(struct appending *p)
{
    struct joined *j = &p->joined[p->coordinate];
    struct planned *now = p->now;
    const int64_t zero = 0, n = now->extent;
    void *given = calloc((size_t)n + 1, drx_type_size(j->var->source.type));
    char *encoded = calloc((size_t)n + 1, drx_type_size(drx_dtype(j->array)));
    struct aligned pair = { &j->means.stored, &j->means.given, 0, n, NULL, given };
    int status = DONE;

    now->index = calloc((size_t)n + 1, sizeof *now->index);
    if (!given || !encoded || !now->index)
        status = out_of_memory(n * (int64_t)sizeof *now->index);
    if (status == DONE && !source_read(&j->var->source, &zero, &n, given))
        status = FAILED;
    pair.m = p->extent;
    pair.have = p->values;
    if (status == DONE && drx_cf_align(pair.stored, pair.m, pair.have, pair.given, n, given, p->wish->overlap,
                                       now->index, encoded, &now->place) != DRX_OK)
        status = refuse_coordinates(p, &pair);
    if (status == DONE)
        status = place_values(p, encoded);
    free(given);
    free(encoded);
    return status;
}

static int find_place(struct appending *p)
{
    p->coordinate = coordinate_of_file(&p->f, p->name);
    if (p->coordinate >= 0)
        return align(p);
    p->now->place.appended = p->now->extent;
    p->now->at = p->stored;
    p->extent = p->stored + p->now->extent;
    if (p->wish->overlap == DRX_CF_REFUSE && !p->wish->leave_gaps)
        return DONE;
    return failed("%s: --%s needs a coordinate variable '%s' of numbers", p->path,
                  p->wish->leave_gaps ? "leave-gaps" : "overlap", p->name);
}

/* Note how long texts are, and how much is to be copied. */
static int measure_files(struct appending *p)
{
    int status = DONE;

    for (int i = 0; status == DONE && i < p->f.nvars; i++) {
        const struct joined *j = &p->joined[i];
        struct variable *v = j->var;
        const int last = j->axis < 0 || v->ndim == 0 ? -1 : v->source.holds == STRINGS ? v->ndim : v->ndim - 1;
        const int d = last < 0 ? -1 : drx_dataset_axis(p->ds, j->member, last);
        int64_t width = 0;

        if (j->axis >= 0)
            p->bytes += variable_bytes(v);
        if (d >= 0 && v->source.holds == STRINGS) {
            status = measure_strings(&p->f, v);
            width = v->string_bytes;
        } else if (d >= 0 && v->source.holds == CHARACTERS && holds_letters(p, d)) {
            width = v->source.shape[last];
        }
        if (d >= 0 && width > p->width[d])
            p->width[d] = width;
    }
    return status;
}

int plan_file(struct appending *p, struct planned *now)
{
    int status = open_planned(p, now), d;

    if (status != DONE)
        return status;
    d = dim_of_file(&p->f, p->name);
    if (d < 0)
        return failed("%s: has no dimension '%s'", now->path, p->name);
    now->extent = p->f.dim[d].extent;
    status = check_names(p);
    if (status == DONE)
        status = check_variables(p);
    if (status == DONE)
        status = find_place(p);
    if (status == DONE)
        status = check_others(p);
    if (status == DONE)
        status = check_types(p);
    return status == DONE ? measure_files(p) : status;
}
