/* Runs the program drx in this process, and checks what it prints of names and texts that anybody may have made. */
#include <fcntl.h>
#include <getopt.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include "fuzz.h"

enum { MOST_WORDS = 66 };

int drx_main(int argc, char **argv); /* main of cli/verbs/main.c, compiled under this name */
pid_t __wrap_fork(void);
const char *__asan_default_options(void);

/* The bridge for netCDF brings the shared library beside the static one, which the targets need for seals. */
const char *__asan_default_options(void)
{
    return "detect_odr_violation=0";
}

/* A child would go on with the inputs; without one the program does the work itself. */
pid_t __wrap_fork(void)
{
    return -1;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    fuzz_enter_scratch();
    (void)setenv("COLUMNS", "80", 1);
    fuzz_require(dup2(open("/dev/null", O_RDONLY), STDIN_FILENO) == 0); /* which a word can name */
    return 0;
}

int fuzz_program(const char *const words[])
{
    char *own[MOST_WORDS] = { NULL }, *given[MOST_WORDS] = { NULL };
    int n = 1, status;

    own[0] = strdup("drx");
    for (; words[n - 1]; n++) {
        fuzz_require(n < MOST_WORDS - 1);
        own[n] = strdup(words[n - 1]);
    }
    memcpy(given, own, sizeof own); /* which the program may put in another order */
    optind = 0;                     /* of the run before */
    status = drx_main(n, given);
    fuzz_require(status >= 0 && status <= 2);
    while (n > 0)
        free(own[--n]);
    return status;
}

int fuzz_program_output(const char *const words[], char **out, size_t *bytes)
{
    const int kept = dup(STDOUT_FILENO), file = memfd_create("output", MFD_CLOEXEC);
    off_t end;
    int status;

    (void)fflush(stdout);
    fuzz_require(kept >= 0 && file >= 0 && dup2(file, STDOUT_FILENO) >= 0);
    status = fuzz_program(words);
    (void)fflush(stdout);
    fuzz_require(dup2(kept, STDOUT_FILENO) >= 0);
    (void)close(kept);
    end = lseek(file, 0, SEEK_END);
    *out = malloc((size_t)end + 1);
    fuzz_require(*out && pread(file, *out, (size_t)end, 0) == end);
    (*out)[end] = '\0';
    *bytes = (size_t)end;
    (void)close(file);
    return status;
}

void fuzz_check_shown(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)text[i];

        fuzz_require(c == '\n' || (c >= 0x20 && c != 0x7f));
        fuzz_require(c != 0xc2 || (unsigned char)text[i + 1] >= 0xa0);
    }
}

void fuzz_check_json(const char *text, size_t n)
{
    struct json_tokener *tokener = json_tokener_new_ex(64);
    struct json_object *object;

    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    object = json_tokener_parse_ex(tokener, text, (int)n);
    fuzz_require(n == 0 || json_tokener_get_error(tokener) == json_tokener_success);
    json_object_put(object);
    json_tokener_free(tokener);
}
