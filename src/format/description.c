/* The description at the start of `.xmd`. */
#include "drx_tools.h"
#include "format/crc.h"
#include "format/format.h"

enum { VERSION_MAJOR = 1, VERSION_MINOR = 0, PROLOGUE_BYTES = 20, FRAME_MAX_BYTES = INT32_MAX - 16 };

static const uint8_t magic[8] = { 0x89, 'D', 'R', 'X', '\r', '\n', 0x1a, '\n' };

size_t drxi_desc_bytes(int ndim)
{
    return DRXI_DESC_HEAD_BYTES + 16 * (size_t)ndim;
}

/* An element, or of strings its length and what it begins with. */
static void encode_fill(const struct drxi_desc *desc, uint8_t *out)
{
    const size_t item_bytes = drx_type_size(desc->type);

    if (DRX_IS_STRING(desc->type)) {
        drxi_put32(out + 56, (uint32_t)item_bytes);
        (void)drxi_string_fill_encode(desc->type, desc->fill, out + 60);
    } else {
        memcpy(out + 56, desc->fill, item_bytes);
        drxi_swap(out + 56, item_bytes, desc->type);
    }
}

/* The type, 0 for none. */
static drx_type decode_type(const uint8_t *p)
{
    const uint32_t bytes = drxi_get32(p + 56);
    drx_type type = (drx_type)p[21];

    if (DRX_IS_STRING(p[21]) && bytes <= DRX_MAX_STRING_BYTES)
        type = DRX_IS_BYTES(p[21]) ? DRX_BYTES((int)bytes) : DRX_UNICODE((int)bytes / 4);
    return drx_type_size(type) > 0 && (!DRX_IS_STRING(type) || drx_type_size(type) == bytes) ? type : (drx_type)0;
}

static bool decode_fill(const uint8_t *p, struct drxi_desc *desc)
{
    const size_t item_bytes = drx_type_size(desc->type);

    if (DRX_IS_STRING(desc->type))
        return drxi_string_fill_decode(desc->type, p + 60, desc->fill);
    memcpy(desc->fill, p + 56, item_bytes);
    drxi_swap(desc->fill, item_bytes, desc->type);
    return drxi_is_zero(p + 56 + item_bytes, 16 - item_bytes);
}

uint32_t drxi_desc_encode(const struct drxi_desc *desc, uint8_t *out)
{
    const size_t bytes = drxi_desc_bytes(desc->ndim);
    uint8_t *extents = out + DRXI_DESC_HEAD_BYTES;
    uint32_t crc;

    memset(out, 0, bytes);
    memcpy(out, magic, sizeof magic);
    drxi_put32(out + 12, (uint32_t)bytes);
    drxi_put16(out + 16, VERSION_MAJOR);
    drxi_put16(out + 18, VERSION_MINOR);
    out[20] = (uint8_t)desc->ndim;
    out[21] = (uint8_t)((int)desc->type & 0xff);
    out[22] = desc->chunk_order == DRX_COL_MAJOR;
    drxi_put32(out + 24, desc->flags);
    out[28] = (uint8_t)desc->codec.codec;
    out[29] = (uint8_t)desc->codec.level;
    out[30] = (uint8_t)desc->codec.shuffle;
    memcpy(out + 32, desc->id, DRXI_ID_BYTES);
    drxi_put64(out + 48, (uint64_t)desc->align);
    encode_fill(desc, out);
    for (int j = 0; j < desc->ndim; j++) {
        drxi_put64(extents + 8 * j, (uint64_t)desc->shape[j]);
        drxi_put64(extents + 8 * (desc->ndim + j), (uint64_t)desc->chunk[j]);
    }
    crc = drxi_crc32c(0, out + 12, bytes - 12);
    drxi_put32(out + 8, crc);
    return crc;
}

static bool known_flags(uint32_t flags)
{
    const uint32_t shells = DRXI_DESC_SHELL | DRXI_DESC_SHELL_LAST;

    return (flags & ~(DRXI_DESC_CHECKSUM | DRXI_DESC_PACKED | shells)) == 0 && (flags & shells) != shells &&
           (flags & (DRXI_DESC_CHECKSUM | DRXI_DESC_PACKED)) != (DRXI_DESC_CHECKSUM | DRXI_DESC_PACKED);
}

