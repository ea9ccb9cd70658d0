/* The attributes in memory, in the order in which they were first set, with a hash table by name: reading a log of
 * many takes time in proportion to its length.
 *
 * Invariants
 *   1. place[] holds positions in attr[] + 1, or 0 where it is free. A name is at the first place from its hash on
 *      that no other name has. At least half of the places are free.
 *   2. A deleted attribute leaves a hole without a name until drxi_state_pack_attrs. There are at most a few more
 *      holes than attributes.
 *   3. The hash has a random key (Carter and Wegman's polynomials modulo a prime), so that nobody can choose names
 *      that collide. */
#include <sys/random.h>

#include "log/state.h"

__extension__ typedef unsigned __int128 wide;

enum { FEW = 16 };

static const uint64_t prime = (UINT64_C(1) << 61) - 1;

static int64_t first_place(const struct drxi_state *s, const char *name, size_t n)
{
    uint64_t hash = n;

    for (size_t i = 0; i < n; i++)
        hash = (uint64_t)((wide)(hash + (uint8_t)name[i] + 1) * s->attr_key % prime);
    return (int64_t)(hash & (uint64_t)(s->attr_places - 1));
}

/* The place of the name, or the free place where it belongs. */
static int64_t find_place(const struct drxi_state *s, const char *name, size_t n)
{
    int64_t at = first_place(s, name, n);

    for (; s->attr_place[at] != 0; at = (at + 1) & (s->attr_places - 1)) {
        const char *there = s->attr[s->attr_place[at] - 1].name;

        if (there && strlen(there) == n && memcmp(there, name, n) == 0)
            break;
    }
    return at;
}

int64_t drxi_state_find_attr(const struct drxi_state *s, const char *name, size_t name_bytes)
{
    return s->attrs == 0 ? -1 : s->attr_place[find_place(s, name, name_bytes)] - 1;
}

static void place_all(struct drxi_state *s)
{
    for (int64_t i = 0; i < s->attrs; i++)
        s->attr_place[find_place(s, s->attr[i].name, strlen(s->attr[i].name))] = i + 1;
}

void drxi_state_pack_attrs(struct drxi_state *s)
{
    int64_t kept = 0;

    if (s->attr_holes == 0)
        return;
    for (int64_t i = 0; i < s->attrs; i++)
        if (s->attr[i].name)
            s->attr[kept++] = s->attr[i];
    s->attrs = kept;
    s->attr_holes = 0;
    memset(s->attr_place, 0, (size_t)s->attr_places * sizeof *s->attr_place);
    place_all(s);
}

static void choose_key(struct drxi_state *s)
{
    if (getrandom(&s->attr_key, sizeof s->attr_key, GRND_NONBLOCK) != sizeof s->attr_key)
        s->attr_key = (uint64_t)(uintptr_t)s; /* too early after the machine started */
    s->attr_key = s->attr_key % (prime - 1) + 1;
}

/* Make room for one more attribute. */
static drx_status reserve_attr(struct drxi_state *s)
{
    const int64_t places = drxi_max(FEW, 2 * s->attr_places);
    int64_t *place;
    drx_status st = drxi_reserve(&s->attr, &s->attr_room, s->attrs + 1, sizeof *s->attr);

    if (st || 2 * (s->attrs + 1) <= s->attr_places)
        return st;
    place = drxi_calloc((size_t)places, sizeof *place);
    if (!place)
        return DRX_ENOMEM;
    if (s->attr_places == 0)
        choose_key(s);
    drxi_state_pack_attrs(s);
    drxi_free(s->attr_place);
    s->attr_place = place;
    s->attr_places = places;
    place_all(s);
    return DRX_OK;
}

void drxi_attr_free(struct drxi_attr *attr)
{
    drxi_free(attr->name);
    drxi_free(attr->values);
}

static void *copy_with_nul(const void *bytes, size_t n)
{
    char *copy = drxi_malloc(n + 1);

    if (copy && n > 0)
        memcpy(copy, bytes, n);
    if (copy)
        copy[n] = '\0';
    return copy;
}

drx_status drxi_state_make_attr(struct drxi_state *s, const struct drxi_attr_payload *payload, struct drxi_attr *made)
{
    const size_t value_bytes = (size_t)payload->n * drx_type_size(payload->type);
    drx_status st = reserve_attr(s);

    if (st)
        return st;
    made->type = payload->type;
    made->is_text = payload->is_text;
    made->n = payload->n;
    made->name = copy_with_nul(payload->name, payload->name_bytes);
    made->values = copy_with_nul(payload->values, value_bytes);
    if (made->name && made->values)
        return DRX_OK;
    drxi_attr_free(made);
    return DRX_ENOMEM;
}

void drxi_state_set_attr(struct drxi_state *s, const struct drxi_attr *made)
{
    const int64_t place = find_place(s, made->name, strlen(made->name));
    int64_t i = s->attr_place[place] - 1;

    if (i < 0) {
        i = s->attrs++;
        s->attr_place[place] = s->attrs;
    } else {
        drxi_attr_free(&s->attr[i]);
    }
    s->attr[i] = *made;
}

void drxi_state_delete_attr(struct drxi_state *s, int64_t i)
{
    drxi_attr_free(&s->attr[i]);
    memset(&s->attr[i], 0, sizeof s->attr[i]);
    s->attr_holes++;
    if (s->attr_holes > s->attrs / 2 + FEW)
        drxi_state_pack_attrs(s);
}

void drxi_state_free_attrs(struct drxi_state *s)
{
    for (int64_t i = 0; i < s->attrs; i++)
        drxi_attr_free(&s->attr[i]);
    drxi_free(s->attr);
    drxi_free(s->attr_place);
}
