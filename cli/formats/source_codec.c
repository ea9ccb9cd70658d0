/* How a file compresses a variable, as an array would. */
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
    ZSTD = 32015
};

/* The level of ours that comes nearest to one of zstd, which has 22. */
static int level_of_zstd(size_t n, const unsigned params[])
{
    const int level = n > 0 && (int)params[0] > 0 ? (int)params[0] : 3;

    return level >= 17 ? 9 : (level + 1) / 2;
}

/* The parameters of the filter: four numbers about the frame, level, shuffle, codec. */
static void take_blosc(struct codec *c, size_t n, const unsigned params[])
{
    static const drx_codec codecs[] = {
        DRX_LZ4, DRX_LZ4, DRX_LZ4, DRX_LZ4, DRX_ZLIB, DRX_ZSTD
    }; /* blosclz, lz4, ... */
    static const drx_shuffle shuffles[] = { DRX_SHUFFLE_NONE, DRX_SHUFFLE_BYTE, DRX_SHUFFLE_BIT };

    c->codec = n > 6 && params[6] < 6 ? codecs[params[6]] : DRX_LZ4;
    c->level = n > 4 && params[4] >= 1 && params[4] <= 9 ? (int)params[4] : 5;
    c->shuffle = n > 5 && params[5] < 3 ? shuffles[params[5]] : DRX_SHUFFLE_BYTE;
}

void source_take_filter(struct source *s, unsigned id, size_t n, const unsigned params[])
{
    struct codec *c = &s->codec;

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
