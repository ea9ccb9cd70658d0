/* What each step of a history does beside its calls. */
#ifndef HISTORY_STEP_H
#define HISTORY_STEP_H

#include "history.h"

void step_begin(struct history *h, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Nothing is called when only the truth is told. */
#define CALL(h, call) ((h)->mode == TOLD ? DRX_OK : (call))

/* The call has been made: cut between its changes. */
void step_called(struct history *h, drx_status st);
/* What it promises holds now: cut after it. */
void step_done(struct history *h);
/* Both, of a step that changed h->truth. */
void step_done_to_array(struct history *h, drx_status st, enum handed handed);

#endif
