/* What the fuzz targets share. Each target is a file with LLVMFuzzerTestOneInput. libFuzzer calls it (make fuzz), or
 * driver.c does (make test). */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drx.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* What must hold, in all builds. */
#define fuzz_require(condition) ((condition) ? (void)0 : fuzz_failed(#condition, __FILE__, __LINE__))
void fuzz_failed(const char *condition, const char *file, int line) __attribute__((noreturn));

/* ---- scratch.c ----------------------------------------------------------------------- */

/* Make an empty folder, in memory where that can be had, and go there; it is removed at exit. Files cannot become
 * longer than some MiB from then on. */
void fuzz_enter_scratch(void);
void fuzz_clear_scratch(void); /* after each input */
void fuzz_write_file(const char *name, const void *bytes, size_t n);
void fuzz_make_folder(const char *name); /* relative, without ..; other names are passed over */

/* ---- input.c ------------------------------------------------------------------------------ */

/* An input that is taken apart. What is missing at its end is zero. */
struct fuzz_input {
    const uint8_t *at;
    size_t left;
};
uint64_t fuzz_number(struct fuzz_input *in, int bytes);
/* The next n bytes, or as many as there are: *n. To be freed. */
uint8_t *fuzz_bytes(struct fuzz_input *in, size_t *n);

/* The elements of a box, or -1 for more than `most`. */
int64_t fuzz_elements(int ndim, const int64_t shape[], int64_t most);

/* The log of a lone array: a head, and the next *n bytes of the input as its records, to be freed. *n is then its
 * length. */
uint8_t *fuzz_log(struct fuzz_input *in, size_t *n, bool seal);
/* Make the CRCs, and the chain of the records, right in n bytes of a log that follow its head, as far as their lengths
 * lead. */
void fuzz_seal_store(uint8_t *records, size_t n, uint32_t head_crc);
/* Whether opening it takes memory and time that the format allows, but a fuzzer has not: shells by the thousand. */
bool fuzz_is_slow(const uint8_t *log, size_t n);

/* ---- confine.c: around the library, of targets that call it --------------------------------- */

/* No single allocation of the library may be larger than what goes with an input of n bytes. */
void fuzz_limit_allocations(size_t n);

/* ---- program.c: the program drx in this process ---------------------------------------------- */

/* Run `drx WORD ...` of the words, ended by NULL; its exit code, which is 0, 1 or 2. */
int fuzz_program(const char *const words[]);
/* The same, and all that it wrote to standard output: `*out`, to be freed, of *bytes bytes and a NUL. */
int fuzz_program_output(const char *const words[], char **out, size_t *bytes);
/* No control characters but the ends of lines, which a terminal could obey; JSON that is JSON. */
void fuzz_check_shown(const char *text, size_t n);
void fuzz_check_json(const char *text, size_t n);

#endif
