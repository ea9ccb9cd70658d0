/* make_tree SEED DATASET FILE: a random tree of groups, for tests of programs. */
#include "nc_tree.h"

int main(int argc, char **argv)
{
    uint64_t random = argc == 4 ? strtoull(argv[1], NULL, 0) : 0;
    struct tree t;

    if (argc == 4)
        tree_make(argv[2], argv[3], &random, &t);
    return argc != 4;
}
