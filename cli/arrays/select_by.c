/* Items of a selection that say a coordinate: lat=45, lat=-10:10, time=1997-12. */
#include "select_by.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/paths.h"

/* The values that a text names: lo <= v <= hi. */
struct wanted {
    double lo, hi;
    bool interval; /* a date of less than all digits: hi itself does not belong to it */
};

static double rounding(const struct coordinate *c, double value)
{
    return c->dates ? 0 : fabs(value) * (c->cf.type == DRX_FLOAT64 ? 4 * DBL_EPSILON : FLT_EPSILON);
}

static int name_misuse(const struct coordinate *c, const char *text)
{
    return c->dates ? misused("%s=%s of %s: %s", c->name, text, c->path, drx_last_error())
                    : misused("%s=%s of %s is not a number; give a coordinate such as %s=%g, or a range such as "
                              "%s=%g:%g",
                              c->name, text, c->path, c->name, c->value[0], c->name, c->value[0], c->value[c->n - 1]);
}

/* False, silently, when the text is no value of the coordinate. */
static bool parse_value(const struct coordinate *c, const char *text, struct wanted *w)
{
    char *end;

    w->interval = c->dates;
    if (c->dates)
        return drx_cf_interval(&c->cf, text, &w->lo, &w->hi) == DRX_OK;
    w->lo = w->hi = strtod(text, &end);
    return end != text && !*end && isfinite(w->lo);
}

static const char *text_at(const struct coordinate *c, int64_t i, char text[DRX_CF_TEXT_BYTES])
{
    if (drx_cf_text(&c->cf, c->value[i], text))
        (void)snprintf(text, DRX_CF_TEXT_BYTES, "%.9g", c->value[i]);
    return text;
}

static bool belongs(const struct coordinate *c, int64_t i, const struct wanted *w)
{
    const double v = c->value[i], e = rounding(c, v);

    return v >= w->lo - e && (w->interval ? v < w->hi : v <= w->hi + e);
}

static int64_t count_held(const struct coordinate *c, const struct wanted *w)
{
    int64_t held = 0;

    for (int64_t i = 0; i < c->n; i++)
        held += belongs(c, i, w);
    return held;
}

/* ---- a value: the nearest ---- */

static double distance(const struct coordinate *c, int64_t i, const struct wanted *w)
{
    const double v = c->value[i];

    return v < w->lo ? w->lo - v : v > w->hi ? v - w->hi : 0;
}

/* Values further outside than half a step are refused: nearest to them is nothing. */
static bool is_near(const struct coordinate *c, int64_t i, const struct wanted *w)
{
    const double first = c->value[0], last = c->value[c->n - 1];
    const double outside = fmax(fmin(first, last) - w->hi, w->lo - fmax(first, last));
    const int64_t beside = i > 0 ? i - 1 : c->n > 1 ? 1 : 0;

    return outside <= fabs(c->value[i] - c->value[beside]) / 2 + rounding(c, c->value[i]);
}

/* Of two equally near, the larger, as pandas has it. */
static int64_t find_nearest(const struct coordinate *c, const struct wanted *w)
{
    int64_t best = 0;

    for (int64_t i = 1; i < c->n; i++) {
        const double d = distance(c, i, w) - distance(c, best, w);

        if (d < 0 || (d == 0 && c->value[i] > c->value[best]))
            best = i;
    }
    return best;
}

/* ---- longitudes: what is `circle` apart is one place; it is named in messages, never taken instead ---- */

static const double circle = 360;

/* To the library, by their units: 360 is as near to 0 as 0 is. */
bool is_longitude(const struct coordinate *c)
{
    const drx_cf plain = { .type = DRX_FLOAT64, .units = c->cf.units };
    const double zero = 0;
    int64_t index;

    return !c->dates && drx_cf_nearest(&plain, 1, &zero, circle, 0, &index) == DRX_OK;
}

static struct wanted turned(const struct wanted *w, double turns)
{
    return (struct wanted){ w->lo + turns * circle, w->hi + turns * circle, w->interval };
}

/* The turn after which the value is nearest to a coordinate, no further outside than half a step, or the range holds
 * most of them. 0: none is. */
