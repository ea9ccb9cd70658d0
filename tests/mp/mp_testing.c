#include "mp_testing.h"
#include "file_faults.h"
#include "socket_faults.h"

#include <errno.h>
#include <glob.h>

#include "base/base.h"
#include "io/io.h"
#include "mp/mp.h"

uint64_t mp_stream;

int64_t mp_below(int64_t n)
{
    return random_below(&mp_stream, n);
}

drx_order mp_any_order(void)
{
    return mp_below(2) ? DRX_ROW_MAJOR : DRX_COL_MAJOR;
}

static int sample(void)
{
    const char *text = getenv("DRX_SAMPLE"), *full = getenv("DRX_TORTURE");
    const int k = text && !(full && strcmp(full, "1") == 0) ? (int)strtol(text, NULL, 10) : 1;

    return k > 1 ? k : 1;
}

long mp_next(long n)
{
    return n + 1 + mp_below(2 * sample() - 1);
}

int mp_rounds(int full)
{
    const int rounds = full / sample();

    return rounds < 2 && full > 2 ? 2 : rounds;
}

void mp_assert_alike(drx_status st, long n)
{
    int range[2] = { st, -st };

    (void)MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_INT, MPI_MIN, mp_comm);
    if (range[0] != -range[1])
        print_error("%ld: status %d on this rank, from %d to %d on all; %s\n", n, (int)st, range[0], -range[1],
                    drx_last_error());
    assert_int_equal(range[0], -range[1]);
}

drxmp_array *mp_create(const char *path, const drx_spec *spec)
{
    drxmp_array *m;

    assert_ok(drxmp_create(mp_comm, path, spec, &m));
    return m;
}

drxmp_array *mp_open(const char *path, unsigned mode)
{
    drxmp_array *m;

    assert_ok(drxmp_open(mp_comm, path, mode, &m));
    return m;
}

void mp_assert_epochs(drxmp_array *m)
{
    const struct drxi_pack *p = drxi_data_of(drxmp_serial(m))->file->pack;
    int64_t least[4];

    if (!p)
        return;
    least[0] = p->log->epoch;
    least[2] = p->log->state.epoch;
    least[1] = -least[0];
    least[3] = -least[2];
    assert_true(least[0] > least[2] || !drxi_parts_of(drxmp_serial(m))->writable);
    (void)MPI_Allreduce(MPI_IN_PLACE, least, 4, MPI_INT64_T, MPI_MIN, mp_comm);
    assert_int_equal(least[0], -least[1]);
    assert_int_equal(least[2], -least[3]);
}

drx_status mp_set(drxmp_array *m, const char *settings, ...)
{
    char text[256], *rest = NULL;
    drx_status st;
    MPI_Info info;
    va_list args;

    va_start(args, settings);
    (void)vsnprintf(text, sizeof text, settings, args);
    va_end(args);
    assert_int_equal(MPI_Info_create(&info), MPI_SUCCESS);
    for (char *key = strtok_r(text, ",", &rest); key; key = strtok_r(NULL, ",", &rest)) {
        char *value = strchr(key, '=');

        assert_non_null(value);
        *value++ = '\0';
        assert_int_equal(MPI_Info_set(info, key, value), MPI_SUCCESS);
    }
    st = drxmp_set_info(m, info);
    assert_int_equal(MPI_Info_free(&info), MPI_SUCCESS);
    return st;
}

drx_status mp_set_any(drxmp_array *m)
{
    const int ranks = mp_below(2) ? mp_ranks : 1 + (int)mp_below(mp_ranks);
    const int bytes = mp_below(2) ? 1 << 16 : 1 << 25;

    return mp_set(m, "drx_io_ranks=%d,drx_buffer=%d,drx_backend=%s", ranks, bytes, mp_below(2) ? "posix" : "mpiio");
}

void mp_shell(const char *command)
{
    if (mp_rank == 0)
        assert_int_equal(system(command), 0);
    (void)MPI_Barrier(mp_comm);
}

void mp_remove(const char *path)
{
    if (mp_rank == 0)
        assert_ok(drx_remove(path));
    (void)MPI_Barrier(mp_comm);
}

int mp_count_files(const char *patterns)
{
    char text[128], *rest = NULL;
    glob_t found;
    int n = 0;

    (void)MPI_Barrier(mp_comm);
    (void)snprintf(text, sizeof text, "%s", patterns);
    for (char *pattern = strtok_r(text, " ", &rest); mp_rank == 0 && pattern; pattern = strtok_r(NULL, " ", &rest))
        if (glob(pattern, 0, NULL, &found) == 0) {
            n += (int)found.gl_pathc;
            globfree(&found);
        }
    (void)MPI_Bcast(&n, 1, MPI_INT, 0, mp_comm);
    return n;
}

