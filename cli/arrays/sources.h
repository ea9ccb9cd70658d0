/* Words that name several arrays, and the SOURCE... TARGET of mv and cp. */
#ifndef SOURCES_H
#define SOURCES_H

#include "frame/cli.h"

/* Is that an array? Prints what else it is: nothing, or a folder. */
bool expect_array(const char *path);

/* Call `work` for each SOURCE with the path that it is to have: TARGET, or its own name in the folder TARGET. What
 * can be seen to be wrong with the words is found before the first call; a source that fails does not keep the
 * others from their turn, an interrupt does. Gives the exit code. */
int for_each_source(struct args *args, int (*work)(const char *from, const char *to, unsigned flags), unsigned flags);

/* Call `work` for each word from number `first` on; of the files of one array, once. An interrupt ends it. Gives the
 * exit code. */
int for_each_array(struct args *args, int first, int (*work)(const char *path, const void *with), const void *with);

/* Print why an array could not be put at its new path. Gives the exit code. */
int failed_to_put(const char *from, drx_status st);

/* An exact copy; flags: as of drx_duplicate. A copy has the permissions of the source, less what the umask takes; what
 * is moved also keeps its owner and times, as far as that is allowed. Prints what is wrong; gives the exit code. */
int copy_array(const char *from, const char *to, unsigned flags);

#endif
