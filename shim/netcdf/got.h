/* Calls of other libraries, sent here. */
#ifndef GOT_H
#define GOT_H

/* Let the libraries of the process that call `name` of one library, where it is `old`, call `new` instead; but not this
 * one.
 *
 *   library  only those whose path has this in it; NULL: all but that library itself, and the program
 *
 * Nothing is done where this library does not know how the system keeps the table of calls. */
void bridge_hook(const char *library, const char *name, const void *old, void *new);

#endif
