#include "memory_disk.h"
#include "base/hooks.h"

#include <errno.h>
#include <unistd.h>

#include "testing.h"

enum { BLOCK_BYTES = 512 };

struct disk {
    struct image now;
    struct change **journal;
    int changes, room;
};

/* An open file. */
struct handle {
    drxi_io io;
    struct disk *disk;
    int file;
    enum { NAMED, PARKED, NAMELESS } name;
    char *other_name;    /* that it has when parked */
    struct handle *next; /* of those that hold a lock */
    bool together;       /* it is one of several writers */
};

static struct disk *current;
static struct handle *lockers;

static struct handle *of(drxi_io *io)
{
    return (struct handle *)io;
}

static const struct image_file *file_of(drxi_io *io)
{
    return &of(io)->disk->now.file[of(io)->file];
}

/* Where absolute paths of files on this disk begin: as on the real one. */
static const char *working_folder(void)
{
    static char folder[1024];

    if (!folder[0])
        assert_non_null(getcwd(folder, sizeof folder));
    return folder;
}

/* As names of an image are. */
static const char *plain(const char *path)
{
    const char *here = working_folder();

    if (strncmp(path, here, strlen(here)) == 0)
        path += strlen(here);
    while (*path == '/' || (path[0] == '.' && path[1] == '/'))
        path += *path == '.' ? 2 : 1;
    return path;
}

static char *copy_text(const char *text)
{
    return text ? strdup(text) : NULL;
}

/* Make a change, and note it; what it points to is copied. */
static void change(struct disk *d, struct change c)
{
    const uint8_t *bytes = c.bytes;

    c.name = copy_text(c.name);
    c.other = copy_text(c.other);
    if (c.kind == WRITE) {
        c.bytes = malloc((size_t)c.n + 1);
        assert_non_null(c.bytes);
        memcpy(c.bytes, bytes, (size_t)c.n);
    }
    image_apply(&d->now, &c);
    if (d->changes == d->room) {
        d->room = d->room ? 2 * d->room : 64;
        d->journal = realloc(d->journal, (size_t)d->room * sizeof *d->journal);
        assert_non_null(d->journal);
    }
    d->journal[d->changes] = malloc(sizeof c);
    assert_non_null(d->journal[d->changes]);
    *d->journal[d->changes++] = c;
}

static drx_status disk_read(drxi_io *io, void *buf, size_t n, int64_t offset, size_t *got)
{
    const struct image_file *f = file_of(io);

    *got = offset >= f->n ? 0 : (size_t)drxi_min((int64_t)n, f->n - offset);
    if (*got > 0)
        memcpy(buf, f->bytes + offset, *got);
    return DRX_OK;
}

static drx_status change_file(drxi_io *io, struct change c)
{
    c.file = of(io)->file;
    change(of(io)->disk, c);
    return DRX_OK;
}

static drx_status disk_write(drxi_io *io, const void *buf, size_t n, int64_t offset)
{
    return change_file(io,
                       (struct change){ .kind = WRITE, .bytes = (uint8_t *)buf, .n = (int64_t)n, .offset = offset });
}

static drx_status disk_size(drxi_io *io, int64_t *bytes)
{
    *bytes = file_of(io)->n;
    return DRX_OK;
}

static drx_status disk_resize(drxi_io *io, int64_t bytes)
{
    return change_file(io, (struct change){ .kind = RESIZE, .n = bytes });
}

static drx_status disk_reserve(drxi_io *io, int64_t begin, int64_t end)
{
    return DRX_OK;
}

static drx_status disk_sync(drxi_io *io)
{
    return change_file(io, (struct change){ .kind = SYNC });
}

static bool block_is_zero(const struct image_file *f, int64_t at)
{
    return drxi_is_zero(f->bytes + at, (size_t)drxi_min(BLOCK_BYTES - at % BLOCK_BYTES, f->n - at));
}

