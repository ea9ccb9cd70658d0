/* Disk resident arrays, and what moves between them and global arrays. */
#include "dra_testing.h"

#include <inttypes.h>

void random_dims(int ndim, int64_t dims[])
{
    static const int64_t most[MOST_DISK_DIMS + 1] = { 0, 5000, 90, 22, 11, 7, 5, 4 };

    for (int j = 0; j < ndim; j++)
        dims[j] = 1 + below(most[ndim]);
}

void random_hint(const struct model *disk, int64_t hint[])
{
    const int64_t kind = below(3);

    for (int j = 0; j < disk->ndim; j++)
        hint[j] = kind == 0 || (kind == 1 && below(2)) ? -1 : 1 + below(disk->dims[j] + 1);
}

int begin_move(bool writing, bool turned, int g_a, const struct section *global, int d_a, const struct section *disk)
{
    int request;

    succeed(call_move(writing, turned, g_a, global, d_a, disk, &request));
    return request;
}

int move_whole(bool writing, int g_a, int d_a)
{
    int request, code = call_whole(writing, g_a, d_a, &request);

    if (code == 0) {
        code = call_wait(request);
        expect(call_wait(request), code); /* whoever asks again gets the same answer */
    }
    return code;
}

void finished(int request)
{
    int state = 0;

    succeed(call_wait(request));
    succeed(call_probe(request, &state));
    expect(state, ELIO_DONE);
}

int write_disk(int d_a, const struct model *model, enum way way)
{
    const int g_a = make_global(model, way);
    int code;

    put_global(g_a, model);
    code = move_whole(true, g_a, d_a);
    destroy_global(g_a);
    return code;
}

void check_disk(int d_a, const struct model *model, enum way way, const char *what)
{
    const int g_a = make_global(model, way);

    succeed(move_whole(false, g_a, d_a));
    say("%s: %016" PRIx64, what, check_global(g_a, model, what));
    destroy_global(g_a);
}
