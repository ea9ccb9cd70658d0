/* make_types DATASET FILE: a dataset with types of its own, and a file of the same, for tests of programs. */
#include "nc_typed.h"

int main(int argc, char **argv)
{
    if (argc == 3)
        types_make(argv[1], argv[2]);
    return argc != 3;
}
