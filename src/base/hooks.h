/* What tests change in the library. */
#pragma once

#include "base/base.h"

struct drxi_hooks {
    /* Of a read. STAGED, TOUCHED: as from the disk, by calls only, or also through the view; MAPPED: through the view,
     * even what is not in memory */
    enum { DRXI_ANY_WAY, DRXI_STAGED, DRXI_TOUCHED, DRXI_MAPPED } way;
    int64_t large_bytes;  /* from here on, a box is more than the caches of a processor hold */
    int64_t shared_bytes; /* from here on, a request is worth waking a helper thread */
    int64_t long_bytes;   /* from here on, a call lets others grow the array meanwhile */
    int64_t many_chunks;  /* in a box with more, recovery visits the stored ones instead */
    bool no_ring;         /* threads read from files, not io_uring */
    bool no_enter;        /* the system makes rings, but refuses to use them */
    bool no_touch;        /* nor does it bring bytes of a view into memory when asked to, as before Linux 5.14 */
    enum { DRXI_AS_FITS, DRXI_CACHED, DRXI_DIRECT } cache; /* of reads from the disk */
    int64_t behind_bytes;                                  /* written before any are pushed; 0: as memory allows */
    int64_t stash_bytes; /* the most of a box that is read ahead; 0: as memory allows */
    bool never_direct;   /* a copy into another layout always goes through a stage */
    struct drxi_compaction {
        int64_t from_bytes, times;
    } compaction; /* a log is compacted when it is so long, and this many times as long as a compacted one */
    struct drxi_reclaiming {
        int64_t from_bytes, gap_bytes;
    } reclaiming;          /* replaced payloads are given back when they are this many bytes; gaps that are so long */
    int64_t allowed_bytes; /* of memory to the process; 0: as its limits say */
    int patience_ms;       /* with another writer that makes no progress */
    uint32_t other_boot;   /* not 0: this machine was booted again with this tag */
    bool other_names;      /* new files are named, as on file systems without nameless files */
    bool no_aliases;       /* nameless files are out of the reach of other processes */
    bool no_links;         /* a file has one name only */
};
extern struct drxi_hooks drxi_hooks;

static inline bool drxi_as_from_disk(void)
{
    return drxi_hooks.way == DRXI_STAGED || drxi_hooks.way == DRXI_TOUCHED;
}
