/* A dataset: opening, earlier commits, reading, refresh, checking, recovery, transactions, repair, copying, removing.
 *
 * Input: a byte of flags, the length (u16) of the log from its first record on, this, and the data, which all files
 * share. */
#include <stdlib.h>
#include <unistd.h>

#include "dataset/dataset.h"
#include "drx_tools.h"
#include "fuzz.h"

enum { SEAL = 1, WRITE = 4, REPAIR = 8, COPY = 16, HOW = 32 };
enum { MOST_ELEMENTS = 1 << 12, MOST_CHUNKS = 1 << 12, MOST_COMMITS = 8 };

static const char path[] = "d";

/* ---- what anybody sees ---- */

/* What drx_dataset_open says of bad files, and drx_dataset_array of bad members. */
static bool is_documented(drx_status st)
{
    static const drx_status all[] = { DRX_OK,        DRX_ENOENT,       DRX_EACCES, DRX_EFORMAT, DRX_EDAMAGED,
                                      DRX_EMISMATCH, DRX_EUNSUPPORTED, DRX_ENOSPC, DRX_EIO,     DRX_ENOMEM,
                                      DRX_EINVAL,    DRX_EOVERFLOW,    DRX_EEXIST };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (st == all[i])
            return st == DRX_OK || drx_last_error()[0];
    return false;
}

static void inquire_attrs(const drx_dataset *ds)
{
    for (int i = 0; i < drx_dataset_attr_count(ds, DRX_DATASET, NULL); i++) {
        const char *name;
        drx_type type;
        int64_t n;
        int is_text;
        const void *values;

        fuzz_require(drx_dataset_attr_info(ds, DRX_DATASET, NULL, i, &name, &type, &n, &is_text) == DRX_OK);
        fuzz_require(drx_dataset_attr_get(ds, DRX_DATASET, NULL, name, &type, &n, &values) == DRX_OK &&
                     (n == 0 || values));
    }
}

/* The commits tell one history. A log may have lost the first ones. */
static void inquire_commits(const drx_dataset *ds)
{
    const drx_change *c;
    drx_commit commit;
    int64_t n;

    fuzz_require(drx_dataset_last(ds) >= drx_dataset_shown(ds));
    for (int64_t k = drx_dataset_last(ds); k >= 0; k--) {
        if (drx_dataset_commit_info(ds, k, &commit) == DRX_ERANGE && k < drx_dataset_last(ds))
            break;
        fuzz_require(commit.number == k);
        fuzz_require(drxi_is_utf8(commit.message, strlen(commit.message)));
        fuzz_require(drx_dataset_commit_changes(ds, k, &c, &n) == DRX_OK);
        for (int64_t i = 0; i < n; i++) {
            fuzz_require(c[i].name && c[i].other && (c[i].name[0] || c[i].of == DRX_DATASET));
            fuzz_require(c[i].lower_before <= c[i].upper_before && c[i].lower <= c[i].upper);
        }
    }
    fuzz_require(drx_dataset_commit_info(ds, drx_dataset_last(ds) + 1, &commit) == DRX_ERANGE);
}

static int64_t bound_of(const drx_dataset *ds, int i, int axis)
{
    int64_t bound = drx_dataset_ndim(ds, i) == 0; /* of a scalar; else of a null variable */

    if (drx_dataset_ndim(ds, i) > 0)
        fuzz_require(drx_dataset_dim(ds, drx_dataset_axis(ds, i, axis), &bound));
    return bound;
}

static int64_t elements(const drx_array *a)
{
    return drx_chunk_count(a) <= MOST_CHUNKS ? fuzz_elements(drx_ndim(a), drx_shape(a), MOST_ELEMENTS) : -1;
}

static drx_status read_all(drx_array *a)
{
    const int64_t *const lo = drx_lower(a), n = elements(a);
    uint8_t *buf = n >= 0 ? malloc((size_t)(n + 1) * drx_type_size(drx_dtype(a))) : NULL;
    const drx_status st = buf ? drx_read(a, lo, drx_shape(a), DRX_ROW_MAJOR, buf) : DRX_OK;

    fuzz_require(is_documented(st) || st == DRX_ERANGE); /* a later commit has trimmed some */
    free(buf);
    return st;
}

