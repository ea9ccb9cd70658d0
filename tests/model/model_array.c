/* Which array a history has, its beginning and its end. */
#include "defined.h"
#include "drx_dataset.h"
#include "file_faults.h"
#include "io/io.h"
#include "model.h"

static const int64_t size_classes[] = { 12, 150, 150, 1500, 1500, 6000, 20000 };

static void choose_storage(struct model *m)
{
    static const char *const names[] = { "a", "with spaces ", "gr\xc3\xb6\xc3\x9f\x65", "x.xta", "dotted.name." };
    int64_t dice = rng_between(&m->rng, 0, 99);

    m->storage = dice < 62 ? ON_DISK : dice < 94 ? IN_MEMORY : TEMPORARY;
    snprintf(m->path, sizeof m->path, "%s/%s%" PRId64, m->run->folder, names[rng_between(&m->rng, 0, 4)], m->history);
    snprintf(m->other, sizeof m->other, "%s/copy of %" PRId64, m->run->folder, m->history);
    m->remote = rng_chance(&m->rng, 15);
    m->faulty = m->storage == ON_DISK && !m->remote && rng_chance(&m->rng, 25);
    if (m->hands == &alone && m->storage == ON_DISK && rng_chance(&m->rng, 15)) {
        m->hands = &lent;
        m->remote = m->faulty = false;
        m->compacted = true; /* the list of growths is that of the files */
        snprintf(m->path + strlen(m->path), sizeof m->path - strlen(m->path), "/v");
    }
    m->others = m->hands == &alone && m->storage == ON_DISK && rng_chance(&m->rng, 40);
}

/* A type of strings; most have sizes that are no powers of two. */
static drx_type choose_strings(struct model *m)
{
    static const int sizes[] = { 1, 3, 5, 7, 12, 13, 16, 24, 33, 300 };
    static const int lengths[] = { 1, 2, 3, 5, 6, 64 };

    if (rng_chance(&m->rng, 30))
        return DRX_UNICODE(lengths[rng_between(&m->rng, 0, 5)]);
    return DRX_BYTES(sizes[rng_between(&m->rng, 0, 9)]);
}

/* One whose bytes lie in the file as in memory, on a machine of any order. */
static drx_type choose_defined(struct model *m)
{
    const int64_t dice = rng_between(&m->rng, 0, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 4 : 1);

    return dice == 0   ? sky_type()
           : dice == 1 ? raw_type()
           : dice == 2 ? flags_type()
           : dice == 3 ? place_type()
                       : sample_type("sample");
}

static void choose_type(struct model *m)
{
    m->type = rng_chance(&m->rng, 25)   ? choose_strings(m)
              : rng_chance(&m->rng, 20) ? choose_defined(m)
                                        : (drx_type)rng_between(&m->rng, DRX_INT8, DRX_BOOL);
    m->elem_bytes = drx_type_size(m->type);
    m->word_bytes = m->type == DRX_COMPLEX64 || m->type == DRX_COMPLEX128 ? m->elem_bytes / 2
                    : DRX_IS_BYTES(m->type)                               ? 1
                    : DRX_IS_UNICODE(m->type)                             ? 4
                                                                          : m->elem_bytes;
}

/* As many bytes, or code points of one to three bytes of UTF-8, as a description has room for. */
static void fill_with_string(struct model *m)
{
    const int64_t most = (int64_t)(m->elem_bytes / m->word_bytes), room = m->word_bytes == 4 ? 4 : 12;

    for (int64_t i = rng_between(&m->rng, 0, most < room ? most : room) - 1; i >= 0; i--) {
        const uint32_t code = (uint32_t)rng_between(&m->rng, 1, m->word_bytes == 4 ? 0xd7ff : 0xff);
        const unsigned char byte = (unsigned char)code;

        memcpy(m->fill + (size_t)i * m->word_bytes, m->word_bytes == 4 ? (const void *)&code : &byte, m->word_bytes);
    }
}

static void put_word(struct model *m, uint64_t bits)
{
    for (size_t at = 0; at < m->elem_bytes; at += m->word_bytes) {
        uint32_t half = (uint32_t)bits;

        if (m->word_bytes == 8)
            memcpy(m->fill + at, &bits, 8);
        else
            memcpy(m->fill + at, &half, 4);
    }
}

