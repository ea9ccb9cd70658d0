/* Attributes of datasets and arrays, on the command line. */
#include <stdlib.h>
#include <string.h>

#include "dataset/datasets.h"
#include "files/paths.h"
#include "verbs/verbs.h"

static const drx_type of_text = DRX_BYTES(1); /* of --type */

struct wish {
    drx_type type; /* of new values; 0: that of the old ones, or a text */
    struct name_list deleted;
    const char *dimension; /* whose attributes; NULL: of PATH itself */
};

static bool take_attribute_type(const char *what, char *text, void *out)
{
    drx_type *type = out;

    if (strcmp(text, "text") == 0)
        *type = of_text;
    else if (!take_type(what, text, type))
        return false;
    return !DRX_IS_STRING(*type) || *type == of_text || !misused("%s %s: give text for a string", what, text);
}

/* May users change the attribute? Prints why not. */
static bool is_free_to_change(const struct owner *of, const char *path, const char *name)
{
    struct attribute t;
    char *quoted;
    bool json;

    if (is_note(name) || strncmp(name, "drx.", 4) == 0)
        return !failed("%s: attribute %s is DRX's own; import and the Python package change it", path, name);
    if (asprintf(&quoted, "\"%s\"", name) < 0)
        return !out_of_memory((int64_t)strlen(name));
    json = find_attribute(of, JSON_NOTE, &t) && t.is_text && strstr(t.values, quoted);
    free(quoted);
    return !json || !failed("%s: attribute %s holds JSON of Python; change it there", path, name);
}

/* Remove the note that the attribute is a list of strings. */
static drx_status forget_strings(const struct owner *of, const char *name)
{
    struct attribute t;
    char *rest = string_count(of, name) >= 0 && find_attribute(of, STRINGS_NOTE, &t) ? strdup(t.values) : NULL;
    size_t n = 0;
    drx_status st;

    if (!rest)
        return DRX_OK;
    for (const char *line = t.values, *end; *line; line = end) {
        const char *space = strchr(line, ' ') + 1;

        end = line + strcspn(line, "\n");
        if ((size_t)(end - space) != strlen(name) || memcmp(space, name, strlen(name)) != 0) {
            memcpy(rest + n, line, (size_t)(end - line) + 1);
            n += (size_t)(end - line) + 1;
        }
        end += *end == '\n';
    }
    rest[n] = '\0';
    t.values = rest;
    st = set_attribute(of, &t);
    free(rest);
    return st;
}

static int set_numbers(const struct owner *of, const char *path, const char *name, char *text, drx_type type)
{
    struct attribute t = { .name = name, .type = type };
    const size_t bytes = drx_type_size(type);
    char *values = calloc(strlen(text) / 2 + 1, bytes), *item;
    const char *wrong = values ? NULL : "takes too much memory";
    drx_status st;

    while (!wrong && (item = strsep(&text, ","))) {
        item += strspn(item, " ");
        wrong = value_of_text(type, item, values + (size_t)t.n * bytes);
        t.n += !wrong;
        if (wrong)
            (void)failed("%s: %s: '%s' %s, as the %s of the attribute; --type gives it another type", path, name, item,
                         wrong, drx_type_name(type));
    }
    t.values = values;
    st = wrong ? DRX_OK : set_attribute(of, &t);
    free(values);
    return wrong ? FAILED : exit_code(path, st);
}

/* The type of a new attribute: of those that CF gives numbers, that of the variable, or of floats. */
static drx_type usual_type(const struct owner *of, const char *name)
{
    static const char *const numbers[] = {
        "scale_factor", "add_offset",  "_FillValue",   "missing_value", "valid_min",
        "valid_max",    "valid_range", "actual_range", "flag_values",   "flag_masks"
    };
    const drx_type type = of->array ? drx_dtype(of->array) : 0;

    for (size_t i = 0; DRX_IS_NUMBER(type) && i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(name, numbers[i]) == 0)
            return i < 2 ? DRX_FLOAT64 : type;
    return of_text;
}

/* NAME=VALUE. A list of strings becomes one text. */
static int set(const struct owner *of, const char *path, char *word, drx_type type)
{
    char *value = strchr(word, '=');
    struct attribute old, t = { .name = word, .is_text = true };
    drx_status st;

    *value++ = '\0';
    if (!is_free_to_change(of, path, word))
        return FAILED;
    if (!type)
        type = !find_attribute(of, word, &old) ? usual_type(of, word) : old.is_text ? of_text : old.type;
    if (type == of_text && string_count(of, word) == 1) { /* of netCDF, and stays one */
        t.values = value;
        return exit_code(path, set_attribute(of, &t));
    }
    st = forget_strings(of, word);
    if (st || type != of_text)
        return st ? exit_code(path, st) : set_numbers(of, path, word, value, type);
    t.values = value;
    return exit_code(path, set_attribute(of, &t));
}

static int delete (const struct owner *of, const char *path, const char *name)
{
    drx_status st;

    if (!is_free_to_change(of, path, name))
        return FAILED;
    st = forget_strings(of, name);
    if (!st)
        st = of->array ? drx_attr_delete(of->array, name) : drx_dataset_attr_delete(of->ds, of->part, of->name, name);
    return st == DRX_ENOENT ? failed("%s: has no attribute %s", path, name) : exit_code(path, st);
}

