/* Words that name several arrays, and the SOURCE... TARGET of mv and cp. */
#ifndef SOURCES_H
#define SOURCES_H

#include "frame/cli.h"

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

#endif
