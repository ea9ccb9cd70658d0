/* The checksums of chunks, computed from the bytes that the check of the data has in memory anyway. A chunk that
 * matches its entry is marked, and is not read again; check_sums.c looks at the others alone. */
#include "data/sums.h"
#include "format/crc.h"
#include "repair/check.h"

enum { MOST_MARKS = 1 << 28 }; /* a bit each; chunks beyond are verified one by one */

struct drxi_fold_marks {
    struct drxi_data *data;
    uint8_t *good; /* a bit for each chunk */
    int64_t chunks;
    int64_t address; /* of the chunk whose bytes come; -1: none */
    int64_t at;      /* this many of them have come */
    int64_t lacks;   /* the last chunk of which some could not be read; -1: none */
    uint32_t crc;
    int64_t first, n; /* the entries in `sum` */
    struct drxi_sum sum[DRXI_SUMS_MOST];
};

drx_status drxi_marks_new(struct drxi_data *data, struct drxi_fold_marks **out)
{
    struct drxi_fold_marks *m;

    *out = NULL;
    if (!data->file->sums)
        return DRX_OK;
    m = drxi_calloc(1, sizeof *m);
    if (!m)
        return DRX_ENOMEM;
    m->data = data;
    m->address = m->lacks = -1;
    m->chunks = drxi_min(data->map.chunks, MOST_MARKS);
    m->good = drxi_calloc((size_t)(m->chunks / 8 + 1), 1);
    if (!m->good) {
        drxi_free(m);
        return DRX_ENOMEM;
    }
    *out = m;
    return DRX_OK;
}

void drxi_marks_free(struct drxi_fold_marks *m)
{
    if (m)
        drxi_free(m->good);
    drxi_free(m);
}

bool drxi_marks_has(const struct drxi_fold_marks *m, int64_t address)
{
    return m && address < m->chunks && m->good[address / 8] >> address % 8 & 1;
}

/* The entry of a chunk; NULL where it cannot be read, which check_sums.c reports. */
static const struct drxi_sum *entry_of(struct drxi_fold_marks *m, int64_t address)
{
    const int64_t first = address / DRXI_SUMS_MOST * DRXI_SUMS_MOST;

    if (m->n == 0 || first != m->first) {
        m->first = first;
        m->n = drxi_min(DRXI_SUMS_MOST, m->data->map.chunks - first);
        if (drxi_sums_get(m->data->file->sums, first, m->n, m->sum, NULL)) {
            m->n = 0;
            return NULL;
        }
    }
    return &m->sum[address - first];
}

/* Nothing more of the chunk is stored. What its file lacks is a hole. */
static void end_chunk(struct drxi_fold_marks *m)
{
    const int64_t rest = m->data->chunk_bytes - m->at;
    const uint8_t zero = 0;
    const struct drxi_sum *sum;
    enum drxi_sum_kind kind;

    if (m->address >= 0 && (rest == 0 || m->data->zero_fill) && (sum = entry_of(m, m->address))) {
        kind = drxi_sum_kind(sum);
        if ((kind == DRXI_SUM_VALID || kind == DRXI_SUM_WRITTEN) &&
            drxi_crc32c_repeated(m->crc, &zero, 1, rest) == sum->crc)
            m->good[m->address / 8] |= (uint8_t)(1 << m->address % 8);
    }
    m->address = -1;
}

/* Fold in the bytes begin <= i < end of the chunk, which stand at p. False: they do not follow what has come. */
static bool fold(struct drxi_fold_marks *m, const uint8_t *p, int64_t begin, int64_t end)
{
    const uint8_t zero = 0;
    const int64_t again = drxi_min(end - begin, drxi_max(0, m->at - begin));

    begin += again;
    p += again;
    if (begin > m->at && !m->data->zero_fill)
        return false;
    if (begin > m->at)
        m->crc = drxi_crc32c_repeated(m->crc, &zero, 1, begin - m->at);
    if (begin < end)
        m->crc = drxi_crc32c(m->crc, p, (size_t)(end - begin));
    m->at = drxi_max(m->at, end);
    return true;
}

void drxi_marks_fold(struct drxi_fold_marks *m, int64_t offset, const uint8_t *bytes, int64_t n)
{
    for (int64_t done = 0; m && done < n;) {
        const int64_t pitch = m->data->chunk_pitch_bytes, address = (offset + done) / pitch;
        const int64_t begin = (offset + done) % pitch, end = drxi_min(pitch, begin + n - done);
        const int64_t end_of_chunk = drxi_min(end, m->data->chunk_bytes);

        if (address != m->address)
            end_chunk(m);
        if (address >= m->chunks)
            return;
        if (address != m->address) {
            m->address = address;
            m->at = 0;
            m->crc = 0;
        }
        if (address == m->lacks || (begin < end_of_chunk && !fold(m, bytes + done, begin, end_of_chunk)))
            m->address = -1;
        done += end - begin;
    }
}

void drxi_marks_lack(struct drxi_fold_marks *m, int64_t end)
{
    if (!m)
        return;
    m->address = -1;
    m->lacks = (end - 1) / m->data->chunk_pitch_bytes;
}

void drxi_marks_end(struct drxi_fold_marks *m)
{
    if (!m)
        return;
    end_chunk(m);
    m->address = -1;
}
