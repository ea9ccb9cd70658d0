/* open_status PATH ... - print what drx_open says of each array, for reading and for writing. */
#include <stdio.h>

#include <drx.h>

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

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        drx_array *a;

        printf("%s ", name(drx_open(argv[i], DRX_RDONLY, &a)));
        (void)drx_close(a);
        printf("%s\n", name(drx_open(argv[i], DRX_RDWR, &a)));
        (void)drx_close(a);
    }
    return 0;
}
