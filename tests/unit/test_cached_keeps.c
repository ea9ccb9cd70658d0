/* What the cache of blocks before a file keeps: what is in use stays, and what is read but once passes by. */
#include "counted_file.h"

/* The first read of an element brings in its line, the second one in the block all of that. */
TEST(lines)
{
    near = true;
    open_cached(10, 1 << 20, false);
    expect(200, 8);
    assert_int_equal(file->calls, 1);
    assert_int_equal(counts().blocks, 0);
    expect(192, 64); /* the line */
    assert_int_equal(file->calls, 1);
    expect(1800, 8); /* of another block */
    assert_int_equal(file->calls, 2);
    expect(264, 8); /* of the first block */
    assert_int_equal(file->calls, 3);
    assert_int_equal(counts().blocks, 1);
    expect(0, 1024);
    assert_int_equal(file->calls, 3);
    expect(1800, 8);
    assert_int_equal(file->calls, 3);
    memset(content + 1800, 5, 8);
    assert_ok(cached->ops->write(cached, content + 1800, 8, 1800));
    expect(1800, 8);
    assert_int_equal(file->calls, 5); /* the write, and the read */
    expect(BYTES - 4, 4);
    assert_int_equal(file->calls, 6);
    expect(BYTES - 8, 8); /* the line ends with the file */
    assert_int_equal(file->calls, 6);
    for (int i = 0; i < BYTES; i += 8)
        expect(i, 8);
    assert_in_range(file->calls, 6 + 4, 6 + 2 * 5); /* at most two for each block */
    close_cached();
    near = false;
}

/* When there is no room for more lines, those that are read once more come in, and others pass by. */
TEST(many_lines)
{
    near = true;
    open_cached(7, 8 * 112 * 3, false); /* of 64 bytes each, and what is noted of them: three */
    for (int turn = 0; turn < 3; turn++)
        for (int i = 0; i < BYTES; i += 128)
            expect(i, 8);
    assert_true(counts().refused > 0 && counts().blocks <= counts().most_blocks);
    assert_true(file->calls >= 2 * BYTES / 128);
    close_cached();
    near = false;
}

/* What is in use stays while a scan passes, and the scan reads no more than it asked for. */
TEST(scans)
{
    long calls;

    open_cached(4, 100 * 60, false); /* some 100 blocks of 16 bytes */
    for (int turn = 0; turn < 3; turn++)
        for (int i = 0; i < 40; i++)
            expect(i * 16, 16);
    for (int i = 40; i < BYTES / 16; i++)
        expect(i * 16, 16);
    assert_true(counts().blocks == counts().most_blocks && counts().blocks < BYTES / 16);
    assert_true(counts().refused > 0);
    file->calls = 0;
    for (int i = 0; i < 40; i++)
        expect(i * 16, 16);
    assert_int_equal(file->calls, 0);
    for (int turn = 0; turn < 20; turn++) /* others come into use */
        for (int i = 200; i < 240; i++)
            expect(i * 16, 16);
    calls = file->calls;
    for (int i = 200; i < 240; i++)
        expect(i * 16, 16);
    assert_int_equal(file->calls, calls);
    assert_true(counts().evicted > 0);
    close_cached();
}

/* What is read again and again does not go to make room for what is read twice. */
TEST(hot)
{
    enum { HOT = 20 };
    long missed = 0;

    open_cached(4, 100 * 60, false);
    for (int turn = 0; turn < 10; turn++)
        for (int i = HOT; i < BYTES / 16; i++) {
            expect(i * 16, 16);
            expect(i * 16, 16);
            for (int k = 0; k < HOT; k++) {
                const long calls = file->calls;

                expect(k * 16, 16);
                missed += turn > 0 && file->calls > calls;
            }
        }
    assert_true(counts().evicted > 100);
    assert_int_equal(missed, 0);
    close_cached();
}

/* A loop through more than there is room for finds a part of it. */
TEST(loops)
{
    long calls;

    open_cached(4, 100 * 60, false);
    for (int turn = 0; turn < 10; turn++) {
        calls = file->calls;
        for (int i = 0; i < BYTES / 16; i++)
            expect(i * 16, 16);
    }
    assert_in_range(file->calls - calls, BYTES / 16 - counts().most_blocks, BYTES / 16 - counts().most_blocks / 3);
    close_cached();
}
