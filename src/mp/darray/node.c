/* Finding the ranks that share memory. That takes all ranks some time, so a communicator keeps the result as an
 * attribute. */
#include <limits.h>

#include "mp/darray/sections.h"

static int key = MPI_KEYVAL_INVALID;

static void free_node(struct drxi_node *node)
{
    if (node->comm != MPI_COMM_NULL)
        (void)MPI_Comm_free(&node->comm);
    drxi_free(node->whole);
    drxi_free(node);
}

static int leave_node(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm, (void)keyval, (void)extra;
    free_node(value);
    return MPI_SUCCESS;
}

static drx_status make_key(void)
{
    if (key != MPI_KEYVAL_INVALID)
        return DRX_OK;
    return drxi_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, leave_node, &key, NULL),
                    "keeping the ranks of a node");
}

static struct drxi_node *new_node(int ranks, int64_t most)
{
    struct drxi_node *node = drxi_calloc(1, sizeof *node);

    if (!node)
        return NULL;
    node->comm = MPI_COMM_NULL;
    node->most = most;
    node->whole = drxi_malloc((size_t)ranks * 2 * sizeof *node->whole);
    if (node->whole)
        return node;
    free_node(node);
    return NULL;
}

/* Divide the ranks of the node into groups of node->most, in order. */
static drx_status divide(struct drxi_node *node)
{
    MPI_Comm all = node->comm;
    int rank = 0;
    drx_status st;

    (void)MPI_Comm_rank(all, &rank);
    node->comm = MPI_COMM_NULL;
    st = drxi_mpi(MPI_Comm_split(all, (int)(rank / node->most), rank, &node->comm), "dividing the ranks of a node");
    (void)MPI_Comm_free(&all);
    return st;
}

static drx_status number_ranks(struct drxi_node *node, MPI_Comm comm)
{
    MPI_Group here, all;
    int *numbers;
    drx_status st;

    (void)MPI_Comm_size(node->comm, &node->ranks);
    (void)MPI_Comm_rank(node->comm, &node->rank);
    numbers = node->whole + node->ranks;
    (void)MPI_Comm_group(comm, &all);
    (void)MPI_Comm_group(node->comm, &here);
    for (int i = 0; i < node->ranks; i++)
        numbers[i] = i;
    st = drxi_mpi(MPI_Group_translate_ranks(here, node->ranks, numbers, all, node->whole), "numbering a node");
    (void)MPI_Group_free(&here);
    (void)MPI_Group_free(&all);
    return st;
}

static drx_status make_node(MPI_Comm comm, struct drxi_node *node)
{
    drx_status st = drxi_mpi(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node->comm),
                             "finding the ranks of a node");

    if (!st && node->most < INT_MAX)
        st = divide(node);
    return st ? st : number_ranks(node, comm);
}

drx_status drxi_node_find(MPI_Comm keeper, MPI_Comm own, int64_t most, const struct drxi_node **out)
{
    struct drxi_node *node = NULL;
    int there = 0, ranks = 0;
    drx_status st = make_key();

    if (!st)
        st = drxi_mpi(MPI_Comm_get_attr(keeper, key, &node, &there), "looking for the ranks of a node");
    if (!st && there && node->most == most) {
        *out = node;
        return DRX_OK;
    }
    (void)MPI_Comm_size(own, &ranks);
    node = st ? NULL : new_node(ranks, most);
    if (!st && !node)
        st = DRX_ENOMEM;
    if (!(st = drxi_agree(own, st, NULL)))
        st = make_node(own, node);
    if (!st)
        st = drxi_mpi(MPI_Comm_set_attr(keeper, key, node), "keeping the ranks of a node");
    if (!st)
        *out = node;
    else if (node)
        free_node(node);
    return st;
}

void drxi_node_forget(MPI_Comm keeper)
{
    struct drxi_node *node;
    int there = 0;

    if (key != MPI_KEYVAL_INVALID && MPI_Comm_get_attr(keeper, key, &node, &there) == MPI_SUCCESS && there)
        (void)MPI_Comm_delete_attr(keeper, key);
}
