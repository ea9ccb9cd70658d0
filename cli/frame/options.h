/* Reading the values of words and options. Each prints what is wrong with
 * `text`, called `what` there, and returns false. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "cli.h"

/* A whole number from `least` up. */
bool parse_number(const char *what, const char *text, int64_t least, int64_t *out);

/* Such numbers, separated by commas: 1 to DRX_MAX_NDIM of them. */
bool parse_numbers(const char *what, const char *text, int64_t least, int64_t out[], int *n);

/* Bytes, with K, M, G or T behind for powers of 1024. */
bool parse_bytes(const char *what, const char *text, int64_t *out);

bool parse_order(const char *what, const char *text, drx_order *out); /* C or F */

/* A type by its NumPy name: float64, f8, <f8, double, ... */
bool parse_type(const char *what, const char *text, drx_type *out);

/* Folders separated by commas, 1 to DRX_MAX_STRIPES; they live in `text`, which is changed. */
bool parse_folders(const char *what, char *text, const char *out[], int *n);

/* Names separated by commas; an empty one becomes NULL. The names live in
 * `text`, which is changed. */
bool parse_names(const char *what, char *text, const char *out[], int *n);

#endif
