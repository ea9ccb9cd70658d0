/* An archive of the last days: each day is appended at one end, and the oldest is trimmed at the other.
 *
 * No stored element moves, and the index of a day never changes: day 200 stays day 200. The disk and the metadata that
 * the archive takes stay bounded, however long it runs. */
#include <drx.h>
#include <drx_tools.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { DAYS = 400, KEPT = 30, ROWS = 64, COLUMNS = 128, SETTLED = 100 };

static void check(drx_status st)
{
    if (st) {
        fprintf(stderr, "rolling_archive: %s\n", drx_last_error());
        exit(1);
    }
}

static float value(int64_t day, int row, int column)
{
    return (float)(day * 1000 + row) + (float)column / COLUMNS;
}

static void append_day(drx_array *a, int64_t day)
{
    static float slab[ROWS][COLUMNS];

    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            slab[row][column] = value(day, row, column);
    check(drx_append(a, 0, 1, DRX_ROW_MAJOR, slab));
}

/* What a file takes of the disk: holes take nothing. */
static int64_t bytes_on_disk(const drx_array *a, int file)
{
    struct stat s;

    if (stat(drx_file(a, file), &s) != 0) {
        perror(drx_file(a, file));
        exit(1);
    }
    return (int64_t)s.st_blocks * 512;
}

static int64_t metadata_bytes(const drx_array *a)
{
    struct stat s;

    if (stat(drx_file(a, 0), &s) != 0) {
        perror(drx_file(a, 0));
        exit(1);
    }
    return (int64_t)s.st_size;
}

/* Every element of the days that are kept. */
static int64_t wrong_elements(drx_array *a)
{
    static float slab[ROWS][COLUMNS];
    int64_t wrong = 0;

    for (int64_t day = drx_lower(a)[0]; day < drx_lower(a)[0] + drx_shape(a)[0]; day++) {
        check(drx_read(a, (int64_t[]){ day, 0, 0 }, (int64_t[]){ 1, ROWS, COLUMNS }, DRX_ROW_MAJOR, slab));
        for (int row = 0; row < ROWS; row++)
            for (int column = 0; column < COLUMNS; column++)
                wrong += slab[row][column] != value(day, row, column);
    }
    return wrong;
}

int main(void)
{
    const drx_spec spec = {
        .ndim = 3,
        .type = DRX_FLOAT32,
        .shape = (int64_t[]){ 0, ROWS, COLUMNS },
        .chunk = (int64_t[]){ 1, ROWS, COLUMNS },
        .dims = (const char *[]){ "day", "row", "column" },
        .flags = DRX_REPLACE,
    };
    const int64_t kept_bytes = (int64_t)KEPT * ROWS * COLUMNS * (int64_t)sizeof(float);
    int64_t most = 0, most_metadata = 0, records;
    drx_array *a;

    check(drx_create("archive", &spec, &a));
    for (int64_t day = 0; day < DAYS; day++) {
        append_day(a, day);
        if (drx_shape(a)[0] > KEPT)
            check(drx_trim(a, 0, 1, 0));
        check(drx_sync(a));
        if (day >= SETTLED && bytes_on_disk(a, 1) > most)
            most = bytes_on_disk(a, 1);
    }
    printf("%d days written, days %" PRId64 " to %" PRId64 " kept, %" PRId64 " elements wrong\n", DAYS, drx_lower(a)[0],
           drx_lower(a)[0] + drx_shape(a)[0] - 1, wrong_elements(a));
    printf("the kept days are %" PRId64 " bytes; the data took at most %" PRId64 " bytes of the disk\n", kept_bytes,
           most);

    check(drx_compact(a)); /* the library does so itself when a log is long enough */
    records = drx_axial_count(a, 0);
    most_metadata = metadata_bytes(a);
    printf("the metadata take %" PRId64 " bytes, with %" PRId64 " expansion record%s of the axis\n", most_metadata,
           records, records == 1 ? "" : "s");
    if (wrong_elements(a) || drx_lower(a)[0] != DAYS - KEPT || most > 2 * kept_bytes || most_metadata > 12288 ||
        records > 2)
        return 1;
    check(drx_close(a));
    return 0;
}
