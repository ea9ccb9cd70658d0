/* What is sent for an ask, and what becomes of the answer. */
#include "remote/wire/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

enum {
    TRIES = 6, /* unless DRX_HTTP_TRIES says otherwise, */
    MOST_TRIES = 100,
    MOST_HEADER_BYTES = 1 << 16,
    MOST_TEXT_BYTES = 1 << 16, /* of a refusal; beyond, the connection is cut */
    MOST_WAIT = 30,            /* seconds that a server may ask to wait */
    FIRST_WAIT_MS = 100,
    PROGRESS_BYTES = 1 << 16, /* a try that brought this many does not count */
    CONNECT_SECONDS = 15,
    STALL_SECONDS = 30, /* without a byte, unless DRX_HTTP_TIMEOUT says otherwise */
    MOST_SECONDS = 3600,
    MOST_REDIRECTS = 5,
    SETTLED_SECONDS = 2 /* after a change, the next one gives another time */
};

/* ---- headers ---- */

/* The value of a header, if it is the one of that name; its length. */
static const char *value_of(const char *line, size_t n, const char *name, size_t *bytes)
{
    const size_t skip = strlen(name);

    if (n <= skip || strncasecmp(line, name, skip) != 0 || line[skip] != ':')
        return NULL;
    line += skip + 1;
    n -= skip + 1;
    while (n > 0 && (*line == ' ' || *line == '\t')) {
        line++;
        n--;
    }
    while (n > 0 && (line[n - 1] == '\r' || line[n - 1] == '\n' || line[n - 1] == ' ' || line[n - 1] == '\t'))
        n--;
    *bytes = n;
    return line;
}

/* Copy a header if it is the one of that name. What is too long is left out, and then cannot be what it was. */
static void take_text(const char *line, size_t n, const char *name, char *out, size_t room)
{
    size_t bytes;
    const char *value = value_of(line, n, name, &bytes);

    if (value)
        (void)snprintf(out, room, "%.*s", bytes < room ? (int)bytes : 0, value);
}

/* A number of at most 18 digits; -1: it is none. */
static int64_t parse_digits(const char **at, const char *end)
{
    const char *const begin = *at;
    int64_t n = 0;

    while (*at < end && **at >= '0' && **at <= '9' && *at - begin < 18)
        n = 10 * n + (*(*at)++ - '0');
    return *at > begin && (*at == end || **at < '0' || **at > '9') ? n : -1;
}

/* "bytes 0-99/1000", "bytes * /1000" (without the space), "bytes 0-99/" and a star. */
static void take_range(const char *value, const char *end, struct drxi_answer *a)
{
    if (end - value < 7 || strncasecmp(value, "bytes ", 6) != 0)
        return;
    value += 6;
    if (*value == '*') {
        value++;
    } else {
        a->from = parse_digits(&value, end);
        if (value == end || *value++ != '-')
            return;
        a->to = parse_digits(&value, end);
    }
    if (value < end && *value++ == '/' && value < end)
        a->total = parse_digits(&value, end);
}

static double seconds_of(const char *value, size_t n)
{
    const char *at = value;
    const int64_t seconds = parse_digits(&at, value + n);
    char date[64];
    time_t when;

    if (seconds >= 0)
        return (double)drxi_min(seconds, MOST_WAIT);
    (void)snprintf(date, sizeof date, "%.*s", (int)(n < sizeof date ? n : sizeof date - 1), value);
    when = drxi_curl.getdate(date, NULL);
    return when < 0 ? -1 : (double)drxi_max(0, drxi_min(when - time(NULL), MOST_WAIT));
}

static void begin_answer(struct drxi_answer *a)
{
    const size_t header_bytes = a->header_bytes;

    memset(a, 0, sizeof *a);
    a->header_bytes = header_bytes;
    a->version.bytes = a->from = a->to = a->total = a->length = -1;
    a->wait = -1;
}

