/* The header of an .npy file: the text of a Python dictionary. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arrays/arrays.h"
#include "frame/defined_value.h"
#include "npy.h"

enum { MAGIC_BYTES = 8, HEADER_BYTES = 65536, ALIGN_BYTES = 64 };

static const char magic[6] = { '\x93', 'N', 'U', 'M', 'P', 'Y' };
static const char native = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';

static bool bad(const struct npy *npy, const char *what)
{
    return !failed("%s: %s", npy->name, what);
}

/* The text after "'key':" in the dictionary, or NULL. */
static const char *value_of_key(const char *text, const char *key)
{
    const size_t n = strlen(key);
    const char *behind;

    for (const char *at = strstr(text, key); at; at = strstr(at + 1, key)) {
        if (at == text || (at[-1] != '\'' && at[-1] != '"') || at[n] != at[-1])
            continue;
        behind = at + n + 1;
        behind += strspn(behind, " ");
        if (*behind == ':')
            return behind + 1 + strspn(behind + 1, " ");
    }
    return NULL;
}

static bool read_descr(struct npy *npy, const char *text)
{
    const char *at = value_of_key(text, "descr");
    char name[16];
    size_t n;

    if (!at || (*at != '\'' && *at != '"'))
        return bad(npy, at ? "holds records, not elements of a simple type" : "the header has no descr");
    n = strcspn(at + 1, "'\"");
    (void)snprintf(name, sizeof name, "%.*s", (int)(n < 15 ? n : 15), at + 1);
    npy->swapped = name[0] == (native == '<' ? '>' : '<') && name[1] && (name[1] == 'U' || strcmp(name + 2, "1") != 0);
    if (name[0] == '>')
        name[0] = '<';
    npy->type = type_named(name);
    if (npy->type)
        return true;
    return !failed("%s: has elements of type '%.*s', not integers of 1 to 8 bytes, floats of 2, 4 or 8, complex "
                   "numbers of 8 or 16, bool, or strings of 1 to 4096 bytes",
                   npy->name, (int)n, at + 1);
}

static bool read_npy_shape(struct npy *npy, const char *text)
{
    const char *at = value_of_key(text, "shape");
    char *end;

    if (!at || *at++ != '(')
        return bad(npy, "the header has no valid shape");
    for (npy->ndim = 0;; npy->ndim++) {
        at += strspn(at, " ");
        if (*at == ')')
            break;
        if (!isdigit((unsigned char)*at))
            return bad(npy, "the header has no valid shape");
        if (npy->ndim == DRX_MAX_NDIM)
            return bad(npy, "has more than 32 axes");
        errno = 0;
        npy->shape[npy->ndim] = strtoll(at, &end, 10);
        at = end + (*end == 'L'); /* Python 2 */
        at += strspn(at, " ");
        if (errno || (*at != ',' && *at != ')'))
            return bad(npy, "the header has no valid shape");
        at += *at == ',';
    }
    return npy->ndim > 0 ? true : bad(npy, "is a single value, without axes");
}

static bool read_dictionary(struct npy *npy, const char *text)
{
    const char *order = value_of_key(text, "fortran_order");

    if (!read_descr(npy, text) || !read_npy_shape(npy, text))
        return false;
    if (!order || (strncmp(order, "True", 4) != 0 && strncmp(order, "False", 5) != 0))
        return bad(npy, "the header has no valid fortran_order");
    npy->order = order[0] == 'T' ? DRX_COL_MAJOR : DRX_ROW_MAJOR;
    return true;
}

