/* The files of an array: opening, reading, checking, recovery, growth, writing, copying, removing.
 *
 * Input: a byte of flags, the lengths of the records of `.xmd` (u16) and of `.xcs` (u16), these two, and the data for
 * the rest; stripes share it. */
#include <stdlib.h>
#include <unistd.h>

#include "array/array.h"
#include "drx_tools.h"
#include "fuzz.h"
#include "lone/lone.h"

enum { SEAL = 1, WRITE = 2, NAMES = 4, REPAIR = 8, HOW = 16, MOST_ELEMENTS = 1 << 12, MOST_CHUNKS = 1 << 12 };

static const char path[] = "a";

static void write_stripes(const struct drxi_stripes *stripes, const uint8_t *data, size_t n)
{
    for (int k = 0; k < stripes->n; k++) {
        const size_t begin = n / (size_t)stripes->n * (size_t)k;
        char *name = drxi_stripe_path(path, stripes, k);

        fuzz_make_folder(stripes->folder[k]);
        if (name && name[0] != '/' && !strstr(name, ".."))
            fuzz_write_file(name, data + begin, n / (size_t)stripes->n);
        drxi_free(name);
    }
}

static void write_files(const uint8_t *meta, size_t nmeta, const uint8_t *sums, size_t nsums, const uint8_t *data,
                        size_t ndata)
{
    struct drxi_stripes stripes;
    drxi_io *io;

    fuzz_write_file("a.xmd", meta, nmeta);
    if (nsums > 0)
        fuzz_write_file("a.xcs", sums, nsums);
    fuzz_require(drxi_files->open("a.xmd", DRXI_READ, &io) == DRX_OK);
    fuzz_require(drxi_log_find_stripes(io, &stripes) == DRX_OK);
    (void)io->ops->close(io);
    if (stripes.n > 0)
        write_stripes(&stripes, data, ndata);
    else
        fuzz_write_file("a.xta", data, ndata);
    drxi_stripes_free(&stripes);
}

static int64_t elements(const drx_array *a)
{
    return fuzz_elements(drx_ndim(a), drx_shape(a), MOST_ELEMENTS);
}

static void inquire(const drx_array *a)
{
    int64_t index[DRX_MAX_NDIM], first, start, coefficients[DRX_MAX_NDIM], by, address;
    drx_spec spec;
    int axis;

    drx_describe(a, &spec);
    fuzz_require(spec.ndim == drx_ndim(a) && drx_type_size(spec.type) > 0);
    for (int i = 0; drx_file(a, i); i++)
        fuzz_require(drx_file(a, i)[0]);
    for (int64_t i = 0; i < drx_growth_count(a); i++)
        fuzz_require(drx_growth(a, i, &axis, &by) == DRX_OK && axis < drx_ndim(a) && by != 0);
    for (int j = 0; j < drx_ndim(a); j++)
        for (int64_t i = 0; i < drx_axial_count(a, j); i++)
            fuzz_require(drx_axial_record(a, j, i, &first, &start, coefficients) == DRX_OK);
    for (int i = 0; i < drx_attr_count(a); i++) {
        const char *name;
        drx_type type;
        int64_t n;
        int is_text;
        const void *values;

        fuzz_require(drx_attr_info(a, i, &name, &type, &n, &is_text) == DRX_OK);
        fuzz_require(drx_attr_get(a, name, &type, &n, &values) == DRX_OK && (n == 0 || values));
    }
    if (drx_chunk_count(a) > 0) {
        const drx_status st = drx_chunk_index(a, drx_chunk_count(a) - 1, index);

        fuzz_require(st == DRX_OK || st == DRX_ERANGE); /* it was trimmed */
        if (!st)
            fuzz_require(drx_chunk_address(a, index, &address) == DRX_OK && address == drx_chunk_count(a) - 1);
    }
}

/* The last corner, the first one, and the last one again. */
static void read_points(drx_array *a)
{
    const int ndim = drx_ndim(a);
    const size_t item = drx_type_size(drx_dtype(a));
    int64_t indices[3 * DRX_MAX_NDIM] = { 0 };
    uint8_t values[3 * DRX_MAX_STRING_BYTES], one[DRX_MAX_STRING_BYTES];

    for (int j = 0; j < ndim; j++) {
        indices[j] = indices[2 * ndim + j] = drx_lower(a)[j] + drx_shape(a)[j] - 1;
        indices[ndim + j] = drx_lower(a)[j];
    }
    if (drx_read_points(a, 3, indices, values) != DRX_OK)
        return;
    for (size_t i = 0; i < 3; i++)
        fuzz_require(drx_get(a, indices + i * (size_t)ndim, one) != DRX_OK ||
                     memcmp(one, values + i * item, item) == 0);
    fuzz_require(memcmp(values, values + 2 * item, item) == 0);
}

/* All of it, and a corner of it. */
static void read_elements(drx_array *a)
{
    const int64_t *lo = drx_lower(a);
    const int64_t n = elements(a);
    const size_t item = drx_type_size(drx_dtype(a));
    int64_t one[DRX_MAX_NDIM];
    uint8_t *buf = malloc((size_t)drxi_max(n, 1) * item);
    uint8_t first[DRX_MAX_STRING_BYTES];

    fuzz_require(buf);
    for (int j = 0; j < drx_ndim(a); j++)
        one[j] = drxi_min(1, drx_shape(a)[j]);
    if (n >= 0)
        (void)drx_read(a, lo, drx_shape(a), DRX_COL_MAJOR, buf);
    (void)drx_read(a, lo, one, DRX_ROW_MAJOR, buf);
    if (n != 0 && drx_get(a, lo, first) == DRX_OK)
        fuzz_require(memcmp(first, buf, item) == 0 || drx_read(a, lo, one, DRX_ROW_MAJOR, buf) != DRX_OK);
    free(buf);
    if (n != 0)
        read_points(a);
}

