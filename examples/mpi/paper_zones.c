/* The example program of Otoo and Rotem 2009, section IV.B, by the calls of section IV.C: the array A[10][12] of their
 * Fig. 1 grows chunk by chunk, and four processes read their zones of it collectively. Each element is made q + p/10,
 * for chunk address q and place p in the chunk.
 *
 *     mpicc paper_zones.c $(pkg-config --cflags --libs drxmp-paper) -o paper_zones && mpirun -n 4 ./paper_zones PATH */
#define _POSIX_C_SOURCE 200809L /* fmemopen */
#include <drx_tools.h>
#include <drxmp_paper.h>
#include <stdio.h>
#include <stdlib.h>

enum { NDIMS = 2, RANKS = 4, CHUNKS = 20, MOST_CHUNKS = 6, PLACES = 6, MOST_ELEMENTS = MOST_CHUNKS * PLACES };

static int chunk_shape[NDIMS] = { 2, 3 };
static int my_rank;

static const int chunk_distrib[RANKS] = { 6, 6, 4, 4 };
static const int global_map[RANKS][MOST_CHUNKS] = {
    /* chunk addresses of each zone */
    { 0, 1, 2, 3, 4, 5 },
    { 6, 7, 8, 12, 13, 14 },
    { 9, 10, 16, 17 },
    { 11, 15, 18, 19 },
};

static void require(int status, const char *what)
{
    if (status == DRX_OK)
        return;
    (void)fprintf(stderr, "paper_zones: rank %d: cannot %s: %s (%s)\n", my_rank, what, drx_strerror(status),
                  drx_last_error());
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

/* Grow from chunk 0 as in section II.A: by one chunk index of a dimension at a time. */
static void grow(DRXMDHdl a)
{
    static const int history[] = { 1, 0, 0, 1, 0, 1, 0 };

    for (size_t i = 0; i < sizeof history / sizeof *history; i++)
        require(DRXMP_Extend(a, history[i], (size_t)chunk_shape[history[i]]), "extend the array");
}

/* Write the chunks, all whole, dealt out by address. */
static void fill(DRXMDHdl a)
{
    for (int q = my_rank; q < CHUNKS; q += RANKS) {
        size_t start[NDIMS], count[NDIMS];
        double values[PLACES];
        int64_t index[NDIMS];
        DRXMDMemHdl box;

        require(drx_chunk_index(drxmp_serial(DRXMP_Array(a)), q, index), "find a chunk");
        for (int j = 0; j < NDIMS; j++) {
            start[j] = (size_t)(index[j] * chunk_shape[j]);
            count[j] = (size_t)chunk_shape[j];
        }
        for (int p = 0; p < PLACES; p++)
            values[p] = q + p / 10.0;
        require(DRXMP_Mem_init(&box, NDIMS, start, count, DRX_ROW_MAJOR, values), "describe a chunk");
        require(DRXMP_Write_all(a, box, NULL), "write a chunk");
        require(DRXMP_Mem_free(box), "release a chunk");
    }
}

static void make(char *path)
{
    size_t one_chunk[NDIMS] = { (size_t)chunk_shape[0], (size_t)chunk_shape[1] };
    DRXMDHdl a;

    require(DRXMP_Init(&a, NDIMS, one_chunk, chunk_shape, DRX_DOUBLE, MPI_COMM_WORLD), "describe the array");
    require(DRXMP_Create(a, path), "create the array");
    grow(a);
    fill(a);
    require(DRXMP_Close(a), "close the array");
}

struct zone {
    size_t start[NDIMS], count[NDIMS]; /* of elements */
    int place[MOST_CHUNKS];            /* of each chunk among those of the zone, in row-major order */
};

/* The box of the chunks with these addresses, which must be all that are in it. */
static void find_zone(const drx_array *a, const int map[], int chunks, struct zone *zone)
{
    int64_t index[MOST_CHUNKS][NDIMS], first[NDIMS], last[NDIMS], in_box = 1;

    for (int i = 0; i < chunks; i++)
        require(drx_chunk_index(a, map[i], index[i]), "find a chunk");
    for (int j = 0; j < NDIMS; j++) {
        first[j] = last[j] = index[0][j];
        for (int i = 1; i < chunks; i++) {
            first[j] = index[i][j] < first[j] ? index[i][j] : first[j];
            last[j] = index[i][j] > last[j] ? index[i][j] : last[j];
        }
        in_box *= last[j] - first[j] + 1;
        zone->start[j] = (size_t)(first[j] * chunk_shape[j]);
        zone->count[j] = (size_t)((last[j] - first[j] + 1) * chunk_shape[j]);
    }
    if (in_box != chunks)
        require(DRX_EINVAL, "read a zone that is no rectangle of chunks");
    for (int i = 0; i < chunks; i++)
        zone->place[i] = (int)((index[i][0] - first[0]) * (last[1] - first[1] + 1) + index[i][1] - first[1]);
}

enum { TEXT_BYTES = 2048 };

static void tell_zone(FILE *out, const struct zone *zone, const DRXMPStatus *status, const double values[])
{
    for (int i = 0; i < chunk_distrib[my_rank]; i++)
        (void)fprintf(out, "Rank %d: map[%d] = %d, inmemmap[%d] = %d\n", my_rank, i, global_map[my_rank][i], i,
                      zone->place[i]);
    (void)fprintf(out, "Rank %d: Number read = %d\n", my_rank, (int)status->count / PLACES);
    for (size_t i = 0; i < zone->count[0]; i++) {
        (void)fprintf(out, "Rank %d:", my_rank);
        for (size_t j = 0; j < zone->count[1]; j++)
            (void)fprintf(out, " %4.1f", *values++);
        (void)fprintf(out, "\n");
    }
}

/* Print the texts of all ranks, in their order. */
static void print_in_order(const char *text)
{
    static char texts[RANKS][TEXT_BYTES];

    (void)MPI_Gather(text, TEXT_BYTES, MPI_CHAR, texts, TEXT_BYTES, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; my_rank == 0 && i < RANKS; i++)
        (void)fputs(texts[i], stdout);
}

/* Each rank reads its zone into a conventional array. */
static void read_zones(char *path)
{
    static char reading[] = "r";
    double values[MOST_ELEMENTS];
    char text[TEXT_BYTES] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    DRXMPStatus status;
    DRXMDMemHdl box;
    struct zone zone;
    DRXMDHdl a;

    if (!out)
        require(DRX_ENOMEM, "write a text");
    require(DRXMP_Open(&a, path, reading), "open the array");
    find_zone(drxmp_serial(DRXMP_Array(a)), global_map[my_rank], chunk_distrib[my_rank], &zone);
    require(DRXMP_Mem_init(&box, NDIMS, zone.start, zone.count, DRX_ROW_MAJOR, values), "describe the zone");
    require(DRXMP_Read_all(a, box, &status), "read the zone");
    tell_zone(out, &zone, &status, values);
    if (fclose(out) != 0)
        require(DRX_ENOMEM, "write a text");
    print_in_order(text);
}

int main(int argc, char **argv)
{
    int ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    if (ranks != RANKS || argc != 2) {
        (void)fprintf(stderr, "usage: paper_zones PATH, on %d ranks\n", RANKS);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    make(argv[1]);
    read_zones(argv[1]);
    require(DRXMP_Terminate(), "close the array");
    MPI_Finalize();
    return EXIT_SUCCESS;
}
