#include "world.h"
#include "base/hooks.h"

#include "cut.h"
#include "drx_tools.h"

void world_add(struct world *w, struct truth *t)
{
    assert_true(w->truths < WORLD_MOST);
    w->truth[w->truths++] = t;
}

void world_drop(struct world *w, struct truth *t)
{
    for (int i = 0; i < w->truths; i++)
        if (w->truth[i] == t) {
            w->truths--;
            memmove(w->truth + i, w->truth + i + 1, (size_t)(w->truths - i) * sizeof t);
            break;
        }
    truth_free(t);
}

void world_free(struct world *w)
{
    while (w->truths > 0)
        world_drop(w, w->truth[0]);
}

struct truth *world_at(const struct world *w, const char *place)
{
    for (int i = w->truths - 1; i >= 0; i--)
        if (truth_is_at(w->truth[i], place))
            return w->truth[i];
    return NULL;
}

struct looking {
    const struct world *w;
    struct crash crash;
    char *why;
    size_t room;
    uint64_t random;
    enum { NONE, BROKEN, WHOLE } found[WORLD_MOST]; /* at the places */
    const struct truth *is[WORLD_MOST];
};

static bool wrong(struct looking *l, const char *place, const char *what)
{
    (void)snprintf(l->why, l->room, "%s: %s: %s", place, what, drx_last_error());
    return false;
}

static bool is_file(const char *place, const char *suffix)
{
    char name[300];
    drxi_io *io;
    drx_status st;

    (void)snprintf(name, sizeof name, "%s%s", place, suffix);
    st = drxi_files->open(name, DRXI_READ, &io);
    if (!st)
        (void)io->ops->close(io);
    return !st;
}

static const struct truth *recognise(struct looking *l, const char *place, drx_array *a)
{
    int version;

    (void)snprintf(l->why, l->room, "no array may be here");
    for (int i = l->w->truths - 1; i >= 0; i--)
        if (truth_is_at(l->w->truth[i], place) &&
            truth_agrees(l->w->truth[i], a, l->crash.demand, &version, l->why, l->room))
            return l->w->truth[i];
    return NULL;
}

static bool same_elements(drx_array *a, const void *expected)
{
    void *buf = truth_read(a);
    const size_t n = (size_t)truth_elements(drx_ndim(a), drx_shape(a)) * drx_type_size(drx_dtype(a));
    const bool same = buf && memcmp(buf, expected, n) == 0;

    free(buf);
    return same;
}

/* Something is there that is no whole array: not if all that it can be were promised to be whole, nor if a process was
 * killed on its way. */
static bool may_be_broken(struct looking *l, const char *place)
{
    const bool killed = l->crash.demand != POWER_CUT && !l->w->was_cut;
    int here = 0, whole = 0;

    (void)snprintf(l->why, l->room, "%s", drx_last_error());
    if (!is_file(place, ".xmd"))
        return true;
    for (int i = 0; i < l->w->truths; i++)
        if (truth_is_at(l->w->truth[i], place)) {
            here++;
            whole += killed || (l->w->truth[i]->sound && l->crash.ordered);
        }
    return here == 0 || whole < here || wrong(l, place, "its metadata are there, but it is not whole");
}

/* Open for writing what was found in reading; it has to be the same. */
static bool look_to_write(struct looking *l, int p, const void *expected)
{
    const char *place = l->w->place[p];
    drx_array *a;
    bool good;

    if (drx_open(place, DRX_RDWR, &a))
        return wrong(l, place, "opening it for writing");
    good = truth_is_at(l->is[p], place) && recognise(l, place, a) == l->is[p];
    if (good && !same_elements(a, expected))
        good = wrong(l, place, "opening it for writing has changed elements");
    if (drx_close(a))
        return wrong(l, place, "closing it");
    return good;
}

/* What is left of the metadata of an array that was never synced can look like any of these. */
static bool is_no_array(drx_status st)
{
    return st == DRX_EFORMAT || st == DRX_EDAMAGED || st == DRX_EUNSUPPORTED;
}

static bool look(struct looking *l, int p)
{
    const char *place = l->w->place[p];
    drx_array *a;
    void *buf;
    bool good;
    const drx_status st = drx_open(place, DRX_RDONLY, &a);

    if (st) {
        l->found[p] = is_file(place, ".xmd") || is_file(place, ".xta") || is_file(place, ".xtz") ? BROKEN : NONE;
        return st == DRX_ENOENT || is_no_array(st) ? may_be_broken(l, place) : wrong(l, place, "opening it");
    }
    if (strstr(drx_last_error(), "damaged") || strstr(drx_last_error(), "cannot be")) {
        l->found[p] = BROKEN;
        good = may_be_broken(l, place);
        return drx_close(a) == DRX_OK && good;
    }
    l->found[p] = WHOLE;
    l->is[p] = recognise(l, place, a);
    buf = truth_read(a);
    good = l->is[p] && buf;
    if (drx_close(a))
        good = wrong(l, place, "closing it");
    good = good && look_to_write(l, p, buf);
    free(buf);
    return good;
}

