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

void json_codec(struct json *j, const drx_spec *spec)
{
    json_string(j, "codec", spec->codec ? drx_codec_name(spec->codec) : NULL);
    if (!spec->codec)
        return;
    json_number(j, "level", spec->level);
    json_string(j, "shuffle", drx_shuffle_name(spec->shuffle));
}
