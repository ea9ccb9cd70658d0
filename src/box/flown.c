/* Reading a box from files, with many reads under way.
 *
 * One thread goes through the chunks in the order of their addresses. Of each it takes the spans that hold what is
 * wanted, reads through gaps that cost less than another request, and sends spans that follow one another as one read.
 * Any thread of the request takes the reads as they land, and puts their elements into place.
 *
 * Invariants
 *   1. Reads use the memory of the flight as a queue: a read's part is free again when those before it are.
 *   2. A read begins and ends with chunks that the box meets, so each chunk that it holds whole may be verified. */
#include <pthread.h>

#include "base/hooks.h"
#include "base/work.h"
#include "box/ahead/paced.h"
#include "box/ahead/stash.h"
#include "box/regions.h"
#include "data/sums.h"

enum {
    READ_BYTES = 1 << 20,     /* the most in one read */
    LEAST_BYTES = 1 << 14,    /* of the memory, for drx_set_memory */
    WALKED_BYTES = 1 << 16,   /* of an array that is read directly, walk.c reads such boxes ahead */
    ROW_BYTES = 8 << 20,      /* touch only in longer rows of reads, since the system reads past what is touched */
    STRAIGHT_BYTES = 1 << 16, /* from here on, a read straight into the caller's memory saves a copy */
    MOST_REGIONS = 1 << 11    /* of all reads under way */
};

struct read {
    struct drxi_flying flying;     /* first */
    int64_t regions, first_region; /* in the queue of regions */
    int64_t end;                   /* of its part of the queue of bytes */
    int64_t begin, wanted;         /* what the chunks hold of it: a direct read is wider */
    uint8_t *fetched;              /* its bytes, in the stash; or NULL */
    uint8_t *straight;             /* where its bytes belong as they are; NULL: they go through the flight's memory */
    struct drxi_pour pour;
    bool placed;
};

struct flown {
    struct drxi_data *data;
    uint8_t *mem;
    struct drxi_layout layout;
    const struct drxi_box *box;
    const struct drxi_view *view; /* in which reads in order bring what they read into memory; NULL: no read does */
    bool direct;
    bool pours; /* elements are put into place while they come */
    int64_t most_bytes, read_bytes, gap_bytes;
    struct drxi_flight *flight;
    uint8_t *memory, *own; /* own: more than the flight has; or NULL */

    struct read read[DRXI_FLIGHT_MOST]; /* a queue, as are the next two */
    struct drxi_regions regions;
    int64_t sent, freed, next_byte, freed_byte, next_region, freed_region;
    int64_t file_end;          /* of the read that was sent last */
    int64_t row_bytes;         /* of it, and of those before it without a gap */
    struct read *open;         /* to which regions are added; not sent yet */
    bool sync;                 /* one read after the other */
    struct drxi_flying *noted; /* the reads are only noted, `most` at most, not sent */
    int64_t notes, most_notes, notes_room;
    int64_t noted_bytes, most_noted_bytes; /* nothing is noted beyond these */

    pthread_mutex_t lock; /* for what is freed */
    pthread_cond_t room;
    atomic_bool failed;
};

static int ndim_of(const struct flown *f)
{
    return f->data->ndim;
}

/* ---- what has landed ---- */

/* Read by calls what did not come. What lies between the regions may be missing. With checksums whole chunks are
 * compared, so the read stays in one. */
static drx_status read_again(struct flown *f, const struct read *r)
{
    drx_status (*const read)(struct drxi_data *, void *, size_t, int64_t) =
        f->box->past ? drxi_data_read_past : drxi_data_read;
    uint8_t *const buf = r->flying.buf;
    drx_status st = read(f->data, buf + (r->begin - r->flying.offset), (size_t)r->wanted, r->begin);

    if (st != DRX_EDAMAGED || r->regions == 1 || f->data->file->stored->verified)
        return st;
    st = DRX_OK;
    for (int64_t i = 0; !st && i < r->regions; i++) {
        const int64_t k = (r->first_region + i) % f->regions.room, offset = f->regions.placed[k].offset;
        const struct drxi_region s = drxi_region_of(&f->layout, f->regions.count + k * ndim_of(f));

        st = read(f->data, buf + (offset - r->flying.offset), (size_t)s.span, offset);
    }
    return st;
}