/* Every member that can be had has the bounds of its dimensions. Whether all of them are small. */
static bool inquire_members(drx_dataset *ds)
{
    bool small = true;

    for (int i = 0; i < drx_dataset_count(ds); i++) {
        const char *name = drx_dataset_name(ds, i);
        drx_array *a;
        drx_status st;

        fuzz_require(drx_dataset_find(ds, name) == i && drx_dataset_attr_count(ds, DRX_VARIABLE, name) >= 0);
        st = drx_dataset_array(ds, name, &a);
        fuzz_require(is_documented(st));
        if (st)
            continue;
        fuzz_require(drx_ndim(a) == (int)drxi_max(1, drx_dataset_ndim(ds, i)));
        for (int axis = 0; axis < drx_ndim(a); axis++)
            fuzz_require(drx_dataset_ndim(ds, i) == 0 ||
                         drx_lower(a)[axis] + drx_shape(a)[axis] == bound_of(ds, i, axis));
        small = small && drx_chunk_count(a) <= MOST_CHUNKS;
        (void)read_all(a);
    }
    return small;
}

static bool look_at(int64_t at, int64_t *last)
{
    drx_dataset *ds;
    const drx_status st = drx_dataset_open(path, DRX_RDONLY, at, &ds);
    bool small;

    fuzz_require(is_documented(st) || (st == DRX_ERANGE && at != DRX_LAST)); /* it may have lost the first commits */
    *last = -1;
    if (st)
        return true;
    *last = drx_dataset_last(ds);
    fuzz_require(drx_dataset_shown(ds) == (at == DRX_LAST ? *last : at));
    for (int d = 0; d < drx_dataset_dim_count(ds); d++)
        fuzz_require(drx_dataset_dim_find(ds, drx_dataset_dim(ds, d, NULL)) == d);
    for (int g = 0; g < drx_dataset_group_count(ds); g++)
        fuzz_require(drx_dataset_group_find(ds, drx_dataset_group(ds, g)) == g);
    inquire_attrs(ds);
    inquire_commits(ds);
    small = inquire_members(ds);
    fuzz_require(is_documented(drx_dataset_refresh(ds)));
    fuzz_require(drx_dataset_close(ds) == DRX_OK);
    return small;
}

static bool look(void)
{
    int64_t last, k;
    bool small = look_at(DRX_LAST, &last);
    drx_array *a;

    for (int64_t at = last; at >= 0 && at > last - MOST_COMMITS; at--)
        small = look_at(at, &k) && small;
    if (drx_open("d/u", DRX_RDONLY, &a) == DRX_OK)
        fuzz_require(drx_close(a) == DRX_OK);
    return small;
}

static void count_finding(void *user, drx_severity severity, const char *text)
{
    fuzz_require(text[0]);
    *(int *)user += severity == DRX_ERROR;
}

static int check_that(const char *which)
{
    int errors = 0;
    const drx_status st = drx_dataset_check(which, count_finding, &errors, NULL, NULL);

    fuzz_require(is_documented(st));
    fuzz_require((st == DRX_OK) == (errors == 0) || st != DRX_EDAMAGED);
    return errors + (st != DRX_OK && errors == 0);
}

static int check(void)
{
    return check_that(path);
}

/* ---- a transaction ---- */

/* The elements from `from` on, along the axis, are fill: nobody has written them. */
static void check_fill(drx_array *a, int axis, int64_t from)
{
    const size_t item = drx_type_size(drx_dtype(a));
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM], n;
    uint8_t *buf;

    if (elements(a) < 0)
        return;
    for (int j = 0; j < drx_ndim(a); j++) {
        lo[j] = drx_lower(a)[j];
        count[j] = drx_shape(a)[j];
    }
    count[axis] = lo[axis] + count[axis] - from;
    lo[axis] = from;
    n = fuzz_elements(drx_ndim(a), count, MOST_ELEMENTS);
    buf = malloc((size_t)(n + 1) * item);
    fuzz_require(buf);
    if (drx_read(a, lo, count, DRX_ROW_MAJOR, buf) == DRX_OK)
        for (int64_t i = 0; i < n; i++)
            fuzz_require(memcmp(buf + (size_t)i * item, a->log.state.desc.fill, item) == 0);
    free(buf);
}

