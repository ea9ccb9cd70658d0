/* One variable of a file of another format, as import reads it. Calls print what goes wrong. */
#pragma once

#include "arrays/arrays.h"

struct source_kind;
struct selection;
struct tree;

/* Of a whole file: numbers; single characters; strings of any length, to be freed; fixed strings and defined types,
 * which are copied as they are. */
enum source_holds { NUMBERS, CHARACTERS, STRINGS, OTHERS };

struct raw { /* what a file of bare elements does not say */
    drx_type type;
    bool swapped; /* elements are in the other byte order */
    drx_order order;
    struct numbers shape;
    int64_t offset; /* bytes before the first element; -1: the file holds the elements only */
};

struct source {
    const struct source_kind *kind;
    const struct raw *raw;       /* NULL: the file describes itself */
    void *state;                 /* of the kind */
    const struct source *beside; /* whose coordinate it is, while it is opened; NULL: none */
    const struct tree *tree;     /* of the whole file that it belongs to; NULL: it is taken alone */
    int var;                     /* its number there */
    enum source_holds holds;     /* taken alone: NUMBERS; the type of CHARACTERS and STRINGS is DRX_UINT8 */
    bool null;                   /* without elements and without a shape */
    bool joined;                 /* taken alone: the characters along the last dimension are strings */
    char *file;                  /* its path; "-" is standard input */
    char *name;  /* of the variable, with its groups: "wind/u"; NULL: not given, or the kind has no names */
    char *label; /* FILE or FILE:NAME, for messages */
    drx_type type;
    drx_order order; /* of boxes that are read */
    bool pipe;       /* boxes can only be read in sequence */
    int ndim;        /* 1 to DRX_MAX_NDIM */
    int64_t shape[DRX_MAX_NDIM];
    int64_t chunk[DRX_MAX_NDIM]; /* of the file; 1: not in chunks */
    bool chunked;                /* an array of the source may have the same chunks */
    bool same_chunk;             /* it has them, however small or large they are */
    uint32_t grows;              /* bit j: axis j is unlimited in the file */
    struct codec codec;          /* of the file; DRX_RAW: none, or not known */
    bool stored;                 /* the file tells how: */
    drx_source origin;           /* whose filters are those of an array, or */
    uint32_t *filters;           /* its own */
    char *dims[DRX_MAX_NDIM];    /* UTF-8, or NULL */
    const char *fill_name;       /* what gave the fill value, or NULL */
    _Alignas(VALUE_ALIGN_BYTES) unsigned char fill[VALUE_MAX_BYTES];
    bool has_own_fill; /* source_read replaces own_fill by fill */
    unsigned char own_fill[VALUE_MAX_BYTES];
    struct rounding *rounding;          /* source_read rounds all but the fill value; NULL: nothing */
    struct progress *progress;          /* of all that is copied; NULL: of this one alone */
    int64_t lower[DRX_MAX_NDIM], align; /* of an array like it in a new dataset */
};

/* A kind of files. `close` is called also after `open` failed. */
struct source_kind {
    bool (*open)(struct source *s); /* fills in what is known of the variable */
    void (*close)(struct source *s);
    bool (*read)(struct source *s, const int64_t lo[], const int64_t count[], void *buf); /* in s->order */
    int (*copy_attributes)(const struct source *s, drx_array *a, const char *path);       /* gives the exit code */
    /* The name of the variable with the coordinates along `axis`, to be freed; NULL: none. The call itself is NULL for
     * a kind that has no coordinates. */
    char *(*coordinate_name)(const struct source *s, int axis);
    /* May the file store elements of the box? False: nobody wrote one. NULL: it stores all. */
    bool (*holds)(const struct source *s, const int64_t lo[], const int64_t count[]);
};

extern const struct source_kind npy_source, raw_source, nc_source, h5_source, dra_source;

/* Is `file` F or F.info of Disk Resident Arrays, by its name and the files beside it? F need not exist. */
bool dra_is_file(const char *file);

/* Open FILE or FILE:VARIABLE; the first bytes of the file tell its kind. */
bool source_open(struct source *s, const char *word, const struct raw *raw);
/* Open an array of DRX, or the part of it that the word selects, as of a commit; DRX_LAST: as it is now.
 * source_open_any opens a file, too. They give the exit code. */
int source_open_array(struct source *s, const char *word, int64_t commit);
int source_open_any(struct source *s, const char *word, int64_t commit);
/* The part of an array that stays with the caller. */
int source_of_array(struct source *s, const char *label, drx_array *a, const struct selection *part);
/* The array, and which part of it; NULL: the source is a file. */
drx_array *array_of_source(const struct source *s, const struct selection **part);
/* Open another variable of the same file, or the same part of a coordinate of an array. */
bool source_open_other(struct source *s, const struct source *of, const char *name);
void source_close(struct source *s);
/* Read a box, in s->order. */
bool source_read(struct source *s, const int64_t lo[], const int64_t count[], void *buf);
/* Change the fill value; elements that hold the old one are read as the new one. */
void source_set_fill(struct source *s, const void *fill);

bool source_open_kind(struct source *s); /* when the kind, file and name are set */
bool source_set_name(struct source *s, const char *name);

/* Writes the names of the possible variables, ", " between them, and counts them. */
typedef bool source_list(const struct source *s, FILE *out, int *n);
/* Give the source the only name of the list. If there are more or none, or the source has a name (which is missing),
 * print what to give. `what`: how the kind calls a variable. */
bool source_choose(struct source *s, source_list *list, const char *what);

/* Of a variable that is taken alone, in the tree of its file: find it by its name, or take the only one that is no
 * coordinate. */
bool source_find_var(struct source *s, const struct tree *t);
/* Take the dimensions of variable s->var: one of one index for a scalar of a whole file. */
bool source_take_dims(struct source *s, const struct tree *t);
/* Characters of several dimensions, taken alone, are strings along the last one. */
bool source_join_characters(struct source *s);
/* The name of the variable with the coordinates of an axis, to be freed; NULL: none. */
char *source_coordinate_in(const struct source *s, const struct tree *t, int axis);

/* Set the chunk of a description, which lives in `chunk`: that of the source if it suits, or what DRX chooses. */
void source_set_chunk(const struct source *s, drx_spec *spec, int64_t chunk[]);

/* Note a filter of HDF5 that the chunks of the variable go through, with its n parameters; in their order. False: no
 * memory. */
bool source_take_filter(struct source *s, unsigned id, size_t n, const unsigned params[]);
/* For drx_spec.source; NULL: nothing is known. */
const drx_source *source_origin(const struct source *s);
/* As which codec an array is stored that comes from there. */
struct codec codec_of_filters(const drx_source *s);

/* After a read failed: name the filter, if one is missing; false: none is. */
bool source_lacks_filter(const struct source *s);

/* Does the fill value of the array say what the attribute _FillValue of the source does? Zero bytes say nothing. */
bool source_notes_fill(const struct source *s);

/* Take the first of n values of `type`, found as `name`, for the fill value. */
void source_take_fill(struct source *s, const char *name, drx_type type, const void *values, int64_t n);

/* What the numbers of the source mean; the description points into the array that is returned, which the caller closes.
 * NULL after printing why. */
drx_array *describe_source(struct source *s, drx_cf *cf);
