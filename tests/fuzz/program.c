#include "program.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

int drx_main(int argc, char **argv); /* main of cli/verbs/main.c, compiled under this name */

int fuzz_program(int n, char *const words[])
{
    char name[] = "drx", *all[66] = { name };
    int status;

    fuzz_require(n < 64);
    for (int i = 0; i < n; i++)
        all[i + 1] = words[i];
    optind = 0; /* of the run before */
    status = drx_main(n + 1, all);
    fuzz_require(status >= 0 && status <= 2);
    return status;
}

int fuzz_program_output(int n, char *const words[], char **out, size_t *bytes)
{
    const int kept = dup(STDOUT_FILENO), file = memfd_create("output", MFD_CLOEXEC);
    off_t end;
    int status;

    (void)fflush(stdout);
    fuzz_require(kept >= 0 && file >= 0 && dup2(file, STDOUT_FILENO) >= 0);
    status = fuzz_program(n, words);
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
