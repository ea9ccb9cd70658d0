/* Heat spreads in a plate that is a global array. Every few steps the program begins to store the plate, and computes
 * on meanwhile. After a crash or a normal end, any number of processes can continue from there.
 *
 *     mpirun -n 4 heat_restart plate --size 4000,4000 --steps 1000 --every 100
 *     mpirun -n 2 heat_restart plate --size 4000,4000 --steps 2000 --every 100 --verify
 *
 * The program makes only calls of Disk Resident Arrays. It runs with Global Arrays' own library, and with libdra-drx
 * linked before it:
 *
 *     mpicc -O2 -D_GNU_SOURCE heat_restart.c -o heat_restart -ldra-drx -ldrxmp -ldrx \
 *         -lga-openmpi -lscalapack-openmpi -llapack -lblas -larmci-openmpi -lgfortran -lm
 *
 * NDRA_Write begins a checkpoint of a copy of the plate. The steps continue meanwhile, and each asks whether the
 * checkpoint is complete; the program waits for it when the next one is due. Two disk resident arrays, plate-0 and
 * plate-1, take turns, so one of them is whole whenever the job is killed. The array plate-steps has two numbers: the
 * step that each of the two holds, or 0 while it is being written.
 *
 * A step sets each inner element to the mean of its four neighbours (Jacobi), always in the same order of additions.
 * So the result is the same to the last bit for any number of processes and restarts. */
#include <getopt.h>
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ga.h>
#include <macdecls.h>

#include <dra.h>

enum { SLOTS = 2 };

static struct {
    char *path;
    int size[2];
    long steps, every, kill_at; /* kill_at: the step at which process 0 dies, to try it; -1: none */
    bool verify;
} job = { .size = { 400, 300 }, .steps = 100, .every = 10, .kill_at = -1 };

static struct {
    int g_plate, g_next, g_kept; /* the plate after a step, after the next one, and as it is being written */
    int d_slot[SLOTS], d_steps, g_steps;
    long slot_step[SLOTS];
    int writing; /* the slot that is being written; -1: none */
    long writing_step;
    int request;
    double begin_seconds, wait_seconds;
} state = { .writing = -1 };

