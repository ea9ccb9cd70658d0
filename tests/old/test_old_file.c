/* Compares files of Disk Resident Arrays with a plain model, which walks through the blocks and writes each element
 * where it finds it. Shapes, blocks, numbers of files and boxes are random. Wrong F.info files and wrong data files
 * follow; fuzz_dra changes them at random. */
#include "testing.h"

#include <sys/stat.h>
#include <unistd.h>

#include "old_file.h"

enum { MOST_AXES = 6 };

static const struct {
    int code;
    drx_type type;
} types[] = {
    { 1001, DRX_INT32 },   { 1002, DRX_INT64 },     { 1003, DRX_FLOAT32 },
    { 1004, DRX_FLOAT64 }, { 1006, DRX_COMPLEX64 }, { 1007, DRX_COMPLEX128 },
};

/* All as Fortran has it, as in F.info. */
struct model {
    int type, ndim, files;
    size_t bytes; /* of an element */
    int64_t dims[MOST_AXES], chunk[MOST_AXES];
    FILE *out[8];
};

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void remove_files(void)
{
    assert_int_equal(system("rm -rf f f.*"), 0);
}

/* The bytes of element `at`, in the order of Fortran: which is that of C with the axes reversed. */
static void element_bytes(const struct model *m, int64_t at, unsigned char bytes[16])
{
    uint64_t seed = (uint64_t)at;

    for (size_t i = 0; i < m->bytes; i++)
        bytes[i] = (unsigned char)random_next(&seed);
}

/* Step from lo to end by this many indices; false at the end, where `index` is lo again. */
static bool step(int n, const int64_t lo[], const int64_t end[], const int64_t by[], bool last_fastest, int64_t index[])
{
    for (int k = 0; k < n; k++) {
        const int j = last_fastest ? n - 1 - k : k;

        if ((index[j] += by[j]) < end[j])
            return true;
        index[j] = lo[j];
    }
    return false;
}

/* The elements of a box, the first axis fastest. */
static void write_box(const struct model *m, const int64_t lo[], const int64_t end[], FILE *out)
{
    static const int64_t ones[MOST_AXES] = { 1, 1, 1, 1, 1, 1 };
    unsigned char bytes[16];
    int64_t index[MOST_AXES];

    memcpy(index, lo, sizeof index);
    do {
        int64_t at = 0;

        for (int j = m->ndim - 1; j >= 0; j--)
            at = at * m->dims[j] + index[j];
        element_bytes(m, at, bytes);
        assert_int_equal(fwrite(bytes, m->bytes, 1, out), 1);
    } while (step(m->ndim, lo, end, ones, false, index));
}

/* Of several files: blocks in turns, the first axis fastest. Of one: panels of the first axis, and in each the panels
 * of the next one; the last one is whole. */
static void write_blocks(const struct model *m)
{
    static const int64_t zeros[MOST_AXES];
    int64_t lo[MOST_AXES] = { 0 }, end[MOST_AXES], chunk[MOST_AXES];
    int file = 0;

    memcpy(chunk, m->chunk, sizeof chunk);
    if (m->files == 1)
        chunk[m->ndim - 1] = m->dims[m->ndim - 1];
    do {
        for (int j = 0; j < m->ndim; j++)
            end[j] = lo[j] + chunk[j] < m->dims[j] ? lo[j] + chunk[j] : m->dims[j];
        write_box(m, lo, end, m->out[file]);
        file = (file + 1) % m->files;
    } while (step(m->ndim, zeros, m->dims, chunk, m->files == 1, lo));
}

