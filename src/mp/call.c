/* Agreement: one reduction finds whether all ranks make the same call and none has failed. Only if not, the ranks
 * exchange more, to describe the error. */
#include <assert.h>

#include "mp/mp.h"

#include <stdio.h>

enum { DETAIL_BYTES = 1024 };

atomic_uint_fast64_t drxi_agreements;

static void has_agreed(void)
{
    (void)atomic_fetch_add_explicit(&drxi_agreements, 1, memory_order_acq_rel);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_bytes(const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    uint64_t hash = n;

    for (; n > 0; n -= n < 8 ? n : 8, p += 8) {
        uint64_t word = 0;

        memcpy(&word, p, n < 8 ? n : 8);
        hash = mix(hash, word);
    }
    return hash;
}

void drxi_call_start(struct drxi_call *call, const char *name)
{
    memset(call, 0, sizeof *call);
    (void)snprintf(call->name, sizeof call->name, "%s", name);
}

static void add_argument(struct drxi_call *call, const char *label, int64_t value, bool hashed)
{
    const int64_t i = call->args++;

    assert(i < DRXI_CALL_ARGS);
    (void)snprintf(call->arg[i].label, sizeof call->arg[i].label, "%s", label);
    call->arg[i].value = value;
    call->arg[i].hashed = hashed;
}

void drxi_call_int(struct drxi_call *call, const char *label, int64_t value)
{
    add_argument(call, label, value, false);
}

void drxi_call_bytes(struct drxi_call *call, const char *label, const void *bytes, size_t n)
{
    add_argument(call, label, (int64_t)(bytes ? hash_bytes(bytes, n) : 0), true);
}

/* Its number differs from rank to rank. */
static uint64_t hash_type(drx_type type)
{
    const drx_type_info *info = drx_type_describe(type);
    uint64_t hash = info ? hash_bytes(info->name, strlen(info->name)) : (uint64_t)type;

    if (!info)
        return hash;
    hash = mix(mix(mix(hash, (uint64_t)info->type_class), info->bytes), (uint64_t)info->base);
    hash = mix(mix(hash, (uint64_t)info->first_bit << 32 | (uint64_t)info->nbits),
               hash_bytes(info->tag, strlen(info->tag)));
    for (int i = 0; i < info->nmembers; i++) {
        const drx_member *m = &info->members[i];

        hash = mix(mix(mix(hash, hash_bytes(m->name, strlen(m->name))), m->offset), hash_type(m->type));
        hash = mix(hash, m->value ? hash_bytes(m->value, info->bytes)
                                  : hash_bytes(m->extents, (size_t)m->rank * sizeof *m->extents));
    }
    return hash;
}

void drxi_call_type(struct drxi_call *call, const char *label, drx_type type)
{
    add_argument(call, label, (int64_t)hash_type(type), DRX_IS_DEFINED(type));
}

void drxi_call_text(struct drxi_call *call, const char *label, const char *text)
{
    drxi_call_bytes(call, label, text, text ? strlen(text) + 1 : 0);
}

void drxi_call_also(struct drxi_call *call, const char *text)
{
    int64_t *value = &call->arg[call->args - 1].value;

    *value = (int64_t)mix((uint64_t)*value, text ? hash_bytes(text, strlen(text) + 1) : 0);
}

void drxi_call_stripes(struct drxi_call *call, int n, const char *const stripes[])
{
    drxi_call_int(call, "spec.nstripes", n);
    drxi_call_bytes(call, "spec.stripes", NULL, 0);
    for (int k = 0; stripes && k < n && k < DRX_MAX_STRIPES; k++)
        drxi_call_also(call, stripes[k]);
}

static int64_t call_key(const struct drxi_call *call)
{
    uint64_t hash = call ? hash_bytes(call->name, sizeof call->name) : 0;

    for (int64_t i = 0; call && i < call->args; i++)
        hash = mix(hash, (uint64_t)call->arg[i].value);
    return (int64_t)(hash >> 2); /* so that its negative exists */
}

drx_status drxi_check_running(void)
{
    int initialized = 0, finalized = 0;

    (void)MPI_Initialized(&initialized);
    (void)MPI_Finalized(&finalized);
    return initialized && !finalized
               ? DRX_OK
               : drxi_fail(DRX_EMPI, "MPI is not running: MPI_Init comes first, MPI_Finalize last");
}

drx_status drxi_mpi(int code, const char *what)
{
    char text[MPI_MAX_ERROR_STRING];
    int n;

    if (code == MPI_SUCCESS)
        return DRX_OK;
    if (MPI_Error_string(code, text, &n) != MPI_SUCCESS)
        (void)snprintf(text, sizeof text, "error %d", code);
    return drxi_fail(DRX_EMPI, "%s: %s", what, text);
}

/* Give all ranks the detail of rank `from`. */
static drx_status share_detail(MPI_Comm comm, int from, drx_status st)
{
    char detail[DETAIL_BYTES];

    (void)snprintf(detail, sizeof detail, "%s", *drx_last_error() ? drx_last_error() : drx_strerror(st));
    if (MPI_Bcast(detail, sizeof detail, MPI_CHAR, from, comm) != MPI_SUCCESS)
        return st;
    return strncmp(detail, "rank ", 5) == 0 ? drxi_fail(st, "%s", detail) : drxi_fail(st, "rank %d: %s", from, detail);
}

static drx_status say_difference(const struct drxi_call *root, const struct drxi_call *other, int rank)
{
    const drx_status st = DRX_EMISMATCH;

    if (strcmp(root->name, other->name) != 0)
        return drxi_fail(st, "rank %d calls %s, and rank 0 %s", rank, other->name, root->name);
    for (int64_t i = 0; i < root->args; i++)
        if (root->arg[i].value != other->arg[i].value)
            return root->arg[i].hashed
                       ? drxi_fail(st, "%s: %s of rank %d is not that of rank 0", root->name, root->arg[i].label, rank)
                       : drxi_fail(st, "%s: %s is %lld on rank %d, and %lld on rank 0", root->name, root->arg[i].label,
                                   (long long)other->arg[i].value, rank, (long long)root->arg[i].value);
    return drxi_fail(st, "%s: the arguments of rank %d differ from those of rank 0", root->name, rank);
}

/* Set the detail from the first rank whose call differs from the root's. */
static drx_status share_difference(MPI_Comm comm, const struct drxi_call *mine)
{
    struct drxi_call roots = *mine, others = *mine;
    int rank, ranks, first;

    (void)MPI_Comm_rank(comm, &rank);
    (void)MPI_Comm_size(comm, &ranks);
    if (MPI_Bcast(&roots, sizeof roots, MPI_BYTE, DRXI_ROOT, comm) != MPI_SUCCESS)
        return DRX_EMISMATCH;
    first = call_key(&roots) != call_key(mine) ? rank : ranks;
    if (MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS || first == ranks ||
        MPI_Bcast(&others, sizeof others, MPI_BYTE, first, comm) != MPI_SUCCESS)
        return DRX_EMISMATCH;
    return say_difference(&roots, &others, first);
}

static const int64_t status_unit = INT64_C(1) << 32; /* the low 32 bits are the rank that has the status */

void drxi_agree_prepare(MPI_Comm comm, drx_status mine, const struct drxi_call *call, int64_t low[3])
{
    int rank = 0;

    if (mine)
        (void)MPI_Comm_rank(comm, &rank);
    low[0] = mine * status_unit + (mine ? rank : 0);
    low[1] = call_key(call);
    low[2] = -low[1];
}

/* The worst status, and the first rank that has it. */
static drx_status worst(const int64_t low[3], int *rank)
{
    *rank = (int)((uint64_t)low[0] % (uint64_t)status_unit);
    return (drx_status)((low[0] - *rank) / status_unit);
}

drx_status drxi_agree_result(const int64_t low[3], int rank, const char *detail)
{
    int first;
    const drx_status st = worst(low, &first);

    has_agreed();
    if (low[1] != -low[2])
        return drxi_fail(DRX_EMISMATCH, "the ranks make different calls, or give different arguments");
    return st ? drxi_fail(st, "rank %d: %s", first, first == rank && detail ? detail : drx_strerror(st)) : DRX_OK;
}

drx_status drxi_agree_explain(MPI_Comm comm, const int64_t low[3], const struct drxi_call *call)
{
    int first;
    drx_status st;

    has_agreed();
    if (low[1] != -low[2]) /* checked first, because ranks in different calls must not exchange details */
        return share_difference(comm, call);
    st = worst(low, &first);
    return st ? share_detail(comm, first, st) : DRX_OK;
}

drx_status drxi_agree(MPI_Comm comm, drx_status mine, const struct drxi_call *call)
{
    int64_t low[3];
    int code;
    const drx_status st = drxi_check_running();

    if (st)
        return st;
    drxi_agree_prepare(comm, mine, call, low);
    code = MPI_Allreduce(MPI_IN_PLACE, low, 3, MPI_INT64_T, MPI_MIN, comm);
    return code == MPI_SUCCESS ? drxi_agree_explain(comm, low, call) : drxi_mpi(code, "agreeing");
}

drx_status drxi_from_root(MPI_Comm comm, drx_status roots, void *bytes, int n)
{
    uint8_t packed[256]; /* the status and the bytes together, if they fit */
    const bool small = n <= (int)(sizeof packed - sizeof roots);
    int code;

    memcpy(packed, &roots, sizeof roots);
    if (small && n > 0)
        memcpy(packed + sizeof roots, bytes, (size_t)n);
    code = MPI_Bcast(packed, (int)sizeof roots + (small ? n : 0), MPI_BYTE, DRXI_ROOT, comm);
    if (code != MPI_SUCCESS)
        return drxi_mpi(code, "receiving from rank 0");
    has_agreed();
    memcpy(&roots, packed, sizeof roots);
    if (roots)
        return share_detail(comm, DRXI_ROOT, roots);
    if (small && n > 0)
        memcpy(bytes, packed + sizeof roots, (size_t)n);
    return small ? DRX_OK : drxi_mpi(MPI_Bcast(bytes, n, MPI_BYTE, DRXI_ROOT, comm), "receiving from rank 0");
}
