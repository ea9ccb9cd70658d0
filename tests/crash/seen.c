#include "seen.h"

#include <search.h>

#include "testing.h"

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

bool seen_add(void **set, uint64_t hash)
{
    uint64_t *own = malloc(sizeof *own), *const * found;

    assert_non_null(own);
    *own = hash;
    found = tsearch(own, set, compare);
    assert_non_null(found);
    if (*found == own)
        return true;
    free(own);
    return false;
}

void seen_forget(void **set)
{
    tdestroy(*set, free);
    *set = NULL;
}
