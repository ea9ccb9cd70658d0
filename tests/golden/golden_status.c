/* golden_status -a PATH ... - what drx_open says of each array, for reading and for writing.
 * golden_status PATH ... - what the library says of each dataset, as of its last commit, of each one before, checked,
 * and opened for writing; and of its variables:
 *
 *   read STATUS LAST REPORT     the last commit; 1 if damage is reported, else 0
 *   at COMMIT STATUS LAST REPORT
 *   check STATUS
 *   write STATUS LAST REPORT
 *   member NAME STATUS [ELEMENTS]   of opening it, and of reading all of it. The elements are row-major, in
 *   hexadecimal,
 *                                   little-endian; when they cannot be read at once, with the status of each */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <drx_dataset.h>

static const struct {
    drx_status status;
    const char *name;
} names[] = {
#define ENTRY(name, value, text) { DRX_##name, "DRX_" #name },
    DRX_STATUS_LIST(ENTRY)
#undef ENTRY
};

static const char *name(drx_status st)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].status == st)
            return names[i].name;
    return "no status";
}

/* The bytes that one number takes, of which an element has several, or one. */
static size_t part_bytes(drx_type type)
{
    const size_t item = drx_type_size(type);

    return DRX_IS_BYTES(type)                                ? 1
           : DRX_IS_UNICODE(type)                            ? 4
           : type == DRX_COMPLEX64 || type == DRX_COMPLEX128 ? item / 2
                                                             : item;
}

static void print_bytes(const drx_array *a, const unsigned char *p, size_t bytes)
{
    const size_t part = part_bytes(drx_dtype(a));

    printf(" ");
    for (size_t i = 0; i < bytes; i++)
        printf("%02x", p[__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i : i - i % part + part - 1 - i % part]);
}

/* Each of n elements alone. */
static void print_each(drx_array *a, int64_t n, unsigned char *buf)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t index[DRX_MAX_NDIM], rest = i;
        drx_status st;

        for (int j = drx_ndim(a) - 1; j >= 0; rest /= drx_shape(a)[j], j--)
            index[j] = drx_lower(a)[j] + rest % drx_shape(a)[j];
        st = drx_get(a, index, buf);
        if (st)
            printf(" %s", name(st));
        else
            print_bytes(a, buf, drx_type_size(drx_dtype(a)));
    }
}

static void print_elements(drx_array *a)
{
    const size_t item = drx_type_size(drx_dtype(a));
    int64_t n = 1;
    unsigned char *buf;
    drx_status st;

    for (int j = 0; j < drx_ndim(a); j++)
        n *= drx_shape(a)[j];
    buf = malloc((size_t)n * item + item);
    if (!buf)
        exit(1);
    st = drx_read(a, drx_lower(a), drx_shape(a), DRX_ROW_MAJOR, buf);
    printf(" %s", name(st));
    if (st)
        print_each(a, n, buf);
    else
        print_bytes(a, buf, (size_t)n * item);
    free(buf);
}

static void print_members(drx_dataset *ds, int elements)
{
    for (int i = 0; i < drx_dataset_count(ds); i++) {
        drx_array *a;
        const drx_status st = drx_dataset_array(ds, drx_dataset_name(ds, i), &a);

        printf("member %s", drx_dataset_name(ds, i));
        if (st || !elements)
            printf(" %s", name(st));
        else
            print_elements(a);
        printf("\n");
    }
}

/* The number of the last commit; -1: it cannot be opened. */
static int64_t print_opened(const char *path, int mode, int64_t at)
{
    drx_dataset *ds;
    const drx_status st = drx_dataset_open(path, mode, at, &ds);
    const int64_t last = st ? -1 : drx_dataset_last(ds);

    printf(" %s %" PRId64 " %d\n", name(st), last, drx_last_error()[0] != '\0');
    if (!st)
        print_members(ds, mode == DRX_RDONLY);
    (void)drx_dataset_close(ds);
    return last;
}

static void print_array(const char *path)
{
    drx_array *a;

    printf("%s ", name(drx_open(path, DRX_RDONLY, &a)));
    (void)drx_close(a);
    printf("%s\n", name(drx_open(path, DRX_RDWR, &a)));
    (void)drx_close(a);
}

int main(int argc, char **argv)
{
    const int arrays = argc > 1 && strcmp(argv[1], "-a") == 0;

    for (int i = 2; arrays && i < argc; i++)
        print_array(argv[i]);
    for (int i = 1; !arrays && i < argc; i++) {
        int64_t last;

        printf("read");
        last = print_opened(argv[i], DRX_RDONLY, DRX_LAST);
        for (int64_t at = 0; at < last; at++) {
            printf("at %" PRId64, at);
            (void)print_opened(argv[i], DRX_RDONLY, at);
        }
        printf("check %s\nwrite", name(drx_dataset_check(argv[i], NULL, NULL, NULL, NULL)));
        (void)print_opened(argv[i], DRX_RDWR, DRX_LAST);
    }
    return 0;
}