/* The fill, and whether the spec names it. */
static const void *choose_fill(struct model *m)
{
    bool is_double = m->word_bytes == 8;
    int64_t dice = rng_between(&m->rng, 0, 99);

    memset(m->fill, 0, sizeof m->fill);
    if (dice < 40)
        return NULL;
    if (dice < 50)
        return m->fill;
    if (DRX_IS_STRING(m->type))
        fill_with_string(m);
    else if (dice < 75 || m->type < DRX_FLOAT32 || m->type > DRX_COMPLEX128)
        rng_fill(&m->rng, m->fill, m->elem_bytes);
    else if (dice < 85) /* -0.0 */
        put_word(m, is_double ? UINT64_C(0x8000000000000000) : UINT64_C(0x80000000));
    else if (dice < 93) /* a quiet NaN with payload */
        put_word(m, is_double ? UINT64_C(0x7ff8dead0000beef) : UINT64_C(0x7fc0beef));
    else /* a signalling one */
        put_word(m, is_double ? UINT64_C(0xfff0000000012345) : UINT64_C(0xff812345));
    return m->fill;
}

static void choose_shape(struct model *m)
{
    int64_t dice = rng_between(&m->rng, 0, 99);
    int64_t room, most;

    m->ndim = (int)(dice < 92 ? rng_between(&m->rng, 1, 5) : rng_between(&m->rng, 6, DRX_MAX_NDIM));
    m->most_elements = size_classes[rng_between(&m->rng, 0, 6)];
    m->most_bytes = INT64_C(1) << 21;
    room = m->most_elements / 2;
    most = m->ndim == 1 ? 40 : m->ndim <= 3 ? 12 : m->ndim <= 5 ? 5 : 2;
    for (int j = 0; j < m->ndim; j++) {
        m->initial[j] = rng_between(&m->rng, 1, most < room ? most : room);
        room /= m->initial[j];
        room += !room;
    }
    while (rng_chance(&m->rng, 20))
        m->initial[rng_between(&m->rng, 0, m->ndim - 1)] = 0;
}

/* Chunks of up to some MiB: larger than what the library moves at once. */
static void choose_large_shape(struct model *m)
{
    int64_t cells = INT64_C(1) << rng_between(&m->rng, 14, 18);

    m->ndim = (int)rng_between(&m->rng, 1, 3);
    m->most_elements = 400000;
    m->most_bytes = INT64_C(1) << 24;
    for (int j = 0; j < m->ndim; j++) {
        int64_t most = j == m->ndim - 1 ? cells : rng_between(&m->rng, 1, 700);

        m->chunk[j] = rng_between(&m->rng, most / 2 + 1, most);
        m->chunk[j] = m->chunk[j] < cells ? m->chunk[j] : cells;
        cells /= m->chunk[j];
        m->initial[j] = rng_between(&m->rng, 1, m->chunk[j]);
    }
}

/* Where the indices begin: mostly at 0. Not so far away that offsets of bytes overflow 64 bits once the array has
 * grown: such a growth is refused. */
static const int64_t *choose_origin(struct model *m)
{
    const int64_t far = (INT64_C(1) << (m->large ? 32 : 40)) / (int64_t)(1 + m->elem_bytes / 16) / (1 + m->align / 64);
    const int64_t most = rng_chance(&m->rng, 80) ? 20 : far;

    if (!rng_chance(&m->rng, 25))
        return NULL;
    for (int j = 0; j < m->ndim; j++)
        m->origin[j] = rng_between(&m->rng, -most, most);
    return m->origin;
}

/* Whether some index begins beyond 2^32. A default chunk, up to 1 MiB, has offsets beyond 64 bits there. */
static bool is_far(const struct model *m)
{
    bool far = false;

    for (int j = 0; j < m->ndim; j++)
        far = far || llabs(m->origin[j]) > INT64_C(1) << 32;
    return far;
}

static const int64_t *choose_chunk(struct model *m)
{
    int64_t cells = m->ndim <= 5 ? 256 : 16;

    if (m->large)
        return m->chunk;
    if (m->ndim <= 5 && !is_far(m) && rng_chance(&m->rng, 3))
        return NULL;
    for (int j = 0; j < m->ndim; j++) {
        m->chunk[j] = rng_between(&m->rng, 1, cells < 5 ? cells : 5);
        cells /= m->chunk[j];
    }
    return m->chunk;
}

static const char *const *choose_dims(struct model *m)
{
    static char text[DRX_MAX_NDIM][24];
    static const char *dims[DRX_MAX_NDIM];

    if (m->hands != &lent && rng_chance(&m->rng, 40))
        return NULL;
    for (int j = 0; j < m->ndim; j++) {
        snprintf(text[j], sizeof text[j], rng_chance(&m->rng, 50) ? "axis %d" : "\xcf\x87_%d", j);
        dims[j] = m->hands == &lent || rng_chance(&m->rng, 80) ? text[j] : NULL;
        names_rename_dim(&m->names, j, dims[j]);
    }
    return dims;
}

static int64_t choose_align(struct model *m)
{
    int64_t align = rng_chance(&m->rng, 25) ? INT64_C(1) << rng_between(&m->rng, 0, 12) : 1;

    while (align > 1 && align * count_elements(m, m->initial) > 1 << 20)
        align /= 2;
    return align;
}

