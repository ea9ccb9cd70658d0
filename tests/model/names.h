/* names.h - attributes and names of dimensions as an ordered list in memory. */
#ifndef DRX_MODEL_NAMES_H
#define DRX_MODEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct attr {
    char *name;
    int type; /* a drx_type */
    int64_t n;
    bool is_text;
    size_t bytes;
    unsigned char *values;
};

struct names {
    int ndim;
    char *dim[32]; /* NULL: no name */
    int n;
    struct attr *attr; /* in the order in which they were first set */
};

void names_init(struct names *s, int ndim);
void names_free(struct names *s);
void names_copy(struct names *to, const struct names *from); /* `to` holds nothing yet */
int names_find(const struct names *s, const char *name);     /* -1: none */
/* Sets a copy of `attr`, in the place of the one of that name if there is one. */
void names_set(struct names *s, const struct attr *attr);
void names_delete(struct names *s, int i);
void names_rename_dim(struct names *s, int axis, const char *name);

#endif
