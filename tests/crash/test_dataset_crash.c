/* The power is cut after every change that transactions of a dataset make to the disk, and every state that may be left
 * is opened. Every reader and the next writer find one whole commit. cut.h says what a power cut may leave.
 *
 * DRX_TORTURE=1   many more cuts, and more random transactions
 * DRX_SEED=N      of the random choices */
#include <errno.h>
#include <search.h>
#include <time.h>

#include "base/hooks.h"
#include "cut.h"
#include "drx_dataset.h"
#include "drx_tools.h"
#include "memory_disk.h"
#include "testing.h"

#ifdef __SANITIZE_ADDRESS__
enum { SLOW = 1 }; /* a smaller sample will do */
#else
enum { SLOW = 0 };
#endif

enum { DIMS = 2, LEAST = -3, MOST = 8, EXTENT = MOST - LEAST, MEMBERS = 7, COMMITS = 400, TIME = 0, LON = 1 };

static const char *const dims[DIMS] = { "time", "lon" };

static const struct {
    const char *name;
    int ndim, dim[2];
    unsigned flags;
    drx_codec codec;
} kinds[MEMBERS] = { { "u", 2, { TIME, LON }, 0, DRX_LZ4 }, { "v", 2, { LON, TIME }, DRX_CHECKSUM, DRX_RAW },
                     { "t", 1, { TIME }, 0, DRX_RAW },      { "x", 1, { LON }, 0, DRX_ZLIB },
                     { "s", 0, { 0 }, 0, DRX_RAW },         { "w", 1, { TIME }, DRX_SHELL, DRX_RAW },
                     { "q", 1, { LON }, 0, DRX_RAW } };

/* What a commit shows, or a transaction. Cells have the indices of the array, less LEAST. */
struct shown {
    int64_t lower[DIMS], bound[DIMS];
    int64_t before[DIMS], after[DIMS]; /* trims of the transaction */
    int64_t least[DIMS], most[DIMS];   /* bounds before the trims of the commit, which a log that lags may show */
    bool has_dim[DIMS], there[MEMBERS];
    bool wide[MEMBERS], wider[MEMBERS]; /* has another axis, "run", in front, with index 0 alone; gets it */
    int32_t cell[MEMBERS][EXTENT][EXTENT];
    int title, units[MEMBERS]; /* attributes; 0: none */
};

static struct play {
    struct disk *disk;
    struct cut cut;
    int seen, step;
    uint64_t seed, random;
    int samples, few, nested;
    bool failing; /* calls fail, and nothing is cut: a step that fails goes back to: */
    jmp_buf stop;
    drx_dataset *ds;
    struct shown now, commit[COMMITS];
    int commits, ids;
    bool committing; /* the step may show one commit more */
    int32_t value;
    void *known;
    long states, different, again;
    char why[400];
} p;

static bool no(const char *format, ...) __attribute__((format(printf, 1, 2)));
static bool no(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(p.why, sizeof p.why, format, args);
    va_end(args);
    return false;
}

/* The indices lo <= index < hi of a member; of the axes that it does not have 0. */
static void box_of(const struct shown *s, int m, int64_t lo[2], int64_t hi[2])
{
    for (int j = 0; j < 2; j++) {
        lo[j] = j < kinds[m].ndim ? s->lower[kinds[m].dim[j]] : 0;
        hi[j] = j < kinds[m].ndim ? s->bound[kinds[m].dim[j]] : 1;
    }
}

static bool same_bounds(drx_array *a, int m, const struct shown *s)
{
    const int first = s->wide[m];
    int64_t lo[2], hi[2];

    box_of(s, m, lo, hi);
    if (drx_ndim(a) != (kinds[m].ndim ? kinds[m].ndim : 1) + first)
        return no("%s: has %d axes", kinds[m].name, drx_ndim(a));
    for (int j = 0; j < kinds[m].ndim; j++)
        if (drx_lower(a)[first + j] != lo[j] || drx_shape(a)[first + j] != hi[j] - lo[j])
            return no("%s: axis %d has %lld indices from %lld on, expected %lld from %lld on", kinds[m].name, j,
                      (long long)drx_shape(a)[first + j], (long long)drx_lower(a)[first + j],
                      (long long)(hi[j] - lo[j]), (long long)lo[j]);
    return true;
}

