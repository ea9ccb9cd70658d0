/* Act 1: the array is made and grows, under the eyes of the witness. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo.h"

static void make(const struct source *s, const char *path)
{
    static const int64_t origin[3];
    const drx_spec spec = plan_spec(s);
    struct attribute attributes[ATTRIBUTES];
    float *box = source_box(s, origin, spec.shape);
    double start;
    drx_array *a;

    check(drx_create(path, &spec, &a), "create the array");
    plan_attributes(s, attributes);
    for (int i = 0; i < ATTRIBUTES; i++)
        check(drx_attr_set_text(a, attributes[i].name, attributes[i].text), "set an attribute");
    check(drx_write(a, origin, spec.shape, DRX_ROW_MAJOR, box), "write");
    start = now_us();
    check(drx_sync(a), "sync");
    show_made(a, now_us() - start);
    check(drx_close(a), "close");
    free(box);
}

/* One run of a program that keeps the record. */
static void run_step(const struct source *s, const char *path, const struct step *step, struct proof *p)
{
    double *us = allocate(step->times, sizeof *us);
    double start, sync_us;
    int64_t lo[3] = { 0 }, count[3];
    float *slab;
    drx_array *a;

    check(drx_open(path, DRX_RDWR, &a), "open the array");
    for (int i = 0; i < step->times; i++) {
        memcpy(count, drx_shape(a), sizeof count);
        lo[step->axis] = count[step->axis];
        count[step->axis] = step->by;
        slab = source_box(s, lo, count);

        before_growth(p, a);
        start = now_us();
        check(drx_append(a, step->axis, step->by, DRX_ROW_MAJOR, slab), "append");
        us[i] = now_us() - start;
        after_growth(p, a);
        free(slab);
    }
    start = now_us();
    check(drx_sync(a), "sync");
    sync_us = now_us() - start;
    show_step(step, a, us, sync_us);
    check(drx_close(a), "close");
    free(us);
}

static void show_count(const char *what, int64_t n, const char *wrong, int64_t wrong_n)
{
    column(what, 28);
    column(grouped(n).s, -12);
    column("", 6);
    column(wrong, 20);
    column(grouped(wrong_n).s, -6);
    printf("\n");
}

static void show_proof(const struct proof *p)
{
    show_title("Nothing moved");
    printf("Before each of the %" PRId64 " growths the program notes where every chunk is, and reads its bytes from\n"
           "uwnd.xta without the library. After the growth it looks again. %" PRId64 " growths only filled room in\n"
           "chunks; the others added chunks at the end of the file.\n\n",
           p->growths, p->growths_in_chunks);
    show_count("chunks compared", p->compared_chunks, "at another offset", p->moved_chunks);
    show_count("stored elements compared", p->compared_elements, "with other bytes", p->changed_elements);
    if (p->moved_chunks || p->changed_elements)
        fail("growth moved %" PRId64 " chunks and changed the bytes of %" PRId64 " stored elements", p->moved_chunks,
             p->changed_elements);
}

/* Where the first January's wind is: at the same byte as when the array was made. */
static void show_example(const struct source *s, const struct proof *p, const char *path, int64_t offset_then)
{
    static const int64_t index[3] = { 0, EQUATOR, PLACE };
    const float value = element_at(p, offset_then);
    drx_array *a;

    check(drx_open(path, DRX_RDONLY, &a), "open the array");
    if (element_offset(a, index) != offset_then || value != source_value(s, index[0], index[1], index[2]))
        fail("the element at byte %" PRId64 " is not there any more", offset_then);
    check(drx_close(a), "close");
    printf("\nThe wind at 0° 150°W in January 1982, %.2f m/s, was put at byte %s. It is there now.\n", (double)value,
           grouped(offset_then).s);
}

void grow(const struct source *s, const char *path)
{
    struct proof p = { 0 };
    int64_t offset;
    drx_array *a;

    show_title("The array grows as the record did");
    printf("Each step opens the array, appends, makes it durable (sync) and closes it. Times are of one call,\n"
           "the median if there are more.\n\n");
    show_steps_head();
    make(s, path);
    check(drx_open(path, DRX_RDONLY, &a), "open the array");
    open_proof(&p, path, a);
    offset = element_offset(a, (int64_t[]){ 0, EQUATOR, PLACE });
    check(drx_close(a), "close");
    for (int i = 0; i < STEPS; i++)
        run_step(s, path, &steps[i], &p);
    show_proof(&p);
    show_example(s, &p, path, offset);
    close_proof(&p);
}