/* Called for each line; after a redirect those of the next answer follow. */
static size_t take_header(char *line, size_t one, size_t n, void *arg)
{
    struct drxi_ask *ask = arg;
    struct drxi_answer *a = &ask->answer;
    const char *value;
    size_t bytes;

    (void)one;
    a->header_bytes += n;
    if (a->header_bytes > MOST_HEADER_BYTES)
        return 0;
    if (n >= 5 && memcmp(line, "HTTP/", 5) == 0)
        begin_answer(a);
    take_text(line, n, "ETag", a->version.etag, sizeof a->version.etag);
    take_text(line, n, "Last-Modified", a->version.modified, sizeof a->version.modified);
    take_text(line, n, "Date", a->date, sizeof a->date);
    take_text(line, n, "x-amz-bucket-region", a->region, sizeof a->region);
    if ((value = value_of(line, n, "Content-Range", &bytes)))
        take_range(value, value + bytes, a);
    if ((value = value_of(line, n, "Content-Length", &bytes))) {
        const char *at = value;

        a->length = parse_digits(&at, value + bytes);
    }
    if ((value = value_of(line, n, "Content-Encoding", &bytes)))
        a->encoded = bytes != 8 || strncasecmp(value, "identity", 8) != 0;
    if ((value = value_of(line, n, "Retry-After", &bytes)))
        a->wait = seconds_of(value, bytes);
    return n;
}

/* ---- the end of an ask ---- */

static bool end_as(struct drxi_ask *ask, enum drxi_outcome outcome)
{
    ask->outcome = outcome;
    return true;
}

/* Keep the detail that was just set. */
static bool fail_with(struct drxi_ask *ask, drx_status st)
{
    ask->st = st;
    drxi_report_keep(ask->detail);
    return end_as(ask, DRXI_FAILED);
}

static long long at(const struct drxi_ask *ask)
{
    return (long long)ask->offset + (long long)ask->got;
}

