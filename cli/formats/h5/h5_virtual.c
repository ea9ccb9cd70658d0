/* Sources of virtual datasets. HDF5 reads the fill value where one is missing. */
#include <stdlib.h>
#include <string.h>

#include "files/paths.h"
#include "h5.h"

enum { NAMED = 5, DEPTH = 16 /* of virtual datasets that are sources */ };

struct missing {
    FILE *names;
    int n, depth;
};

typedef ssize_t name_of_source(hid_t plist, size_t i, char *name, size_t bytes);

/* A name of source i, to be freed, with the number of its block for each "%b"; *blocks: whether it has one. */
static char *source_name(name_of_source *get, hid_t plist, size_t i, hsize_t block, bool *blocks)
{
    const ssize_t n = get(plist, i, NULL, 0);
    char *given = n >= 0 ? calloc((size_t)n + 1, 1) : NULL, *name = NULL;
    size_t bytes;
    FILE *out = given ? open_memstream(&name, &bytes) : NULL;

    if (given)
        (void)get(plist, i, given, (size_t)n + 1);
    for (const char *at = given; out && *at; at++) {
        const bool escape = at[0] == '%' && (at[1] == 'b' || at[1] == '%');

        *blocks = *blocks || (escape && at[1] == 'b');
        if (escape && *++at == 'b')
            (void)fprintf(out, "%llu", (unsigned long long)block);
        else
            (void)fputc(*at, out);
    }
    free(given);
    return out && end_text(out, &name) ? name : NULL;
}

/* This many blocks of a pattern lie in the dataset, at least 1. */
static hsize_t block_count(hid_t plist, size_t i, hid_t dataset)
{
    hsize_t start[H5S_MAX_RANK], stride[H5S_MAX_RANK], count[H5S_MAX_RANK], block[H5S_MAX_RANK], extent[H5S_MAX_RANK];
    const hid_t box = H5Pget_virtual_vspace(plist, i), space = H5Dget_space(dataset);
    const int rank = H5Sget_simple_extent_dims(space, extent, NULL);
    hsize_t n = 1;

    if (H5Sget_regular_hyperslab(box, start, stride, count, block) >= 0)
        for (int k = 0; k < rank; k++)
            if (count[k] == H5S_UNLIMITED && extent[k] > start[k])
                n = (extent[k] - start[k] - 1) / stride[k] + 1;
    h5_close(space);
    h5_close(box);
    return n;
}

/* In the folder that the n bytes of `prefix` name; ${ORIGIN} is HDF5's word for that of the file. */
static hid_t open_in(const char *prefix, size_t n, const char *origin, const char *name)
{
    static const char beside[] = "${ORIGIN}";
    const size_t skip =
        n >= sizeof beside - 1 && strncmp(prefix, beside, sizeof beside - 1) == 0 ? sizeof beside - 1 : 0;
    hid_t found = -1;
    char *path;

    if (asprintf(&path, "%s%.*s/%s", skip ? origin : "", (int)(n - skip), prefix + skip, name) >= 0) {
        found = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        free(path);
    }
    return found;
}

/* Open a source where HDF5 looks for it: in the folders of a variable, beside the file, here, beside what a link
 * names. */
static hid_t open_source(const char *file, const char *name)
{
    const char *base = name[0] == '/' ? base_name(name) : name, *given = getenv("HDF5_VDS_PREFIX");
    char *real = realpath(file, NULL), *beside[] = { folder_of(file), strdup("."), real ? folder_of(real) : NULL };
    hid_t found = name[0] == '/' ? H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT) : -1;

    for (const char *at = given; found < 0 && at && *at && beside[0]; at += strspn(at, ":")) {
        const size_t n = strcspn(at, ":");

        found = n ? open_in(at, n, beside[0], base) : -1;
        at += n;
    }
    for (int i = 0; i < 3; i++) {
        if (found < 0 && beside[i])
            found = open_in(beside[i], strlen(beside[i]), "", base);
        free(beside[i]);
    }
    free(real);
    return found;
}

static void look_at_dataset(struct missing *m, hid_t dataset);

static void look_at_source(struct missing *m, hid_t owner, const char *file, const char *name, const char *path)
{
    const bool same = strcmp(name, ".") == 0;
    const hid_t source = same ? H5Iget_file_id(owner) : open_source(file, name);
    const hid_t dataset = source >= 0 ? H5Dopen2(source, path, H5P_DEFAULT) : -1;

    if (dataset >= 0)
        look_at_dataset(m, dataset);
    else if (m->n++ < NAMED)
        (void)fprintf(m->names, "%s%s%s%s", m->n > 1 ? ", " : "", same ? file : name, source >= 0 ? ":" : "",
                      source >= 0 ? path : "");
    h5_close(dataset);
    h5_close(source);
}

static void look_at_sources(struct missing *m, hid_t dataset, hid_t plist, const char *file, size_t i)
{
    hsize_t n = block_count(plist, i, dataset);

    for (hsize_t block = 0; block < n; block++) {
        bool blocks = false;
        char *name = source_name(H5Pget_virtual_filename, plist, i, block, &blocks);
        char *path = source_name(H5Pget_virtual_dsetname, plist, i, block, &blocks);

        if (name && path)
            look_at_source(m, dataset, file, name, path);
        free(name);
        free(path);
        n = blocks ? n : 1;
    }
}

static void look_at_dataset(struct missing *m, hid_t dataset)
{
    const hid_t plist = H5Dget_create_plist(dataset);
    char file[PATH_MAX];
    size_t n = 0;

    if (++m->depth <= DEPTH && H5Pget_layout(plist) == H5D_VIRTUAL && H5Fget_name(dataset, file, sizeof file) > 0)
        (void)H5Pget_virtual_count(plist, &n);
    for (size_t i = 0; i < n; i++)
        look_at_sources(m, dataset, plist, file, i);
    m->depth--;
    h5_close(plist);
}

bool h5_has_sources(hid_t dataset, const char *label)
{
    struct missing m = { 0 };
    char *names = NULL;
    size_t bytes;

    m.names = open_memstream(&names, &bytes);
    if (!m.names)
        return !out_of_memory(BUFSIZ);
    look_at_dataset(&m, dataset);
    if (!end_text(m.names, &names))
        return !out_of_memory(BUFSIZ);
    if (m.n > 0)
        (void)failed(
            "%s: is a virtual dataset, and of its sources HDF5 does not find %s%s; put them beside the file, or "
            "name their folder in HDF5_VDS_PREFIX",
            label, names, m.n > NAMED ? " and others" : "");
    free(names);
    return m.n == 0;
}