/* Blocks of zeros are holes. */
static drx_status disk_extent(drxi_io *io, int64_t offset, int64_t *begin, int64_t *end)
{
    const struct image_file *f = file_of(io);
    int64_t at = offset;

    *begin = *end = INT64_MAX;
    while (at < f->n && block_is_zero(f, at))
        at = (at / BLOCK_BYTES + 1) * BLOCK_BYTES;
    if (at < f->n) {
        *begin = at;
        while (at < f->n && !block_is_zero(f, at))
            at = (at / BLOCK_BYTES + 1) * BLOCK_BYTES;
        *end = drxi_min(at, f->n);
    }
    return DRX_OK;
}

static drx_status disk_punch(drxi_io *io, int64_t begin, int64_t end)
{
    const int64_t n = drxi_min(end, file_of(io)->n) - begin;
    void *zeros = n > 0 ? calloc(1, (size_t)n) : NULL;
    const drx_status st = n > 0 ? disk_write(io, zeros, (size_t)n, begin) : DRX_OK;

    free(zeros);
    return st;
}

static const struct handle *locker(const struct handle *h)
{
    for (const struct handle *other = lockers; other; other = other->next)
        if (other != h && other->disk == h->disk && other->file == h->file)
            return other;
    return NULL;
}

static drx_status disk_lock(drxi_io *io, enum drxi_lock kind)
{
    struct handle *h = of(io);

    if (kind == DRXI_LOCK_CHANGE) /* there is one thread, which is in one call */
        return DRX_OK;
    if (locker(h) && !(kind == DRXI_LOCK_TOGETHER && locker(h)->together))
        return drxi_fail(DRX_EBUSY, "%s: open for writing elsewhere", io->path);
    h->together = kind == DRXI_LOCK_TOGETHER;
    h->next = lockers;
    lockers = h;
    return DRX_OK;
}

static void disk_unlock(drxi_io *io)
{
}

static drx_status disk_stamp(drxi_io *io, uint64_t *stamp)
{
    *stamp = 0;
    return DRX_OK;
}

static drx_status disk_locked(drxi_io *io, bool *locked)
{
    *locked = locker(of(io)) != NULL;
    return DRX_OK;
}

static void unlock(const struct handle *h)
{
    for (struct handle **p = &lockers; *p; p = &(*p)->next)
        if (*p == h) {
            *p = h->next;
            return;
        }
}

/* The name of an open file: the steps are those of io_posix.c. */

static drx_status disk_named(drxi_io *io, bool *named)
{
    *named = image_find(&of(io)->disk->now, plain(io->path)) == of(io)->file;
    return DRX_OK;
}

static void take_other(struct handle *h)
{
    const char *path = plain(h->io.path);
    char other[300];
    unsigned i = 0;

    do
        (void)snprintf(other, sizeof other, "%s.new-1-%u", path, i++);
    while (image_find(&h->disk->now, other) >= 0);
    if (h->name == NAMELESS)
        change(h->disk, (struct change){ .kind = LINK, .file = h->file, .name = other });
    else
        change(h->disk, (struct change){ .kind = RENAME, .name = (char *)path, .other = other });
    free(h->other_name);
    h->other_name = strdup(other);
    h->name = PARKED;
}

static drx_status disk_park(drxi_io *io)
{
    if (of(io)->name != PARKED)
        take_other(of(io));
    return DRX_OK;
}

static drx_status disk_name(drxi_io *io)
{
    struct handle *h = of(io);

    if (h->name == NAMELESS)
        take_other(h);
    if (h->name == PARKED) {
        if (image_find(&h->disk->now, plain(io->path)) >= 0)
            return drxi_fail_errno(EEXIST, "%s: giving it this name", io->path);
        change(h->disk, (struct change){ .kind = RENAME, .name = h->other_name, .other = (char *)plain(io->path) });
    }
    h->name = NAMED;
    return DRX_OK;
}

static drx_status disk_sole(drxi_io *io)
{
    return DRX_OK;
}

static drx_status disk_replace(drxi_io *io, drxi_io *old)
{
    struct handle *h = of(io);

    if (h->name == NAMELESS)
        take_other(h);
    change(h->disk, (struct change){ .kind = RENAME, .name = h->other_name, .other = (char *)plain(io->path) });
    h->name = NAMED;
    return DRX_OK;
}

