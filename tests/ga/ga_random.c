/* Random sections of random GAs to and from random arrays, on all processes and on groups of them. After each move the
 * array and the GA hold what plain arrays in memory hold. */
#include "ga_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ga_inside.h"

enum { MOVES = 6, MOST_ITEMS = 3000 };

/* One round. */
static struct {
    int g_a;
    struct model global, array;
    drxmp_array *a;
    char path[64];
    char text[200];
} it;

static void random_shape(int ndim, int64_t most, int64_t shape[])
{
    int64_t items = 1;

    for (int j = 0; j < ndim; j++) {
        const int64_t room = MOST_ITEMS / items;

        shape[j] = 1 + below(room < most ? room : most);
        items *= shape[j];
    }
}

static void renew_global(void)
{
    fill_model(&it.global, (uint64_t)below(1000));
    put_global(it.g_a, &it.global);
}

static void random_global(void)
{
    const int ndim = 1 + (int)below(4);
    int64_t shape[MOST_DIMS];

    random_shape(ndim, ndim == 1 ? 300 : 24, shape);
    it.global = make_model(all_types[below(TYPES)], ndim, shape);
    it.g_a = make_global(&it.global, (enum way)below(WAYS));
    renew_global();
}

/* Bounds that hold the whole GA with any order of axes, now or when the array has grown. */
static void random_array(void)
{
    static const char *const stripes[] = { "stripe-0", "stripe-1" };
    const int ndim = it.global.ndim + (int)below(3);
    const int kind = (int)below(6); /* 0, 1: raw; 2: in memory; 3: compressed; 4: checksums; 5: striped */
    int64_t lower[MOST_DIMS], shape[MOST_DIMS], chunk[MOST_DIMS];
    drx_spec spec = {
        .ndim = ndim, .type = drx_type_of(it.global.type), .shape = shape, .lower = lower, .chunk = chunk
    };

    random_shape(ndim, ndim < 3 ? 30 : 6, shape);
    for (int j = 0; j < ndim; j++) {
        lower[j] = below(3) ? 0 : below(40) - 20;
        chunk[j] = 1 + below(8);
    }
    spec.chunk_order = below(2) ? DRX_ROW_MAJOR : DRX_COL_MAJOR;
    spec.flags = DRX_REPLACE | (kind == 4 ? DRX_CHECKSUM : 0);
    spec.codec = kind == 3 ? (below(2) ? DRX_LZ4 : DRX_ZSTD) : DRX_RAW;
    spec.nstripes = kind == 5 ? 2 : 0;
    spec.stripes = kind == 5 ? stripes : NULL;
    succeed(alike(drxmp_create(team.comm, kind == 2 ? NULL : it.path, &spec, &it.a)));
    it.array = make_model(it.global.type, ndim, shape);
    memcpy(it.array.lower, lower, sizeof lower);
    (void)snprintf(it.text, sizeof it.text, "%s, %s, %d axes, array of kind %d with %d axes", way_names[made_way],
                   type_name(it.global.type), it.global.ndim, kind, ndim);
}

/* Grow the array at a random end. */
static void grow(void)
{
    const int axis = (int)below(it.array.ndim);
    const bool before = below(2);
    const int64_t by = 1 + below(6);

    if (it.array.count / it.array.dims[axis] * (it.array.dims[axis] + by) > 20000)
        return;
    succeed(alike(before ? drxmp_extend_before(it.a, axis, by) : drxmp_extend(it.a, axis, by)));
    it.array = grown(&it.array, axis, by, before);
}

struct choice {
    int64_t glo[MOST_DIMS], ghi[MOST_DIMS], lo[MOST_DIMS];
    int perm[MOST_DIMS], axis[MOST_DIMS];
    bool plain_perm; /* give NULL */
};

static void shuffle(int n, int values[])
{
    for (int i = n - 1; i > 0; i--) {
        const int k = (int)below(i + 1), kept = values[i];

        values[i] = values[k];
        values[k] = kept;
    }
}

