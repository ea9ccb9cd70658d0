/* Arrays as verbs use them. The calls print what goes wrong. */
#pragma once

#include "drx_cf.h"
#include "drx_dataset.h"
#include "frame/cli.h"

/* The path of the array that a word names: a shell that completes file names may leave the suffix of one of its files
 * at its end. Changes `word`. */
char *array_path(char *word);

/* FAILED, after printing why, if the file is one of those of the array; else DONE. Collective. */
int expect_other_file(const char *path, const char *file);

/* The paths of n words. Neighbours that are files of one array become one path. Returns the number of paths. */
int array_paths(char *words[], int n);

/* Is the name free, or may the array that has it be replaced? */
bool is_free_path(const char *path, const drx_spec *spec);

/* Make a new one; NULL after printing why. */
drx_array *create_array(const char *path, const drx_spec *spec);

/* Make an array that gets its name when it is complete. If `status` is DONE, name_array makes it durable and names it;
 * it closes it in any case. An array that is replaced stays until then. Returns the exit code. */
drx_array *create_unnamed_array(const char *path, drx_spec *spec);
int name_array(drx_array *a, const char *path, unsigned flags, int status);

/* NULL after printing why. Prints a report of the library as a warning. */
drx_array *open_array(const char *path, int mode);
/* The same; DRX_RDONLY: as of that commit of its dataset. */
drx_array *open_array_at(const char *path, int mode, int64_t commit);

/* Close it; commit_array syncs it first if `status` is DONE. Returns the exit code. */
int close_array(drx_array *a, const char *path, int status);
int commit_array(drx_array *a, const char *path, int status);

/* As drx_read and drx_write, of the box that begins `at` elements after the first ones of each axis. */
drx_status read_at(drx_array *a, const int64_t at[], const int64_t count[], drx_order order, void *buf);
drx_status write_at(drx_array *a, const int64_t at[], const int64_t count[], drx_order order, const void *buf);

/* Does the history of growth tell where the chunks are? So it is when the array begins at index 0, grew at the high
 * ends alone, and was not trimmed. */
bool is_simple(const drx_array *a);
/* Whether the first index of each axis is 0. A copy of any other array goes box by box, without a plan. */
bool begins_at_zero(const drx_array *a);

/* The fill value, which marks missing elements; NULL if it is zero, which does not. */
const void *fill_of(const drx_array *a);
/* Is it a null variable, without elements and without a shape? */
bool is_null(const drx_array *a);
/* Has the element the bytes of the fill value? */
bool is_fill(const drx_array *a, const void *element);

/* Is `word` a number from 0 up or a name? Needs no array. */
bool is_axis(const char *word);

/* The axis of that number or name. */
bool find_axis(const drx_array *a, const char *path, const char *word, int *axis);

/* "axis 0" or "axis 0 (time)". A long name is cut; control characters are made visible. */
enum { AXIS_TEXT_BYTES = 96 };
const char *axis_text(const drx_array *a, int axis, char out[AXIS_TEXT_BYTES]);

struct array_files {
    int n;
    char *name[2 + DRX_MAX_STRIPES]; /* the metadata, then the data, then the checksums or the table */
};

/* List the files of an array. If it cannot be opened, list the usual names and return the library's status. DRX_ENOMEM:
 * the list is empty. Free it in any case. */
drx_status list_array_files(const char *path, struct array_files *files);
void free_array_files(struct array_files *files);

/* Open the array `name` in the folder of `path`: as of the commit that `a` shows, if a dataset has both; `a` may be
 * NULL. NULL, silently: there is none. */
drx_array *open_array_beside(const drx_array *a, const char *path, const char *name);

/* Open the array with the coordinates along `axis` of `a`, whose path is `path`; close it. It has one dimension, the
 * extent of the axis, and real numbers, and is not `a` itself. NULL, silently: there is none. */
drx_array *open_coordinate(const drx_array *a, const char *path, int axis);
/* The same of real numbers or strings. */
drx_array *open_labels(const drx_array *a, const char *path, int axis);

/* `a`, or, if it is not wanted, NULL after closing it. */
drx_array *kept_if(bool wanted, drx_array *a);

/* The same, of any extent and type. */
drx_array *open_named_like(const drx_array *a, const char *path, int axis);

/* The path of the array `name` in the folder of `path`, to be freed. NULL: it is no possible name, or out of memory. */
char *path_beside(const char *path, const char *name);

/* ---- codec_choice.c: --codec, --level and --shuffle of create, copy and import: how the chunks of a new array are
 * compressed. */

struct json;

struct codec {
    drx_codec codec; /* DRX_RAW: not compressed */
    int level;       /* 1 to 9; 0: the library chooses */
    drx_shuffle shuffle;
};

struct codec_choice {
    bool given; /* by --codec, which may say that nothing is compressed */
    struct codec codec;
};