static drx_status get_elements(struct flown *f, const struct read *r)
{
    const struct drxi_flying *fly = &r->flying;

    if (fly->got < fly->bytes)
        return read_again(f, r);
    drxi_count(&f->data->file->counts.reads, 1);
    drxi_count(&f->data->file->counts.read_bytes, (int64_t)fly->bytes);
    return f->data->file->stored->land(f->data, fly->buf, fly->bytes, fly->bytes, fly->offset);
}

static void copy_regions(const struct flown *f, const struct read *r, const uint8_t *bytes)
{
    drxi_regions_place(&f->regions, r->first_region, r->regions, r->flying.offset, bytes);
}

struct landing {
    const struct flown *f;
    const struct read *r;
};

static void copy_touched(void *arg)
{
    const struct landing *l = arg;

    copy_regions(l->f, l->r, l->r->flying.at);
}

/* Copy from the view what has come into memory there; what has not is read by a call after all. */
static drx_status place_touched(struct flown *f, struct read *r)
{
    struct drxi_flying *fly = &r->flying;
    struct landing l = { f, r };
    drx_status st;

    if (fly->got == fly->bytes && drxi_view_use(f->view, copy_touched, &l)) {
        drxi_mapped_touched(f->data, (int64_t)fly->bytes);
        return DRX_OK;
    }
    fly->buf = drxi_malloc(fly->bytes);
    if (!fly->buf)
        return DRX_ENOMEM;
    st = read_again(f, r);
    if (!st)
        copy_regions(f, r, fly->buf);
    drxi_free(fly->buf);
    return st;
}

static drx_status place_read(struct flown *f, struct read *r)
{
    const bool poured = r->flying.sink && r->flying.got == r->flying.bytes;
    const drx_status st = get_elements(f, r);

    if (!st && !r->straight && !poured)
        copy_regions(f, r, r->flying.buf);
    return st;
}

/* Free what the reads used that are placed, and so are all before them. */
static void release(struct flown *f, struct read *r)
{
    (void)pthread_mutex_lock(&f->lock);
    r->placed = true;
    for (; f->freed < f->sent && f->read[f->freed % DRXI_FLIGHT_MOST].placed; f->freed++) {
        const struct read *first = &f->read[f->freed % DRXI_FLIGHT_MOST];

        f->freed_byte = first->end;
        f->freed_region = first->first_region + first->regions;
    }
    (void)pthread_cond_signal(&f->room);
    (void)pthread_mutex_unlock(&f->lock);
}

static drx_status place(struct flown *f, struct read *r)
{
    drx_status st = DRX_OK;

    if (!atomic_load(&f->failed))
        st = r->flying.at ? place_touched(f, r) : place_read(f, r);
    if (st)
        atomic_store(&f->failed, true);
    release(f, r);
    return st;
}

static drx_status land_all(struct flown *f)
{
    struct read *r;
    drx_status first = DRX_OK;

    while ((r = (struct read *)drxi_flight_await(f->flight))) {
        const drx_status st = place(f, r);

        first = first ? first : st;
    }
    return first;
}

/* ---- what is sent ---- */

/* Find a part of the memory for the read; false when there is none yet. */
static bool find_room(struct flown *f, const struct read *r)
{
    const int64_t bytes = r->flying.at || r->fetched ? 0 : (int64_t)r->flying.bytes;
    int64_t begin;

    if (f->freed == f->sent)
        f->next_byte = f->freed_byte = 0;
    begin = f->next_byte;
    if (begin % f->most_bytes + bytes > f->most_bytes)
        begin = drxi_ceil_div(begin, f->most_bytes) * f->most_bytes;
    if (f->sent - f->freed >= (bytes > 0 ? DRXI_FLIGHT_MOST : DRXI_FLIGHT_MOST / 2) - 1 ||
        begin + bytes - f->freed_byte > f->most_bytes || f->next_region - f->freed_region > f->regions.room / 4 * 3)
        return false;
    f->next_byte = begin;
    return true;
}

