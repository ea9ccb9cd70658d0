/* A user of the installed library libdap, compiled as C and as C++. */
#include <dap.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    struct dap_dim set[3];
    char text[64], why[128];
    int64_t owner = -1;

    for (int64_t rank = 0; rank < 3; rank++)
        if (dap_block(10, 1, 3, rank, &set[rank]) || dap_pad(&set[rank], 1, 1, 0))
            return 1;
    if (dap_validate_dims_set(3, 1, set, NULL, why, sizeof why)) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    (void)dap_print(set, text, sizeof text);
    puts(text);
    return strcmp(text, "b 0 4 7 10 padding 1 1 1 1") != 0 || dap_owner(set, 7, &owner) || owner != 2;
}
