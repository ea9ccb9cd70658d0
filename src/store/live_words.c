/* The live words: what readers load after they have read elements (spec/drx-format.md, 5.4.8 and 5.5). */
#include "store/store.h"

drx_status drxi_live_load(drxi_io *log, struct drxi_live *out)
{
    uint8_t words[DRXI_LIVE_BYTES];
    size_t got;
    drx_status st = log->ops->read(log, words, sizeof words, DRXI_LIVE_AT, &got);

    if (!st && got < sizeof words)
        st = drxi_fail(DRX_EDAMAGED, "%s: damaged: it ends before its live words", log->path);
    if (!st)
        *out = (struct drxi_live){ drxi_get64(words), drxi_get64(words + 8), true };
    return st;
}

bool drxi_live_may_change(const drxi_io *log)
{
    return !log->pinned;
}

drx_status drxi_live_note(drxi_io *log, struct drxi_live *out)
{
    *out = (struct drxi_live){ .known = false };
    return drxi_live_may_change(log) ? drxi_live_load(log, out) : DRX_OK;
}

static drx_status set_word(drxi_io *log, int64_t at, uint64_t value)
{
    uint8_t word[8];

    drxi_put64(word, value);
    return log->ops->write(log, word, sizeof word, at);
}

drx_status drxi_live_set_trims(drxi_io *log, uint64_t sequence)
{
    return set_word(log, DRXI_LIVE_AT, sequence);
}

drx_status drxi_live_set_replaced(drxi_io *log, uint64_t state)
{
    return set_word(log, DRXI_LIVE_AT + 8, state);
}

drx_status drxi_live_has_path(drxi_io *log)
{
    struct drxi_live now;
    drx_status st = drxi_live_load(log, &now);

    return st || now.replaced == 0 ? st : drxi_live_set_replaced(log, 0);
}
