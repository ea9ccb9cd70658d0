/* The team of all ranks of an MPI job. */
#include "team_mpi.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "frame/cli.h"

enum { PUT_TAG = 1, SAY_TAG, TRIES = 1000 };

struct lines {
    char *text; /* lines, each with its newline */
    size_t bytes;
};

static int rank, ranks;
static bool alone;
static drxmp_reach *reach; /* of what rank 0 does alone */
static int trouble = DONE; /* it could not begin */
static struct lines said;  /* rank 0: messages that it has printed; others: those that it is to print */
static FILE *output;       /* except on rank 0: writes `put_text` */
static char *put_text;
static size_t put_bytes;

const bool team_forks = false;

void begin_team(void)
{
    int level;

    (void)MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0)
        return;
    output = open_memstream(&put_text, &put_bytes);
    if (!output) /* rank 0 would wait for it */
        (void)MPI_Abort(MPI_COMM_WORLD, out_of_memory(BUFSIZ));
}

int team_rank(void)
{
    return rank;
}

int team_size(void)
{
    return alone ? 1 : ranks;
}

MPI_Comm team_comm(void)
{
    return alone ? MPI_COMM_SELF : MPI_COMM_WORLD;
}

/* Rank 0 then works as drx does, and reaches the stripes of all nodes; the other ranks wait in end_team. */
bool go_alone(void)
{
    if (!alone && has_local_stripes())
        trouble = exit_code("DRXMP_LOCAL_STRIPES", drxmp_reach_begin(MPI_COMM_WORLD, &reach));
    alone = true;
    return rank == 0 && trouble == DONE;
}

/* Other ranks may take long; leave the processor to them. */
static void wait_patiently(MPI_Request *request)
{
    const struct timespec millisecond = { .tv_nsec = 1000000 };
    int done = 0;

    for (int i = 0; MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done; i++)
        if (i < TRIES)
            (void)sched_yield();
        else
            (void)nanosleep(&millisecond, NULL);
}

int agree(int status)
{
    MPI_Request request;

    (void)MPI_Iallreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, team_comm(), &request);
    wait_patiently(&request);
    return status;
}

void share_bytes(void *bytes, size_t n)
{
    (void)MPI_Bcast(bytes, (int)n, MPI_BYTE, 0, team_comm());
}

void add_up(int64_t numbers[], int n)
{
    (void)MPI_Allreduce(MPI_IN_PLACE, numbers, n, MPI_INT64_T, MPI_SUM, team_comm());
}

void take_largest(double numbers[], int n)
{
    (void)MPI_Allreduce(MPI_IN_PLACE, numbers, n, MPI_DOUBLE, MPI_MAX, team_comm());
}

static void keep(const char *line, size_t n)
{
    char *text = realloc(said.text, said.bytes + n);

    if (!text)
        return; /* a message less */
    memcpy(text + said.bytes, line, n);
    said.text = text;
    said.bytes += n;
}

static bool was_said(const char *line, size_t n)
{
    const char *end = said.text + said.bytes;

    for (const char *at = said.text; at && at < end; at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1)
        if ((size_t)(end - at) >= n && memcmp(at, line, n) == 0)
            return true;
    return false;
}

void say(const char *line)
{
    if (rank == 0)
        (void)fputs(line, stderr);
    keep(line, strlen(line));
}

/* Print the lines that are new. */
static void say_for(const char *text, size_t bytes)
{
    size_t n;

    for (; bytes > 0; text += n, bytes -= n) {
        n = (size_t)((const char *)memchr(text, '\n', bytes) - text) + 1;
        if (was_said(text, n))
            continue;
        (void)fwrite(text, 1, n, stderr);
        keep(text, n);
    }
}

static void send_text(const char *text, size_t bytes, int tag)
{
    (void)MPI_Send(text, (int)bytes, MPI_CHAR, 0, tag, MPI_COMM_WORLD);
}

/* To be freed; it ends with a NUL. */
static char *receive_text(int from, int tag, size_t *bytes)
{
    MPI_Status status;
    char *text;
    int n;

    (void)MPI_Probe(from, tag, MPI_COMM_WORLD, &status);
    (void)MPI_Get_count(&status, MPI_CHAR, &n);
    text = calloc((size_t)n + 1, 1);
    if (!text)
        (void)MPI_Abort(MPI_COMM_WORLD, out_of_memory(n));
    (void)MPI_Recv(text, n, MPI_CHAR, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    *bytes = (size_t)n;
    return text;
}

FILE *team_output(void)
{
    return output ? output : stdout;
}

void put_from(int from)
{
    size_t bytes;
    char *text;

    if (from == 0 || alone) /* has been printed */
        return;
    if (rank == from && output) {
        (void)fflush(output);
        send_text(put_text, put_bytes, PUT_TAG);
        rewind(output);
    } else if (rank == 0) {
        text = receive_text(from, PUT_TAG, &bytes);
        put("%s", text);
        free(text);
    }
}

int end_team(int status)
{
    size_t bytes;
    char *text;

    alone = false;
    status = agree(trouble == DONE ? status : trouble);
    (void)drxmp_reach_end(reach);
    if (rank > 0)
        send_text(said.text, said.bytes, SAY_TAG);
    for (int from = 1; rank == 0 && from < ranks; from++) {
        text = receive_text(from, SAY_TAG, &bytes);
        say_for(text, bytes);
        free(text);
    }
    if (output)
        (void)fclose(output);
    free(put_text);
    free(said.text);
    (void)MPI_Finalize();
    return status;
}
