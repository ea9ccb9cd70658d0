/* A user of the installed library libdrx, compiled as C and as C++. */
#include <drx.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    const int64_t shape[] = { 2, 3 };
    const int64_t index[] = { 4, 2 };
    double value = 42, found = 0;
    drx_array *a;
    drx_spec spec;
    char version[32];

    snprintf(version, sizeof version, "%d.%d.%d", DRX_VERSION_MAJOR, DRX_VERSION_MINOR, DRX_VERSION_PATCH);
    if (strcmp(version, drx_version()) != 0)
        return 1;

    memset(&spec, 0, sizeof spec);
    spec.ndim = 2;
    spec.type = DRX_FLOAT64;
    spec.shape = shape;
    if (drx_create(NULL, &spec, &a) || drx_extend(a, 0, 3) || drx_put(a, index, &value) || drx_get(a, index, &found) ||
        drx_close(a)) {
        fprintf(stderr, "%s\n", drx_last_error());
        return 1;
    }
    return found == value ? 0 : 1;
}
