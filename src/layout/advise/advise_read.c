/* The cost of reading a box as box/concurrent.c does it from a disk, averaged over positions. Reads of pieces that lie
 * close together join, which the model leaves out: it counts no less.
 *
 * One call reads adjacent whole chunks, up to the size of the stage. Of another chunk, a piece with k_j elements on
 * axis j, one call reads the bytes from its first element to its last, unless a gap in them is wider than
 * through_bytes. With s_j the stride of axis j, and the axes ordered from the slowest to the fastest, let p be the
 * first axis with s_p <= through_bytes, and w the span of the axes from p on. No gap along these axes is too wide. On a
 * slower axis with k_j > 1 a gap is narrow enough if and only if w is nearly the whole row (s_{p-1} - w <=
 * through_bytes: the row is closed) and all axes between are whole. So an open row takes a call by itself, Π_{i<p} k_i
 * calls in all. A closed row is read together with those on axes that are whole and on the next slower one.
 *
 * Positions on different axes are independent, so sums over pieces are products of sums. */
#include "layout/advise/advise.h"

struct row_sums {
    double calls, bytes; /* for open rows, whose spans are read */
    double rows, spans;  /* closed rows, and the bytes of their spans */
};

struct reading {
    const struct drxi_stored_layout *layout;
    int ndim, row;                                  /* the row: p above */
    struct drxi_pieces axis[DRX_MAX_NDIM];          /* slowest first */
    double stride[DRX_MAX_NDIM], box[DRX_MAX_NDIM]; /* box[i]: bytes of a chunk's axes from i on */
    double parts[DRX_MAX_NDIM + 1];                 /* calls for such a box */
    struct row_sums sums;
};

/* The integer just below or above x, 0 <= x < 2^63. */
static double lower(double x)
{
    return (double)(int64_t)x;
}

static double upper(double x)
{
    return lower(x) < x ? lower(x) + 1 : lower(x);
}

/* Calls for `n` neighbours of `bytes` each. One of them has `parts` parts when it is larger than the stage. */
static double calls_for(const struct reading *r, double n, double bytes, double parts)
{
    const double stage = (double)r->layout->stage_bytes;

    if (n * bytes <= stage)
        return 1;
    if (bytes > stage)
        return n * parts;
    return upper(n / lower(stage / bytes));
}

/* The sum of ceil(k / unit) for 1 <= k <= n. */
static double sum_of_quotients(double n, double unit)
{
    const double whole = lower(n / unit);

    return unit * whole * (whole + 1) / 2 + (n - unit * whole) * (whole + 1);
}

/* The sum of calls_for(k, ...) for lo <= k <= hi. */
static double sum_of_calls(const struct reading *r, int64_t lo, int64_t hi, double bytes, double parts)
{
    const double stage = (double)r->layout->stage_bytes, a = (double)(lo - 1), b = (double)hi;
    const double unit = lower(stage / bytes);

    if (b * bytes <= stage)
        return b - a;
    if (bytes > stage)
        return parts * (b * (b + 1) - a * (a + 1)) / 2;
    return sum_of_quotients(b, unit) - sum_of_quotients(a, unit);
}

static void start_reading(struct reading *r, const struct drxi_stored_layout *layout, const int64_t count[])
{
    const int ndim = layout->ndim;
    double bytes = (double)layout->item_bytes;

    *r = (struct reading){ .layout = layout, .ndim = ndim, .row = ndim - 1 };
    r->parts[ndim] = 1;
    for (int i = ndim - 1; i >= 0; i--) {
        const int j = layout->order == DRX_ROW_MAJOR ? i : ndim - 1 - i;

        drxi_pieces(layout->shape[j], layout->chunk[j], count[j], &r->axis[i]);
        r->stride[i] = bytes;
        r->row = bytes <= (double)layout->through_bytes ? i : r->row;
        r->parts[i] = calls_for(r, (double)layout->chunk[j], bytes, r->parts[i + 1]);
        bytes *= (double)layout->chunk[j];
        r->box[i] = bytes;
    }
}

static double sum_of(int64_t lo, int64_t hi)
{
    return ((double)lo + (double)hi) / 2 * (double)(hi - lo + 1);
}

/* Add pieces with lo <= k <= hi on axis p, `each` of every k, that span `within` bytes on the later axes. */
static void add_open(struct reading *r, int64_t lo, int64_t hi, double each, double within)
{
    const double stride = r->stride[r->row];

    if (lo > hi)
        return;
    r->sums.calls += each * sum_of_calls(r, lo, hi, stride, 1);
    r->sums.bytes += each * (stride * (sum_of(lo, hi) - (double)(hi - lo + 1)) + within * (double)(hi - lo + 1));
}

static void add_closed(struct reading *r, int64_t lo, int64_t hi, double each, double within)
{
    const double n = (double)(hi - lo + 1);

    if (lo > hi)
        return;
    r->sums.rows += each * n;
    r->sums.spans += each * (r->stride[r->row] * (sum_of(lo, hi) - n) + within * n);
}

