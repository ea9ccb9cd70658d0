/* Steps that write and read elements. */
#include "mp_model.h"

/* What the model has. */
static void write_one(const struct box *b)
{
    const drx_box box = box_of(b, true);

    for (int64_t i = 0; i < b->n; i++) {
        int64_t index[MAX_NDIM];
        const int64_t place = element_of(b, i, index);

        buf[place] = model[model_at(index)];
    }
    assert_ok(drx_write_box(one, &box, buf));
}

/* Finish what began, if that is a request. */
static void finish(drx_request *req)
{
    int done = 0;

    if (!req)
        return;
    if (mp_below(2)) {
        assert_ok(drx_test(req, &done));
        assert_int_equal(done, 1);
    }
    assert_ok(drx_wait(req));
}

/* Put this rank's part of the buffer alone, as a box or element by element. */
static void put_alone(const struct box *b, bool steps)
{
    static int64_t indices[ROOM][MAX_NDIM];
    static int32_t values[ROOM];
    const drx_box box = box_of(b, steps || mp_below(2));
    const int way = (int)mp_below(4);
    drx_request *req = NULL;

    if (way == 0 && !steps) {
        assert_ok(drxmp_put(many, b->lo, b->count, b->order, buf));
    } else if (way < 3) {
        assert_ok(drxmp_put_box(many, &box, buf, way < 2 ? &req : NULL));
    } else {
        for (int64_t i = 0; i < b->n; i++) {
            int64_t *index = &indices[0][0] + i * ndim, place = element_of(b, i, index);

            values[i] = buf[place];
        }
        assert_ok(drxmp_scatter(many, b->n, &indices[0][0], values));
    }
    assert_ok(drxmp_sync(many));
    finish(req);
}

/* Every this many of its indices. */
static void leave_out(struct box *b)
{
    for (int j = 0; j < ndim; j++) {
        b->step[j] = 1 + mp_below(3);
        b->count[j] = (b->count[j] + b->step[j] - 1) / b->step[j];
    }
    set_order(b, b->order);
}

void do_add(void)
{
    struct box boxes[MOST_BOXES];
    const int32_t alpha = 1 + (int32_t)mp_below(9);
    struct box *b = &boxes[mp_ranks];
    const bool steps = mp_below(2);
    drx_request *req = NULL;
    drx_box box;

    (void)draw_boxes(boxes, lower, upper, PARTS);
    if (steps)
        leave_out(b);
    box = box_of(b, steps || mp_below(2));
    for (int64_t i = 0; i < b->n; i++) {
        int64_t index[MAX_NDIM];
        const int64_t place = element_of(b, i, index);

        buf[place] = (int32_t)i;
        model[model_at(index)] += (int32_t)(i * alpha * mp_ranks);
    }
    if (!steps && mp_below(2))
        assert_ok(drxmp_acc(many, b->lo, b->count, b->order, &alpha, buf));
    else
        assert_ok(drxmp_acc_box(many, &box, &alpha, buf, mp_below(2) ? &req : NULL));
    finish(req);
    if (b->n > 0 && mp_below(2)) {
        assert_ok(drxmp_fetch_add(many, b->lo, 5, NULL));
        model[model_at(b->lo)] += 5 * mp_ranks;
    }
    if (mp_rank == 0)
        write_one(b);
    assert_ok(drxmp_sync(many));
}

void do_write(void)
{
    struct box boxes[MOST_BOXES];
    const struct box *mine = &boxes[mp_rank];
    const int32_t first = (int32_t)mp_below(1 << 28);
    const int way = (int)mp_below(packed ? 2 : 3) * (packed ? 2 : 1);
    const bool steps = draw_boxes(boxes, lower, upper, PARTS);
    const drx_box box = box_of(mine, steps || way == 0);

    for (int rank = 0; rank < mp_ranks; rank++) {
        number_box(&boxes[rank], first + rank * 1000000, true);
        if (mp_rank == 0 && !packed) {
            const drx_box theirs = box_of(&boxes[rank], true);

            number_box(&boxes[rank], first + rank * 1000000, false);
            assert_ok(drx_write_box(one, &theirs, buf));
        }
    }
    if (mp_rank == 0 && packed)
        write_one(&boxes[mp_ranks]);
    number_box(mine, first + mp_rank * 1000000, false);
    if (in_memory && mp_below(2)) {
        put_alone(mine, steps);
    } else if (steps || way == 0) {
        assert_ok(drxmp_write_box_all(many, &box, buf));
    } else if (way == 1) {
        drx_request *request;
        int done = 0;

        assert_ok(drxmp_iwrite_all(many, &box, buf, &request));
        for (int i = 0; i < 1000 && !done; i++)
            assert_ok(drx_test(request, &done));
        assert_ok(drx_wait(request));
    } else {
        assert_ok(drxmp_write_all(many, mine->lo, mine->count, mine->order, buf));
    }
}

