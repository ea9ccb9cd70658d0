/* Files of Disk Resident Arrays of Global Arrays as sources: one array each. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/source.h"
#include "old_file.h"

static const char suffix[] = ".info";

static bool has_suffix(const char *file)
{
    const size_t n = strlen(file), m = strlen(suffix);

    return n > m && strcmp(file + n - m, suffix) == 0;
}

bool dra_is_file(const char *file)
{
    return old_file_is_there(file) || (has_suffix(file) && access(file, F_OK) == 0);
}

/* F, of F or F.info; to be freed. */
static char *dra_path(const char *file)
{
    return has_suffix(file) && !old_file_is_there(file) ? strndup(file, strlen(file) - strlen(suffix)) : strdup(file);
}

static bool open_file(struct source *s, const char *path)
{
    if (!old_file_open(s->state, path))
        return true;
    return !failed("%s", drx_last_error());
}

static bool open_dra(struct source *s)
{
    struct old_file *f = calloc(1, sizeof *f);
    char *path = dra_path(s->file);
    bool good = f && path;

    s->state = f;
    if (!good)
        (void)out_of_memory(sizeof *f);
    else if (s->name)
        good = failed("%s: holds one array; remove ':%s'", s->file, s->name) == DONE;
    else
        good = open_file(s, path);
    free(path);
    if (!good)
        return false;
    s->type = f->type;
    s->ndim = f->ndim;
    memcpy(s->shape, f->shape, sizeof s->shape);
    memcpy(s->chunk, f->block, sizeof s->chunk);
    if (f->files == 1)
        s->chunk[0] = 1; /* any part of a block along it is contiguous */
    return true;
}

static void close_dra(struct source *s)
{
    if (s->state)
        old_file_close(s->state);
    free(s->state);
}

static bool read_dra(struct source *s, const int64_t lo[], const int64_t count[], void *buf)
{
    int64_t stride[DRX_MAX_NDIM];

    old_file_strides(s->state, count, DRX_ROW_MAJOR, stride);
    if (!old_file_read(s->state, lo, count, stride, buf))
        return true;
    return !failed("%s", drx_last_error());
}

/* The only attribute is the name. */
static int copy_name(const struct source *s, drx_array *a, const char *path)
{
    struct old_file *f = s->state;

    return f->name[0] ? exit_code(path, keep_text(&(struct keeping){ .to.array = a, .label = path }, "name", f->name,
                                                  strlen(f->name)))
                      : DONE;
}

const struct source_kind dra_source = { open_dra, close_dra, read_dra, copy_name, NULL, NULL };
