/* How a program handles errors. The status is the kind of error: branch on it. drx_last_error() says what happened
 * to which file, axis or index: show it to the user. */
#include <drx.h>
#include <stdio.h>
#include <string.h>

/* Show the failure. A real program would return the status to its caller. */
static int expect(const char *what, drx_status expected, drx_status st)
{
    printf("%s\n    status: %d, %s\n    detail: %s\n", what, (int)st, drx_strerror(st), st ? drx_last_error() : "");
    return st == expected ? 0 : 1;
}

/* The usual form: every jump visible, one label, the first error kept. */
static drx_status sum(const char *path, double *out)
{
    double row[3];
    drx_array *a = NULL;
    drx_status st;

    *out = 0;
    st = drx_open(path, DRX_RDONLY, &a);
    if (st)
        goto done;
    for (int64_t i = 0; i < drx_shape(a)[0]; i++) {
        st = drx_read(a, (int64_t[]){ i, 0 }, (int64_t[]){ 1, 3 }, DRX_ROW_MAJOR, row);
        if (st)
            goto done;
        *out += row[0] + row[1] + row[2];
    }
done:
    (void)drx_close(a); /* NULL is fine; nothing was written, so nothing can be lost */
    return st;
}

int main(void)
{
    const int64_t shape[2] = { 4, 3 };
    const drx_spec spec = { .ndim = 2, .type = DRX_FLOAT64, .shape = shape, .fill = &(double){ 0.5 } };
    double total, value = 0;
    drx_array *a, *other;
    int wrong = 0;

    (void)drx_remove("sheet"); /* of an earlier run; DRX_ENOENT is as well */
    wrong += expect("Open an array that does not exist", DRX_ENOENT, sum("sheet", &total));
    wrong += expect("Create", DRX_OK, drx_create("sheet", &spec, &a));
    wrong += expect("Create it again, without DRX_REPLACE", DRX_EEXIST, drx_create("sheet", &spec, &other));
    wrong += expect("Open it for writing a second time", DRX_EBUSY, drx_open("sheet", DRX_RDWR, &other));
    wrong += expect("Read outside of the bounds", DRX_ERANGE, drx_get(a, (int64_t[]){ 4, 0 }, &value));
    wrong += expect("Grow an axis that does not exist", DRX_EINVAL, drx_extend(a, 2, 1));
    wrong += expect("Grow too far", DRX_EOVERFLOW, drx_extend(a, 0, INT64_MAX));
    wrong += drx_shape(a)[0] != 4; /* what fails changes nothing */
    wrong += expect("Close after writing: check the status", DRX_OK, drx_close(a));
    wrong += expect("Read all of it", DRX_OK, sum("sheet", &total));
    return wrong || total != 6;
}
