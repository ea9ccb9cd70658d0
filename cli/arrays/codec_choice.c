#include "arrays.h"

#include <string.h>

#include "frame/json.h"

#define TEXT(name, number, text, ...) text,

bool take_codec(const char *what, char *text, void *out)
{
    static const char *const names[] = { "none", DRX_CODEC_LIST(TEXT) NULL };
    struct codec_choice *choice = out;
    const int i = strcmp(text, drx_codec_name(DRX_RAW)) == 0 ? 0 : parse_choice(what, text, names);

    if (i < 0)
        return false;
    choice->given = true;
    choice->codec.codec = i == 0 ? DRX_RAW : (drx_codec)drx_codec_named(names[i]);
    return true;
}

bool take_level(const char *what, char *text, void *out)
{
    int64_t level;

    if (!parse_number(what, text, 1, &level))
        return false;
    *(int *)out = (int)level;
    return level <= 9 || !misused("%s %s is too large; give 1 to 9", what, text);
}

int check_codec(const struct codec_choice *choice, const struct opt opts[])
{
    static const char *const of_codec[] = { "level", "shuffle" };
    static const char *const others[] = { "checksum", "stripe" };
    const bool packs = choice->codec.codec != DRX_RAW;

    for (int i = 0; i < 2 && !packs; i++)
        if (is_given(opts, of_codec[i]))
            return misused("--%s goes with a codec; give --codec with one of %s", of_codec[i], drx_codec_names());
    for (int i = 0; i < 2 && packs; i++)
        if (is_given(opts, others[i]))
            return misused("--%s does not go with --codec; %s", others[i],
                           i == 0 ? "each compressed chunk has a checksum already"
                                  : "the chunks of a compressed array lie in one file");
    return DONE;
}

struct codec codec_for(const struct codec_choice *choice, const struct codec *own, int nstripes, unsigned flags)
{
    static const struct codec none;

    if (choice->given)
        return choice->codec;
    return nstripes || (flags & DRX_CHECKSUM) ? none : *own;
}

struct codec codec_of(const drx_array *a)
{
    drx_spec spec;

    drx_describe(a, &spec);
    return (struct codec){ spec.codec, spec.level, spec.shuffle };
}

void set_codec(drx_spec *spec, const struct codec *codec)
{
    spec->codec = codec->codec;
    spec->level = codec->level;
    spec->shuffle = codec->shuffle;
}

const char *codec_text(const drx_spec *spec, char out[CODEC_TEXT_BYTES])
{
    (void)snprintf(out, CODEC_TEXT_BYTES, "%s, level %d, %s shuffle", drx_codec_name(spec->codec), spec->level,
                   spec->shuffle == DRX_SHUFFLE_NONE ? "no" : drx_shuffle_name(spec->shuffle));
    return out;
}

const struct filter *filter_of(unsigned id)
{
    static const struct filter filters[] = {
        { DEFLATE_FILTER, "deflate", NULL, true, true },
        { SHUFFLE_FILTER, "shuffle", NULL, true, false },
        { FLETCHER32_FILTER, "fletcher32", NULL, true, false },
        { SZIP_FILTER, "SZIP", NULL, true, false },
        { 5, "nbit", NULL, false, false },
        { 6, "scale-offset", NULL, false, false },
        { BZIP2_FILTER, "bzip2", "hdf5-filter-plugin", true, true },
        { LZF_FILTER, "LZF", "hdf5-plugin-lzf", true, false },
        { BLOSC_FILTER, "Blosc", "hdf5-filter-plugin-blosc-serial", true, false },
        { LZ4_FILTER, "LZ4", "hdf5-filter-plugin", true, false },
        { BITSHUFFLE_FILTER, "bitshuffle", "hdf5-filter-plugin", true, false },
        { 32013, "ZFP", "hdf5-filter-plugin-zfp-serial", false, false },
        { ZSTD_FILTER, "zstd", NULL, true, true },
        { 32026, "Blosc2", NULL, false, false },
        { 0, "filter", NULL, false, false },
    };
    const struct filter *f = filters;

    while (f->id && f->id != id)
        f++;
    return f;
}

bool next_filter(const drx_source *s, struct stored_filter *f)
{
    const uint32_t *at = s->filters + f->next;

    if (f->next >= s->nwords)
        return false;
    *f = (struct stored_filter){ at[0], at[1], f->next + 2 + at[1], at + 2 };
    return true;
}

const char *source_text(const drx_spec *spec, char out[SOURCE_TEXT_BYTES])
{
    const drx_source *s = spec->source;
    const bool big = s && s->byte_order == DRX_BIG_ENDIAN;
    size_t n = (size_t)snprintf(out, SOURCE_TEXT_BYTES, "%s", big ? "big-endian" : "");

    for (struct stored_filter f = { 0 }; s && n < SOURCE_TEXT_BYTES && next_filter(s, &f);) {
        const struct filter *known = filter_of(f.id);
        char number[16] = "";

        if (!known->id || (known->level && f.n > 0))
            (void)snprintf(number, sizeof number, " %u", known->id ? f.params[0] : f.id);
        n += (size_t)snprintf(out + n, SOURCE_TEXT_BYTES - n, "%s%s%s", n ? ", " : "", known->name, number);
    }
    return out;
}

void json_codec(struct json *j, const drx_spec *spec)
{
    char source[SOURCE_TEXT_BYTES];

    if (source_text(spec, source)[0])
        json_string(j, "source", source);
    json_string(j, "codec", spec->codec ? drx_codec_name(spec->codec) : NULL);
    if (!spec->codec)
        return;
    json_number(j, "level", spec->level);
    json_string(j, "shuffle", drx_shuffle_name(spec->shuffle));
}