static double find_turn(const struct coordinate *c, const struct wanted *w)
{
    const double begin = ceil((fmin(c->value[0], c->value[c->n - 1]) - w->hi) / circle);
    const double end = floor((fmax(c->value[0], c->value[c->n - 1]) - w->lo) / circle);
    double best = 0, most = -INFINITY;

    if (!is_longitude(c) || !(fabs(begin) < 1e4) || !(fabs(end) < 1e4))
        return 0;
    for (double turn = begin - 1; turn <= end + 1; turn++) {
        const struct wanted t = turned(w, turn);
        const int64_t i = find_nearest(c, &t);
        const double worth = w->lo < w->hi ? (double)count_held(c, &t) : -distance(c, i, &t);

        if (worth > most && (w->lo < w->hi ? worth > 0 : is_near(c, i, &t))) {
            most = worth;
            best = turn;
        }
    }
    return best;
}

/* Does the value after some turns lie in the range, beyond all coordinates? Then the range means it, too. */
static bool is_meant(const struct coordinate *c, double value, const struct wanted *w)
{
    const double e = rounding(c, circle), least = fmin(c->value[0], c->value[c->n - 1]);
    const double most = fmax(c->value[0], c->value[c->n - 1]), lo = fmax(w->lo, least - 2 * circle);
    const double hi = fmin(w->hi, most + 2 * circle);
    const double low = value + circle * ceil((lo - e - value) / circle);
    const double high = value + circle * floor((hi + e - value) / circle);

    return (low <= hi + e && low < least - e) || (high >= lo - e && high > most + e);
}

/* Refuse a range that means longitudes which it would leave out: lon=-30:30 where they go from 0 to 358. */
static int check_circle(const struct coordinate *c, const char *text, const struct wanted *w, int64_t lo, int64_t end)
{
    char first[DRX_CF_TEXT_BYTES], last[DRX_CF_TEXT_BYTES], from[DRX_CF_TEXT_BYTES], to[DRX_CF_TEXT_BYTES];
    char left_from[DRX_CF_TEXT_BYTES], left_to[DRX_CF_TEXT_BYTES];
    int64_t left = -1, left_end = -1;

    if (!isfinite(w->lo) || !isfinite(w->hi) || !is_longitude(c))
        return DONE;
    for (int64_t i = 0; i < c->n; i++)
        if ((i < lo || i >= end) && is_meant(c, c->value[i], w)) {
            left = left < 0 ? i : left;
            left_end = i + 1;
        }
    if (left < 0)
        return DONE;
    (void)text_at(c, lo, from);
    (void)text_at(c, end - 1, to);
    (void)text_at(c, left, left_from);
    (void)text_at(c, left_end - 1, left_to);
    return failed(
        "%s: %s=%s goes beyond the coordinates, which go from %s to %s, and leaves out %s to %s, which are the "
        "same longitudes; read %s=%s:%s and %s=%s:%s, each by itself",
        c->path, c->name, text, text_at(c, 0, first), text_at(c, c->n - 1, last), left_from, left_to, c->name, from, to,
        c->name, left_from, left_to);
}

/* Refuse what lies outside, or between two coordinates, and name the longitude that would do. */
static int fail_outside(const struct coordinate *c, const char *text, const struct wanted *w, const char *how)
{
    char first[DRX_CF_TEXT_BYTES], last[DRX_CF_TEXT_BYTES], same[2 * DRX_CF_TEXT_BYTES + 64] = "";
    const double turn = find_turn(c, w);
    const struct wanted t = turned(w, turn);

    if (turn != 0 && t.lo < t.hi)
        (void)snprintf(same, sizeof same, "; %s=%.9g:%.9g is the same longitudes", c->name, t.lo, t.hi);
    else if (turn != 0)
        (void)snprintf(same, sizeof same, "; %s=%.9g is the same longitude", c->name, t.lo);
    return failed("%s: %s=%s %s the coordinates, which go from %s to %s%s", c->path, c->name, text, how,
                  text_at(c, 0, first), text_at(c, c->n - 1, last), same);
}

static int select_nearest(const struct coordinate *c, const char *text, const struct wanted *w, struct range *r)
{
    const int64_t best = find_nearest(c, w);

    if (!is_near(c, best, w))
        return fail_outside(c, text, w, "is outside of");
    *r = (struct range){ best, 1, 1, true };
    return DONE;
}

/* ---- a range ---- */

static int select_range(const struct coordinate *c, const char *text, const struct wanted *w, int64_t step,
                        struct range *r)
{
    int64_t lo = 0, end;
    int status;

