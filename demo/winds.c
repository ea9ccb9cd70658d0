/* A climate record kept in a DRX array, as it really grows. scripts/demo runs this.
 *
 *     winds grow FILE PATH            make the array PATH of the netCDF file's UWND, and prove it right
 *     winds outwards FILE PATH        the same from the middle outwards
 *     winds compare GROWN IMPORTED    compare two arrays of it
 *     winds relief FILE PATH          compare the array PATH with the netCDF file's ROSE
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "demo.h"

static void tell_record(const struct source *s, const char *file)
{
    show_title("The record");
    printf("%s: %s in %s, the wind from west to east.\n", file, s->long_name, s->units);
    printf("%d months from January %d on, %d latitudes and %d longitudes every 2.5°: %s numbers.\n", MONTHS, FIRST_YEAR,
           LATS, LONS, grouped((int64_t)MONTHS * LATS * LONS).s);
    printf("In such a file only time can grow. Here it becomes an array of which every axis grows.\n");
}

int main(int argc, char **argv)
{
    struct source s;

    if (argc == 4 && strcmp(argv[1], "grow") == 0) {
        load_source(&s, argv[2]);
        tell_record(&s, argv[2]);
        grow(&s, argv[3]);
        write_coordinates(&s);
        read_back(&s, argv[3]);
        show_title("What it takes on disk");
        show_sizes(argv[2], argv[3]);
        free_source(&s);
    } else if (argc == 4 && strcmp(argv[1], "outwards") == 0) {
        load_source(&s, argv[2]);
        grow_outwards(&s, argv[3]);
        free_source(&s);
    } else if (argc == 4 && strcmp(argv[1], "compare") == 0) {
        compare(argv[2], argv[3]);
    } else if (argc == 4 && strcmp(argv[1], "relief") == 0) {
        read_relief(argv[2], argv[3]);
    } else {
        fail("usage: winds grow FILE PATH | winds outwards FILE PATH | winds compare GROWN IMPORTED | winds relief "
             "FILE PATH");
    }
    if (fflush(stdout) != 0 || ferror(stdout))
        fail("cannot write to the standard output");
    return 0;
}