static bool is_due(const struct looking *l, const struct truth *t)
{
    return l->crash.demand == POWER_CUT ? t->must : t->there;
}

static bool look_at_all(struct looking *l)
{
    char what[400] = "";

    for (int p = 0; p < l->w->places; p++)
        if (!look(l, p))
            return false;
    (void)snprintf(what, sizeof what, "%.399s", l->why);
    for (int i = 0; i < l->w->truths; i++) {
        int times = 0;

        for (int p = 0; p < l->w->places; p++)
            times += l->found[p] == WHOLE && l->is[p] == l->w->truth[i];
        if (times > 1 || (times == 0 && is_due(l, l->w->truth[i]))) {
            (void)snprintf(l->why, l->room, "the array at %s is there %d times: %s",
                           l->w->truth[i]->at[0] ? l->w->truth[i]->at[0] : "another place", times, what);
            return false;
        }
    }
    return true;
}

enum { TEXT_BYTES = 400 };

struct findings {
    char error[TEXT_BYTES], warning[TEXT_BYTES]; /* the last ones */
};

static void keep(void *user, drx_severity severity, const char *text)
{
    struct findings *f = user;

    if (severity != DRX_NOTE &&
        !strstr(text, "not completed")) /* an append whose INTENT is the last record, undone or not */
        (void)snprintf(severity == DRX_ERROR ? f->error : f->warning, TEXT_BYTES, "%s", text);
}

/* What only a power cut leaves may be mended later; else nothing is to be found. */
static bool check(struct looking *l, const char *place)
{
    struct findings f = { "", "" };
    const drx_status st = drx_check(place, keep, &f, NULL, NULL);

    if (st == DRX_OK && (l->crash.demand == POWER_CUT || l->w->was_cut || !f.warning[0]))
        return true;
    (void)snprintf(l->why, l->room, "%s: checking it: %s%s%s", place, f.error, f.warning,
                   st && !f.error[0] ? drx_last_error() : "");
    return false;
}

/* The old elements are in the new bounds, and nothing but fill beside them. */
static bool only_fill_beside(const struct truth *t, drx_array *a, const struct version *old, const void *expected)
{
    const size_t bytes = drx_type_size(t->type);
    const int32_t fill32 = (int32_t)t->fill;
    const void *fill = t->type == DRX_INT32 ? (const void *)&fill32 : &t->fill;
    const int64_t *shape = drx_shape(a), *lower = drx_lower(a);
    const char *before = expected;
    char *buf = truth_read(a);
    char *now = buf;
    int64_t index[TRUTH_NDIM] = { 0 };
    bool good = buf != NULL;

    for (bool more = good; good && more; more = next_index(old->ndim, shape, index), now += bytes) {
        bool inside = true;

        for (int j = 0; j < old->ndim; j++) {
            const int64_t at = lower[j] + index[j] - old->lower[j];

            inside = inside && at >= 0 && at < old->shape[j];
        }
        good = memcmp(now, inside ? before : fill, bytes) == 0;
        before += inside ? bytes : 0;
    }
    free(buf);
    return good;
}

/* Inside of chunks first, then past them, each axis in turn, at either end. */
static bool grow(struct looking *l, int p, drx_array *a)
{
    const struct truth *t = l->is[p];
    struct version old = { .ndim = drx_ndim(a) };
    const int first = (int)random_below(&l->random, old.ndim);
    void *expected = truth_read(a);
    bool good = expected || wrong(l, l->w->place[p], "reading it");

    memcpy(old.lower, drx_lower(a), (size_t)old.ndim * sizeof *old.lower);
    memcpy(old.shape, drx_shape(a), (size_t)old.ndim * sizeof *old.shape);
    for (int round = 0; good && round < 2; round++) {
        for (int j = 0; good && j < old.ndim; j++) {
            const int axis = (first + j) % old.ndim;
            const int64_t by = round ? l->w->chunk : 1;

            if (random_below(&l->random, 2) ? drx_extend(a, axis, by) : drx_extend_before(a, axis, by))
                good = wrong(l, l->w->place[p], "letting it grow");
        }
        if (good && truth_elements(old.ndim, drx_shape(a)) > 0 && !only_fill_beside(t, a, &old, expected))
            good = wrong(l, l->w->place[p], "growth has shown more than the fill");
    }
    free(expected);
    return good;
}

