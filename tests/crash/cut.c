#include "cut.h"

#include "testing.h"

enum { SECTOR_BYTES = 512, WORD_BYTES = 8 };

bool cut_is_name(const struct change *c)
{
    return c->kind == LINK || c->kind == RENAME || c->kind == REMOVE;
}

bool cut_has_length(const struct pending *p)
{
    return p->before != p->after;
}

bool cut_can_tear(const struct pending *p)
{
    return p->change->kind == WRITE && p->change->n > WORD_BYTES;
}

static bool is_of_file(const struct change *c, int file)
{
    return (c->kind == WRITE || c->kind == RESIZE) && c->file == file;
}

static bool has_name(const struct change *c, const char *name)
{
    return strcmp(c->name, name) == 0 || (c->other && strcmp(c->other, name) == 0);
}

static bool is_in_folder(const struct change *c, const char *path)
{
    return same_folder(c->name, path) || (c->other && same_folder(c->other, path));
}

static bool depends(const struct change *later, const struct change *earlier, bool ordered)
{
    if (ordered)
        return is_in_folder(earlier, later->name) || (later->other && is_in_folder(earlier, later->other));
    return has_name(earlier, later->name) || (later->other && has_name(earlier, later->other));
}

static bool can_survive(const struct cut *c, int i, bool ordered, const bool survives[])
{
    for (int j = 0; j < i; j++)
        if (cut_is_name(c->pending[j].change) && !survives[j] &&
            depends(c->pending[i].change, c->pending[j].change, ordered))
            return false;
    return true;
}

static void build_names(const struct cut *c, const struct choice *choice, struct image *im)
{
    bool survives[CUT_MOST];

    for (int i = 0; i < c->n; i++) {
        if (!cut_is_name(c->pending[i].change))
            continue;
        survives[i] = choice->bytes[i] && can_survive(c, i, choice->ordered, survives);
        if (survives[i])
            image_apply(im, c->pending[i].change);
    }
    for (int i = 0; i < c->n; i++) /* what is in a folder whose name is lost is lost */
        if (cut_is_name(c->pending[i].change) && image_find(im, c->pending[i].change->name) < 0)
            image_drop_below(im, c->pending[i].change->name);
}

struct building {
    const struct cut *cut;
    const struct choice *choice;
    struct image *im;
    int file;
    bool *older; /* sectors that later writes do not reach */
    uint64_t random;
};

static void put(struct building *b, const struct change *w, int64_t from, int64_t to)
{
    if (from < to)
        image_write(b->im, b->file, w->bytes + (from - w->offset), to - from, from);
}

/* A part of a sector, from the write i. */
static void put_piece(struct building *b, int i, int64_t from, int64_t to)
{
    const struct choice *choice = b->choice;
    const struct change *w = b->cut->pending[i].change;
    const int64_t sector = from / SECTOR_BYTES;
    const int64_t words = (to - from) / WORD_BYTES;
    const bool lost = choice->torn == i                    ? random_below(&b->random, 2) == 0
                      : choice->by_sectors && choice->lost ? random_below(&b->random, 256) < choice->lost
                                                           : !choice->bytes[i];

    if (!lost && !b->older[sector]) {
        put(b, w, from, to);
        return;
    }
    if (choice->by_sectors && !b->older[sector] && words > 0 && random_below(&b->random, 2) == 0)
        put(b, w, from, from + WORD_BYTES * random_below(&b->random, words));
    b->older[sector] = choice->by_sectors;
}

static void put_write(struct building *b, int i)
{
    const struct change *w = b->cut->pending[i].change;
    const int64_t end = w->offset + w->n;

    for (int64_t at = w->offset; at < end;) {
        const int64_t next = (at / SECTOR_BYTES + 1) * SECTOR_BYTES;

        put_piece(b, i, at, next < end ? next : end);
        at = next;
    }
}

