#include "base/hooks.h"

struct drxi_hooks drxi_hooks = {
    .large_bytes = 8 << 20,
    .shared_bytes = 1 << 20,
    .long_bytes = 1 << 20,
    .many_chunks = 1 << 16,
    .compaction = { .from_bytes = 1 << 20, .times = 4 },
    .reclaiming = { .from_bytes = 16 << 20, .gap_bytes = 4096 }, /* file systems give back whole blocks */
    .patience_ms = 30000,
};
