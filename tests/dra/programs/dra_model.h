/* Plain arrays in the memory of each rank: what a global array, or a disk resident one, has to hold. */
#ifndef DRA_MODEL_H
#define DRA_MODEL_H

#include "dra_testing.h"

/* Elements in C order. */
struct model {
    int type, ndim; /* type: C_INT and so on */
    int64_t dims[MOST_DIMS], count;
    size_t element_bytes;
    unsigned char *bytes;
};

/* Indices from lo up to and with hi. */
struct section {
    int ndim;
    int64_t lo[MOST_DIMS], hi[MOST_DIMS];
};

enum { TYPES = 6 };
extern const int all_types[TYPES];
const char *type_name(int type);

/* All bytes 0. */
struct model make_model(int type, int ndim, const int64_t dims[]);
/* All models and global arrays, which otherwise live until their part of the program is over. Collective. */
void release_all(void);
void free_models(void); /* for release_all */
/* Values that depend on place and salt, and that all types hold exactly. */
void fill_model(struct model *model, uint64_t salt);

struct section whole_section(const struct model *model);
int64_t section_count(const struct section *section);
/* Anywhere in the model. */
struct section random_section(const struct model *model);
/* As large as the other, whose axes come in reverse order if so; it fits. */
struct section section_like(const struct model *model, const struct section *other, bool reversed);

/* One section becomes the other, in C order of indices or, reversed, in the order that counts down the source's axes.
 * As many elements, of one type. */
void copy_section(struct model *to, const struct section *at, const struct model *from, const struct section *section,
                  bool reversed);

/* A global array of that type and those extents, distributed in one of several ways. Collective. */
int make_global(const struct model *model, int way);
enum { WAYS = 3 };
/* Collective. */
void put_global(int g_a, const struct model *model);
/* The job ends if they differ; else this is the checksum of all elements, on all ranks. Collective. */
uint64_t check_global(int g_a, const struct model *model, const char *what);

int create_disk(const struct model *model, const char *file, int mode, const int64_t hint[], int *d_a);

/* NDRA_Write_section or NDRA_Read_section; its code. */
int call_move(bool writing, bool turned, int g_a, const struct section *global, int d_a, const struct section *disk,
              int *request);
/* The request of one that succeeds. */
int begin_move(bool writing, bool turned, int g_a, const struct section *global, int d_a, const struct section *disk);
/* A whole global array to or from a whole one on disk, to its end. */
void write_whole(int g_a, int d_a);
void read_whole(int g_a, int d_a);

/* What is on disk becomes the model; the code of the write or of the wait for it. Collective. */
int write_disk(int d_a, const struct model *model, int way);
/* What is on disk is the model: says its checksum. Collective. */
void check_disk(int d_a, const struct model *model, int way, const char *what);

/* "[0:3,2:5]" */
enum { SECTION_TEXT = 256 };
const char *section_text(const struct section *section, char text[SECTION_TEXT]);

#endif
