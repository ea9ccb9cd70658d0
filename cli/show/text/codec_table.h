/* What codecs make of a sample of the chunks of an array, and how fast. */
#ifndef CODEC_TABLE_H
#define CODEC_TABLE_H

#include "arrays/codec_choice.h"
#include "frame/json.h"

#define ONE_MORE(...) +1

enum { CODEC_TRIALS = 5 DRX_CODEC_LIST(ONE_MORE) };

struct codec_table {
    int64_t chunks, of_chunks; /* of the sample, and in the bounds */
    int n;
    struct codec codec[CODEC_TRIALS];
    drx_trial trial[CODEC_TRIALS];
    int best; /* -1: none makes it smaller by more than a twentieth */
};

/* Try them. Gives the exit code. */
int try_codecs(struct codec_table *t, drx_array *a, const char *path);

void put_codecs_text(const struct codec_table *t, const drx_array *a, const char *path);
void put_codecs_json(struct json *j, const struct codec_table *t); /* members of the current object */

#endif
