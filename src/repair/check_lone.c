/* Verifying the end of a log: damage, an open transaction, a torn tail. Nothing tells what was there, and nothing is
 * put back. */
#include <stdio.h>

#include "repair/check.h"

enum { MORE_BYTES = 128 };

static void tell_loss(void *user, const char *text)
{
    drxi_found(user, DRX_NOTE, "%s", text);
}

static const char *fate(const struct drxi_check *c)
{
    return c->busy ? "of the writer that has it open" : "dropped when it is next opened for writing";
}

static void check_open(struct drxi_check *c, const struct drxi_log_rest *rest)
{
    if (drxi_log_rest_open(rest) > 0)
        drxi_found(c, drxi_transient_severity(c),
                   "%s: records %llu to %llu, from offset %lld on, belong to a change that was not completed: %s",
                   c->a->log.io->path, (unsigned long long)rest->end.sequence + 1,
                   (unsigned long long)rest->open.sequence, (long long)rest->end.end, fate(c));
}

static void check_torn(struct drxi_check *c, const struct drxi_log_rest *rest)
{
    const long long bytes = (long long)(rest->size - rest->open.end);
    const int64_t whole = rest->whole - (int64_t)(rest->open.sequence - rest->end.sequence);
    char more[MORE_BYTES] = "";

    if (whole > 0 && !c->busy)
        (void)snprintf(more, sizeof more, ", with the %lld whole record%s in them, which no sync promised",
                       (long long)whole, whole == 1 ? "" : "s");
    if (bytes > 0)
        drxi_found(c, drxi_transient_severity(c),
                   "%s: the last %lld bytes, from offset %lld on, are not whole records (a torn tail): %s%s",
                   c->a->log.io->path, bytes, (long long)rest->open.end, fate(c), more);
}

drx_status drxi_check_rest(struct drxi_check *c, enum drxi_tail tail)
{
    struct drxi_log_rest rest;
    drx_status st;

    if (tail == DRXI_DAMAGED) {
        drxi_found(c, DRX_ERROR, "%s", drx_last_error());
        c->damaged = true;
    }
    if ((st = drxi_log_rest_look(&c->a->log, &rest)))
        return st;
    if (c->damaged) {
        drxi_log_rest_tell(&rest, tell_loss, c);
        return DRX_OK;
    }
    check_open(c, &rest);
    if (tail == DRXI_TORN)
        check_torn(c, &rest);
    return DRX_OK;
}
