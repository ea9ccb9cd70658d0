#include "paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frame/cli.h"
#include "frame/team.h"

static void release_target(struct target *target)
{
    if (target->fd > STDERR_FILENO)
        (void)close(target->fd);
    free(target->final);
    free(target->temporary);
    memset(target, 0, sizeof *target);
    target->fd = -1;
}

/* The permissions a new file gets. */
static mode_t usual_mode(void)
{
    const mode_t mask = umask(0);

    (void)umask(mask);
    return 0666 & ~mask;
}

/* A new file called like `first`, with other characters after it. */
static bool open_temporary(struct target *target, const char *first, mode_t mode)
{
    if (asprintf(&target->temporary, "%s.XXXXXX", first) < 0) {
        target->temporary = NULL;
        return false;
    }
    watch_interrupts(); /* before there is something to tidy up */
    target->fd = mkostemp(target->temporary, O_CLOEXEC);
    (void)snprintf(remains->temporary, PATH_MAX, "%s", target->temporary);
    if (target->fd >= 0 && fchmod(target->fd, mode) == 0)
        return true;
    if (target->fd >= 0)
        (void)unlink(target->temporary);
    return false;
}

bool open_target(struct target *target, const char *name)
{
    struct stat old;
    bool good, exists;

    memset(target, 0, sizeof *target);
    target->name = name;
    if (strcmp(name, "-") == 0) {
        target->name = "standard output";
        target->fd = STDOUT_FILENO;
        target->pipe = true;
        return true;
    }
    exists = stat(name, &old) == 0;
    if (!exists && lstat(name, &old) == 0)
        return !failed("%s: is a broken link; give a file or a new name", name);
    if (exists && !S_ISREG(old.st_mode)) {
        target->pipe = true;
        target->fd = open(name, O_WRONLY | O_CLOEXEC);
        good = target->fd >= 0;
    } else {
        target->final = exists ? realpath(name, NULL) : strdup(name);
        good = target->final && (!exists || access(name, W_OK) == 0) &&
               open_temporary(target, target->final, exists ? old.st_mode & 0777 : usual_mode());
    }
    if (good)
        return true;
    (void)failed_errno(name, "write");
    release_target(target);
    return false;
}

bool open_named_target(struct target *target, const char *name)
{
    const char *folder = getenv("TMPDIR");
    char *first = NULL;
    bool good;
    int pipe;

    if (!open_target(target, name))
        return false;
    pipe = target->pipe ? target->fd : -1;
    good = pipe < 0 || (asprintf(&first, "%s/drx", folder && *folder ? folder : "/tmp") >= 0 &&
                        open_temporary(target, first, S_IRUSR | S_IWUSR));
    if (!good)
        (void)failed_errno(first ? first : name, "make a temporary file");
    if (good)
        (void)close(target->fd);
    free(first);
    target->fd = pipe;
    if (!good)
        release_target(target);
    return good;
}

int write_target(const struct target *target, const void *bytes, size_t n)
{
    const char *at = bytes;

    while (n > 0 && !interrupted()) {
        const ssize_t written = write(target->fd, at, n);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return errno == EPIPE ? FAILED : failed_errno(target->name, "write");
        at += written;
        n -= (size_t)written;
    }
    return interrupted() ? FAILED : DONE;
}

/* Write to the pipe what the library made. */
static int pour_into_pipe(const struct target *target)
{
    FILE *made = fopen(target->temporary, "rb");
    int status = made ? DONE : failed_errno(target->temporary, "read");
    char some[1 << 16];
    size_t n;

    while (status == DONE && (n = fread(some, 1, sizeof some, made)) > 0)
        status = write_target(target, some, n);
    if (status == DONE && ferror(made))
        status = failed_errno(target->temporary, "read");
    if (made)
        (void)fclose(made);
    return status;
}

int close_target(struct target *target, int status)
{
    const char *name = target->name;

    if (target->temporary && status == DONE && target->pipe)
        status = pour_into_pipe(target);
    else if (target->temporary && status == DONE) {
        const bool closed = target->fd < 0 || close(target->fd) == 0;

        target->fd = -1;
        if (!closed || rename(target->temporary, target->final) != 0)
            status = failed_errno(name, "write");
    }
    if (target->temporary && (status != DONE || target->pipe))
        (void)unlink(target->temporary);
    release_target(target);
    return status;
}

/* Open what rank 0 has made. */
static int join(struct target *target, const char *temporary)
{
    if (target->pipe)
        return DONE;
    watch_interrupts();
    target->fd = open(temporary, O_WRONLY | O_CLOEXEC);
    return target->fd >= 0 ? DONE : failed_errno(target->name, "write");
}

bool open_shared_target(struct target *target, const char *name)
{
    struct {
        int status, pipe;
        char temporary[PATH_MAX];
    } made = { .status = DONE };

    if (team_rank() == 0) {
        made.status = open_target(target, name) ? DONE : FAILED;
        made.pipe = target->pipe;
        if (made.status == DONE && !made.pipe)
            (void)snprintf(made.temporary, sizeof made.temporary, "%s", target->temporary);
    } else {
        memset(target, 0, sizeof *target);
        target->name = name;
        target->fd = -1;
    }
    share_bytes(&made, sizeof made);
    if (team_rank() > 0 && made.status == DONE) {
        target->pipe = made.pipe;
        made.status = join(target, made.temporary);
    }
    if (agree(made.status) == DONE)
        return true;
    if (team_rank() > 0 || made.status == DONE)
        (void)close_target(target, FAILED);
    return false;
}

int close_shared_target(struct target *target, int status)
{
    if (team_rank() > 0 && target->fd >= 0 && close(target->fd) != 0 && status == DONE)
        status = failed_errno(target->name, "write");
    if (team_rank() > 0)
        target->fd = -1;
    return agree(close_target(target, agree(status)));
}
