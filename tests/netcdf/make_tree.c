/* make_tree SEED HIDE DATASET FILE: a random tree of groups, for tests of programs. HIDE: 1 or 0 (nc_tree.h). */
#include "nc_tree.h"

int main(int argc, char **argv)
{
    uint64_t random = argc == 5 ? strtoull(argv[1], NULL, 0) : 0;
    struct tree t;

    if (argc == 5)
        tree_make(argv[3], argv[4], *argv[2] == '1', &random, &t);
    return argc != 5;
}
