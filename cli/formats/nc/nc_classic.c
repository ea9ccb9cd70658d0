/* Does a classic file hold the whole variable? netCDF does not tell where it begins, but the header does (NetCDF
 * Classic Format Specification). */
#include <inttypes.h>
#include <netcdf.h>
#include <string.h>

#include "nc.h"

struct header {
    FILE *file;
    bool good;
    int count_bytes, offset_bytes; /* of a number of things, and of an offset */
};

/* The next big-endian number; 0, and not good, at the end of the file. */
static int64_t number(struct header *h, int bytes)
{
    uint64_t value = 0;
    int c;

    for (int i = 0; h->good && i < bytes; i++) {
        c = getc(h->file);
        h->good = c != EOF;
        value = value << 8 | (unsigned)(c & 0xff);
    }
    h->good = h->good && value <= INT64_MAX;
    return h->good ? (int64_t)value : 0;
}

/* Pass over n things of `bytes`, padded to a multiple of 4. */
static void pass(struct header *h, int64_t n, int64_t bytes)
{
    int64_t all;

    h->good = h->good && !__builtin_mul_overflow(n, bytes, &all) && all < INT64_MAX - 3 &&
              fseeko(h->file, (all + 3) / 4 * 4, SEEK_CUR) == 0;
}

static void pass_name(struct header *h)
{
    pass(h, number(h, h->count_bytes), 1);
}

/* The length of a list; 0 if it is absent. */
static int64_t list(struct header *h)
{
    (void)number(h, 4); /* what it is a list of */
    return number(h, h->count_bytes);
}

static void pass_attributes(struct header *h)
{
    static const int bytes_of_type[] = { 1, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8 };
    int64_t type;

    for (int64_t left = list(h); h->good && left > 0; left--) {
        pass_name(h);
        type = number(h, 4);
        h->good = h->good && type < 12;
        pass(h, number(h, h->count_bytes), h->good ? bytes_of_type[type] : 1);
    }
}

/* Where variable `id` begins, and the bytes of one record of all variables. */
static int64_t find_begin(struct header *h, int id, int64_t record_dim, int64_t *record_bytes)
{
    int64_t n = 0, begin = 0, place, bytes, first_dim;

    for (int64_t left = list(h); h->good && left > 0; left--) { /* dimensions */
        pass_name(h);
        (void)number(h, h->count_bytes);
    }
    pass_attributes(h);
    *record_bytes = 0;
    for (int64_t i = 0, all = list(h); h->good && i < all; i++) {
        pass_name(h);
        first_dim = -1;
        for (int64_t k = 0, ndim = number(h, h->count_bytes); h->good && k < ndim; k++) {
            const int64_t dim = number(h, h->count_bytes);

            first_dim = k == 0 ? dim : first_dim;
        }
        pass_attributes(h);
        (void)number(h, 4); /* type */
        bytes = number(h, h->count_bytes);
        place = number(h, h->offset_bytes);
        begin = i == id ? place : begin;
        if (first_dim >= 0 && first_dim == record_dim) {
            n++;
            h->good = h->good && !__builtin_add_overflow(*record_bytes, bytes, record_bytes);
        }
    }
    if (n == 1)
        *record_bytes = 0; /* not padded: that of its variable */
    return begin;
}

/* Where the variable, which perhaps has records, ends in the file; -1: the header is not understood. */
static int64_t end_of(struct header *h, const struct source *s, int record_dim, bool records)
{
    const struct nc *nc = s->state;
    const size_t bytes = drx_type_size(s->type);
    const int64_t own = records ? box_bytes(s->ndim - 1, s->shape + 1, bytes) : box_bytes(s->ndim, s->shape, bytes);
    int64_t version, record_bytes, end;

    version = number(h, 4) & 0xff; /* 1, 2 or 5 */
    h->offset_bytes = version == 1 ? 4 : 8;
    h->count_bytes = version == 5 ? 8 : 4;
    (void)number(h, h->count_bytes); /* of records */
    end = find_begin(h, nc->id, record_dim, &record_bytes);
    if (!h->good || own < 0)
        return -1;
    if (records && (__builtin_mul_overflow(record_bytes ? record_bytes : own, s->shape[0] - 1, &record_bytes) ||
                    __builtin_add_overflow(end, record_bytes, &end)))
        return -1;
    return __builtin_add_overflow(end, own, &end) ? -1 : end;
}

bool nc_is_whole(const struct source *s)
{
    const struct nc *nc = s->state;
    struct header h = { .good = true };
    int ids[NC_MAX_VAR_DIMS] = { -2 }; /* a scalar has none */
    int record_dim = -1;
    int64_t end, bytes;

    if (box_bytes(s->ndim, s->shape, 1) == 0 || nc_inq_unlimdim(nc->root, &record_dim) != NC_NOERR ||
        nc_inq_vardimid(nc->root, nc->id, ids) != NC_NOERR)
        return true;
    h.file = fopen(s->file, "rbe");
    if (!h.file)
        return failed_errno(s->file, "open") == DONE;
    end = end_of(&h, s, record_dim, ids[0] == record_dim);
    bytes = fseeko(h.file, 0, SEEK_END) == 0 ? (int64_t)ftello(h.file) : INT64_MAX;
    (void)fclose(h.file);
    if (end <= bytes)
        return true;
    return !failed("%s: is cut off; the file has %" PRId64 " bytes, expected at least %" PRId64, s->label, bytes, end);
}
