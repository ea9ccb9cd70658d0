/* Chunks of a compressed array that a growth has passed: all ranks compress them, in rounds (round.h). */
#include "mp/move/exchange.h"
#include "mp/move/round.h"

enum { COPIES = 2 /* of a chunk that its owner has in memory */ };

struct closing {
    struct drxi_round round;
    struct drxi_pack *pack;
    struct drxi_pack_hold *of, **hold, **open;
};

static void write_them(struct closing *c)
{
    int64_t n = 0;

    for (int64_t k = 0; k < c->round.mine; k++)
        if (c->of[k].held)
            c->open[n++] = &c->of[k];
    if (n > 0)
        drxi_round_note(&c->round, drxi_hold_commit_placed(c->pack, n, c->open));
}

static bool close_round(struct closing *c, const int64_t q[])
{
    struct drxi_round *r = &c->round;
    bool good;

    for (int64_t k = 0; k < r->mine; k++)
        c->of[k].held = false;
    if (!r->st)
        drxi_round_note(r, drxi_pack_take_open(c->pack, r->mine, q + r->first, c->of));
    if (!r->st)
        drxi_round_note(r, drxi_pack_make_closed(c->pack, r->mine, c->of));
    good = drxi_round_place(r, c->hold);
    if (good)
        write_them(c);
    for (int64_t k = 0; k < r->mine; k++)
        drxi_hold_give(&c->of[k]);
    return good;
}

/* The same on all ranks: not OK when one has failed. */
static drx_status close_some(void *with, int64_t n, const int64_t q[])
{
    struct closing *c = with;

    drxi_round_deal(&c->round, n);
    return close_round(c, q) ? DRX_OK : DRX_EIO;
}

drx_status drxi_packed_close(drxmp_array *m, drxi_close_what *what, const void *arg)
{
    struct closing c = { .pack = drxi_data_of(m->a)->file->pack };
    struct drxi_closer closer = { .close = close_some, .with = &c };

    if (!c.pack)
        return DRX_OK;
    drxi_round_new(&c.round, m, m->comm, COPIES);
    closer.room = drxi_round_most(&c.round);
    closer.q = drxi_malloc((size_t)closer.room * sizeof *closer.q);
    c.of = drxi_calloc((size_t)c.round.slots, sizeof *c.of);
    c.hold = drxi_malloc((size_t)c.round.slots * sizeof *c.hold);
    c.open = drxi_malloc((size_t)c.round.slots * sizeof *c.open);
    if (!closer.q || !c.of || !c.hold || !c.open)
        drxi_round_note(&c.round, DRX_ENOMEM);
    c.round.st = drxi_agree(m->comm, c.round.st, NULL);
    if (!c.round.st)
        drxi_round_start(&c.round);
    for (int64_t k = 0; !c.round.st && k < c.round.slots; k++)
        c.hold[k] = &c.of[k];
    if (!c.round.st)
        (void)what(m->a, &closer, arg);
    drxi_free(closer.q);
    drxi_free(c.of);
    drxi_free(c.hold);
    drxi_free(c.open);
    return drxi_round_end(&c.round);
}
