/* Long work: a bar on the terminal, and signals that wait until the program has tidied up. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    int64_t total_bytes, done_bytes;
    double begin, shown_at; /* seconds */
    bool terminal;
};

void begin_progress(struct progress *p, int64_t total_bytes);
void add_progress(struct progress *p, int64_t bytes);
/* A drx_progress for calls of the library; `user`: a struct progress of zeros. An interrupt ends the call. */
int follow_progress(void *user, int64_t done_bytes, int64_t total_bytes);
void hide_progress(void); /* at the end, or before a message */

void watch_interrupts(void);   /* from now on */
bool interrupted(void);        /* ask between steps; then tidy up and return */
void die_if_interrupted(void); /* by that signal, as its sender expects */

#endif
