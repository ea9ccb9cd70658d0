/* Text that comes from files: UTF-8, and what is safe to show. */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Bytes of the UTF-8 character at `s`, where n > 0 bytes are; 0: it is not UTF-8. */
size_t utf8_bytes(const char *s, size_t n);
/* The code point at `s`, which has this many bytes. */
uint32_t utf8_code(const char *s, size_t bytes);
bool is_utf8(const char *s, size_t n);

/* n bytes as UTF-8, to be freed; bytes that are not UTF-8 are read as Latin-1. NULL: out of memory. */
char *utf8_of(const char *bytes, size_t n);

/* Text for a terminal, to be freed: control characters and bytes that are not UTF-8 as \n, \x1b. */
char *visible_text(const char *bytes, size_t n);

/* Has the text the word, with a space or an end beside it? NULL has none. */
bool has_word(const char *text, const char *word);

/* n bytes of the text, or fewer, so that its last character is whole. */
size_t whole_characters(const char *text, size_t n);
int character_count(const char *text);

/* Close a stream of open_memstream that writes *text. Its text, to be freed; NULL: out of memory. */
char *end_text(FILE *out, char **text);

/* "3.0 MiB" */
enum { SIZE_TEXT_BYTES = 32 };
void size_text(int64_t bytes, char out[SIZE_TEXT_BYTES]);

/* Write a word quoted for a shell, and `end`. */
void write_word(FILE *out, const char *word, const char *end);

/* n numbers with `between` between them, in a buffer that holds DRX_MAX_NDIM of them. */
enum { NUMBERS_TEXT_BYTES = 32 * 24 };
const char *numbers_text(int n, const int64_t numbers[], const char *between, char out[NUMBERS_TEXT_BYTES]);

#endif