#define OR_CODEC(name, number, text, ...) "|" text

/* Three rows of a table of options; `otherwise` is text that ends the help of the first. */
#define CODEC_OPTIONS(choice, otherwise)                                                                             \
    { "codec", "none" DRX_CODEC_LIST(OR_CODEC), "compress each chunk; default: " otherwise, (choice),                \
      .take = take_codec },                                                                                          \
        { "level", "N", "with --codec: from 1 (fast) to 9 (small); default 5", &(choice)->codec.level,               \
          .take = take_level },                                                                                      \
    {                                                                                                                \
        "shuffle", "none|byte|bit",                                                                                  \
            "with --codec: what is done to a chunk before it is compressed; default byte, and none for elements of " \
            "one byte",                                                                                              \
            &(choice)->codec.shuffle, .names = NAMES("none", "byte", "bit"), .first = DRX_SHUFFLE_NONE               \
    }

bool take_codec(const char *what, char *text, void *out); /* struct codec_choice */
bool take_level(const char *what, char *text, void *out); /* int */

/* Do the options go together, and with the others? Gives the exit code. */
int check_codec(const struct codec_choice *choice, const struct opt opts[]);

/* What is to be used for an array whose source is stored as `own` says: the choice, else that of the source, unless
 * stripes or checksums, which no codec goes with, are asked for. */
struct codec codec_for(const struct codec_choice *choice, const struct codec *own, int nstripes, unsigned flags);

struct codec codec_of(const drx_array *a);
void set_codec(drx_spec *spec, const struct codec *codec);

/* Codec, level and shuffle, or a codec of null; before them what source_text says. */
void json_codec(struct json *j, const drx_spec *spec);

/* "zstd, level 5, byte shuffle". */
enum { CODEC_TEXT_BYTES = 64 };
const char *codec_text(const drx_spec *spec, char out[CODEC_TEXT_BYTES]);

/* Filters of HDF5, by their numbers. */
enum {
    DEFLATE_FILTER = 1,
    SHUFFLE_FILTER = 2,
    FLETCHER32_FILTER = 3,
    SZIP_FILTER = 4,
    BZIP2_FILTER = 307,
    LZF_FILTER = 32000,
    BLOSC_FILTER = 32001,
    LZ4_FILTER = 32004,
    BITSHUFFLE_FILTER = 32008,
    ZSTD_FILTER = 32015
};

struct filter {
    unsigned id;
    const char *name, *package; /* of Debian, or NULL */
    bool exact;                 /* it gives back what it was given, for chunks of any shape */
    bool level;                 /* which is its first parameter */
};
const struct filter *filter_of(unsigned id); /* never NULL */

/* A filter of a source. Begin with zeros; false: there is no more. */
struct stored_filter {
    unsigned id;
    size_t n, next;
    const unsigned *params;
};
bool next_filter(const drx_source *s, struct stored_filter *f);

/* "big-endian, shuffle, deflate 4, fletcher32": how the file that an array comes from stored it. "": no file did, or
 * little-endian alone. */
enum { SOURCE_TEXT_BYTES = 512 };
const char *source_text(const drx_spec *spec, char out[SOURCE_TEXT_BYTES]);

/* ---- meaning.c: What the numbers of a file mean, and those of the array that they are appended to. */

struct meaning {
    drx_cf stored, given;
    bool same; /* the same bytes mean the same; else drx_cf_encode makes the given ones stored ones */
};

/* Can given numbers become stored ones (drx_cf_match)? Sets m->same. */
drx_status match_meaning(struct meaning *m);

/* The scale factor, which is 1 where none is given. */
double scale_of(const drx_cf *cf);
/* Are they dates, in units that can be understood? */
bool holds_dates(const drx_cf *cf);

/* The text of an attribute, as it is; NULL: none. */
const char *attribute_text(const drx_array *a, const char *name);

/* Bounds have the units of their coordinate: those of `a`, if its bounds are called `name`. */
void inherit_meaning(const drx_array *a, const char *name, drx_cf *cf);

/* Coordinates that are appended, and those that are there. */
struct aligned {
    const drx_cf *stored, *given;
    int64_t m, n; /* elements of each */
    const void *have, *more;
};

/* What a message on coordinates that do not align adds: how to leave or overwrite those that are stored, if that is all
 * that is wrong; else "". Loses drx_last_error. */
const char *overlap_hint(const struct aligned *c, drx_cf_overlap overlap);

/* What a warning says when the step from the stored coordinates to the new ones is unlike all others, as when a part
 * was forgotten; to be freed. NULL: it is like them, or there are none. The new ones are encoded as the stored ones. */
char *gap_text(const drx_cf *cf, int64_t m, const void *stored, int64_t n, const void *added, bool before);

