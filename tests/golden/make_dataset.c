/* make_dataset PATH - make the golden dataset of spec/golden: variables of each kind, and each kind of change.
 * DRX_CREATION_ID and SOURCE_DATE_EPOCH make its bytes the same each time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <drx_dataset.h>

enum { MOST = 64 };

static void did(drx_status st)
{
    if (st == DRX_OK)
        return;
    fprintf(stderr, "make_dataset: %s: %s\n", drx_strerror(st), drx_last_error());
    exit(1);
}

/* The digits of v as a string of `type`. */
static void store_digits(void *p, drx_type type, int v)
{
    char digits[16];
    const int n = snprintf(digits, sizeof digits, "%d", v);
    uint32_t *code = p;

    if (DRX_IS_BYTES(type))
        memcpy(p, digits, (size_t)n);
    for (int i = 0; DRX_IS_UNICODE(type) && i < n; i++)
        code[i] = 0x3b1 + (uint32_t)(digits[i] - '0'); /* Greek letters */
}

/* Write `count` elements from `at` on: first, first + 1, ... */
static void write_box(drx_array *a, const int64_t at[], const int64_t count[], int first)
{
    const drx_type type = drx_dtype(a);
    uint64_t buf[8 * MOST] = { 0 };
    int32_t v[MOST];
    int n = 1;

    for (int j = 0; j < drx_ndim(a); j++)
        n *= (int)count[j];
    for (int i = 0; i < n; i++) {
        v[i] = first + i;
        if (DRX_IS_STRING(type))
            store_digits((char *)buf + (size_t)i * drx_type_size(type), type, v[i]);
    }
    did(DRX_IS_STRING(type) ? drx_write(a, at, count, DRX_ROW_MAJOR, buf)
                            : drx_write_as(a, at, count, DRX_ROW_MAJOR, DRX_INT32, DRX_EXACT, v));
}

static void write_all(drx_array *a, int first)
{
    write_box(a, drx_lower(a), drx_shape(a), first);
}

static drx_array *array(drx_dataset *ds, const char *name)
{
    drx_array *a;

    did(drx_dataset_array(ds, name, &a));
    return a;
}

static const int64_t shape[] = { 1, 3 }, chunk[] = { 2, 2 };
static const char *const time_x[] = { "time", "x" }, *const x_x[] = { "x", "x" };
static const int16_t seven = 7;

static void add(drx_dataset *ds, const char *name, drx_spec spec, int first)
{
    drx_array *a;

    spec.chunk = chunk;
    did(drx_dataset_add(ds, name, &spec, &a));
    write_all(a, first);
}

static void add_variables(drx_dataset *ds)
{
    const double version[] = { 2, 0.5 };
    const int64_t square[] = { 3, 3 };

    did(drx_dataset_attr_set_text(ds, DRX_DATASET, NULL, "title", "golden \xe2\x82\xac"));
    did(drx_dataset_attr_set(ds, DRX_DATASET, NULL, "version", DRX_FLOAT64, 2, version));
    add(ds, "u", (drx_spec){ .ndim = 2, .type = DRX_INT16, .shape = shape, .dims = time_x, .fill = &seven }, 10);
    add(ds, "sums", (drx_spec){ .ndim = 1, .type = DRX_INT32, .shape = shape, .dims = time_x, .flags = DRX_CHECKSUM },
        20);
    add(ds, "packed",
        (drx_spec){ .ndim = 2,
                    .type = DRX_FLOAT64,
                    .shape = shape,
                    .dims = time_x,
                    .codec = DRX_ZSTD,
                    .level = 3,
                    .shuffle = DRX_SHUFFLE_BYTE },
        30);
    add(ds, "bytes", (drx_spec){ .ndim = 1, .type = DRX_BYTES(5), .shape = shape + 1, .dims = x_x }, 40);
    add(ds, "letters",
        (drx_spec){ .ndim = 2,
                    .type = DRX_UNICODE(3),
                    .shape = shape,
                    .dims = time_x,
                    .chunk_order = DRX_COL_MAJOR,
                    .align = 64 },
        50);
    add(ds, "scalar", (drx_spec){ .ndim = 1, .type = DRX_FLOAT32, .shape = shape, .flags = DRX_SHELL }, 60);
    add(ds, "square", (drx_spec){ .ndim = 2, .type = DRX_UINT8, .shape = square, .dims = x_x, .flags = DRX_SHELL }, 70);
    add(ds, "gone", (drx_spec){ .ndim = 1, .type = DRX_INT8, .shape = shape, .dims = time_x }, 80);
    add(ds, "again", (drx_spec){ .ndim = 1, .type = DRX_INT8, .shape = shape, .dims = time_x }, 81);
    did(drx_dataset_commit(ds, "variables"));
}

