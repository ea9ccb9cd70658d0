/* How a file compresses a variable, as an array would. */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "source.h"

/* The level of ours that comes nearest to one of zstd, which has 22. */
static int level_of_zstd(size_t n, const unsigned params[])
{
    const int level = n > 0 && (int)params[0] > 0 ? (int)params[0] : 3;

    return level >= 17 ? 9 : (level + 1) / 2;
}

#define BY_COMPRESSOR(name, number, text, compressor, ...) [compressor] = DRX_##name,

enum { MOST_COMPRESSORS = 8 }; /* of Blosc */

/* The parameters of the filter: four numbers about the frame, level, shuffle, codec. */
static void take_blosc(struct codec *c, size_t n, const unsigned params[])
{
    static const drx_codec codecs[MOST_COMPRESSORS] = { DRX_CODEC_LIST(BY_COMPRESSOR) };
    const drx_codec codec = n > 6 && params[6] < MOST_COMPRESSORS ? codecs[params[6]] : DRX_RAW;

    c->codec = codec ? codec : DRX_LZ4; /* which comes near to those that DRX lacks, as blosclz and snappy */
    c->level = n > 4 && params[4] >= 1 && params[4] <= 9 ? (int)params[4] : 5;
    c->shuffle = n > 5 && params[5] < 3 ? (drx_shuffle)(DRX_SHUFFLE_NONE + params[5]) : DRX_SHUFFLE_BYTE;
}

/* *shuffle: of the filters before. */
static void take_filter(struct codec *c, const struct stored_filter *f, drx_shuffle *shuffle)
{
    const unsigned *params = f->params;
    const size_t n = f->n;

    switch (f->id) {
    case SHUFFLE_FILTER:
        *shuffle = DRX_SHUFFLE_BYTE;
        break;
    case DEFLATE_FILTER:
        if (n > 0 && params[0] == 0) /* it stores */
            break;
        *c = (struct codec){ DRX_ZLIB, n > 0 && params[0] <= 9 ? (int)params[0] : 0, c->shuffle };
        break;
    case BLOSC_FILTER:
        take_blosc(c, n, params);
        return;
    case BITSHUFFLE_FILTER: /* its fifth parameter: the codec that follows, 0 for none */
        *shuffle = DRX_SHUFFLE_BIT;
        if (n > 4 && params[4])
            c->codec = params[4] == 3 ? DRX_ZSTD : DRX_LZ4;
        break;
    case ZSTD_FILTER:
        *c = (struct codec){ DRX_ZSTD, level_of_zstd(n, params), c->shuffle };
        break;
    case LZ4_FILTER:
    case LZF_FILTER:
        c->codec = DRX_LZ4;
        break;
    case SZIP_FILTER:
    case BZIP2_FILTER:
        c->codec = DRX_ZSTD;
        break;
    default:
        break;
    }
    if (c->codec != DRX_RAW)
        c->shuffle = *shuffle ? *shuffle : DRX_SHUFFLE_NONE;
}

struct codec codec_of_filters(const drx_source *s)
{
    drx_shuffle shuffle = DRX_SHUFFLE_AUTO;
    struct codec c = { .codec = DRX_RAW };

    for (struct stored_filter f = { 0 }; next_filter(s, &f);)
        take_filter(&c, &f, &shuffle);
    return c;
}

bool source_take_filter(struct source *s, unsigned id, size_t n, const unsigned params[])
{
    const size_t at = s->origin.nwords;
    uint32_t *more = reallocarray(s->filters, at + 2 + n, sizeof *more);

    if (!more)
        return !out_of_memory((int64_t)(n * sizeof *more));
    more[at] = id;
    more[at + 1] = (uint32_t)n;
    memcpy(more + at + 2, params, n * sizeof *more);
    s->filters = more;
    s->origin.filters = more;
    s->origin.nwords += 2 + n;
    s->codec = codec_of_filters(&s->origin);
    return true;
}

const drx_source *source_origin(const struct source *s)
{
    return s->stored ? &s->origin : NULL;
}

static int missing(unsigned id, const char *label)
{
    const struct filter *f = filter_of(id);

    return failed(
        "%s: HDF5 has no plugin for its filter %u (%s); %s%s%sset HDF5_PLUGIN_PATH to the folder that has one", label,
        id, f->name, f->package ? "install " : "", f->package ? f->package : "", f->package ? ", or " : "");
}

bool source_lacks_filter(const struct source *s)
{
    const hid_t errors = H5Eget_current_stack(); /* asking clears it */
    struct stored_filter f = { 0 };
    bool more;

    while ((more = next_filter(&s->origin, &f)) && H5Zfilter_avail((H5Z_filter_t)f.id) > 0)
        ;
    (void)H5Eset_current_stack(errors);
    if (more)
        (void)missing(f.id, s->label);
    return more;
}
