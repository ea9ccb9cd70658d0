/* What Global Arrays' own library and the drop-in both do. Usage: dra_same [PART ...] */
#include "dra_testing.h"

void calls(void), sections(void), requests(void), fortran_calls(void);
void reopen_write(void), reopen_change(void), reopen_read(void), reopen_delete(void);

static const struct part parts[] = {
    { "calls", calls, ANY_RANKS },       { "sections", sections, ANY_RANKS },
    { "requests", requests, ANY_RANKS }, { "fortran", fortran_calls, ANY_RANKS },
    { "write", reopen_write, 0 },        { "change", reopen_change, 0 },
    { "read", reopen_read, 0 },          { "delete", reopen_delete, 0 },
};

int main(int argc, char **argv)
{
    return run_parts(argc, argv, parts, sizeof parts / sizeof *parts);
}