static void build_file(const struct cut *c, const struct choice *choice, int file, struct image *im)
{
    struct building b = { c, choice, im, file, NULL, choice->seed ^ (uint64_t)file << 32 };
    int64_t length = im->file[file].n;
    int64_t most = length;
    int last = -1; /* the change whose length the file has */

    for (int i = 0; i < c->n; i++)
        if (is_of_file(c->pending[i].change, file)) {
            most = c->pending[i].after > most ? c->pending[i].after : most;
            last = cut_has_length(&c->pending[i]) && choice->length[i] ? i : last;
        }
    length = last >= 0 ? c->pending[last].after : length;
    b.older = calloc((size_t)(most / SECTOR_BYTES + 1), sizeof *b.older);
    assert_non_null(b.older);
    for (int i = 0; i < c->n; i++) {
        const struct pending *p = &c->pending[i];

        if (!is_of_file(p->change, file))
            continue;
        if (p->change->kind == WRITE)
            put_write(&b, i);
        else if (p->after < p->before && i <= last && im->file[file].n > p->after)
            image_resize(im, file, p->after);
    }
    image_resize(im, file, length);
    free(b.older);
}

static void build_files(const struct cut *c, const struct choice *choice, struct image *im)
{
    for (int file = 0; file < c->files; file++)
        for (int i = 0; i < c->n; i++)
            if (is_of_file(c->pending[i].change, file)) {
                while (im->files <= file)
                    (void)image_new_file(im);
                build_file(c, choice, file, im);
                break;
            }
}

/* As image_copy, but with files that have no name yet. */
static void copy_all(const struct image *from, struct image *to)
{
    image_copy(from, to);
    for (int i = 0; i < from->files; i++)
        if (to->file[i].n == 0)
            image_write(to, i, from->file[i].bytes, from->file[i].n, 0);
}

void cut_build(const struct cut *c, const struct choice *choice, struct image *out)
{
    struct image all;

    copy_all(&c->durable, &all);
    build_names(c, choice, &all);
    build_files(c, choice, &all);
    image_copy(&all, out);
    image_free(&all);
}

static void have_file(struct cut *c, int file)
{
    if (file < c->files)
        return;
    c->length = realloc(c->length, (size_t)(file + 1) * sizeof *c->length);
    assert_non_null(c->length);
    while (c->files <= file)
        c->length[c->files++] = 0;
}

void cut_start(struct cut *c, const struct image *im)
{
    memset(c, 0, sizeof *c);
    copy_all(im, &c->durable);
    if (im->files > 0)
        have_file(c, im->files - 1);
    for (int i = 0; i < im->files; i++)
        c->length[i] = im->file[i].n;
}

void cut_free(struct cut *c)
{
    image_free(&c->durable);
    free(c->length);
}

/* The marked changes become durable, and those of names in a folder that is removed with it. */
static void settle(struct cut *c, bool marked[])
{
    int kept = 0;

    for (int i = 0; i < c->n; i++)
        for (int j = 0; marked[i] && c->pending[i].change->kind == REMOVE && j < i; j++)
            marked[j] = marked[j] || (cut_is_name(c->pending[j].change) &&
                                      is_below(c->pending[j].change->name, c->pending[i].change->name));
    for (int i = 0; i < c->n; i++)
        if (marked[i])
            image_apply(&c->durable, c->pending[i].change);
        else
            c->pending[kept++] = c->pending[i];
    c->n = kept;
}

static void settle_file(struct cut *c, int file)
{
    bool marked[CUT_MOST];

    for (int i = 0; i < c->n; i++)
        marked[i] = is_of_file(c->pending[i].change, file);
    settle(c, marked);
}

/* With what the names in the folder depend on. */
static void settle_folder(struct cut *c, const char *path)
{
    bool marked[CUT_MOST];

    for (int i = c->n - 1; i >= 0; i--) {
        marked[i] = cut_is_name(c->pending[i].change) && is_in_folder(c->pending[i].change, path);
        for (int j = i + 1; !marked[i] && j < c->n; j++)
            marked[i] = marked[j] && cut_is_name(c->pending[i].change) &&
                        depends(c->pending[j].change, c->pending[i].change, false);
    }
    settle(c, marked);
}

void cut_add(struct cut *c, const struct change *change)
{
    struct pending p = { change, 0, 0 };

    if (change->kind == SYNC) {
        settle_file(c, change->file);
        return;
    }
    if (change->kind == SYNC_FOLDER) {
        settle_folder(c, change->name);
        return;
    }
    if (change->kind == WRITE || change->kind == RESIZE) {
        have_file(c, change->file);
        p.before = c->length[change->file];
        p.after = change->kind == RESIZE                  ? change->n
                  : change->offset + change->n > p.before ? change->offset + change->n
                                                          : p.before;
        c->length[change->file] = p.after;
    }
    assert_true(c->n < CUT_MOST);
    c->pending[c->n++] = p;
}