static void choose_spec(struct model *m, drx_spec *spec)
{
    static const drx_codec codecs[] = { ALL_CODECS };
    const uint64_t n = sizeof codecs / sizeof *codecs;
    static const char *const folders[MOST_STRIPES] = { ".", "./", ".", "././" };

    memset(spec, 0, sizeof *spec);
    m->large = m->history % (m->run->ranks > 1 ? 16 : 100) == 7;
    if (m->large)
        choose_large_shape(m);
    else
        choose_shape(m);
    choose_type(m);
    names_init(&m->names, m->ndim);
    m->align = choose_align(m);
    m->flags = rng_chance(&m->rng, 25) ? DRX_SHELL : 0;
    m->chunk_order = choose_order(m);
    spec->ndim = m->ndim;
    spec->type = m->type;
    spec->shape = m->initial;
    spec->lower = choose_origin(m);
    spec->chunk = choose_chunk(m);
    spec->fill = choose_fill(m);
    spec->dims = choose_dims(m);
    spec->chunk_order = m->chunk_order;
    spec->flags = m->flags | (m->storage == TEMPORARY ? DRX_TEMPORARY : 0);
    spec->nstripes = m->stripes = m->storage != IN_MEMORY && m->hands != &lent && rng_chance(&m->rng, 30)
                                      ? (int)rng_between(&m->rng, 1, MOST_STRIPES)
                                      : 0;
    spec->stripes = m->stripes ? folders : NULL;
    if (m->storage != IN_MEMORY && rng_chance(&m->rng, 40)) {
        m->flags |= DRX_CHECKSUM;
        spec->flags |= DRX_CHECKSUM;
    }
    if (m->stripes == 0 && (m->hands == &alone || m->storage != IN_MEMORY) && !(m->flags & DRX_CHECKSUM) &&
        m->history % 2 == 1) {
        m->codec = spec->codec = codecs[m->history / 2 % n];
        spec->level = (int)(m->history / 2 / n % 10);
        spec->shuffle = (drx_shuffle)(m->history % 4);
    }
    spec->align = m->align == 1 && rng_chance(&m->rng, 50) ? 0 : m->align;
}

static void describe(struct model *m, const drx_spec *spec)
{
    static const char *const storage[] = { "on disk", "in memory", "temporary" };
    size_t used = (size_t)snprintf(
        m->about, sizeof m->about, "%s %s from %s shape %s chunk %s %s align %" PRId64 "%s%s codec %d stripes %d fill ",
        storage[m->storage], drx_type_name(m->type), numbers(m->ndim, m->origin), numbers(m->ndim, m->initial),
        spec->chunk ? numbers(m->ndim, spec->chunk) : "NULL", m->chunk_order == DRX_COL_MAJOR ? "col" : "row",
        spec->align, m->flags & DRX_SHELL ? " shell" : "", m->flags & DRX_CHECKSUM ? " checksums" : "", (int)m->codec,
        m->stripes);

    for (size_t i = 0; spec->fill && i < m->elem_bytes && used < sizeof m->about; i++)
        used += (size_t)snprintf(m->about + used, sizeof m->about - used, "%02x", m->fill[i]);
    if (!spec->fill)
        snprintf(m->about + used, sizeof m->about - used, "NULL");
}

/* In the place of the array to come, put another one. */
static void make_predecessor(struct model *m)
{
    const int64_t shape[1] = { 5 };
    const drx_spec spec = { .ndim = 1, .type = DRX_INT8, .shape = shape, .chunk = shape };
    drx_array *a;

    EXPECT_OK(m, drx_create(m->path, &spec, &a));
    EXPECT_OK(m, drx_write(a, (int64_t[]){ 1 }, (int64_t[]){ 3 }, DRX_ROW_MAJOR, "old"));
    EXPECT_OK(m, drx_close(a));
}

static void create(struct model *m, const drx_spec *spec)
{
    EXPECT_OK(m, m->hands->create(m, spec));
    m->writable = true;
    cache_data(m, m->a);
}

/* The array is new under its name, and who had opened the old one keeps it. */
static void replace_predecessor(struct model *m, drx_spec *spec)
{
    drx_array *old;
    char text[5];

    make_predecessor(m);
    EXPECT_OK(m, drx_open(m->path, DRX_RDONLY, &old));
    m->a = old;
    EXPECT_ERROR(m, drx_create(m->path, spec, &m->a), DRX_EEXIST);
    CHECK(m, m->a == NULL, "a handle in spite of the error");
    spec->flags |= DRX_REPLACE;
    create(m, spec);
    EXPECT_ERROR(m, drx_refresh(old), DRX_EMISMATCH);
    EXPECT_OK(m, drx_read(old, (int64_t[]){ 0 }, (int64_t[]){ 5 }, DRX_ROW_MAJOR, text));
    CHECK(m, memcmp(text, "\0old", 5) == 0, "the replaced array lost its elements");
    EXPECT_OK(m, drx_close(old));
}