/* ---- rounding.c: --keep-bits of import and copy: floating-point elements are rounded before they are stored. */

struct rounding {
    int bits; /* of the mantissa; 0: nothing is rounded */
    drx_rounding told;
};

/* The option: struct rounding. */
bool take_keep_bits(const char *what, char *text, void *out);

/* Round n elements of an array with that fill (NULL: none). Gives the exit code. */
int round_elements(struct rounding *r, const char *label, drx_type type, const void *fill, int64_t n, void *elements);

/* Can elements of that type be rounded? Prints why not. Gives the exit code. */
int check_rounding(const struct rounding *r, const char *label, drx_type type);

/* Say how far elements were moved, on all ranks together. Collective. */
void tell_rounding(struct rounding *r, const char *label);

/* ---- slabs.c: A box of an array, processed in slabs of bounded memory. */

enum { SLAB_BYTES = 64 << 20 };

/* The largest slab from now on, instead of SLAB_BYTES. */
void limit_slabs(int64_t bytes);

/* Is there nothing to do with the box, which begins at those indices? */
typedef bool slab_test(void *with, const int64_t at[], const int64_t extent[]);

struct slabs {
    int ndim;
    drx_order order;
    int64_t count[DRX_MAX_NDIM];                    /* the box */
    int64_t phase[DRX_MAX_NDIM];                    /* a slab ends where phase + index is a multiple of the block */
    int64_t block[DRX_MAX_NDIM];                    /* largest extents of a slab */
    int64_t at[DRX_MAX_NDIM], extent[DRX_MAX_NDIM]; /* the present slab in the box, once next_slab gave true */
    int64_t unit[DRX_MAX_NDIM];                     /* blocks are multiples of it if they can be */
    size_t element_bytes;
    size_t counted_bytes; /* of an element, which the progress counts */
    int64_t number;       /* of the present slab, from 0 */
    bool begun, shared;   /* shared: share_slabs */
    bool together;        /* all ranks do each slab, every one a part of it */
    slab_test *absent;    /* boxes of whole units of which it is true are left out; NULL: none is */
};

/* Cut the box of `count` elements lo + i * step, indices of the library, of an array like `a` (step NULL: 1) into
 * slabs, along chunks if possible. in_sequence: consecutive slabs hold the elements in the given order. Returns the
 * bytes of the box; -1: they do not fit in 64 bits. */
int64_t cut_slabs(struct slabs *s, const drx_array *a, const int64_t lo[], const int64_t count[], const int64_t step[],
                  drx_order order, bool in_sequence);

/* The same for any box, along multiples of `unit` if possible; NULL: in sequence. */
int64_t cut_box(struct slabs *s, int ndim, const int64_t count[], const int64_t unit[], size_t element_bytes,
                drx_order order);

/* Then slabs end with chunks also where the array that the box fills begins inside one, at the indices `lower`. */
void set_phase(struct slabs *s, const int64_t lower[]);

/* The unit for moving elements between chunks of extents `from` and those of `a`, in either direction: whole chunks of
 * both. Those of `a` stay whole in any case when they are compressed, so that each is written once. */
void choose_unit(const drx_array *a, const int64_t from[], int64_t unit[]);

bool next_slab(struct slabs *s);
int64_t slab_bytes(const struct slabs *s); /* of the present slab */
int64_t largest_slab_bytes(const struct slabs *s);

/* The axis that is number k from the slowest one. */
int axis_from_slowest(int ndim, drx_order order, int k);

/* Elements times `bytes`, or -1. */
int64_t box_bytes(int ndim, const int64_t count[], size_t bytes);

/* This rank's part of the box, which the team shares: whole chunks of `a`, and of the extents `from`. It is cut along
 * the slowest axis that has a chunk for each rank, or else along the axis with most chunks. It may be empty. */
void take_own_part(const drx_array *a, const int64_t from[], drx_order order, int64_t lo[], int64_t count[]);

/* Let the team share the slabs, which have been cut; cuts them further so that each rank gets some. */
void share_slabs(struct slabs *s);

/* What is done with a slab, for which `buf` has room; gives the exit code. */
typedef int slab_work(void *with, const struct slabs *slabs, void *buf);

/* Do it with each slab until it fails or an interrupt comes. progress: of this box and others; NULL: of this one alone.
 * Gives the exit code. Collective if they are shared, or done together: a failure on one rank ends the work of all,
 * with the same exit code. */
int do_slabs(struct slabs *s, slab_work *work, void *with, struct progress *progress);

/* ---- sources.c: Words that name several arrays, and the SOURCE... TARGET of mv and cp. */

/* Is that an array? If not, prints whether it is a folder or missing. */
bool expect_array(const char *path);

/* Call `work` for each SOURCE with its new path: TARGET, or its own name in the folder TARGET. Checks the words before
 * the first call. Goes on after a source that fails, but not after an interrupt. Gives the exit code. */
