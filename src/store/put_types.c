/* Records of types, composed (spec/drx-format.md, section 4.3). */
#include "store/kinds.h"

enum { OWN = 256, BYTES = 1, UNICODE };

/* Types that go to the log together. */
struct putting {
    struct drxi_run *run;
    const struct drxi_store *s;
    uint16_t group, next;
    const char *beside;
    int64_t n, room;
    struct new_type {
        drx_type type;
        uint16_t number;
    } * list;
};

static uint32_t put_number(struct putting *p, drx_type type);

static const char *name_of(drx_type type)
{
    const drx_type_info *info = drx_type_describe(type);

    return info ? info->name : "";
}

/* One that is there: seen from the group, or any; 0: none. */
static uint16_t find_type(const struct putting *p, drx_type type)
{
    uint16_t found = 0;

    for (int i = 1; i <= p->s->type.largest; i++) {
        const struct drxi_type *t = drxi_store_type(p->s, (uint16_t)i);

        if (!t || t->type != type || (DRX_IS_DEFINED(type) && strcmp(drxi_thing_name(&t->thing), name_of(type)) != 0))
            continue;
        if (drxi_store_is_above(p->s, t->thing.group, p->group))
            return (uint16_t)i;
        found = found ? found : (uint16_t)i;
    }
    return found;
}

/* Whether the group has the name, or gets it with the same records. */
static bool is_name_taken(const struct putting *p, const char *name)
{
    bool taken = strcmp(p->beside, name) == 0;

    for (int what = DRXI_A_GROUP; what < DRXI_WHATS; what++)
        taken = taken || (what != DRXI_A_DIMENSION && drxi_store_find(p->s, (enum drxi_what)what, p->group, name));
    for (int64_t i = 0; i < p->n; i++)
        taken = taken || strcmp(name_of(p->list[i].type), name) == 0;
    return taken;
}

static drx_status check_new(const struct putting *p, const char *name)
{
    if (p->next == 0)
        return drxi_fail(DRX_EOVERFLOW, "it has had %d types, which is the most: copy it", DRXI_MOST_THINGS);
    if (*name && is_name_taken(p, name))
        return drxi_fail(DRX_EEXIST, "type '%s': its group has something else of that name", name);
    return DRX_OK;
}

/* ---- the payload ---- */

static void put_values(struct drxi_run *run, const drx_type_info *info)
{
    uint8_t value[8];

    drxi_run32(run, (uint32_t)info->base);
    drxi_run32(run, (uint32_t)info->nmembers);
    for (int i = 0; i < info->nmembers; i++) {
        memcpy(value, info->members[i].value, info->bytes);
        drxi_swap(value, info->bytes, info->base);
        drxi_run_bytes(run, value, info->bytes);
        drxi_run_text(run, info->members[i].name);
    }
}

static void put_fields(struct drxi_run *run, const drx_type_info *info, const uint32_t number[])
{
    drxi_run32(run, (uint32_t)info->nmembers);
    for (int i = 0; i < info->nmembers; i++) {
        const drx_member *m = &info->members[i];

        drxi_run32(run, (uint32_t)m->offset);
        drxi_run32(run, number[i]);
        drxi_run8(run, (uint8_t)m->rank);
        drxi_run_zeros(run, 3);
        for (int j = 0; j < m->rank; j++)
            drxi_run32(run, (uint32_t)m->extents[j]);
        drxi_run_text(run, m->name);
    }
}

static void put_class(struct drxi_run *run, drx_type type, const drx_type_info *info, const uint32_t number[])
{
    drxi_run8(run, info ? (uint8_t)info->type_class : DRX_IS_BYTES(type) ? BYTES : UNICODE);
    drxi_run_zeros(run, 3);
    drxi_run32(run, (uint32_t)drx_type_size(type));
    if (!info)
        return;
    if (info->type_class == DRX_ENUM) {
        put_values(run, info);
    } else if (info->type_class == DRX_COMPOUND) {
        put_fields(run, info, number);
    } else if (info->type_class == DRX_OPAQUE) {
        drxi_run_text(run, info->tag);
    } else {
        drxi_run8(run, (uint8_t)info->first_bit);
        drxi_run8(run, (uint8_t)info->nbits);
    }
}

/* ---- one type, and those of its fields ---- */

static void put_record(struct putting *p, drx_type type, const uint32_t number[])
{
    struct drxi_run *run = p->run;

    if (!run->failed)
        run->failed = check_new(p, name_of(type));
    if (!run->failed)
        run->failed = drxi_reserve(&p->list, &p->room, p->n + 1, sizeof *p->list);
    if (run->failed)
        return;
    p->list[p->n++] = (struct new_type){ type, p->next };
    drxi_run_begin(run, DRXI_LOG_TYPE, p->next);
    drxi_run16(run, p->group);
    drxi_run_text(run, name_of(type));
    put_class(run, type, drx_type_describe(type), number);
    drxi_run_end(run);
    p->next++;
}

/* Those of fields come first. */
static uint32_t put_new(struct putting *p, drx_type type)
{
    const drx_type_info *info = drx_type_describe(type);
    const int n = info && info->type_class == DRX_COMPOUND ? info->nmembers : 0;
    uint32_t *number = drxi_malloc((size_t)n * sizeof *number);

    if (!number && !p->run->failed)
        p->run->failed = DRX_ENOMEM;
    for (int i = 0; number && i < n; i++)
        number[i] = put_number(p, info->members[i].type);
    put_record(p, type, number);
    drxi_free(number);
    return p->run->failed ? 0 : OWN + (uint32_t)p->list[p->n - 1].number;
}

static uint32_t put_number(struct putting *p, drx_type type)
{
    uint16_t found;

    if (DRX_IS_NUMBER(type) || p->run->failed)
        return (uint32_t)type;
    for (int64_t i = 0; i < p->n; i++)
        if (p->list[i].type == type)
            return OWN + (uint32_t)p->list[i].number;
    found = find_type(p, type);
    return found ? OWN + (uint32_t)found : put_new(p, type);
}

void drxi_put_new_type(struct drxi_run *run, const struct drxi_store *s, uint16_t group, drx_type type)
{
    struct putting p = { .run = run, .s = s, .group = group, .next = drxi_store_next(s, DRXI_A_TYPE), .beside = "" };

    (void)put_new(&p, type);
    drxi_free(p.list);
}

uint32_t drxi_put_type(struct drxi_run *run, const struct drxi_store *s, uint16_t group, const char *beside,
                       drx_type type)
{
    struct putting p = {
        .run = run, .s = s, .group = group, .next = drxi_store_next(s, DRXI_A_TYPE), .beside = beside
    };
    const uint32_t number = put_number(&p, type);

    drxi_free(p.list);
    return number;
}
