#include "verbs/verbs.h"

#include <stdlib.h>
#include <string.h>

#include "refs.h"

struct wish {
    const char *output, *base; /* base: the URL of the folder, or NULL */
    int64_t at;
};

/* What the file begins with: variables without their chunks, as keys and objects. */
struct plan {
    struct zarr_variable *v;
    int n;
    struct json_object *metadata; /* by their keys */
};

static bool add_object(struct plan *p, const char *before, const char *key, struct json_object *object)
{
    char *whole = NULL;
    bool good = object && asprintf(&whole, "%s%s%s", before, before[0] ? "/" : "", key) >= 0;

    if (good)
        good = json_object_object_add(p->metadata, whole, object) == 0;
    else
        json_object_put(object);
    if (object && whole)
        free(whole);
    return good;
}

static int plan_variable(struct plan *p, const struct zarr_variable *v)
{
    const int status = check_for_refs(v);

    if (status != DONE)
        return status;
    if (!add_object(p, v->name, ".zarray", zarray_of(v)) || !add_object(p, v->name, ".zattrs", zattrs_of(v)))
        return out_of_memory(1024);
    return DONE;
}

static bool plan_group(struct plan *p, const char *path, struct json_object *attributes)
{
    struct json_object *group = json_object_new_object();

    if (!group) {
        json_object_put(attributes);
        return false;
    }
    (void)json_object_object_add(group, "zarr_format", json_object_new_int(2));
    return add_object(p, path, ".zgroup", group) && add_object(p, path, ".zattrs", attributes);
}

/* Those of a dataset, or of an array alone (NULL) the root. Gives the exit code. */
static int plan_groups(struct plan *p, drx_dataset *ds)
{
    bool good = (p->metadata = json_object_new_object()) != NULL;

    if (good)
        good = plan_group(p, "", ds ? attributes_of(&(struct owner){ .ds = ds }, false) : json_object_new_object());
    for (int i = 0; good && ds && i < drx_dataset_group_count(ds); i++) {
        const struct owner of = { .ds = ds, .part = DRX_GROUP, .name = drx_dataset_group(ds, i) };

        good = plan_group(p, of.name, attributes_of(&of, false));
    }
    return good ? DONE : out_of_memory(1024);
}

/* All metadata once more, under one key. */
static struct json_object *consolidated(struct json_object *metadata)
{
    struct json_object *all = json_object_new_object();

    if (!all)
        return NULL;
    (void)json_object_object_add(all, "metadata", json_object_get(metadata));
    (void)json_object_object_add(all, "zarr_consolidated_format", json_object_new_int(1));
    return all;
}

static void put_metadata(struct refs_file *f, struct json_object *metadata)
{
    struct json_object_iterator at = json_object_iter_begin(metadata);
    const struct json_object_iterator end = json_object_iter_end(metadata);

    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at))
        put_object_ref(f, json_object_iter_peek_name(&at), json_object_iter_peek_value(&at));
}

static int write_plan(const struct plan *p, const struct wish *w)
{
    struct json_object *all = consolidated(p->metadata);
    struct refs_file f;
    int status = DONE;

    if (!begin_refs(&f, w->output)) {
        json_object_put(all);
        return FAILED;
    }
    put_metadata(&f, p->metadata);
    put_object_ref(&f, ".zmetadata", all);
    json_object_put(all);
    for (int i = 0; status == DONE && i < p->n; i++)
        status = put_chunk_refs(&f, &p->v[i], w->base);
    return end_refs(&f, status);
}

static int write_refs(struct plan *p, drx_dataset *ds, const struct wish *w)
{
    int status = plan_groups(p, ds);

    for (int i = 0; status == DONE && i < p->n; i++)
        status = plan_variable(p, &p->v[i]);
    if (status == DONE)
        status = write_plan(p, w);
    json_object_put(p->metadata);
    return status;
}

static void free_dims(struct plan *p)
{
    for (int i = 0; p->v && i < p->n; i++)
        for (int j = 0; j < DRX_MAX_NDIM; j++)
            free(p->v[i].dim[j]);
}

