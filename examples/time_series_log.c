/* A log of measurements. Each run of the program opens the array, or creates it, and appends.
 * A reader in another program sees each append whole or not at all, after drx_refresh. */
#include <drx.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SENSORS = 4, BATCH = 10 };

static void check(drx_status st)
{
    if (st) {
        fprintf(stderr, "time_series_log: %s\n", drx_last_error());
        exit(1);
    }
}

static drx_array *open_log(const char *path)
{
    const drx_spec spec = {
        .ndim = 2,
        .type = DRX_FLOAT32,
        .shape = (int64_t[]){ 0, SENSORS },
        .chunk = (int64_t[]){ 1024, SENSORS },
        .dims = (const char *const[]){ "time", "sensor" },
    };
    drx_array *a;
    drx_status st = drx_open(path, DRX_RDWR, &a);

    if (st == DRX_ENOENT) {
        check(drx_create(path, &spec, &a));
        check(drx_attr_set_text(a, "units", "degree_Celsius"));
    } else {
        check(st); /* DRX_EBUSY, for example: another program is writing */
    }
    return a;
}

static void append_batch(drx_array *a)
{
    float batch[BATCH][SENSORS];

    for (int i = 0; i < BATCH; i++)
        for (int s = 0; s < SENSORS; s++)
            batch[i][s] = (float)(drx_shape(a)[0] + i) + (float)s / 10;
    check(drx_append(a, 0, BATCH, DRX_ROW_MAJOR, batch));
    check(drx_sync(a)); /* from here on it survives a power cut */
}

int main(void)
{
    float last[SENSORS];
    drx_array *writer, *reader;

    (void)drx_remove("log"); /* of an earlier run of this example */
    writer = open_log("log");
    append_batch(writer);
    check(drx_close(writer));

    writer = open_log("log"); /* a later run */
    check(drx_open("log", DRX_RDONLY, &reader));
    append_batch(writer);
    if (drx_shape(reader)[0] != BATCH) /* as it was when the reader opened it */
        return 1;
    check(drx_refresh(reader));
    if (drx_shape(reader)[0] != 2 * BATCH)
        return 1;

    check(drx_read(reader, (int64_t[]){ 2 * BATCH - 1, 0 }, (int64_t[]){ 1, SENSORS }, DRX_ROW_MAJOR, last));
    printf("%" PRId64 " times; the last: %.1f %.1f %.1f %.1f\n", drx_shape(reader)[0], last[0], last[1], last[2],
           last[3]);
    check(drx_close(reader));
    check(drx_close(writer));
    return last[0] == 19 && last[3] == 19.3F ? 0 : 1;
}
