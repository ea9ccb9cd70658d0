#include "select.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "files/paths.h"
#include "frame/team.h"
#include "select_by.h"

static bool is_array(const char *path)
{
    drx_array *a;
    const drx_status st = drx_open(path, DRX_RDONLY, &a);

    (void)drx_close(a);
    return st != DRX_ENOENT;
}

void split_selection(struct selection *s, char *word, int64_t commit)
{
    const size_t n = strlen(word);
    char *bracket = strrchr(word, '[');

    memset(s, 0, sizeof *s);
    s->path = word;
    s->commit = commit;
    if (bracket && bracket != word && word[n - 1] == ']' && !is_array(word)) {
        *bracket = '\0';
        word[n - 1] = '\0';
        s->text = bracket + 1;
    }
    s->path = array_path(s->path);
}

bool selects_dataset(char *word, char **text)
{
    const size_t n = strlen(word);
    char *bracket = strrchr(word, '[');

    *text = NULL;
    if (names_dataset(word))
        return true;
    if (!bracket || bracket == word || word[n - 1] != ']')
        return false;
    *bracket = '\0';
    if (!names_dataset(word)) {
        *bracket = '[';
        return false;
    }
    word[n - 1] = '\0';
    *text = bracket + 1;
    return true;
}

enum { START, STOP, STEP, PARTS };

struct item {
    const char *name; /* NULL: it has none; else of `n` bytes, and a coordinate follows, of `value_n` bytes */
    const char *value;
    size_t n, value_n;
    bool ellipsis;
    int colons; /* 0: an index, in part START */
    bool given[PARTS];
    int64_t part[PARTS];
};

static const char *skip_spaces(const char *at)
{
    return at + strspn(at, " \t");
}

static size_t without_spaces(const char *text, size_t n)
{
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        n--;
    return n;
}

/* Read NAME=VALUE. */
static const char *read_named(const char *at, struct item *item)
{
    const size_t n = strcspn(at, "="), m = strcspn(at + n + 1, ",");

    item->name = at;
    item->n = without_spaces(at, n);
    item->value = skip_spaces(at + n + 1);
    item->value_n = without_spaces(item->value, m - (size_t)(item->value - (at + n + 1)));
    return item->n && item->value_n ? at + n + 1 + m : NULL;
}

/* Read an item. Returns the comma after it or the end; NULL: it is not an item. */
static const char *read_item(const char *at, struct item *item)
{
    char *end;

    memset(item, 0, sizeof *item);
    at = skip_spaces(at);
    if (at[strcspn(at, ",=")] == '=')
        return read_named(at, item);
    if (strncmp(at, "...", 3) == 0) {
        item->ellipsis = true;
        at = skip_spaces(at + 3);
        return *at == ',' || !*at ? at : NULL;
    }
    for (;;) {
        if (isdigit((unsigned char)at[*at == '-' || *at == '+'])) {
            errno = 0;
            item->part[item->colons] = strtoll(at, &end, 10);
            item->given[item->colons] = true;
            if (errno)
                return NULL;
            at = skip_spaces(end);
        }
        if (*at != ':')
            break;
        if (++item->colons == PARTS)
            return NULL;
        at = skip_spaces(at + 1);
    }
    if (!item->colons && !item->given[START])
        return NULL;
    return *at == ',' || !*at ? at : NULL;
}

/* Count the items without a name, which come first; -1 after printing that the text is not valid. */
static int count_items(const struct frame *f, int *ellipses)
{
    const char *at = f->text;
    bool named = false;
    struct item item;
    int n = 0;

    for (*ellipses = 0;; at++) {
        at = read_item(at, &item);
        if (!at) {
            (void)misused("selection [%s] of %s is not valid; give an index such as 3 or -1, or a slice "
                          "such as 10:20, :, ::2 or ::-1, for each axis, or coordinates such as lat=-10:10, separated "
                          "by commas",
                          f->text, f->path);
            return -1;
        }
        if (named && !item.name) {
            (void)misused("selection [%s] of %s: indices come before coordinates", f->text, f->path);
            return -1;
        }
        named = item.name;
        *ellipses += item.ellipsis;
        n += !item.name;
        if (!*at || !*skip_spaces(at + 1)) /* Python takes a comma at the end */
            return n;
    }
}

/* An end of a slice by Python's rule: negative ones count from the end; then it is clipped to the bounds. */
static int64_t clip(int64_t end, int64_t bound, bool backwards)
{
    const int64_t least = backwards ? -1 : 0, most = backwards ? bound - 1 : bound;

    if (end < 0)
        end += bound;
    return end < least ? least : end > most ? most : end;
}

