/* What the library reads of logs: dump_store LOG ... prints, of each, a line of JSON as spec/vectors has it, without
 * elements. LOG:K is the dataset as of commit K. */
#include <stdio.h>
#include <stdlib.h>

#include "store/store.h"

static const char *comma = "";

static void text(const char *t)
{
    putchar('"');
    for (; *t; t++)
        if (*t == '"' || *t == '\\')
            printf("\\%c", *t);
        else if ((unsigned char)*t < 32)
            printf("\\u%04x", (unsigned)*t);
        else
            putchar(*t);
    putchar('"');
}

static void hex(const void *bytes, size_t n)
{
    putchar('"');
    for (size_t i = 0; i < n; i++)
        printf("%02x", ((const uint8_t *)bytes)[i]);
    putchar('"');
}

static void path(const struct drxi_store *s, uint16_t group)
{
    const struct drxi_group *g = drxi_store_group(s, group);

    if (group == 0)
        return;
    path(s, g->thing.group);
    putchar('/');
    for (const char *t = drxi_thing_name(&g->thing); *t; t++)
        printf(*t == '"' || *t == '\\' ? "\\%c" : "%c", *t);
}

static void path_of(const struct drxi_store *s, uint16_t group)
{
    printf("\"%s", group == 0 ? "/" : "");
    path(s, group);
    putchar('"');
}

static void attributes(const struct drxi_store *s, const struct drxi_attrs *t)
{
    printf("\"attributes\": [");
    for (int64_t i = 0; i < t->n; i++) {
        const struct drxi_attr *a = &t->item[i];
        const bool null = a->rank == DRXI_NULL;
        uint32_t bytes;
        bool known;

        (void)drxi_store_type_bytes(s, a->stored, &bytes, &known);

        printf("%s{\"name\": ", i ? ", " : "");
        text(a->name);
        printf(", \"type\": %u, \"text\": %s, \"null\": %s, \"extents\": [", a->stored, a->is_text ? "true" : "false",
               null ? "true" : "false");
        for (int j = 0; !null && j < a->rank; j++)
            printf("%s%lld", j ? ", " : "", (long long)a->extents[j]);
        printf("], \"values_hex\": ");
        if (known)
            hex(a->values, a->bytes);
        printf(known ? "}" : "null}");
    }
    printf("]");
}

static void begin(const struct drxi_store *s, const struct drxi_thing *t)
{
    printf("%s{\"number\": %d, \"group\": ", comma, t->number);
    path_of(s, t->group);
    printf(", \"name\": ");
    text(drxi_thing_name(t));
    printf(", ");
    attributes(s, &t->attrs);
    comma = ",\n ";
}

static void groups(const struct drxi_store *s)
{
    comma = "";
    printf("\"groups\": [{\"number\": 0, \"path\": \"/\", \"attributes\": []}");
    for (int i = 1; i <= s->group.largest; i++) {
        const struct drxi_group *g = drxi_store_group(s, (uint16_t)i);

        if (!g || g->thing.removed)
            continue;
        printf(", {\"number\": %d, \"path\": ", i);
        path_of(s, (uint16_t)i);
        printf(", ");
        attributes(s, &g->thing.attrs);
        putchar('}');
    }
    printf("],\n");
}

static void others(const struct drxi_store *s)
{
    comma = "";
    printf("\"types\": [");
    for (int i = 1; i <= s->type.largest; i++) {
        const struct drxi_type *t = drxi_store_type(s, (uint16_t)i);

        if (!t)
            continue;
        printf("%s{\"number\": %d, \"group\": ", comma, 256 + i);
        path_of(s, t->thing.group);
        printf(", \"name\": ");
        text(drxi_thing_name(&t->thing));
        printf(", \"cls\": %d, \"bytes\": ", t->class);
        if (t->known)
            printf("%u}", t->bytes);
        else
            printf("null}");
        comma = ", ";
    }
    comma = "";
    printf("],\n\"dimensions\": [");
    for (int i = 1; i <= s->dimension.largest; i++) {
        const struct drxi_dimension *d = drxi_store_dimension(s, (uint16_t)i);

        if (!d || d->thing.removed)
            continue;
        begin(s, &d->thing);
        printf(", \"bounds\": [%lld, %lld]}", (long long)d->lower, (long long)d->upper);
    }
    comma = "";
    printf("],\n\"commits\": [");
    for (int64_t i = 0; i < s->commits; i++) {
        printf("%s{\"number\": %lld, \"time\": %lld, \"message\": ", comma, (long long)s->commit[i].number,
               (long long)s->commit[i].time);
        text(s->commit[i].message ? s->commit[i].message : "");
        putchar('}');
        comma = ", ";
    }
    printf("],\n");
}

