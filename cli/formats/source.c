#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arrays/slabs.h"
#include "formats/h5/h5.h"
#include "frame/cli.h"

static const char expected[] =
    "give a file of NumPy (.npy), netCDF, HDF5 or Disk Resident Arrays (.info), or --raw with drx import";

bool source_set_name(struct source *s, const char *name)
{
    free(s->name);
    free(s->label);
    s->label = NULL;
    s->name = strdup(name);
    if (s->name && asprintf(&s->label, "%s:%s", s->file, name) >= 0)
        return true;
    s->label = NULL;
    return !out_of_memory((int64_t)strlen(name));
}

bool source_take_only(struct source *s, int n, const char *list, const char *what)
{
    if (n == 1)
        return source_set_name(s, list);
    return n == 0 ? !failed("%s: has no %s of its own, only coordinates; give SOURCE:NAME", s->file, what)
                  : !failed("%s: has %d %ss; give SOURCE:NAME with one of %s", s->file, n, what, list);
}

bool source_has_none(const struct source *s, const char *list, const char *what)
{
    return !failed("%s: no %s '%s'%s%s", s->file, what, s->name, list[0] ? "; give one of " : "", list);
}

void source_take_fill(struct source *s, const char *name, drx_type type, const void *values, int64_t n)
{
    if (!convert_value(type, values, s->type, s->fill)) {
        warn("%s: %s is not a value of type %s and is ignored as fill value", s->label, name, drx_type_name(s->type));
        return;
    }
    if (n > 1)
        warn("%s: %s has %lld values; the first is the fill value", s->label, name, (long long)n);
    s->fill_name = name;
}

static bool is_there(const char *file)
{
    return access(file, F_OK) == 0 || dra_is_file(file);
}

/* Split at the last colon before which there is the name of a file. */
static bool split(struct source *s, const char *word)
{
    char *colon;

    s->file = strdup(word);
    s->label = strdup(strcmp(word, "-") == 0 ? "standard input" : word);
    if (!s->file || !s->label)
        return !out_of_memory((int64_t)strlen(word));
    if (strcmp(word, "-") == 0 || is_there(word))
        return true;
    for (colon = strrchr(s->file, ':'); colon; colon = strrchr(s->file, ':')) {
        *colon = '\0';
        if (s->file[0] && is_there(s->file))
            return source_set_name(s, word + (colon - s->file) + 1);
    }
    return !failed("%s: no such file; %s, followed by :VARIABLE if it holds several", word, expected);
}

static const struct source_kind *kind_of_bytes(const char *file, const char *begin, size_t n)
{
    if (n >= 6 && memcmp(begin, "\x93NUMPY", 6) == 0)
        return &npy_source;
    if (n >= 4 && memcmp(begin, "CDF", 3) == 0 && strchr("\1\2\5", begin[3]) && begin[3])
        return &nc_source;
    if (h5_is_file(file))
        return h5_is_netcdf(file) ? &nc_source : &h5_source;
    return dra_is_file(file) ? &dra_source : NULL;
}

static const struct source_kind *kind_of(const struct source *s)
{
    const struct source_kind *kind = NULL;
    struct stat file;
    char begin[8];
    ssize_t n;
    int fd;

    if (strcmp(s->file, "-") == 0)
        return &npy_source;
    if (access(s->file, F_OK) != 0) /* but there is F.info */
        return &dra_source;
    fd = open(s->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO is not waited for */
    if (fd < 0 || fstat(fd, &file) != 0) {
        (void)failed_errno(s->file, "open");
    } else if (S_ISDIR(file.st_mode)) {
        (void)failed("%s: is a folder; %s", s->file, expected);
    } else if (!S_ISREG(file.st_mode)) {
        kind = &npy_source; /* which cannot be known before it is read */
    } else {
        n = pread(fd, begin, sizeof begin, 0);
        kind = kind_of_bytes(s->file, begin, n < 0 ? 0 : (size_t)n);
        if (!kind && n < 0)
            (void)failed_errno(s->file, "read");
        else if (!kind)
            (void)failed("%s: import does not know this kind of file; %s", s->file, expected);
    }
    if (fd >= 0)
        (void)close(fd);
    return kind;
}

static bool open_kind(struct source *s)
{
    for (int j = 0; j < DRX_MAX_NDIM; j++)
        s->chunk[j] = 1;
    if (s->kind->open(s))
        return true;
    source_close(s);
    return false;
}

bool source_open(struct source *s, const char *word, const struct raw *raw)
{
    memset(s, 0, sizeof *s);
    s->raw = raw;
    if (split(s, word))
        s->kind = raw ? &raw_source : kind_of(s);
    if (s->kind)
        return open_kind(s);
    source_close(s);
    return false;
}

bool source_open_other(struct source *s, const struct source *of, const char *name)
{
    memset(s, 0, sizeof *s);
    s->kind = of->kind;
    s->file = strdup(of->file);
    if (s->file && source_set_name(s, name))
        return open_kind(s);
    source_close(s);
    return false;
}

void source_close(struct source *s)
{
    if (s->kind)
        s->kind->close(s);
    for (int j = 0; j < DRX_MAX_NDIM; j++)
        free(s->dims[j]);
    free(s->file);
    free(s->name);
    free(s->label);
    memset(s, 0, sizeof *s);
}

bool source_read(struct source *s, const int64_t lo[], const int64_t count[], void *buf)
{
    const size_t bytes = drx_type_size(s->type);
    char *at = buf;

    if (!s->kind->read(s, lo, count, buf))
        return false;
    for (int64_t i = s->has_own_fill ? box_bytes(s->ndim, count, 1) : 0; i > 0; i--, at += bytes)
        if (memcmp(at, s->own_fill, bytes) == 0)
            memcpy(at, s->fill, bytes);
    return true;
}

void source_set_fill(struct source *s, const void *fill)
{
    const size_t bytes = drx_type_size(s->type);

    s->has_own_fill = s->fill_name && memcmp(s->fill, fill, bytes) != 0;
    memcpy(s->own_fill, s->fill, bytes);
    memcpy(s->fill, fill, bytes);
    if (!s->fill_name)
        s->fill_name = "--fill";
}
