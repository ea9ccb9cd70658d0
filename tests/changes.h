/* What a commit tells of itself, in numbers. */
#ifndef CHANGES_H
#define CHANGES_H

#include "drx_dataset.h"

struct told {
    int bounds, added, removed; /* dimensions with other bounds; variables */
};

static inline drx_status tell_changes(const drx_dataset *ds, int64_t number, struct told *out)
{
    const drx_change *change;
    int64_t n;
    drx_status st = drx_dataset_commit_changes(ds, number, &change, &n);

    *out = (struct told){ 0, 0, 0 };
    for (int64_t i = 0; !st && i < n; i++) {
        out->bounds += change[i].kind == DRX_CHANGED_BOUNDS;
        out->added += change[i].of == DRX_VARIABLE && change[i].kind == DRX_ADDED;
        out->removed += change[i].of == DRX_VARIABLE && change[i].kind == DRX_REMOVED;
    }
    return st;
}

#endif
