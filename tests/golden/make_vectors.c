/* make_vectors NAME.json ... - make each golden array NAME in the current folder, as its JSON tells.
 * spec/README.md explains the JSON, of which nothing but `files` comes from the library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <drx_tools.h>
#include <json-c/json.h>

#define IS_BIG (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)

static const char *making; /* what a message is about */

static void check(int good, const char *why)
{
    if (good)
        return;
    fprintf(stderr, "make_vectors: %s: %s\n", making, why);
    exit(1);
}

static void did(drx_status st)
{
    check(st == DRX_OK, drx_last_error());
}

static struct json_object *member(struct json_object *told, const char *key)
{
    return json_object_object_get(told, key); /* NULL: it has none */
}

static struct json_object *item(struct json_object *list, size_t i)
{
    return json_object_array_get_idx(list, i);
}

static int64_t number(struct json_object *list, size_t i)
{
    return json_object_get_int64(item(list, i));
}

static const char *word(struct json_object *list, size_t i)
{
    return json_object_get_string(item(list, i)); /* NULL for null */
}

static const int64_t *numbers(struct json_object *list, int64_t out[DRX_MAX_NDIM])
{
    const size_t n = json_object_array_length(list);

    check(n <= DRX_MAX_NDIM, "a list is too long");
    for (size_t i = 0; i < n; i++)
        out[i] = number(list, i);
    return out;
}

/* Elements from their little-endian bytes; returns how many bytes there are. */
static size_t bytes_of(const char *hex, drx_type type, unsigned char out[64])
{
    const size_t parts = type == DRX_COMPLEX64 || type == DRX_COMPLEX128 ? 2 : 1;
    const size_t width = DRX_IS_BYTES(type) ? 1 : DRX_IS_UNICODE(type) ? 4 : drx_type_size(type) / parts;
    size_t n = 0;

    for (; hex[2 * n]; n++)
        check(n < 64 && sscanf(hex + 2 * n, "%2hhx", &out[IS_BIG ? n - n % width + width - 1 - n % width : n]) == 1,
              "bytes are not hexadecimal");
    return n;
}

static drx_type type_of(const char *name)
{
    const drx_type type = drx_type_named(name);

    check(type != 0, "there is no such type");
    return type;
}

/* The digits of v, in Unicode after an e with an acute accent. */
static void store_digits(void *p, drx_type type, int64_t v)
{
    char digits[32];
    const int n = snprintf(digits, sizeof digits, "%lld", (long long)v);
    const int most = (int)drx_type_size(type) / (DRX_IS_UNICODE(type) ? 4 : 1);
    uint32_t *code = p;

    check(n < most, "a number has too many digits for the type");
    memset(p, 0, drx_type_size(type));
    if (DRX_IS_BYTES(type)) {
        memcpy(p, digits, (size_t)n);
        return;
    }
    code[0] = 0xe9;
    for (int i = 0; i < n; i++)
        code[i + 1] = (unsigned char)digits[i];
}

/* The element that stands for v: v itself in integers, modulo their range; v/8 in floating point; v/8 - vi in complex
 * numbers; whether v is odd in bools; the digits of v in strings. */
static void store(void *p, drx_type type, int64_t v)
{
    const double part[] = { (double)v / 8, (double)-v };
    const float small[] = { (float)part[0], (float)part[1] };
    const char odd = v % 2 != 0;
    const int is_small = type == DRX_FLOAT32 || type == DRX_COMPLEX64, is_real = type >= DRX_FLOAT32;

    if (DRX_IS_STRING(type))
        store_digits(p, type, v);
    else if (type == DRX_FLOAT16)
        did(drx_convert(DRX_FLOAT64, part, type, p, 1, DRX_NEAREST));
    else if (type == DRX_BOOL)
        memcpy(p, &odd, sizeof odd);
    else if (is_real)
        memcpy(p, is_small ? (const void *)small : (const void *)part, drx_type_size(type));
    else
        memcpy(p, (const char *)&v + (IS_BIG ? sizeof v - drx_type_size(type) : 0), drx_type_size(type));
}

/* A box of elements that stand for first, first + 1, ... */
static void *elements(const drx_array *a, const int64_t count[], int64_t first)
{
    const size_t bytes = drx_type_size(drx_dtype(a));
    int64_t n = 1;
    char *buf;

    for (int j = 0; j < drx_ndim(a); j++)
        n *= count[j];
    buf = calloc((size_t)n + 1, bytes);
    check(buf != NULL, "memory is short");
    for (int64_t i = 0; i < n; i++)
        store(buf + (size_t)i * bytes, drx_dtype(a), first + i);
    return buf;
}