/* Without the flag these bytes are zero. */
static bool decode_codec(const uint8_t *p, struct drxi_desc *desc)
{
    if (!(desc->flags & DRXI_DESC_PACKED))
        return drxi_is_zero(p + 28, 3);
    desc->codec = (struct drxi_codec){ (drx_codec)p[28], p[29], (drx_shuffle)p[30] };
    return desc->codec.codec != DRX_RAW && drx_codec_name(desc->codec.codec) && p[29] >= 1 && p[29] <= 9 &&
           desc->codec.shuffle != DRX_SHUFFLE_AUTO && drx_shuffle_name(desc->codec.shuffle);
}

/* A frame of Blosc holds a chunk of a compressed array. */
static bool fits_frame(const struct drxi_desc *desc)
{
    int64_t bytes = (int64_t)drx_type_size(desc->type);
    bool fits = true;

    for (int j = 0; j < desc->ndim; j++)
        fits = fits && drxi_mul(bytes, desc->chunk[j], &bytes);
    return fits && bytes <= FRAME_MAX_BYTES;
}

/* The fields after the prologue; the CRC is right. */
static drx_status decode_fields(const uint8_t *p, size_t bytes, const char *name, struct drxi_desc *desc)
{
    const uint8_t *extents = p + DRXI_DESC_HEAD_BYTES;

    desc->ndim = p[20];
    desc->type = decode_type(p);
    desc->chunk_order = p[22] ? DRX_COL_MAJOR : DRX_ROW_MAJOR;
    desc->flags = drxi_get32(p + 24);
    desc->align = (int64_t)drxi_get64(p + 48);
    if (desc->ndim < 1 || desc->ndim > DRX_MAX_NDIM || bytes != drxi_desc_bytes(desc->ndim))
        return drxi_fail(DRX_EFORMAT, "%s: %d dimensions in a description of %zu bytes, expected 1 to %d", name,
                         desc->ndim, bytes, DRX_MAX_NDIM);
    if (drx_type_size(desc->type) == 0 || p[22] > 1 || !known_flags(desc->flags))
        return drxi_fail(DRX_EUNSUPPORTED, "%s: type %d%s, chunk order %d, flags %#x: not of format version %d", name,
                         (int)p[21], DRX_IS_STRING(p[21]) && desc->type == 0 ? " of an unknown length" : "", (int)p[22],
                         (unsigned)desc->flags, VERSION_MAJOR);
    if (!decode_codec(p, desc))
        return drxi_fail(DRX_EUNSUPPORTED, "%s: codec %d, level %d, shuffle %d: not of format version %d", name,
                         (int)p[28], (int)p[29], (int)p[30], VERSION_MAJOR);
    if (p[23] != 0 || p[31] != 0 || !decode_fill(p, desc))
        return drxi_fail(DRX_EUNSUPPORTED,
                         "%s: a reserved byte of the description (23, 31, or one after the fill, of 56 to 71) is not "
                         "zero, or the fill is no string: not of format version %d",
                         name, VERSION_MAJOR);
    if (desc->align < 1 || desc->align > (1 << 30) || (desc->align & (desc->align - 1)) != 0)
        return drxi_fail(DRX_EFORMAT, "%s: align %lld, expected a power of two up to 2^30", name,
                         (long long)desc->align);
    memcpy(desc->id, p + 32, DRXI_ID_BYTES);
    for (int j = 0; j < desc->ndim; j++) {
        desc->shape[j] = (int64_t)drxi_get64(extents + 8 * j);
        desc->chunk[j] = (int64_t)drxi_get64(extents + 8 * (desc->ndim + j));
        if (desc->shape[j] < 0 || desc->chunk[j] < 1)
            return drxi_fail(DRX_EFORMAT, "%s: axis %d: bound %lld, chunk %lld, expected >= 0 and >= 1", name, j,
                             (long long)desc->shape[j], (long long)desc->chunk[j]);
    }
    if (desc->flags & DRXI_DESC_PACKED && !fits_frame(desc))
        return drxi_fail(DRX_EFORMAT, "%s: a compressed chunk of more than %d bytes", name, FRAME_MAX_BYTES);
    return DRX_OK;
}

