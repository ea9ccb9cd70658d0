/* Source and target of a copy, and the steps between them. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files/paths.h"
#include "transform.h"

static int open_from(struct transform *t, char *word)
{
    const struct selection *part;
    int axes[DRX_MAX_NDIM], status;

    t->from = array_path(word);
    if (t->commit == DRX_LAST && has_array(word)) {
        t->array = t->array ? t->array : open_array(word, DRX_RDONLY);
        return t->array ? DONE : FAILED;
    }
    status = source_open_any(&t->source, word, t->commit);
    if (status != DONE)
        return status;
    t->selects = array_of_source(&t->source, &part) != NULL;
    t->imports = !t->selects;
    t->from = t->selects ? part->path : t->source.label;
    if (t->selects && kept_axes(part, axes) == 0)
        return failed("%s: [%s] is a single element; select one or more axes, or print it with 'drx read'", t->from,
                      part->text);
    return DONE;
}

static bool is_same_array(const char *a, const char *b)
{
    struct array_files of_a, of_b;
    bool same;

    (void)list_array_files(a, &of_a);
    (void)list_array_files(b, &of_b);
    same = of_a.n > 1 && of_b.n > 1 && is_same_file(of_a.name[1], of_b.name[1]); /* the elements, or the first stripe */
    free_array_files(&of_a);
    free_array_files(&of_b);
    return same;
}

static int check_target(const struct transform *t)
{
    const drx_spec spec = { .flags = t->spec.flags };
    struct stat file;

    if (t->exports ? t->imports && is_same_file(t->source.file, t->path)
                   : !t->imports && is_same_array(t->from, t->path))
        return failed("%s: is SOURCE itself; give another TARGET", t->path);
    if (!t->exports)
        return is_free_path(t->path, &spec) ? DONE : FAILED;
    if (!(spec.flags & DRX_REPLACE) && stat(t->path, &file) == 0 && S_ISREG(file.st_mode))
        return failed("%s: exists already; give a new name, or --force to replace it", t->path);
    return DONE;
}

static int find_folder(struct transform *t)
{
    static const char name[] = ".drx-copy";
    const char *tmp = t->spec.tmp;

    if (tmp && !is_folder(tmp))
        return failed("%s: is not a folder; --tmp needs one", tmp);
    t->between = tmp ? in_folder(tmp, name) : path_beside(t->path, name);
    return t->between ? DONE : out_of_memory((int64_t)strlen(t->path));
}

static int find_axes(struct transform *t)
{
    const int ndim = drx_ndim(t->array);
    bool taken[DRX_MAX_NDIM] = { false };
    char axis[AXIS_TEXT_BYTES];

    if (t->axes.n != ndim)
        return failed("%s: --permute has %d axes; give all %d, each once", t->from, t->axes.n, ndim);
    for (int j = 0; j < ndim; j++) {
        if (!find_axis(t->array, t->from, t->axes.of[j], &t->permute[j]))
            return FAILED;
        if (taken[t->permute[j]])
            return failed("%s: --permute has %s twice; give each axis once", t->from,
                          axis_text(t->array, t->permute[j], axis));
        taken[t->permute[j]] = true;
    }
    t->spec.permute = t->permute;
    return DONE;
}

void source_extent(const struct transform *t, struct extent *e)
{
    const struct source *s = &t->source;

    *e = s->kind ? (struct extent){ .ndim = s->ndim, .type = s->type }
                 : (struct extent){ .ndim = drx_ndim(t->array), .type = drx_dtype(t->array) };
    memcpy(e->shape, s->kind ? s->shape : drx_shape(t->array), (size_t)e->ndim * sizeof *e->shape);
}

static int check_chunk(const struct transform *t)
{
    struct extent e;
    int ndim;

    source_extent(t, &e);
    ndim = e.ndim;
    if (t->chunk.n && t->chunk.n != ndim)
        return failed("%s: --chunk has %d numbers; give %d, one for each dimension", t->from, t->chunk.n, ndim);
    return DONE;
}

/* How the source is stored. */
static struct codec codec_of_source(const struct transform *t)
{
    return t->source.kind ? t->source.codec : codec_of(t->array);
}

static const drx_source *origin_of(const struct transform *t)
{
    drx_spec spec = { .source = t->source.kind ? source_origin(&t->source) : NULL };

    if (!t->source.kind)
        drx_describe(t->array, &spec);
    return spec.source;
}

/* How the target is: as the source, if nothing is said. */
static void choose_codec(struct transform *t)
{
    const struct codec own = codec_of_source(t);
    const struct codec codec = codec_for(&t->codec, &own, t->spec.nstripes, t->spec.flags);

    if (t->exports) {
        choose_deflate(&t->target.deflate, &codec, origin_of(t), t->from);
        return;
    }
    t->spec.codec = codec.codec;
    t->spec.level = codec.level;
    t->spec.shuffle = codec.shuffle;
}

/* Can it be rounded? */
static int check_part_type(const struct transform *t)
{
    struct extent e;

    source_extent(t, &e);
    return check_rounding(&t->rounding, t->from, e.type);
}

int open_transform(struct transform *t, char *source, char *target)
{
    int status;

    t->path = t->exports ? t->target.name : array_path(target);
    t->spec.chunk = t->chunk.n ? t->chunk.of : NULL;
    t->spec.chunk_order = t->ordered && !t->exports ? &t->order : NULL;
    status = find_folder(t);
    if (status == DONE)
        status = open_from(t, source);
    if (status == DONE)
        status = check_target(t);
    if (status == DONE)
        status = check_chunk(t);
    if (status == DONE)
        status = check_part_type(t);
    if (status == DONE && t->source.kind && !t->exports)
        status = check_coordinates_beside(t);
    if (status != DONE)
        return status;
    choose_codec(t);
    t->copies =
        t->axes.n > 0 || t->rounding.bits > 0 || (!t->imports && !t->selects && (!t->exports || t->chunk.n > 0));
    if (t->copies && (t->imports || t->selects))
        status = stand_in(t);
    if (status == DONE && t->axes.n > 0)
        status = find_axes(t);
    return status;
}

void close_transform(struct transform *t)
{
    (void)drx_close(t->array);
    source_close(&t->source);
    free(t->between);
}
