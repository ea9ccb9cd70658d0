/* Whether reads of parts of chunks verify the chunks. */
#include "base/base.h"
#include "drx_tools.h"

#include <stdlib.h>

static atomic_int wanted = -1; /* nobody has asked yet */

void drx_set_verify(int on)
{
    atomic_store_explicit(&wanted, on != 0, memory_order_relaxed);
}

bool drxi_verifies(void)
{
    int now = atomic_load_explicit(&wanted, memory_order_relaxed);

    if (now < 0) {
        const char *text = getenv("DRX_VERIFY");
        const int said = text && *text && strcmp(text, "0") != 0;

        now = atomic_compare_exchange_strong(&wanted, &now, said) ? said : now;
    }
    return now > 0;
}
