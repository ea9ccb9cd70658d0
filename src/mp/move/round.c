#include "mp/move/move.h"

enum { MOST_SLOTS = 64, STATE = 3 /* numbers that a rank tells at the start */, AT_ONCE = 64 };

/* So many that neither what an owner has, nor the elements of all chunks, exceed a rank's buffer, if that is
 * possible. */
static int64_t choose_slots(const drxmp_array *m, int copies)
{
    const int64_t bytes = drxi_data_of(m->a)->chunk_bytes, room = m->settings.buffer_bytes / 2;
    const int64_t owned = room / (copies * bytes), in_all = room / bytes;

    return drxi_max(1, drxi_min(drxi_min(owned, in_all / m->settings.io_ranks), MOST_SLOTS));
}

void drxi_round_new(struct drxi_round *r, drxmp_array *m, MPI_Comm comm, int copies)
{
    *r = (struct drxi_round){ .m = m, .comm = comm, .slots = choose_slots(m, copies) };
    r->told = drxi_calloc((size_t)(m->ranks * drxi_max(r->slots + 1, STATE)), sizeof *r->told);
    drxi_round_note(r, r->told ? DRX_OK : DRX_ENOMEM);
}

/* The next of the places that open payloads have left, as only this rank knows, from number i on. */
static struct drxi_slot *next_untold(struct drxi_slots *s, int64_t *i)
{
    while (*i < s->end && s->of[*i].told)
        ++*i;
    return *i < s->end ? &s->of[(*i)++] : NULL;
}

/* A rank tells the others of n such places. */
static void tell_slots(struct drxi_round *r, struct drxi_slots *s, int rank, int64_t n)
{
    int64_t numbers[AT_ONCE][2], i = s->begin;

    for (int64_t done = 0; done < n; done += AT_ONCE) {
        const int64_t m = drxi_min(AT_ONCE, n - done);

        for (int64_t k = 0; rank == r->m->rank && k < m; k++) {
            struct drxi_slot *slot = next_untold(s, &i);

            numbers[k][0] = slot ? slot->offset : -1; /* another rank has told of it */
            numbers[k][1] = slot ? slot->epoch : 0;
            if (slot)
                slot->told = true;
        }
        drxi_round_note(r, drxi_mpi(MPI_Bcast(numbers, (int)(2 * m), MPI_INT64_T, rank, r->comm), "telling of places"));
        for (int64_t k = 0; !r->st && rank != r->m->rank && k < m; k++)
            if (numbers[k][0] >= 0)
                drxi_round_note(r, drxi_slots_add(s, (struct drxi_slot){ numbers[k][0], numbers[k][1], true }));
    }
}

static int64_t untold(struct drxi_slots *s)
{
    int64_t n = 0, i = s->begin;

    while (next_untold(s, &i))
        n++;
    return n;
}

/* Where the payloads end, how many chunks were opened since the last time, and what this rank alone knows of places. */
static void share_state(struct drxi_round *r, struct drxi_pack *p)
{
    int64_t *mine = r->told + r->m->rank * STATE, opened = 0;
    bool news = false;

    mine[0] = p->end;
    mine[1] = atomic_load(&p->open) - p->agreed;
    mine[2] = untold(&p->slots);
    drxi_round_note(r, drxi_mpi(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, r->told, STATE, MPI_INT64_T, r->comm),
                                "telling where the payloads end"));
    for (int rank = 0; !r->st && rank < r->m->ranks; rank++) {
        p->end = drxi_max(p->end, r->told[rank * STATE]);
        opened += r->told[rank * STATE + 1];
        news = news || r->told[rank * STATE + 2] > 0;
    }
    p->agreed += opened;
    atomic_store(&p->open, p->agreed);
    for (int rank = 0; news && rank < r->m->ranks; rank++)
        tell_slots(r, &p->slots, rank, r->told[rank * STATE + 2]);
    if (news) /* memory may lack */
        r->st = drxi_agree(r->comm, r->st, NULL);
}

void drxi_round_start(struct drxi_round *r)
{
    struct drxi_pack *p = drxi_data_of(r->m->a)->file->pack;
    int64_t epochs[2] = { p->log->epoch, p->log->state.epoch };

    drxi_round_note(r, drxi_from_root(r->comm, DRX_OK, epochs, sizeof epochs));
    p->log->epoch = epochs[0];
    r->promised = epochs[1];
    share_state(r, p);
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
static bool announce_round(struct drxi_round *r, const struct drxi_packed_chunk c[])
{
    const int64_t width = r->slots + 1;
    int64_t *told = r->told + r->m->rank * width;
    bool good = true;

    told[0] = r->st;
    for (int64_t k = 0; !r->st && k < r->mine; k++)
        told[1 + k] = number_of(&c[k].hold);
    drxi_round_note(
        r, drxi_mpi(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, r->told, (int)width, MPI_INT64_T, r->comm),
                    "telling lengths"));
    for (int rank = 0; rank < r->m->ranks; rank++)
        good = good && r->told[rank * width] == DRX_OK;
    return good && !r->st;
}

bool drxi_round_place(struct drxi_round *r, struct drxi_packed_chunk c[])
{
    struct drxi_pack *p = drxi_data_of(r->m->a)->file->pack;
    int64_t end = p->end;

    if (!announce_round(r, c))
        return false;
    for (int64_t i = 0; i < r->n; i++) {
        const int owner = drxi_round_owner(r, i);
        const int64_t number = r->told[owner * (r->slots + 1) + 1 + i % r->each], length = number / LENGTHS;
        int64_t at = 0;

        bool again = false;

        if (length > 0)
            drxi_pack_note(p); /* as if this rank wrote it */
        if (length > 0 && !drxi_hold_place(p, (number & OPENS) != 0, length, r->promised, &end, &at, &again)) {
            drxi_round_note(r, drxi_fail(DRX_EOVERFLOW, "%s: would be too long", p->payloads->path)); /* on all ranks */
            return false;
        }
        if (owner == r->m->rank) {
            c[i - r->first].hold.place = at;
            c[i - r->first].hold.again = again;
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
    struct drxi_pack *p = drxi_data_of(r->m->a)->file->pack;
    const drx_status st = drxi_agree(r->comm, r->st, NULL);

    if (!st) { /* too many is harmless, after a failure */
        (void)atomic_fetch_sub(&p->open, r->closed);
        p->agreed = atomic_load(&p->open);
    }
    drxi_free(r->told);
    r->told = NULL;
    return st;
}
