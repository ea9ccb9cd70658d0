/* The libraries of netCDF and HDF5 crash on some files, valid ones among them. So a forked child reads foreign files
 * while the parent waits. If the child dies, the parent removes what it left half done. */
#ifndef CHILD_H
#define CHILD_H

#include <limits.h>
#include <stdbool.h>

/* Go on in a child, unless there is MPI. Gives true in the parent, when the child has ended: *status is the exit code.
 * False where the work is to be done. `word` names the file in messages. */
bool is_done_by_child(const char *word, int *status);

extern struct remains {       /* in memory of both: what the child leaves when it dies */
    char temporary[PATH_MAX]; /* a file or folder, which the parent removes */
    char reading[PATH_MAX];   /* the foreign file, where it is not the word; for the message */
    char changed[PATH_MAX];   /* an array or dataset, which it opens for writing: that takes an append back */
    bool overwritten;         /* some elements are, which it cannot take back */
    bool complete;            /* the work is done: the file is only closed */
    const char *way_out;      /* a constant text that ends the message; NULL: none */
} * remains;

#endif
