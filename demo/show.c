/* What is printed: titles, columns, the chunk map, the plot, the sizes. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "demo.h"
#include "drx_tools.h"

enum { WIDTH = 98 };

void show_title(const char *title)
{
    const int rule = WIDTH - 4 - (int)strlen(title);

    printf("\n-- %s ", title);
    for (int i = 0; i < rule; i++)
        (void)putchar('-');
    (void)putchar('\n');
}

void column(const char *s, int width)
{
    int used = 0;

    for (const char *c = s; *c; c++)
        used += (*c & 0xc0) != 0x80; /* not within a character of UTF-8 */
    printf("%*s%s%*s", width < -used ? -width - used : 0, "", s, width > used ? width - used : 0, "");
}

struct text grouped(int64_t n)
{
    struct text digits, out;
    size_t at = 0;
    const int length = snprintf(digits.s, sizeof digits.s, "%" PRId64, n);

    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0 && digits.s[i - 1] != '-')
            out.s[at++] = ',';
        out.s[at++] = digits.s[i];
    }
    out.s[at] = '\0';
    return out;
}

struct text duration(double us)
{
    struct text out;

    if (us < 1000)
        (void)snprintf(out.s, sizeof out.s, "%.0f µs", us);
    else
        (void)snprintf(out.s, sizeof out.s, "%.*f ms", us < 1e4 ? 1 : 0, us / 1000);
    return out;
}

/* ---- the steps ------------------------------------------------------------------ */

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void show_steps_head(void)
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

static void show_growth(const char *what, const char *axis, const char *by, const drx_array *a, double us,
                        double sync_us)
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

void show_made(const drx_array *a, double sync_us)
{
    show_growth("1982, 90°N to 0°, 20°E to 42.5°W", "(made)", "", a, 0, sync_us);
}

void show_step(const struct step *step, const drx_array *a, double us[], double sync_us)
{
    char by[32];

    qsort(us, (size_t)step->times, sizeof *us, compare_times);
    (void)snprintf(by, sizeof by, step->times > 1 ? "%" PRId64 " × %d" : "%" PRId64, step->by, step->times);
    show_growth(step->what, drx_dim_name(a, step->axis), by, a, us[step->times / 2], sync_us);
}

/* ---- the chunk map -------------------------------------------------------------- */

/* "42.5°N" */
static struct text latitude(int64_t lat)
{
    const double degrees = 2.5 * (double)(EQUATOR - lat);
    struct text out;

    (void)snprintf(out.s, sizeof out.s, "%g°%s", degrees < 0 ? -degrees : degrees, degrees < 0 ? "S" : "N");
    return out;
}

/* Chunks of all months and latitudes, at one index of longitude. */
static void show_plane(const drx_array *a, int64_t lon, const char *where)
{
    const int64_t *chunk = drx_chunk(a);
    char band[80];
    int64_t address;

    column(where, 20);
    for (int year = 0; year < MONTHS / MONTHS_A_YEAR; year++)
        printf("%6d", FIRST_YEAR + year);
    printf("\n");
    for (int64_t lat = 0; lat < LATS; lat += chunk[1]) {
        const int64_t last = lat + chunk[1] < LATS ? lat + chunk[1] - 1 : LATS - 1;

        (void)snprintf(band, sizeof band, "  %s to %s", latitude(lat).s, latitude(last).s);
        column(band, 20);
        for (int64_t month = 0; month < MONTHS; month += chunk[0]) {
            check(drx_chunk_address(a, (int64_t[]){ month / chunk[0], lat / chunk[1], lon / chunk[2] }, &address),
                  "find a chunk");
            printf("%6" PRId64, address);
        }
        printf("\n");
    }
}

