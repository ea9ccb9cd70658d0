#include "mp_testing.h"

#include <time.h>

uint64_t mp_seed(void)
{
    const char *text = getenv("DRX_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 10) : (uint64_t)time(NULL);

    (void)MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, mp_comm);
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
    (void)MPI_Barrier(mp_comm);
}