/* What an item without a name selects of `bound` elements; axis: as messages call it. */
static int settle_item(const struct frame *f, const char *axis, int64_t bound, const struct item *item, struct range *r)
{
    const int64_t step = item->given[STEP] ? item->part[STEP] : 1;
    const bool backwards = step < 0;
    int64_t start = item->part[START], stop = item->part[STOP];

    if (!item->colons) {
        if (start >= bound || start < -bound)
            return failed("%s: index %" PRId64 " is outside of %s; give %" PRId64 " to %" PRId64, f->path, start, axis,
                          -bound, bound - 1);
        *r = (struct range){ start < 0 ? start + bound : start, 1, 1, true };
        return DONE;
    }
    if (step == 0 || step == INT64_MIN)
        return misused("selection [%s] of %s: the step of %s is %" PRId64 "; give 1, 2, ... or -1, -2, ...", f->text,
                       f->path, axis, step);
    start = item->given[START] ? clip(start, bound, backwards) : backwards ? bound - 1 : 0;
    stop = item->given[STOP] ? clip(stop, bound, backwards) : backwards ? -1 : bound;
    *r = (struct range){ start, 0, step, false };
    if (backwards)
        r->count = start > stop ? (start - stop - 1) / -step + 1 : 0;
    else
        r->count = stop > start ? (stop - start - 1) / step + 1 : 0;
    if (r->count <= 1)
        r->step = 1;
    if (r->count == 0)
        r->lo = 0;
    return DONE;
}

/* With the names that there are, and the one that was meant. */
static int no_axis(const struct frame *f, const char *word)
{
    const char *what = f->ds ? "dimension" : "axis", *names[DRX_MAX_NDIM], *meant;
    char *list = NULL;
    size_t bytes;
    int n = 0;
    FILE *out = open_memstream(&list, &bytes);

    if (!out)
        return out_of_memory(BUFSIZ);
    for (int j = 0; j < f->n && n < DRX_MAX_NDIM; j++)
        if (frame_name(f, j)) {
            (void)fprintf(out, "%s%s", n ? ", " : "", frame_name(f, j));
            names[n++] = frame_name(f, j);
        }
    if (!end_text(out, &list))
        list = NULL;
    meant = nearest_name(word, names, n, sizeof *names);
    if (n == 0)
        (void)failed("%s: has no %s %s; its axes have no names", f->path, what, word);
    else
        (void)failed("%s: has no %s %s; there are %s%s%s%s", f->path, what, word, list ? list : "",
                     meant ? "; did you mean " : "", meant ? meant : "", meant ? "?" : "");
    free(list);
    return FAILED;
}

/* NAME=VALUE of an axis. One that has no coordinates in a dataset takes what an item without a name says. */
static int settle_axis(const struct frame *f, int axis, char *value, struct range *r)
{
    struct item item;
    const char *end;
    int status;

    if (!f->ds || drx_dataset_find(f->ds, frame_name(f, axis)) >= 0)
        return select_by(f, axis, value, r);
    end = read_item(value, &item);
    if (!end || *end || item.name || item.ellipsis)
        return misused("%s=%s of %s: %s has no coordinates; give an index such as 3 or a slice such as 10:20",
                       frame_name(f, axis), value, f->path, frame_name(f, axis));
    status = settle_item(f, frame_name(f, axis), frame_extent(f, axis), &item, r);
    if (status == DONE && r->count == 0)
        status = failed("%s: %s=%s holds no index; there are %" PRId64, f->path, frame_name(f, axis), value,
                        frame_extent(f, axis));
    return status;
}

/* From item `at` on: those with names. */
static int settle_named(const struct frame *f, const char *at, bool given[], struct range of[])
{
    struct cell cell = { 0 };
    struct item item;
    int status = DONE;

    for (; status == DONE && *skip_spaces(at); at += *at == ',') {
        char *name, *value;
        int axis;

        at = read_item(at, &item);
        name = strndup(item.name, item.n);
        value = strndup(item.value, item.value_n);
        axis = name ? frame_axis(f, name) : -1;
        if (!name || !value)
            status = out_of_memory((int64_t)item.n);
        else if (axis >= 0 && given[axis])
            status = misused("selection [%s] of %s selects on %s twice", f->text, f->path, name);
        else if (axis >= 0)
            status = settle_axis(f, axis, value, &of[axis]);
        else if (!add_to_cell(f, &cell, name, value))
            status = no_axis(f, name);
        if (axis >= 0)
            given[axis] = true;
        free(name);
        free(value);
    }
    if (status == DONE && cell.n > 0)
        status = select_cell(f, &cell, given, of);
    release_cell(&cell);
    return status;
}

static int settle_items(const struct frame *f, int spare, struct range of[])
{
    const char *at = f->text;
    bool given[DRX_MAX_NDIM] = { false };
    char axis[AXIS_TEXT_BYTES];
    struct item item;
    int status = DONE, j;

    for (j = 0; status == DONE && j <= f->n && *skip_spaces(at); at += *at == ',') {
        const char *next = read_item(at, &item);

        if (item.name)
            break;
        at = next;
        if (item.ellipsis)
            j += spare; /* whole until something else is said of them */
        else {
            given[j] = true;
            status = settle_item(f, axis_text(f->a, j, axis), frame_extent(f, j), &item, &of[j]);
            j++;
        }
    }
    return status == DONE ? settle_named(f, at, given, of) : status;
}

