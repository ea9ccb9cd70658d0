/* Elements put into place while their bytes come: in pieces of any length, of regions of any shape and stride, they end
 * where they end when all bytes are there at once. */
#include "box/regions.h"
#include "testing.h"

enum { ROUNDS = 150, MOST_REGIONS = 6, ROOM = 8, EXTENT = 9, CHUNK_BYTES = EXTENT * EXTENT * EXTENT * 16 };

struct scene {
    struct drxi_layout layout;
    struct drxi_placed placed[ROOM];
    int64_t count[ROOM * 3];
    struct drxi_regions all;
    int64_t first, n, offset, bytes; /* of a read */
};

static uint8_t file[MOST_REGIONS * (CHUNK_BYTES + 100)], memory[2][MOST_REGIONS * 8 * CHUNK_BYTES], buf[sizeof file];

/* Some regions of chunks that follow one another, with gaps, each of a random shape. */
static void make(struct scene *s, uint64_t *seed)
{
    const int64_t item = (int64_t)1 << random_below(seed, 5);
    int64_t stride = item;

    memset(s, 0, sizeof *s);
    s->layout.ndim = 3;
    s->layout.item_bytes = item;
    for (int i = 2; i >= 0; i--) {
        s->layout.axes[i] = i;
        s->layout.file_stride[i] = stride * (1 + random_below(seed, 2) * (i == 2));
        stride = s->layout.file_stride[i] * EXTENT;
        s->layout.mem_stride[i] = item * (i == 0 ? 400 : i == 1 ? 20 : 1) * (random_below(seed, 4) ? 1 : 2);
    }
    s->all = (struct drxi_regions){
        .layout = &s->layout, .placed = s->placed, .count = s->count, .room = ROOM, .large = random_below(seed, 2)
    };
    s->first = random_below(seed, 1000);
    s->n = 1 + random_below(seed, MOST_REGIONS);
    s->offset = random_below(seed, 1 << 30);
    s->bytes = random_below(seed, 50);
    for (int64_t i = s->first; i < s->first + s->n; i++) {
        int64_t *count = s->count + i % ROOM * 3;

        for (int j = 0; j < 3; j++)
            count[j] = 1 + (random_below(seed, 3) ? random_below(seed, EXTENT / 2) : 0);
        s->placed[i % ROOM] = (struct drxi_placed){ .offset = s->offset + s->bytes };
        s->bytes += drxi_region_of(&s->layout, count).span + random_below(seed, 90);
    }
}

/* Let the regions lie in one of the two memories. */
static void lie_in(struct scene *s, uint8_t *base)
{
    for (int64_t i = 0; i < s->n; i++)
        s->placed[(s->first + i) % ROOM].mem = base + i * 8 * CHUNK_BYTES;
}

/* Make a scene with its bytes in `from`. The first memory gets what it should hold, and the regions lie in the
 * second. */
static void start(struct scene *s, uint64_t *seed, uint8_t *from)
{
    make(s, seed);
    assert_in_range(s->bytes, 1, sizeof file);
    for (int64_t i = 0; i < s->bytes; i++)
        from[i] = (uint8_t)random_next(seed);
    for (int k = 0; k < 2; k++)
        memset(memory[k], 0, sizeof memory[k]);
    lie_in(s, memory[0]);
    drxi_regions_place(&s->all, s->first, s->n, s->offset, from);
    lie_in(s, memory[1]);
}

TEST(in_pieces)
{
    const char *text = getenv("DRX_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 10) : (uint64_t)time(NULL);

    print_message("DRX_SEED=%llu\n", (unsigned long long)seed);
    for (int round = 0; round < ROUNDS; round++) {
        const int64_t most = random_below(&seed, 2) ? 40 : 6000;
        struct drxi_flying read = { .buf = buf };
        struct drxi_pour pour;
        struct scene s;

        start(&s, &seed, file);
        read.offset = s.offset;
        drxi_pour_begin(&pour, &s.all, s.first, s.n, &read);
        for (int64_t at = 0, n; at < s.bytes; at += n) {
            uint8_t piece[6001];

            n = drxi_min(1 + random_below(&seed, most), s.bytes - at);
            memcpy(piece, file + at, (size_t)n); /* it is gone afterwards, as libcurl's is */
            pour.sink.take(&pour.sink, piece, (size_t)n, (size_t)at);
            memset(piece, 0xee, sizeof piece);
        }
        assert_int_equal(pour.region, s.n);
        assert_memory_equal(memory[0], memory[1], sizeof memory[0]);
    }
}

/* All at once, and from the memory that it would wait in. */
TEST(at_once)
{
    uint64_t seed = 5;
    struct drxi_flying read = { .buf = buf };
    struct drxi_pour pour;
    struct scene s;

    for (int round = 0; round < 20; round++) {
        start(&s, &seed, buf);
        read.offset = s.offset;
        drxi_pour_begin(&pour, &s.all, s.first, s.n, &read);
        pour.sink.take(&pour.sink, buf, (size_t)s.bytes, 0);
        assert_memory_equal(memory[0], memory[1], sizeof memory[0]);
    }
}
