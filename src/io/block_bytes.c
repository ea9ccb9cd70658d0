/* The block of a file system at which chunks best begin: a stripe, or else what the system calls a block.
 *
 * The width of a stripe is that of the parallel file systems that tell it without a library of their own: Lustre in an
 * extended attribute (struct lov_user_md, and since Lustre 2.10 struct lov_comp_md_v1, of lustre_user.h), BeeGFS by an
 * ioctl (beegfs_ioctl_functions.h). */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "io/block_bytes.h"

enum {
    LUSTRE_V1 = 0x0BD10BD0,
    LUSTRE_V3 = 0x0BD30BD0,
    LUSTRE_COMPOSITE = 0x0BD60BD0,
    SIMPLE_BYTES = 32, /* up to the objects */
    STRIPE_SIZE_AT = 24,
    HEADER_BYTES = 32, /* of a composite layout; then its entries */
    ENTRY_BYTES = 48,
    COUNT_AT = 14,  /* of entries, in the header */
    END_AT = 16,    /* in an entry: where its part of the file ends */
    OFFSET_AT = 24, /* and where its layout is */
    MOST_BYTES = 1 << 16
};

/* The attribute has the byte order of the machine. */
static uint64_t number_at(const uint8_t *at, size_t bytes)
{
    uint64_t wide = 0;

    memcpy((uint8_t *)&wide + (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : sizeof wide - bytes), at, bytes);
    return wide;
}

static int64_t simple_layout(const uint8_t *layout, size_t bytes)
{
    uint64_t magic;

    if (bytes < SIMPLE_BYTES)
        return 0;
    magic = number_at(layout, 4);
    return magic == LUSTRE_V1 || magic == LUSTRE_V3 ? (int64_t)number_at(layout + STRIPE_SIZE_AT, 4) : 0;
}

/* Of a composite layout, that of the part up to the end of a large file. */
int64_t drxi_lustre_stripe(const uint8_t *layout, size_t bytes)
{
    if (bytes < HEADER_BYTES || number_at(layout, 4) != LUSTRE_COMPOSITE)
        return simple_layout(layout, bytes);
    for (uint64_t i = 0, n = number_at(layout + COUNT_AT, 2); i < n; i++) {
        const uint8_t *entry = layout + HEADER_BYTES + i * ENTRY_BYTES;
        uint64_t offset;

        if (HEADER_BYTES + (i + 1) * ENTRY_BYTES > bytes)
            return 0;
        offset = number_at(entry + OFFSET_AT, 4);
        if (number_at(entry + END_AT, 8) == UINT64_MAX)
            return offset <= bytes ? simple_layout(layout + offset, bytes - (size_t)offset) : 0;
    }
    return 0;
}

static int64_t lustre(const char *path)
{
    uint8_t *layout = drxi_malloc(MOST_BYTES);
    const ssize_t bytes = layout ? getxattr(path, "lustre.lov", layout, MOST_BYTES) : -1;
    const int64_t stripe = bytes > 0 ? drxi_lustre_stripe(layout, (size_t)bytes) : 0;

    drxi_free(layout);
    return stripe;
}

static int64_t beegfs(const char *path)
{
    enum { MAGIC = 0x19830326 };
    struct {
        unsigned pattern, chunk_bytes;
        uint16_t targets;
    } told = { .chunk_bytes = 0 };
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct statfs s;

    if (fd < 0)
        return 0;
    if (fstatfs(fd, &s) != 0 || s.f_type != MAGIC || ioctl(fd, _IOR('f', 25, told), &told) != 0)
        told.chunk_bytes = 0;
    (void)close(fd);
    return told.chunk_bytes;
}

static bool can_align(int64_t bytes)
{
    return bytes > 0 && bytes <= DRXI_MOST_ALIGN && (bytes & (bytes - 1)) == 0;
}

int64_t drxi_block_bytes(const char *path)
{
    struct stat file;
    int64_t bytes;

    if (!path || stat(path, &file) != 0)
        return 1;
    bytes = lustre(path);
    if (!can_align(bytes))
        bytes = beegfs(path);
    if (!can_align(bytes))
        bytes = file.st_blksize;
    return can_align(bytes) ? bytes : 1;
}

int64_t drxi_fitting_align(int64_t block_bytes, int64_t chunk_bytes)
{
    int64_t align = block_bytes;

    while (align > 1 && drxi_ceil_div(chunk_bytes, align) * align - chunk_bytes > chunk_bytes / 16)
        align /= 2;
    return drxi_max(align, 1);
}