drx_status drxi_desc_decode(const uint8_t *p, size_t n, const char *name, struct drxi_desc *desc, uint32_t *crc)
{
    size_t bytes;

    memset(desc, 0, sizeof *desc);
    if (n < sizeof magic || memcmp(p, magic, sizeof magic) != 0)
        return drxi_fail(DRX_EFORMAT, "%s: not the metadata of a DRX array (its first bytes are not the magic number)",
                         name);
    if (n < PROLOGUE_BYTES)
        return drxi_fail(DRX_EDAMAGED, "%s: ends at byte %zu, within the description", name, n);
    if (drxi_get16(p + 16) != VERSION_MAJOR)
        return drxi_fail(DRX_EUNSUPPORTED, "%s: format version %d, this library reads versions 1 and 2", name,
                         (int)drxi_get16(p + 16));
    bytes = drxi_get32(p + 12);
    if (bytes < DRXI_DESC_HEAD_BYTES || bytes > DRXI_DESC_MAX_BYTES || bytes > n)
        return drxi_fail(DRX_EDAMAGED, "%s: a description of %zu bytes, expected %d to %d, %zu are there", name, bytes,
                         DRXI_DESC_HEAD_BYTES, DRXI_DESC_MAX_BYTES, n);
    *crc = drxi_crc32c(0, p + 12, bytes - 12);
    if (*crc != drxi_get32(p + 8))
        return drxi_fail(DRX_EDAMAGED, "%s: the description (bytes 0 to %zu) does not match its checksum", name, bytes);
    return decode_fields(p, bytes, name, desc);
}

bool drxi_desc_is_next(const uint8_t *p, size_t n)
{
    return n >= PROLOGUE_BYTES && memcmp(p, magic, sizeof magic) == 0 && drxi_get16(p + 16) == VERSION_MAJOR + 1;
}

/* What all descriptions of that length have. */
static void set_known(uint8_t *p, size_t bytes, uint32_t crc)
{
    memcpy(p, magic, sizeof magic);
    drxi_put32(p + 8, crc);
    drxi_put32(p + 12, (uint32_t)bytes);
    p[20] = (uint8_t)((bytes - DRXI_DESC_HEAD_BYTES) / 16);
    p[23] = 0;
    if (!(p[24] & DRXI_DESC_PACKED))
        drxi_put32(p + 28, 0);
}

/* Make `trial` the description of that length which a checksum proves: that in the first record, or else its own. One
 * byte is looked for only where all that is known is right. */
static bool mend_as(const uint8_t *p, size_t n, size_t bytes, uint8_t *trial)
{
    struct drxi_record first;
    struct drxi_desc desc;
    struct drxi_flip flip;
    const bool told = n > bytes && drxi_record_decode(p + bytes, n - bytes, &first) && first.sequence == 1;
    const uint32_t crc = told ? first.prev : drxi_get32(p + 8);
    uint32_t is;

    if (!told && drxi_get32(p + 12) != bytes)
        return false;
    memcpy(trial, p, bytes);
    set_known(trial, bytes, crc);
    is = drxi_crc32c(0, trial + 12, bytes - 12);
    if (is != crc) {
        if (memcmp(trial, p, bytes) != 0 || drxi_find_flip(bytes - 12, is ^ crc, false, &flip) != 1)
            return false;
        trial[12 + flip.at] ^= flip.by;
    }
    return drxi_desc_decode(trial, bytes, "", &desc, &is) == DRX_OK;
}

bool drxi_desc_mend(uint8_t *p, size_t n)
{
    uint8_t trial[DRXI_DESC_MAX_BYTES];
    struct drxi_desc desc;
    uint32_t crc;

    if (drxi_desc_decode(p, n, "", &desc, &crc) == DRX_OK)
        return false;
    for (int ndim = 1; ndim <= DRX_MAX_NDIM && drxi_desc_bytes(ndim) <= n; ndim++)
        if (mend_as(p, n, drxi_desc_bytes(ndim), trial)) {
            memcpy(p, trial, drxi_desc_bytes(ndim));
            return true;
        }
    return false;
}
