/* Where new coordinates go after stored ones, and whether two coordinates are equal. */
#include "cf/cf.h"

#include <inttypes.h>
#include <math.h>

/* The new coordinates: their values in the units of the stored ones, and how exact these are. */
struct aligning {
    const drx_cf *stored, *given;
    const void *old;
    int64_t m, n;
    drxi_cf_real *values; /* n, then n of `rounding`, then n as they will be stored */
    drxi_cf_real *rounding, *kept;
    uint8_t *encoded;
    int direction; /* 1: values rise; -1: they fall; 0: not known */
};

static drxi_cf_real old_value(const struct aligning *w, int64_t i)
{
    return drxi_cf_unpack_one(w->stored, w->old, i);
}

/* ---- are coordinates in order? ------------------------------------------------------------ */

static drx_status out_of_order(const struct aligning *w, const char *whose, int64_t i, drxi_cf_real before,
                               drxi_cf_real value)
{
    char texts[2][DRX_CF_TEXT_BYTES];

    (void)drxi_cf_say(w->stored, before, texts[0]);
    (void)drxi_cf_say(w->stored, value, texts[1]);
    return drxi_fail(DRX_EMISMATCH, "%s: %s index %" PRId64 " is %s and index %" PRId64 " is %s%s",
                     drxi_cf_label(w->stored), whose, i - 1, texts[0], i, texts[1],
                     before == value ? ", which repeats it; coordinates must differ"
                                     : "; coordinates must all rise or all fall");
}

static int sign(drxi_cf_real number)
{
    return (number > 0) - (number < 0);
}

static drx_status check_missing(const struct aligning *w, const char *whose, int64_t i, drxi_cf_real value)
{
    return isnan(value) ? drxi_fail(DRX_EMISMATCH,
                                    "%s: %s index %" PRId64 " is missing (NaN or _FillValue); an append "
                                    "needs all coordinates",
                                    drxi_cf_label(w->stored), whose, i)
                        : DRX_OK;
}

/* All steps of the stored ones go one way, which becomes the direction. */
static drx_status check_stored(struct aligning *w)
{
    drxi_cf_real before = 0;
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < w->m; i++) {
        const drxi_cf_real value = old_value(w, i);

        st = check_missing(w, "stored", i, value);
        if (!st && i == 1)
            w->direction = sign(value - before);
        if (!st && i > 0 && (value == before || sign(value - before) != w->direction))
            st = out_of_order(w, "stored", i, before, value);
        before = value;
    }
    return st;
}

static drx_status check_given(struct aligning *w)
{
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < w->n; i++) {
        const drxi_cf_real step = i > 0 ? w->values[i] - w->values[i - 1] : 0;

        st = check_missing(w, "new", i, w->values[i]);
        if (!st && i == 1 && !w->direction)
            w->direction = sign(step);
        if (!st && i > 0 && (step == 0 || sign(step) != w->direction))
            st = out_of_order(w, "new", i, w->values[i - 1], w->values[i]);
    }
    return st;
}

static drx_status check_step(const struct aligning *w, int64_t i, drxi_cf_real from, drxi_cf_real to,
                             const char *neighbour)
{
    char text[DRX_CF_TEXT_BYTES];

    if (sign(to - from) == w->direction)
        return DRX_OK;
    (void)drxi_cf_say(w->stored, w->kept[i], text);
    return drxi_fail(DRX_EMISMATCH,
                     "%s: new index %" PRId64 " becomes %s when it is stored as %s, which does not differ from what "
                     "%s it; the stored type or scale_factor is too coarse",
                     drxi_cf_label(w->stored), i, text, drx_type_name(w->stored->type), neighbour);
}

/* Those that are added must still differ when they are stored. */
static drx_status check_kept(const struct aligning *w, const drx_cf_alignment *to)
{
    const int64_t end = to->from + to->appended;
    drx_status st = DRX_OK;

    for (int64_t i = to->from + 1; !st && i < end; i++)
        st = check_step(w, i, w->kept[i - 1], w->kept[i], "precedes");
    if (st || w->m == 0 || to->appended == 0)
        return st;
    return to->side == DRX_CF_AFTER ? check_step(w, to->from, old_value(w, w->m - 1), w->kept[to->from], "precedes")
                                    : check_step(w, end - 1, w->kept[end - 1], old_value(w, 0), "follows");
}

/* ---- which are stored already? -------------------------------------------------------------- */

static bool is_equal(const struct aligning *w, int64_t i, drxi_cf_real old)
{
    return fabsl(w->values[i] - old) <= w->rounding[i] + drxi_cf_rounding(w->stored, old);
}