static void disk_keep(drxi_io *io)
{
    if (of(io)->name == PARKED)
        of(io)->name = NAMED;
}

static drx_status disk_alias(drxi_io *io, struct drxi_alias *out)
{
    return drxi_fail(DRX_EUNSUPPORTED, "%s: of this process alone", io->path);
}

static drx_status disk_close(drxi_io *io)
{
    struct handle *h = of(io);

    if (h->name == PARKED)
        change(h->disk, (struct change){ .kind = REMOVE, .name = h->other_name });
    unlock(h);
    free(h->other_name);
    drxi_free(h->io.path);
    free(h);
    return DRX_OK;
}

/* There is one process. */
static drx_status disk_guard(drxi_io *io, int64_t begin, int64_t end, bool on)
{
    return DRX_OK;
}

static drx_status disk_writes(drxi_io *io, enum drxi_writes what)
{
    return DRX_OK;
}

static const struct drxi_io_ops ops = {
    .read = disk_read,
    .write = disk_write,
    .size = disk_size,
    .resize = disk_resize,
    .reserve = disk_reserve,
    .sync = disk_sync,
    .extent = disk_extent,
    .punch = disk_punch,
    .lock = disk_lock,
    .unlock = disk_unlock,
    .locked = disk_locked,
    .stamp = disk_stamp,
    .named = disk_named,
    .park = disk_park,
    .name = disk_name,
    .keep = disk_keep,
    .sole = disk_sole,
    .replace = disk_replace,
    .alias = disk_alias,
    .close = disk_close,
    .guard = disk_guard,
    .writes = disk_writes,
};

static drx_status disk_open(const char *path, enum drxi_how how, drxi_io **out)
{
    const int found = image_find(&current->now, plain(path));
    struct handle *h;

    *out = NULL;
    if (how != DRXI_NEW && found < 0)
        return drxi_fail_errno(ENOENT, "%s", path);
    h = calloc(1, sizeof *h);
    assert_non_null(h);
    h->io.ops = &ops;
    h->io.path = drxi_strdup(path);
    h->io.callers_only = true; /* so that the journal has one order, and needs no lock */
    h->disk = current;
    h->file = how == DRXI_NEW ? image_new_file(&current->now) : found;
    h->name = how == DRXI_NEW ? NAMELESS : NAMED;
    if (how == DRXI_NEW && drxi_hooks.other_names)
        take_other(h);
    *out = &h->io;
    return DRX_OK;
}

static drx_status disk_remove(const char *path)
{
    if (image_find(&current->now, plain(path)) < 0)
        return drxi_fail_errno(ENOENT, "%s: removing it", path);
    change(current, (struct change){ .kind = REMOVE, .name = (char *)plain(path) });
    return DRX_OK;
}

static drx_status disk_lock_folder(const char *path, drxi_io **out)
{
    *out = NULL;
    return DRX_OK;
}

static drx_status disk_sync_folder(const char *path)
{
    change(current, (struct change){ .kind = SYNC_FOLDER, .name = (char *)plain(path) });
    return DRX_OK;
}

static drx_status check_names(const char *from, const char *to)
{
    if (image_find(&current->now, plain(from)) < 0)
        return drxi_fail_errno(ENOENT, "%s: naming it %s", from, to);
    if (image_find(&current->now, plain(to)) >= 0)
        return drxi_fail_errno(EEXIST, "%s: naming it %s", from, to);
    return DRX_OK;
}

static drx_status disk_link(const char *from, const char *to, bool *can)
{
    drx_status st;

    *can = !drxi_hooks.no_links;
    if (!*can)
        return DRX_OK;
    st = check_names(from, to);
    if (!st)
        change(current, (struct change){
                            .kind = LINK, .file = image_find(&current->now, plain(from)), .name = (char *)plain(to) });
    return st;
}

static drx_status disk_rename(const char *from, const char *to)
{
    drx_status st = check_names(from, to);

    if (!st)
        change(current, (struct change){ .kind = RENAME, .name = (char *)plain(from), .other = (char *)plain(to) });
    return st;
}

