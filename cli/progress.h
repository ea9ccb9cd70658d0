/* A bar on the terminal for what takes longer than a second; nothing when
 * standard error is no terminal. */
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
void hide_progress(void); /* take the bar away, for good or before a message */

#endif
