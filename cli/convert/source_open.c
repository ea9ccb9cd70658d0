/* Finds the file that a word means, and its kind. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arrays/select.h"
#include "files/paths.h"
#include "formats/h5/h5.h"

#define EXPECTED "give a file of NumPy (.npy), netCDF, HDF5 or Disk Resident Arrays (.info), or --raw with drx import"
static const char expected[] = EXPECTED;

static bool is_source_there(const char *file)
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
    if (strcmp(word, "-") == 0 || is_source_there(word))
        return true;
    for (colon = strrchr(s->file, ':'); colon; colon = strrchr(s->file, ':')) {
        *colon = '\0';
        if (s->file[0] && is_source_there(s->file))
            return source_set_name(s, word + (colon - s->file) + 1);
    }
    return !no_such(word, "file; " EXPECTED ", followed by :VARIABLE if it holds several");
}

static const struct source_kind *kind_of_bytes(const char *file, const char *begin, size_t n)
{
    if (n >= 6 && memcmp(begin, "\x93NUMPY", 6) == 0)
        return &npy_source;
    if (n >= 4 && memcmp(begin, "CDF", 3) == 0 && strchr("\1\2\5", begin[3]) && begin[3])
        return &nc_source;
    if (h5_is_file(file))
        return &h5_source;
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
    fd = open(s->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* does not wait for a FIFO */
    if (fd < 0 || fstat(fd, &file) != 0) {
        (void)failed_errno(s->file, "open");
    } else if (S_ISDIR(file.st_mode)) {
        (void)failed("%s: is a folder; %s", s->file, expected);
    } else if (!S_ISREG(file.st_mode)) {
        kind = &npy_source; /* a guess, since it can be read only once */
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

bool source_open(struct source *s, const char *word, const struct raw *raw)
{
    memset(s, 0, sizeof *s);
    s->raw = raw;
    if (split(s, word))
        s->kind = raw ? &raw_source : kind_of(s);
    if (s->kind)
        return source_open_kind(s);
    source_close(s);
    return false;
}

/* Is it an array of DRX, or a part of one; or one that a dataset may have had at a commit? */
static bool is_array_word(const char *word, int64_t commit)
{
    char *copy = strdup(word), *folder = NULL;
    struct selection part;
    const char *inside;
    bool is = false;

    if (copy) {
        split_selection(&part, copy, DRX_LAST);
        is = has_array(part.path);
        if (!is && commit != DRX_LAST && !names_group(part.path))
            is = (folder = dataset_above(part.path, &inside)) != NULL;
    }
    free(folder);
    free(copy);
    return is;
}

int source_open_any(struct source *s, const char *word, int64_t commit)
{
    struct stat file;

    if (is_array_word(word, commit))
        return source_open_array(s, word, commit);
    memset(s, 0, sizeof *s);
    if (commit != DRX_LAST)
        return failed("%s: --commit goes with a dataset, or an array of one", word);
    if (names_group(word))
        return no_array(word, "array or file");
    if (is_folder(word))
        return failed("%s: is a folder, not an array or a file", word);
    if (stat(word, &file) != 0 && strcmp(word, "-") != 0 && !strchr(word, ':'))
        return no_such(word, "array or file");
    return source_open(s, word, NULL) ? DONE : FAILED;
}