static long status_of(const struct drxi_ask *ask)
{
    long status = 0;

    (void)drxi_curl.easy_getinfo(ask->easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

/* ---- the body ---- */

/* Whether it is a state that was asked for. */
static bool is_wanted(struct drxi_ask *ask)
{
    if (ask->known && !ask->another && !drxi_version_same(&ask->version, &ask->answer.version))
        ask->outcome = DRXI_CHANGED;
    else if (ask->got > 0 && !drxi_version_same(&ask->seen, &ask->answer.version))
        ask->outcome = DRXI_CHANGED;
    else
        return true;
    return false;
}

/* The answer 206 must name the range that was asked for, or begin with it. */
static void judge_part(struct drxi_ask *ask)
{
    struct drxi_answer *a = &ask->answer;
    const int64_t from = at(ask), end = ask->offset + (int64_t)ask->bytes;

    a->version.bytes = a->total;
    if (a->from != from || a->to < from || a->to >= end || a->total <= a->to) {
        (void)fail_with(ask, drxi_fail(DRX_EIO,
                                       "%s: reading %lld bytes at offset %lld: the server sent another range "
                                       "(from %lld to %lld of %lld)",
                                       ask->address->shown, (long long)(end - from), (long long)from,
                                       (long long)a->from, (long long)a->to, (long long)a->total));
        return;
    }
    a->takes = is_wanted(ask);
}

/* The answer 200 has the whole file. It serves when that fits. */
static void judge_whole(struct drxi_ask *ask)
{
    struct drxi_answer *a = &ask->answer;

    a->version.bytes = a->length;
    if (at(ask) == 0 && a->length >= 0 && a->length <= (int64_t)ask->bytes) {
        a->from = 0;
        a->total = a->length;
        a->to = a->length - 1;
        a->takes = is_wanted(ask);
        return;
    }
    (void)fail_with(ask, drxi_fail(DRX_EUNSUPPORTED,
                                   "%s: reading at offset %lld: the server sends whole files, not ranges of them",
                                   ask->address->shown, at(ask)));
}

/* nginx makes its ETag of the length and of the second of the last change. */
static void note_freshness(struct drxi_answer *a)
{
    const time_t now = *a->date ? drxi_curl.getdate(a->date, NULL) : -1;
    const time_t changed = *a->version.modified ? drxi_curl.getdate(a->version.modified, NULL) : -1;

    a->version.fresh = now >= 0 && changed >= 0 && now - changed < SETTLED_SECONDS;
}

/* Judge the answer when its first byte comes, or when it has none. */
static void judge_answer(struct drxi_ask *ask)
{
    const long status = status_of(ask);

    if (ask->answer.judged)
        return;
    ask->answer.judged = true;
    ask->outcome = DRXI_GOT;
    note_freshness(&ask->answer);
    if ((status == 206 || status == 200) && ask->answer.encoded)
        (void)fail_with(ask,
                        drxi_fail(DRX_EUNSUPPORTED, "%s: the server sends it compressed, though that was not asked for",
                                  ask->address->shown));
    else if (status == 206)
        judge_part(ask);
    else if (status == 200)
        judge_whole(ask);
    if (ask->answer.takes)
        ask->seen = ask->answer.version;
}

static size_t take_body(char *bytes, size_t one, size_t n, void *arg)
{
    struct drxi_ask *ask = arg;
    struct drxi_answer *a = &ask->answer;

    (void)one;
    if (atomic_load_explicit(&ask->given_up, memory_order_relaxed))
        return 0;
    judge_answer(ask);
    if (a->takes) {
        const int64_t left = a->to + 1 - at(ask);

        if ((int64_t)n > left)
            return 0;
        if (ask->sink)
            ask->sink->take(ask->sink, (const uint8_t *)bytes, n, ask->got);
        else
            memcpy(ask->buf + ask->got, bytes, n);
        ask->got += n;
        return n;
    }
    if (ask->outcome != DRXI_GOT)
        return 0;
    if (a->text_bytes < sizeof a->text - 1) { /* why it was refused */
        const size_t room = sizeof a->text - 1 - a->text_bytes;

        memcpy(a->text + a->text_bytes, bytes, n < room ? n : room);
    }
    a->text_bytes += n;
    return a->text_bytes <= MOST_TEXT_BYTES ? n : 0;
}

/* ---- a try ---- */

static bool add_header(struct drxi_ask *ask, const char *line)
{
    struct curl_slist *more = drxi_curl.slist_append(ask->headers, line);

    if (more)
        ask->headers = more;
    return more != NULL;
}

static bool add_headers(struct drxi_ask *ask)
{
    char condition[DRXI_CONDITION_BYTES], range[80];
    const struct drxi_version *version = ask->got > 0 ? &ask->seen : &ask->version;
    bool good;

    drxi_curl.slist_free_all(ask->headers);
    ask->headers = NULL;
    (void)snprintf(range, sizeof range, "Range: bytes=%lld-%lld", at(ask),
                   (long long)ask->offset + (long long)ask->bytes - 1);
    good = add_header(ask, range) && add_header(ask, "Accept-Encoding: identity");
    if (good && (ask->known || ask->got > 0) &&
        drxi_version_condition(version, ask->another && ask->got == 0, condition, sizeof condition))
        good = add_header(ask, condition);
    if (good && ask->address->signature) /* of an empty body */
        good = add_header(ask, "x-amz-content-sha256: "
                               "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    return good && (!ask->address->token || add_header(ask, ask->address->token));
}

/* The number in a variable of the environment, if it is one from 1 to `most`. */
static long setting(const char *name, long usual, long most)
{
    const char *value = getenv(name), *end;
    int64_t n;

    if (!value)
        return usual;
    end = value + strlen(value);
    n = parse_digits(&value, end);
    return value == end && n >= 1 && n <= most ? (long)n : usual;
}

static void set_text(struct drxi_ask *ask, CURLoption option, const char *text)
{
    if (text && *text)
        (void)drxi_curl.easy_setopt(ask->easy, option, text);
}

/* A server that is met through a redirect gets neither the password nor a signature. */
static void set_transfer(struct drxi_ask *ask)
{
    const struct drxi_address *address = ask->address;
    const bool secure = strncasecmp(address->url, "https:", 6) == 0;
    const bool multiplexes = secure && !address->s3; /* perhaps: the first connection tells, and others wait for that */
    const char *bundle = getenv("CURL_CA_BUNDLE");

    (void)drxi_curl.easy_setopt(ask->easy, CURLOPT_URL, address->url);
    (void)drxi_curl.easy_setopt(ask->easy, CURLOPT_HTTPHEADER, ask->headers);
    (void)drxi_curl.easy_setopt(ask->easy, CURLOPT_USERAGENT, "drx");
    (void)drxi_curl.easy_setopt(ask->easy, CURLOPT_HTTP_VERSION,
                                (long)(secure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
    (void)drxi_curl.easy_setopt(ask->easy, CURLOPT_PIPEWAIT, multiplexes ? 1L : 0L);
    (void)drxi_curl.easy_setopt(ask->easy, CURLOPT_FOLLOWLOCATION, address->s3 ? 0L : 1L);
    (void)drxi_curl.easy_setopt(ask->easy, CURLOPT_MAXREDIRS, (long)MOST_REDIRECTS);
    (void)drxi_curl.easy_setopt(ask->easy, CURLOPT_PROTOCOLS_STR, "http,https");
    (void)drxi_curl.easy_setopt(ask->easy, CURLOPT_REDIR_PROTOCOLS_STR, secure ? "https" : "http,https");
    (void)drxi_curl.easy_setopt(ask->easy, CURLOPT_PATH_AS_IS, address->s3 ? 1L : 0L);
    (void)drxi_curl.easy_setopt(ask->easy, CURLOPT_NETRC,
                                (long)(address->s3 ? CURL_NETRC_IGNORED : CURL_NETRC_OPTIONAL));
    (void)drxi_curl.easy_setopt(ask->easy, CURLOPT_NOSIGNAL, 1L);
    (void)drxi_curl.easy_setopt(ask->easy, CURLOPT_BUFFERSIZE, 1L << 18);
    (void)drxi_curl.easy_setopt(ask->easy, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    (void)drxi_curl.easy_setopt(ask->easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
    (void)drxi_curl.easy_setopt(ask->easy, CURLOPT_LOW_SPEED_TIME,
                                setting("DRX_HTTP_TIMEOUT", STALL_SECONDS, MOST_SECONDS));
    set_text(ask, CURLOPT_CAINFO, bundle && *bundle ? bundle : getenv("SSL_CERT_FILE"));
    set_text(ask, CURLOPT_AWS_SIGV4, address->signature);
    set_text(ask, CURLOPT_USERPWD, address->secret);
    (void)drxi_curl.easy_setopt(ask->easy, CURLOPT_OPENSOCKETFUNCTION, drxi_spares_open);
    (void)drxi_curl.easy_setopt(ask->easy, CURLOPT_OPENSOCKETDATA, ask);
    (void)drxi_curl.easy_setopt(ask->easy, CURLOPT_SOCKOPTFUNCTION, drxi_spares_set_up);
    (void)drxi_curl.easy_setopt(ask->easy, CURLOPT_HEADERFUNCTION, take_header);
    (void)drxi_curl.easy_setopt(ask->easy, CURLOPT_HEADERDATA, ask);
    (void)drxi_curl.easy_setopt(ask->easy, CURLOPT_WRITEFUNCTION, take_body);
    (void)drxi_curl.easy_setopt(ask->easy, CURLOPT_WRITEDATA, ask);
    (void)drxi_curl.easy_setopt(ask->easy, CURLOPT_PRIVATE, ask);
}

drx_status drxi_ask_prepare(struct drxi_ask *ask)
{
    ask->answer.header_bytes = 0;
    begin_answer(&ask->answer);
    ask->outcome = DRXI_GOT;
    ask->got_before = ask->got;
    if (!add_headers(ask))
        return DRX_ENOMEM;
    set_transfer(ask);
    return DRX_OK;
}

/* ---- after a try ---- */

/* What the connection did; a new one may do better. */
static bool may_pass(CURLcode code)
{
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_SSL_CONNECT_ERROR:
        return true;
    default:
        return false;
    }
}

/* Where nobody has answered the address may be wrong. */
static drx_status fail_to_read(const struct drxi_ask *ask, const char *why, long tries)
{
    char times[32] = "";

    if (tries > 1)
        (void)snprintf(times, sizeof times, ", %ld times", tries);
    return drxi_fail(DRX_EIO, "%s: reading %lld bytes at offset %lld: %s%s%s", ask->address->shown,
                     (long long)ask->bytes - (long long)ask->got, at(ask), why, times,
                     strstr(why, "onnect to") || strstr(why, "esolve") ? "; check the address" : "");
}

/* Ask again, unless it was tried often enough. `why` fails the ask then. */
static bool try_again(struct drxi_ask *ask, const char *why)
{
    const long most = ask->most_tries > 0 ? ask->most_tries : setting("DRX_HTTP_TRIES", TRIES, MOST_TRIES);
    double wait;

    if (ask->got - ask->got_before >= PROGRESS_BYTES)
        ask->tries = 0;
    ask->tries++;
    if (ask->tries >= most)
        return fail_with(ask, fail_to_read(ask, why, most));
    wait = (double)drxi_min(FIRST_WAIT_MS << drxi_min(ask->tries - 1, 9), 1000 * MOST_WAIT) / 1000;
    wait *= 0.75 + 0.5 * (double)((uintptr_t)ask / 64 % 64) / 64; /* so that not all come back at once */
    ask->again_at = drxi_now() + (ask->answer.wait > wait ? ask->answer.wait : wait);
    return false;
}

/* The word in <Code>...</Code> of an error of S3, in brackets; or "". */
static void find_code(const struct drxi_answer *a, char *out, size_t room)
{
    const char *begin = strstr(a->text, "<Code>");
    const size_t n = begin ? strspn(begin + 6, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") : 0;

    (void)snprintf(out, room, n > 0 && n < room - 4 ? " (%.*s)" : "%.*s", (int)n, n > 0 ? begin + 6 : "");
}

static bool settle_refusal(struct drxi_ask *ask, long status)
{
    const struct drxi_answer *a = &ask->answer;
    char code[80], why[160];

    find_code(a, code, sizeof code);
    if (status == 408 || status == 429 || status == 500 || (status >= 502 && status <= 504)) {
        (void)snprintf(why, sizeof why, "the server answered %ld%s", status, code);
        return try_again(ask, why);
    }
    if (ask->address->s3 && *a->region && (status == 301 || status == 307 || status == 400))
        return fail_with(ask, drxi_fail(DRX_EIO, "%s: the bucket is in the region %s: set AWS_REGION",
                                        ask->address->shown, a->region));
    if (status == 401 || status == 403 || status == 407)
        return fail_with(ask,
                         drxi_fail(DRX_EACCES, "%s: the server answered %ld%s", ask->address->shown, status, code));
    return fail_with(ask, drxi_fail(DRX_EIO, "%s: reading at offset %lld: the server answered %ld%s",
                                    ask->address->shown, at(ask), status, code));
}

/* 416: the file ends before the range, and tells its length. */
static bool settle_beyond(struct drxi_ask *ask)
{
    struct drxi_answer *a = &ask->answer;

    a->version.bytes = a->total;
    if (a->total < 0 || a->total > ask->offset + (int64_t)ask->got)
        return settle_refusal(ask, 416);
    if (ask->known && !ask->another && ask->version.bytes >= 0 && ask->version.bytes != a->total)
        return end_as(ask, DRXI_CHANGED);
    if (ask->got == 0)
        ask->seen = a->version;
    return end_as(ask, DRXI_GOT);
}

static bool settle_answer(struct drxi_ask *ask)
{
    const long status = status_of(ask);
    const struct drxi_answer *a = &ask->answer;

    judge_answer(ask);
    if (ask->outcome != DRXI_GOT)
        return true;
    if (status == 304 && ask->another) {
        ask->seen = a->version;
        return end_as(ask, DRXI_SAME);
    }
    if (status == 412)
        return end_as(ask, DRXI_CHANGED);
    if (status == 404 || status == 410)
        return end_as(ask, DRXI_MISSING);
    if (status == 416)
        return settle_beyond(ask);
    if (!a->takes)
        return settle_refusal(ask, status);
    if (at(ask) <= a->to)
        return try_again(ask, "the answer was short");
    if (at(ask) == a->total || ask->got == ask->bytes)
        return end_as(ask, DRXI_GOT);
    ask->again_at = 0; /* the server sends less at a time */
    return false;
}

bool drxi_ask_settle(struct drxi_ask *ask, CURLcode code)
{
    const struct drxi_answer *a = &ask->answer;
    char why[160];

    if (code == CURLE_OK)
        return settle_answer(ask);
    if (ask->outcome != DRXI_GOT) /* the body was not taken */
        return true;
    if (a->header_bytes > MOST_HEADER_BYTES)
        return fail_with(ask, drxi_fail(DRX_EIO, "%s: the server sends headers without end", ask->address->shown));
    if (code == CURLE_WRITE_ERROR && a->judged && !a->takes) /* enough of the text of a refusal */
        return settle_answer(ask);
    (void)snprintf(why, sizeof why, "%s",
                   code == CURLE_WRITE_ERROR ? "the server sent more than the range" : drxi_curl.easy_strerror(code));
    if (code == CURLE_OUT_OF_MEMORY)
        return fail_with(ask, DRX_ENOMEM);
    if (may_pass(code))
        return try_again(ask, why);
    return fail_with(ask, drxi_fail(DRX_EIO, "%s: reading %lld bytes at offset %lld: %s", ask->address->shown,
                                    (long long)ask->bytes - (long long)ask->got, at(ask), why));
}
