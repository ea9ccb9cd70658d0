/* Independent jobs append to one array at the same time. Each is told which rows are its own, and writes them when
 * it has them. No job knows of the others. */
#include <drx.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JOBS = 4, PARTS = 5, ROWS = 3, COLUMNS = 100 };

static void check(drx_status st)
{
    if (st) {
        fprintf(stderr, "append_together: %s\n", drx_last_error());
        exit(1);
    }
}

static void make(void)
{
    const float nothing = -1;
    const drx_spec spec = {
        .ndim = 2,
        .type = DRX_FLOAT32,
        .shape = (int64_t[]){ 0, COLUMNS },
        .chunk = (int64_t[]){ 16, COLUMNS }, /* the rows of several jobs are in one chunk */
        .fill = &nothing,
        .flags = DRX_REPLACE,
    };
    drx_array *a;

    check(drx_create("together", &spec, &a));
    check(drx_close(a));
}

static void run_job(int job)
{
    float rows[ROWS][COLUMNS];
    drx_array *a;

    check(drx_open("together", DRX_SHARED, &a));
    for (int part = 0; part < PARTS; part++) {
        int64_t lo[2], count[2];

        check(drx_reserve(a, 0, ROWS, lo, count)); /* rows lo[0] to lo[0] + ROWS - 1 are ours */
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++)
                rows[i][j] = (float)(job * PARTS + part);
        check(drx_write(a, lo, count, DRX_ROW_MAJOR, rows));
    }
    check(drx_sync(a));
    check(drx_close(a));
}

/* Every part of every job is there once. */
static int count_parts(void)
{
    int rows_of[JOBS * PARTS] = { 0 }, whole = 0;
    drx_array *a;

    check(drx_open("together", DRX_RDONLY, &a));
    for (int64_t i = 0; i < drx_shape(a)[0]; i++) {
        float first, last;

        check(drx_get(a, (int64_t[]){ i, 0 }, &first));
        check(drx_get(a, (int64_t[]){ i, COLUMNS - 1 }, &last));
        if (first == last && first >= 0 && first < JOBS * PARTS)
            whole += ++rows_of[(int)first] == ROWS;
    }
    printf("%" PRId64 " rows of %d jobs, %d parts whole\n", drx_shape(a)[0], JOBS, whole);
    check(drx_close(a));
    return whole;
}

int main(void)
{
    int failed = 0, status;

    make();
    for (int job = 0; job < JOBS; job++)
        if (fork() == 0) { /* as if they were started anywhere on this machine */
            run_job(job);
            _exit(0);
        }
    while (wait(&status) > 0)
        failed += status != 0;
    return failed == 0 && count_parts() == JOBS * PARTS ? 0 : 1;
}
