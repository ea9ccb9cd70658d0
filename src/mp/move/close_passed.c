/* Chunks of a compressed array that a growth has passed: all ranks compress them, in rounds (round.c). */
#include "mp/move/move.h"

enum { COPIES = 2 /* of a chunk that its owner has in memory */ };

struct closing {
    struct drxi_round round;
    struct drxi_data *data;
    struct drxi_packed_chunk *c; /* those that this rank owns */
};

static bool close_round(struct closing *c, const int64_t q[])
{
    struct drxi_round *r = &c->round;
    bool good;

    for (int64_t k = 0; k < r->mine; k++)
        c->c[k].address = q[r->first + k];
    if (!r->st)
        drxi_round_note(r, drxi_packed_begin(c->data, NULL, r->mine, c->c));
    good = drxi_round_place(r, c->c);
    drxi_round_note(r, drxi_packed_end(c->data, r->mine, c->c, good));
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
    struct closing c = { .data = drxi_data_of(m->a) };
    struct drxi_closer closer = { .close = close_some, .with = &c };

    if (!c.data->file->stored->closes)
        return DRX_OK;
    drxi_round_new(&c.round, m, m->comm, COPIES);
    closer.room = drxi_round_most(&c.round);
    closer.q = drxi_malloc((size_t)closer.room * sizeof *closer.q);
    c.c = drxi_calloc((size_t)c.round.slots, sizeof *c.c);
    if (!closer.q || !c.c)
        drxi_round_note(&c.round, DRX_ENOMEM);
    c.round.st = drxi_agree(m->comm, c.round.st, NULL);
    if (!c.round.st)
        drxi_round_start(&c.round);
    if (!c.round.st)
        (void)what(m->a, &closer, arg);
    drxi_free(closer.q);
    drxi_free(c.c);
    return drxi_round_end(&c.round);
}
