/* Fixed strings of HDF5. Bytes are strings of their size. Unicode is UTF-8 in as many bytes, which is always enough,
 * and an attribute says that it was Unicode; other strings in UTF-8 are read as bytes. */
#include <stdlib.h>
#include <string.h>

#include "h5.h"

drx_type h5_string_type(hid_t type)
{
    const size_t bytes = H5Tis_variable_str(type) == 0 ? H5Tget_size(type) : 0;

    return bytes >= 1 && bytes <= DRX_MAX_STRING_BYTES ? DRX_BYTES((int)bytes) : (drx_type)0;
}

hid_t h5_string_memory(drx_type type, hid_t like)
{
    const hid_t memory = H5Tcopy(H5T_C_S1);
    const bool utf8 = like >= 0 ? H5Tget_cset(like) == H5T_CSET_UTF8 : DRX_IS_UNICODE(type);

    (void)H5Tset_size(memory, drx_type_size(type));
    (void)H5Tset_strpad(memory, H5T_STR_NULLPAD);
    (void)H5Tset_cset(memory, utf8 ? H5T_CSET_UTF8 : H5T_CSET_ASCII);
    return memory;
}

bool h5_strings_from_file(const char *label, drx_type type, int64_t n, void *elements)
{
    const size_t bytes = drx_type_size(type);
    char utf8[DRX_MAX_STRING_BYTES], *at = elements;

    for (int64_t i = 0; DRX_IS_UNICODE(type) && i < n; i++, at += bytes) {
        const char *wrong;

        memcpy(utf8, at, bytes);
        wrong = string_of_utf8(type, utf8, strnlen(utf8, bytes), at);
        if (wrong)
            return !failed("%s: holds a string that %s, %s", label, wrong, drx_type_name(type));
    }
    return true;
}

bool h5_strings_to_file(const char *label, drx_type type, int64_t n, const void *elements, void *out)
{
    const size_t bytes = drx_type_size(type);
    char utf8[STRING_UTF8_BYTES], *to = out;
    const char *at = elements;
    size_t used;

    for (int64_t i = 0; i < n; i++, at += bytes, to += bytes) {
        if (!utf8_of_string(type, at, utf8, &used))
            return !failed("%s: holds a string of type %s that is not Unicode, and HDF5 has only such", label,
                           drx_type_name(type));
        if (memchr(utf8, '\0', used))
            return !failed("%s: holds a string of type %s with a NUL in it, which would be cut there", label,
                           drx_type_name(type));
        memcpy(to, utf8, used);
        memset(to + used, 0, bytes - used);
    }
    return true;
}
