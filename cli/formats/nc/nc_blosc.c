/* The filter of Blosc while netCDF writes. netCDF lets no chunk be stored as it is, and the filter that HDF5 finds
 * fails for chunks that do not get smaller. This one makes frames of them that hold a copy, which the other one
 * reads. */
#include <blosc.h>

#include "nc.h"

enum { ELEMENT = 2, LEVEL = 4, SHUFFLE = 5, CODEC = 6 }; /* of the parameters */

static size_t compress(const unsigned params[], size_t n, const void *bytes, void **out, size_t *room)
{
    const char *codec;
    int length;

    if (blosc_compcode_to_compname((int)params[CODEC], &codec) < 0)
        return 0;
    *room = n + BLOSC_MAX_OVERHEAD;
    *out = H5allocate_memory(*room, false);
    if (!*out)
        return 0;
    length = blosc_compress_ctx((int)params[LEVEL], (int)params[SHUFFLE], params[ELEMENT], n, bytes, *out, *room, codec,
                                0, 1);
    return length > 0 ? (size_t)length : 0;
}

static size_t decompress(size_t n, const void *bytes, void **out, size_t *room)
{
    if (blosc_cbuffer_validate(bytes, n, room) < 0)
        return 0;
    *out = H5allocate_memory(*room, false);
    return *out && blosc_decompress_ctx(bytes, *out, *room, 1) == (int)*room ? *room : 0;
}

static size_t filter(unsigned flags, size_t n_params, const unsigned params[], size_t n, size_t *room, void **bytes)
{
    void *out = NULL;
    size_t out_room = 0, length;

    if (flags & H5Z_FLAG_REVERSE)
        length = decompress(n, *bytes, &out, &out_room);
    else
        length = n_params < BLOSC_PARAMS ? 0 : compress(params, n, *bytes, &out, &out_room);
    if (length == 0) {
        (void)H5free_memory(out);
        return 0;
    }
    (void)H5free_memory(*bytes);
    *bytes = out;
    *room = out_room;
    return length;
}

bool nc_use_own_blosc(void)
{
    static const H5Z_class2_t own = { .version = H5Z_CLASS_T_VERS,
                                      .id = BLOSC_FILTER,
                                      .encoder_present = 1,
                                      .decoder_present = 1,
                                      .name = "blosc",
                                      .filter = filter };

    return H5Zregister(&own) >= 0;
}