void do_write_alone(void)
{
    struct box boxes[MOST_BOXES];
    const struct box *mine = &boxes[mp_rank];
    const int32_t first = (int32_t)mp_below(1 << 28);
    const bool singly = mp_below(2) + !draw_boxes(boxes, lower, upper, PARTS) == 2;
    const drx_box box = box_of(mine, true);

    for (int rank = 0; rank < mp_ranks; rank++)
        number_box(&boxes[rank], first + rank * 1000000, true);
    number_box(mine, first + mp_rank * 1000000, false);
    if (!singly)
        assert_ok(drx_write_box(drxmp_serial(many), &box, buf));
    for (int64_t i = 0; singly && i < mine->n; i++) {
        int64_t index[MAX_NDIM];
        const int64_t place = element_of(mine, i, index);

        assert_ok(drx_put(drxmp_serial(many), index, &buf[place]));
    }
    if (mine->n > 0) /* what was put reaches the file */
        assert_ok(drxmp_read(many, mine->lo, (int64_t[MAX_NDIM]){ 1, 1, 1 }, DRX_ROW_MAJOR, buf));
    (void)MPI_Barrier(mp_comm);
}

/* After any collective call all ranks see what each wrote alone. Most of these change nothing. */
static void call_together(void)
{
    static const int64_t nothing[MAX_NDIM];
    const int axis = (int)mp_below(ndim);
    const char *const name = mp_below(2) ? "renamed" : NULL;

    switch (mp_below(9)) {
    case 0:
        assert_ok(drxmp_refresh(many));
        break;
    case 1:
        assert_ok(drxmp_attr_set_text(many, "units", "m"));
        if (mp_rank == 0)
            assert_ok(drx_attr_set_text(one, "units", "m"));
        break;
    case 2:
        assert_ok(drxmp_dim_rename(many, 0, name));
        if (mp_rank == 0)
            assert_ok(drx_dim_rename(one, 0, name));
        break;
    case 3:
        assert_ok(drxmp_extend(many, axis, 0));
        break;
    case 4:
        assert_ok(drxmp_append_all(many, axis, 0, lower, nothing, DRX_ROW_MAJOR, buf));
        break;
    case 5:
        assert_ok(drxmp_trim(many, axis, 0, 0));
        break;
    case 6:
        assert_ok(mp_set_any(many));
        break;
    case 7:
        assert_ok(drxmp_read_all(many, lower, nothing, DRX_ROW_MAJOR, buf));
        break;
    default:
        assert_ok(drxmp_sync(many));
        if (mp_rank == 0)
            assert_ok(drx_sync(one));
    }
}

/* Each rank puts some elements, which stay in its pool; after a collective call another rank reads them, and writes a
 * box with them, which stays. */
void do_put(void)
{
    enum { MOST = 30 };
    struct box boxes[MOST_BOXES], some;
    const struct box *next = &boxes[(mp_rank + 1) % mp_ranks];
    const int32_t first = (int32_t)mp_below(1 << 28);
    drx_box theirs;

    (void)draw_boxes(boxes, lower, upper, PARTS);
    theirs = box_of(next, true);
    for (int rank = mp_ranks - 1; rank >= 0; rank--) {
        some = boxes[rank];
        some.n = some.n < MOST ? some.n : MOST;
        number_box(&some, first + rank * 1000000, true);
        if (rank == mp_rank)
            number_box(&some, first + rank * 1000000, false);
        for (int64_t i = 0; rank == mp_rank && i < some.n; i++) {
            int64_t index[MAX_NDIM];
            const int64_t place = element_of(&some, i, index);

            assert_ok(drx_put(drxmp_serial(many), index, &buf[place]));
        }
    }
    call_together();
    assert_ok(drx_read_box(drxmp_serial(many), &theirs, buf));
    check_buffer(next);
    (void)MPI_Barrier(mp_comm);
    for (int rank = 0; rank < mp_ranks; rank++)
        number_box(&boxes[rank], first + rank * 1000000 + 1, true);
    number_box(next, first + (mp_rank + 1) % mp_ranks * 1000000 + 1, false);
    assert_ok(drx_write_box(drxmp_serial(many), &theirs, buf));
    call_together();
    for (int rank = 0; rank < mp_ranks && mp_rank == 0 && !packed; rank++)
        write_one(&boxes[rank]);
}

void do_read(void)
{
    struct box boxes[MOST_BOXES];
    const struct box *mine = &boxes[mp_rank];
    const int way = (int)mp_below(4);
    const bool steps = draw_boxes(boxes, lower, upper, ANY);
    const drx_box box = box_of(mine, steps || way == 0);

    memset(buf, -1, sizeof buf);
    if (in_memory && !steps && mp_below(3) == 0) {
        assert_ok(drxmp_get(many, mine->lo, mine->count, mine->order, buf));
    } else if (in_memory && mp_below(2)) {
        drx_request *req = NULL;

        assert_ok(drxmp_get_box(many, &box, buf, mp_below(3) ? &req : NULL));
        finish(req);
    } else if (steps || way == 0) {
        assert_ok(drxmp_read_box_all(many, &box, buf));
    } else if (way == 1) {
        drx_request *request, *second;

        assert_ok(drxmp_iread_all(many, &box, slab, &second));
        assert_ok(drxmp_iread_all(many, &box, buf, &request));
        assert_status(drxmp_extend(many, 0, 1), DRX_EBUSY);
        assert_ok(drx_wait(second));
        assert_ok(drx_wait(request));
    } else if (way == 2) {
        assert_ok(drxmp_read(many, mine->lo, mine->count, mine->order, buf));
    } else {
        assert_ok(drxmp_read_all(many, mine->lo, mine->count, mine->order, buf));
    }
    check_buffer(mine);
    (void)MPI_Barrier(mp_comm);
}