/* A section that fits: the extents along the axes that both have are at most those of the array. */
static void choose(struct choice *c)
{
    const struct model *g = &it.global, *a = &it.array;
    bool used[MOST_DIMS] = { false };

    c->plain_perm = below(3) == 0;
    for (int j = 0; j < a->ndim; j++)
        c->axis[j] = j < a->ndim - g->ndim ? -1 : j - (a->ndim - g->ndim);
    if (!c->plain_perm)
        shuffle(a->ndim, c->axis);
    for (int j = 0; j < a->ndim; j++) {
        if (c->axis[j] >= 0 && !c->plain_perm && below(8) == 0)
            c->axis[j] = -1; /* the section has one index there */
        c->perm[j] = c->axis[j];
    }
    for (int j = 0; j < a->ndim; j++) {
        const int i = c->axis[j];
        int64_t n = 1;

        if (i >= 0) {
            const int64_t most = g->dims[i] < a->dims[j] ? g->dims[i] : a->dims[j];

            used[i] = true;
            n = below(4) ? 1 + below(most) : most;
            c->glo[i] = below(g->dims[i] - n + 1);
            c->ghi[i] = c->glo[i] + n - 1;
        }
        c->lo[j] = a->lower[j] + below(a->dims[j] - n + 1);
    }
    for (int i = 0; i < g->ndim; i++)
        if (!used[i])
            c->glo[i] = c->ghi[i] = below(g->dims[i]);
}

/* Pieces fit into what a process may use, and are whole chunks unless a chunk does not fit. */
static void check_pieces(const struct choice *c)
{
    const int64_t *chunk = drx_chunk(drxmp_serial(it.a));
    const struct drxgai_call call = {
        .g_a = it.g_a, .glo = c->glo, .ghi = c->ghi, .lo = c->lo, .perm = c->plain_perm ? NULL : c->perm
    };
    int64_t bytes = (int64_t)it.array.element_bytes, chunk_bytes = bytes;
    const int64_t most = drxgai_piece_bytes > bytes ? drxgai_piece_bytes : bytes;
    struct drxgai_pieces pieces;
    struct drxgai_move m;
    bool whole = true;

    succeed(drxgai_relate(&call, drxmp_serial(it.a), &m));
    succeed(drxgai_make_pieces(&m, team.ranks, &pieces));
    for (int j = 0; j < it.array.ndim; j++) {
        bytes *= pieces.extent[j];
        chunk_bytes *= chunk[j];
        whole = whole && pieces.extent[j] % chunk[j] == 0;
    }
    drxgai_free_pieces(&pieces);
    if (bytes > most || (!whole && chunk_bytes <= most))
        wrong("pieces of %lld bytes, expected at most %lld; a chunk has %lld", (long long)bytes, (long long)most,
              (long long)chunk_bytes);
}

/* Copy element by element between the section and the box. */
static void copy(const struct choice *c, bool to_array)
{
    struct section section = { .ndim = it.global.ndim };
    int64_t from[MOST_DIMS], to[MOST_DIMS];

    memcpy(section.lo, c->glo, sizeof section.lo);
    memcpy(section.hi, c->ghi, sizeof section.hi);
    memcpy(from, c->glo, sizeof from);
    do {
        unsigned char *in_global = element(&it.global, from), *in_array;

        for (int j = 0; j < it.array.ndim; j++)
            to[j] = c->lo[j] + (c->axis[j] < 0 ? 0 : from[c->axis[j]] - c->glo[c->axis[j]]);
        in_array = element(&it.array, to);
        memcpy(to_array ? in_array : in_global, to_array ? in_global : in_array, it.global.element_bytes);
    } while (step(&section, from, false));
}

/* What the module for Fortran calls: axes in reverse order, and indices from 1, whatever those of the array are. */
DRX_API drx_status drxgaf_move(int writing, int together, Integer g_a, drxmp_array *a, const Integer glo[],
                               const Integer ghi[], const Integer lo[], const Integer perm[], const Integer n[]);

