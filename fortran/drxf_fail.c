/* What went wrong, for drx_last_error. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "drxf.h"

drx_status drxf_fail(drx_status st, const char *format, ...)
{
    char detail[1024];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    return drx_fail(st, detail);
}

/* The letters of the file's name that are the array's; 0: it has not that ending. */
static int without(const char *file, const char *ending)
{
    const size_t n = file ? strlen(file) : 0, end = strlen(ending);

    return n > end && strcmp(file + n - end, ending) == 0 ? (int)(n - end) : 0;
}

/* A process of a job may have the metadata in memory alone; then the data tell the name. */
static int name_of(const drx_array *a, const char **file)
{
    static const char *const endings[] = { ".xmd", ".xta", ".xtz" };

    for (int i = 0; a && i < 2; i++) {
        *file = drx_file(a, i);
        for (size_t j = 0; j < sizeof endings / sizeof *endings; j++)
            if (without(*file, endings[j]))
                return without(*file, endings[j]);
    }
    return 0;
}

drx_status drxf_fail_of(const drx_array *a, drx_status st, const char *format, ...)
{
    const char *file;
    const int letters = name_of(a, &file);
    char detail[700];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    if (!letters)
        return drxf_fail(st, "%s", detail);
    return drxf_fail(st, "%.*s: %s", letters, file, detail);
}

void drxf_keep(struct drxf_kept *kept, drx_status st)
{
    kept->st = st;
    (void)snprintf(kept->detail, sizeof kept->detail, "%s", st ? drx_last_error() : "");
}

drx_status drxf_tell(const struct drxf_kept *kept, bool together, drx_status st)
{
    return kept->st ? drx_fail(together && st ? st : kept->st, kept->detail) : st;
}

/* Into a variable of characters, which is padded with blanks. 0: it is one. */
DRX_API int drxf_message(const CFI_cdesc_t *errmsg, const char *text)
{
    const size_t n = strlen(text);

    if (errmsg->rank || DRXF_KIND(errmsg->type) != DRXF_KIND(CFI_type_char))
        return 1;
    memset(errmsg->base_addr, ' ', errmsg->elem_len);
    memcpy(errmsg->base_addr, text, n < errmsg->elem_len ? n : errmsg->elem_len);
    return 0;
}

void (*drxf_stop_others)(void);

/* Before an error ends the program. */
DRX_API void drxf_stop(void)
{
    if (drxf_stop_others)
        drxf_stop_others();
}
