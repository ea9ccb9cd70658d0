/* Whole files that become a dataset, or are appended to one, in one transaction: a source of variables, the files in
 * the order of their coordinates; a plan, which checks them all and says what goes where before anything is stored;
 * and a run. A new dataset has the variables of the first file, without elements along the dimension that joins the
 * files, and then all of them are appended to it. */
#pragma once

#include <sys/stat.h>

#include "whole_file.h"

struct gather_wish {
    const char *append;   /* the dimension; NULL: a new dataset */
    const drx_spec *like; /* flags and order of the chunks of a new one */
    const struct name_list *grows;
    const struct chunks *chunks; /* extents along dimensions of a new one */
    const struct codec_choice *codec;
    const char *types; /* VARIABLE=TYPE,...: other types for a new dataset; NULL: none */
    bool unpack;       /* packed numbers become floats */
    drx_cf_overlap overlap;
    bool shared;     /* other writers share the dataset, and append one after the other */
    bool skip;       /* what a dataset cannot store is left out */
    bool leave_gaps; /* what is missing between regular coordinates gets its place */
    struct rounding *rounding;
};

/* Do it: the words name files, folders, and lists (@FILE). Gives the exit code. */
int gather(char *const words[], int n, const char *path, const struct gather_wish *wish);

/* ---- the parts ---------------------------------------------------------------------------------- */

struct planned { /* a file */
    char *path;
    struct stat file;       /* as it was planned; st_nlink 0: not yet */
    int64_t extent;         /* of the dimension in it */
    double ends[2];         /* its first and last coordinate, in the units of the first file or of the dataset */
    drx_cf_alignment place; /* which of its indices are new */
    int64_t at;             /* where these go; 0 is what was the first index of the dataset */
    int64_t *index;         /* where all of them go, if some are stored already */
    char *gap;              /* what to warn of; NULL: nothing */
};

struct joined { /* a variable of the file that is open, with its array */
    struct variable *var;
    drx_array *array, *given; /* given: an empty array in memory with the attributes of the file */
    int member, axis;         /* axis: that grows; -1: none */
    struct meaning means;
};

struct late {        /* elements of one row of chunks that are going to be written again */
    drx_array *rows; /* NULL: none yet */
    int axis;
    int64_t first, from, to; /* the index of the array that its first one is; the indices that it has */
};

struct appending {
    const char *path, *told; /* of the dataset; how messages call it: a new one is like its first file */
    const struct gather_wish *wish;
    drx_dataset *ds;
    char *name;               /* of the dimension that joins the files; NULL: there is one file, and all of it is new */
    int dim;                  /* its number in the dataset */
    int64_t stored;           /* its extent, before */
    struct planned *of, *now; /* now: the file that is open; NULL: none */
    int n;
    int leading; /* this many of the files lead up to what is stored */
    struct whole_file f;
    struct joined *joined; /* one for each variable of the file */
    struct late *late;     /* one for each variable of the dataset */
    int coordinate;        /* the variable of the file; -1: none */
    drx_cf cf;             /* what the coordinates mean; type 0: not known */
    drx_array *keeper;     /* of the texts of the first file, until all are in order */
    void *values;   /* coordinates as the plan has them so far, encoded as they are stored; NULL: there are none */
    int64_t extent; /* this many of them, of which */
    int64_t before; /* this many lead up to the stored ones */
    int64_t *width; /* what each dimension of the dataset needs for texts; 0: it has none */
    int64_t bytes;  /* of all that the run copies */
};

/* The files that the words mean; each has a path to free. Gives the exit code. */
int list_files(char *const words[], int n, struct appending *p);

/* Open a planned file, if it is not open, and refuse it if it changed since. */
int open_planned(struct appending *p, struct planned *now);
void close_planned(struct appending *p);

/* Find out which dimension joins the files of a new dataset. */
int choose_dimension(struct appending *p);
/* Sort the files by their coordinates: those that lead up to the stored ones come first, the nearest one of them
 * first. */
int order_files(struct appending *p);
/* In the order of their coordinates, the lowest first. */
void put_in_sequence(struct appending *p);

/* Check a file, and say what of it goes where. */
int plan_file(struct appending *p, struct planned *now);
/* Grow, and copy the elements of all files. */
int run_plan(struct appending *p);

/* Make the variables of the open file, without elements if the files are joined along one of their dimensions. */
int make_variables(struct appending *p);
/* The type of packed numbers once they are unpacked. */
drx_type unpacked_type(const drx_cf *cf);
bool is_packed(const drx_cf *cf);

/* The coordinates that are missing between n stored ones and m new ones, which come before or after them, as stored
 * elements: *between has *count, to be freed. Refuses coordinates that are not regular. Gives the exit code. */
int fill_gap(const char *label, const drx_cf *cf, int64_t n, const void *stored, int64_t m, const void *added,
             bool before, void **between, int64_t *count);

/* Refuse a file with other variables. */
int check_names(const struct appending *p);
/* "; ...", to be freed: which coordinates of dimension d are in the file, of this many that are stored, and what would
 * do; NULL: not known. */
char *part_of_dimension(const struct appending *p, int d, int64_t given, int64_t stored);
/* "'latitude' is 'lat' in DS": variables of the file with another name than a stored one of the same standard_name and
 * extent, to be freed; "": none; NULL: out of memory. */
char *renamed_variables(const struct appending *p);
/* Refuse other values of a variable that does not grow. */
int compare_stored(const struct appending *p, const struct joined *j);
/* Fill in the joined variables; refuse those of other dimensions or meaning. */
int check_variables(struct appending *p);
/* "; ...": the first dimension of another extent, to be freed; "": none is; NULL: out of memory. */
char *unlike_extents(const struct appending *p);
/* Refuse other extents, and other values of the variables that do not grow. */
int check_others(struct appending *p);
/* Refuse types that are not converted. */
int check_types(const struct appending *p);
/* Find what both sides mean, again after the dataset has grown: the texts belong to the arrays. */
int find_meanings(struct appending *p);
/* Does the dimension go through the characters of texts, and nothing else? */
bool holds_letters(const struct appending *p, int d);
