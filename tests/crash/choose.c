/* Chooses which of the states that may survive a power cut to try. */
#include "cut.h"

#include "testing.h"

/* Things to choose: bytes or a name of a change, and its length. */
static int things(const struct cut *c)
{
    int n = 0;

    for (int i = 0; i < c->n; i++)
        n += (c->pending[i].change->kind != RESIZE) + cut_has_length(&c->pending[i]);
    return n;
}

static int tearable(const struct cut *c)
{
    int n = 0;

    for (int i = 0; i < c->n; i++)
        n += cut_can_tear(&c->pending[i]);
    return n;
}

static int sets(const struct cut *c, int few)
{
    const int n = things(c);

    return n > 1 && n <= few ? 1 << n : 0;
}

int cut_listed(const struct cut *c, int few)
{
    return c->n == 0 ? 1 : 2 + (c->n > 1 ? c->n : 0) + tearable(c) + sets(c, few);
}

static void set_all(const struct cut *c, bool value, struct choice *out)
{
    memset(out, 0, sizeof *out);
    for (int i = 0; i < c->n; i++)
        out->bytes[i] = out->length[i] = value;
    out->torn = -1;
    out->ordered = true;
}

static void tear(const struct cut *c, int which, struct choice *out)
{
    out->by_sectors = true;
    for (int i = 0; i < c->n; i++)
        if (cut_can_tear(&c->pending[i]) && which-- == 0)
            out->torn = i;
}

static void take_set(const struct cut *c, int set, struct choice *out)
{
    for (int i = 0; i < c->n; i++) {
        if (c->pending[i].change->kind != RESIZE) {
            out->bytes[i] = set & 1;
            set >>= 1;
        }
        if (cut_has_length(&c->pending[i])) {
            out->length[i] = set & 1;
            set >>= 1;
        }
    }
}

/* For each file, and for the names: all, nothing, or each with some chance. */
static void take_some(const struct cut *c, uint64_t *random, struct choice *out)
{
    int64_t chance[64], lengths[64];

    for (int k = 0; k < 64; k++) {
        const int64_t kind = random_below(random, 4);

        chance[k] = kind == 0 ? 0 : kind == 1 ? 16 : 1 + random_below(random, 15);
        lengths[k] = random_below(random, 3) == 0 ? 0 : random_below(random, 17);
    }
    for (int i = 0; i < c->n; i++) {
        const int k = cut_is_name(c->pending[i].change) ? 63 : c->pending[i].change->file % 63;

        out->bytes[i] = random_below(random, 16) < chance[k];
        out->length[i] = random_below(random, 16) < lengths[k];
    }
    out->ordered = random_below(random, 4) > 0;
    out->by_sectors = random_below(random, 2) == 0;
    if (out->by_sectors && random_below(random, 2) == 0)
        out->lost = (int)random_below(random, 256);
    if (c->n > 0 && out->by_sectors && random_below(random, 4) == 0)
        out->torn = (int)random_below(random, c->n);
}

void cut_choose(const struct cut *c, int few, uint64_t seed, int i, struct choice *out)
{
    const int missing = c->n > 1 ? c->n : 0;
    uint64_t random = seed ^ (uint64_t)i * 0x9e3779b97f4a7c15u;

    set_all(c, i != CUT_NOTHING, out);
    out->seed = random_next(&random);
    i -= 2;
    if (i < 0)
        return;
    if (i < missing) {
        out->bytes[i] = out->length[i] = out->ordered = false;
        return;
    }
    i -= missing;
    if (i < tearable(c)) {
        tear(c, i, out);
        return;
    }
    i -= tearable(c);
    if (i < sets(c, few))
        take_set(c, i, out);
    else
        take_some(c, &random, out);
}