static bool same_cells(drx_array *a, int m, const struct shown *s)
{
    const int first = s->wide[m];
    int64_t lo[2], hi[2];
    int32_t buf[EXTENT * EXTENT], *at = buf;

    box_of(s, m, lo, hi);
    if (!same_bounds(a, m, s))
        return false;
    if (drx_read(a, (int64_t[]){ first ? 0 : lo[0], lo[!first], lo[1] },
                 (int64_t[]){ first ? 1 : hi[0] - lo[0], hi[!first] - lo[!first], hi[1] - lo[1] }, DRX_ROW_MAJOR, buf))
        return no("%s: %s", kinds[m].name, drx_last_error());
    for (int64_t i = lo[0]; i < hi[0]; i++)
        for (int64_t k = lo[1]; k < hi[1]; k++, at++)
            if (*at != s->cell[m][i - LEAST][k - LEAST])
                return no("%s[%lld, %lld] is %d, expected %d", kinds[m].name, (long long)i, (long long)k, *at,
                          s->cell[m][i - LEAST][k - LEAST]);
    return true;
}

static int attr_of(drx_array *a, drx_dataset *ds)
{
    const void *value = NULL;
    const drx_status st =
        a ? drx_attr_get(a, "units", NULL, NULL, &value) : drx_dataset_attr_get(ds, "title", NULL, NULL, &value);

    return st ? 0 : *(const int32_t *)value;
}

static bool same_dataset(drx_dataset *ds, const struct shown *s)
{
    int count = 0;

    for (int m = 0; m < MEMBERS; m++) {
        drx_array *a;

        count += s->there[m];
        if ((drx_dataset_find(ds, kinds[m].name) >= 0) != s->there[m])
            return no("%s is %s there", kinds[m].name, s->there[m] ? "not" : "still");
        if (!s->there[m])
            continue;
        if (drx_dataset_array(ds, kinds[m].name, &a))
            return no("%s", drx_last_error());
        if (!same_cells(a, m, s))
            return false;
        if (attr_of(a, NULL) != s->units[m])
            return no("%s: units is not %d", kinds[m].name, s->units[m]);
    }
    if (drx_dataset_count(ds) != count)
        return no("%d members, expected %d", drx_dataset_count(ds), count);
    for (int d = 0; d < DIMS; d++) {
        int64_t bound = -1;
        const char *name = drx_dataset_dim(ds, drx_dataset_dim_find(ds, dims[d]), &bound);

        const int64_t lower = drx_dataset_dim_lower(ds, drx_dataset_dim_find(ds, dims[d]));

        if ((name != NULL) != s->has_dim[d] || (name && (bound != s->bound[d] || lower != s->lower[d])))
            return no("dimension %s: %lld to %lld, expected %lld to %lld", dims[d], (long long)lower, (long long)bound,
                      (long long)s->lower[d], (long long)s->bound[d]);
    }
    if (attr_of(NULL, ds) != s->title)
        return no("title is not %d", s->title);
    return true;
}

/* Where some commits up to this one have these bounds, the elements are those of one of them: what a trim gives back to the
 * file system is not read as zeros. */
static bool same_as_some(drx_array *a, int64_t at, int m)
{
    bool some = false;

    for (int64_t c = at; c >= 0; c--) {
        if (!p.commit[c].there[m] || !same_bounds(a, m, &p.commit[c]))
            continue;
        if (same_cells(a, m, &p.commit[c]))
            return true;
        some = true;
    }
    return !some || no("%s alone: it has the bounds of a commit, and the elements of none", kinds[m].name);
}

