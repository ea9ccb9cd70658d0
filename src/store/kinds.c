#include "store/kinds.h"

drx_status drxi_cannot(const char *why)
{
    return drxi_fail(DRX_EDAMAGED, "%s", why);
}

drx_status drxi_end_fields(struct drxi_fields *f)
{
    drx_status st = drxi_fields_end(f);

    return st == DRX_EDAMAGED ? drxi_cannot("its payload is shorter or longer than its fields") : st;
}

drx_status drxi_find_thing(const struct drxi_store *s, enum drxi_what what, uint16_t number, void *out)
{
    struct drxi_thing *t = drxi_store_thing(s, what, number);

    memcpy(out, &t, sizeof t);
    return t ? DRX_OK : drxi_fail(DRX_EDAMAGED, "number %d of kind %d is not there", number, (int)what);
}

drx_status drxi_end_about(struct drxi_fields *f, const struct drxi_store *s, enum drxi_what what, uint16_t number,
                          void *out)
{
    const drx_status st = drxi_end_fields(f);

    return st ? st : drxi_find_thing(s, what, number, out);
}

drx_status drxi_read_what(struct drxi_fields *f, int *what)
{
    *what = drxi_field8(f);
    return *what < DRXI_WHATS ? DRX_OK : drxi_fail(DRX_EUNSUPPORTED, "a thing of the unknown kind %d", *what);
}

drx_status drxi_note_step(struct drxi_store *s, const struct drxi_log_record *record, struct drxi_change_of step)
{
    drx_status st = drxi_reserve(&s->step, &s->step_room, s->steps + 1, sizeof *s->step);

    if (st)
        return st;
    step.kind = (uint8_t)record->kind;
    step.sequence = record->sequence;
    s->step[s->steps++] = step;
    return DRX_OK;
}

drx_status drxi_read_subject(const struct drxi_store *s, const struct drxi_log_record *record, int *what,
                             struct drxi_text *name, void *out)
{
    struct drxi_fields f = drxi_fields_of(record);
    drx_status st = drxi_read_what(&f, what);

    if (st)
        return st;
    drxi_field_zeros(&f, 7);
    if (name)
        *name = drxi_field_text(&f);
    st = drxi_end_fields(&f);
    return st ? st : drxi_find_thing(s, (enum drxi_what) * what, record->number, out);
}