static int refs_of_array(const char *path, const struct wish *w)
{
    struct zarr_variable v = { .path = path, .name = base_name(path) };
    struct plan p = { .v = &v, .n = 1 };
    char *inside;
    int status;

    v.a = open_array_at(path, DRX_RDONLY, w->at);
    if (!v.a)
        return FAILED;
    v.ndim = drx_ndim(v.a);
    for (int j = 0; j < v.ndim; j++)
        v.dim[j] = drx_dim_name(v.a, j) ? strdup(drx_dim_name(v.a, j)) : NULL;
    inside = json_inside(v.name);
    status = inside ? write_refs(&p, NULL, w)
                    : failed("%s: its name is not UTF-8, which JSON has to be; drx mv gives it another one", path);
    free(inside);
    free_dims(&p);
    return close_array(v.a, path, status);
}

/* The members of a dataset. Gives the exit code. */
static int find_variables(drx_dataset *ds, const char *path, struct plan *p)
{
    char text[DIM_TEXT_BYTES];

    for (int i = 0; i < drx_dataset_count(ds); i++) {
        struct zarr_variable *v = &p->v[p->n];

        if (drx_dataset_ndim(ds, i) < 0) {
            warn("%s: variable '%s' is left out: it is null, without elements, and Zarr has no such arrays", path,
                 drx_dataset_name(ds, i));
            continue;
        }
        v->a = member_array(ds, path, i);
        if (!v->a)
            return FAILED;
        v->name = drx_dataset_name(ds, i);
        v->path = v->name;
        v->dataset = path;
        v->ndim = drx_dataset_ndim(ds, i);
        p->n++;
        for (int j = 0; j < v->ndim; j++)
            if (!(v->dim[j] = strdup(dim_text(ds, i, j, text))))
                return out_of_memory((int64_t)strlen(text));
    }
    return DONE;
}

static int refs_of_dataset(const char *path, const struct wish *w)
{
    struct plan p = { .n = 0 };
    drx_dataset *ds = open_dataset(path, DRX_RDONLY, w->at);
    int status;

    if (!ds)
        return FAILED;
    p.v = calloc((size_t)drx_dataset_count(ds) + 1, sizeof *p.v);
    if (!p.v)
        status = out_of_memory(drx_dataset_count(ds) * (int64_t)sizeof *p.v);
    else
        status = find_variables(ds, path, &p);
    if (status == DONE)
        status = write_refs(&p, ds, w);
    free_dims(&p);
    free(p.v);
    return close_dataset(ds, path, status);
}

static int refs(struct args *args)
{
    static const char standard_output[] = "-";
    struct wish w = { .output = standard_output, .at = DRX_LAST };
    struct opt opts[] = {
        { "output", "FILE", "write them to that file, which appears when it is complete; default: standard output",
          &w.output, .take = take_text, .letter = 'o' },
        { "url", "BASE",
          "the folder of the files, as others reach it (https://host/folder, s3://bucket/folder); default: the path on "
          "this machine",
          &w.base, .take = take_text },
        COMMIT_OPTIONS(&w.at, "of a dataset, or an array of one: as commit N has it, not the last one"),
        { 0 },
    };
    char *word;

    if (!parse_args(args, opts, "PATH"))
        return args->status;
    if (w.base && !w.base[0])
        return misused("--url is empty; give the URL of a folder");
    word = args->words[0];
    if (names_dataset(word) || (is_folder(word) && !has_array(word)))
        return refs_of_dataset(word, &w);
    return refs_of_array(array_path(word), &w);
}

const struct verb verb_refs = {
    .name = "refs",
    .summary = "List where chunks lie, so that Zarr reads them without DRX",
    .usage = "PATH [-o FILE] [--url BASE] [--commit N]",
    .words = "PATH\tan array, or a dataset with all its variables\n",
    .examples = "  drx refs sst -o sst.json\n"
                "  drx refs winds -o winds.json --url https://example.org/data/winds\n"
                "  drx refs winds --commit 3\n",
    .run = refs,
};
