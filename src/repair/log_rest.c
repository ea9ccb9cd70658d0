/* What follows the records that count, looked at and told. */
#include <stdio.h>

#include "repair/check.h"

enum { TEXT_BYTES = 1024, KINDS_BYTES = 512 };

static const struct kind_name {
    enum drxi_log_kind kind;
    const char *one, *more;
} told[] = {
    { DRXI_LOG_GROW, "growth", "growths" },
    { DRXI_LOG_TRIM, "trim", "trims" },
    { DRXI_LOG_AXIS, "new axis", "new axes" },
    { DRXI_LOG_RENAME, "name of an axis", "names of axes" },
    { DRXI_LOG_ATTRIBUTE, "attribute", "attributes" },
    { DRXI_LOG_ATTRIBUTE_DELETE, "deletion of an attribute", "deletions of attributes" },
    { DRXI_LOG_STRIPES, "change of the stripes' folders", "changes of the stripes' folders" },
    { DRXI_LOG_SOURCE, "note of the source", "notes of the source" },
};

static void say(struct drxi_log_rest *rest, const struct drxi_log_record *r, enum drxi_end end, int64_t bound)
{
    const struct drxi_variable *v = drxi_store_variable(drxi_lone_store(rest->log), 1);

    for (int j = 0; j < v->ndim; j++)
        if (v->dim[j] == r->number)
            rest->said[end][j] = (struct drxi_said){ bound, r->sequence };
}

static void see_rest(void *user, const struct drxi_log_record *r)
{
    struct drxi_log_rest *rest = user;
    const int64_t a = r->payload_bytes >= 16 ? (int64_t)drxi_get64(r->payload) : 0;
    const int64_t b = r->payload_bytes >= 16 ? (int64_t)drxi_get64(r->payload + 8) : 0;

    rest->whole++;
    if (r->sequence > rest->last)
        rest->last = r->sequence;
    if (r->at == rest->open.end && r->prev == rest->open.crc && r->sequence == rest->open.sequence + 1)
        rest->open = (struct drxi_log_place){ r->at + (int64_t)r->bytes, r->at, r->sequence, r->crc };
    if (r->flags & ~DRXI_C || (r->kind >= DRXI_LOG_KINDS && r->kind < DRXI_LOG_OPTIONAL))
        rest->later = r->sequence;
    if (r->kind < DRXI_LOG_KINDS)
        rest->n[r->kind]++;
    if (r->kind == DRXI_LOG_GROW)
        say(rest, r, a < 0 ? DRXI_LOW : DRXI_HIGH, b);
    if (r->kind == DRXI_LOG_TRIM) {
        say(rest, r, DRXI_LOW, a);
        say(rest, r, DRXI_HIGH, b);
    }
}

drx_status drxi_log_rest_look(const struct drxi_log *log, struct drxi_log_rest *out)
{
    const struct drxi_store *s = drxi_lone_store(log);
    struct drxi_live live;
    drx_status st = drxi_live_load(log->io, &live);

    *out = (struct drxi_log_rest){ .log = log, .end = s->end, .open = s->end };
    if (!st)
        st = log->io->ops->size(log->io, &out->size);
    if (!st)
        st = drxi_store_look_behind(s, log->io, see_rest, out);
    out->trimmed = out->n[DRXI_LOG_TRIM] > 0 || live.trims > s->last_trim;
    return st;
}

uint64_t drxi_log_rest_open(const struct drxi_log_rest *rest)
{
    return rest->open.sequence - rest->end.sequence - rest->log->state.intent_open;
}

/* ": 2 growths, 1 attribute" */
static const char *kinds_text(const struct drxi_log_rest *rest, char text[KINDS_BYTES])
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        const int64_t n = rest->n[told[i].kind];

        if (n > 0 && used < KINDS_BYTES)
            used += (size_t)snprintf(text + used, KINDS_BYTES - used, "%s%lld %s", used == 0 ? ": " : ", ",
                                     (long long)n, n == 1 ? told[i].one : told[i].more);
    }
    return text;
}

static void tell_bounds(const struct drxi_log_rest *rest, void (*tell)(void *user, const char *text), void *user)
{
    const struct drxi_state *s = &rest->log->state;
    char text[TEXT_BYTES];

    for (int j = 0; j < s->desc.ndim; j++)
        for (int end = 0; end < 2; end++) {
            const struct drxi_said *said = &rest->said[end][j];
            const int64_t bound = end == DRXI_LOW ? s->lower[j] : s->upper[j];

            if (said->by == 0 || said->bound == bound)
                continue;
            (void)snprintf(text, sizeof text, "%s: axis %d then %s at index %lld; record %llu had it at %lld",
                           rest->log->io->path, j, end == DRXI_LOW ? "begins" : "ends", (long long)bound,
                           (unsigned long long)said->by, (long long)said->bound);
            tell(user, text);
        }
}

void drxi_log_rest_tell(const struct drxi_log_rest *rest, void (*tell)(void *user, const char *text), void *user)
{
    const char *const name = rest->log->io->path;
    char text[TEXT_BYTES], kinds[KINDS_BYTES];

    if (rest->later > 0) {
        (void)snprintf(text, sizeof text, "%s: record %llu is of a later version, which has to repair it", name,
                       (unsigned long long)rest->later);
        tell(user, text);
        return;
    }
    (void)snprintf(text, sizeof text,
                   "%s: a repair cuts it at offset %lld, after record %llu, and loses what came later: records %llu to "
                   "%llu, of which %lld can be read%s",
                   name, (long long)rest->end.end, (unsigned long long)rest->end.sequence,
                   (unsigned long long)rest->end.sequence + 1, (unsigned long long)rest->last, (long long)rest->whole,
                   kinds_text(rest, kinds));
    tell(user, text);
    tell_bounds(rest, tell, user);
    if (!rest->trimmed)
        return;
    (void)snprintf(text, sizeof text,
                   "%s: a trim is lost: the indices that it took away come back; elements whose space was given back "
                   "since read as zeros",
                   name);
    tell(user, text);
}