/* The stored index whose value is nearest to new value i. */
static int64_t nearest(const struct aligning *w, int64_t i)
{
    int64_t lo = 0, hi = w->m - 1;

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (w->direction * (old_value(w, mid) - w->values[i]) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo > 0 && fabsl(old_value(w, lo - 1) - w->values[i]) <= fabsl(old_value(w, lo) - w->values[i]) ? lo - 1 : lo;
}

static drx_status refuse_stored(const struct aligning *w, int64_t i, int64_t at, drx_cf_side side)
{
    char texts[3][DRX_CF_TEXT_BYTES];

    (void)drxi_cf_say(w->stored, w->values[i], texts[0]);
    (void)drxi_cf_say(w->stored, old_value(w, at), texts[1]);
    (void)drxi_cf_say(w->stored, old_value(w, side == DRX_CF_AFTER ? w->m - 1 : 0), texts[2]);
    return drxi_fail(
        DRX_EMISMATCH,
        "%s: new index %" PRId64 " is %s, which is stored already at index %" PRId64 " (%s); the stored ones %s at %s",
        drxi_cf_label(w->stored), i, texts[0], at, texts[1], side == DRX_CF_AFTER ? "end" : "begin", texts[2]);
}

static drx_status refuse_between(const struct aligning *w, int64_t i, int64_t at)
{
    char texts[4][DRX_CF_TEXT_BYTES];

    (void)drxi_cf_say(w->stored, w->values[i], texts[0]);
    (void)drxi_cf_say(w->stored, old_value(w, 0), texts[1]);
    (void)drxi_cf_say(w->stored, old_value(w, w->m - 1), texts[2]);
    (void)drxi_cf_say(w->stored, old_value(w, at), texts[3]);
    return drxi_fail(DRX_EMISMATCH,
                     "%s: new index %" PRId64
                     " is %s, but the stored ones go from %s to %s, and none of them equals it; the nearest is %s, "
                     "index %" PRId64 "; give those that go on from the last one, or lead up to the first",
                     drxi_cf_label(w->stored), i, texts[0], texts[1], texts[2], texts[3], at);
}

static drx_status refuse_both_ends(const struct aligning *w, int64_t i)
{
    char texts[3][DRX_CF_TEXT_BYTES];

    (void)drxi_cf_say(w->stored, w->values[0], texts[0]);
    (void)drxi_cf_say(w->stored, w->values[i], texts[1]);
    (void)drxi_cf_say(w->stored, old_value(w, 0), texts[2]);
    return drxi_fail(DRX_EMISMATCH,
                     "%s: new index 0 is %s, before the first stored one, %s, and new index %" PRId64
                     " is %s, after the last one; give those before and those after one after the other",
                     drxi_cf_label(w->stored), texts[0], texts[2], i, texts[1]);
}

/* Whether new value i comes before the first stored one, or goes on from the last one. */
static bool is_before(const struct aligning *w, int64_t i)
{
    const drxi_cf_real first = old_value(w, 0);

    return !is_equal(w, i, first) && w->direction * (w->values[i] - first) < 0;
}

static bool is_after(const struct aligning *w, int64_t i)
{
    const drxi_cf_real last = old_value(w, w->m - 1);

    return !is_equal(w, i, last) && w->direction * (w->values[i] - last) > 0;
}

/* Find where new value i, which is neither, is stored. */
static drx_status find_stored(const struct aligning *w, int64_t i, drx_cf_overlap overlap, drx_cf_side side,
                              int64_t index[])
{
    const int64_t at = nearest(w, i);

    if (!is_equal(w, i, old_value(w, at)))
        return refuse_between(w, i, at);
    if (overlap == DRX_CF_REFUSE)
        return refuse_stored(w, i, at, side);
    if (index)
        index[i] = at;
    return DRX_OK;
}

/* Find those that are added, and where the others are stored. */
static drx_status place_indices(const struct aligning *w, drx_cf_overlap overlap, int64_t index[], drx_cf_alignment *to)
{
    const bool before = w->m > 0 && w->n > 0 && is_before(w, 0);
    int64_t i = 0;
    drx_status st = DRX_OK;

    to->side = before ? DRX_CF_BEFORE : DRX_CF_AFTER;
    for (; before && i < w->n && is_before(w, i); i++)
        to->appended++;
    for (; !st && w->m > 0 && i < w->n && !is_after(w, i); i++)
        st = find_stored(w, i, overlap, to->side, index);
    if (st)
        return st;
    if (before && i < w->n)
        return refuse_both_ends(w, i);
    if (!before) {
        to->from = i;
        to->appended = w->n - i;
    }
    for (i = to->from; index && i < to->from + to->appended; i++)
        index[i] = (before ? -to->appended : w->m) + i - to->from;
    return DRX_OK;
}

/* ---- the calls ----------------------------------------------------------------------------------- */

static drx_status load_stored(struct aligning *w, const void *elements)
{
    struct drxi_conversion c;
    const int64_t room = drxi_max(w->n, 1);
    drx_status st = drxi_conversion_begin(w->given, w->stored, &c);

    if (st)
        return st;
    w->values = drxi_calloc((size_t)room, 3 * sizeof *w->values);
    w->encoded = drxi_calloc((size_t)room, drx_type_size(w->stored->type));
    if (!w->values || !w->encoded)
        return drxi_fail(DRX_ENOMEM, "no memory for %" PRId64 " coordinates", w->n);
    w->rounding = w->values + room;
    w->kept = w->rounding + room;
    for (int64_t i = 0; i < w->n; i++) {
        w->values[i] = drxi_cf_unpack_one(w->given, elements, i);
        w->rounding[i] = drxi_conversion_rounding(&c, w->values[i]);
    }
    return drxi_conversion_run(&c, 0, w->n, w->values);
}

/* Integers are exact: a floating-point type must hold them, not a number near them. */
static drx_status check_exact(const struct aligning *w, int64_t i)
{
    char text[DRX_CF_TEXT_BYTES];

    if (drxi_cf_is_float(w->given) || drxi_cf_is_packed(w->given) || !drxi_cf_is_float(w->stored) ||
        drxi_cf_is_packed(w->stored) || isnan(w->values[i]) || w->kept[i] == w->values[i] ||
        rintl(w->values[i]) != w->values[i])
        return DRX_OK;
    (void)drxi_cf_say(w->stored, w->values[i], text);
    return drxi_fail(DRX_EMISMATCH,
                     "%s: index %" PRId64 " is %.20Lg (%s), which %s cannot hold exactly; the nearest "
                     "that it holds is %.20Lg",
                     drxi_cf_label(w->stored), i, w->values[i], text, drx_type_name(w->stored->type), w->kept[i]);
}

static drx_status encode(struct aligning *w)
{
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < w->n; i++) {
        const drxi_cf_real slack = w->rounding[i] + drxi_cf_rounding(w->stored, w->values[i]);

        st = drxi_cf_pack_one(w->stored, w->values[i], slack, i, w->encoded);
        if (!st)
            w->kept[i] = drxi_cf_unpack_one(w->stored, w->encoded, i);
        if (!st)
            st = check_exact(w, i);
    }
    return st;
}