static bool are_same(const char *path, const char *expected, const char *suffix)
{
    const char *const paths[2] = { path, expected };
    FILE *f[2];
    int c[2];

    for (int i = 0; i < 2; i++) {
        char name[256];

        (void)snprintf(name, sizeof name, "%s%s", paths[i], suffix);
        f[i] = fopen(name, "rb");
        assert_non_null(f[i]);
    }
    do {
        c[0] = getc_unlocked(f[0]);
        c[1] = getc_unlocked(f[1]);
    } while (c[0] == c[1] && c[0] != EOF);
    if (c[0] != c[1])
        print_error("%s%s differs from %s%s before byte %ld\n", path, suffix, expected, suffix, ftell(f[0]));
    (void)fclose(f[0]);
    (void)fclose(f[1]);
    return c[0] == c[1];
}

void mp_assert_same_files(const char *path, const char *expected)
{
    if (mp_rank == 0) {
        char table[256], sums[256];

        (void)snprintf(table, sizeof table, "%s.xct", expected);
        assert_true(are_same(path, expected, ".xmd"));
        (void)snprintf(sums, sizeof sums, "%s.xcs", expected);
        assert_true(access(sums, F_OK) != 0 || are_same(path, expected, ".xcs"));
        if (access(table, F_OK) == 0) {
            assert_true(are_same(path, expected, ".xct"));
            assert_true(are_same(path, expected, ".xtz"));
        } else {
            assert_true(are_same(path, expected, ".xta"));
        }
    }
    (void)MPI_Barrier(mp_comm);
}

struct mp_box mp_part_of(int rank, int axis, struct mp_box whole)
{
    const int64_t n = whole.count[axis], from = n * rank / mp_ranks;

    whole.lo[axis] += from;
    whole.count[axis] = n * (rank + 1) / mp_ranks - from;
    return whole;
}

struct mp_box mp_part(int axis, struct mp_box whole)
{
    return mp_part_of(mp_rank, axis, whole);
}

drx_box mp_drx_box(const struct mp_box *b)
{
    return (drx_box){ .lo = b->lo, .count = b->count, .step = b->step[0] ? b->step : NULL };
}

int64_t mp_box_size(const struct mp_box *b)
{
    return b->count[0] * b->count[1];
}

int64_t mp_row(const struct mp_box *b, int64_t k)
{
    return b->lo[0] + k / b->count[1] * (b->step[0] ? b->step[0] : 1);
}

int64_t mp_column(const struct mp_box *b, int64_t k)
{
    return b->lo[1] + k % b->count[1] * (b->step[0] ? b->step[1] : 1);
}

int32_t mp_number(int version, int64_t i, int64_t j)
{
    return (int32_t)((uint32_t)version * 10000000u + (uint32_t)(i * 1000 + j)); /* of many versions it wraps around */
}

void mp_number_box(int version, const struct mp_box *b, int32_t *buf)
{
    for (int64_t k = 0; k < mp_box_size(b); k++)
        buf[k] = mp_number(version, mp_row(b, k), mp_column(b, k));
}

void mp_assert_numbers(int version, const struct mp_box *b, const int32_t *buf)
{
    for (int64_t k = 0; k < mp_box_size(b); k++) {
        const int32_t expected = mp_number(version, mp_row(b, k), mp_column(b, k));

        if (buf[k] != expected)
            print_error("[%d, %d] is %d\n", (int)mp_row(b, k), (int)mp_column(b, k), (int)buf[k]);
        assert_int_equal(buf[k], expected);
    }
}

drx_status mp_write_all(drxmp_array *m, const struct mp_box *b, const void *buf)
{
    return drxmp_write_all(m, b->lo, b->count, DRX_ROW_MAJOR, buf);
}

drx_status mp_read_all(drxmp_array *m, const struct mp_box *b, void *buf)
{
    return drxmp_read_all(m, b->lo, b->count, DRX_ROW_MAJOR, buf);
}

void mp_arm(enum mp_fault fault, int culprit, long n)
{
    if (mp_rank != culprit)
        return;
    if (fault == MP_ALLOCATION)
        drxi_fail_allocation = n;
    else if (fault == MP_SOCKET || fault == MP_SOCKET_ENDS)
        socket_fault_arm(n, fault == MP_SOCKET_ENDS);
    else
        drxi_fault_arm(n, fault == MP_CALLS ? ENOSPC : EIO, fault == MP_CALLS);
}

bool mp_disarm(enum mp_fault fault, int culprit)
{
    const bool sockets = fault == MP_SOCKET || fault == MP_SOCKET_ENDS;
    int fired = fault == MP_ALLOCATION ? drxi_fail_allocation == 0
                : sockets              ? socket_fault_fired()
                                       : drxi_fault_fired();

    drxi_fail_allocation = 0;
    socket_fault_arm(0, false);
    if (fault != MP_ALLOCATION && !sockets)
        drxi_fault_arm(0, 0, false);
    (void)MPI_Bcast(&fired, 1, MPI_INT, culprit, mp_comm);
    return fired;
}
