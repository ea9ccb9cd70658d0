/* What goes on beside the caller of libdrxmp, on a helper thread. */
#include <errno.h>

#include "array/replica.h"

static void run_work(struct drxi_work *work)
{
    struct drxi_errand *e = (struct drxi_errand *)(void *)((char *)work - offsetof(struct drxi_errand, work));

    e->run(e);
    (void)sem_post(&e->done); /* the last that this thread does with it */
}

bool drxi_errand_bring_on(struct drxi_errand *e, bool wait)
{
    if (e->state == DRXI_NOT_BEGUN) {
        e->work.run = run_work;
        if (wait || !drxi_work_start(&e->work))
            run_work(&e->work);
        e->state = DRXI_UNDER_WAY;
    } else if (e->state == DRXI_UNDER_WAY && wait && drxi_work_cancel(&e->work)) {
        run_work(&e->work);
    }
    while (e->state != DRXI_RUN) {
        if ((wait ? sem_wait(&e->done) : sem_trywait(&e->done)) == 0)
            e->state = DRXI_RUN;
        else if (errno != EINTR)
            return false;
    }
    return true;
}