/* A member read alone has bounds that some commit up to this one gave it, each of them, perhaps before its trims. */
static bool read_alone(int64_t at, int m)
{
    char path[20];
    drx_array *a;
    bool good = true;
    int first;

    (void)snprintf(path, sizeof path, "d/%s", kinds[m].name);
    if (drx_open(path, DRX_RDONLY, &a))
        return no("%s alone: %s", kinds[m].name, drx_last_error());
    first = kinds[m].ndim > 0 && drx_ndim(a) > kinds[m].ndim;
    if (first && !p.commit[at].wide[m])
        good = no("%s alone: has another axis", kinds[m].name);
    for (int j = 0; j < kinds[m].ndim; j++) {
        int64_t lower = INT64_MAX, bound = INT64_MIN;

        for (int64_t c = 0; c <= at; c++) {
            lower = drxi_min(lower, p.commit[c].least[kinds[m].dim[j]]);
            bound = drxi_max(bound, p.commit[c].most[kinds[m].dim[j]]);
        }
        if (drx_lower(a)[first + j] < lower || drx_lower(a)[first + j] + drx_shape(a)[first + j] > bound)
            good = no("%s alone: axis %d has %lld indices from %lld on", kinds[m].name, j,
                      (long long)drx_shape(a)[first + j], (long long)drx_lower(a)[first + j]);
    }
    good = good && same_as_some(a, at, m);
    (void)drx_close(a);
    return good;
}

/* Nothing but the files of members is left. */
static bool no_other_files(const struct disk *d, const struct shown *s)
{
    const struct image *im = disk_image(d);

    for (int i = 0; i < im->names; i++) {
        const char *name = im->name[i].path + 2;
        bool known =
            strcmp(im->name[i].path, "d/dataset.xds") == 0 || strstr(name, ".new-"); /* drx check lists those */

        for (int m = 0; m < MEMBERS; m++)
            known = known || (s->there[m] && name[0] == kinds[m].name[0] && name[1] == '.');
        if (!known)
            return no("%s is left", im->name[i].path);
    }
    return true;
}

/* Growth after the crash uncovers nothing but fill, and the next commit holds. */
static bool go_on(struct shown s)
{
    drx_dataset *ds;
    bool good = true;

    if (drx_dataset_open("d", DRX_RDWR, DRX_LAST, &ds))
        return no("opening again: %s", drx_last_error());
    for (int d = 0; d < DIMS && good; d++) {
        if (!s.has_dim[d])
            continue;
        if (drx_dataset_extend(ds, dims[d], MOST - s.bound[d]) ||
            drx_dataset_extend_before(ds, dims[d], s.lower[d] - LEAST))
            good = no("growing: %s", drx_last_error());
        s.bound[d] = MOST;
        s.lower[d] = LEAST;
    }
    good = good && same_dataset(ds, &s);
    if (good && drx_dataset_commit(ds, "after"))
        good = no("committing: %s", drx_last_error());
    if (drx_dataset_close(ds) && good)
        good = no("closing: %s", drx_last_error());
    if (good && drx_dataset_open("d", DRX_RDONLY, DRX_LAST, &ds))
        return no("opening at last: %s", drx_last_error());
    if (good) {
        good = same_dataset(ds, &s);
        (void)drx_dataset_close(ds);
    }
    return good;
}

static bool look(const struct disk *d, int *changes)
{
    const int first = p.commits - 1, last = p.commits - 1 + p.committing;
    drx_dataset *ds;
    int64_t at;
    bool good;
    drx_status st = drx_dataset_open("d", DRX_RDONLY, DRX_LAST, &ds);

    if (first < 0 && st == DRX_ENOENT)
        return true;
    if (st)
        return no("for reading: %s", drx_last_error());
    at = drx_dataset_shown(ds);
    good = at >= first && at <= last ? same_dataset(ds, &p.commit[at])
                                     : no("commit %lld, expected %d to %d", (long long)at, first, last);
    (void)drx_dataset_close(ds);
    for (int m = 0; good && m < MEMBERS; m++)
        good = !p.commit[at].there[m] || read_alone(at, m);
    if (!good)
        return false;
    if (drx_dataset_open("d", DRX_RDWR, DRX_LAST, &ds))
        return no("for writing: %s", drx_last_error());
    good = drx_dataset_shown(ds) == at ? same_dataset(ds, &p.commit[at])
                                       : no("another commit for writing: %lld", (long long)drx_dataset_shown(ds));
    if (drx_dataset_close(ds) && good)
        good = no("closing: %s", drx_last_error());
    *changes = disk_changes(d);
    return good && no_other_files(d, &p.commit[at]) && go_on(p.commit[at]);
}

