/* Random arrays that several jobs use one after the other, on any number of ranks. Each is in NUMBER, and beside it
 * NUMBER.raw has all its elements in the order of C, and `list` a line with its number, type, name and extents. What
 * the other library has stored can only be read. */
#include "dra_testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STORED = 20, SECTIONS = 5 };

static FILE *open_file(const char *path, const char *mode)
{
    FILE *file = fopen(path, mode);

    if (!file)
        wrong("%s cannot be opened", path);
    return file;
}

static void write_raw(const struct model *model, const char *path)
{
    char raw[40];
    FILE *file;

    (void)snprintf(raw, sizeof raw, "%s.raw", path);
    file = open_file(raw, "w");
    if (fwrite(model->bytes, model->element_bytes, (size_t)model->count, file) != (size_t)model->count || fclose(file))
        wrong("%s cannot be written", raw);
}

static void list(const struct model *model, int number)
{
    FILE *file = open_file("list", number ? "a" : "w");

    (void)fprintf(file, "%d %s array-%d", number, type_name(model->type), number);
    for (int j = 0; j < model->ndim; j++)
        (void)fprintf(file, " %ld", (long)model->dims[j]);
    (void)fprintf(file, "\n");
    (void)fclose(file);
}

/* From a global array with another content. */
static void write_box(struct model *model, int d_a, const char *path)
{
    const struct section box = below(2) ? whole_section(model) : random_section(model);
    struct model content = make_model(model->type, model->ndim, model->dims);
    const int g_a = make_global(&content, REGULAR);

    fill_model(&content, (uint64_t)below(1000));
    put_global(g_a, &content);
    succeed(DRA_Wait(begin_move(true, false, g_a, &box, d_a, &box)));
    copy_section(model, &box, &content, &box, false);
    if (team.rank == 0)
        write_raw(model, path);
}

/* Blocks of any kind and any number of files, boxes anywhere; what is not written is 0. */
void store(void)
{
    succeed(DRA_Init(8, 1e9, 1e9, 1e8));
    for (int i = 0; i < STORED; i++) {
        const int ndim = 1 + (int)below(MOST_DISK_DIMS);
        int64_t dims[MOST_DIMS], hint[MOST_DIMS];
        dra_size_t given[MOST_DIMS], hints[MOST_DIMS];
        struct model model;
        char path[32], name[32];
        int d_a;

        random_dims(ndim, dims);
        model = make_model(all_types[below(DISK_TYPES)], ndim, dims);
        random_hint(&model, hint);
        for (int j = 0; j < ndim; j++) {
            given[j] = dims[j];
            hints[j] = hint[j];
        }
        (void)snprintf(path, sizeof path, "%d", i);
        (void)snprintf(name, sizeof name, "array-%d", i);
        if (below(4) == 0)
            DRA_Set_default_config(1 + (int)below(3), 1 + (int)below(3));
        if (below(3) == 0)
            succeed(NDRA_Create(model.type, ndim, given, name, path, DRA_RW, hints, &d_a));
        else
            succeed(NDRA_Create_config(model.type, ndim, given, name, path, DRA_RW, hints, 1 + (int)below(4),
                                       (int)below(5), &d_a));
        for (int64_t boxes = 1 + below(4); boxes > 0; boxes--)
            write_box(&model, d_a, path);
        succeed(DRA_Close(d_a));
        if (team.rank == 0)
            list(&model, i);
        release_all();
    }
    succeed(DRA_Terminate());
}

/* Read the box, into a global array of its shape or of the reversed one. */
static void check_box(const struct model *model, int d_a, const struct section *box, bool turned)
{
    const int ndim = model->ndim;
    struct section whole;
    struct model global;
    int64_t dims[MOST_DIMS];
    int g_a;

    for (int j = 0; j < ndim; j++)
        dims[turned ? ndim - 1 - j : j] = box->hi[j] - box->lo[j] + 1;
    global = make_model(model->type, ndim, dims);
    g_a = make_global(&global, (enum way)below(WAYS));
    whole = whole_section(&global);
    succeed(DRA_Wait(begin_move(false, turned, g_a, &whole, d_a, box)));
    copy_section(&global, &whole, model, box, turned);
    (void)check_global(g_a, &global, "what the other library has stored");
}

static struct model open_array(char *path, int mode, int *d_a)
{
    dra_size_t extents[MOST_DIMS];
    int64_t dims[MOST_DIMS];
    struct model model;
    int type, ndim;
    char name[80], file[200], raw[32];
    FILE *in;

    succeed(DRA_Open(path, mode, d_a));
    succeed(NDRA_Inquire(*d_a, &type, &ndim, extents, name, file));
    if (strncmp(name, "array-", 6) != 0)
        wrong("%s: the name is %s", path, name);
    for (int j = 0; j < ndim; j++)
        dims[j] = extents[j];
    model = make_model(type, ndim, dims);
    (void)snprintf(raw, sizeof raw, "%s.raw", path);
    in = open_file(raw, "r");
    if (fread(model.bytes, model.element_bytes, (size_t)model.count, in) != (size_t)model.count || fgetc(in) != EOF)
        wrong("%s has another length", raw);
    (void)fclose(in);
    GA_Sync();
    return model;
}

static void check_stored(char *path)
{
    int d_a, g_a, request;
    const struct model model = open_array(path, DRA_R, &d_a);
    struct section box;

    for (int i = 0; i < SECTIONS; i++) {
        box = i < 2 ? whole_section(&model) : random_section(&model);
        check_box(&model, d_a, &box, i % 2);
    }
    g_a = make_global(&model, REGULAR);
    fail(NDRA_Write(g_a, d_a, &request));
    succeed(DRA_Close(d_a));
}

static void refuse_changes(char *path)
{
    char info[40];
    int d_a;

    (void)snprintf(info, sizeof info, "%s.info", path);
    if (access(info, F_OK) == 0)
        fail(DRA_Open(path, DRA_RW, &d_a));
    check_stored(path);
}

static void change_stored(char *path)
{
    int d_a;
    struct model model = open_array(path, DRA_RW, &d_a);

    write_box(&model, d_a, path);
    succeed(DRA_Close(d_a));
}

static void discard_stored(char *path)
{
    int d_a;

    succeed(DRA_Open(path, DRA_R, &d_a));
    succeed(DRA_Delete(d_a));
}

static void for_all(void (*use)(char *path))
{
    char path[32];

    succeed(DRA_Init(8, 1e9, 1e9, 1e8));
    for (int i = 0; i < STORED; i++) {
        (void)snprintf(path, sizeof path, "%d", i);
        use(path);
        release_all();
    }
    succeed(DRA_Terminate());
}

void stored(void)
{
    for_all(refuse_changes);
}

void change(void)
{
    for_all(change_stored);
}

void discard(void)
{
    for_all(discard_stored);
}
