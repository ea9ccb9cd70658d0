#include <dirent.h>

#include "logs.h"
#include "testing.h"

enum { MOST_LINE = 1 << 20, MOST_LOGS = 256 };

/* ---- the vectors: their files are one a line, "NAME": [LENGTH, {"OFFSET": "HEX", ...}] ---- */

static int digit(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* The hexadecimal digits at `text`, up to another character. */
static size_t take_hex(const char *text, uint8_t *out)
{
    size_t n = 0;

    for (; strchr("0123456789abcdef", text[2 * n]) && text[2 * n]; n++)
        out[n] = (uint8_t)(digit(text[2 * n]) << 4 | digit(text[2 * n + 1]));
    return n;
}

static void take_file(const char *text, struct log *out)
{
    char *at;

    out->n = strtoull(text, &at, 10);
    out->bytes = calloc(1, out->n);
    assert_non_null(out->bytes);
    while ((at = strchr(at, '"'))) {
        const size_t offset = strtoull(at + 1, &at, 10);

        at += strlen("\": \"");
        assert_true(offset + take_hex(at, out->bytes + offset) <= out->n);
        at = strchr(at, '"') + 1;
    }
}

static FILE *open_json(const char *folder, const char *name)
{
    char path[1024];
    FILE *in;

    (void)snprintf(path, sizeof path, "%s/%s/%s.json", SPEC, folder, name);
    in = fopen(path, "r");
    if (!in)
        print_error("%s is not there\n", path);
    assert_non_null(in);
    return in;
}

static void load_vector(const char *name, struct log *out)
{
    char *line = malloc(MOST_LINE), *at;
    FILE *in = open_json("vectors", name);

    memset(out, 0, sizeof *out);
    (void)snprintf(out->name, sizeof out->name, "%s", name);
    while (line && !out->bytes && fgets(line, MOST_LINE, in))
        if ((at = strstr(line, ".xmd\": [")) || (at = strstr(line, ".xds\": ["))) {
            out->kind = at[2] == 'm' ? DRXI_LONE_ARRAY : DRXI_DATASET;
            take_file(strchr(at, '[') + 1, out);
        }
    assert_non_null(out->bytes);
    (void)fclose(in);
    free(line);
}

/* The cases of a file of verdicts: the vector, and more records. */
static size_t load_verdicts(const char *name, struct log *out)
{
    char *line = malloc(MOST_LINE), what[64] = "";
    uint8_t *more = malloc(MOST_LINE);
    FILE *in = open_json("verdicts", name);
    size_t n = 0;

    while (line && fgets(line, MOST_LINE, in)) {
        if (strncmp(line, "\"what\": \"", 9) == 0)
            (void)snprintf(what, sizeof what, "%.20s: %.30s", name, line + 9);
        if (strncmp(line, "\"bytes\": \"", 10) != 0)
            continue;
        load_vector(name, &out[n]);
        (void)snprintf(out[n].name, sizeof out[n].name, "%s", what);
        add_to_log(&out[n], more, take_hex(line + 10, more));
        n++;
        assert_true(n < MOST_LOGS);
    }
    (void)fclose(in);
    free(line);
    free(more);
    return n;
}

static int ends_with_json(const struct dirent *entry)
{
    return strstr(entry->d_name, ".json") != NULL;
}

static size_t load_folder(const char *folder, struct log *out)
{
    struct dirent **entries;
    const int files = scandir(folder, &entries, ends_with_json, alphasort);
    size_t n = 0;

    assert_true(files > 0);
    for (int i = 0; i < files; i++) {
        char *const name = entries[i]->d_name;

        *strstr(name, ".json") = '\0';
        if (strstr(folder, "verdicts"))
            n += load_verdicts(name, out + n);
        else
            load_vector(name, &out[n++]);
        free(entries[i]);
    }
    free(entries);
    return n;
}

struct log *load_logs(size_t *n)
{
    struct log *logs = calloc(MOST_LOGS, sizeof *logs);

    assert_non_null(logs);
    *n = load_folder(SPEC "/vectors", logs);
    *n += load_folder(SPEC "/verdicts", logs + *n);
    return logs;
}

void free_logs(struct log *logs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(logs[i].bytes);
    free(logs);
}

/* ---- logs, made and changed ---- */

void add_to_log(struct log *log, const void *bytes, size_t n)
{
    log->bytes = realloc(log->bytes, log->n + n + 1);
    assert_non_null(log->bytes);
    memcpy(log->bytes + log->n, bytes, n);
    log->n += n;
}

struct log compose_log(enum drxi_store_kind kind, void (*put)(struct drxi_run *run))
{
    static const uint8_t id[DRXI_STORE_ID_BYTES] = { 1, 2, 3 };
    struct log log = { .name = "composed", .kind = kind, .bytes = calloc(1, DRXI_LOG_AT), .n = DRXI_LOG_AT };
    struct drxi_run run = { .at = DRXI_LOG_AT, .last = -1 };

    assert_non_null(log.bytes);
    run.crc = drxi_store_head_encode(kind, id, log.bytes);
    put(&run);
    drxi_run_count(&run);
    assert_ok(run.failed);
    add_to_log(&log, run.bytes, (size_t)run.n);
    drxi_run_free(&run);
    return log;
}

void promise(struct log *log)
{
    drxi_io *io = log_file(log, log->n);
    struct drxi_store s;
    enum drxi_log_tail tail;
    struct drxi_run run;

    assert_ok(drxi_store_begin(&s, io, log->kind));
    assert_ok(drxi_store_read(&s, io, DRXI_ANY_COMMIT, false, &tail));
    assert_int_equal(tail, DRXI_LOG_CLEAN);
    run = drxi_run_at(&s.end);
    drxi_put_sync(&run);
    drxi_run_count(&run);
    assert_ok(run.failed);
    if (!s.ends_with_sync)
        add_to_log(log, run.bytes, (size_t)run.n);
    drxi_run_free(&run);
    drxi_store_free(&s);
    (void)io->ops->close(io);
}

struct place *find_places(const struct log *log, size_t *n)
{
    struct place *places = calloc(log->n / DRXI_LOG_HEAD_BYTES + 1, sizeof *places);
    struct drxi_log_record record;
    uint32_t crc = drxi_get32(log->bytes + 8);
    uint64_t sequence = 0;
    size_t at = DRXI_LOG_AT;

    assert_non_null(places);
    for (*n = 0; drxi_log_record_decode(log->bytes + at, log->n - at, (int64_t)at, &record); at += record.bytes) {
        const bool base = at == DRXI_LOG_AT && record.kind == DRXI_LOG_BASE;

        if (record.prev != crc || (record.sequence != sequence + 1 && !base))
            break;
        places[(*n)++] = (struct place){ at, at + record.bytes, (record.flags & DRXI_C) != 0, record.kind };
        crc = record.crc;
        sequence = record.sequence;
    }
    return places;
}

/* ---- files, and what is read of them ---- */

void set_file(drxi_io *io, const uint8_t *bytes, size_t n)
{
    assert_ok(io->ops->resize(io, (int64_t)n));
    if (n > 0)
        assert_ok(io->ops->write(io, bytes, n, 0));
}

drxi_io *log_file(const struct log *log, size_t n)
{
    drxi_io *io;

    assert_ok(drxi_memory_open(&io));
    set_file(io, log->bytes, n);
    return io;
}

struct got read_on(struct drxi_store *s, drxi_io *io)
{
    struct got got = { .tail = DRXI_LOG_CLEAN };
    const char *fault;

    got.st = drxi_store_read(s, io, DRXI_ANY_COMMIT, false, &got.tail);
    got.digest = store_digest(s);
    if (got.st || got.tail == DRXI_LOG_DAMAGED)
        assert_true(drx_last_error()[0]);
    fault = find_fault(s);
    if (fault)
        print_error("the store has %s\n", fault);
    assert_null(fault);
    return got;
}

struct got read_new(drxi_io *io, enum drxi_store_kind kind)
{
    struct drxi_store s;
    struct got got = { .st = drxi_store_begin(&s, io, kind) };

    if (!got.st)
        got = read_on(&s, io);
    drxi_store_free(&s);
    return got;
}

struct history tell_history(const struct log *log)
{
    struct history h = { 0 };
    size_t n;
    struct place *places = find_places(log, &n);
    drxi_io *io = log_file(log, DRXI_LOG_AT);
    struct drxi_store s;

    h.end = calloc(n + 1, sizeof *h.end);
    h.digest = calloc(n + 1, sizeof *h.digest);
    assert_true(h.end && h.digest);
    assert_ok(drxi_store_begin(&s, io, log->kind));
    h.end[0] = DRXI_LOG_AT;
    h.digest[0] = store_digest(&s);
    drxi_store_free(&s);
    for (size_t i = 0; i < n; i++) {
        struct got got;

        if (!places[i].counts)
            continue;
        set_file(io, log->bytes, places[i].end);
        got = read_new(io, log->kind);
        if (got.st || got.tail != DRXI_LOG_CLEAN)
            break;
        h.end[++h.n] = places[i].end;
        h.digest[h.n] = got.digest;
    }
    (void)io->ops->close(io);
    free(places);
    return h;
}

void free_history(struct history *h)
{
    free(h->end);
    free(h->digest);
}

size_t runs_before(const struct history *h, size_t offset)
{
    size_t k = h->n;

    while (k > 0 && h->end[k] > offset)
        k--;
    return k;
}
