/* Messages on standard error, and standard output whose errors are kept. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "team.h"

static const char *verb_name;
static const char *soft_end; /* NULL: errors are errors */
static bool quiet;
static int put_error; /* errno of the first failure on standard output */

void set_verb(const char *name)
{
    verb_name = name;
}

static void flush_output(void)
{
    if (fflush(stdout) != 0 && !put_error)
        put_error = errno;
}

static __attribute__((format(printf, 3, 0))) void message(const char *before, const char *after, const char *format,
                                                          va_list args)
{
    char *text = NULL, *shown = NULL, *line = NULL;

    if (quiet)
        return;
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    else
        shown = visible_text(text, strlen(text));
    if (!shown || asprintf(&line, "drx%s%s: %s%s%s\n", verb_name ? " " : "", verb_name ? verb_name : "", before, shown,
                           after) < 0)
        line = NULL;
    flush_output();
    hide_progress();
    say(line ? line : "drx: out of memory\n");
    free(line);
    free(shown);
    free(text);
}

int failed(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    message(soft_end ? "warning: " : "", soft_end ? soft_end : "", format, args);
    va_end(args);
    return FAILED;
}

void soften_messages(const char *end)
{
    soft_end = end;
}

bool quiet_messages(bool on)
{
    const bool before = quiet;

    quiet = on;
    return before;
}

void warn(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    message("warning: ", "", format, args);
    va_end(args);
}

int failed_drx(const char *path, drx_status st)
{
    return failed_why(path, drx_last_error()[0] ? drx_last_error() : drx_strerror(st), "");
}

int failed_why(const char *path, const char *detail, const char *more)
{
    const char *colon = strrchr(path, ':');
    const size_t n = strlen(path), name = colon ? strlen(colon + 1) : 0;

    if (strncmp(detail, path, n) == 0 && strchr(":./", detail[n])) /* names the array or a file of it */
        return failed("%s%s", detail, more);
    if (name && strncmp(detail, colon + 1, name) == 0 && strncmp(detail + name, ": ", 2) == 0) /* FILE:NAME */
        detail += name + 2;
    return failed("%s: %s%s", path, detail, more);
}

int exit_code(const char *path, drx_status st)
{
    return st ? failed_drx(path, st) : DONE;
}

/* Which folder in the path is missing, in words, to be freed; NULL: none. */
static char *why_no_folder(const char *path)
{
    const char *slash = *path && !strstr(path, "://") ? strchr(path + 1, '/') : NULL;

    for (; slash; slash = strchr(slash + 1, '/')) {
        char *folder = strndup(path, (size_t)(slash - path)), *why = NULL;
        struct stat status;
        int written = 0;

        if (folder && stat(folder, &status) == 0)
            written = S_ISDIR(status.st_mode) ? 0 : asprintf(&why, "%s is not a folder", folder);
        else if (folder && errno == ENOENT)
            written = asprintf(&why, "the folder %s does not exist", folder);
        free(folder);
        if (written > 0)
            return why;
    }
    return NULL;
}

int no_such(const char *path, const char *what)
{
    char *why = why_no_folder(path);

    if (why)
        (void)failed("%s: %s", path, why);
    else
        (void)failed("%s: no such %s", path, what);
    free(why);
    return FAILED;
}

void say_why(const char *path, const char *what, char *text, size_t text_bytes)
{
    const int error = errno;
    char *why = error == ENOENT || error == ENOTDIR ? why_no_folder(path) : NULL;

    if (why)
        (void)snprintf(text, text_bytes, "%s", why);
    else if (error == ENOENT && *path)
        (void)snprintf(text, text_bytes, "no such file");
    else
        (void)snprintf(text, text_bytes, "cannot %s: %s", what, strerror(error));
    free(why);
}

int failed_errno(const char *path, const char *what)
{
    char why[PATH_MAX + 64];

    say_why(path, what, why, sizeof why);
    return failed("%s: %s", path, why);
}

int out_of_memory(int64_t bytes)
{
    return failed("out of memory (%lld bytes wanted)", (long long)bytes);
}

void put(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (vfprintf(team_output(), format, args) < 0 && !put_error)
        put_error = errno;
    va_end(args);
}

void put_visible(const char *text)
{
    char *shown = visible_text(text, strlen(text));

    put("%s", shown ? shown : "(out of memory)");
    free(shown);
}

bool put_failed(void)
{
    return put_error != 0;
}

int finish_output(int status)
{
    flush_output();
    if (!put_error)
        return status;
    errno = put_error;
    if (put_error != EPIPE)
        (void)failed_errno("standard output", "write");
    return status ? status : FAILED;
}
