/* make_vectors FOLDER - make the golden arrays of spec/vectors there; it has folders
 * disk0, disk1 and disk2.
 *
 * Beside each array NAME goes NAME.json, which says what was done to make it.
 * It is written from the arguments of the calls, never from what the library
 * answers. spec/vectors/README.md tells how to read it. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <drx.h>

#define I64(...) ((const int64_t[]){ __VA_ARGS__ })

static struct {
    drx_array *a;
    FILE *json;
    drx_type type;
    int ndim;
    bool any; /* there is an action already */
    int64_t shape[DRX_MAX_NDIM];
} now;

static void check(drx_status st)
{
    if (st) {
        fprintf(stderr, "make_vectors: %s: %s\n", drx_strerror(st), drx_last_error());
        exit(1);
    }
}

/* ---- JSON ------------------------------------------------------------------- */

static void list(const int64_t values[], int n)
{
    fputc('[', now.json);
    for (int j = 0; j < n; j++)
        fprintf(now.json, "%s%" PRId64, j ? ", " : "", values[j]);
    fputc(']', now.json);
}

/* Bytes as they are stored: this machine is little-endian. */
static void hex(const void *p, size_t n)
{
    const unsigned char *byte = p;

    fputc('"', now.json);
    for (size_t i = 0; i < n; i++)
        fprintf(now.json, "%02x", byte[i]);
    fputc('"', now.json);
}

static void action(const char *verb)
{
    fprintf(now.json, "%s\n    [\"%s\"", now.any ? "," : "", verb);
    now.any = true;
}

static void word(const char *text)
{
    if (text)
        fprintf(now.json, ", \"%s\"", text);
    else
        fputs(", null", now.json);
}

static void number(int64_t n)
{
    fprintf(now.json, ", %" PRId64, n);
}

static void end_action(void)
{
    fputc(']', now.json);
}

/* ---- elements ------------------------------------------------------------------ */

/* The element that stands for v: v itself in integers, modulo their range; v/8 in
 * floating point; v/8 - vi in complex numbers. */
static void store(void *p, drx_type type, int64_t v)
{
    const size_t bytes = drx_type_size(type);
    const double part[] = { (double)v / 8, (double)-v };
    const float small[] = { (float)part[0], (float)part[1] };

    if (type == DRX_FLOAT32 || type == DRX_COMPLEX64)
        memcpy(p, small, bytes);
    else if (type == DRX_FLOAT64 || type == DRX_COMPLEX128)
        memcpy(p, part, bytes);
    else
        memcpy(p, &v, bytes);
}

/* A box of elements that stand for first, first + 1, ... */
static void *elements(const int64_t count[], int64_t first)
{
    const size_t bytes = drx_type_size(now.type);
    int64_t n = 1;
    unsigned char *buf;

    for (int j = 0; j < now.ndim; j++)
        n *= count[j];
    buf = calloc((size_t)n + 1, bytes);
    if (!buf)
        check(DRX_ENOMEM);
    for (int64_t i = 0; i < n; i++)
        store(buf + (size_t)i * bytes, now.type, first + i);
    return buf;
}

/* ---- actions ------------------------------------------------------------------- */

/* Make array `name`; begin its JSON. */
static void begin(const char *name, const char *what, int ndim, drx_type type, const int64_t shape[],
                  const int64_t chunk[], drx_spec spec)
{
    const unsigned char zero[16] = { 0 };
    char file[64];

    spec.ndim = ndim;
    spec.type = type;
    spec.shape = shape;
    spec.chunk = chunk;
    check(drx_create(name, &spec, &now.a));
    now.ndim = ndim;
    now.type = type;
    now.any = false;
    memcpy(now.shape, shape, (size_t)ndim * sizeof *shape);

    snprintf(file, sizeof file, "%s.json", name);
    now.json = fopen(file, "w");
    if (!now.json)
        check(DRX_EIO);
    fprintf(now.json, "{\n  \"what\": \"%s\",\n  \"dtype\": \"%s\",\n  \"initial_shape\": ", what, drx_type_name(type));
    list(shape, ndim);
    fputs(",\n  \"chunk\": ", now.json);
    list(chunk, ndim);
    fprintf(now.json, ",\n  \"order\": \"%c\",\n  \"shell\": %s,\n  \"align\": %" PRId64 ",\n  \"fill\": ",
            spec.chunk_order == DRX_COL_MAJOR ? 'F' : 'C', spec.flags & DRX_SHELL ? "true" : "false",
            spec.align ? spec.align : 1);
    hex(spec.fill ? spec.fill : zero, drx_type_size(type));
    fputs(",\n  \"done\": [", now.json);
    if (spec.nstripes > 0) {
        action("stripes");
        for (int k = 0; k < spec.nstripes; k++)
            word(spec.stripes[k]);
        end_action();
    }
    for (int j = 0; spec.dims && j < ndim; j++)
        if (spec.dims[j]) {
            action("name");
            number(j);
            word(spec.dims[j]);
            end_action();
        }
}