    while (lo < c->n && !belongs(c, lo, w))
        lo++;
    for (end = lo; end < c->n && belongs(c, end, w); end++)
        continue;
    if (lo == end)
        return fail_outside(c, text, w, "holds none of");
    status = check_circle(c, text, w, lo, end);
    if (status)
        return status;
    *r = (struct range){ lo, (end - lo - 1) / step + 1, 1, false };
    r->step = r->count > 1 ? step : 1;
    return DONE;
}

/* The range from one text to another; an empty one is an open end. Both orders mean the same range. False, silently:
 * they are no values. */
static bool parse_ends(const struct coordinate *c, const char *from, const char *to, struct wanted *w)
{
    struct wanted ends[2] = { { -INFINITY, -INFINITY, false }, { INFINITY, INFINITY, false } };

    if ((*from && !parse_value(c, from, &ends[0])) || (*to && !parse_value(c, to, &ends[1])))
        return false;
    if (!*from && *to && c->falls)
        ends[0].hi = ends[0].lo = INFINITY;
    if (!*to && c->falls)
        ends[1].hi = ends[1].lo = -INFINITY;
    *w = ends[0].lo <= ends[1].lo ? (struct wanted){ ends[0].lo, ends[1].hi, ends[1].interval }
                                  : (struct wanted){ ends[1].lo, ends[0].hi, ends[0].interval };
    return true;
}

/* Try each separator: times of day have colons, too. Returns the number of ways to read the text as a range. */
static int split_range(const struct coordinate *c, char *text, struct wanted *w)
{
    char *at = strstr(text, "..");
    int ways = 0;

    if (at) {
        *at = '\0';
        ways = parse_ends(c, text, at + 2, w);
        *at = '.';
        return ways;
    }
    for (at = strchr(text, ':'); at; at = strchr(at + 1, ':')) {
        struct wanted found;

        *at = '\0';
        if (parse_ends(c, text, at + 1, &found)) {
            *w = found;
            ways++;
        }
        *at = ':';
    }
    return ways;
}

/* Cut a stride off the end: 10:20:2. Returns the colon before it; NULL: there is none. */
static char *find_stride(char *text, int64_t *step)
{
    char *colon = strrchr(text, ':'), *end;

    if (!colon || colon == text)
        return NULL;
    *step = strtoll(colon + 1, &end, 10);
    return *end || end == colon + 1 || *step < 1 ? NULL : colon;
}

static int select_text(const struct coordinate *c, char *text, struct range *r)
{
    struct wanted w;
    int64_t step = 1;
    char *stride;
    int ways;

    if (parse_value(c, text, &w)) {
        const int64_t held = count_held(c, &w);

        if (!w.interval || held == 0)
            return select_nearest(c, text, &w, r);
        ways = select_range(c, text, &w, 1, r);
        r->one = held == 1;
        return ways;
    }
    ways = split_range(c, text, &w);
    if (ways == 0 && (stride = find_stride(text, &step))) {
        *stride = '\0';
        ways = split_range(c, text, &w);
        *stride = ':';
    }
    if (ways > 1)
        return misused("%s=%s of %s has several meanings; write the range with two dots, FROM..TO", c->name, text,
                       c->path);
    if (ways == 0) {
        (void)parse_value(c, text, &w); /* for the detail */
        return name_misuse(c, text);
    }
    return select_range(c, text, &w, step, r);
}

/* ---- the coordinate ---- */

static int check_order(struct coordinate *c)
{
    char before[DRX_CF_TEXT_BYTES], after[DRX_CF_TEXT_BYTES];

    c->falls = c->n > 1 && c->value[1] < c->value[0];
    for (int64_t i = 0; i < c->n; i++) {
        if (isnan(c->value[i]))
            return failed("%s: %s[%" PRId64 "] is missing; select by indices", c->path, c->name, i);
        if (i > 0 && (c->falls ? c->value[i] >= c->value[i - 1] : c->value[i] <= c->value[i - 1]))
            return failed("%s: %s neither rises nor falls: %s, at index %" PRId64 ", comes after %s; select by indices",
                          c->path, c->name, text_at(c, i, after), i, text_at(c, i - 1, before));
    }
    return DONE;
}