static drx_status check_arguments(const drx_cf *stored, int64_t m, const void *have, const drx_cf *given, int64_t n,
                                  const void *elements)
{
    if (m < 0 || n < 0 || (m > 0 && !have) || (n > 0 && !elements))
        return drxi_fail(DRX_EINVAL, "coordinates: a negative number of them, or a null pointer");
    return drx_cf_match(stored, given);
}

drx_status drx_cf_align(const drx_cf *stored, int64_t m, const void *have, const drx_cf *given, int64_t n,
                        const void *more, drx_cf_overlap overlap, int64_t index[], void *encoded, drx_cf_alignment *out)
{
    struct aligning w = { .stored = stored, .given = given, .old = have, .m = m, .n = n };
    drx_cf_alignment found = { 0 };
    int is_date = 0;
    drx_status st = check_arguments(stored, m, have, given, n, more);

    if (!st && !out)
        st = drxi_fail(DRX_EINVAL, "the alignment is a null pointer");
    if (!st && drxi_cf_has_names(stored, given))
        return drxi_names_align(stored, m, have, given, n, more, overlap, index, encoded, out);
    if (!st)
        st = load_stored(&w, more);
    if (!st)
        st = check_stored(&w);
    if (!st)
        st = check_given(&w);
    if (!st && !w.direction && m > 0 && n > 0) {
        (void)drx_cf_is_date(stored, &is_date); /* or units that nobody understands, on both sides */
        w.direction = is_date || w.values[0] > old_value(&w, 0) ? 1 : -1;
    }
    if (!st)
        st = place_indices(&w, overlap, index, &found);
    if (!st)
        st = encode(&w);
    if (!st && w.direction)
        st = check_kept(&w, &found);
    if (!st) {
        *out = found;
        if (encoded && n > 0)
            memcpy(encoded, w.encoded, (size_t)n * drx_type_size(stored->type));
    }
    drxi_free(w.values);
    drxi_free(w.encoded);
    return st;
}

drx_status drx_cf_compare(const drx_cf *stored, const void *have, const drx_cf *given, const void *more, int64_t n,
                          int64_t *first)
{
    struct aligning w = { .stored = stored, .given = given, .old = have, .m = n, .n = n };
    char texts[2][DRX_CF_TEXT_BYTES];
    drx_status st = check_arguments(stored, n, have, given, n, more);

    if (!st && drxi_cf_has_names(stored, given))
        return drxi_names_compare(stored, have, given, more, n, first);
    if (!st)
        st = load_stored(&w, more);
    for (int64_t i = 0; !st && i < n; i++) {
        const drxi_cf_real value = old_value(&w, i);

        if (is_equal(&w, i, value) || w.values[i] == value || (isnan(value) && isnan(w.values[i])))
            continue;
        (void)drxi_cf_say(stored, w.values[i], texts[0]);
        (void)drxi_cf_say(stored, value, texts[1]);
        st = drxi_fail(DRX_EMISMATCH, "%s: index %" PRId64 " is %s, but %s is stored", drxi_cf_label(stored), i,
                       texts[0], texts[1]);
        if (first)
            *first = i;
    }
    drxi_free(w.values);
    drxi_free(w.encoded);
    return st;
}
