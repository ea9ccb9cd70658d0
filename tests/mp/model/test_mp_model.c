/* The histories of tests/model, whose array all ranks have open together. Each rank has the model, its own readers
 * beside the array, and draws the same numbers.
 *
 *   DRX_MODEL_OPS      operations, 4000 by default, or fewer by DRX_SAMPLE
 *   DRX_MODEL_HISTORY  only that history of DRX_SEED */
#include "io/io.h"
#include "mp_hands.h"

TEST(histories_of_ranks)
{
    static struct run run;
    static struct model m;
    const char *ops = getenv("DRX_MODEL_OPS"), *one = getenv("DRX_MODEL_HISTORY");
    const struct drxi_files *const files = drxi_files;
    const int64_t wanted = ops ? strtoll(ops, NULL, 10) : mp_rounds(4000);

    run = (struct run){ .seed = mp_stream,
                        .hands = &all_ranks,
                        .folder = ".",
                        .trace = getenv("DRX_MODEL_TRACE") && mp_rank == 0,
                        .rank = mp_rank,
                        .ranks = mp_ranks };
    print_message("model: seed %" PRIu64 " of %d ranks\n", run.seed, mp_ranks);
    for (int64_t n = one ? strtoll(one, NULL, 10) : 0; run.calls < wanted && !(one && m.ended); n++)
        one_history(&m, &run, n);
    drxi_files = files;
}
