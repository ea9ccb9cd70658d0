/* Stages: assembled target units, written to the file in the background. */
#include "layout/run/run.h"

void drxi_stages_init(struct drxi_stages *s, const struct drxi_pass_side *target, const struct drxi_told *told,
                      uint8_t *memory, int64_t room_bytes, int64_t units)
{
    const int64_t bytes = units * drxi_unit_bytes(target);

    *s = (struct drxi_stages){ .told = told, .units = units, .count = (int)drxi_min(DRXI_STAGES, room_bytes / bytes) };
    for (int i = 0; i < s->count; i++) {
        s->stage[i].target = target;
        s->stage[i].memory = memory + i * bytes;
        drxi_later_init(&s->stage[i].writing);
    }
}

static drx_status write_stage(void *arg)
{
    const struct drxi_stage *s = arg;

    return drxi_units_move(s->target, true, &s->grid, s->lo, s->hi);
}

static drx_status end_writing(const struct drxi_stages *s, struct drxi_stage *stage)
{
    const drx_status st = drxi_later_end(&stage->writing);
    const int64_t bytes = stage->bytes;

    stage->bytes = 0;
    return st || bytes == 0 ? st : s->told->tell(s->told->user, bytes);
}

drx_status drxi_stages_take(struct drxi_stages *s, const int64_t lo[], const int64_t hi[], const int64_t end[],
                            struct drxi_stage **out)
{
    struct drxi_stage *stage = &s->stage[s->next];
    const struct drxi_pass_side *target = stage->target;
    const size_t item_bytes = target->a->data.item_bytes;
    int64_t items = 1;
    bool edge = false;
    drx_status st = end_writing(s, stage);

    if (st)
        return st;
    s->next = (s->next + 1) % s->count;
    for (int j = 0; j < target->ndim; j++) {
        stage->lo[j] = lo[j];
        stage->hi[j] = hi[j];
        items *= hi[j] - lo[j];
        edge = edge || hi[j] > end[j];
    }
    drxi_units_lay_out(target, lo, hi, stage->memory, &stage->grid);
    if (edge)
        drxi_fill(stage->memory, items, target->a->data.fill, item_bytes);
    *out = stage;
    return DRX_OK;
}

drx_status drxi_stages_put(struct drxi_stages *s, struct drxi_stage *stage)
{
    drx_status st = DRX_OK;

    stage->bytes = drxi_unit_bytes(stage->target);
    for (int j = 0; j < stage->target->ndim; j++)
        stage->bytes *= (stage->hi[j] - stage->lo[j]) / stage->target->side->unit[j];
    if (s->told->keep)
        drxi_keep_bits(s->told->keep, stage->bytes / (int64_t)stage->target->a->data.item_bytes, stage->memory);
    if (s->count > 1) {
        drxi_pass_side_begin(stage->target, &stage->writing, write_stage, stage);
        return DRX_OK;
    }
    st = write_stage(stage);
    if (st)
        stage->bytes = 0;
    return st ? st : end_writing(s, stage);
}

drx_status drxi_stages_finish(struct drxi_stages *s, drx_status st)
{
    for (int i = 0; i < s->count; i++) {
        struct drxi_stage *stage = &s->stage[(s->next + i) % s->count];
        const drx_status writing = st ? drxi_later_end(&stage->writing) : end_writing(s, stage);

        st = st ? st : writing;
        drxi_later_destroy(&stage->writing);
    }
    return st;
}