void history_begin(struct model *m, struct run *run, int64_t history)
{
    int64_t lower[DRX_MAX_NDIM], upper[DRX_MAX_NDIM];
    drx_spec spec;

    memset(m, 0, sizeof *m);
    m->run = run;
    m->history = history;
    m->hands = run->hands;
    m->rng = rng_seeded(run->seed, (uint64_t)history);
    choose_storage(m);
    drxi_files = &drxi_anywhere;
    if (m->faulty)
        drxi_fault_arm(0, 0, false); /* wraps what is opened from now on */
    choose_spec(m, &spec);
    describe(m, &spec);
    say(m, "create %s", m->about);
    plain_init(&m->now, m->ndim, m->elem_bytes, m->origin, m->initial, m->fill);
    m->writable = true;
    if (m->storage == ON_DISK && m->hands == &alone && rng_chance(&m->rng, 8))
        replace_predecessor(m, &spec);
    else
        create(m, &spec);
    if (!spec.chunk) {
        memcpy(m->chunk, drx_chunk(m->a), (size_t)m->ndim * sizeof *m->chunk);
        m->most_bytes = INT64_C(1) << 24;
    }
    for (int j = 0; j < m->ndim; j++)
        chunks_of(m, j, &lower[j], &upper[j]);
    book_init(&m->book, m->ndim, lower, upper, m->flags & DRX_SHELL);
    keep(m);
    file_take_names(m);
    check_inquiry(m);
    check_map(m, m->a, m->book.count);
    if (m->others) {
        close_array(m);
        open_array(m, DRX_SHARED);
    }
}

void open_array(struct model *m, int mode)
{
    EXPECT_OK(m, m->hands->open(m, mode));
    CHECK(m, drx_last_error()[0] == '\0' || (m->residue && strstr(drx_last_error(), ".xcs: ")), "drx_open reports: %s",
          drx_last_error());
    m->writable = mode != DRX_RDONLY;
    m->shared = mode == DRX_SHARED;
    cache_data(m, m->a);
}

void close_array(struct model *m)
{
    EXPECT_OK(m, m->hands->close(m));
    m->puts_pending = m->pool_off = false;
}

static void check_gone(struct model *m)
{
    static const char *const suffixes[] = { ".xmd", ".xta", ".xcs", ".xtz", ".xct" };
    char path[LINE + 8];
    drx_array *a = m->a;

    for (int i = 0; i < 5; i++) {
        data_path(m, suffixes[i], path, sizeof path);
        CHECK(m, access(path, F_OK) != 0, "%s is still there", path);
    }
    EXPECT_ERROR(m, drx_open(m->path, DRX_RDONLY, &a), DRX_ENOENT);
    CHECK(m, a == NULL, "a handle in spite of the error");
}

static void end_on_disk(struct model *m)
{
    if (!m->codec)
        check_file(m, true);
    if (m->run->ranks == 1)
        EXPECT_OK(m, drx_check(m->path, NULL, NULL, NULL, NULL));
    for (int i = 0; i < READERS; i++)
        if (m->reader[i].a)
            check_reader(m, &m->reader[i]);
    if (rng_chance(&m->rng, 50)) {
        open_array(m, DRX_RDONLY);
        CHECK(m, drx_last_error()[0] == '\0', "drx_open reports: %s", drx_last_error());
        check_all(m);
        close_array(m);
    }
    readers_close(m, false);
    EXPECT_OK(m, m->hands->remove(m, m->path));
    EXPECT_ERROR(m, m->hands->remove(m, m->path), DRX_ENOENT);
    for (int i = 0; i < READERS; i++)
        if (m->reader[i].a) {
            EXPECT_ERROR(m, m->reader[i].ds ? drx_dataset_refresh(m->reader[i].ds) : drx_refresh(m->reader[i].a),
                         refresh_status(m, &m->reader[i], true));
            if (!m->reader[i].remote) /* else its files are gone */
                check_reader(m, &m->reader[i]);
        }
    readers_close(m, true);
    if (m->copied)
        EXPECT_OK(m, drx_remove(m->other));
}

void history_end(struct model *m)
{
    say(m, "end: compare everything, close, remove");
    check_all(m);
    close_array(m);
    if (m->storage == ON_DISK)
        end_on_disk(m);
    if (m->storage != IN_MEMORY)
        check_gone(m);
    plain_free(&m->now);
    book_free(&m->book);
    names_free(&m->names);
    book_free(&m->kept.book);
    names_free(&m->kept.names);
    free(m->grown);
}