static void grow(drx_dataset *ds)
{
    did(drx_dataset_extend(ds, "time", 2));
    write_box(array(ds, "u"), (const int64_t[]){ 1, 0 }, (const int64_t[]){ 2, 3 }, 100);
    write_all(array(ds, "sums"), 110);
    did(drx_attr_set_text(array(ds, "u"), "units", "m"));
    did(drx_dataset_commit(ds, "two steps"));

    did(drx_dataset_extend_before(ds, "x", 2));
    write_box(array(ds, "u"), (const int64_t[]){ 0, -2 }, (const int64_t[]){ 3, 1 }, 120);
    write_all(array(ds, "packed"), 130);
    write_all(array(ds, "letters"), 140);
    write_all(array(ds, "square"), 160);
    did(drx_dataset_commit(ds, "the west"));

    did(drx_dataset_extend(ds, "x", 1)); /* and all this did not happen */
    add(ds, "aborted", (drx_spec){ .ndim = 1, .type = DRX_INT8, .shape = shape }, 1);
    write_box(array(ds, "u"), (const int64_t[]){ 0, 3 }, (const int64_t[]){ 3, 1 }, 200);
    did(drx_dataset_abort(ds));
}

static void replace(drx_dataset *ds)
{
    const int64_t three[] = { 3 };

    did(drx_dataset_extend(ds, "x", 1));
    did(drx_dataset_remove(ds, "gone"));
    did(drx_dataset_remove(ds, "again"));
    add(ds, "again", (drx_spec){ .ndim = 1, .type = DRX_INT16, .shape = three, .dims = time_x, .fill = &seven }, 90);
    did(drx_dataset_commit(ds, "wider"));

    did(drx_dataset_trim(ds, "time", 2, 0));
    did(drx_dataset_trim(ds, "x", 1, 2));
    did(drx_dataset_attr_delete(ds, DRX_DATASET, NULL, "version"));
    did(drx_dataset_commit(ds, "trimmed"));
}

static void add_axes(drx_dataset *ds)
{
    did(drx_dataset_add_axis(ds, "scalar", 0, "run"));
    did(drx_dataset_add_axis(ds, "u", 1, "run"));
    did(drx_dataset_commit(ds, "runs"));
    did(drx_dataset_extend(ds, "run", 1));
    did(drx_dataset_extend(ds, "time", 2));
    write_box(array(ds, "u"), (const int64_t[]){ 3, 1, 0 }, (const int64_t[]){ 2, 1, 1 }, 240);
    write_box(array(ds, "packed"), (const int64_t[]){ 3, -1 }, (const int64_t[]){ 2, 3 }, 250);
    write_box(array(ds, "sums"), (const int64_t[]){ 4 }, (const int64_t[]){ 1 }, 260);
    did(drx_dataset_commit(ds, NULL));
}

int main(int argc, char **argv)
{
    drx_dataset *ds;

    if (argc != 2)
        return 2;
    did(drx_dataset_create(argv[1], &ds));
    add_variables(ds);
    grow(ds);
    replace(ds);
    did(drx_dataset_close(ds));
    did(drx_dataset_open(argv[1], DRX_RDWR, DRX_LAST, &ds));
    add_axes(ds);
    did(drx_dataset_close(ds));
    return 0;
}
