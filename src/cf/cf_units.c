/* Units, by UDUNITS-2. It is not safe with threads, and prints what it does not understand: a lock is held and its
 * messages are off during each call. The database of units is read once and stays. */
#include "cf/cf.h"

#include <ctype.h>
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <udunits2.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ut_system *units; /* under the lock */
static ut_error_message_handler theirs;

/* The database that was unpacked together with the library, in the folder ../share of the library's own; or NULL. */
static ut_system *read_beside(void)
{
    Dl_info own;
    const char *slash;
    char *path;
    ut_system *found;

    if (getenv("UDUNITS2_XML_PATH") || !dladdr(&lock, &own) || !own.dli_fname)
        return NULL;
    slash = strrchr(own.dli_fname, '/');
    path = drxi_format("%.*s../share/xml/udunits/udunits2.xml", slash ? (int)(slash + 1 - own.dli_fname) : 0,
                       own.dli_fname);
    found = path ? ut_read_xml(path) : NULL;
    drxi_free(path);
    return found;
}

static drx_status enter_locale(void)
{
    (void)pthread_mutex_lock(&lock);
    theirs = ut_set_error_message_handler(ut_ignore);
    if (!units)
        units = ut_read_xml(NULL);
    if (!units)
        units = read_beside();
    return units ? DRX_OK
                 : drxi_fail(DRX_EUNSUPPORTED, "UDUNITS cannot read its database of units; set UDUNITS2_XML_PATH to "
                                               "where its udunits2.xml is");
}

static void leave_locale(void)
{
    (void)ut_set_error_message_handler(theirs);
    (void)pthread_mutex_unlock(&lock);
}

/* Under the lock. *unit is NULL: it is no unit. */
static drx_status parse(const char *text, size_t length, ut_unit **unit)
{
    char *copy;

    for (; length > 0 && isspace((unsigned char)*text); length--)
        text++;
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    copy = drxi_format("%.*s", (int)drxi_min(length, INT16_MAX), text);
    if (!copy)
        return drxi_fail(DRX_ENOMEM, "no memory for units");
    *unit = ut_parse(units, copy, UT_UTF8);
    drxi_free(copy);
    return !*unit && ut_get_status() == UT_OS ? drxi_fail(DRX_ENOMEM, "no memory for units") : DRX_OK;
}

drx_status drxi_units_seconds(const char *text, size_t length, double *seconds)
{
    drx_status st = enter_locale();
    ut_unit *unit = NULL, *second = NULL;

    *seconds = 0;
    if (st)
        goto out;
    st = parse(text, length, &unit);
    if (st)
        goto out;
    second = ut_get_unit_by_name(units, "second");
    if (unit && second && ut_are_convertible(unit, second)) {
        cv_converter *to_seconds = ut_get_converter(unit, second);

        *seconds = to_seconds ? cv_convert_double(to_seconds, 1) - cv_convert_double(to_seconds, 0) : 0;
        cv_free(to_seconds);
    }
out:
    ut_free(unit);
    ut_free(second);
    leave_locale();
    return st;
}

static drx_status no_unit(const drx_cf *cf, const drx_cf *other)
{
    return drxi_fail(DRX_EMISMATCH,
                     "%s: the units '%s' are no units that UDUNITS knows, so they cannot be compared with '%s'; give "
                     "both the same",
                     drxi_cf_label(cf), cf->units, other->units);
}

drx_status drxi_units_convert(const drx_cf *from, const drx_cf *to, int64_t n, drxi_cf_real values[], double *slope)
{
    drx_status st = enter_locale();
    ut_unit *have = NULL, *want = NULL;
    cv_converter *converter = NULL;

    if (st)
        goto out;
    st = parse(from->units, strlen(from->units), &have);
    if (!st)
        st = parse(to->units, strlen(to->units), &want);
    if (st)
        goto out;
    converter = have && want ? ut_get_converter(have, want) : NULL;
    if (!have || !want)
        st = have ? no_unit(to, from) : no_unit(from, to);
    else if (!converter)
        st = drxi_fail(DRX_EMISMATCH, "%s: the units '%s' cannot be converted to '%s'", drxi_cf_label(from),
                       from->units, to->units);
    if (st)
        goto out;
    for (int64_t i = 0; i < n; i++)
        values[i] = cv_convert_double(converter, (double)values[i]);
    *slope = fabs(cv_convert_double(converter, 1) - cv_convert_double(converter, 0));
    if (!isfinite(*slope)) /* a logarithm */
        *slope = 1;
out:
    cv_free(converter);
    ut_free(have);
    ut_free(want);
    leave_locale();
    return st;
}