static void add_rows(struct reading *r, double weight, double within)
{
    const struct drxi_pieces *axis = &r->axis[r->row];
    const double gap = r->box[r->row] - (double)r->layout->through_bytes - within;
    int64_t closed = axis->chunk + 1; /* closed from this k on; without a slower axis it makes no difference */

    if (r->row > 0)
        closed = gap <= 0 ? 1 : 1 + (int64_t)upper(gap / r->stride[r->row]);
    for (int i = 0; i < axis->runs; i++) {
        const struct drxi_pieces_run *run = &axis->run[i];

        add_open(r, run->lo, drxi_min(run->hi, closed - 1), weight * run->each, within);
        add_closed(r, drxi_max(run->lo, closed), run->hi, weight * run->each, within);
    }
}

/* All pieces on the axes after p. There are at most a few thousand, since a row of them has at most through_bytes. */
static void each_row(struct reading *r, int i, double weight, double within)
{
    if (i == r->ndim) {
        add_rows(r, weight, within);
        return;
    }
    for (int n = 0; n < r->axis[i].runs; n++) {
        const struct drxi_pieces_run *run = &r->axis[i].run[n];

        for (int64_t k = run->lo; k <= run->hi; k++)
            each_row(r, i + 1, weight * run->each, within + (double)(k - 1) * r->stride[i]);
    }
}

/* Closed rows: axes i < p are whole except for axis j and those before it. */
static struct drxi_read read_up_to(const struct reading *r, int j, double whole, double rest)
{
    const struct drxi_pieces *axis = &r->axis[j];
    const double spans = r->sums.spans + r->sums.rows * rest;
    const double partial = axis->all - axis->whole;
    struct drxi_read read = { 0, 0 };

    for (int i = 0; i < axis->runs; i++) {
        const struct drxi_pieces_run *run = &axis->run[i];
        const int64_t hi = drxi_min(run->hi, axis->chunk - 1);

        if (run->lo <= hi)
            read.calls += run->each * sum_of_calls(r, run->lo, hi, r->stride[j], r->parts[j + 1]);
    }
    read.calls *= r->sums.rows * whole;
    read.bytes = ((double)axis->request - (double)axis->chunk * axis->whole - partial) * r->stride[j] * r->sums.rows;
    read.bytes = (read.bytes + partial * spans) * whole;
    for (int i = 0; i < j; i++) {
        read.calls *= (double)r->axis[i].request; /* as many elements as the expected pieces have */
        read.bytes *= (double)r->axis[i].request;
    }
    return read;
}

/* All pieces, each read by itself. */
static struct drxi_read read_pieces(struct reading *r)
{
    struct drxi_read all;
    double whole = 1, rest = 0; /* for the later axes: expected whole pieces, and bytes before the last row */

    each_row(r, r->row + 1, 1, (double)r->layout->item_bytes);
    all = (struct drxi_read){ r->sums.calls, r->sums.bytes };
    for (int i = 0; i < r->row; i++) {
        all.calls *= (double)r->axis[i].request;
        all.bytes *= (double)r->axis[i].request;
    }
    for (int j = r->row - 1; j >= 0; j--) {
        const struct drxi_read read = read_up_to(r, j, whole, rest);

        all.calls += read.calls;
        all.bytes += read.bytes;
        whole *= r->axis[j].whole;
        rest += (double)(r->axis[j].chunk - 1) * r->stride[j];
    }
    all.calls += whole * r->sums.rows * r->parts[0];
    all.bytes += whole * (r->sums.spans + r->sums.rows * rest);
    return all;
}

/* Calls for the whole chunks of a request. At any position a row of them along an axis has n or n + 1. */
static double calls_for_whole(const struct drxi_stored_layout *layout, const int64_t count[],
                              const struct drxi_pieces *const axis[])
{
    const double batch = (double)drxi_min(drxi_max(layout->stage_bytes / layout->pitch_bytes, 1), DRXI_READ_BATCH);
    double calls = 1, run = 1;
    int j = layout->ndim - 1;

    if (!layout->scattered) {
        for (; j > 0 && count[j] == layout->shape[j] && layout->shape[j] % layout->chunk[j] == 0; j--)
            run *= axis[j]->whole; /* a run continues from one row to the next */
        const double n = lower(axis[j]->whole), more = axis[j]->whole - n;

        calls = (1 - more) * upper(n * run / batch) + more * upper((n + 1) * run / batch);
        j--;
    }
    for (; j >= 0; j--)
        calls *= axis[j]->whole;
    return calls;
}

struct drxi_read drxi_expect_read(const struct drxi_stored_layout *layout, const int64_t count[])
{
    const struct drxi_pieces *axis[DRX_MAX_NDIM];
    const double pitch = (double)layout->pitch_bytes;
    struct reading r;
    struct drxi_read read;
    double chunks = 1, calls;

    start_reading(&r, layout, count);
    for (int j = 0; j < layout->ndim; j++) {
        axis[j] = &r.axis[layout->order == DRX_ROW_MAJOR ? j : layout->ndim - 1 - j];
        chunks *= axis[j]->whole;
    }
    read = read_pieces(&r);
    if (layout->pitch_bytes > layout->stage_bytes || chunks <= 0)
        return read;
    calls = calls_for_whole(layout, count, axis);
    read.calls += calls - chunks;
    read.bytes += (chunks - calls) * (pitch - r.box[0]); /* padding between them */
    return read;
}
