
#include "arrays.h"

#include "frame/team.h"

enum { MOST_BITS = 52 };

bool take_keep_bits(const char *what, char *text, void *out)
{
    struct rounding *r = out;
    int64_t bits;

    if (!parse_number(what, text, 1, &bits))
        return false;
    if (bits > MOST_BITS)
        return !misused("%s %s is too large; give 1 to 10 for float16, to 23 for single precision, to %d for double",
                        what, text, MOST_BITS);
    r->bits = (int)bits;
    return true;
}

int round_elements(struct rounding *r, const char *label, drx_type type, const void *fill, int64_t n, void *elements)
{
    return r->bits ? exit_code(label, drx_keep_bits(type, r->bits, fill, n, elements, &r->told)) : DONE;
}

int check_rounding(const struct rounding *r, const char *label, drx_type type)
{
    const drx_status st = r->bits ? drx_keep_bits(type, r->bits, NULL, 0, NULL, NULL) : DRX_OK;

    if (st == DRX_EINVAL)
        return failed(
            "%s: has elements of %s; --keep-bits rounds floating-point ones, to 1 to 10 bits in float16, 23 in single "
            "and 52 in double precision",
            label, drx_type_name(type));
    return exit_code(label, st);
}

void tell_rounding(struct rounding *r, const char *label)
{
    double most[] = { r->told.largest, r->told.relative };

    if (!r->bits)
        return;
    take_largest(most, 2);
    if (team_rank() == 0)
        put("%s: rounded to %d bits; the largest error is %.3g, the largest relative error %.3g\n", label, r->bits,
            most[0], most[1]);
}