static bool check(const struct image *im, bool nested);

/* Crash while the next writer mends. */
static bool crash_again(const struct image *im, const struct disk *d, int changes)
{
    uint64_t random = p.seed ^ image_hash(im);
    bool good = true;
    struct cut c;

    cut_start(&c, im);
    for (int k = 0; good && k < changes; k++) {
        cut_add(&c, disk_change(d, k));
        for (int i = 0; good && i < 3; i++) {
            struct choice choice;
            struct image again;

            cut_choose(&c, 0, random_next(&random), i < 2 ? i : cut_listed(&c, 0), &choice);
            cut_build(&c, &choice, &again);
            good = check(&again, false);
            p.again++;
            image_free(&again);
        }
    }
    cut_free(&c);
    return good;
}

static bool check(const struct image *im, bool nested)
{
    struct disk *d, *before;
    struct image own;
    int changes = 0;
    bool good;

    image_copy(im, &own);
    d = disk_new(&own);
    before = disk_use(d);
    drxi_hooks.other_boot++;
    good = look(d, &changes);
    drxi_hooks.other_boot--;
    if (good && nested)
        good = crash_again(im, d, changes);
    disk_use(before);
    disk_free(d);
    return good;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static bool is_new(uint64_t hash)
{
    uint64_t *key = malloc(sizeof *key), **found;

    assert_non_null(key);
    *key = hash;
    found = tsearch(key, &p.known, compare);
    if (*found != key)
        free(key);
    return *found == key;
}

static void forget(void)
{
    tdestroy(p.known, free);
    p.known = NULL;
}

static void cut_here(void)
{
    const bool skipped = SLOW && p.samples == 0 && p.seen % 5 != 0;
    const int listed = p.failing || skipped ? 0 : cut_listed(&p.cut, p.few),
              n = listed > 1 ? listed + p.samples : listed;
    uint64_t seed = p.seed + (uint64_t)p.seen;

    (void)random_next(&seed);
    for (int i = 0; i < n; i++) {
        struct choice choice;
        struct image im;
        uint64_t hash;

        cut_choose(&p.cut, p.few, seed, i, &choice);
        cut_build(&p.cut, &choice, &im);
        hash = image_hash(&im) * 2 + p.committing;
        p.states++;
        if (is_new(hash)) {
            p.different++;
            if (!check(&im, p.nested > 0 && (hash >> 20) % (uint64_t)p.nested == 0))
                fail_msg("DRX_SEED=%llu: step %d, after change %d, choice %d: %s", (unsigned long long)p.seed, p.step,
                         p.seen, i, p.why);
        }
        image_free(&im);
    }
}

/* A call of the step has been made: cut the power after each of its changes. */
static void called(drx_status st)
{
    if (st && p.failing)
        longjmp(p.stop, 1);
    if (st)
        print_error("step %d: %s\n", p.step, drx_last_error());
    assert_int_equal(st, DRX_OK);
    while (!p.failing && p.seen < disk_changes(p.disk)) {
        cut_add(&p.cut, disk_change(p.disk, p.seen++));
        cut_here();
    }
}

static void begin(void)
{
    p.step++;
    forget();
}

static void new_id(void)
{
    char id[33];

    (void)snprintf(id, sizeof id, "%032d", ++p.ids);
    (void)setenv("DRX_CREATION_ID", id, 1);
}

/* What the commit shows: its trims take effect, and growth over them finds the fill. */
static void settle(struct shown *s)
{
    memcpy(s->least, s->lower, sizeof s->least);
    memcpy(s->most, s->bound, sizeof s->most);
    for (int d = 0; d < DIMS; d++) {
        s->lower[d] += s->before[d];
        s->bound[d] -= s->after[d];
        s->before[d] = s->after[d] = 0;
    }
    for (int m = 0; m < MEMBERS; m++) {
        int64_t lo[2], hi[2];

        s->wide[m] = s->wide[m] || s->wider[m];
        s->wider[m] = false;
        box_of(s, m, lo, hi);
        for (int64_t i = LEAST; i < MOST; i++)
            for (int64_t k = LEAST; k < MOST; k++)
                if (i < lo[0] || i >= hi[0] || k < lo[1] || k >= hi[1])
                    s->cell[m][i - LEAST][k - LEAST] = 0;
    }
}

static void do_commit(void)
{
    begin();
    p.commit[p.commits] = p.now;
    settle(&p.commit[p.commits]);
    p.committing = true;
    called(drx_dataset_commit(p.ds, "next"));
    p.now = p.commit[p.commits++];
    p.committing = false;
    forget();
    cut_here();
}

static void do_create(void)
{
    begin();
    new_id();
    p.committing = true;
    called(drx_dataset_create("d", &p.ds));
    p.commits = 1;
    p.committing = false;
    cut_here();
}

static void do_abort(void)
{
    begin();
    called(drx_dataset_abort(p.ds));
    p.now = p.commit[p.commits - 1];
}

static void close_it(void)
{
    drx_dataset *ds = p.ds;

    p.ds = NULL;
    called(drx_dataset_close(ds));
}

static void do_reopen(void)
{
    begin();
    close_it();
    called(drx_dataset_open("d", DRX_RDWR, DRX_LAST, &p.ds));
    p.now = p.commit[p.commits - 1];
}

/* Write the cells of a member outside a box. */
static void write_cells(int m, const int64_t from[2], const int64_t to[2])
{
    int64_t lo[2], hi[2];
    drx_array *a;

    box_of(&p.now, m, lo, hi);
    called(drx_dataset_array(p.ds, kinds[m].name, &a));
    for (int64_t i = lo[0]; i < hi[0]; i++)
        for (int64_t k = lo[1]; k < hi[1]; k++) {
            if (i >= from[0] && i < to[0] && k >= from[1] && k < to[1])
                continue;
            p.now.cell[m][i - LEAST][k - LEAST] = ++p.value;
            called(drx_put(a, p.now.wide[m] ? (int64_t[]){ 0, i, k } : (int64_t[]){ i, k, 0 }, &p.value));
        }
    called(DRX_OK);
}

/* Such a transaction does nothing else. */
static bool adds_axes(void)
{
    bool some = false;

    for (int m = 0; m < MEMBERS; m++)
        some = some || p.now.wider[m];
    return some;
}

/* At the high end; by < 0: at the low end. */
static void do_extend(int d, int64_t by, bool fill)
{
    const struct shown before = p.now;

    if (adds_axes() || !p.now.has_dim[d] ||
        (by > 0 ? p.now.after[d] || p.now.bound[d] + by > MOST : p.now.before[d] || p.now.lower[d] + by < LEAST))
        return;
    begin();
    called(by > 0 ? drx_dataset_extend(p.ds, dims[d], by) : drx_dataset_extend_before(p.ds, dims[d], -by));
    *(by > 0 ? &p.now.bound[d] : &p.now.lower[d]) += by;
    for (int m = 0; fill && m < MEMBERS; m++)
        if (p.now.there[m] && (kinds[m].ndim > 1 || (kinds[m].ndim == 1 && kinds[m].dim[0] == d))) {
            int64_t lo[2], hi[2];

            box_of(&before, m, lo, hi);
            write_cells(m, lo, hi);
        }
}

static void do_trim(int d, int64_t before, int64_t after)
{
    if (adds_axes() || !p.now.has_dim[d] ||
        before + after > p.now.bound[d] - p.now.after[d] - p.now.lower[d] - p.now.before[d])
        return;
    begin();
    called(drx_dataset_trim(p.ds, dims[d], before, after));
    p.now.before[d] += before;
    p.now.after[d] += after;
}

static void do_add(int m)
{
    const char *names[2] = { NULL, NULL };
    int64_t shape[2], lo[2], hi[2];
    const int64_t chunk[] = { 2, 3 };
    const int32_t fill = 0;

    if (adds_axes() || p.now.there[m] || p.commit[p.commits - 1].there[m])
        return;
    begin();
    new_id();
    for (int j = 0; j < kinds[m].ndim; j++) {
        names[j] = dims[kinds[m].dim[j]];
        p.now.has_dim[kinds[m].dim[j]] = true;
    }
    box_of(&p.now, m, lo, hi);
    for (int j = 0; j < 2; j++)
        shape[j] = hi[j] - lo[j];
    called(drx_dataset_add(p.ds, kinds[m].name,
                           &(drx_spec){ .ndim = kinds[m].ndim ? kinds[m].ndim : 1,
                                        .type = DRX_INT32,
                                        .shape = shape,
                                        .lower = lo,
                                        .chunk = chunk,
                                        .fill = &fill,
                                        .flags = kinds[m].flags,
                                        .codec = kinds[m].codec,
                                        .dims = kinds[m].ndim ? names : NULL },
                           NULL));
    p.now.there[m] = true;
    p.now.wide[m] = false;
    p.now.units[m] = 0;
    memset(p.now.cell[m], 0, sizeof p.now.cell[m]);
    write_cells(m, hi, hi);
}

static void do_remove(int m)
{
    if (adds_axes() || !p.now.there[m] || !p.commit[p.commits - 1].there[m])
        return;
    begin();
    called(drx_dataset_remove(p.ds, kinds[m].name));
    p.now.there[m] = false;
}

/* Of a member, or m = -1 of the dataset; value 0: delete it. */
static void do_attr(int m, int32_t value)
{
    int *have = m < 0 ? &p.now.title : &p.now.units[m];
    drx_array *a;

    if (adds_axes() || (m >= 0 && !p.now.there[m]) || (!value && !*have))
        return;
    begin();
    if (m < 0) {
        called(value ? drx_dataset_attr_set(p.ds, "title", DRX_INT32, 1, &value)
                     : drx_dataset_attr_delete(p.ds, "title"));
    } else {
        called(drx_dataset_array(p.ds, kinds[m].name, &a));
        called(value ? drx_attr_set(a, "units", DRX_INT32, 1, &value) : drx_attr_delete(a, "units"));
    }
    *have = value;
}

/* In a transaction of its own: what is pending is committed first. */
static void do_axis(int m)
{
    if (!adds_axes())
        do_commit();
    if (kinds[m].ndim == 0 || !p.now.there[m] || p.now.wide[m] || p.now.wider[m])
        return;
    begin();
    called(drx_dataset_add_axis(p.ds, kinds[m].name, 0, "run"));
    p.now.wider[m] = true;
}

/* Somebody has the member open alone: syncs and compacts it. */
static void do_alone(int m)
{
    char path[20];
    drx_array *a;
    drx_status st, other;

    do_abort();
    if (!p.now.there[m])
        return;
    begin();
    close_it();
    (void)snprintf(path, sizeof path, "d/%s", kinds[m].name);
    called(drx_open(path, DRX_RDWR, &a));
    st = drx_sync(a);
    st = st ? st : drx_compact(a);
    other = drx_close(a);
    called(st ? st : other);
    called(drx_dataset_open("d", DRX_RDWR, DRX_LAST, &p.ds));
}

static void random_step(void)
{
    const int m = (int)random_below(&p.random, MEMBERS);

    switch (random_below(&p.random, 14)) {
    case 0:
    case 1:
        do_extend((int)random_below(&p.random, DIMS), 1 + random_below(&p.random, 3), random_below(&p.random, 3) > 0);
        break;
    case 2:
        do_extend((int)random_below(&p.random, DIMS), -1 - random_below(&p.random, 3), random_below(&p.random, 3) > 0);
        break;
    case 3:
        do_add(m);
        break;
    case 4:
        do_remove(m);
        break;
    case 5:
    case 6:
        do_attr(m - (m == 0), (int32_t)random_below(&p.random, 3));
        break;
    case 7:
        do_abort();
        break;
    case 8:
        do_reopen();
        break;
    case 9:
        do_alone(m);
        break;
    case 11:
        do_axis(m);
        break;
    case 10:
        do_trim((int)random_below(&p.random, DIMS), random_below(&p.random, 4), random_below(&p.random, 3));
        break;
    default:
        do_commit();
    }
}

static void scripted(void)
{
    do_create();
    for (int m = 0; m < 5; m++)
        do_add(m);
    do_commit();
    do_extend(TIME, 2, true);
    do_extend(LON, 2, true);
    do_attr(-1, 1);
    do_commit();
    do_extend(TIME, 1, true);
    do_extend(LON, 3, true);
    do_attr(0, 2);
    do_add(5);
    do_abort();
    do_extend(LON, 1, false);
    do_extend(TIME, 3, true);
    do_attr(0, 2);
    do_commit();
    do_extend(TIME, -2, true);
    do_extend(LON, -3, true);
    do_trim(TIME, 0, 3);
    do_commit();
    do_trim(TIME, 3, 0);
    do_trim(LON, 2, 2);
    do_extend(TIME, 2, true);
    do_remove(1);
    do_add(5);
    do_attr(0, 0);
    do_commit();
    do_axis(0);
    do_axis(2);
    do_commit();
    do_extend(LON, 1, true);
    do_axis(3);
    do_reopen();
    do_add(6);
    do_extend(TIME, 1, true);
    do_reopen();
    do_alone(0);
    do_add(1);
    do_commit();
}

static void start(uint64_t seed)
{
    const bool torture = getenv("DRX_TORTURE") != NULL;

    memset(&p, 0, sizeof p);
    p.seed = p.random = seed;
    p.samples = torture ? 40 : SLOW ? 0 : 2;
    p.few = torture ? 7 : SLOW ? 0 : 3;
    p.nested = torture ? 20 : SLOW ? 500 : 60;
    p.disk = disk_new(NULL);
    (void)disk_use(p.disk);
    cut_start(&p.cut, disk_image(p.disk));
}

static void end(const char *name)
{
    assert_ok(drx_dataset_close(p.ds));
    forget();
    cut_free(&p.cut);
    (void)disk_use(NULL);
    disk_free(p.disk);
    print_message("%s: %ld states, %ld different, %ld while another crash was mended; %d commits\n", name, p.states,
                  p.different, p.again, p.commits);
}

TEST(each_change_of_transactions_is_cut)
{
    (void)setenv("DRX_THREADS", "1", 1); /* changes have one order */
    (void)setenv("SOURCE_DATE_EPOCH", "0", 1);
    start(starting_seed(1));
    scripted();
    end("scripted");
}

/* Play the script while the n-th call of a file fails, then look at what is left. False: there are fewer calls. */
static bool play_failing(long n, int error, bool persistent)
{
    int changes;
    bool fired;

    start(1);
    p.failing = true;
    drxi_fault_arm(n, error, persistent);
    if (setjmp(p.stop) == 0)
        scripted();
    fired = drxi_fault_fired();
    drxi_fault_arm(0, 0, false);
    (void)drx_dataset_close(p.ds);
    if (!look(p.disk, &changes))
        fail_msg("call %ld fails%s: step %d: %s", n, persistent ? ", and all after it" : "", p.step, p.why);
    cut_free(&p.cut);
    (void)disk_use(NULL);
    disk_free(p.disk);
    return fired;
}

TEST(each_call_fails)
{
    long n = 1;

    for (; play_failing(n, ENOSPC, false); n += 1 + 9 * SLOW)
        (void)play_failing(n, EIO, true);
    print_message("each of %ld calls failed, once and for ever\n", n - 1);
    assert_true(n > 300);
}

TEST(random_transactions_are_cut)
{
    const bool torture = getenv("DRX_TORTURE") != NULL;
    const uint64_t seed = starting_seed(torture ? 0 : 2);

    for (int round = 0; round < (torture ? 20 : 2); round++) {
        start(seed + (uint64_t)round);
        do_create();
        for (int i = 0; i < (torture ? 60 : 25) && p.commits < COMMITS - 1; i++)
            random_step();
        end("random");
    }
}
