#include "mp_testing.h"

#include <time.h>

#include "mp/mp.h"

#if defined __has_feature
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif
#if defined __SANITIZE_ADDRESS__ || HAS_FEATURE(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#else
static void __lsan_do_leak_check(void)
{
}

static void __lsan_disable(void)
{
}

static void __lsan_enable(void)
{
}
#endif

int mp_rank, mp_ranks, mp_thread_level = MPI_THREAD_SINGLE;

int mp_run(int argc, char **argv, const struct CMUnitTest tests[], size_t n)
{
    const char *io = getenv("OMPI_MCA_io"); /* the program cannot ask for it, but here it is known */
    int failed, all;

    if (io && strncmp(io, "romio", 5) == 0)
        drxi_runs_together = true;
    __lsan_disable(); /* MPI loads libraries, and unloads some of them */
    if (mp_thread_level == MPI_THREAD_SINGLE)
        (void)MPI_Init(&argc, &argv);
    else
        (void)MPI_Init_thread(&argc, &argv, mp_thread_level, &mp_thread_level);
    __lsan_enable();
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &mp_rank);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &mp_ranks);
    (void)setenv("DRX_CREATION_ID", "00112233445566778899aabbccddeeff", 1);
    if (mp_rank > 0 && !freopen("/dev/null", "w", stdout))
        return 1;
    failed = _cmocka_run_group_tests("ranks", tests, n, NULL, NULL);
    (void)fflush(stdout);
    if (failed) /* the others may wait for this one */
        (void)MPI_Abort(MPI_COMM_WORLD, 1);
    (void)MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    __lsan_do_leak_check(); /* while what MPI keeps is still known as its own */
    (void)MPI_Finalize();
    return all;
}

uint64_t mp_seed(void)
{
    const char *text = getenv("DRX_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 10) : (uint64_t)time(NULL);

    (void)MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    print_message("DRX_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

static char *contents(const char *path, const char *suffix, size_t *n)
{
    char name[256];
    struct stat status;
    char *bytes;
    int fd;

    (void)snprintf(name, sizeof name, "%s%s", path, suffix);
    fd = open(name, O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &status), 0);
    *n = (size_t)status.st_size;
    bytes = malloc(*n + 1);
    assert_non_null(bytes);
    assert_int_equal(read(fd, bytes, *n), *n);
    assert_int_equal(close(fd), 0);
    return bytes;
}

void mp_assert_same_files(const char *path, const char *expected)
{
    static const char *const suffixes[] = { ".xmd", ".xta" };

    for (int i = 0; mp_rank == 0 && i < 2; i++) {
        size_t n, n_expected;
        char *bytes = contents(path, suffixes[i], &n), *other = contents(expected, suffixes[i], &n_expected);

        if (n != n_expected || memcmp(bytes, other, n) != 0)
            print_error("%s%s is not %s%s: %zu and %zu bytes\n", path, suffixes[i], expected, suffixes[i], n,
                        n_expected);
        assert_int_equal(n, n_expected);
        assert_memory_equal(bytes, other, n);
        free(bytes);
        free(other);
    }
    (void)MPI_Barrier(MPI_COMM_WORLD);
}