static drx_status wait_for_room(struct flown *f, const struct read *r)
{
    drx_status st = DRX_OK;

    (void)pthread_mutex_lock(&f->lock);
    while (!st && !find_room(f, r)) {
        struct read *landed;

        (void)pthread_mutex_unlock(&f->lock);
        landed = (struct read *)drxi_flight_land(f->flight);
        if (landed)
            st = place(f, landed);
        (void)pthread_mutex_lock(&f->lock);
        if (!landed && !find_room(f, r)) /* others are placing what has landed */
            (void)pthread_cond_wait(&f->room, &f->lock);
    }
    (void)pthread_mutex_unlock(&f->lock);
    return st;
}

/* Read whole blocks of the disk. */
static void round_to_blocks(struct drxi_flying *fly)
{
    const int64_t block = DRXI_FLIGHT_ALIGNMENT, end = fly->offset + (int64_t)fly->bytes;

    fly->offset = fly->offset / block * block;
    fly->bytes = (size_t)(drxi_ceil_div(end, block) * block - fly->offset);
}

/* Whether the system may read past what is asked for. */
static bool is_in_order(const struct flown *f, const struct drxi_flying *fly, bool follows)
{
    return (follows || (int64_t)fly->bytes > f->read_bytes / 2) && f->row_bytes > f->data->file->io->cost.row_bytes;
}

static void choose_manner(struct flown *f, struct drxi_flying *fly)
{
    const bool follows = fly->offset == f->file_end;

    f->file_end = fly->offset + (int64_t)fly->bytes;
    f->row_bytes = follows ? f->row_bytes + (int64_t)fly->bytes : (int64_t)fly->bytes;
    fly->manner = is_in_order(f, fly, follows) ? DRXI_IN_ORDER : DRXI_SCATTERED;
    if (f->view && drxi_view_touches() && fly->manner == DRXI_IN_ORDER && f->file_end <= f->view->bytes &&
        (f->row_bytes > ROW_BYTES || drxi_hooks.way == DRXI_TOUCHED))
        fly->at = f->view->base + fly->offset;
    if (!f->direct)
        return;
    fly->manner = DRXI_DIRECTLY;
    round_to_blocks(fly);
}

/* Note the read for drxi_flown_reads. */
static drx_status note(struct flown *f, const struct drxi_flying *fly)
{
    drx_status st = drxi_reserve(&f->noted, &f->notes_room, f->notes + 1, sizeof *f->noted);

    f->noted_bytes += (int64_t)fly->bytes;
    if (f->noted_bytes > f->most_noted_bytes)
        return st;
    if (!st && f->notes == f->most_notes)
        st = drxi_fail(DRX_EOVERFLOW, "more than %lld reads", (long long)f->most_notes);
    if (!st)
        f->noted[f->notes++] = *fly;
    return st;
}

/* Whether the only read of a box goes on where that of the last such box ended, so that the system should read ahead, also
 * of a program that walks through a large array with small steps. */
static bool goes_on(const struct flown *f, const struct drxi_flying *fly)
{
    const int64_t end = fly->offset + (int64_t)fly->bytes;
    const int64_t gap = fly->offset - atomic_exchange_explicit(&f->data->file->alone_end, end, memory_order_relaxed);

    return gap >= 0 && gap <= f->data->file->io->cost.gap_bytes && (!f->direct || fly->bytes < WALKED_BYTES);
}

/* Read the only read of a box at once. */
static drx_status read_alone(struct flown *f, struct read *r)
{
    struct drxi_flying *fly = &r->flying;

    fly->got = r->fetched ? fly->bytes : 0;
    if (!r->fetched && fly->manner != DRXI_IN_ORDER)
        drxi_flight_alone(fly);
    drxi_count(&f->data->file->counts.direct_bytes, fly->manner == DRXI_DIRECTLY ? (int64_t)fly->got : 0);
    return place(f, r);
}

