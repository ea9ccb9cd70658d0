/* Usage: ga_driver [PART ...]. The parts are described in their files. */
#include "ga_driver.h"

#include <stdlib.h>
#include <string.h>

void random_sections(void), groups(void), refused(void), broken(void), described(void), made(void), fortran(void);

static const struct part parts[] = {
    { "random", random_sections, ANY_RANKS },
    { "groups", groups, ANY_RANKS },
    { "refused", refused, ANY_RANKS },
    { "broken", broken, 4 },
    { "described", described, ANY_RANKS },
    { "made", made, ANY_RANKS },
#ifdef HAS_FORTRAN
    { "fortran", fortran, 4 },
#endif
};

void expect_refusal(drx_status got, drx_status expected, const char *detail, const char *what)
{
    expect_code(got, expected, what);
    if (!strstr(drx_last_error(), detail))
        wrong("%s: expected \"%s\"", what, detail);
}

drx_type drx_type_of(int ga_type)
{
    static const drx_type types[TYPES] = { DRX_INT32,     DRX_INT64,      DRX_FLOAT32, DRX_FLOAT64,
                                           DRX_COMPLEX64, DRX_COMPLEX128, DRX_INT64 };
    int i = 0;

    while (all_types[i] != ga_type)
        i++;
    return types[i];
}

void check_array(drx_array *a, const struct model *model, const char *what)
{
    unsigned char *found = malloc((size_t)model->count * model->element_bytes + 1);

    if (!found)
        wrong("no memory");
    succeed(drx_read(a, model->lower, model->dims, DRX_ROW_MAJOR, found));
    (void)compare(model, found, what);
    free(found);
}

int main(int argc, char **argv)
{
    explanation = drx_last_error;
    return run_parts(argc, argv, parts, sizeof parts / sizeof *parts);
}
