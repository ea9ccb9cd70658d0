/* How a file compresses a variable, as an array would. */
#include <hdf5.h>

#include "source.h"

/* Numbers of HDF5's filters. */
enum {
    DEFLATE = 1,
    SHUFFLE = 2,
    SZIP = 4,
    BZIP2 = 307,
    LZF = 32000,
    BLOSC = 32001,
    LZ4 = 32004,
    BITSHUFFLE = 32008,
    ZFP = 32013,
    ZSTD = 32015,
    BLOSC2 = 32026
};

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

void source_take_filter(struct source *s, unsigned id, size_t n, const unsigned params[])
{
    enum { MOST = sizeof s->filter / sizeof *s->filter - 1 };
    struct codec *c = &s->codec;
    int known = 0;

    while (known < MOST && s->filter[known])
        known++;
    if (known < MOST)
        s->filter[known] = id;
    switch (id) {
    case SHUFFLE:
        s->shuffled = DRX_SHUFFLE_BYTE;
        break;
    case DEFLATE:
        if (n > 0 && params[0] == 0) /* it stores */
            break;
        *c = (struct codec){ DRX_ZLIB, n > 0 && params[0] <= 9 ? (int)params[0] : 0, c->shuffle };
        break;
    case BLOSC:
        take_blosc(c, n, params);
        return;
    case BITSHUFFLE: /* its fifth parameter: the codec that follows, 0 for none */
        s->shuffled = DRX_SHUFFLE_BIT;
        if (n > 4 && params[4])
            c->codec = params[4] == 3 ? DRX_ZSTD : DRX_LZ4;
        break;
    case ZSTD:
        *c = (struct codec){ DRX_ZSTD, level_of_zstd(n, params), c->shuffle };
        break;
    case LZ4:
    case LZF:
        c->codec = DRX_LZ4;
        break;
    case SZIP:
    case BZIP2:
        c->codec = DRX_ZSTD;
        break;
    default:
        break;
    }
    if (c->codec != DRX_RAW)
        c->shuffle = s->shuffled ? s->shuffled : DRX_SHUFFLE_NONE;
}

static int missing(unsigned id, const char *label)
{
    static const struct {
        unsigned id;
        const char *name, *package;
    } filters[] = {
        { SZIP, "SZIP", NULL },
        { BZIP2, "bzip2", "hdf5-filter-plugin" },
        { LZF, "LZF", "hdf5-plugin-lzf" },
        { BLOSC, "Blosc", "hdf5-filter-plugin-blosc-serial" },
        { LZ4, "LZ4", "hdf5-filter-plugin" },
        { BITSHUFFLE, "bitshuffle", "hdf5-filter-plugin" },
        { ZFP, "ZFP", "hdf5-filter-plugin-zfp-serial" },
        { ZSTD, "zstd", NULL },
        { BLOSC2, "Blosc2", NULL },
    };
    const char *name = "another one", *package = NULL;

    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
        if (filters[i].id == id) {
            name = filters[i].name;
            package = filters[i].package;
        }
    return failed(
        "%s: HDF5 has no plugin for its filter %u (%s); %s%s%sset HDF5_PLUGIN_PATH to the folder that has one", label,
        id, name, package ? "install " : "", package ? package : "", package ? ", or " : "");
}

bool source_lacks_filter(const struct source *s)
{
    const hid_t errors = H5Eget_current_stack(); /* asking clears it */
    int i = 0;

    while (s->filter[i] && H5Zfilter_avail((H5Z_filter_t)s->filter[i]) > 0)
        i++;
    (void)H5Eset_current_stack(errors);
    if (s->filter[i])
        (void)missing(s->filter[i], s->label);
    return s->filter[i] != 0;
}
