/* Parsing the printed form of an axis set, with one word of lookahead. It reads every list twice: to count and to
 * store. */
#include "dap/dap_internal.h"

#include <errno.h>
#include <stdlib.h>

struct reader {
    const char *text;
    const char *word; /* the current one; its length is 0 at the end */
    size_t length;
    struct dapi_place at;
};

static const char blanks[] = " \t\n\v\f\r";

static void advance(struct reader *r)
{
    r->word += r->length;
    r->word += strspn(r->word, blanks);
    r->length = strcspn(r->word, blanks);
}

static bool is_word(const struct reader *r, const char *word)
{
    return r->length == strlen(word) && memcmp(r->word, word, r->length) == 0;
}

static bool take_word(struct reader *r, const char *word)
{
    if (!is_word(r, word))
        return false;
    advance(r);
    return true;
}

static int unexpected(const struct reader *r, const char *expected)
{
    return dapi_wrong(&r->at, DAP_ESYNTAX, NULL, "column %zu: %s%.*s%s, expected %s", (size_t)(r->word - r->text) + 1,
                      r->length ? "'" : "the end", r->length > 40 ? 40 : (int)r->length, r->word, r->length ? "'" : "",
                      expected);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool at_number(const struct reader *r)
{
    return r->length > 0 && is_digit(r->word[r->word[0] == '-']);
}

/* A decimal number that is at least `least`, 0 or INT64_MIN. */
static int parse_number(struct reader *r, int64_t least, int64_t *out)
{
    const char *expected =
        least < 0 ? "a whole number that fits 64 bits" : "a whole number from 0 up that fits 64 bits";
    char *end;

    if (!at_number(r))
        return unexpected(r, expected);
    errno = 0;
    *out = strtoll(r->word, &end, 10);
    if (errno || end != r->word + r->length || *out < least)
        return unexpected(r, expected);
    advance(r);
    return DAP_OK;
}

/* room for n_indices after the descriptions */
static int make_set(const struct reader *r, int64_t grid_size, int64_t n_indices, struct dap_dim **out)
{
    const int64_t per_dim = drxi_ceil_div(sizeof **out, sizeof(int64_t));

    if (grid_size < 1 || grid_size > DAP_MAX_PARSED)
        return dapi_wrong(&r->at, DAP_EINVAL, "proc_grid_size", "%lld, expected 1 to %d", (long long)grid_size,
                          (int)DAP_MAX_PARSED);
    *out = dapi_alloc(grid_size * per_dim + n_indices, sizeof(int64_t));
    if (!*out)
        return dapi_wrong(&r->at, DAP_ENOMEM, NULL, "out of memory for %lld descriptions and %lld indices",
                          (long long)grid_size, (long long)n_indices);
    return DAP_OK;
}

void dap_free(struct dap_dim *set)
{
    dapi_free(set);
}

/* B: what is at each border belongs to the ranks at its two sides. */

static int64_t count_numbers(struct reader r)
{
    int64_t n = 0;

    for (; at_number(&r); advance(&r))
        n++;
    return n;
}

static int read_borders(struct reader *r, struct dap_dim set[], int64_t grid_size)
{
    int64_t bound = 0;
    int status = DAP_OK;

    for (int64_t k = 0; !status && k <= grid_size; k++) {
        status = parse_number(r, 0, &bound);
        if (!status && k < grid_size)
            set[k].start = bound;
        if (!status && k > 0)
            set[k - 1].stop = bound;
    }
    for (int64_t k = 0; k < grid_size; k++) {
        set[k].dist_type = 'b';
        set[k].size = bound;
        set[k].proc_grid_size = grid_size;
        set[k].proc_grid_rank = k;
    }
    return status;
}

static int read_paddings(struct reader *r, struct dap_dim set[], int64_t grid_size)
{
    int64_t width = 0;
    bool fits = true;
    int status = DAP_OK;

    for (int64_t k = 0; !status && k <= grid_size; k++) {
        status = parse_number(r, 0, &width);
        if (!status && k < grid_size)
            set[k].padding[0] = width;
        if (!status && k > 0)
            set[k - 1].padding[1] = width;
    }
    for (int64_t k = 0; !status && k < grid_size; k++) {
        set[k].start -= dapi_shared_before(&set[k]);
        fits = fits && drxi_add(set[k].stop, dapi_shared_after(&set[k]), &set[k].stop);
    }
    if (!fits)
        return dapi_wrong(&r->at, DAP_EOVERFLOW, "padding", "a section with its padding does not fit 64 bits");
    return status;
}

static int parse_block(struct reader *r, struct dap_dim **out)
{
    const int64_t borders = count_numbers(*r);
    int status;

    if (borders < 2) {
        for (int64_t k = 0; k < borders; k++)
            advance(r);
        return unexpected(r, "at least two borders, 0 the first and the size the last");
    }
    status = make_set(r, borders - 1, 0, out);
    if (!status)
        status = read_borders(r, *out, borders - 1);
    if (!status && take_word(r, "padding"))
        status = read_paddings(r, *out, borders - 1);
    if (!status && take_word(r, "periodic"))
        for (int64_t k = 0; k < borders - 1; k++)
            (*out)[k].flags = DAP_DIM_PERIODIC;
    return status;
}

static int read_alias(struct reader *r, struct dap_dim **out)
{
    int64_t size;
    int status = parse_number(r, 0, &size);

    if (!status)
        status = make_set(r, 1, 0, out);
    return status ? status : dap_undistributed(size, *out);
}

static int read_cyclic(struct reader *r, struct dap_dim **out)
{
    int64_t size, grid_size, block_size = 1;
    int status = parse_number(r, 0, &size);

    if (!status && !take_word(r, "over"))
        status = unexpected(r, "over");
    if (!status)
        status = parse_number(r, 0, &grid_size);
    if (!status && take_word(r, "block"))
        status = parse_number(r, 0, &block_size);
    if (!status && block_size < 1)
        status = dapi_wrong(&r->at, DAP_EINVAL, "block_size", "0, expected at least 1");
    if (!status)
        status = make_set(r, grid_size, 0, out);
    for (int64_t k = 0; !status && k < grid_size; k++)
        status = dap_cyclic(size, 1, block_size, grid_size, k, &(*out)[k]);
    return status;
}

static void count_lists(struct reader r, int64_t *lists, int64_t *indices)
{
    *lists = *indices = 0;
    for (; r.length > 0; advance(&r)) {
        *lists += is_word(&r, "[");
        *indices += at_number(&r);
    }
}

static int read_list(struct reader *r, struct dap_dim *d, int64_t *room)
{
    int64_t n = 0;
    int status = DAP_OK;

    if (!take_word(r, "["))
        return unexpected(r, "[");
    while (!status && !is_word(r, "]"))
        status = at_number(r) ? parse_number(r, INT64_MIN, &room[n++]) : unexpected(r, "an index or ]");
    if (status)
        return status;
    advance(r);
    d->n_indices = n;
    d->indices = n ? room : NULL;
    return DAP_OK;
}

static int read_unstructured(struct reader *r, struct dap_dim **out)
{
    int64_t size, lists, n;
    int64_t *room;
    int status = parse_number(r, 0, &size);

    if (status)
        return status;
    count_lists(*r, &lists, &n);
    if (lists == 0)
        return unexpected(r, "[");
    status = make_set(r, lists, n, out);
    room = status ? NULL : (int64_t *)(void *)(*out + lists);
    for (int64_t k = 0; !status && k < lists; k++) {
        status = read_list(r, &(*out)[k], room);
        room += (*out)[k].n_indices;
    }
    if (status)
        return status;
    n = take_word(r, "one_to_one") ? DAP_DIM_ONE_TO_ONE : 0;
    for (int64_t k = 0; k < lists; k++) {
        (*out)[k].dist_type = 'u';
        (*out)[k].flags = (uint32_t)n;
        (*out)[k].size = size;
        (*out)[k].proc_grid_size = lists;
        (*out)[k].proc_grid_rank = k;
    }
    return DAP_OK;
}

static int read_line(struct reader *r, struct dap_dim **out)
{
    int status;

    if (take_word(r, "b"))
        status = parse_block(r, out);
    else if (take_word(r, "c"))
        status = read_cyclic(r, out);
    else if (take_word(r, "u"))
        status = read_unstructured(r, out);
    else if (take_word(r, "{}"))
        status = read_alias(r, out);
    else
        return unexpected(r, "b, c, u or {}");
    if (!status && r->length > 0)
        status = unexpected(r, "the end");
    return status;
}

int dap_parse(const char *text, struct dap_dim **set, char *why, size_t why_bytes)
{
    struct reader r = { .text = text, .word = text, .at = dapi_nowhere(why, why_bytes) };
    struct dap_dim *made = NULL;
    int status;

    *set = NULL;
    if (!text)
        return dapi_wrong(&r.at, DAP_EINVAL, NULL, "a null pointer, expected the printed form of an axis");
    advance(&r);
    status = read_line(&r, &made);
    if (!status)
        status = dap_validate_dims_set(made->proc_grid_size, 1, made, NULL, why, why_bytes);
    if (status)
        dap_free(made);
    else
        *set = made;
    return status;
}