static void extend(int axis, int64_t by)
{
    check(drx_extend(now.a, axis, by));
    now.shape[axis] += by;
    action("extend");
    number(axis);
    number(by);
    end_action();
}

static void put(const int64_t at[], const int64_t count[], int64_t first)
{
    void *buf = elements(count, first);

    check(drx_write(now.a, at, count, DRX_ROW_MAJOR, buf));
    free(buf);
    action("write");
    fputs(", ", now.json);
    list(at, now.ndim);
    fputs(", ", now.json);
    list(count, now.ndim);
    number(first);
    end_action();
}

static void put_all(int64_t first)
{
    const int64_t zero[DRX_MAX_NDIM] = { 0 };

    put(zero, now.shape, first);
}

static void append(int axis, int64_t by, int64_t first)
{
    int64_t count[DRX_MAX_NDIM];
    void *buf;

    memcpy(count, now.shape, sizeof count);
    count[axis] = by;
    buf = elements(count, first);
    check(drx_append(now.a, axis, by, DRX_ROW_MAJOR, buf));
    free(buf);
    now.shape[axis] += by;
    action("append");
    number(axis);
    number(by);
    number(first);
    end_action();
}

static void attribute(const char *name, drx_type type, int64_t n, const void *values)
{
    check(drx_attr_set(now.a, name, type, n, values));
    action("attribute");
    word(name);
    word(drx_type_name(type));
    fputs(", ", now.json);
    hex(values, (size_t)n * drx_type_size(type));
    end_action();
}

static void text(const char *name, const char *utf8)
{
    check(drx_attr_set_text(now.a, name, utf8));
    action("text");
    word(name);
    word(utf8);
    end_action();
}

static void drop(const char *name)
{
    check(drx_attr_delete(now.a, name));
    action("delete");
    word(name);
    end_action();
}

static void name_axis(int axis, const char *name)
{
    check(drx_dim_rename(now.a, axis, name));
    action("name");
    number(axis);
    word(name);
    end_action();
}

static void sync_array(void)
{
    check(drx_sync(now.a));
    action("sync");
    end_action();
}

/* `more`: further members, each with a comma before it. */
static void end(const char *more)
{
    check(drx_close(now.a));
    fputs("\n  ],\n  \"shape\": ", now.json);
    list(now.shape, now.ndim);
    fprintf(now.json, "%s\n}\n", more);
    if (fclose(now.json))
        check(DRX_EIO);
}

/* ---- the arrays ---------------------------------------------------------------- */

static void examples(void)
{
    begin("example_2d", "worked example of the format, two dimensions", 2, DRX_INT32, I64(1, 1), I64(1, 1),
          (drx_spec){ 0 });
    for (const char *axis = "1001010"; *axis; axis++)
        extend(*axis - '0', 1);
    put_all(0);
    end(",\n  \"addresses\": [0, 1, 6, 12, 2, 3, 7, 13, 4, 5, 8, 14, 9, 10, 11, 15, 16, 17, 18, 19]");

    begin("example_3d", "worked example of the format, three dimensions", 3, DRX_UINT8, I64(4, 3, 1), I64(1, 1, 1),
          (drx_spec){ 0 });
    extend(2, 1);
    extend(2, 1);
    extend(1, 1);
    extend(0, 2);
    extend(2, 1);
    put_all(0);
    end(",\n  \"some_addresses\": [[[2, 1, 0], 7], [[3, 1, 2], 34], [[4, 2, 2], 56]],\n"
        "  \"axial_vectors\": [\n"
        "    [[0, 0, [3, 1, 1]], [4, 48, [12, 3, 1]]],\n"
        "    [[0, -1, [0, 0, 0]], [3, 36, [3, 12, 1]]],\n"
        "    [[0, -1, [0, 0, 0]], [1, 12, [3, 1, 12]], [3, 72, [4, 1, 24]]]\n"
        "  ]");
}