int read_values(struct coordinate *c, drx_array *from)
{
    static const int64_t lo[DRX_MAX_NDIM];
    char *stored;
    int is_date = 0;
    drx_status st = DRX_ENOMEM;

    c->n = box_bytes(drx_ndim(from), drx_shape(from), 1);
    stored = malloc((size_t)c->n * drx_type_size(drx_dtype(from)) + 1);
    c->value = malloc((size_t)c->n * sizeof *c->value + 1);
    if (stored && c->value)
        st = read_at(from, lo, drx_shape(from), DRX_ROW_MAJOR, stored);
    if (!st)
        st = drx_cf_describe(from, &c->cf);
    if (!st)
        st = drx_cf_is_date(&c->cf, &is_date);
    if (!st)
        st = drx_cf_unpack(&c->cf, c->n, stored, c->value);
    free(stored);
    c->dates = is_date;
    return st ? failed("%s: coordinate %s: %s", c->path, c->name, drx_last_error()) : DONE;
}

/* The array is the coordinate of its own axis. */
static drx_array *open_again(const drx_array *a, const char *path, const char *name)
{
    return drx_ndim(a) == 1 && strcmp(base_name(path), name) == 0 && type_is_real(drx_dtype(a))
               ? open_array_beside(a, path, name)
               : NULL;
}

/* ---- names ---- */

/* The first of the fixed strings that is the text. */
static int select_name(const struct coordinate *c, drx_array *names, const char *text, struct range *r)
{
    const drx_type type = drx_dtype(names);
    const size_t bytes = drx_type_size(type);
    char *stored = malloc((size_t)c->n * bytes + 1), name[STRING_UTF8_BYTES];
    const drx_status st = stored ? read_at(names, &(int64_t){ 0 }, &c->n, DRX_ROW_MAJOR, stored) : DRX_ENOMEM;
    int64_t at = 0;
    size_t length;

    for (; !st && at < c->n; at++)
        if (utf8_of_string(type, stored + (size_t)at * bytes, name, &length) && length == strlen(text) &&
            memcmp(name, text, length) == 0)
            break;
    free(stored);
    if (st)
        return failed_drx(c->path, st);
    if (at == c->n)
        return failed("%s: %s=%s is none of the %" PRId64 " names along that axis", c->path, c->name, text, c->n);
    *r = (struct range){ at, 1, 1, true };
    return DONE;
}

/* ---- axes of arrays and datasets ---- */

const char *frame_name(const struct frame *f, int axis)
{
    return f->a ? drx_dim_name(f->a, axis) : drx_dataset_dim(f->ds, axis, NULL);
}

int64_t frame_extent(const struct frame *f, int axis)
{
    int64_t bound;

    if (f->a)
        return drx_shape(f->a)[axis];
    (void)drx_dataset_dim(f->ds, axis, &bound);
    return bound - drx_dataset_dim_lower(f->ds, axis);
}

int frame_axis(const struct frame *f, const char *name)
{
    for (int j = 0; j < f->n; j++)
        if (frame_name(f, j) && strcmp(frame_name(f, j), name) == 0)
            return j;
    return -1;
}

drx_array *frame_member(const struct frame *f, const char *name)
{
    drx_array *a;

    return drx_dataset_find(f->ds, name) >= 0 && drx_dataset_array(f->ds, name, &a) == DRX_OK ? a : NULL;
}

/* The coordinates along the axis: numbers or fixed strings. NULL: there are none. */
static drx_array *open_along(const struct frame *f, int axis)
{
    drx_array *found = f->a ? open_labels(f->a, f->path, axis) : frame_member(f, frame_name(f, axis));

    if (!f->a)
        return found && drx_ndim(found) == 1 && !type_is_complex(drx_dtype(found)) ? found : NULL;
    found = kept_if(found && (type_is_real(drx_dtype(found)) || DRX_IS_STRING(drx_dtype(found))), found);
    return found ? found : open_again(f->a, f->path, frame_name(f, axis));
}

int select_by(const struct frame *f, int axis, char *text, struct range *r)
{
    struct coordinate c = { .path = f->path, .name = frame_name(f, axis), .n = frame_extent(f, axis) };
    drx_array *from = open_along(f, axis);
    int status;

    if (!from)
        return failed("%s: there is no array %s of %" PRId64 " numbers beside it, with the coordinates of that axis; "
                      "select by indices",
                      f->path, c.name, f->a ? drx_shape(f->a)[axis] : c.n);
    if (DRX_IS_STRING(drx_dtype(from)))
        status = select_name(&c, from, text, r);
    else if (c.n == 0)
        status = failed("%s: %s has no index yet", f->path, c.name);
    else if (!(status = read_values(&c, from)) && !(status = check_order(&c)))
        status = select_text(&c, text, r);
    free(c.value);
    if (f->a)
        (void)drx_close(from);
    return status;
}
