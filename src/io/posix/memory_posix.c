/* Files in memory that other processes of the machine can open and map. They have no name, and belong to no file
 * system whose size a mount limits, as that of /dev/shm is; the system takes memory for a page when it is first written
 * to, and gives it back when the last process has closed the file. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/posix/posix.h"

int drxi_posix_memory(void)
{
#ifdef MFD_CLOEXEC
    return memfd_create("drx", MFD_CLOEXEC);
#else
    errno = ENOSYS;
    return -1;
#endif
}

drx_status drxi_posix_map(int fd, int64_t offset, int64_t bytes, struct drxi_mapping *out)
{
    const int64_t first = offset - offset % sysconf(_SC_PAGESIZE);

    out->page_bytes = (size_t)(offset + bytes - first);
    out->pages = mmap(NULL, out->page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, first);
    if (out->pages == MAP_FAILED) {
        *out = (struct drxi_mapping){ .pages = NULL };
        return drxi_fail(DRX_ENOMEM, "no room to map %lld bytes", (long long)bytes);
    }
    drxi_prefer_huge_pages(out->pages, out->page_bytes);
    out->base = (uint8_t *)out->pages + (offset - first);
    return DRX_OK;
}
