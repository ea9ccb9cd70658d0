/* The record of the folders that the data are spread over. Its payload is the stem of the files' names, then the
 * folders, each a length and its bytes. */
#include "format/format.h"

enum { FOLDER_MAX_BYTES = 4095, STEM_MAX_BYTES = 255 };

static const char suffix[] = ".xta";

static size_t put_text(const char *text, uint8_t *out)
{
    const size_t n = strlen(text);

    if (out) {
        drxi_put16(out, (uint16_t)n);
        memcpy(out + 2, text, n);
    }
    return 2 + n;
}

size_t drxi_stripes_encode(const struct drxi_stripes *stripes, uint8_t *out)
{
    size_t n = put_text(stripes->stem, out);

    for (int k = 0; k < stripes->n; k++)
        n += put_text(stripes->folder[k], out ? out + n : NULL);
    if (out)
        memset(out + n, 0, -n % 8);
    return n + -n % 8;
}

void drxi_stripes_free(struct drxi_stripes *stripes)
{
    for (int k = 0; stripes->folder && k < stripes->n; k++)
        drxi_free(stripes->folder[k]);
    drxi_free(stripes->folder);
    drxi_free(stripes->stem);
    memset(stripes, 0, sizeof *stripes);
}

drx_status drxi_stripes_set(const char *stem, int n, const char *const folder[], struct drxi_stripes *out)
{
    drx_status st = DRX_OK;

    out->n = n;
    out->stem = drxi_strdup(stem);
    out->folder = drxi_calloc((size_t)n, sizeof *out->folder);
    if (!out->stem || !out->folder)
        st = DRX_ENOMEM;
    for (int k = 0; !st && k < n; k++)
        if (!(out->folder[k] = drxi_strdup(folder[k])))
            st = DRX_ENOMEM;
    if (st)
        drxi_stripes_free(out);
    return st;
}

bool drxi_stripes_is_folder(const char *folder)
{
    return folder && folder[0] && strlen(folder) <= FOLDER_MAX_BYTES;
}

/* Copy the text at *at to *out; NULL if it is malformed or memory is short. */
static drx_status take_text(const struct drxi_record *record, size_t *at, size_t most, char **out, bool *good)
{
    const uint8_t *p = record->payload + *at;
    size_t n;

    *good = *at + 2 <= record->payload_bytes;
    if (!*good)
        return DRX_OK;
    n = drxi_get16(p);
    *good = n > 0 && n <= most && *at + 2 + n <= record->payload_bytes && !memchr(p + 2, 0, n);
    if (!*good)
        return DRX_OK;
    *at += 2 + n;
    *out = drxi_format("%.*s", (int)n, (const char *)p + 2);
    return *out ? DRX_OK : DRX_ENOMEM;
}

static bool is_stem(const char *stem)
{
    const size_t n = strlen(stem);

    return n >= sizeof suffix && strcmp(stem + n + 1 - sizeof suffix, suffix) == 0 && !strchr(stem, '/');
}

drx_status drxi_stripes_decode(const struct drxi_record *record, struct drxi_stripes *out, bool *good)
{
    size_t at = 0;
    drx_status st;

    memset(out, 0, sizeof *out);
    *good = record->arg >= 1 && record->arg <= DRX_MAX_STRIPES;
    if (!*good)
        return DRX_OK;
    out->n = record->arg;
    out->folder = drxi_calloc((size_t)out->n, sizeof *out->folder);
    st = out->folder ? take_text(record, &at, STEM_MAX_BYTES, &out->stem, good) : DRX_ENOMEM;
    *good = !st && *good && is_stem(out->stem);
    for (int k = 0; !st && *good && k < out->n; k++)
        st = take_text(record, &at, FOLDER_MAX_BYTES, &out->folder[k], good);
    *good = !st && *good && at + -at % 8 == record->payload_bytes && drxi_is_zero(record->payload + at, -at % 8);
    if (!*good)
        drxi_stripes_free(out);
    return st;
}