static drx_status move_from_fortran(const struct choice *c, bool writing, bool alone)
{
    const int gdims = it.global.ndim, ndim = it.array.ndim;
    Integer glo[MOST_DIMS], ghi[MOST_DIMS], lo[MOST_DIMS], perm[MOST_DIMS], n[] = { gdims, gdims, ndim, ndim };

    for (int i = 0; i < gdims; i++) {
        glo[gdims - 1 - i] = c->glo[i] + 1;
        ghi[gdims - 1 - i] = c->ghi[i] + 1;
    }
    for (int j = 0; j < ndim; j++) {
        lo[ndim - 1 - j] = c->lo[j] - it.array.lower[j] + 1;
        perm[ndim - 1 - j] = c->perm[j] < 0 ? 0 : gdims - c->perm[j];
    }
    return drxgaf_move(writing, !alone, it.g_a, it.a, glo, ghi, lo, c->plain_perm ? NULL : perm, n);
}

static void move(const struct choice *c, bool writing, bool alone)
{
    const int *perm = c->plain_perm ? NULL : c->perm;
    const int who = (int)below(team.ranks);
    drx_array *here = drxmp_serial(it.a);

    if (below(2)) {
        if (!alone || team.rank == who)
            succeed(move_from_fortran(c, writing, alone));
        sync_team();
        succeed(alike(drxmp_sync(it.a)));
    } else if (alone) {
        if (team.rank == who)
            succeed(writing ? drxga_write(it.g_a, c->glo, c->ghi, here, c->lo, perm)
                            : drxga_read(it.g_a, c->glo, c->ghi, here, c->lo, perm));
        sync_team();
        succeed(alike(drxmp_sync(it.a)));
    } else {
        succeed(alike(writing ? drxga_write_all(it.g_a, c->glo, c->ghi, it.a, c->lo, perm)
                              : drxga_read_all(it.g_a, c->glo, c->ghi, it.a, c->lo, perm)));
    }
    copy(c, writing);
}

static void play_round(int n)
{
    struct choice c;

    random_global();
    random_array();
    drxgai_piece_bytes = below(2) ? 4 << 20 : 1 + below(400);
    for (int i = 0; i < MOVES; i++) {
        const bool writing = i == 0 || below(2), alone = below(3) == 0;
        char what[300];

        if (below(2))
            grow();
        if (writing)
            renew_global();
        choose(&c);
        check_pieces(&c);
        move(&c, writing, alone);
        (void)snprintf(what, sizeof what, "round %d, move %d, %s %s: %s", n, i, writing ? "write" : "read",
                       alone ? "alone" : "together", it.text);
        if (writing && team.rank == 0)
            check_array(drxmp_serial(it.a), &it.array, what);
        if (!writing)
            check_global(it.g_a, &it.global, what);
        sync_team();
    }
    drxgai_piece_bytes = 4 << 20;
    succeed(alike(drxmp_close(it.a)));
    release_all();
}

static void play_rounds(int n)
{
    int played[WAYS] = { 0 };

    (void)snprintf(it.path, sizeof it.path, "random-%s", team.name);
    for (int i = 0; i < n; i++) {
        play_round(i);
        played[made_way]++;
    }
    for (int way = 0; way < WAYS; way++)
        say("  %s: %d rounds", way_names[way], played[way]);
}

static void make_folders(void)
{
    if (GA_Nodeid() == 0 && system("mkdir -p stripe-0 stripe-1") != 0)
        wrong("mkdir");
    GA_Sync();
}

void random_sections(void)
{
    make_folders();
    play_rounds(rounds(150));
}

/* The even processes, then the odd ones: Open MPI 4.1 cannot make windows of two groups at the same time. */
void groups(void)
{
    const struct team all = team;
    int members[2][64], n[2] = { 0, 0 };

    make_folders();
    for (int r = 0; r < all.ranks; r++)
        members[r % 2][n[r % 2]++] = r;
    for (int k = 0; k < 2 && n[k] > 0; k++) {
        const int group = GA_Pgroup_create(members[k], n[k]);

        if (all.rank % 2 == k) {
            team = (struct team){ .comm = GA_MPI_Comm_pgroup(group), .group = group };
            team.rank = GA_Pgroup_nodeid(group);
            team.ranks = GA_Pgroup_nnodes(group);
            (void)snprintf(team.name, sizeof team.name, "%d", k);
            play_rounds(rounds(50));
            GA_Pgroup_destroy(group);
            team = all;
        }
        GA_Sync();
    }
}
