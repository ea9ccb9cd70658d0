/* Arrays and datasets of one process. */
#include "drxf.h"

#define CALL(name) drx_##name
#define MAKE(name, ...) drx_##name(__VA_ARGS__)
#define VIEW(name, it) (it)
#define TOGETHER false
#define ELEMENTS .move = NULL
#include "f_kinds.h"

DRX_API drx_status drxf_make(int what, const char *path, int64_t *id, const struct drxf_spec *from, const int *mode,
                             const CFI_cdesc_t *at)
{
    return drxf_make_with(&dataset_kind, NULL, what, path, id, from, mode, at);
}
