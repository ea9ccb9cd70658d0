/* A small finite-element code. Each rank has some of the triangles of a mesh and the nodes at their corners, so ranks
 * share the nodes between their triangles. In each step every triangle adds its part to its nodes, and
 * drxmp_darray_sync_add adds together what the ranks have of a node.
 *
 *     mpicc assemble.c $(pkg-config --cflags --libs drxmp) -o assemble -lm && mpirun -n 4 ./assemble
 *
 * The program lets heat flow from one corner of a plate. Every rank computes the whole mesh, too, and compares. */
#include <drxmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ACROSS = 61, DOWN = 47, NODES = ACROSS * DOWN, TRIANGLES = 2 * (ACROSS - 1) * (DOWN - 1), STEPS = 50 };

static void check(drx_status st)
{
    if (st) {
        fprintf(stderr, "assemble: %s\n", drx_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* The nodes at the corners of a triangle: two triangles make a square. */
static void find_corners(int triangle, int node[3])
{
    const int square = triangle / 2, first = square / (ACROSS - 1) * ACROSS + square % (ACROSS - 1);

    node[0] = triangle % 2 ? first + ACROSS + 1 : first;
    node[1] = first + 1;
    node[2] = first + ACROSS;
}

/* Add to `flow` what the triangles first <= t < end contribute. place[node] is where a node is in both. */
static void add_flow(int first, int end, const int place[NODES], const double *heat, double *flow)
{
    for (int t = first; t < end; t++) {
        int node[3], at[3];

        find_corners(t, node);
        for (int i = 0; i < 3; i++)
            at[i] = place[node[i]];
        for (int i = 1; i < 3; i++) { /* along the sides at the right angle */
            const double difference = heat[at[0]] - heat[at[i]];

            flow[at[0]] -= difference / 2;
            flow[at[i]] += difference / 2;
        }
    }
}

/* List the nodes of this rank's triangles in the order in which they are met, and set their places. */
static int list_nodes(int first, int end, int64_t global[NODES], int place[NODES])
{
    int n = 0;

    for (int node = 0; node < NODES; node++)
        place[node] = -1;
    for (int t = first; t < end; t++) {
        int node[3];

        find_corners(t, node);
        for (int i = 0; i < 3; i++)
            if (place[node[i]] < 0) {
                global[n] = node[i];
                place[node[i]] = n++;
            }
    }
    return n;
}

static void compute_alone(double heat[NODES])
{
    static double flow[NODES];
    static int place[NODES];

    for (int node = 0; node < NODES; node++)
        place[node] = node;
    for (int step = 0; step < STEPS; step++) {
        memset(flow, 0, sizeof flow);
        add_flow(0, TRIANGLES, place, heat, flow);
        for (int node = 0; node < NODES; node++)
            heat[node] += flow[node] / 4;
    }
}

int main(int argc, char **argv)
{
    static int64_t global[NODES];
    static int place[NODES];
    static double expected[NODES] = { 1000 };
    double *heat, *flow;
    struct dap_dim dim;
    drxmp_darray *shared;
    int rank, ranks, first, end, n, wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    first = (int)((int64_t)TRIANGLES * rank / ranks);
    end = (int)((int64_t)TRIANGLES * (rank + 1) / ranks);
    n = list_nodes(first, end, global, place);
    if (dap_unstructured(NODES, n, global, 0, ranks, rank, &dim))
        MPI_Abort(MPI_COMM_WORLD, 1);
    check(drxmp_darray_create(MPI_COMM_WORLD, DRX_FLOAT64, 1, &dim, DRX_ROW_MAJOR, &shared));
    flow = drxmp_darray_local(shared);
    heat = calloc((size_t)n + 1, sizeof *heat);
    if (!heat)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (place[0] >= 0)
        heat[place[0]] = 1000;
    for (int step = 0; step < STEPS; step++) {
        memset(flow, 0, (size_t)n * sizeof *flow);
        add_flow(first, end, place, heat, flow);
        check(drxmp_darray_sync_add(shared)); /* all that hold a node have the same sum */
        for (int i = 0; i < n; i++)
            heat[i] += flow[i] / 4;
    }
    compute_alone(expected);
    for (int i = 0; i < n; i++) /* sums of another order differ in the last bits */
        wrong += fabs(heat[i] - expected[global[i]]) > 1e-9;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d nodes on %d ranks, %d of them wrong\n", NODES, ranks, wrong);
    check(drxmp_darray_free(shared));
    free(heat);
    MPI_Finalize();
    return wrong != 0;
}
