/* A whole file that is appended to a dataset. */
#ifndef APPEND_H
#define APPEND_H

#include "whole_file.h"

struct joined { /* a variable of the file with its array */
    struct variable *var;
    drx_array *array, *given; /* given: an empty array in memory with the attributes of the file */
    int member, axis;         /* axis: that grows; -1: none */
    struct meaning means;
};

struct appending {
    struct whole_file f;
    drx_dataset *ds;
    const char *path;
    int dim;               /* of the dataset */
    int64_t stored;        /* its extent, before */
    int64_t extent;        /* of it in the file */
    struct joined *joined; /* one for each variable of the file */
    int64_t *index;        /* where each index of the file goes */
    void *encoded;         /* the coordinate as it is stored; NULL: there is none */
    int coordinate;        /* the variable of the file; -1: none */
    drx_cf_alignment place;
    char *gap; /* what to warn of; NULL: nothing */
};

/* Refuse a file with other variables. */
int check_names(const struct appending *p);
/* "; ...", to be freed: which coordinates of dimension d are in the file, of so many that are stored, and what would do;
 * NULL: not known. */
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

#endif