static bool read_header(struct npy *npy)
{
    unsigned char begin[MAGIC_BYTES + 4];
    char *text;
    size_t size_bytes, n = 0;
    bool good;

    if (!npy_get(npy, begin, MAGIC_BYTES, 0))
        return bad(npy, "is not a .npy file");
    if (memcmp(begin, "CDF", 3) == 0 || memcmp(begin, "\x89HDF", 4) == 0)
        return bad(npy, npy->pipe ? "is a file of netCDF or HDF5, which cannot come by a pipe; save it, and give 'drx "
                                    "import' its name"
                                  : "is a file of netCDF or HDF5, not .npy; use 'drx import', which appends it with "
                                    "--append AXIS");
    if (memcmp(begin, magic, sizeof magic) != 0)
        return bad(npy, "is not a .npy file");
    if (begin[6] < 1 || begin[6] > 3)
        return bad(npy, "is a .npy file of an unknown version, not 1, 2 or 3");
    size_bytes = begin[6] == 1 ? 2 : 4;
    if (!npy_get(npy, begin + MAGIC_BYTES, size_bytes, MAGIC_BYTES))
        return bad(npy, "ends within its header");
    for (size_t i = size_bytes; i-- > 0;)
        n = n << 8 | begin[MAGIC_BYTES + i];
    if (n > HEADER_BYTES)
        return bad(npy, "has a header of more than 64 KiB");
    npy->start = (int64_t)(MAGIC_BYTES + size_bytes + n);
    text = calloc(n + 1, 1);
    if (!text)
        return bad(npy, "out of memory");
    good = npy_get(npy, text, n, (int64_t)(MAGIC_BYTES + size_bytes)) ? read_dictionary(npy, text)
                                                                      : bad(npy, "ends within its header");
    free(text);
    return good;
}

/* Does the file hold all elements? */
static bool check_length(const struct npy *npy, int64_t file_bytes)
{
    const int64_t bytes = box_bytes(npy->ndim, npy->shape, drx_type_size(npy->type));

    if (bytes < 0)
        return bad(npy, "has a shape whose size does not fit in 64 bits");
    if (npy->pipe || file_bytes - npy->start >= bytes)
        return true;
    return !failed("%s: ends after %" PRId64 " bytes of elements, expected %" PRId64, npy->name,
                   file_bytes - npy->start, bytes);
}

bool npy_open_file(struct npy *npy, const char *name, int64_t *bytes)
{
    const bool standard = strcmp(name, "-") == 0;
    struct stat file;

    memset(npy, 0, sizeof *npy);
    npy->name = standard ? "standard input" : name;
    npy->fd = standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (npy->fd < 0 || fstat(npy->fd, &file) != 0) {
        (void)failed_errno(npy->name, "open");
    } else if (S_ISDIR(file.st_mode)) {
        (void)failed("%s: is a folder, not a file with one array", npy->name);
    } else {
        npy->pipe = standard || !S_ISREG(file.st_mode);
        *bytes = file.st_size;
        return true;
    }
    npy_close(npy);
    return false;
}

bool npy_open(struct npy *npy, const char *name)
{
    int64_t bytes;

    if (!npy_open_file(npy, name, &bytes))
        return false;
    if (read_header(npy) && check_length(npy, bytes))
        return true;
    npy_close(npy);
    return false;
}

void npy_close(struct npy *npy)
{
    if (npy->fd > STDERR_FILENO)
        (void)close(npy->fd);
    npy->fd = -1;
}

/* ---- writing ---- */

static void put_descr(FILE *out, drx_type type);

/* A name as a string of Python. */
static void put_field_name(FILE *out, const char *name)
{
    (void)fputc('\'', out);
    for (; *name; name++)
        (void)fprintf(out, strchr("'\\", *name) ? "\\%c" : (unsigned char)*name < ' ' ? "\\x%02x" : "%c", *name);
    (void)fputc('\'', out);
}

/* The field that begins first from `from` on; NULL: none. */
static const drx_member *next_field(const drx_type_info *info, size_t from)
{
    const drx_member *next = NULL;

    for (int i = 0; i < info->nmembers; i++)
        if (info->members[i].offset >= from && (!next || info->members[i].offset < next->offset))
            next = &info->members[i];
    return next;
}

