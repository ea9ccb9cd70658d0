/* Files in memory that other processes of the machine can open and map. They have no name, and belong to no file
 * system whose size a mount limits, as that of /dev/shm is; the system takes memory for a page when it is first written
 * to, and gives it back when the last process has closed the file. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/posix.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; older kernels refuse it */
#endif

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

void drxi_unmap(struct drxi_mapping *mapping)
{
    if (mapping->pages)
        (void)munmap(mapping->pages, mapping->page_bytes);
    *mapping = (struct drxi_mapping){ .pages = NULL };
}

drx_status drxi_mapping_touch(uint8_t *from, int64_t bytes)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)from / page * page;
    const size_t all = (uintptr_t)from + (uintptr_t)bytes - first;
    int failed;

    do
        failed = madvise((void *)first, all, MADV_POPULATE_WRITE);
    while (failed && (errno == EINTR || errno == EAGAIN));
    if (failed && errno != EINVAL && errno != ENOSYS)
        return drxi_fail(DRX_ENOMEM, "the system has no memory for %lld bytes of a file in memory", (long long)bytes);
    return DRX_OK;
}

drx_status drxi_memory_file(drxi_io **out)
{
    return drxi_files->memory(out);
}

drx_status drxi_memory_file_of(const struct drxi_alias *alias, drxi_io **out)
{
    struct drxi_alias here;
    drx_status st = drxi_files->open(alias->path, DRXI_WRITE, out);

    if (st)
        return st;
    st = (*out)->ops->alias(*out, &here);
    if (!st && memcmp(here.id, alias->id, sizeof here.id) != 0)
        st = drxi_fail(DRX_EMISMATCH, "%s: another file than that of the process", alias->path);
    if (!st)
        return DRX_OK;
    (void)(*out)->ops->close(*out);
    *out = NULL;
    return st;
}