/* Send the open read; the last one, if it is alone, is read at once. */
static drx_status send(struct flown *f, bool last)
{
    struct read *r = f->open;
    drx_status st;
    bool alone, in_order;

    if (!r)
        return DRX_OK;
    f->open = NULL;
    alone = f->sync || (last && f->sent == 0);
    in_order = f->sync || (alone && f->most_notes == 0 && goes_on(f, &r->flying));
    r->begin = r->flying.offset;
    r->wanted = (int64_t)r->flying.bytes;
    choose_manner(f, &r->flying);
    if (f->most_notes > 0)
        return note(f, &r->flying);
    r->fetched = f->box->stash ? drxi_stash_take(f->box->stash, &r->flying) : NULL;
    if (in_order)
        r->flying.manner = DRXI_IN_ORDER;
    if (alone)
        r->flying.at = NULL;
    if ((st = wait_for_room(f, r)))
        return st;
    r->flying.buf = r->fetched ? r->fetched : r->straight ? r->straight : f->memory + f->next_byte % f->most_bytes;
    if (!r->flying.at && !r->fetched)
        f->next_byte += drxi_ceil_div((int64_t)r->flying.bytes, DRXI_FLIGHT_ALIGNMENT) * DRXI_FLIGHT_ALIGNMENT;
    r->end = f->next_byte;
    r->placed = false;
    (void)pthread_mutex_lock(&f->lock);
    f->sent++;
    (void)pthread_mutex_unlock(&f->lock);
    if (alone)
        return read_alone(f, r);
    if (r->fetched) {
        drxi_flight_hand_over(f->flight, &r->flying);
        return DRX_OK;
    }
    if (f->pours && !r->straight) {
        drxi_pour_begin(&r->pour, &f->regions, r->first_region, r->regions, r->flying.offset, r->flying.buf);
        r->flying.sink = &r->pour.sink;
    }
    drxi_count(&f->data->file->counts.flown, 1);
    drxi_count(&f->data->file->counts.direct_bytes, f->direct ? (int64_t)r->flying.bytes : 0);
    drxi_flight_send(f->flight, &r->flying);
    return DRX_OK;
}

static bool joins(const struct flown *f, int64_t offset, int64_t span, const uint8_t *straight)
{
    const struct read *r = f->open;
    const int64_t bytes = (int64_t)r->flying.bytes, gap = offset - r->flying.offset - bytes;

    if (gap < 0 || gap + bytes + span > f->read_bytes || r->regions >= f->regions.room / 4)
        return false;
    return straight ? gap == 0 && r->straight && straight == r->straight + bytes : !r->straight && gap <= f->gap_bytes;
}

/* Read `span` bytes from the offset; the elements begin `before` bytes after it. */
static drx_status add_region(struct flown *f, int64_t offset, int64_t span, int64_t before, const int64_t count[],
                             uint8_t *mem, bool is_straight)
{
    uint8_t *const straight = is_straight ? mem : NULL;
    drx_status st = f->open && !joins(f, offset, span, straight) ? send(f, false) : DRX_OK;
    struct read *r;
    int64_t k;

    if (st)
        return st;
    if (!f->open) {
        f->open = &f->read[f->sent % DRXI_FLIGHT_MOST];
        f->open->flying = (struct drxi_flying){ .io = f->data->file->io, .offset = offset };
        f->open->first_region = f->next_region;
        f->open->regions = 0;
        f->open->straight = straight;
    }
    r = f->open;
    k = f->next_region++ % f->regions.room;
    f->regions.placed[k] = (struct drxi_placed){ offset + before, mem };
    memcpy(f->regions.count + k * ndim_of(f), count, (size_t)ndim_of(f) * sizeof *count);
    r->regions++;
    r->flying.bytes = (size_t)(offset + span - r->flying.offset);
    return DRX_OK;
}

