/* Act 1: the array is made and grows, under the eyes of the witness. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo.h"

static const int64_t made[3] = { MONTHS_A_YEAR, EQUATOR + 1, 120 };
static const int64_t chunk[3] = { 12, 19, 16 };
static const char *const dims[3] = { "time", "lat", "lon" };

static const struct step {
    const char *what;
    int axis;
    int64_t by;
    int times;
} steps[] = {
    { "1983 to 1989, month by month", 0, 1, 84 },
    { "the south: 2.5°S to 90°S", 1, 36, 1 },
    { "1990 to 1992, month by month", 0, 1, 36 },
    { "what was left out: 40°W to 17.5°E", 2, 24, 1 },
};

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void show_head(void)
{
    column("step", 35);
    column("grows", 10);
    column("by", -7);
    column("shape then", -18);
    column("chunks", -8);
    column("growth", -10);
    column("sync", -10);
    printf("\n");
}

static void show_step(const char *what, const char *axis, const char *by, const drx_array *a, double us, double sync_us)
{
    const int64_t *shape = drx_shape(a);
    char text[64];

    column(what, 35);
    column(axis, 10);
    column(by, -7);
    (void)snprintf(text, sizeof text, "%3" PRId64 " × %2" PRId64 " × %3" PRId64, shape[0], shape[1], shape[2]);
    column(text, -18);
    column(grouped(drx_chunk_count(a)).s, -8);
    column(us > 0 ? duration(us).s : "", -10);
    column(duration(sync_us).s, -10);
    printf("\n");
}

static void make(const struct source *s, const char *path)
{
    static const int64_t origin[3];
    const drx_spec spec = {
        .ndim = 3,
        .type = DRX_FLOAT32,
        .shape = made,
        .chunk = chunk,
        .fill = &s->fill,
        .dims = dims,
        .flags = DRX_REPLACE,
    };
    float *box = source_box(s, origin, made);
    double start;
    drx_array *a;

    check(drx_create(path, &spec, &a), "create the array");
    check(drx_attr_set_text(a, "long_name", s->long_name), "set an attribute");
    check(drx_attr_set_text(a, "units", s->units), "set an attribute");
    check(drx_attr_set_text(a, "first_month", "1982-01"), "set an attribute");
    check(drx_attr_set_text(a, "grid", "from 90 N and 20 E to the south and the east, every 2.5 degrees"),
          "set an attribute");
    check(drx_write(a, origin, made, DRX_ROW_MAJOR, box), "write");
    start = now_us();
    check(drx_sync(a), "sync");
    show_step("1982, 90°N to 0°, 20°E to 42.5°W", "(made)", "", a, 0, now_us() - start);
    check(drx_close(a), "close");
    free(box);
}

/* One run of a program that keeps the record. */
static void run_step(const struct source *s, const char *path, const struct step *step, struct proof *p)
{
    double *us = allocate(step->times, sizeof *us);
    double start, sync_us;
    int64_t lo[3] = { 0 }, count[3];
    char by[16];
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
    qsort(us, (size_t)step->times, sizeof *us, compare_times);
    start = now_us();
    check(drx_sync(a), "sync");
    sync_us = now_us() - start;
    (void)snprintf(by, sizeof by, step->times > 1 ? "%" PRId64 " × %d" : "%" PRId64, step->by, step->times);
    show_step(step->what, dims[step->axis], by, a, us[step->times / 2], sync_us);
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
    show_head();
    make(s, path);
    check(drx_open(path, DRX_RDONLY, &a), "open the array");
    open_proof(&p, path, a);
    offset = element_offset(a, (int64_t[]){ 0, EQUATOR, PLACE });
    check(drx_close(a), "close");
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        run_step(s, path, &steps[i], &p);
    show_proof(&p);
    show_example(s, &p, path, offset);
    close_proof(&p);
}