static drx_status disk_same(const char *a, const char *b, bool *same)
{
    const int file = image_find(&current->now, plain(a));

    *same = file >= 0 && file == image_find(&current->now, plain(b));
    return DRX_OK;
}

static drx_status disk_order(const char *a, const char *b, int *order, bool *apart)
{
    a = plain(a);
    b = plain(b);
    *apart = false;
    *order = folder_length(a) - folder_length(b);
    if (*order == 0)
        *order = strncmp(a, b, (size_t)folder_length(a));
    return DRX_OK;
}

static drx_status disk_absolute(const char *folder, char **out)
{
    *out = drxi_format("%s/%s", working_folder(), plain(folder));
    return DRX_OK;
}

static void disk_look(const char *path, bool follow, struct drxi_looked *out)
{
    (void)follow; /* there are no links, and there is one owner */
    out->there = out->regular = image_find(&current->now, plain(path)) >= 0;
    out->owner = 0;
}

static drx_status disk_others(const char *path, void (*seen)(void *user, const char *name), void *user)
{
    const char *own = plain(path);
    const size_t n = strlen(own);

    for (int i = 0; i < current->now.names; i++) {
        const char *name = current->now.name[i].path;

        if (strncmp(name, own, n) == 0 && strncmp(name + n, ".new-", 5) == 0)
            seen(user, name + folder_length(name));
    }
    return DRX_OK;
}

static bool is_empty(const char *folder)
{
    for (int i = 0; i < current->now.names; i++)
        if (is_below(current->now.name[i].path, folder))
            return false;
    return true;
}

/* A folder that was made is an empty file of its name. Others are where names are. */
static drx_status disk_make_folder(const char *path)
{
    const char *own = plain(path);

    if (image_find(&current->now, own) >= 0 || !is_empty(own))
        return drxi_fail_errno(EEXIST, "%s", path);
    change(current, (struct change){ .kind = LINK, .file = current->now.files, .name = (char *)own });
    return DRX_OK;
}

static drx_status disk_remove_folder(const char *path)
{
    return is_empty(plain(path)) ? disk_remove(path) : drxi_fail_errno(ENOTEMPTY, "%s", path);
}

static drx_status disk_exchange(const char *a, const char *b, bool *can)
{
    (void)a, (void)b;
    *can = false;
    return DRX_OK;
}

static drx_status disk_list(const char *folder, void (*seen)(void *user, const char *name), void *user)
{
    const char *own = plain(folder);
    const size_t n = strlen(own);

    for (int i = 0; i < current->now.names; i++)
        if (is_below(current->now.name[i].path, own) && !strchr(current->now.name[i].path + n + 1, '/'))
            seen(user, current->now.name[i].path + n + 1);
    return DRX_OK;
}

static const struct drxi_files files = {
    .open = disk_open,
    .remove = disk_remove,
    .lock_folder = disk_lock_folder,
    .sync_folder = disk_sync_folder,
    .link = disk_link,
    .rename = disk_rename,
    .exchange = disk_exchange,
    .same = disk_same,
    .order = disk_order,
    .absolute = disk_absolute,
    .look = disk_look,
    .others = disk_others,
    .make_folder = disk_make_folder,
    .remove_folder = disk_remove_folder,
    .list = disk_list,
};

struct disk *disk_new(struct image *im)
{
    struct disk *d = calloc(1, sizeof *d);

    assert_non_null(d);
    if (im) {
        d->now = *im;
        memset(im, 0, sizeof *im);
    }
    return d;
}

void disk_free(struct disk *d)
{
    for (int i = 0; i < d->changes; i++)
        change_free(d->journal[i]);
    free(d->journal);
    image_free(&d->now);
    free(d);
}

struct disk *disk_use(struct disk *d)
{
    struct disk *before = current;

    current = d;
    drxi_files = d ? &files : &drxi_posix;
    return before;
}

const struct image *disk_image(const struct disk *d)
{
    return &d->now;
}

int disk_changes(const struct disk *d)
{
    return d->changes;
}

const struct change *disk_change(const struct disk *d, int i)
{
    return d->journal[i];
}
