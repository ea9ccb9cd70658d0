/* Reading a box from files, with many reads under way.
 *
 * One thread goes through the chunks in the order of their addresses. Of each it takes the spans that hold what is
 * wanted, and adds them to a schedule (io/schedule.h), which makes reads of them. Any thread of the request takes the
 * reads as they complete, and puts their elements into place.
 *
 * Invariant: a read begins and ends with chunks that the box meets, so each chunk that it holds whole may be
 * verified. */
#include "base/hooks.h"
#include "base/work.h"
#include "box/ahead/paced.h"
#include "box/ahead/stash.h"
#include "box/regions.h"
#include "data/sums.h"
#include "io/schedule.h"

enum {
    LONG_ROW_BYTES = 8 << 20, /* of reads that follow each other */
    READ_BYTES = 1 << 20,     /* the most in one read */
    LEAST_BYTES = 1 << 14,    /* of the memory, for drx_set_memory */
    WALKED_BYTES = 1 << 16,   /* of an array that is read directly, walk.c reads such boxes ahead */
    STRAIGHT_BYTES = 1 << 16, /* from here on, a read straight into the caller's memory saves a copy */
    MOST_REGIONS = 1 << 11    /* of all reads under way */
};

struct concurrent {
    struct drxi_data *data;
    uint8_t *mem;
    struct drxi_layout layout;
    const struct drxi_box *box;
    const struct drxi_view *view; /* in which reads in order bring what they read into memory; NULL: no read does */
    struct drxi_regions regions;
    int64_t taken_bytes;    /* of what drx_set_memory allows */
    struct drxi_pour *pour; /* of each read, if elements are put into place while they come; or NULL */
    struct drxi_schedule reads;
};

static int ndim_of(const struct concurrent *f)
{
    return f->data->ndim;
}

/* ---- what has completed ---- */

/* Read by calls what did not come. What lies between the regions may be missing. With checksums whole chunks are
 * compared, so the read stays in one. */
static drx_status read_again(struct concurrent *f, const struct drxi_fetch *r, uint8_t *bytes)
{
    drx_status (*const read)(struct drxi_data *, void *, size_t, int64_t) =
        f->box->past ? drxi_data_read_past : drxi_data_read;
    drx_status st = read(f->data, bytes, (size_t)(r->end - r->begin), r->begin);

    if (st != DRX_EDAMAGED || r->parts == 1 || f->data->file->stored->verified)
        return st;
    st = DRX_OK;
    for (int64_t i = 0; !st && i < r->parts; i++) {
        const int64_t k = (r->part + i) % f->regions.room, offset = f->regions.placed[k].offset;
        const struct drxi_region s = drxi_region_of(&f->layout, f->regions.count + k * ndim_of(f));

        st = read(f->data, bytes + (offset - r->begin), (size_t)s.span, offset);
    }
    return st;
}

static void copy_regions(const struct concurrent *f, const struct drxi_fetch *r, const uint8_t *bytes)
{
    drxi_regions_place(&f->regions, r->part, r->parts, r->begin, bytes);
}

struct completion {
    const struct concurrent *f;
    const struct drxi_fetch *r;
};

static void copy_touched(void *arg)
{
    const struct completion *l = arg;

    copy_regions(l->f, l->r, l->r->flying.at);
}

/* Copy from the view what has come into memory there; what has not is read by a call after all. */
static drx_status place_touched(struct concurrent *f, struct drxi_fetch *r)
{
    struct completion l = { f, r };
    uint8_t *bytes;
    drx_status st;

    if (drxi_fetch_came(r) && drxi_view_use(f->view, copy_touched, &l)) {
        drxi_mapped_touched(f->data, r->end - r->begin);
        return DRX_OK;
    }
    bytes = drxi_malloc((size_t)(r->end - r->begin));
    if (!bytes)
        return DRX_ENOMEM;
    st = read_again(f, r, bytes);
    if (!st)
        copy_regions(f, r, bytes);
    drxi_free(bytes);
    return st;
}

static drx_status place_read(void *of, struct drxi_fetch *r)
{
    struct concurrent *f = of;
    uint8_t *const bytes = drxi_fetch_bytes(r);
    const bool came = drxi_fetch_came(r);
    drx_status st;

    if (r->flying.at)
        return place_touched(f, r);
    st = came ? drxi_data_completed(f->data, true, bytes, (size_t)(r->end - r->begin), r->begin)
              : read_again(f, r, bytes);
    if (!st && !r->to && !(came && r->flying.sink))
        copy_regions(f, r, bytes);
    return st;
}

/* ---- what is sent ---- */

/* Whether the only read of a box goes on where that of the last such box ended, so that the system should read ahead,
 * also of a program that walks through a large array with small steps. */
static bool goes_on(const struct concurrent *f, const struct drxi_fetch *r)
{
    const int64_t gap = r->begin - atomic_exchange_explicit(&f->data->file->alone_end, r->end, memory_order_relaxed);

    return gap >= 0 && gap <= f->data->file->io->cost.gap_bytes &&
           (!f->reads.direct || r->end - r->begin < WALKED_BYTES);
}