static drx_status add_parts(struct flown *f, int64_t offset, const int64_t count[], uint8_t *mem)
{
    const struct drxi_region s = drxi_region_of(&f->layout, count);
    const int j = s.slowest;
    const bool close_enough = s.widest_gap <= f->gap_bytes;
    int64_t part[DRX_MAX_NDIM], at_once;
    drx_status st = DRX_OK;

    if (j < 0 || (close_enough && s.span <= f->read_bytes))
        return add_region(f, offset, s.span, 0, count, mem,
                          s.alike && s.span == s.wanted && s.span >= STRAIGHT_BYTES && !f->direct && !f->view &&
                              f->most_notes == 0);
    memcpy(part, count, sizeof part);
    at_once = close_enough ? drxi_max(1, f->read_bytes / f->layout.file_stride[j]) : 1;
    for (int64_t i = 0; !st && i < count[j]; i += at_once) {
        part[j] = drxi_min(at_once, count[j] - i);
        st = add_parts(f, offset + i * f->layout.file_stride[j], part, mem + i * f->layout.mem_stride[j]);
    }
    return st;
}

static drx_status add_piece(struct flown *f, const int64_t index[], const struct drxi_piece *piece)
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
    if (data->chunk_bytes <= f->most_bytes / 2) /* with what lies beyond the bounds, which the checksum covers */
        return add_region(f, begin, data->chunk_bytes, offset - begin, piece->count, mem, false);
    if (f->most_notes == 0)
        st = drxi_sums_verify_chunk(f->data, piece->address);
    return st ? st : add_parts(f, offset, piece->count, mem);
}

static drx_status send_all(struct flown *f)
{
    struct drxi_cursor cursor;
    drx_status st = DRX_OK;

    drxi_cursor_start(&cursor, f->data, f->box->lo, f->box->count, f->box->step);
    while (!st && !atomic_load(&f->failed) && f->noted_bytes <= f->most_noted_bytes && drxi_cursor_next(&cursor))
        st = add_piece(f, cursor.index, &cursor.piece);
    if (!st && !atomic_load(&f->failed))
        st = send(f, true);
    if (st)
        atomic_store(&f->failed, true);
    drxi_flight_end(f->flight);
    return st;
}

/* The first part of the work sends; all land. */
static drx_status take_part(void *arg, int64_t i)
{
    struct flown *f = arg;
    const drx_status st = i == 0 ? send_all(f) : DRX_OK, landed = land_all(f);

    return st ? st : landed;
}

/* ---- a request ---- */

/* What reads of the process use of what drx_set_memory allows. */
static atomic_int_fast64_t used_bytes;

static int64_t wanted_bytes(const struct flown *f)
{
    return drxi_times((int64_t)f->data->item_bytes, ndim_of(f), f->box->count);
}

/* Take so much, or what is left of the limit, but not less than LEAST_BYTES. */
static int64_t take_memory(int64_t wanted, int64_t limit)
{
    int64_t used = atomic_load(&used_bytes), taken;

    do
        taken = wanted <= limit - used ? wanted : drxi_max(limit - used, LEAST_BYTES) / LEAST_BYTES * LEAST_BYTES;
    while (!atomic_compare_exchange_weak(&used_bytes, &used, used + taken));
    return taken;
}

static void choose_sizes(struct flown *f)
{
    const struct drxi_data *data = f->data;
    const struct drxi_cost *cost = &data->file->io->cost;
    const int64_t kept = drxi_paced_serves(data) ? drxi_may_take(DRXI_FOR_BLOCKS) + drxi_may_take(DRXI_FOR_GUESSES) : 0;

    f->sync = cost->depth == 0;
    f->most_bytes = f->sync ? READ_BYTES : wanted_bytes(f) >= READ_BYTES / 2 ? cost->most_bytes : DRXI_FLIGHT_BYTES;
    f->most_bytes = take_memory(f->most_bytes, drxi_may_take(DRXI_FOR_READS) - drxi_stash_bytes() - kept);
    f->read_bytes = f->sync ? f->most_bytes : drxi_min(f->most_bytes / 8, READ_BYTES);
    f->gap_bytes = data->file->stored->verified ? drxi_min(cost->gap_bytes, data->chunk_bytes - 1) : cost->gap_bytes;
}