/* [('x', '<f4'), ('', '|V4'), ('y', '<i4', (3,))]: fields by their offsets, with what lies between them. */
static void put_fields(FILE *out, const drx_type_info *info)
{
    const drx_member *m = next_field(info, 0);
    size_t at = 0;

    (void)fputc('[', out);
    for (; m || at < info->bytes; m = m ? next_field(info, at) : NULL) {
        const size_t begin = m ? m->offset : info->bytes;

        if (at < begin)
            (void)fprintf(out, "%s('', '|V%zu')", at ? ", " : "", begin - at);
        at = begin;
        if (!m)
            break;
        (void)fputs(at ? ", (" : "(", out);
        put_field_name(out, m->name);
        (void)fputs(", ", out);
        put_descr(out, m->type);
        (void)fputs(m->rank ? ", (" : "", out);
        at += drx_type_size(m->type);
        for (int j = 0; j < m->rank; j++) {
            (void)fprintf(out, "%" PRId64 ",", m->extents[j]);
            at += (size_t)(m->extents[j] - 1) * (at - begin);
        }
        (void)fputs(m->rank ? "))" : ")", out);
    }
    (void)fputc(']', out);
}

/* As NumPy writes it: '<f8', '|S12'. */
static void put_descr(FILE *out, drx_type type)
{
    const drx_type_info *info = drx_type_describe(type);
    const size_t bytes = drx_type_size(type);
    const drx_type plain = integer_of(type);
    const char kind = plain == DRX_BOOL        ? 'b'
                      : type_is_complex(plain) ? 'c'
                      : !type_is_whole(plain)  ? 'f'
                      : plain >= DRX_UINT8     ? 'u'
                                               : 'i';

    if (DRX_IS_STRING(type))
        (void)fprintf(out, "'%c%s'", DRX_IS_BYTES(type) ? '|' : native, drx_type_name(type));
    else if (info && info->type_class == DRX_COMPOUND)
        put_fields(out, info);
    else if (info && info->type_class == DRX_OPAQUE)
        (void)fprintf(out, "'|V%zu'", bytes);
    else
        (void)fprintf(out, "'%c%c%zu'", bytes == 1 ? '|' : native, kind, bytes);
}

/* The dictionary; to be freed. NULL: no memory. */
static char *header_text(const struct npy *npy)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);

    if (!out)
        return NULL;
    (void)fputs("{'descr': ", out);
    put_descr(out, npy->type);
    (void)fprintf(out, ", 'fortran_order': %s, 'shape': (", npy->order == DRX_COL_MAJOR ? "True" : "False");
    for (int j = 0; j < npy->ndim; j++)
        (void)fprintf(out, "%s%" PRId64 "%s", j ? ", " : "", npy->shape[j], npy->ndim == 1 ? "," : "");
    (void)fputs("), }", out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static bool is_ascii(const char *text)
{
    while (*text > 0)
        text++;
    return *text == '\0';
}

/* Version 1.0 of the format has up to 65535 bytes of it; 3.0 more, in UTF-8. */
bool npy_write_header(struct npy *npy)
{
    char *text = header_text(npy), *header;
    const size_t n = text ? strlen(text) : 0;
    const bool small = text && n + ALIGN_BYTES < HEADER_BYTES && is_ascii(text);
    const size_t prologue = MAGIC_BYTES + (small ? 2 : 4);
    const size_t padded = (prologue + n + ALIGN_BYTES) / ALIGN_BYTES * ALIGN_BYTES; /* with the newline at the end */
    bool good;

    if (!text || !(header = malloc(padded))) {
        free(text);
        return !out_of_memory((int64_t)padded);
    }
    memset(header, ' ', padded);
    memcpy(header, magic, sizeof magic);
    header[6] = small ? 1 : 3;
    header[7] = 0;
    for (size_t i = 0; i < prologue - MAGIC_BYTES; i++)
        header[MAGIC_BYTES + i] = (char)((padded - prologue) >> 8 * i & 0xff);
    memcpy(header + prologue, text, n);
    header[padded - 1] = '\n';
    npy->start = (int64_t)padded;
    good = npy_put(npy, header, padded, 0);
    free(header);
    free(text);
    return good;
}