/* Whether a read brings what it reads into memory in the view. It touches only in longer rows of reads, since the
 * system reads past what is touched. */
static bool touches(const struct concurrent *f, const struct drxi_fetch *r)
{
    return f->view && drxi_view_touches() && r->flying.manner == DRXI_IN_ORDER && r->end <= f->view->bytes &&
           (f->reads.row_bytes > LONG_ROW_BYTES || drxi_hooks.way == DRXI_TOUCHED);
}

static bool ready(void *of, struct drxi_fetch *r, bool alone)
{
    struct concurrent *f = of;
    struct drxi_pour *pour;

    r->flying.buf = f->box->stash ? drxi_stash_take(f->box->stash, &r->flying) : NULL;
    r->here = r->flying.buf != NULL;
    if (alone && goes_on(f, r))
        r->flying.manner = DRXI_IN_ORDER;
    if (alone || r->here)
        return true;
    if (touches(f, r))
        r->flying.at = f->view->base + r->begin;
    if (f->pour && !r->to) {
        pour = &f->pour[r - f->reads.ring];
        drxi_pour_begin(pour, &f->regions, r->part, r->parts, &r->flying);
        r->flying.sink = &pour->sink;
    }
    return true;
}

/* Read `span` bytes from the offset; the elements begin `before` bytes after it. */
static drx_status add_region(struct concurrent *f, int64_t offset, int64_t span, int64_t before, const int64_t count[],
                             uint8_t *mem, bool is_straight)
{
    const drx_status st = drxi_schedule_add(&f->reads, offset, offset + span, is_straight ? mem : NULL);
    const int64_t k = (f->reads.next_part - 1) % f->regions.room;

    if (st)
        return st;
    f->regions.placed[k] = (struct drxi_placed){ offset + before, mem };
    memcpy(f->regions.count + k * ndim_of(f), count, (size_t)ndim_of(f) * sizeof *count);
    return DRX_OK;
}

static drx_status add_parts(struct concurrent *f, int64_t offset, const int64_t count[], uint8_t *mem)
{
    const struct drxi_region s = drxi_region_of(&f->layout, count);
    const int j = s.slowest;
    const bool close_enough = s.widest_gap <= f->reads.gap_bytes;
    int64_t part[DRX_MAX_NDIM], at_once;
    drx_status st = DRX_OK;

    if (j < 0 || (close_enough && s.span <= f->reads.read_bytes))
        return add_region(f, offset, s.span, 0, count, mem,
                          s.alike && s.span == s.wanted && s.span >= STRAIGHT_BYTES && !f->reads.direct && !f->view &&
                              !f->reads.note);
    memcpy(part, count, sizeof part);
    at_once = close_enough ? drxi_max(1, f->reads.read_bytes / f->layout.file_stride[j]) : 1;
    for (int64_t i = 0; !st && i < count[j]; i += at_once) {
        part[j] = drxi_min(at_once, count[j] - i);
        st = add_parts(f, offset + i * f->layout.file_stride[j], part, mem + i * f->layout.mem_stride[j]);
    }
    return st;
}

static drx_status add_piece(struct concurrent *f, const int64_t index[], const struct drxi_piece *piece)
{
    const struct drxi_data *data = f->data;
    const int64_t begin = piece->address * data->chunk_pitch_bytes;
    int64_t offset = begin;
    uint8_t *mem = f->mem;
    drx_status st = DRX_OK;

    for (int j = 0; j < ndim_of(f); j++) {
        offset += piece->start[j] * data->item_pitch_bytes[j];
        mem += piece->from[j] * f->layout.mem_stride[j];
    }
    if (!data->file->stored->verified || (!drxi_verifies() && !drxi_piece_is_all(data, index, piece)))
        return add_parts(f, offset, piece->count, mem);
    if (data->chunk_bytes <= f->reads.most_bytes / 2) /* with what lies beyond the bounds, which the checksum covers */
        return add_region(f, begin, data->chunk_bytes, offset - begin, piece->count, mem, false);
    if (!f->reads.note)
        st = drxi_sums_verify_chunk(f->data, piece->address);
    return st ? st : add_parts(f, offset, piece->count, mem);
}

static drx_status send_all(struct concurrent *f)
{
    struct drxi_cursor cursor;
    drx_status st = DRX_OK;

    drxi_cursor_start(&cursor, f->data, f->box->lo, f->box->count, f->box->step);
    while (!st && !atomic_load(&f->reads.failed) && drxi_cursor_next(&cursor))
        st = add_piece(f, cursor.index, &cursor.piece);
    st = drxi_schedule_finish(&f->reads, st);
    drxi_schedule_over(&f->reads);
    return st;
}

/* The first part of the work sends the reads. All parts put what has come into place. */
static drx_status take_read_part(void *arg, int64_t i)
{
    struct concurrent *f = arg;

    return i == 0 ? send_all(f) : drxi_schedule_help(&f->reads);
}

/* ---- a request ---- */

/* What reads of the process use of what drx_set_memory allows. */
static atomic_int_fast64_t used_bytes;

static int64_t wanted_bytes(const struct concurrent *f)
{
    return drxi_times((int64_t)f->data->item_bytes, ndim_of(f), f->box->count);
}

