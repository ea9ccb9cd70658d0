/* What drx_check or drx_repair has reported. */
#ifndef FINDINGS_H
#define FINDINGS_H

#include "drx_tools.h"
#include "testing.h"

static struct {
    int n[DRX_ERROR + 1];
    char text[1 << 14]; /* a line each */
} found;

static inline void note(void *user, drx_severity severity, const char *text)
{
    const size_t used = strlen(found.text);

    assert_in_range(severity, DRX_NOTE, DRX_ERROR);
    found.n[severity]++;
    (void)snprintf(found.text + used, sizeof found.text - used, "%s\n", text);
}

static inline drx_status check(const char *path)
{
    memset(&found, 0, sizeof found);
    return drx_check(path, note, NULL, NULL, NULL);
}

static inline drx_status repair(const char *path)
{
    memset(&found, 0, sizeof found);
    return drx_repair(path, note, NULL, NULL, NULL);
}

static inline void assert_told(const char *what)
{
    if (!strstr(found.text, what))
        fail_msg("\"%s\" expected in: %s", what, found.text);
}

/* This many notes, warnings and errors, and `what` among them. */
#define assert_found(notes, warnings, errors, what)                                                               \
    do {                                                                                                          \
        assert_told(what);                                                                                        \
        if (found.n[DRX_NOTE] != (notes) || found.n[DRX_WARNING] != (warnings) || found.n[DRX_ERROR] != (errors)) \
            print_error("%s", found.text);                                                                        \
        assert_int_equal(found.n[DRX_NOTE], notes);                                                               \
        assert_int_equal(found.n[DRX_WARNING], warnings);                                                         \
        assert_int_equal(found.n[DRX_ERROR], errors);                                                             \
    } while (0)

#endif