static void types(void)
{
    for (drx_type type = DRX_INT8; type <= DRX_COMPLEX128; type++) {
        const int64_t first = type <= DRX_UINT64 ? INT64_C(0x0123456789abcdef) : 12345;
        unsigned char values[3 * 16];
        char name[32];

        snprintf(name, sizeof name, "type_%s", drx_type_name(type));
        begin(name, "one element type", 2, type, I64(3, 4), I64(2, 3), (drx_spec){ 0 });
        put_all(first);
        extend(1, 3);
        append(0, 2, first + 50);
        put(I64(1, 3), I64(3, 2), -3);
        for (int i = 0; i < 3; i++)
            store(values + (size_t)i * drx_type_size(type), type, first - i);
        attribute("values", type, 3, values);
        attribute("no values", type, 0, values);
        if (type % 2)
            sync_array();
        end("");
    }
}

static void orders(void)
{
    for (drx_order order = DRX_ROW_MAJOR; order <= DRX_COL_MAJOR; order++) {
        begin(order == DRX_ROW_MAJOR ? "row_major" : "column_major", "order of the elements inside a chunk", 3,
              DRX_UINT16, I64(3, 4, 3), I64(2, 3, 2), (drx_spec){ .chunk_order = order });
        put_all(1000);
        extend(0, 2);
        extend(2, 1);
        append(1, 3, 2000);
        put(I64(3, 0, 1), I64(2, 5, 3), 3000);
        sync_array();
        end("");
    }

    begin("shell_2d", "initial chunks in shell order; growth after it", 2, DRX_INT16, I64(7, 5), I64(2, 1),
          (drx_spec){ .flags = DRX_SHELL });
    put_all(1);
    extend(0, 3); /* the first one lies in chunks that are there */
    extend(1, 2);
    put(I64(6, 4), I64(4, 3), 100);
    end("");

    begin("shell_3d", "initial chunks in shell order; growth after it", 3, DRX_INT16, I64(3, 4, 2), I64(1, 1, 1),
          (drx_spec){ .flags = DRX_SHELL });
    put_all(1);
    extend(2, 1);
    append(0, 1, 100);
    end("");

    begin("shell_zero", "shell order has no effect with an initial bound of 0", 2, DRX_INT16, I64(3, 0), I64(1, 1),
          (drx_spec){ .flags = DRX_SHELL });
    append(1, 2, 1);
    append(0, 1, 100);
    end("");
}

static void bounds(void)
{
    begin("zero_one", "initial bound 0 on one axis, grown by appending", 2, DRX_FLOAT32, I64(0, 3), I64(2, 2),
          (drx_spec){ .dims = (const char *const[]){ "time", NULL } });
    append(0, 1, 1);
    append(0, 3, 10);
    sync_array();
    append(0, 1, 100);
    end("");

    begin("zero_all", "initial bounds 0 on all axes", 3, DRX_INT32, I64(0, 0, 0), I64(1, 2, 1), (drx_spec){ 0 });
    extend(1, 2);
    extend(0, 3);
    extend(1, 1);
    extend(0, 1);
    extend(2, 2);
    put_all(1);
    extend(0, 1);
    append(1, 2, 100);
    end("");

    begin("zero_empty", "no element at all", 2, DRX_FLOAT64, I64(0, 4), I64(2, 2), (drx_spec){ 0 });
    extend(1, 3);
    text("title", "empty");
    sync_array();
    end("");

    begin("one_d", "one dimension", 1, DRX_INT32, I64(5), I64(3), (drx_spec){ 0 });
    put_all(1);
    extend(0, 3);
    append(0, 4, 100);
    sync_array();
    end("");

    begin("five_d", "five dimensions", 5, DRX_INT16, I64(2, 1, 3, 2, 1), I64(1, 2, 2, 1, 3),
          (drx_spec){ .chunk_order = DRX_COL_MAJOR });
    put_all(1);
    extend(3, 1);
    extend(4, 3);
    extend(1, 1);
    append(0, 1, 1000);
    extend(2, 1);
    put(I64(1, 0, 1, 1, 1), I64(2, 2, 3, 2, 3), 2000);
    end("");
}