static void fail(const char *what)
{
    fprintf(stderr, "heat_restart: process %d: %s\n", GA_Nodeid(), what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Calls of Disk Resident Arrays give 0 when all is well. */
static void check(int code, const char *what)
{
    if (code != 0)
        fail(what);
}

/* ---- the plate ---------------------------------------------------------------------- */

/* Hot at the left edge, colder to the right, with a pattern that shows a mistake in rows. */
static double at_start(int i, int j)
{
    return j == 0 ? 100 + i % 7 : i == 0 || i == job.size[0] - 1 ? 20 + j % 5 : 0;
}

static int create_plate(char *name)
{
    const int g = NGA_Create(C_DBL, 2, job.size, name, NULL);

    if (!g)
        fail("not enough memory for a global array of that size");
    return g;
}

/* The part of a global array that this process has; NULL: none. The caller releases it. */
static double *own_part(int g, int lo[2], int hi[2], int *ld)
{
    double *part = NULL;

    NGA_Distribution(g, GA_Nodeid(), lo, hi);
    if (lo[0] >= 0 && hi[0] >= lo[0] && hi[1] >= lo[1])
        NGA_Access(g, lo, hi, &part, ld);
    return part;
}

static void start_plate(int g)
{
    int lo[2], hi[2], ld;
    double *part = own_part(g, lo, hi, &ld);

    for (int i = lo[0]; part && i <= hi[0]; i++)
        for (int j = lo[1]; j <= hi[1]; j++)
            part[(int64_t)(i - lo[0]) * ld + j - lo[1]] = at_start(i, j);
    if (part)
        NGA_Release_update(g, lo, hi);
    GA_Sync();
}

/* Compute one row of the plate, columns first to last. Rows are `ld` elements apart in `from` and `to`. */
static void relax_row(const double *from, int ld, double *to, int first, int last)
{
    for (int j = first; j <= last; j++)
        to[j] = 0.25 * (((from[j - ld] + from[j + ld]) + from[j - 1]) + from[j + 1]);
}

/* One step: this process's part of the next plate, from its part of this one and a border. */
static void step(double *halo)
{
    int lo[2], hi[2], from[2], to[2], ld, width;
    double *part = own_part(state.g_next, lo, hi, &ld);

    for (int a = 0; a < 2; a++) {
        from[a] = lo[a] > 0 ? lo[a] - 1 : 0;
        to[a] = hi[a] < job.size[a] - 1 ? hi[a] + 1 : hi[a];
    }
    width = to[1] - from[1] + 1;
    if (part)
        NGA_Get(state.g_plate, from, to, halo, &width);
    for (int i = lo[0]; part && i <= hi[0]; i++) {
        const double *old = halo + (int64_t)(i - from[0]) * width + (lo[1] - from[1]);
        double *new = part + (int64_t)(i - lo[0]) * ld;
        const int left = lo[1] == 0, right = hi[1] == job.size[1] - 1;

        memcpy(new, old, (size_t)(hi[1] - lo[1] + 1) * sizeof *new); /* edges stay */
        if (i > 0 && i < job.size[0] - 1)
            relax_row(old, width, new, left, hi[1] - lo[1] - right);
    }
    if (part)
        NGA_Release_update(state.g_next, lo, hi);
    GA_Sync();
    width = state.g_plate;
    state.g_plate = state.g_next;
    state.g_next = width;
}

static double *halo_memory(void)
{
    int lo[2], hi[2];
    double *halo;

    NGA_Distribution(state.g_plate, GA_Nodeid(), lo, hi);
    halo = malloc((size_t)(hi[0] - lo[0] + 3) * (size_t)(hi[1] - lo[1] + 3) * sizeof *halo);
    if (!halo)
        fail("no memory");
    return halo;
}

/* ---- on disk ---------------------------------------------------------------------------- */

static char *slot_path(const char *suffix, char path[4096])
{
    (void)snprintf(path, 4096, "%s-%s", job.path, suffix);
    return path;
}

/* Write plate-steps, at once. */
static void tell_steps(void)
{
    int zero = 0, last = SLOTS - 1, request;

    if (GA_Nodeid() == 0)
        NGA_Put(state.g_steps, &zero, &last, state.slot_step, &last);
    GA_Sync();
    check(NDRA_Write(state.g_steps, state.d_steps, &request), "the steps cannot be written");
    check(DRA_Wait(request), "the steps cannot be written");
}

static void open_slots(int create)
{
    static char *const suffixes[SLOTS] = { "0", "1" };
    dra_size_t dims[2] = { job.size[0], job.size[1] }, hint[2] = { -1, -1 }, found[2];
    char path[4096], name[256], file[4096];
    int type, ndim;

    for (int s = 0; s < SLOTS; s++) {
        (void)slot_path(suffixes[s], path);
        if (create) {
            check(NDRA_Create(C_DBL, 2, dims, "plate", path, DRA_RW, hint, &state.d_slot[s]), "plate");
            continue;
        }
        check(DRA_Open(path, DRA_RW, &state.d_slot[s]), "a checkpoint cannot be opened");
        check(NDRA_Inquire(state.d_slot[s], &type, &ndim, found, name, file), "a checkpoint cannot be inquired");
        if (type != C_DBL || ndim != 2 || found[0] != dims[0] || found[1] != dims[1])
            fail("the checkpoint is of another plate, expected one of --size");
    }
}

/* Open what an earlier job left, or make new arrays. Gives the step of the newest whole checkpoint; 0: none. */
static long open_checkpoints(void)
{
    dra_size_t dims[1] = { SLOTS };
    int zero = 0, last = SLOTS - 1, request;
    char path[4096];

    if (DRA_Open(slot_path("steps", path), DRA_RW, &state.d_steps) != 0) {
        open_slots(1);
        check(NDRA_Create(C_LONG, 1, dims, "steps", path, DRA_RW, dims, &state.d_steps), "steps");
        tell_steps();
        return 0;
    }
    open_slots(0);
    check(NDRA_Read(state.g_steps, state.d_steps, &request), "the steps cannot be read");
    check(DRA_Wait(request), "the steps cannot be read");
    GA_Sync();
    NGA_Get(state.g_steps, &zero, &last, state.slot_step, &last);
    GA_Sync();
    return state.slot_step[0] > state.slot_step[1] ? state.slot_step[0] : state.slot_step[1];
}

/* Wait for the checkpoint that is being written, and record it in plate-steps. */
static void end_checkpoint(void)
{
    const double start = MPI_Wtime();

    if (state.writing < 0)
        return;
    check(DRA_Wait(state.request), "a checkpoint cannot be written");
    state.wait_seconds += MPI_Wtime() - start;
    state.slot_step[state.writing] = state.writing_step;
    tell_steps();
    state.writing = -1;
}

/* Do so only if the checkpoint is complete. */
static void try_checkpoint(void)
{
    int status = 0;

    if (state.writing >= 0)
        check(DRA_Probe(state.request, &status), "a checkpoint cannot be written");
    if (status == ELIO_DONE) /* the same on all processes */
        end_checkpoint();
}

/* Begin to write the plate into the slot with the older checkpoint. */
static void begin_checkpoint(long at)
{
    double start;

    end_checkpoint();
    state.writing = state.slot_step[0] > state.slot_step[1];
    state.writing_step = at;
    state.slot_step[state.writing] = 0; /* what it holds from now on is neither the old plate nor the new one */
    tell_steps();
    GA_Copy(state.g_plate, state.g_kept);
    start = MPI_Wtime();
    check(NDRA_Write(state.g_kept, state.d_slot[state.writing], &state.request), "a checkpoint cannot be begun");
    state.begin_seconds += MPI_Wtime() - start;
}

static void read_checkpoint(long at)
{
    int request;

    check(NDRA_Read(state.g_plate, state.d_slot[state.slot_step[1] == at], &request), "a checkpoint cannot be read");
    check(DRA_Wait(request), "a checkpoint cannot be read");
    GA_Sync();
}

/* ---- the result ------------------------------------------------------------------------- */

/* A sum over values and positions, modulo 2^64, which does not depend on how the plate is distributed. */
static uint64_t checksum(void)
{
    int lo[2], hi[2], ld;
    double *part = own_part(state.g_plate, lo, hi, &ld);
    uint64_t sum = 0, bits;

    for (int i = lo[0]; part && i <= hi[0]; i++)
        for (int j = lo[1]; j <= hi[1]; j++) {
            memcpy(&bits, part + (int64_t)(i - lo[0]) * ld + j - lo[1], sizeof bits);
            bits = (bits ^ (uint64_t)((int64_t)i * job.size[1] + j) * 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
            sum += bits ^ bits >> 29;
        }
    if (part)
        NGA_Release(state.g_plate, lo, hi);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/* Process 0 computes all of it in its own memory. */
static void verify(void)
{
    const int rows = job.size[0], columns = job.size[1];
    const size_t n = (size_t)rows * (size_t)columns;
    int zero[2] = { 0, 0 }, last[2] = { rows - 1, columns - 1 };
    int ld = columns;
    double *plate = malloc(3 * n * sizeof *plate), *next = plate + n, *swap;

    if (!plate)
        fail("no memory to verify the result");
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            plate[(size_t)i * (size_t)columns + (size_t)j] = at_start(i, j);
    memcpy(next, plate, n * sizeof *plate);
    swap = plate;
    for (long s = 0; s < job.steps; s++) {
        double *const from = s % 2 ? next : plate, *const to = s % 2 ? plate : next;

        for (int i = 1; i < rows - 1; i++)
            relax_row(from + (size_t)i * (size_t)columns, columns, to + (size_t)i * (size_t)columns, 1, columns - 2);
        swap = to;
    }
    NGA_Get(state.g_plate, zero, last, plate + 2 * n, &ld);
    if (memcmp(plate + 2 * n, swap, n * sizeof *plate) != 0)
        fail("the result is wrong");
    printf("verified: as computed by one process without a stop\n");
    free(plate);
}

static void run(void)
{
    int two = SLOTS;
    long at;
    double *halo;

    state.g_plate = create_plate("plate");
    state.g_next = create_plate("next");
    state.g_kept = create_plate("kept");
    state.g_steps = NGA_Create(C_LONG, 1, &two, "steps", NULL);
    at = open_checkpoints();
    if (at > job.steps)
        fail("the checkpoint is of a later step, expected one of --steps or before");
    if (at == 0)
        start_plate(state.g_plate);
    else
        read_checkpoint(at);
    if (GA_Nodeid() == 0)
        printf("from step %ld\n", at);
    (void)fflush(stdout);
    halo = halo_memory();
    while (at < job.steps) {
        step(halo);
        at++;
        if (at % job.every == 0 || at == job.steps)
            begin_checkpoint(at);
        if (at == job.kill_at && GA_Nodeid() == 0)
            (void)raise(SIGKILL);
        try_checkpoint();
    }
    end_checkpoint();
    free(halo);
}

static void finish(void)
{
    const uint64_t sum = checksum();

    if (GA_Nodeid() == 0) {
        printf("step %ld, checksum %016llx\n", job.steps, (unsigned long long)sum);
        printf("checkpoints: %.3f s to begin them, %.3f s waiting for them\n", state.begin_seconds, state.wait_seconds);
        if (job.verify)
            verify();
    }
    GA_Sync();
    for (int s = 0; s < SLOTS; s++)
        check(DRA_Close(state.d_slot[s]), "a checkpoint cannot be closed");
    check(DRA_Close(state.d_steps), "the steps cannot be closed");
}

static bool take_arguments(int argc, char **argv)
{
    static const struct option options[] = {
        { "size", required_argument, NULL, 'z' },  { "steps", required_argument, NULL, 's' },
        { "every", required_argument, NULL, 'e' }, { "kill-at", required_argument, NULL, 'k' },
        { "verify", no_argument, NULL, 'v' },      { 0 }
    };
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
        switch (option) {
        case 'z':
            if (sscanf(optarg, "%d,%d", &job.size[0], &job.size[1]) != 2)
                return false;
            break;
        case 's':
            job.steps = strtol(optarg, NULL, 10);
            break;
        case 'e':
            job.every = strtol(optarg, NULL, 10);
            break;
        case 'k':
            job.kill_at = strtol(optarg, NULL, 10);
            break;
        case 'v':
            job.verify = true;
            break;
        default:
            return false;
        }
    job.path = argv[optind];
    return job.path && job.size[0] > 0 && job.size[1] > 0 && job.steps > 0 && job.every > 0;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    GA_Initialize();
    if (!take_arguments(argc, argv))
        fail("usage: heat_restart PATH [--size ROWS,COLUMNS] [--steps N] [--every N] [--kill-at STEP] [--verify]");
    if (!MA_init(C_DBL, 1 << 20, 1 << 20))
        fail("MA_init");
    check(DRA_Init(SLOTS + 2, -1, -1, -1), "DRA_Init");
    DRA_Set_default_config(1, GA_Nnodes()); /* Global Arrays' own: one file, as several need the same processes again */
    run();
    finish();
    DRA_Terminate();
    GA_Terminate();
    MPI_Finalize();
    return 0;
}
