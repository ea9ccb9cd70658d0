#include "mp/move/round.h"

#include "mp/move/exchange.h"

enum { MOST_SLOTS = 64 };

/* So many that neither what an owner has, nor the elements of all chunks, exceed a rank's buffer, if that is possible. */
static int64_t choose_slots(const drxmp_array *m, int copies)
{
    const int64_t bytes = drxi_data_of(m->a)->chunk_bytes, room = m->settings.buffer_bytes / 2;
    const int64_t owned = room / (copies * bytes), in_all = room / bytes;

    return drxi_max(1, drxi_min(drxi_min(owned, in_all / m->settings.io_ranks), MOST_SLOTS));
}

void drxi_round_new(struct drxi_round *r, drxmp_array *m, MPI_Comm comm, int copies)
{
    *r = (struct drxi_round){ .m = m, .comm = comm, .slots = choose_slots(m, copies) };
    r->told = drxi_calloc((size_t)(m->ranks * (r->slots + 1)), sizeof *r->told);
    drxi_round_note(r, r->told ? DRX_OK : DRX_ENOMEM);
}

void drxi_round_start(struct drxi_round *r)
{
    struct drxi_pack *p = drxi_data_of(r->m->a)->pack;
    int64_t opened = atomic_load(&p->open) - p->agreed, epoch = p->log->epoch;

    drxi_round_note(r, drxi_from_root(r->comm, DRX_OK, &epoch, sizeof epoch));
    p->log->epoch = epoch;
    drxi_round_note(r, drxi_mpi(MPI_Allreduce(MPI_IN_PLACE, &p->end, 1, MPI_INT64_T, MPI_MAX, r->comm),
                                "telling where the payloads end"));
    drxi_round_note(
        r, drxi_mpi(MPI_Allreduce(MPI_IN_PLACE, &opened, 1, MPI_INT64_T, MPI_SUM, r->comm), "counting open chunks"));
    p->agreed += opened;
    atomic_store(&p->open, p->agreed);
}

int64_t drxi_round_most(const struct drxi_round *r)
{
    return r->slots * r->m->settings.io_ranks;
}

int drxi_round_owner(const struct drxi_round *r, int64_t i)
{
    return drxi_io_rank(r->m, i / r->each);
}

void drxi_round_deal(struct drxi_round *r, int64_t n)
{
    r->n = n;
    r->each = drxi_max(1, drxi_ceil_div(n, r->m->settings.io_ranks));
    r->first = r->mine = 0;
    for (int64_t i = n - 1; i >= 0; i--)
        if (drxi_round_owner(r, i) == r->m->rank) {
            r->first = i;
            r->mine++;
        }
}

/* What a rank tells of a chunk. */
enum { OPENS = 1, CLOSES = 2, LENGTHS = 4 };

static int64_t number_of(const struct drxi_pack_hold *h)
{
    if (!h->held)
        return 0;
    return drxi_hold_length(h) * LENGTHS + (h->kind == DRXI_HOLD_NEW      ? OPENS
                                            : h->kind == DRXI_HOLD_CLOSED ? CLOSES * h->was_open
                                                                          : 0);
}

/* False when a rank has failed. */
static bool tell(struct drxi_round *r, struct drxi_pack_hold *const hold[])
{
    const int64_t width = r->slots + 1;
    int64_t *told = r->told + r->m->rank * width;
    bool good = true;

    told[0] = r->st;
    for (int64_t k = 0; !r->st && k < r->mine; k++)
        told[1 + k] = number_of(hold[k]);
    drxi_round_note(
        r, drxi_mpi(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, r->told, (int)width, MPI_INT64_T, r->comm),
                    "telling lengths"));
    for (int rank = 0; rank < r->m->ranks; rank++)
        good = good && r->told[rank * width] == DRX_OK;
    return good && !r->st;
}

bool drxi_round_place(struct drxi_round *r, struct drxi_pack_hold *const hold[])
{
    struct drxi_pack *p = drxi_data_of(r->m->a)->pack;
    int64_t end = p->end;

    if (!tell(r, hold))
        return false;
    for (int64_t i = 0; i < r->n; i++) {
        const int owner = drxi_round_owner(r, i);
        const int64_t number = r->told[owner * (r->slots + 1) + 1 + i % r->each], length = number / LENGTHS;
        int64_t at = 0;

        if (length > 0)
            drxi_pack_note(p); /* as if this rank wrote it */
        if (length > 0 && !drxi_hold_place(p, (number & OPENS) != 0, length, &end, &at)) {
            drxi_round_note(r, drxi_fail(DRX_EOVERFLOW, "%s: would be too long", p->payloads->path)); /* on all ranks */
            return false;
        }
        if (owner == r->m->rank) {
            hold[i - r->first]->place = at;
            continue;
        }
        if (number & OPENS)
            (void)atomic_fetch_add(&p->open, 1);
        r->closed += (number & CLOSES) != 0;
    }
    p->end = end;
    return true;
}

drx_status drxi_round_end(struct drxi_round *r)
{
    struct drxi_pack *p = drxi_data_of(r->m->a)->pack;
    const drx_status st = drxi_agree(r->comm, r->st, NULL);

    if (!st) { /* too many is harmless, after a failure */
        (void)atomic_fetch_sub(&p->open, r->closed);
        p->agreed = atomic_load(&p->open);
    }
    drxi_free(r->told);
    r->told = NULL;
    return st;
}
