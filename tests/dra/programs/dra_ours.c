/* What only the drop-in does. Usage: dra_ours [PART ...] */
#include "dra_testing.h"

void bad(void), better(void), copy(void), async(void), fortran_ours(void), chunks(void), full(void), memory(void);
void shared(void), failing(void), ordered(void), meeting(void);

static const struct part parts[] = {
    { "bad", bad, ANY_RANKS },
    { "better", better, ANY_RANKS },
    { "copy", copy, ANY_RANKS },
    { "async", async, 3 },
    { "fortran", fortran_ours, ANY_RANKS },
    { "chunks", chunks, ANY_RANKS },
    { "shared", shared, ANY_RANKS },
    { "failing", failing, ANY_RANKS },
    { "ordered", ordered, ANY_RANKS },
    { "meeting", meeting, ANY_RANKS },
    { "full", full, 0 },
    { "memory", memory, 0 },
};

int main(int argc, char **argv)
{
    return run_parts(argc, argv, parts, sizeof parts / sizeof *parts);
}