int for_each_source(struct args *args, int (*work)(const char *from, const char *to, unsigned flags), unsigned flags);

/* Call `work` for the array of each word from number `first` on. An interrupt ends it. Gives the exit code. */
int for_each_array(struct args *args, int first, int (*work)(const char *path, const void *with), const void *with);

/* Print why an array could not be put at its new path. Gives the exit code. */
int failed_to_put(const char *from, drx_status st);

/* An exact copy; flags: as of drx_duplicate. A copy has the permissions of the source, less what the umask takes; what
 * is moved also keeps its owner and times, as far as that is allowed. Prints what is wrong; gives the exit code. */
int copy_array(const char *from, const char *to, unsigned flags);

/* ---- text_attribute.c: A walk over attributes; text attributes, shown and set from the strings of other formats. */

struct json;

struct attribute {
    int next; /* the number of the next one */
    const char *name;
    drx_type type;
    int64_t n;
    const void *values;
    int is_text;
};

/* Go to the next attribute; a struct of zeros stands before the first one. False: there are no more. */
bool next_attribute(const drx_array *a, struct attribute *t);

/* The text of an attribute, safe to show, to be freed; NULL: it has no text. */
char *text_attribute(const drx_array *a, const char *name);

/* What has attributes: an array; or, where it is NULL, a dataset, or the part (enum drx_part) of that path. */
struct owner {
    drx_array *array;
    drx_dataset *ds;
    int part;
    const char *name;
};

/* As next_attribute, for both; find one by its name; set one; copy all, which gives the exit code; and all as JSON. */
bool next_of(const struct owner *of, struct attribute *t);
bool find_attribute(const struct owner *of, const char *name, struct attribute *t);
drx_status set_attribute(const struct owner *to, const struct attribute *t);
int copy_all_attributes(const struct owner *from, const struct owner *to, const char *path);
void json_attributes(struct json *j, const struct owner *of);

/* Attributes on their way from a file to an owner. What cannot be stored is left out, with a warning that names it. */
struct keeping {
    struct owner to;
    const char *label;     /* of the file or variable, for messages */
    const char *fill_time; /* of FILL_TIME_NOTE, or NULL */
    bool noted;            /* STRINGS_NOTE says which were strings */
    char *counts;          /* its lines */
};

/* Is the name one that is stored? Warns if not. */
bool can_keep(const struct keeping *t, const char *name);
/* Warn that the attribute is left out, since it `what`. */
void warn_left_out(const struct keeping *t, const char *name, const char *what);

drx_status keep_numbers(const struct keeping *t, const char *name, drx_type type, int64_t n, const void *values);
/* n bytes of UTF-8 or Latin-1. NULs at the end, which some programs write, are dropped; another one cannot be stored.
 * Changes `bytes`. */
drx_status keep_text(const struct keeping *t, const char *name, char *bytes, size_t n);
/* n strings; one may be NULL. Several are one text: its lines, or, where one has lines itself, U+001E separates
 * them. */
drx_status keep_strings(struct keeping *t, const char *name, char *const strings[], size_t n);
/* Set the notes, if `st` is DRX_OK, and release them. Gives `st`, or what went wrong then. */
drx_status end_keeping(struct keeping *t, drx_status st);

/* What separates the strings of such a text. */
enum { RECORD_END = '\x1e' };
const char *separator_of(const char *text);

/* ---- attributes in which import and Python (drx/form.py) note how they store what DRX lacks ---- */

#define CHAR_NOTE "drx.char"       /* of an array of uint8: these are characters */
#define STRING_NOTE "drx.string"   /* of one of uint8: its last axis goes through the bytes of strings, in UTF-8 */
#define STRINGS_NOTE "drx.strings" /* which attributes are strings of netCDF: a line "COUNT NAME" for each */
#define CHARACTERS_NOTE "drx.characters" /* which have more characters than their text, NULs: likewise */
#define MODEL_NOTE "drx.model"           /* of a dataset: netCDF-C made it as `classic` or `enhanced` */
#define UNLIMITED_NOTE "drx.unlimited"   /* of a dataset: names of unlimited dimensions, with a space between them */
#define FILL_TIME_NOTE "drx.fill_time"   /* when HDF5 wrote the fill value, if not as usual: "never" or "alloc" */
#define FORM_NOTE "drx_form"             /* of Python: "text" where the last axis goes through bytes, or "scalar" */
#define JSON_NOTE "drx_json"             /* of Python: which attributes are JSON */

bool has_note(const drx_array *a, const char *note); /* one of uint8 */
/* Is the attribute one of the above? */
bool is_note(const char *name);

/* Does the last axis go through the bytes of strings in UTF-8; or are the elements these, or other characters? */
bool holds_strings(const drx_array *a);
bool holds_text(const drx_array *a);
