/* What Global Arrays' own library and the drop-in both do. Usage: dra_same [PART ...] */
#include "dra_testing.h"

void calls(void), store(void), fortran_calls(void);

static void histories(void)
{
    play_histories(NULL);
}

static const struct part parts[] = {
    { "calls", calls, ANY_RANKS },
    { "histories", histories, ANY_RANKS },
    { "fortran", fortran_calls, ANY_RANKS },
    { "store", store, 0 },
};

int main(int argc, char **argv)
{
    return run_parts(argc, argv, parts, sizeof parts / sizeof *parts);
}