/* What a dimension grew by shows nothing that lay there before. */
static void check_growth(drx_dataset *ds, int d, int64_t before)
{
    for (int i = 0; i < drx_dataset_count(ds); i++) {
        drx_array *a;

        if (drx_dataset_array(ds, drx_dataset_name(ds, i), &a))
            continue;
        for (int axis = 0; axis < drx_dataset_ndim(ds, i); axis++)
            if (drx_dataset_axis(ds, i, axis) == d)
                check_fill(a, axis, before);
    }
}

static drx_status grow(drx_dataset *ds, uint64_t how)
{
    const int dims = drx_dataset_dim_count(ds), d = dims ? (int)(how % (uint64_t)dims) : 0;
    const int64_t by = 1 + (int64_t)(how % 3);
    int64_t before, after;
    drx_status st;

    if (dims == 0)
        return DRX_OK;
    fuzz_require(drx_dataset_dim(ds, d, &before));
    st = drx_dataset_extend(ds, drx_dataset_dim(ds, d, NULL), by);
    fuzz_require(is_documented(st));
    fuzz_require(drx_dataset_dim(ds, d, &after) && (after == before + by || (st && after == before)));
    if (!st)
        check_growth(ds, d, before);
    return st;
}

/* A variable along the first dimension, or a scalar. */
static void add(drx_dataset *ds)
{
    int64_t bound = 1;
    const char *const dim = drx_dataset_dim(ds, 0, &bound);
    const int64_t lower = drx_dataset_dim_lower(ds, 0);
    int64_t extent = bound;
    const drx_spec spec = {
        .ndim = 1, .type = DRX_INT16, .shape = &extent, .lower = &lower, .dims = dim ? &dim : NULL
    };
    const int16_t value = 7;
    drx_array *a;

    extent = bound - lower;
    if (extent <= MOST_ELEMENTS && drx_dataset_add(ds, "w", &spec, &a) == DRX_OK && extent > 0)
        fuzz_require(drx_put(a, &lower, &value) == DRX_OK);
}

static void change(drx_dataset *ds, uint64_t how)
{
    drx_array *a;
    drx_status st;

    add(ds);
    st = drx_dataset_attr_set_text(ds, DRX_DATASET, NULL, "note", "fuzzed");
    fuzz_require(is_documented(st) || st == DRX_EBUSY); /* growth failed half-way */
    if (drx_dataset_count(ds) > 0 && drx_dataset_array(ds, drx_dataset_name(ds, 0), &a) == DRX_OK)
        (void)drx_attr_set_text(a, "note", "of a member");
    if (how & 1 && drx_dataset_count(ds) > 1)
        (void)drx_dataset_remove(ds, drx_dataset_name(ds, 1));
    if (how & 2 && drx_dataset_group_count(ds) > 0)
        (void)drx_dataset_remove_group(ds, drx_dataset_group(ds, 0));
    if (how & 4 && drx_dataset_add_group(ds, "g") == DRX_OK)
        fuzz_require(drx_dataset_set_name(ds, DRX_GROUP, "g", "h") != DRX_ENOENT);
}

/* What was committed is there, whole; or what was aborted is not. */
static void look_after(int64_t commits, const char *missing)
{
    drx_dataset *ds;

    fuzz_require(drx_dataset_open(path, DRX_RDONLY, DRX_LAST, &ds) == DRX_OK);
    fuzz_require(drx_dataset_last(ds) == commits);
    for (int i = 0; i < drx_dataset_count(ds); i++) {
        drx_array *a;
        const char *name = drx_dataset_name(ds, i);

        if (strchr("uv", name[0]) && name[1] == '\0' && !strchr(missing, name[0]))
            fuzz_require(drx_dataset_array(ds, name, &a) == DRX_OK);
    }
    (void)inquire_members(ds);
    fuzz_require(drx_dataset_close(ds) == DRX_OK);
}

