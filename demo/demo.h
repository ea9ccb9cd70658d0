/* The parts of the demonstration; scripts/demo runs it. What fails says so and ends the program. */
#ifndef DEMO_H
#define DEMO_H

#include <drx.h>
#include <stdbool.h>

enum { MONTHS = 132, LATS = 73, LONS = 144, MONTHS_A_YEAR = 12, EQUATOR = LATS / 2, FIRST_YEAR = 1982 };
enum { PLACE = 76 }; /* longitude 150°W */

/* ---- source.c: the original, read by the netCDF library ------------------------- */

struct source {
    float *wind; /* [MONTHS][LATS][LONS], from south to north as in the file */
    float fill;
    char *units, *long_name;
    double *hours; /* [MONTHS], the middle of each */
    char *hours_since;
};

void load_source(struct source *s, const char *file);
void free_source(struct source *s);

/* The value that belongs at that index of the array, whose latitudes run from north to south. */
float source_value(const struct source *s, int64_t month, int64_t lat, int64_t lon);

/* A box of such values, in C order, to be freed. */
float *source_box(const struct source *s, const int64_t lo[3], const int64_t count[3]);

/* The other original: heights [shape[0]][shape[1]], to be freed. */
float *load_relief(const char *file, const int64_t shape[2]);

/* ---- plan.c: what is made of it -------------------------------------------------- */

enum { STEPS = 4, ATTRIBUTES = 4 };

extern const struct step {
    const char *what;
    int axis;
    int64_t by;
    int times;
} steps[STEPS];

struct attribute {
    const char *name, *text;
};

drx_spec plan_spec(const struct source *s); /* of 1982 in the north, the first that is made */
void plan_attributes(const struct source *s, struct attribute attributes[ATTRIBUTES]);

/* ---- proof.c: what growth does to the stored bytes ------------------------------- */

struct proof {
    int fd;              /* the .xta file, read without the library */
    int64_t chunk_bytes; /* also from one chunk to the next */
    int64_t shape[3], chunks;
    int64_t *address;                   /* of each chunk as it was before the growth, in row-major order, */
    unsigned char *bytes;               /* and its bytes */
    int64_t growths, growths_in_chunks; /* the latter without a new chunk */
    int64_t compared_chunks, moved_chunks, compared_elements, changed_elements;
};

void open_proof(struct proof *p, const char *path, const drx_array *a);
void before_growth(struct proof *p, const drx_array *a);
void after_growth(struct proof *p, const drx_array *a);
void close_proof(struct proof *p);

/* Byte of the .xta file at which the element is, and the element there. */
int64_t element_offset(const drx_array *a, const int64_t index[3]);
float element_at(const struct proof *p, int64_t offset);

/* ---- show.c: what is printed ------------------------------------------------------ */

void show_title(const char *title);
void show_steps_head(void);
void show_made(const drx_array *a, double sync_us);
void show_step(const struct step *step, const drx_array *a, double us[], double sync_us); /* sorts the times */
void show_chunks(const drx_array *a);
void show_reading_head(void);
void show_reading(const char *what, int64_t equal, int64_t n, double us); /* ends the program when they differ */
void show_series(const float series[MONTHS]);
void show_sizes(const char *original, const char *path);

struct text {
    char s[32];
};

struct text grouped(int64_t n);        /* "1,387,584" */
struct text duration(double us);       /* "412 µs", "3.10 ms" */
void column(const char *s, int width); /* to the left; to the right for width < 0 */

/* ---- tell.c ------------------------------------------------------------------------- */

void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void check(drx_status st, const char *what);
void *allocate(int64_t n, size_t bytes);
double now_us(void);

/* ---- the acts: grow_winds.c, outwards.c, read_winds.c, compare_winds.c, read_relief.c ------------ */

void grow(const struct source *s, const char *path);
void grow_outwards(const struct source *s, const char *path);
void read_back(const struct source *s, const char *path);
void compare(const char *grown, const char *imported);
void read_relief(const char *original, const char *path);

/* ---- coordinates.c: arrays `time`, `lat` and `lon` beside the winds ------------------- */

void write_coordinates(const struct source *s);

#endif
