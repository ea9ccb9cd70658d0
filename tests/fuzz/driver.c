/* A main for targets without libFuzzer. It runs the files of the given folders (seeds and past crashes), then as
 * many mutations of them as --mutations says. --seed repeats a run. An input that crashes stays in ./crash. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

enum { MOST_BYTES = 1 << 20, MOST_CHANGES = 4, PATH_BYTES = 4096 };

struct input {
    uint8_t *bytes;
    size_t n;
};

static struct input *inputs;
static size_t ninputs;
static struct input now; /* which is being run */
static char crash_path[PATH_BYTES];

static void keep_input(void)
{
    FILE *out = fopen(crash_path, "wb");

    if (out) {
        (void)fwrite(now.bytes, 1, now.n, out);
        (void)fclose(out);
        (void)fprintf(stderr, "the input is in %s\n", crash_path);
    }
}

static void on_signal(int number)
{
    keep_input();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void catch_crashes(void)
{
    static const int numbers[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM };

    if (!getcwd(crash_path, sizeof crash_path - sizeof "/crash"))
        crash_path[0] = '\0';
    memcpy(crash_path + strlen(crash_path), "/crash", sizeof "/crash");
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(keep_input);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!__sanitizer_set_death_callback || numbers[i] == SIGALRM || numbers[i] == SIGABRT)
            (void)signal(numbers[i], on_signal);
}

static void load_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    struct input *input;

    fuzz_require(in);
    inputs = realloc(inputs, (ninputs + 1) * sizeof *inputs);
    fuzz_require(inputs);
    input = &inputs[ninputs++];
    input->bytes = malloc(MOST_BYTES);
    fuzz_require(input->bytes);
    input->n = fread(input->bytes, 1, MOST_BYTES, in);
    input->bytes = realloc(input->bytes, input->n ? input->n : 1);
    (void)fclose(in);
}

/* A file, or those of a folder. A target without crashes has no folder of them. */
static void load(const char *path)
{
    struct dirent **entries;
    const int n = scandir(path, &entries, NULL, alphasort);
    char inside[PATH_BYTES];

    if (n < 0) {
        if (errno == ENOTDIR)
            load_file(path);
        return;
    }
    for (int i = 0; i < n; i++) {
        (void)snprintf(inside, sizeof inside, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            load_file(inside);
        free(entries[i]);
    }
    free(entries);
}

static void run(const uint8_t *bytes, size_t n)
{
    uint8_t *copy = malloc(n ? n : 1); /* exactly this many bytes: reading on is found */

    fuzz_require(copy);
    if (n > 0)
        memcpy(copy, bytes, n);
    now = (struct input){ copy, n };
    (void)alarm(60);
    (void)LLVMFuzzerTestOneInput(copy, n);
    (void)alarm(0);
    free(copy);
}

static uint64_t state;

/* splitmix64 */
static size_t below(size_t n)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (size_t)((z ^ z >> 31) % n);
}

/* Numbers at the edges of what is allowed. */
static uint64_t edge(void)
{
    // clang-format off
    static const uint64_t edges[] = {
        0, 1, 2, 7, 8, 127, 128, 255, 256, 65535, 65536, INT32_MAX, UINT32_MAX, UINT64_C(1) << 40,
        INT64_MAX, (uint64_t)INT64_MIN, UINT64_MAX
    };
    // clang-format on

    return edges[below(sizeof edges / sizeof *edges)] - below(2);
}

static size_t change(uint8_t *bytes, size_t n)
{
    const size_t at = below(n), width = (size_t)1 << below(4);
    const struct input *other = &inputs[below(ninputs)];
    const uint64_t number = edge();
    size_t count;

    switch (below(6)) {
    case 0:
        bytes[at] ^= (uint8_t)(1u << below(8));
        return n;
    case 1:
        bytes[at] = (uint8_t)below(256);
        return n;
    case 2:
        memcpy(bytes + at, &number, width < n - at ? width : n - at);
        return n;
    case 3: /* leave some out */
        count = 1 + below(n - at);
        memmove(bytes + at, bytes + at + count, n - at - count);
        return n - count;
    case 4: /* some twice */
        count = 1 + below(n - at);
        count = n + count <= MOST_BYTES ? count : 0;
        memmove(bytes + at + count, bytes + at, n - at);
        return n + count;
    default: /* some of another input */
        count = other->n > 0 ? below(other->n) : 0;
        count = count < n - at ? count : n - at;
        memcpy(bytes + at, other->bytes + (other->n - count), count);
        return n;
    }
}

static void run_mutation(uint8_t *bytes)
{
    const struct input *from = &inputs[below(ninputs)];
    size_t n = from->n;

    memcpy(bytes, from->bytes, n);
    for (size_t changes = 1 + below(MOST_CHANGES); changes > 0 && n > 0; changes--)
        n = change(bytes, n);
    run(bytes, n);
}

int main(int argc, char **argv)
{
    long mutations = 0;
    uint8_t *bytes = malloc(MOST_BYTES);

    fuzz_require(bytes);
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--mutations") == 0 && i + 1 < argc)
            mutations = strtol(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
            state = strtoull(argv[++i], NULL, 10);
        else
            load(argv[i]);
    printf("%zu inputs, %ld mutations of them, --seed %llu\n", ninputs, mutations, (unsigned long long)state);
    (void)fflush(stdout);
    fuzz_require(ninputs > 0);
    catch_crashes();
    (void)LLVMFuzzerInitialize(&argc, &argv);
    for (size_t i = 0; i < ninputs; i++)
        run(inputs[i].bytes, inputs[i].n);
    for (long i = 0; i < mutations; i++)
        run_mutation(bytes);
    for (size_t i = 0; i < ninputs; i++)
        free(inputs[i].bytes);
    free(inputs);
    free(bytes);
    return 0;
}