static bool look(void)
{
    drx_array *a;
    bool small;

    if (drx_open(path, DRX_RDONLY, &a))
        return true;
    inquire(a);
    small = drx_chunk_count(a) <= MOST_CHUNKS;
    if (small)
        read_elements(a);
    (void)drx_refresh(a);
    fuzz_require(drx_close(a) == DRX_OK);
    return small;
}

static void count_finding(void *user, drx_severity severity, const char *text)
{
    fuzz_require(text[0]);
    *(int *)user += severity == DRX_ERROR;
}

/* Errors that a check finds; 1 at least when it says that there are any. */
static int check(void)
{
    int errors = 0;
    const drx_status st = drx_check(path, count_finding, &errors, NULL, NULL);

    fuzz_require((st == DRX_OK) == (errors == 0) || st != DRX_EDAMAGED);
    return errors + (st != DRX_OK && errors == 0);
}

static void change(drx_array *a, uint64_t how)
{
    const int axis = (int)(how % (uint64_t)drx_ndim(a));
    const int64_t extent = drx_shape(a)[axis], by = 1 + (int64_t)(how % 3);
    int64_t index[DRX_MAX_NDIM];
    const uint8_t value[DRX_MAX_STRING_BYTES] = { 1, 2, 3 };
    uint8_t got[DRX_MAX_STRING_BYTES];
    drx_status st = how & 4 ? drx_extend_before(a, axis, by) : drx_extend(a, axis, by);

    memcpy(index, drx_lower(a), sizeof *index * (size_t)drx_ndim(a));
    if (st)
        fuzz_require(drx_shape(a)[axis] == extent);
    else if (!(how & 4))
        index[axis] += extent;
    if (elements(a) != 0 && drx_put(a, index, value) == DRX_OK) {
        fuzz_require(drx_get(a, index, got) == DRX_OK);
        fuzz_require(memcmp(got, value, drx_type_size(drx_dtype(a))) == 0);
        fuzz_require(drx_write_points(a, 1, index, value) != DRX_OK || drx_get(a, index, got) == DRX_OK);
        fuzz_require(memcmp(got, value, drx_type_size(drx_dtype(a))) == 0);
    }
    (void)drx_attr_set_text(a, "note", "written");
    (void)drx_dim_rename(a, axis, "name");
    (void)drx_sync(a);
}

/* After a recovery that succeeded nothing is damaged that was not before. */
static void write_to(uint64_t how)
{
    const int errors = check();
    drx_array *a;
    int64_t bound;
    int axis;

    if (drx_open(path, DRX_RDWR, &a))
        return;
    axis = (int)(how % (uint64_t)drx_ndim(a));
    read_elements(a);
    change(a, how);
    bound = drx_shape(a)[axis];
    if (drx_close(a))
        return;
    fuzz_require(check() <= errors);
    fuzz_require(drx_open(path, DRX_RDONLY, &a) == DRX_OK);
    fuzz_require(drx_shape(a)[axis] == bound);
    fuzz_require(drx_close(a) == DRX_OK);
}

/* It finds nothing to do a second time, and what it calls good can be opened for writing. */
static void repair(void)
{
    const int errors = check();
    drx_array *a;

    if (drx_repair(path, NULL, NULL, NULL, NULL))
        return;
    fuzz_require(check() == 0 && check() <= errors);
    fuzz_require(drx_repair(path, NULL, NULL, NULL, NULL) == DRX_OK);
    if (drx_open(path, DRX_RDWR, &a) == DRX_OK) {
        if (drx_chunk_count(a) <= MOST_CHUNKS)
            read_elements(a);
        fuzz_require(drx_close(a) == DRX_OK);
    }
}

static void rename_and_remove(void)
{
    if (drx_duplicate(path, "b", 0, NULL, NULL) == DRX_OK) {
        fuzz_require(access("b.xmd", F_OK) == 0);
        (void)drx_rename("b", "c", DRX_REPLACE);
        (void)drx_duplicate(path, "c", DRX_REPLACE, NULL, NULL);
        (void)drx_remove("c");
        fuzz_require(access("c.xmd", F_OK) != 0);
    }
    (void)drx_remove(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct fuzz_input in = { data, n };
    const uint64_t flags = fuzz_number(&in, 1);
    size_t nmeta = fuzz_number(&in, 2), nsums = fuzz_number(&in, 2);
    uint8_t *meta = fuzz_log(&in, &nmeta, flags & SEAL), *sums = fuzz_bytes(&in, &nsums);

    fuzz_limit_allocations(nmeta + n);
    if (!fuzz_is_slow(meta, nmeta)) {
        write_files(meta, nmeta, sums, nsums, in.at, in.left);
        if (look()) {
            (void)check();
            if (flags & REPAIR)
                repair();
            if (flags & WRITE)
                write_to(flags / HOW);
            if (flags & NAMES)
                rename_and_remove();
        }
        fuzz_clear_scratch();
    }
    free(meta);
    free(sums);
    return 0;
}
