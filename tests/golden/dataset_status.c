/* dataset_status PATH ... - what drx_dataset_open says of each dataset, for reading and for writing, and
 * drx_dataset_array of its members:
 *
 *   read STATUS LAST REPORT   the last commit; 1 if damage is reported, else 0
 *   member NAME STATUS HEX    as of the last commit: of opening it and reading all of it; the elements, row-major,
 *                             little-endian
 *   write STATUS
 *   member NAME STATUS */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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

static void print_elements(drx_array *a)
{
    const size_t item = drx_type_size(drx_dtype(a));
    size_t bytes = item;
    unsigned char *buf;
    drx_status st;

    for (int j = 0; j < drx_ndim(a); j++)
        bytes *= (size_t)drx_shape(a)[j];
    buf = malloc(bytes + 1);
    st = buf ? drx_read(a, drx_lower(a), drx_shape(a), DRX_ROW_MAJOR, buf) : DRX_ENOMEM;
    printf("%s ", name(st));
    for (size_t i = 0; !st && i < bytes; i++)
        printf("%02x", buf[__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i : i - i % item + item - 1 - i % item]);
    printf("\n");
    free(buf);
}

static void print_members(drx_dataset *ds, int elements)
{
    for (int i = 0; i < drx_dataset_count(ds); i++) {
        drx_array *a;
        const drx_status st = drx_dataset_array(ds, drx_dataset_name(ds, i), &a);

        printf("member %s ", drx_dataset_name(ds, i));
        if (st || !elements)
            printf("%s\n", name(st));
        else
            print_elements(a);
    }
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        drx_dataset *ds;
        drx_status st = drx_dataset_open(argv[i], DRX_RDONLY, DRX_LAST, &ds);

        printf("read %s %" PRId64 " %d\n", name(st), st ? -1 : drx_dataset_last(ds), drx_last_error()[0] != '\0');
        if (!st)
            print_members(ds, 1);
        (void)drx_dataset_close(ds);
        st = drx_dataset_open(argv[i], DRX_RDWR, DRX_LAST, &ds);
        printf("write %s\n", name(st));
        if (!st)
            print_members(ds, 0);
        (void)drx_dataset_close(ds);
    }
    return 0;
}
