#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "show/text/info.h"
#include "verbs.h"

struct wish {
    struct advice advice;
    char **texts; /* of --access */
    int *ncount;  /* numbers in each */
    bool codecs, json;
};

static int make_room(struct wish *wish, int n)
{
    struct advice *a = &wish->advice;
    const size_t room = (size_t)n;

    wish->texts = calloc(room, sizeof *wish->texts);
    wish->ncount = calloc(room, sizeof *wish->ncount);
    a->access = calloc(room, sizeof *a->access);
    a->count = calloc(room, sizeof *a->count);
    a->before = calloc(room, sizeof *a->before);
    a->after = calloc(room, sizeof *a->after);
    if (wish->texts && wish->ncount && a->access && a->count && a->before && a->after)
        return DONE;
    return out_of_memory((int64_t)room * (int64_t)sizeof *a->count);
}

static void release_wish(struct wish *wish)
{
    free(wish->texts);
    free(wish->ncount);
    free(wish->advice.access);
    free(wish->advice.count);
    free(wish->advice.before);
    free(wish->advice.after);
}

/* The number after the x of --access. */
static bool parse_times(const char *text, const char *times, double *out)
{
    char *end;

    *out = strtod(times, &end);
    return (end > times && !*end && *out > 0 && *out < 1e300) ||
           !misused("--access '%s' has '%s' after the x; give a number above 0, how many times as often", text, times);
}

/* N,N,... or N,N,...xTIMES */
static bool take_access(const char *what, char *text, void *to)
{
    struct wish *wish = to;
    struct advice *a = &wish->advice;
    char *x = strchr(text, 'x');
    double times = 1;
    struct numbers numbers;
    bool good;

    if (x && !parse_times(text, x + 1, &times))
        return false;
    if (x)
        *x = '\0';
    good = take_indices(what, text, &numbers);
    if (x)
        *x = 'x';
    memcpy(a->count[a->n], numbers.of, sizeof numbers.of);
    wish->ncount[a->n] = numbers.n;
    a->access[a->n] = (drx_access){ a->count[a->n], times };
    wish->texts[a->n++] = text;
    return good;
}

static bool take_some_alignment(const char *what, char *text, void *out)
{
    return take_some_bytes(what, text, out) && take_alignment(what, text, out);
}

static int check_access(const struct wish *wish, int i)
{
    const struct advice *a = &wish->advice;
    char axis[AXIS_TEXT_BYTES];

    if (wish->ncount[i] != a->now.ndim)
        return failed("%s: --access %s has %d number%s; give %d, one for each axis", a->path, wish->texts[i],
                      wish->ncount[i], wish->ncount[i] == 1 ? "" : "s", a->now.ndim);
    for (int j = 0; j < a->now.ndim; j++)
        if (a->count[i][j] < 1 || a->count[i][j] > a->now.shape[j])
            return failed("%s: --access %s has an extent of %" PRId64 " on %s; give 1 to %" PRId64, a->path,
                          wish->texts[i], a->count[i][j], axis_text(a->array, j, axis), a->now.shape[j]);
    return DONE;
}

static int check_advised(const struct wish *wish)
{
    const struct advice *a = &wish->advice;
    char axis[AXIS_TEXT_BYTES];
    int status = DONE;

    for (int j = 0; j < a->now.ndim; j++)
        if (a->now.shape[j] == 0)
            return failed("%s: has no elements, because its extent on %s is 0", a->path, axis_text(a->array, j, axis));
    for (int i = 0; status == DONE && i < a->n; i++)
        status = check_access(wish, i);
    return status;
}

static int give_advice(struct wish *wish)
{
    struct advice *a = &wish->advice;
    struct json json = { 0 };
    struct codec_table codecs;
    int status = check_advised(wish);
    drx_status st = DRX_OK;

    if (status == DONE && wish->codecs)
        status = try_codecs(&codecs, a->array, a->path);
    if (status != DONE)
        return status;
    a->codecs = wish->codecs ? &codecs : NULL;
    if (a->n)
        st = drx_advise(a->array, a->n, a->access, &a->spec, &a->advice, a->before, a->after);
    if (st == DRX_ERANGE)
        return failed("%s: --memory: %s", a->path, drx_last_error());
    if (st)
        return failed_drx(a->path, st);
    if (wish->json)
        put_advice_json(&json, a);
    else
        put_advice_text(a);
    a->codecs = NULL;
    return DONE;
}

static int advise_on(struct wish *wish, char *word)
{
    struct advice *a = &wish->advice;

    a->path = array_path(word);
    a->array = open_array(a->path, DRX_RDONLY);
    if (!a->array)
        return FAILED;
    drx_describe(a->array, &a->now);
    return close_array(a->array, a->path, give_advice(wish));
}

static int advise(struct args *args)
{
    struct wish wish = { 0 };
    drx_advise_spec *spec = &wish.advice.spec;
    struct opt opts[] = {
        { "access", "N,N,...",
          "extents of a typical request, one for each axis. With xTIMES after them, as in "
          "4,32768x10, it is that many times as frequent as others",
          &wish, .take = take_access },
        { "codecs", .to = &wish.codecs,
          .help = "compress a sample of chunks with several codecs, in memory: what they come to, and how fast" },
        { "size", "SIZE", "bytes of a chunk at most, such as 4M; default 1M", &spec->chunk_bytes,
          .take = take_some_bytes },
        { "align", "BYTES",
          "begin each chunk at a multiple of BYTES, a power of two, such as the stripes of the file "
          "system; default: at most one of its blocks",
          &spec->align, .take = take_some_alignment },
        { "memory", "SIZE", "memory for the copy at most; default 512M", &spec->memory_bytes, .take = take_some_bytes },
        { "json", .to = &wish.json, .letter = 'j', .help = "print the advice as JSON" },
        { 0 },
    };
    int status = make_room(&wish, args->argc);

    if (status == DONE && !parse_args(args, opts, "PATH"))
        status = args->status;
    else if (status == DONE && wish.advice.n == 0 && !wish.codecs)
        status = misused("--access is missing; give the extents of a typical request, or --codecs");
    else if (status == DONE)
        status = advise_on(&wish, args->words[0]);
    release_wish(&wish);
    return status;
}

const struct verb verb_advise = {
    .name = "advise",
    .summary = "Propose a chunk for typical requests, or a codec, and say what they bring",
    .usage = "PATH [--access N,N,... ...] [--codecs] [OPTION ...]",
    .examples = "  drx advise sst --access 1,180,360 --access 12,30,30x5\n"
                "  drx advise matrix --access 10,2 --size 4M --align 64K\n"
                "  drx advise sst --codecs\n",
    .run = advise,
};
