#include "info.h"

#include <inttypes.h>
#include <string.h>

#include "frame/team.h"
#include "show/map/map_picture.h"

enum { SAMPLE_BYTES = 16 << 20, MOST_CHUNKS = 64, NAME = 7 /* columns */ };

#define TRIAL(name, ...) { DRX_##name, 5, DRX_SHUFFLE_BYTE },

static const struct codec trials[] = { { DRX_LZ4, 5, DRX_SHUFFLE_BIT },   { DRX_ZSTD, 1, DRX_SHUFFLE_BYTE },
                                       { DRX_ZSTD, 5, DRX_SHUFFLE_NONE }, { DRX_ZSTD, 5, DRX_SHUFFLE_BIT },
                                       { DRX_ZSTD, 9, DRX_SHUFFLE_BYTE }, DRX_CODEC_LIST(TRIAL) };

_Static_assert(sizeof trials / sizeof *trials == CODEC_TRIALS, "one place for each");

static double ratio(const struct codec_table *t, int i)
{
    return (double)t->trial[i].raw_bytes / (double)t->trial[i].packed_bytes;
}

static double per_second(double bytes, double seconds)
{
    return seconds > 0 ? bytes / seconds : 0;
}

static double unpacked(const struct codec_table *t, int i)
{
    return per_second((double)t->trial[i].raw_bytes, t->trial[i].unpack_seconds);
}

/* Of those whose size is within 5 % of the smallest, the one that is read fastest. */
static void choose(struct codec_table *t)
{
    double most = 1.05;

    t->best = -1;
    for (int i = 0; i < t->n; i++)
        if (ratio(t, i) > most)
            most = ratio(t, i);
    for (int i = 0; i < t->n; i++)
        if (ratio(t, i) * 1.05 >= most && ratio(t, i) > 1.05 && (t->best < 0 || unpacked(t, i) > unpacked(t, t->best)))
            t->best = i;
}

int try_codecs(struct codec_table *t, drx_array *a, const char *path)
{
    const bool single = drx_type_size(drx_dtype(a)) == 1; /* no bytes to shuffle */
    const int64_t bytes = box_bytes(drx_ndim(a), drx_chunk(a), drx_type_size(drx_dtype(a)));
    int64_t most = bytes > 0 ? SAMPLE_BYTES / bytes : 1;
    drx_status st = DRX_OK;

    memset(t, 0, sizeof *t);
    t->of_chunks = chunks_inside(a);
    most = most < 1 ? 1 : most > MOST_CHUNKS ? MOST_CHUNKS : most;
    t->chunks = most < t->of_chunks ? most : t->of_chunks;
    for (int i = 0; !st && i < CODEC_TRIALS; i++) {
        struct codec codec = trials[i];

        if (single && codec.shuffle == DRX_SHUFFLE_NONE)
            continue; /* the same as another */
        if (single && codec.shuffle == DRX_SHUFFLE_BYTE)
            codec.shuffle = DRX_SHUFFLE_NONE;
        t->codec[t->n] = codec;
        st = drx_try_codec(a, codec.codec, codec.level, codec.shuffle, most, &t->trial[t->n]);
        t->n += !st;
    }
    choose(t);
    return exit_code(path, st);
}

static void put_row(const struct codec_table *t, int i, int64_t array_bytes)
{
    const drx_trial *trial = &t->trial[i];
    char size[SIZE_TEXT_BYTES];

    size_text((int64_t)((double)array_bytes / ratio(t, i)), size);
    put("%-*s %5d  %-7s %7.2f  %10s  %11.0f  %13.0f\n", NAME, drx_codec_name(t->codec[i].codec), t->codec[i].level,
        drx_shuffle_name(t->codec[i].shuffle), ratio(t, i), size,
        per_second((double)trial->raw_bytes, trial->pack_seconds) / (1 << 20), unpacked(t, i) / (1 << 20));
}

void put_codecs_text(const struct codec_table *t, const drx_array *a, const char *path)
{
    const int64_t chunk_bytes = box_bytes(drx_ndim(a), drx_chunk(a), drx_type_size(drx_dtype(a)));
    const struct codec *best = t->best < 0 ? NULL : &t->codec[t->best];
    const char *options = path[0] == '-' ? "-- " : "";

    put("%" PRId64 " of %" PRId64 " chunk%s, compressed and decompressed by one thread\n\n", t->chunks, t->of_chunks,
        t->of_chunks == 1 ? "" : "s");
    put("%-*s %5s  %-7s %7s  %10s  %11s  %13s\n", NAME, "codec", "level", "shuffle", "ratio", "all chunks",
        "write MiB/s", "read MiB/s");
    for (int i = 0; i < t->n; i++)
        put_row(t, i, t->of_chunks * chunk_bytes);
    if (!best) {
        put("\nNone of them makes it smaller by more than a twentieth.\n");
        return;
    }
    put("\ndrx copy --codec %s --level %d --shuffle %s %s", drx_codec_name(best->codec), best->level,
        drx_shuffle_name(best->shuffle), options);
    write_word(team_output(), path, " ");
    write_word(team_output(), path, "-new\n");
}

void put_codecs_json(struct json *j, const struct codec_table *t)
{
    json_number(j, "sample_chunks", t->chunks);
    json_begin(j, "codecs", '[', true);
    for (int i = 0; i < t->n; i++) {
        const double numbers[] = { ratio(t, i), per_second((double)t->trial[i].raw_bytes, t->trial[i].pack_seconds),
                                   unpacked(t, i) };

        json_begin(j, NULL, '{', false);
        json_string(j, "codec", drx_codec_name(t->codec[i].codec));
        json_number(j, "level", t->codec[i].level);
        json_string(j, "shuffle", drx_shuffle_name(t->codec[i].shuffle));
        json_value(j, "ratio", DRX_FLOAT64, &numbers[0]);
        json_value(j, "write_bytes_per_second", DRX_FLOAT64, &numbers[1]);
        json_value(j, "read_bytes_per_second", DRX_FLOAT64, &numbers[2]);
        json_boolean(j, "best", i == t->best);
        json_end(j, '}');
    }
    json_end(j, ']');
}