/* NULL under a limit of memory, because mapped pages count, and with checksums, because the bytes must not change while
 * they are compared. Nor where what follows in order lies in several files. */
static const struct drxi_view *view_to_touch(const struct flown *f)
{
    const bool may = f->data->file->io->cost.depth > 0 && !f->data->file->stored->verified && !f->direct &&
                     drxi_view_touches() && drxi_view_most() == INT64_MAX;
    const struct drxi_view *view = may && drxi_hooks.way != DRXI_STAGED ? drxi_data_view(f->data) : NULL;

    return view && view->files == 0 ? view : NULL;
}

static drx_status board(struct flown *f)
{
    const int64_t each = (int64_t)sizeof *f->regions.placed + ndim_of(f) * (int64_t)sizeof *f->regions.count;
    drx_status st = drxi_flight_open(&f->flight, &f->memory);

    if (st)
        return st;
    if (f->most_bytes > DRXI_FLIGHT_BYTES && !(f->own = drxi_malloc((size_t)f->most_bytes)))
        return DRX_ENOMEM;
    if (f->own && !f->pours)
        drxi_prefer_huge_pages(f->own, (size_t)f->most_bytes);
    f->regions.layout = &f->layout;
    f->regions.large = f->box->large;
    f->regions.room = drxi_min(DRXI_FLIGHT_TABLE_BYTES / each, MOST_REGIONS) / 4 * 4;
    f->regions.placed = (struct drxi_placed *)(f->memory + DRXI_FLIGHT_BYTES);
    f->regions.count = (int64_t *)(f->regions.placed + f->regions.room);
    f->memory = f->own ? f->own : f->memory;
    return DRX_OK;
}

static drx_status begin(struct drxi_data *data, const struct drxi_box *box, void *mem, struct flown **out)
{
    struct flown *f = drxi_calloc(1, sizeof *f);
    drx_status st;

    *out = f;
    if (!f)
        return DRX_ENOMEM;
    f->data = data;
    f->box = box;
    f->mem = mem;
    f->direct = box->direct;
    f->pours = data->file->io->cost.pours && !data->file->stored->verified && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    f->file_end = -1;
    f->view = view_to_touch(f);
    drxi_lay_out(&f->layout, data, box);
    choose_sizes(f);
    (void)pthread_mutex_init(&f->lock, NULL);
    (void)pthread_cond_init(&f->room, NULL);
    st = board(f);
    return st;
}

static void end(struct flown *f)
{
    if (!f)
        return;
    drxi_flight_close(f->flight);
    drxi_free(f->own);
    (void)atomic_fetch_sub(&used_bytes, f->most_bytes);
    (void)pthread_cond_destroy(&f->room);
    (void)pthread_mutex_destroy(&f->lock);
    drxi_free(f);
}

drx_status drxi_flown_read(struct drxi_data *data, const struct drxi_box *box, void *mem, int threads)
{
    struct flown *f;
    drx_status st = begin(data, box, mem, &f);

    if (!st)
        st = threads > 1 && !f->sync ? drxi_work_share(threads, take_part, f) : take_part(f, 0);
    end(f);
    return st;
}

drx_status drxi_flown_reads(struct drxi_data *data, const struct drxi_box *box, int64_t most, int64_t most_bytes,
                            struct drxi_flying **out, int64_t *n)
{
    struct flown *f;
    drx_status st = begin(data, box, NULL, &f);

    *out = NULL;
    if (!st) {
        f->most_notes = most;
        f->most_noted_bytes = most_bytes;
        st = send_all(f);
        *out = f->noted;
        *n = f->notes;
    }
    end(f);
    return st;
}