void show_chunks(const drx_array *a)
{
    const int64_t *chunk = drx_chunk(a);
    const int64_t bytes = chunk[0] * chunk[1] * chunk[2] * (int64_t)drx_type_size(drx_dtype(a));
    int64_t records = 0;

    for (int j = 0; j < 3; j++)
        records += drx_axial_count(a, j);
    printf("A chunk is %" PRId64 " months × %" PRId64 " latitudes × %" PRId64 " longitudes: %s bytes. "
           "The chunk of address q begins\nat byte q × %s of uwnd.xta. No table of addresses is stored: they are "
           "computed from %" PRId64 " short\nrecords of the growth.\n\n",
           chunk[0], chunk[1], chunk[2], grouped(bytes).s, grouped(bytes).s, records);
    show_plane(a, 0, "20°E to 57.5°E");
    printf("\n");
    show_plane(a, LONS - 1, "20°W to 17.5°E");
}

/* ---- what was read ---------------------------------------------------------------- */

void show_reading_head(void)
{
    column("read", 46);
    column("values", -12);
    column("different", -12);
    column("time", -12);
    printf("\n");
}

void show_reading(const char *what, int64_t equal, int64_t n, double us)
{
    column(what, 46);
    column(grouped(n).s, -12);
    column(grouped(n - equal).s, -12);
    column(duration(us).s, -12);
    printf("\n");
    (void)fflush(stdout);
    if (equal != n)
        fail("%s: %" PRId64 " of %" PRId64 " values differ from those that netCDF reads", what, n - equal, n);
}

/* ---- the plot --------------------------------------------------------------------- */

void show_series(const float series[MONTHS])
{
    static const char *const eighths[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
    enum { ROWS = 4, COLUMNS = MONTHS / 2 };
    const double bottom = -10, top = 0;
    double mean;
    int level;

    printf("Each column is the mean of two months. The trade winds blow from the east: low is strong.\n"
           "They fail in El Niño (1982-83, 1987, 1991-92) and are at their height in La Niña (1988-89).\n\n");
    for (int row = ROWS - 1; row >= 0; row--) {
        column(row == ROWS - 1 ? "0 m/s" : row == 0 ? "-10 m/s" : "", -9);
        printf(" ");
        for (int i = 0; i < COLUMNS; i++) {
            mean = ((double)series[2 * i] + (double)series[2 * i + 1]) / 2;
            level = (int)((mean - bottom) / (top - bottom) * 8 * ROWS + 0.5) - 8 * row;
            printf("%s", eighths[level < 0 ? 0 : level > 8 ? 8 : level]);
        }
        printf("\n");
    }
    column("", 10);
    for (int year = 0; year < MONTHS / MONTHS_A_YEAR; year++)
        printf("%s%d", year ? "  " : "", FIRST_YEAR + year);
    printf("\n");
}

/* ---- the sizes ---------------------------------------------------------------------- */

static void show_size(const char *what, int64_t bytes, int64_t on_disk)
{
    column(what, 50);
    column(grouped(bytes).s, -12);
    if (on_disk >= 0)
        column(grouped(on_disk).s, -12);
    printf("\n");
}

static int64_t show_file(const char *what, const char *path, const char *suffix)
{
    struct stat st;
    char *file;

    if (asprintf(&file, "%s%s", path, suffix) < 0)
        fail("out of memory");
    if (stat(file, &st) != 0)
        fail("%s: cannot stat: %s", file, strerror(errno));
    show_size(what, st.st_size, (int64_t)st.st_blocks * 512);
    free(file);
    return st.st_size;
}

void show_sizes(const char *original, const char *path)
{
    const int64_t values = (int64_t)MONTHS * LATS * LONS * (int64_t)sizeof(float);
    int64_t data;

    column("", 50);
    column("bytes", -12);
    column("on disk", -12);
    printf("\n");
    (void)show_file("the netCDF file, with both winds", original, "");
    show_size("  of which UWND, its values only", values, -1);
    data = show_file("uwnd.xta, the chunks", path, ".xta");
    (void)show_file("uwnd.xmd, the shape, history and attributes", path, ".xmd");
    printf("\nThe chunks are %.1f %% larger than the values: along lat there are four of 19, with room for 76.\n",
           100.0 * (double)(data - values) / (double)values);
}