static void many_dimensions(void)
{
    int64_t shape[DRX_MAX_NDIM];
    int64_t chunk[DRX_MAX_NDIM];

    for (int j = 0; j < DRX_MAX_NDIM; j++)
        shape[j] = chunk[j] = 1;
    shape[3] = 2;
    shape[30] = 3;
    chunk[30] = 2;
    begin("many_d", "32 dimensions", DRX_MAX_NDIM, DRX_UINT8, shape, chunk, (drx_spec){ 0 });
    put_all(1);
    extend(17, 1);
    extend(31, 2);
    append(0, 1, 100);
    name_axis(31, "last");
    end("");
}

static void fills(void)
{
    const int32_t minus_seven = -7;
    const uint64_t signalling = UINT64_C(0x7ff4000000001234);
    const float minus_zero = -0.0F;
    const double pair[] = { 1.5, -0.0 };

    begin("fill_int32", "a fill that is not zero, growth that uncovers it", 2, DRX_INT32, I64(3, 3), I64(2, 2),
          (drx_spec){ .fill = &minus_seven });
    put(I64(0, 0), I64(2, 2), 1);
    extend(0, 1);
    extend(1, 4);
    append(0, 1, 100);
    extend(1, 1);
    end("");

    begin("fill_nan", "the fill is a signalling NaN with a payload", 2, DRX_FLOAT64, I64(2, 3), I64(2, 2),
          (drx_spec){ .fill = &signalling });
    put(I64(0, 1), I64(1, 2), 1);
    append(0, 1, 100);
    extend(1, 2);
    end("");

    begin("fill_minus_zero", "the fill is -0.0, which is not all zero bytes", 1, DRX_FLOAT32, I64(3), I64(4),
          (drx_spec){ .fill = &minus_zero });
    extend(0, 4);
    put(I64(2), I64(2), 0);
    end("");

    begin("fill_complex", "a complex fill", 2, DRX_COMPLEX128, I64(1, 2), I64(2, 3), (drx_spec){ .fill = pair });
    extend(0, 2);
    put(I64(1, 0), I64(2, 1), 1);
    sync_array();
    end("");

    begin("align_512", "chunks padded with zeros to 512 bytes", 2, DRX_INT32, I64(3, 4), I64(2, 3),
          (drx_spec){ .align = 512, .fill = &minus_seven });
    put_all(1);
    extend(1, 3);
    append(0, 3, 100);
    sync_array();
    end("");
}

static void growth(void)
{
    begin("inside", "growth inside a chunk adds none", 2, DRX_INT16, I64(1, 1), I64(4, 4), (drx_spec){ 0 });
    put_all(1);
    extend(0, 1);
    extend(1, 2);
    append(0, 1, 10);
    extend(1, 1);
    put(I64(0, 3), I64(3, 1), 20);
    end("");

    begin("merged", "uninterrupted growth makes no new expansion record, whatever stands between", 2, DRX_INT16,
          I64(2, 2), I64(2, 1), (drx_spec){ 0 });
    extend(0, 2); /* of axis 0, as the initial allocation */
    extend(1, 1);
    text("between", "two growths");
    extend(1, 2);
    sync_array();
    append(1, 1, 1);
    extend(0, 1); /* a record */
    extend(1, 1); /* a record */
    extend(0, 1); /* within the last chunks: no interruption */
    extend(1, 1);
    put_all(100);
    end("");
}

