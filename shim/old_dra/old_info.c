#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "old_parts.h"

enum { INFO_BYTES = 8192, WORD_BYTES = 32, MOST_FILES = 1 << 16 }; /* an F.info of 32 axes has less than 1500 bytes */

/* What is left of the text. */
struct info {
    const struct old_file *of;
    const char *at;
    int line;
};

static const struct {
    int64_t code; /* of Global Arrays, for C */
    drx_type type;
} types[] = {
    { 1001, DRX_INT32 },   { 1002, DRX_INT64 },     { 1003, DRX_FLOAT32 },
    { 1004, DRX_FLOAT64 }, { 1006, DRX_COMPLEX64 }, { 1007, DRX_COMPLEX128 },
};

drx_status old_fail_errno(const char *path, const char *what)
{
    const drx_status st = errno == ENOENT ? DRX_ENOENT : errno == EACCES ? DRX_EACCES : DRX_EIO;

    return shim_fail(st, "%s: %s: %s", path, what, strerror(errno));
}

drx_status old_out_of_memory(const char *path)
{
    return shim_fail(DRX_ENOMEM, "%s: out of memory", path);
}

static drx_status wrong(const struct info *info, const char *what, const char *word, const char *expected)
{
    return shim_fail(DRX_EFORMAT, "%s.info:%d: '%s' as the %s, expected %s in a file of Disk Resident Arrays",
                     info->of->path, info->line, word, what, expected);
}

/* The next word, cut short; enough is left to see that it is not a number. */
static void next_word(struct info *info, char word[WORD_BYTES])
{
    size_t n = 0;

    for (; isspace((unsigned char)*info->at); info->at++)
        info->line += *info->at == '\n';
    for (; *info->at && !isspace((unsigned char)*info->at); info->at++)
        if (n < WORD_BYTES - 1)
            word[n++] = isprint((unsigned char)*info->at) ? *info->at : '?';
    word[n] = '\0';
}

/* The next number, from lo to hi. */
static drx_status take(struct info *info, const char *what, int64_t lo, int64_t hi, int64_t *out)
{
    char word[WORD_BYTES], expected[80];
    char *end;

    next_word(info, word);
    errno = 0;
    *out = strtoll(word, &end, 10);
    if (word[0] && !*end && !errno && *out >= lo && *out <= hi)
        return DRX_OK;
    if (hi == INT64_MAX)
        (void)snprintf(expected, sizeof expected, "a number from %lld on", (long long)lo);
    else if (lo == hi)
        (void)snprintf(expected, sizeof expected, "%lld", (long long)lo);
    else
        (void)snprintf(expected, sizeof expected, "a number from %lld to %lld", (long long)lo, (long long)hi);
    return wrong(info, what, word, expected);
}

static drx_status take_type(struct info *info, drx_type *out)
{
    int64_t code;
    const drx_status st = take(info, "type", 0, INT64_MAX, &code);
    char word[WORD_BYTES];

    if (st)
        return st;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].code == code) {
            *out = types[i].type;
            return DRX_OK;
        }
    (void)snprintf(word, sizeof word, "%lld", (long long)code);
    return wrong(info, "type", word, "1001, 1002, 1003, 1004, 1006 or 1007 (int to double complex)");
}

static drx_status take_shape(struct info *info, struct old_file *f)
{
    char what[40];
    int64_t n;
    drx_status st = take(info, "number of dimensions", 1, DRX_MAX_NDIM, &n);

    f->ndim = st ? 0 : (int)n;
    for (int j = f->ndim - 1; j >= 0 && !st; j--) {
        (void)snprintf(what, sizeof what, "extent of dimension %d", f->ndim - j);
        st = take(info, what, 1, INT64_MAX, &f->shape[j]);
    }
    return st;
}

static drx_status take_layout(struct info *info, struct old_file *f)
{
    char what[40];
    int64_t n;
    drx_status st = take(info, "layout", 1, 1, &n); /* by columns; no version writes another one */

    for (int j = f->ndim - 1; j >= 0 && !st; j--) {
        (void)snprintf(what, sizeof what, "extent of blocks in dimension %d", f->ndim - j);
        st = take(info, what, 1, f->shape[j], &f->block[j]);
    }
    if (!st)
        st = take(info, "number of files", 1, MOST_FILES, &n);
    f->files = st ? 0 : (int)n;
    if (!st) /* each file is written by one process */
        st = take(info, "number of I/O processes", f->files > 1 ? n : 1, f->files > 1 ? n : INT64_MAX, &n);
    return st;
}

/* The second line, which tells that the first one is whole. */
static drx_status take_name(struct info *info, struct old_file *f)
{
    size_t n;

    info->at += strcspn(info->at, "\n");
    if (!*info->at)
        return shim_fail(DRX_EFORMAT, "%s.info:%d: ends here, expected another line, with the array's name", f->path,
                         info->line);
    n = strcspn(++info->at, "\n");
    if (n >= sizeof f->name)
        n = sizeof f->name - 1;
    memcpy(f->name, info->at, n);
    while (n > 0 && isspace((unsigned char)f->name[n - 1]))
        n--;
    f->name[n] = '\0';
    return DRX_OK;
}

static drx_status check_bytes(const struct old_file *f)
{
    int64_t bytes = (int64_t)drx_type_size(f->type);

    for (int j = 0; j < f->ndim; j++)
        if (__builtin_mul_overflow(bytes, f->shape[j], &bytes))
            return shim_fail(DRX_EOVERFLOW, "%s.info: the dimensions give a size that does not fit 64 bits", f->path);
    return DRX_OK;
}

static drx_status parse(struct old_file *f, const char *text)
{
    struct info info = { .of = f, .at = text, .line = 1 };
    drx_status st = take_shape(&info, f);

    if (!st)
        st = take_type(&info, &f->type);
    if (!st)
        st = take_layout(&info, f);
    if (!st)
        st = take_name(&info, f);
    return st ? st : check_bytes(f);
}

drx_status old_info_read(struct old_file *f)
{
    char name[4096], text[INFO_BYTES];
    ssize_t n;
    int fd;

    if ((size_t)snprintf(name, sizeof name, "%s.info", f->path) >= sizeof name)
        return shim_fail(DRX_ENOENT, "%.200s…: has a longer name than the system takes", f->path);
    fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO is not waited for */
    if (fd < 0)
        return old_fail_errno(name, "open");
    n = pread(fd, text, sizeof text - 1, 0);
    if (n < 0)
        (void)old_fail_errno(name, "read");
    (void)close(fd);
    if (n < 0)
        return DRX_EIO;
    text[n] = '\0';
    return parse(f, text);
}