static void write_files(struct model *m)
{
    char name[16] = "f", text[256];
    int n = snprintf(text, sizeof text, "%d ", m->ndim);

    remove_files();
    m->bytes = drx_type_size(types[m->type].type);
    for (int j = 0; j < m->ndim; j++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%lld ", (long long)m->dims[j]);
    n += snprintf(text + n, sizeof text - (size_t)n, "%d 1 ", types[m->type].code);
    for (int j = 0; j < m->ndim; j++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%lld ", (long long)m->chunk[j]);
    (void)snprintf(text + n, sizeof text - (size_t)n, "%d %d \nsome name\n", m->files, m->files);
    write_text("f.info", text);
    for (int k = 0; k < m->files; k++) {
        if (m->files > 1)
            (void)snprintf(name, sizeof name, "f.%d", k);
        m->out[k] = fopen(name, "w");
        assert_non_null(m->out[k]);
    }
    write_blocks(m);
    for (int k = 0; k < m->files; k++)
        assert_int_equal(fclose(m->out[k]), 0);
}

static void make_random(struct model *m, uint64_t *random)
{
    static const int most[] = { 30000, 30, 12, 7, 5, 4 };

    m->type = (int)random_below(random, 6);
    m->ndim = 1 + (int)random_below(random, MOST_AXES);
    m->files = random_below(random, 2) ? 1 : 2 + (int)random_below(random, 7);
    for (int j = 0; j < m->ndim; j++) {
        m->dims[j] = 1 + random_below(random, most[m->ndim - 1]);
        m->chunk[j] = random_below(random, 4) ? 1 + random_below(random, m->dims[j]) : m->dims[j];
    }
    write_files(m);
}

/* Read a box into memory of these strides, and compare. */
static void check_strides(const struct model *m, const struct old_file *f, const int64_t lo[], const int64_t count[],
                          const int64_t stride[])
{
    int64_t n = 1, index[MOST_AXES] = { 0 };
    unsigned char *buf, expected[16];

    for (int j = 0; j < m->ndim; j++)
        n += (count[j] - 1) * stride[j];
    for (int j = 0; j < m->ndim; j++)
        n = count[j] ? n : 0;
    buf = malloc((size_t)n * m->bytes + 1); /* so large that the sanitizer sees what goes beyond */
    assert_non_null(buf);
    memset(buf, 0x5a, (size_t)n * m->bytes);
    assert_ok(old_file_read(f, lo, count, stride, buf));
    if (n > 0)
        do {
            int64_t at = 0, to = 0;

            for (int j = 0; j < m->ndim; j++) {
                at = at * f->shape[j] + lo[j] + index[j];
                to += index[j] * stride[j];
            }
            element_bytes(m, at, expected);
            assert_memory_equal(buf + (size_t)to * m->bytes, expected, m->bytes);
            memset(buf + (size_t)to * m->bytes, 0x5a, m->bytes);
        } while (next_index(m->ndim, count, index));
    for (size_t i = 0; i < (size_t)n * m->bytes; i++)
        assert_int_equal(buf[i], 0x5a); /* nothing between them was written */
    free(buf);
}

/* In C order, in that of Fortran, and with gaps in any order of axes. */
static void check_box(const struct model *m, const struct old_file *f, const int64_t lo[], const int64_t count[],
                      uint64_t *random)
{
    int64_t stride[DRX_MAX_NDIM], along = 1;
    int axes[MOST_AXES] = { 0 };

    old_file_strides(f, count, DRX_ROW_MAJOR, stride);
    check_strides(m, f, lo, count, stride);
    old_file_strides(f, count, DRX_COL_MAJOR, stride);
    check_strides(m, f, lo, count, stride);
    for (int j = 0; j < m->ndim; j++) {
        const int64_t k = random_below(random, j + 1);

        axes[j] = axes[k];
        axes[k] = j;
    }
    for (int j = 0; j < m->ndim; j++) {
        along += random_below(random, 2);
        stride[axes[j]] = along;
        along *= count[axes[j]] ? count[axes[j]] : 1;
    }
    check_strides(m, f, lo, count, stride);
}

TEST(test_random)
{
    uint64_t random = starting_seed(0);
    int64_t lo[MOST_AXES], count[MOST_AXES];
    struct old_file f;
    struct model m;

    for (int round = 0; round < 200; round++) {
        make_random(&m, &random);
        assert_true(old_file_is_there("f"));
        assert_ok(old_file_open(&f, "f"));
        assert_int_equal(f.ndim, m.ndim);
        assert_int_equal(f.type, types[m.type].type);
        assert_string_equal(f.name, "some name");
        for (int j = 0; j < m.ndim; j++)
            assert_int_equal(f.shape[j], m.dims[m.ndim - 1 - j]);
        for (int box = 0; box < 8; box++) {
            for (int j = 0; j < m.ndim; j++) {
                lo[j] = box ? random_below(&random, f.shape[j]) : 0;
                count[j] = box ? random_below(&random, f.shape[j] - lo[j]) + (box < 7) : f.shape[j];
            }
            check_box(&m, &f, lo, count, &random);
        }
        old_file_close(&f);
    }
    remove_files();
}

static void fails(drx_status expected, const char *says)
{
    struct old_file f;

    assert_status(old_file_open(&f, "f"), expected);
    assert_detail(says);
    old_file_close(&f);
}

TEST(test_info)
{
    static const struct {
        const char *text;
        drx_status st;
        const char *says;
    } cases[] = {
        { "", DRX_EFORMAT, "f.info:1: '' as the number of dimensions, expected a number from 1 to 32" },
        { "Hello, world\n", DRX_EFORMAT, "f.info:1: 'Hello,' as the number of dimensions" },
        { "0 1001 1 1 1 \nx\n", DRX_EFORMAT, "'0' as the number of dimensions" },
        { "33 1\n", DRX_EFORMAT, "'33' as the number of dimensions" },
        { "2 5 x 1001 1 5 5 1 1 \nx\n", DRX_EFORMAT, "'x' as the extent of dimension 2, expected a number from 1 on" },
        { "2 5 -5 1001 1 5 5 1 1 \nx\n", DRX_EFORMAT, "'-5' as the extent of dimension 2" },
        { "2 5 99999999999999999999 1001 1 5 5 1 1 \nx\n", DRX_EFORMAT, "'99999999999999999999' as the extent" },
        { "2 5 5.5 1001 1 5 5 1 1 \nx\n", DRX_EFORMAT, "'5.5' as the extent of dimension 2" },
        { "2 5 5 1005 1 5 5 1 1 \nx\n", DRX_EFORMAT, "'1005' as the type, expected 1001, 1002" },
        { "2 5 5\n\n z 1 5 5 1 1 \nx\n", DRX_EFORMAT, "f.info:3: 'z' as the type" },
        { "2 5 5 1001 0 5 5 1 1 \nx\n", DRX_EFORMAT, "'0' as the layout, expected 1 in" },
        { "2 5 5 1001 1 0 5 1 1 \nx\n", DRX_EFORMAT, "'0' as the extent of blocks in dimension 1" },
        { "2 5 5 1001 1 5 6 1 1 \nx\n", DRX_EFORMAT, "blocks in dimension 2, expected a number from 1 to 5" },
        { "2 5 5 1001 1 5 5 0 1 \nx\n", DRX_EFORMAT, "'0' as the number of files" },
        { "2 5 5 1001 1 5 5 2 3 \nx\n", DRX_EFORMAT, "'3' as the number of I/O processes, expected 2 in" },
        { "2 5 5 1001 1 5 5 1 0 \nx\n", DRX_EFORMAT, "'0' as the number of I/O processes" },
        { "2 5 5 1001 1 5 5 1", DRX_EFORMAT, "'' as the number of I/O processes" },
        { "2 5 5 1001 1 5 5 1 1", DRX_EFORMAT, "f.info:1: ends here, expected another line" },
        { "2 4294967296 4294967296 1001 1 5 5 1 1 \nx\n", DRX_EOVERFLOW, "does not fit 64 bits" },
        { "2 3037000500 3037000500 1001 1 5 5 1 1 \nx\n", DRX_EOVERFLOW, "does not fit 64 bits" },
        { "2 5 5 1001 1 5 5 1 1 \nx\n", DRX_EDAMAGED, "f: no such file, expected it beside f.info" },
        { "2 5 5 1001 1 5 5 3 3 \nx\n", DRX_EDAMAGED, "f.0: no such file, expected f.0 to f.2 by f.info" },
    };
    struct old_file f;

    remove_files();
    assert_false(old_file_is_there("f"));
    fails(DRX_ENOENT, "f.info: open: No such file");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text("f.info", cases[i].text);
        fails(cases[i].st, cases[i].says);
    }
    write_text("f.info", "1 2 1001 1 2 1 1 \n"); /* no name, of which nothing depends */
    write_text("f", "12345678 and what was there before");
    assert_ok(old_file_open(&f, "f"));
    assert_string_equal(f.name, "");
    old_file_close(&f);
    remove_files();
}

TEST(test_files)
{
    static const int64_t wrong[] = { 1, INT64_MAX, -1 };
    struct model m = { .type = 0, .ndim = 2, .files = 3, .dims = { 10, 10 }, .chunk = { 3, 4 } };
    int64_t lo[2] = { 0, 0 }, count[2] = { 10, 10 }, stride[2] = { 10, 1 };
    char buf[400];
    struct old_file f;

    write_files(&m);
    assert_ok(old_file_open(&f, "f"));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        lo[1] = wrong[i];
        assert_status(old_file_read(&f, lo, count, stride, buf), DRX_ERANGE);
        assert_detail("of axis 1, expected them within 10");
    }
    lo[1] = 0;
    assert_int_equal(truncate("f.2", 100), 0); /* meanwhile */
    assert_status(old_file_read(&f, lo, count, stride, buf), DRX_EDAMAGED);
    assert_detail("f.2: ends at byte ");
    old_file_close(&f);
    fails(DRX_EDAMAGED, "f.2: has 100 bytes, expected ");
    assert_int_equal(remove("f.1"), 0);
    fails(DRX_EDAMAGED, "f.1: no such file, expected f.0 to f.2 by f.info");
    assert_int_equal(mkdir("f.1", 0777), 0);
    fails(DRX_EDAMAGED, "f.1: is no regular file");
    assert_int_equal(rmdir("f.1"), 0);
    assert_int_equal(mkfifo("f.1", 0666), 0);
    fails(DRX_EDAMAGED, "f.1: is no regular file");
    remove_files();
}
