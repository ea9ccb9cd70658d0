/* The thread that carries asks, many at a time. It starts with the first one. */
#ifndef DRXI_ENGINE_H
#define DRXI_ENGINE_H

#include "remote/wire/ask.h"

/* Begin an ask; its `done` is called once. DRX_ENOMEM, DRX_EIO: there is no thread, and it is not called. */
drx_status drxi_engine_send(struct drxi_ask *ask);
/* Begin one to be waited for; its `done` is the engine's. The wait is over at once when it could not begin. */
drx_status drxi_engine_begin(struct drxi_ask *ask);
void drxi_engine_wait(struct drxi_ask *ask);
bool drxi_engine_has_ended(const struct drxi_ask *ask);
/* Begin n of them, and wait for all. */
drx_status drxi_engine_ask(struct drxi_ask ask[], int n);

#endif