/* Bounds, chunks and the number of addresses. */
static void map(const struct drxi_store *s, const struct drxi_variable *v)
{
    struct drxi_state state;
    int64_t step;
    drx_status st = drxi_store_map(s, v, &state, &step);

    if (st == DRX_OK) {
        printf(", \"Q\": %lld, \"bounds\": [", (long long)state.map.chunks);
        for (int j = 0; j < state.desc.ndim; j++)
            printf("%s[%lld, %lld]", j ? ", " : "", (long long)state.lower[j], (long long)state.upper[j]);
        printf("], \"chunk\": [");
        for (int j = 0; j < state.desc.ndim; j++)
            printf("%s%lld", j ? ", " : "", (long long)state.desc.chunk[j]);
        printf("]");
    } else if (v->ndim == 0) {
        printf(", \"Q\": 1, \"bounds\": [], \"chunk\": []");
    }
    drxi_state_free(&state);
    if (v->fill) {
        printf(", \"fill_hex\": ");
        hex(v->fill, v->item_bytes);
    }
}

static void variables(const struct drxi_store *s)
{
    comma = "";
    printf("\"variables\": [");
    for (int i = 1; i <= s->variable.largest; i++) {
        const struct drxi_variable *v = drxi_store_variable(s, (uint16_t)i);

        if (!v || v->thing.removed)
            continue;
        begin(s, &v->thing);
        printf(", \"type\": %u, \"refused\": %s, \"null\": %s, \"bytes\": %u, \"dims\": [", v->type,
               v->refused ? "true" : "false", v->null ? "true" : "false", v->item_bytes);
        for (int j = 0; j < v->ndim; j++)
            printf("%s%d", j ? ", " : "", v->dim[j]);
        printf("]");
        if (!v->refused && !v->null)
            map(s, v);
        printf("}");
    }
    printf("]");
}

static void show(const char *name, char *path_and_commit)
{
    static const char *const tails[] = { "clean", "open", "torn", "damaged" };
    char *const colon = strrchr(path_and_commit, ':');
    const int64_t commit = colon ? strtoll(colon + 1, NULL, 10) : DRXI_ANY_COMMIT;
    struct drxi_store s;
    enum drxi_log_tail tail = DRXI_LOG_CLEAN;
    drxi_io *io;
    drx_status st;

    if (colon)
        *colon = '\0';
    name = strrchr(path_and_commit, '.');
    if (!name || drxi_posix.open(path_and_commit, DRXI_READ, &io)) {
        fprintf(stderr, "%s\n", drx_last_error());
        exit(1);
    }
    st = drxi_store_begin(&s, io, strcmp(name, ".xds") == 0 ? DRXI_DATASET : DRXI_LONE_ARRAY);
    if (!st)
        st = drxi_store_read(&s, io, commit, true, &tail);
    printf("{\"why\": ");
    text(st || tail == DRXI_LOG_DAMAGED ? drx_last_error() : "");
    if (st == DRX_EDAMAGED || st == DRX_EUNSUPPORTED || st == DRX_ERANGE) {
        printf(", \"error\": \"%s\"}\n", st == DRX_EDAMAGED ? "damaged" : st == DRX_ERANGE ? "none" : "refused");
    } else if (st) {
        exit(1);
    } else {
        printf(", \"log\": \"%s\", \"creation_id\": ", tails[tail]);
        hex(s.id, sizeof s.id);
        printf(", ");
        attributes(&s, &s.root.thing.attrs);
        printf(",\n");
        groups(&s);
        others(&s);
        variables(&s);
        printf("}\n");
    }
    printf("\f\n");
    drxi_store_free(&s);
    (void)io->ops->close(io);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        show("", argv[i]);
    return 0;
}
