/* --codec, --level and --shuffle of create, copy and import: how the chunks of a new array are compressed. */
#ifndef CODEC_CHOICE_H
#define CODEC_CHOICE_H

#include "frame/cli.h"

struct json;

struct codec {
    drx_codec codec; /* DRX_RAW: not compressed */
    int level;       /* 1 to 9; 0: the library chooses */
    drx_shuffle shuffle;
};

struct codec_choice {
    bool given; /* by --codec, which may say that nothing is compressed */
    struct codec codec;
};

#define OR_CODEC(name, number, text, ...) "|" text

/* Three rows of a table of options; `otherwise` is text that ends the help of the first. */
#define CODEC_OPTIONS(choice, otherwise)                                                                             \
    { "codec", "none" DRX_CODEC_LIST(OR_CODEC), "compress each chunk; default: " otherwise, (choice),                \
      .take = take_codec },                                                                                          \
        { "level", "N", "with --codec: from 1 (fast) to 9 (small); default 5", &(choice)->codec.level,               \
          .take = take_level },                                                                                      \
    {                                                                                                                \
        "shuffle", "none|byte|bit",                                                                                  \
            "with --codec: what is done to a chunk before it is compressed; default byte, and none for elements of " \
            "one byte",                                                                                              \
            &(choice)->codec.shuffle, .names = NAMES("none", "byte", "bit"), .first = DRX_SHUFFLE_NONE               \
    }

bool take_codec(const char *what, char *text, void *out); /* struct codec_choice */
bool take_level(const char *what, char *text, void *out); /* int */

/* Do the options go together, and with the others? Gives the exit code. */
int check_codec(const struct codec_choice *choice, const struct opt opts[]);

/* What is to be used for an array whose source is stored as `own` says: the choice, else that of the source, unless
 * stripes or checksums, which no codec goes with, are asked for. */
struct codec codec_for(const struct codec_choice *choice, const struct codec *own, int nstripes, unsigned flags);

struct codec codec_of(const drx_array *a);
void set_codec(drx_spec *spec, const struct codec *codec);

/* Codec, level and shuffle; or a codec of null. */
void json_codec(struct json *j, const drx_spec *spec);

/* "zstd, level 5, byte shuffle". */
enum { CODEC_TEXT_BYTES = 64 };
const char *codec_text(const drx_spec *spec, char out[CODEC_TEXT_BYTES]);

#endif