/* Take so much, or what is left of the limit, but not less than LEAST_BYTES. */
static int64_t take_ledger(int64_t wanted, int64_t limit)
{
    int64_t used = atomic_load(&used_bytes), taken;

    do
        taken = wanted <= limit - used ? wanted : drxi_max(limit - used, LEAST_BYTES) / LEAST_BYTES * LEAST_BYTES;
    while (!atomic_compare_exchange_weak(&used_bytes, &used, used + taken));
    return taken;
}

static void choose_sizes(struct concurrent *f)
{
    const struct drxi_data *data = f->data;
    const struct drxi_cost *cost = &data->file->io->cost;
    const int64_t kept = drxi_paced_serves(data) ? drxi_may_take(DRXI_FOR_BLOCKS) + drxi_may_take(DRXI_FOR_GUESSES) : 0;
    const bool sync = cost->depth == 0;
    const int64_t most = sync ? READ_BYTES : wanted_bytes(f) >= READ_BYTES / 2 ? cost->most_bytes : DRXI_FLIGHT_BYTES;

    f->taken_bytes = take_ledger(most, drxi_may_take(DRXI_FOR_READS) - drxi_stash_bytes() - kept);
    f->reads.most_bytes = f->taken_bytes;
    f->reads.read_bytes = sync ? f->taken_bytes : drxi_min(f->taken_bytes / 8, READ_BYTES);
    f->reads.gap_bytes =
        data->file->stored->verified ? drxi_min(cost->gap_bytes, data->chunk_bytes - 1) : cost->gap_bytes;
}

/* NULL under a limit of memory, because mapped pages count, and with checksums, because the bytes must not change while
 * they are compared. Nor where what follows in order lies in several files. */
static const struct drxi_view *view_to_touch(const struct concurrent *f)
{
    const bool may = f->data->file->io->cost.depth > 0 && !f->data->file->stored->verified && !f->reads.direct &&
                     drxi_view_touches() && drxi_view_most() == INT64_MAX;
    const struct drxi_view *view = may && drxi_hooks.way != DRXI_STAGED ? drxi_data_view(f->data) : NULL;

    return view && view->files == 0 ? view : NULL;
}

/* Where it is noted what each read brings. */
static void make_table(struct concurrent *f)
{
    const int64_t each = (int64_t)sizeof *f->regions.placed + ndim_of(f) * (int64_t)sizeof *f->regions.count;

    f->regions.layout = &f->layout;
    f->regions.large = f->box->large;
    f->regions.room = drxi_min(DRXI_FLIGHT_TABLE_BYTES / each, MOST_REGIONS) / 4 * 4;
    f->reads.most_parts = f->regions.room;
}

static drx_status begin_reads(struct drxi_data *data, const struct drxi_box *box, void *mem, struct concurrent **out)
{
    const bool pours =
        data->file->io->cost.pours && !data->file->stored->verified && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    struct concurrent *f = drxi_malloc(sizeof *f);
    drx_status st;

    *out = f;
    if (!f)
        return DRX_ENOMEM;
    memset(f, 0, offsetof(struct concurrent, reads.ring)); /* the ring is long */
    f->data = data;
    f->box = box;
    f->mem = mem;
    f->reads.io = data->file->io;
    f->reads.direct = box->direct;
    f->reads.poured = pours;
    f->reads.of = f;
    f->reads.ready = ready;
    f->reads.place = place_read;
    f->view = view_to_touch(f);
    drxi_lay_out(&f->layout, data, box);
    choose_sizes(f);
    make_table(f);
    st = drxi_schedule_open(&f->reads);
    if (st)
        return st;
    f->regions.placed = (struct drxi_placed *)f->reads.table;
    f->regions.count = (int64_t *)(f->regions.placed + f->regions.room);
    if (pours && !(f->pour = drxi_malloc(DRXI_SCHEDULE_READS * sizeof *f->pour)))
        return DRX_ENOMEM;
    return DRX_OK;
}

static void end_reads(struct concurrent *f)
{
    if (!f)
        return;
    drxi_data_count_reads(f->data, &f->reads);
    drxi_schedule_close(&f->reads);
    drxi_free(f->pour);
    (void)atomic_fetch_sub(&used_bytes, f->taken_bytes);
    drxi_free(f);
}

drx_status drxi_concurrent_read(struct drxi_data *data, const struct drxi_box *box, void *mem, int threads)
{
    struct concurrent *f;
    drx_status st = begin_reads(data, box, mem, &f);

    if (!st)
        st = threads > 1 && !f->reads.one_by_one ? drxi_work_share(threads, take_read_part, f) : take_read_part(f, 0);
    end_reads(f);
    return st;
}

drx_status drxi_concurrent_ranges(struct drxi_data *data, const struct drxi_box *box, drxi_range *range, void *arg)
{
    struct concurrent *f;
    drx_status st = begin_reads(data, box, NULL, &f);

    if (!st) {
        f->reads.note = range;
        f->reads.of = arg;
        st = send_all(f);
    }
    end_reads(f);
    return st;
}