static drx_array *create(const char *name, struct json_object *told)
{
    struct json_object *first = item(member(told, "done"), 0);
    int64_t shape[DRX_MAX_NDIM], chunk[DRX_MAX_NDIM], lower[DRX_MAX_NDIM];
    const char *folders[8];
    unsigned char fill[DRX_MAX_STRING_BYTES] = { 0 };
    drx_spec spec = { .ndim = (int)json_object_array_length(member(told, "chunk")),
                      .type = type_of(json_object_get_string(member(told, "dtype"))),
                      .shape = numbers(member(told, "initial_shape"), shape),
                      .chunk = numbers(member(told, "chunk"), chunk),
                      .fill = fill,
                      .align = json_object_get_int64(member(told, "align")) };
    drx_array *a;

    if (member(told, "lower"))
        spec.lower = numbers(member(told, "lower"), lower);
    if (*json_object_get_string(member(told, "order")) == 'F')
        spec.chunk_order = DRX_COL_MAJOR;
    spec.flags |= json_object_get_boolean(member(told, "shell")) ? DRX_SHELL : 0;
    spec.flags |= json_object_get_boolean(member(told, "checksums")) ? DRX_CHECKSUM : 0;
    spec.flags |= json_object_get_boolean(member(told, "temporary")) ? DRX_TEMPORARY : 0;
    if (member(told, "codec")) {
        spec.codec = (drx_codec)drx_codec_named(word(member(told, "codec"), 0));
        spec.level = (int)number(member(told, "codec"), 1);
        spec.shuffle = (drx_shuffle)drx_shuffle_named(word(member(told, "codec"), 2));
    }
    (void)bytes_of(json_object_get_string(member(told, "fill")), spec.type, fill);
    if (first && strcmp(word(first, 0), "stripes") == 0)
        for (; spec.nstripes + 1 < (int)json_object_array_length(first); spec.nstripes++)
            folders[spec.nstripes] = word(first, (size_t)spec.nstripes + 1);
    spec.stripes = spec.nstripes ? folders : NULL;
    did(drx_create(name, &spec, &a));
    return a;
}

static void append(drx_array *a, int axis, int64_t by, int64_t first, int before)
{
    int64_t count[DRX_MAX_NDIM];
    void *buf;

    memcpy(count, drx_shape(a), (size_t)drx_ndim(a) * sizeof *count);
    count[axis] = by;
    buf = elements(a, count, first);
    did((before ? drx_prepend : drx_append)(a, axis, by, DRX_ROW_MAJOR, buf));
    free(buf);
}

static void write_box(drx_array *a, struct json_object *at, struct json_object *count, int64_t first)
{
    int64_t lo[DRX_MAX_NDIM], n[DRX_MAX_NDIM];
    void *buf = elements(a, numbers(count, n), first);

    did(drx_write(a, numbers(at, lo), n, DRX_ROW_MAJOR, buf));
    free(buf);
}

static void set_attribute(drx_array *a, const char *name, drx_type type, const char *hex)
{
    unsigned char values[64];
    const size_t n = bytes_of(hex, type, values);

    did(drx_attr_set(a, name, type, (int64_t)(n / drx_type_size(type)), values));
}

static void act(drx_array *a, struct json_object *words)
{
    const char *verb = word(words, 0);

    if (strcmp(verb, "write") == 0)
        write_box(a, item(words, 1), item(words, 2), number(words, 3));
    else if (strcmp(verb, "extend") == 0)
        did(drx_extend(a, (int)number(words, 1), number(words, 2)));
    else if (strcmp(verb, "append") == 0)
        append(a, (int)number(words, 1), number(words, 2), number(words, 3), 0);
    else if (strcmp(verb, "prepend") == 0)
        append(a, (int)number(words, 1), number(words, 2), number(words, 3), 1);
    else if (strcmp(verb, "before") == 0)
        did(drx_extend_before(a, (int)number(words, 1), number(words, 2)));
    else if (strcmp(verb, "trim") == 0)
        did(drx_trim(a, (int)number(words, 1), number(words, 2), number(words, 3)));
    else if (strcmp(verb, "axis") == 0)
        did(drx_add_axis(a, (int)number(words, 1), word(words, 2)));
    else if (strcmp(verb, "attribute") == 0)
        set_attribute(a, word(words, 1), type_of(word(words, 2)), word(words, 3));
    else if (strcmp(verb, "text") == 0)
        did(drx_attr_set_text(a, word(words, 1), word(words, 2)));
    else if (strcmp(verb, "delete") == 0)
        did(drx_attr_delete(a, word(words, 1)));
    else if (strcmp(verb, "name") == 0)
        did(drx_dim_rename(a, (int)number(words, 1), word(words, 2)));
    else if (strcmp(verb, "sync") == 0)
        did(drx_sync(a));
    else
        check(strcmp(verb, "stripes") == 0, "there is no such action");
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct json_object *told = json_object_from_file(argv[i]), *done;
        char name[64];
        drx_array *a;

        making = argv[i];
        check(told != NULL, json_util_get_last_err());
        making = strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i];
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(making, "."), making);
        a = create(name, told);
        done = member(told, "done");
        for (size_t k = 0; k < json_object_array_length(done); k++)
            act(a, item(done, k));
        if (json_object_get_boolean(member(told, "temporary")))
            did(drx_persist(a, 0));
        did(drx_close(a));
        json_object_put(told);
    }
    return 0;
}