static bool go_on(struct looking *l, int p)
{
    const char *place = l->w->place[p];
    int64_t shape[TRUTH_NDIM], lower[TRUTH_NDIM];
    drx_array *a;
    bool good;

    if (!check(l, place))
        return false;
    if (drx_open(place, DRX_RDWR, &a))
        return wrong(l, place, "opening it again");
    if (drx_last_error()[0])
        return wrong(l, place, "opening it again has something to report");
    good = grow(l, p, a);
    memcpy(shape, drx_shape(a), (size_t)drx_ndim(a) * sizeof *shape);
    memcpy(lower, drx_lower(a), (size_t)drx_ndim(a) * sizeof *lower);
    if (drx_close(a) || !good)
        return good && wrong(l, place, "closing it again");
    if (drx_open(place, DRX_RDONLY, &a))
        return wrong(l, place, "opening it at last");
    good = (memcmp(shape, drx_shape(a), (size_t)drx_ndim(a) * sizeof *shape) == 0 &&
            memcmp(lower, drx_lower(a), (size_t)drx_ndim(a) * sizeof *lower) == 0) ||
           wrong(l, place, "other bounds");
    return drx_close(a) == DRX_OK && good && check(l, place);
}

/* What is not whole is not in the way. */
static bool clear(struct looking *l, int p)
{
    const int64_t shape[1] = { 3 };
    const drx_spec spec = { .ndim = 1, .type = DRX_INT8, .shape = shape, .flags = DRX_REPLACE };
    const char *place = l->w->place[p];
    drx_array *a;

    if (random_below(&l->random, 2) == 0) {
        if (drx_create(place, &spec, &a) || drx_close(a))
            return wrong(l, place, "replacing what is left");
        return check(l, place);
    }
    if (drx_remove(place))
        return wrong(l, place, "removing what is left");
    return !is_file(place, ".xmd") && !is_file(place, ".xta") && !is_file(place, ".xtz");
}

static bool go_on_with_all(struct looking *l, struct tally *tally)
{
    for (int p = 0; p < l->w->places; p++)
        if (l->found[p] == WHOLE && !go_on(l, p))
            return false;
    for (int p = 0; p < l->w->places; p++) {
        if (l->found[p] == BROKEN && !clear(l, p))
            return false;
        *(l->found[p] == WHOLE ? &tally->whole : l->found[p] == BROKEN ? &tally->broken : &tally->none) += 1;
    }
    return true;
}

enum { NESTED_CHOICES = 3 };

static bool crash_again(const struct looking *l, const struct image *im, const struct disk *d, int changes,
                        struct tally *tally)
{
    struct cut c;
    bool good = true;
    uint64_t random = l->random;

    cut_start(&c, im);
    for (int k = 0; good && k < changes; k++) {
        cut_add(&c, disk_change(d, k));
        for (int i = 0; good && i < NESTED_CHOICES; i++) {
            struct crash next = l->crash;
            struct choice choice;
            struct image again;

            cut_choose(&c, 0, random_next(&random), i < 2 ? i : cut_listed(&c, 0), &choice);
            cut_build(&c, &choice, &again);
            next.seed = 0;
            if (i != CUT_ALL) {
                next.demand = POWER_CUT;
                next.ordered = next.ordered && choice.ordered;
                next.boot++;
            }
            good = world_check(l->w, &again, next, tally, l->why, l->room);
            if (!good)
                print_error("crashed again after %d changes of mending it, choice %d\n", k + 1, i);
            tally->nested++;
            image_free(&again);
        }
    }
    cut_free(&c);
    return good;
}

bool world_check(const struct world *w, const struct image *im, struct crash crash, struct tally *tally, char *why,
                 size_t room)
{
    struct looking l = { .w = w, .crash = crash, .why = why, .room = room, .random = crash.seed ^ image_hash(im) };
    struct image own;
    const uint32_t boot = drxi_hooks.other_boot;
    struct disk *d, *before;
    bool good;
    int changes;

    image_copy(im, &own);
    d = disk_new(&own);
    before = disk_use(d);
    drxi_hooks.other_boot = crash.boot;
    why[0] = '\0';
    good = look_at_all(&l);
    changes = disk_changes(d);
    good = good && go_on_with_all(&l, tally);
    if (good && crash.seed)
        good = crash_again(&l, im, d, changes, tally);
    drxi_hooks.other_boot = boot;
    disk_use(before);
    disk_free(d);
    return good;
}
