/* A library's calls of others go through slots (.got), which the dynamic linker fills; they are written here again. */
#include "got.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { SLOT = R_X86_64_JUMP_SLOT, DATA = R_X86_64_GLOB_DAT };
#define SYMBOL(info) ELF64_R_SYM(info)
#define KIND(info) ELF64_R_TYPE(info)
#elif defined(__aarch64__)
enum { SLOT = R_AARCH64_JUMP_SLOT, DATA = R_AARCH64_GLOB_DAT };
#define SYMBOL(info) ELF64_R_SYM(info)
#define KIND(info) ELF64_R_TYPE(info)
#endif

#ifdef SYMBOL

struct hook {
    const char *name;
    const void *old;
    void *new;
};

struct calls { /* of one library */
    ElfW(Addr) base;
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Rela) * lists[2];
    size_t bytes[2];
    const void *protected_from, *protected_to; /* by RELRO: for reading alone since the library was loaded */
};

static void find_calls(const struct dl_phdr_info *info, struct calls *c)
{
    uintptr_t value[DT_JMPREL + 1] = { 0 }; /* by tag */
    const ElfW(Dyn) *at = NULL;

    *c = (struct calls){ .base = info->dlpi_addr };
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];

        if (h->p_type == PT_DYNAMIC)
            at = (const void *)(info->dlpi_addr + h->p_vaddr);
        if (h->p_type == PT_GNU_RELRO) {
            c->protected_from = (const char *)(info->dlpi_addr + h->p_vaddr);
            c->protected_to = (const char *)c->protected_from + h->p_memsz;
        }
    }
    for (; at && at->d_tag != DT_NULL; at++)
        if (at->d_tag >= 0 && at->d_tag <= DT_JMPREL)
            value[at->d_tag] = at->d_un.d_val;
    c->symbols = (const void *)value[DT_SYMTAB];
    c->names = (const void *)value[DT_STRTAB];
    c->lists[0] = (const void *)value[DT_JMPREL];
    c->bytes[0] = value[DT_PLTRELSZ];
    c->lists[1] = (const void *)value[DT_RELA];
    c->bytes[1] = value[DT_RELASZ];
}

static void write_slot(const struct calls *c, void **slot, void *new)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)slot / page * page;
    const bool closed = (const void *)slot >= c->protected_from && (const void *)slot < c->protected_to;

    if (closed && mprotect((void *)first, page, PROT_READ | PROT_WRITE) != 0)
        return;
    __atomic_store_n(slot, new, __ATOMIC_RELEASE);
    if (closed)
        (void)mprotect((void *)first, page, PROT_READ);
}

static void hook_library(const struct hook *h, const struct calls *c)
{
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; c->lists[k] && i < c->bytes[k] / sizeof *c->lists[k]; i++) {
            const ElfW(Rela) *r = &c->lists[k][i];

            if ((KIND(r->r_info) == SLOT || KIND(r->r_info) == DATA) &&
                strcmp(c->names + c->symbols[SYMBOL(r->r_info)].st_name, h->name) == 0)
                write_slot(c, (void **)(c->base + r->r_offset), h->new);
        }
}

struct libraries {
    struct dl_phdr_info *list;
    size_t n;
};

static int note_library(struct dl_phdr_info *info, size_t bytes, void *with)
{
    struct libraries *all = with;
    struct dl_phdr_info *more = realloc(all->list, (all->n + 1) * sizeof *more);

    (void)bytes;
    if (!more)
        return 1;
    all->list = more;
    all->list[all->n++] = *info;
    return 0;
}

/* Would the library's call end at `old`? The library, held until dlclose; NULL: no. */
static void *calls_old(const struct dl_phdr_info *info, const struct hook *h)
{
    void *library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);

    if (!library || dlsym(library, h->name) == h->old)
        return library;
    (void)dlclose(library);
    return NULL;
}

void bridge_hook(const char *library, const char *name, const void *old, void *new)
{
    const struct hook h = { .name = name, .old = old, .new = new };
    struct libraries all = { 0 };
    Dl_info with_old, with_new;

    if (!dladdr(old, &with_old) || !dladdr(new, &with_new))
        return;
    (void)dl_iterate_phdr(note_library, &all); /* which must not call dlopen */
    for (size_t i = 0; i < all.n; i++) {
        const void *base = (const void *)all.list[i].dlpi_addr;
        struct calls c;
        void *held;

        if (base == with_new.dli_fbase ||
            (library ? !strstr(all.list[i].dlpi_name, library) : base == with_old.dli_fbase))
            continue;
        held = calls_old(&all.list[i], &h);
        if (!held)
            continue;
        find_calls(&all.list[i], &c);
        if (c.symbols && c.names)
            hook_library(&h, &c);
        (void)dlclose(held);
    }
    free(all.list);
}

#else

void bridge_hook(const char *library, const char *name, const void *old, void *new)
{
    (void)library, (void)name, (void)old, (void)new;
}

#endif