/* The names of members that cannot be had. */
static void find_missing(drx_dataset *ds, char missing[3])
{
    static const char *const names[] = { "u", "v" };

    memset(missing, 0, 3);
    for (int i = 0; i < 2; i++) {
        drx_array *a;

        if (drx_dataset_array(ds, names[i], &a))
            missing[strlen(missing)] = names[i][0];
    }
}

static void write_to(uint64_t how)
{
    const int errors = check();
    int64_t last;
    char missing[3];
    drx_dataset *ds;
    drx_status st = drx_dataset_open(path, DRX_RDWR, DRX_LAST, &ds);

    fuzz_require(is_documented(st));
    if (st)
        return;
    last = drx_dataset_last(ds);
    find_missing(ds, missing);
    st = grow(ds, how);
    change(ds, how);
    if (st || how & 2)
        st = drx_dataset_abort(ds) ? DRX_EIO : DRX_EBUSY;
    else
        st = drx_dataset_commit(ds, "fuzzed");
    fuzz_require(drx_dataset_close(ds) == DRX_OK || st == DRX_EIO);
    if (st == DRX_OK || st == DRX_EBUSY) {
        look_after(last + (st == DRX_OK), missing);
        fuzz_require(check() <= errors);
    }
}

/* It finds nothing to do a second time. */
static void repair(void)
{
    const int errors = check();
    drx_status st = drx_dataset_repair(path, NULL, NULL, NULL, NULL);

    fuzz_require(is_documented(st));
    if (st)
        return;
    fuzz_require(check() == 0 && check() <= errors);
    fuzz_require(drx_dataset_repair(path, NULL, NULL, NULL, NULL) == DRX_OK);
}

static void copy_and_remove(void)
{
    const int errors = check();

    if (drx_dataset_duplicate(path, "e") == DRX_OK) {
        fuzz_require(check_that("e") <= errors);
        fuzz_require(drx_dataset_rename("e", "f") == DRX_OK && access("e", F_OK) != 0);
        fuzz_require(drx_dataset_delete("f") == DRX_OK && access("f", F_OK) != 0);
    }
    fuzz_require(is_documented(drx_dataset_delete(path)));
}

/* ---- the input ---- */

static void write_files(const uint8_t *log, size_t n, const uint8_t *data, size_t data_bytes)
{
    static const char *const names[] = { "d/u.xta", "d/v.xta", "d/z.xtz", "d/z.xct", "d/k.xta", "d/k.xcs" };
    enum { TABLE = 3 };

    fuzz_make_folder(path);
    fuzz_write_file("d/dataset.xds", log, n);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) /* of an entry of a table all is there, or nothing */
        fuzz_write_file(names[i], data, i == TABLE ? data_bytes / DRXI_ENTRY_BYTES * DRXI_ENTRY_BYTES : data_bytes);
}

static void use(uint64_t flags)
{
    if (!look())
        return;
    (void)check();
    if (flags & REPAIR)
        repair();
    if (flags & WRITE)
        write_to(flags / HOW);
    if (flags & COPY)
        copy_and_remove();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const uint8_t id[DRXI_STORE_ID_BYTES] = { 1 };
    struct fuzz_input in = { data, n };
    const uint64_t flags = fuzz_number(&in, 1);
    size_t bytes = fuzz_number(&in, 2);
    uint8_t *records = fuzz_bytes(&in, &bytes), *log = calloc(1, DRXI_LOG_AT + bytes);
    uint32_t crc;

    fuzz_require(log);
    crc = drxi_store_head_encode(DRXI_DATASET, id, log);
    if (bytes > 0)
        memcpy(log + DRXI_LOG_AT, records, bytes);
    if (flags & SEAL)
        fuzz_seal_store(log + DRXI_LOG_AT, bytes, crc);
    fuzz_limit_allocations(DRXI_LOG_AT + n);
    write_files(log, DRXI_LOG_AT + bytes, in.at, in.left);
    use(flags);
    fuzz_clear_scratch();
    free(records);
    free(log);
    return 0;
}