/* The value alone. */
static int show_attribute(const struct owner *of, const char *path, const char *name)
{
    struct attribute t;

    if (!find_attribute(of, name, &t))
        return failed("%s: has no attribute %s", path, name);
    put_attribute_value(of, &t, true);
    put("\n");
    return DONE;
}

static int do_words(const struct owner *of, const char *path, const struct args *args, const struct wish *wish)
{
    int status = DONE;

    for (int i = 1; status == DONE && i < args->nwords; i++)
        status = strchr(args->words[i], '=') ? set(of, path, args->words[i], wish->type)
                                             : show_attribute(of, path, args->words[i]);
    for (int i = 0; status == DONE && i < wish->deleted.n; i++)
        status = delete (of, path, wish->deleted.of[i] ? wish->deleted.of[i] : "");
    for (struct attribute t = { 0 }; args->nwords == 1 && wish->deleted.n == 0 && next_of(of, &t);)
        if (!is_note(t.name)) {
            put_visible(t.name);
            put(" = ");
            put_attribute_value(of, &t, false);
            put("\n");
        }
    return status;
}

/* Of a dataset, or, if it is not NULL, the variable or group `inside`, or the dimension. */
static int do_dataset(const char *path, const char *inside, int mode, const struct args *args, const struct wish *wish)
{
    struct owner of = { .ds = open_dataset(path, mode, DRX_LAST), .name = inside };
    int status = DONE, i = -1;

    if (!of.ds)
        return FAILED;
    if (wish->dimension) {
        of = (struct owner){ .ds = of.ds, .part = DRX_DIMENSION, .name = wish->dimension };
        if (inside || drx_dataset_dim_find(of.ds, wish->dimension) < 0)
            status =
                failed("%s: has no dimension '%s'; give a dataset, and the path of a dimension that 'drx info' lists",
                       args->words[0], wish->dimension);
    } else if (inside && (i = drx_dataset_find(of.ds, inside)) < 0) {
        of.part = DRX_GROUP;
    }
    if (i >= 0 && !(of.array = member_array(of.ds, path, i)))
        status = FAILED;
    if (status == DONE)
        status = do_words(&of, args->words[0], args, wish);
    return mode == DRX_RDWR ? commit_and_close(of.ds, path, status) : close_dataset(of.ds, path, status);
}

static int attr(struct args *args)
{
    struct wish wish = { .deleted.n = 0 };
    struct opt opts[] = {
        { "type", "TYPE",
          "type of the new values: text, or a type of elements; default: that of the old value, else text, but the "
          "variable's for valid_range and other attributes that CF gives numbers",
          &wish.type, .take = take_attribute_type },
        { "delete", "NAME,...", "delete these attributes", &wish.deleted, .take = take_names },
        { "dimension", "NAME", "of this dimension of the dataset, whose path NAME is", &wish.dimension,
          .take = take_text },
        { 0 },
    };
    struct owner of = { 0 };
    int mode = DRX_RDONLY, status;
    const char *inside;
    char *folder, *path;

    if (!parse_args(args, opts, "PATH ..."))
        return args->status;
    for (int i = 1; i < args->nwords; i++)
        mode = strchr(args->words[i], '=') ? DRX_RDWR : mode;
    if (wish.type && mode == DRX_RDONLY)
        return misused("--type goes with NAME=VALUE");
    mode = wish.deleted.n ? DRX_RDWR : mode;
    if (names_dataset(args->words[0]))
        return do_dataset(args->words[0], NULL, mode, args, &wish);
    path = array_path(args->words[0]);
    folder = dataset_with(path, find_variable_or_group, &inside);
    if (folder) {
        status = do_dataset(folder, inside, mode, args, &wish);
        free(folder);
        return status;
    }
    of.array = open_array(path, mode);
    if (!of.array)
        return FAILED;
    if (wish.dimension)
        return close_array(of.array, path, misused("--dimension goes with a dataset; %s is an array", path));
    status = do_words(&of, path, args, &wish);
    return mode == DRX_RDWR ? commit_array(of.array, path, status) : close_array(of.array, path, status);
}

const struct verb verb_attr = {
    .name = "attr",
    .summary = "Show, set and delete attributes of a dataset, a part of one, or an array",
    .usage = "PATH [NAME | NAME=VALUE ...] [--type TYPE] [--delete NAME,...] [--dimension NAME]",
    .words = "PATH\ta dataset, a variable or group of one, or an array\n"
             "NAME\tthe attribute to print; without one all are printed\n"
             "VALUE\ta text, or numbers separated by commas. All changes of a dataset are one commit\n",
    .examples = "  drx attr winds/u units\n"
                "  drx attr winds/u units='m s-1' valid_range=-100,100\n"
                "  drx attr winds title='Winds of 1982' version=3 --type int32\n"
                "  drx attr winds/ocean source=argo\n"
                "  drx attr winds --dimension time long_name='time of day'\n"
                "  drx attr winds --delete history\n",
    .run = attr,
};