int settle_selection(struct selection *s, const drx_array *a)
{
    const struct frame f = { .path = s->path, .text = s->text, .a = a, .n = drx_ndim(a) };
    struct range of[DRX_MAX_NDIM];
    int items = 0, ellipses = 0, status = DONE;

    s->ndim = f.n;
    for (int j = 0; j < f.n; j++)
        of[j] = (struct range){ .count = drx_shape(a)[j], .step = 1 };
    if (s->text)
        items = count_items(&f, &ellipses);
    if (items < 0)
        return MISUSED;
    if (ellipses > 1)
        return misused("selection [%s] of %s has %d ellipses; give at most one", s->text, s->path, ellipses);
    if (items - ellipses > s->ndim)
        return failed("%s: selection [%s] has %d items; give at most %d, one for each axis", s->path, s->text,
                      items - ellipses, s->ndim);
    if (s->text)
        status = settle_items(&f, s->ndim - (items - ellipses), of);
    for (int j = 0; j < f.n; j++) {
        s->lo[j] = of[j].lo;
        s->count[j] = of[j].count;
        s->step[j] = of[j].step;
        s->dropped[j] = of[j].one;
    }
    return status;
}

int select_dims(drx_dataset *ds, const char *path, const char *text, struct range of[])
{
    const struct frame f = { .path = path, .text = text, .ds = ds, .n = drx_dataset_dim_count(ds) };
    bool *given = calloc((size_t)f.n + 1, sizeof *given);
    int ellipses, items = text ? count_items(&f, &ellipses) : 0, status = DONE;

    for (int j = 0; j < f.n; j++)
        of[j] = (struct range){ .count = frame_extent(&f, j), .step = 1 };
    if (!given)
        status = out_of_memory(f.n);
    else if (items < 0)
        status = MISUSED;
    else if (items > 0)
        status = misused("selection [%s] of %s: dimensions of a dataset go by their names; give NAME=..., as in %s=0",
                         text, path, f.n ? frame_name(&f, 0) : "time");
    else if (text)
        status = settle_named(&f, text, given, of);
    free(given);
    return status;
}

drx_array *open_selection(struct selection *s, int *status)
{
    drx_array *a = open_together(s->path, DRX_RDONLY, s->commit);

    *status = a ? settle_selection(s, a) : FAILED;
    if (!a || *status == DONE)
        return a;
    *status = close_together(a, s->path, *status);
    return NULL;
}

int kept_axes(const struct selection *s, int axes[])
{
    int n = 0;

    for (int j = 0; j < s->ndim; j++)
        if (!s->dropped[j])
            axes[n++] = j;
    return n;
}

void keep_axes(const struct selection *s, const int64_t in[], int64_t out[])
{
    int n = 0;

    for (int j = 0; j < s->ndim; j++)
        if (!s->dropped[j])
            out[n++] = in[j];
}

int64_t cut_selection(struct slabs *slabs, const drx_array *a, const struct selection *s, drx_order order,
                      bool in_sequence)
{
    int64_t lo[DRX_MAX_NDIM];

    for (int j = 0; j < s->ndim; j++)
        lo[j] = drx_lower(a)[j] + s->lo[j];
    return cut_slabs(slabs, a, lo, s->count, s->step, order, in_sequence);
}

int read_slab(drx_array *a, const struct selection *s, const struct slabs *slabs, void *buf)
{
    int64_t lo[DRX_MAX_NDIM], step[DRX_MAX_NDIM], stride[DRX_MAX_NDIM];
    int64_t elements = 1;
    char *first = buf;
    drx_status st;

    for (int k = s->ndim - 1; k >= 0; k--) {
        const int j = axis_from_slowest(s->ndim, slabs->order, k);
        const int64_t last = slabs->extent[j] - 1;

        lo[j] = drx_lower(a)[j] + s->lo[j] + slabs->at[j] * s->step[j];
        step[j] = s->step[j];
        stride[j] = elements;
        if (s->step[j] < 0) { /* the library goes up */
            lo[j] += last * s->step[j];
            step[j] = -s->step[j];
            first += (size_t)(last * elements) * drx_type_size(drx_dtype(a));
            stride[j] = -elements;
        }
        elements *= slabs->extent[j];
    }
    st = drx_read_box(a, &(drx_box){ .lo = lo, .count = slabs->extent, .step = step, .stride = stride }, first);
    return exit_code(s->path, st);
}

struct pouring {
    drx_array *a;
    const struct selection *s;
    take_slab *take;
    void *to;
};

static int pour_slab(void *with, const struct slabs *slabs, void *buf)
{
    const struct pouring *p = with;
    int64_t at[DRX_MAX_NDIM], count[DRX_MAX_NDIM];
    const int status = read_slab(p->a, p->s, slabs, buf);

    keep_axes(p->s, slabs->at, at);
    keep_axes(p->s, slabs->extent, count);
    return status == DONE && !p->take(p->to, at, count, buf) ? FAILED : status;
}

int pour(drx_array *a, const struct selection *s, struct slabs *slabs, take_slab *take, void *to,
         struct progress *progress)
{
    struct pouring p = { a, s, take, to };

    return do_slabs(slabs, pour_slab, &p, progress);
}
