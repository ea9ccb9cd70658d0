#include "image.h"

#include "testing.h"

void change_free(struct change *c)
{
    free(c->bytes);
    free(c->name);
    free(c->other);
    free(c);
}

int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? (int)(slash + 1 - path) : 0;
}

bool same_folder(const char *a, const char *b)
{
    const int n = folder_length(a);

    return n == folder_length(b) && memcmp(a, b, (size_t)n) == 0;
}

bool is_below(const char *path, const char *folder)
{
    const size_t n = strlen(folder);

    return strncmp(path, folder, n) == 0 && path[n] == '/';
}

static void have_room(struct image_file *f, int64_t n)
{
    int64_t room = f->room ? f->room : 256;

    if (n <= f->room)
        return;
    while (room < n)
        room *= 2;
    f->bytes = realloc(f->bytes, (size_t)room);
    assert_non_null(f->bytes);
    memset(f->bytes + f->room, 0, (size_t)(room - f->room));
    f->room = room;
}

int image_new_file(struct image *im)
{
    im->file = realloc(im->file, (size_t)(im->files + 1) * sizeof *im->file);
    assert_non_null(im->file);
    memset(&im->file[im->files], 0, sizeof *im->file);
    return im->files++;
}

void image_write(struct image *im, int file, const uint8_t *bytes, int64_t n, int64_t offset)
{
    struct image_file *f = &im->file[file];

    have_room(f, offset + n);
    if (n > 0)
        memcpy(f->bytes + offset, bytes, (size_t)n);
    f->n = offset + n > f->n ? offset + n : f->n;
}

void image_resize(struct image *im, int file, int64_t n)
{
    struct image_file *f = &im->file[file];

    have_room(f, n);
    if (n < f->n)
        memset(f->bytes + n, 0, (size_t)(f->n - n));
    f->n = n;
}

static int find_name(const struct image *im, const char *path)
{
    for (int i = 0; i < im->names; i++)
        if (strcmp(im->name[i].path, path) == 0)
            return i;
    return -1;
}

int image_find(const struct image *im, const char *path)
{
    const int i = find_name(im, path);

    return i < 0 ? -1 : im->name[i].file;
}

static void set_name(struct image *im, const char *path, int file)
{
    const int i = find_name(im, path);

    if (i >= 0) {
        im->name[i].file = file;
        return;
    }
    im->name = realloc(im->name, (size_t)(im->names + 1) * sizeof *im->name);
    assert_non_null(im->name);
    im->name[im->names++] = (struct image_name){ strdup(path), file };
}

static void drop_name(struct image *im, const char *path)
{
    const int i = find_name(im, path);

    assert_true(i >= 0);
    free(im->name[i].path);
    im->name[i] = im->name[--im->names];
}

void image_drop_below(struct image *im, const char *folder)
{
    for (int i = im->names - 1; i >= 0; i--)
        if (is_below(im->name[i].path, folder))
            drop_name(im, im->name[i].path);
}

void image_apply(struct image *im, const struct change *c)
{
    if (c->kind == WRITE || c->kind == RESIZE || c->kind == LINK)
        while (im->files <= c->file)
            (void)image_new_file(im);
    switch (c->kind) {
    case WRITE:
        image_write(im, c->file, c->bytes, c->n, c->offset);
        break;
    case RESIZE:
        image_resize(im, c->file, c->n);
        break;
    case LINK:
        set_name(im, c->name, c->file);
        break;
    case RENAME:
        set_name(im, c->other, image_find(im, c->name));
        drop_name(im, c->name);
        break;
    case REMOVE:
        drop_name(im, c->name);
        break;
    default:
        break;
    }
}

void image_copy(const struct image *from, struct image *to)
{
    memset(to, 0, sizeof *to);
    while (to->files < from->files)
        (void)image_new_file(to);
    for (int i = 0; i < from->names; i++) {
        const int file = from->name[i].file;

        set_name(to, from->name[i].path, file);
        if (to->file[file].n == 0)
            image_write(to, file, from->file[file].bytes, from->file[file].n, 0);
    }
}

static uint64_t hash(uint64_t h, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    uint64_t word;

    for (; n >= sizeof word; n -= sizeof word, p += sizeof word) {
        memcpy(&word, p, sizeof word);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    for (; n > 0; n--)
        h = (h ^ *p++) * 0x100000001b3u;
    return h ^ h >> 32;
}

/* The order of the names does not matter. */
uint64_t image_hash(const struct image *im)
{
    uint64_t sum = 0;

    for (int i = 0; i < im->names; i++) {
        const struct image_file *f = &im->file[im->name[i].file];
        const uint64_t h = hash(14695981039346656037u, im->name[i].path, strlen(im->name[i].path));

        sum += hash(h + (uint64_t)f->n, f->bytes, (size_t)f->n);
    }
    return sum;
}

void image_free(struct image *im)
{
    for (int i = 0; i < im->files; i++)
        free(im->file[i].bytes);
    for (int i = 0; i < im->names; i++)
        free(im->name[i].path);
    free(im->file);
    free(im->name);
    memset(im, 0, sizeof *im);
}
