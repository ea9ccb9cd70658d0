/* Addresses made from URLs. The keys of S3 are taken as they are. In other URLs, only what cannot be part of a URL is
 * encoded, so that names may hold spaces and letters of all languages. */
#include "remote/wire/wire.h"

#include <stdlib.h>
#include <strings.h>

enum { MOST_URL_BYTES = 4096 };

static bool begins(const char *path, const char *scheme)
{
    return strncasecmp(path, scheme, strlen(scheme)) == 0;
}

bool drxi_is_url(const char *path)
{
    return path && (begins(path, "http://") || begins(path, "https://") || begins(path, "s3://"));
}

void drxi_address_free(struct drxi_address *a)
{
    drxi_free(a->shown);
    drxi_free(a->url);
    drxi_free(a->signature);
    drxi_free(a->secret);
    drxi_free(a->token);
    memset(a, 0, sizeof *a);
}

static bool is_unreserved(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c && strchr("-._~/", c));
}

static bool fits_url(unsigned char c)
{
    return c > ' ' && c < 0x7f && !strchr("\"<>\\^`{|}", c);
}

/* Encode the bytes that do not pass, to be freed. */
static char *encode(const char *text, bool (*passes)(unsigned char c))
{
    char *out = drxi_malloc(3 * strlen(text) + 1), *end = out;

    if (!out)
        return NULL;
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;

        if (passes(c)) {
            *end++ = (char)c;
            continue;
        }
        *end++ = '%';
        *end++ = "0123456789ABCDEF"[c >> 4];
        *end++ = "0123456789ABCDEF"[c & 15];
    }
    *end = '\0';
    return out;
}

static const char *variable(const char *name, const char *other)
{
    const char *value = getenv(name);

    if (value && *value)
        return value;
    value = other ? getenv(other) : NULL;
    return value && *value ? value : NULL;
}

static drx_status sign(struct drxi_address *a, const char *region)
{
    const char *key = variable("AWS_ACCESS_KEY_ID", NULL), *secret = variable("AWS_SECRET_ACCESS_KEY", NULL);
    const char *token = variable("AWS_SESSION_TOKEN", NULL);

    if (!key && !secret)
        return DRX_OK; /* a public bucket */
    if (!key || !secret)
        return drxi_fail(DRX_EACCES,
                         "%s: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY belong together, and one is not set",
                         a->shown);
    a->signature = drxi_format("aws:amz:%s:s3", region);
    a->secret = drxi_format("%s:%s", key, secret);
    a->token = token ? drxi_format("x-amz-security-token: %s", token) : NULL;
    return a->signature && a->secret && (a->token || !token) ? DRX_OK : DRX_ENOMEM;
}

/* A bucket is part of the host's name, but not where the certificate of the host would not fit, nor on other
 * servers. */
static drx_status make_s3(const char *url, struct drxi_address *a)
{
    const char *bucket = url + strlen("s3://"), *slash = strchr(bucket, '/');
    const char *region = variable("AWS_REGION", "AWS_DEFAULT_REGION");
    const char *endpoint = variable("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL");
    const int n = slash ? (int)(slash - bucket) : 0;
    char *key;

    if (n == 0 || !slash[1] || (int)strspn(bucket, "abcdefghijklmnopqrstuvwxyz0123456789.-") < n)
        return drxi_fail(DRX_EINVAL, "%s: expected s3://BUCKET/KEY", url);
    if (endpoint && (!drxi_is_url(endpoint) || begins(endpoint, "s3:")))
        return drxi_fail(DRX_EINVAL, "%s: AWS_ENDPOINT_URL is \"%s\", expected a URL with http:// or https://", url,
                         endpoint);
    a->s3 = true;
    region = region ? region : "us-east-1";
    key = encode(slash + 1, is_unreserved);
    if (key && endpoint)
        a->url = drxi_format("%s%s%.*s/%s", endpoint, endpoint[strlen(endpoint) - 1] == '/' ? "" : "/", n, bucket, key);
    else if (key && memchr(bucket, '.', (size_t)n))
        a->url = drxi_format("https://s3.%s.amazonaws.com/%.*s/%s", region, n, bucket, key);
    else if (key)
        a->url = drxi_format("https://%.*s.s3.%s.amazonaws.com/%s", n, bucket, region, key);
    drxi_free(key);
    return a->url ? sign(a, region) : DRX_ENOMEM;
}

static drx_status make_http(const char *url, struct drxi_address *a)
{
    const char *host = strstr(url, "://") + 3;

    if (memchr(host, '@', strcspn(host, "/?#")))
        return drxi_fail(DRX_EINVAL, "a URL holds a user's name or password: write these into ~/.netrc");
    if (*host == '/' || !strchr(host, '/'))
        return drxi_fail(DRX_EINVAL, "%s: expected http://HOST/PATH or https://HOST/PATH", a->shown);
    if (strpbrk(host, "?#"))
        return drxi_fail(DRX_EINVAL,
                         "%s: has a query or a fragment, to which the suffixes of files cannot be added; write "
                         "? as %%3F and # as %%23",
                         a->shown);
    a->url = encode(url, fits_url);
    return a->url ? DRX_OK : DRX_ENOMEM;
}

drx_status drxi_address_make(const char *url, struct drxi_address *out)
{
    drx_status st;

    memset(out, 0, sizeof *out);
    if (strlen(url) > MOST_URL_BYTES)
        return drxi_fail(DRX_EINVAL, "a URL of %zu bytes, expected at most %d", strlen(url), MOST_URL_BYTES);
    for (const char *p = url; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            return drxi_fail(DRX_EINVAL, "a URL holds the control character 0x%02x", (unsigned)(unsigned char)*p);
    out->shown = drxi_strdup(url);
    st = !out->shown ? DRX_ENOMEM : begins(url, "s3://") ? make_s3(url, out) : make_http(url, out);
    if (st)
        drxi_address_free(out);
    return st;
}