static void names(void)
{
    const double pi = 3.141592653589793;
    const int16_t numbers[] = { 1, -2, 3 };

    begin("attributes", "attributes set, replaced and deleted; names of axes", 3, DRX_INT8, I64(1, 1, 1), I64(1, 1, 1),
          (drx_spec){ .dims = (const char *const[]){ "longitude", NULL, "H\u00f6he" } });
    text("title", "sea surface temperature");
    text("empty", "");
    attribute("pi", DRX_FLOAT64, 1, &pi);
    attribute("numbers", DRX_INT16, 3, numbers);
    text("gone", "soon");
    text("\u540d\u524d", "Gr\u00f6\u00dfe \U0001F30A");
    text("back", "first");
    drop("gone");
    drop("back");
    text("title", "a new title, in the place of the old one");
    attribute("empty", DRX_INT16, 1, numbers); /* another type */
    text("pi", "3.14");
    text("back", "at the end");
    name_axis(0, "lon");
    name_axis(1, "lat");
    name_axis(2, NULL);
    end("");
}

/* What make_damaged.py damages: growth, of which a part was never synced. */
static void log_to_damage(void)
{
    const int16_t fill = -1;

    begin("log", "a log with syncs in its first half; the damaged arrays are made from it", 2, DRX_INT16, I64(4, 3),
          I64(2, 2), (drx_spec){ .fill = &fill });
    put_all(1);
    name_axis(0, "y");
    sync_array();
    extend(0, 2);
    text("a", "first");
    put(I64(4, 0), I64(2, 3), 100);
    extend(1, 1);
    sync_array();
    put(I64(0, 3), I64(6, 1), 200);
    extend(0, 3);
    text("b", "second");
    put(I64(6, 0), I64(3, 4), 300);
    append(1, 2, 400);
    append(0, 2, 500);
    end("");
}

static void stripes(void)
{
    const char *const disks[] = { "disk0", "disk1", "disk2" };
    const int16_t fill = -1;

    begin("striped", "chunks in three folders in turn", 2, DRX_INT16, I64(4, 3), I64(2, 2),
          (drx_spec){ .fill = &fill, .align = 16, .nstripes = 3, .stripes = disks });
    put_all(1);
    extend(0, 2);
    append(1, 2, 100);
    sync_array();
    extend(0, 3);
    put(I64(6, 0), I64(3, 4), 300);
    end("");

    begin("striped_one", "all chunks in another folder", 1, DRX_FLOAT64, I64(3), I64(2),
          (drx_spec){ .dims = (const char *const[]){ "x" }, .nstripes = 1, .stripes = disks + 2 });
    put_all(1);
    append(0, 2, 10);
    sync_array();
    end("");

    begin("striped_empty", "more folders than chunks", 2, DRX_UINT8, I64(0, 4), I64(2, 2),
          (drx_spec){ .nstripes = 3, .stripes = disks });
    append(0, 1, 10);
    end("");
}

/* Synced at the end: what is not names the start of the machine. */
static void checksums(void)
{
    const char *const disks[] = { "disk0", "disk1", "disk2" };
    const float fill = 2.5F;

    begin("checksums", "chunks with checksums, padded, also of parts that were written later", 2, DRX_INT32, I64(5, 7),
          I64(2, 3), (drx_spec){ .align = 32, .flags = DRX_CHECKSUM });
    put_all(1);
    sync_array();
    put(I64(1, 2), I64(2, 3), 500);
    extend(1, 4); /* chunks that are never written */
    append(0, 2, 100);
    sync_array();
    end("");

    begin("checksums_striped", "checksums of chunks in three folders, with a fill", 2, DRX_FLOAT32, I64(3, 3),
          I64(2, 2), (drx_spec){ .fill = &fill, .nstripes = 3, .stripes = disks, .flags = DRX_CHECKSUM });
    put(I64(0, 1), I64(2, 2), 1);
    append(1, 2, 10);
    sync_array();
    end("");
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: make_vectors FOLDER\n", stderr);
        return 2;
    }
    if (chdir(argv[1]) || setenv("DRX_CREATION_ID", "0123456789abcdeffedcba9876543210", 1)) {
        perror(argv[1]);
        return 1;
    }
    examples();
    types();
    orders();
    bounds();
    many_dimensions();
    fills();
    growth();
    names();
    log_to_damage();
    stripes();
    checksums();
    return 0;
}
