#include "share.h"

#include <stdlib.h>

#include "frame/cli.h"
#include "frame/interrupt.h"
#include "frame/team.h"

void share_slabs(struct slabs *s)
{
    cut_for(s, team_size());
    s->shared = true;
}

void *allocate_slab(const struct slabs *s)
{
    const int64_t bytes = largest_slab_bytes(s);
    void *buf = calloc((size_t)bytes, 1);
    int status = buf ? DONE : out_of_memory(bytes);

    if (s->shared)
        status = agree(status);
    if (status == DONE)
        return buf;
    free(buf);
    return NULL;
}

/* The ranks agree after each round of slabs, one for each of them, and behind the last. One that fails does no more of
 * the round. */
int do_slabs(struct slabs *s, slab_work *work, void *with, struct progress *progress)
{
    const int ranks = s->shared ? team_size() : 1, rank = s->shared ? team_rank() : 0;
    int status = DONE;

    for (;;) {
        const bool more = status == DONE && next_slab(s);
        int of_all = status;

        if (more && s->number % ranks == rank)
            status = work(with, s);
        if (status == DONE && interrupted())
            status = FAILED;
        if (more)
            add_progress(progress, slab_bytes(s));
        if (more && s->number % ranks < ranks - 1)
            continue;
        of_all = s->shared ? agree(status) : status;
        if (!more || of_all != DONE)
            return of_all;
    }
}
