/* Prints an axis and parses the result, and refuses other texts. */
#include "dap/dap_internal.h"
#include "dap_axes.h"

enum { TEXT_BYTES = 8192 };

static void assert_same_dim(const struct dap_dim *a, const struct dap_dim *b)
{
    struct dap_dim x = *a, y = *b;

    assert_int_equal(x.n_indices, y.n_indices);
    if (x.n_indices > 0)
        assert_memory_equal(x.indices, y.indices, (size_t)x.n_indices * sizeof *x.indices);
    x.indices = y.indices = NULL;
    assert_memory_equal(&x, &y, sizeof x);
}

TEST(there_and_back)
{
    uint64_t seed = starting_seed(0);
    char text[TEXT_BYTES], again[TEXT_BYTES];
    struct dap_dim *set;
    struct axis a;

    for (int i = 0; i < 3000; i++) {
        int64_t length;

        random_axis(&seed, "bcu"[i % 3], 1 + random_below(&seed, MOST_RANKS), &a);
        length = dap_print(a.set, text, sizeof text);
        assert_int_equal(length, strlen(text));
        assert_valid(dap_parse(text, &set, WHY));
        assert_int_equal(set->proc_grid_size, a.nranks);
        for (int64_t r = 0; r < a.nranks; r++) {
            if (i % 3 == 1)
                a.set[r].start = r * a.set[r].block_size; /* if it was clamped, it is no more */
            assert_same_dim(&set[r], &a.set[r]);
        }
        assert_int_equal(dap_print(set, again, sizeof again), length);
        assert_string_equal(again, text);
        dap_free(set);
    }
}

TEST(short_buffers)
{
    static const char whole[] = "b 0 4 7 10 padding 1 1 1 1 periodic";
    struct dap_dim set[3], none = { 0 };
    char part[80];

    for (int r = 0; r < 3; r++) {
        assert_int_equal(dap_block(10, 1, 3, r, &set[r]), DAP_OK);
        assert_int_equal(dap_pad(&set[r], 1, 1, DAP_DIM_PERIODIC), DAP_OK);
    }
    assert_int_equal(dap_print(set, NULL, 0), sizeof whole - 1);
    for (size_t bytes = 0; bytes <= sizeof whole; bytes++) {
        const size_t kept = bytes < sizeof whole ? bytes : sizeof whole;

        memset(part, 'x', sizeof part);
        assert_int_equal(dap_print(set, part, bytes), sizeof whole - 1);
        if (kept > 0) {
            assert_memory_equal(part, whole, kept - 1);
            assert_int_equal(part[kept - 1], '\0');
        }
        assert_int_equal(part[kept], 'x');
    }
    assert_int_equal(dap_print(&none, part, sizeof part), DAP_EINVAL);
    assert_string_equal(part, "");
}

/* What the header shows, and the white space that the parser takes. */
TEST(examples)
{
    static const struct {
        const char *text, *printed;
    } cases[] = {
        { "b 0 25 50 75 100 padding 4 1 2 3 0 periodic", NULL },
        { "c 100 over 4 block 8", NULL },
        { "u 5 [ 0 2 4 ] [ ] [ -5 9 ] one_to_one", NULL },
        { "{} 100", NULL },
        { "b 0 0", NULL },
        { "c 0 over 1", NULL },
        { "u 0 [ ]", NULL },
        { "  b\t0 25\n", "b 0 25" },
        { "b 0 25 padding 0 0", "b 0 25" },
        { "c 100 over 4 block 1", "c 100 over 4" },
        { "c 007 over 4", "c 7 over 4" },
        { "u 9 [ -9223372036854775808 9223372036854775807 ]", NULL },
        { "b 0 9223372036854775807", NULL },
    };
    char text[200];
    struct dap_dim *set;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_valid(dap_parse(cases[i].text, &set, WHY));
        assert_true(dap_print(set, text, sizeof text) > 0);
        assert_string_equal(text, cases[i].printed ? cases[i].printed : cases[i].text);
        assert_int_equal(set->flags & DAP_DIM_ALIAS, text[0] == '{' ? DAP_DIM_ALIAS : 0);
        dap_free(set);
    }
}

TEST(malformed)
{
    static const struct {
        const char *text;
        int status;
        const char *says;
    } cases[] = {
        { "", DAP_ESYNTAX, "column 1: the end, expected b, c, u or {}" },
        { "  ", DAP_ESYNTAX, "column 3: the end" },
        { "x 5", DAP_ESYNTAX, "column 1: 'x', expected b, c, u or {}" },
        { "b", DAP_ESYNTAX, "column 2: the end, expected at least two borders" },
        { "b 5", DAP_ESYNTAX, "column 4: the end, expected at least two borders" },
        { "b 0 x", DAP_ESYNTAX, "column 5: 'x', expected at least two borders" },
        { "b 0 -5", DAP_ESYNTAX, "column 5: '-5', expected a whole number from 0 up" },
        { "b 0 5.5", DAP_ESYNTAX, "column 5: '5.5', expected a whole number" },
        { "b 0 0x5", DAP_ESYNTAX, "column 5: '0x5', expected a whole number" },
        { "b 0 +5", DAP_ESYNTAX, "column 5: '+5'" },
        { "b 0 9223372036854775808", DAP_ESYNTAX, "column 5: '9223372036854775808', expected a whole number" },
        { "b 0 5 padding 0", DAP_ESYNTAX, "column 16: the end, expected a whole number" },
        { "b 0 5 padding 0 0 0", DAP_ESYNTAX, "column 19: '0', expected the end" },
        { "b 0 5 periodic padding 0 0", DAP_ESYNTAX, "column 16: 'padding', expected the end" },
        { "b 0 5 one_to_one", DAP_ESYNTAX, "column 7: 'one_to_one', expected the end" },
        { "b 0 5 3", DAP_EINVAL, "rank 0, axis 0, stop: 5, expected at most 3" },
        { "b 0 5 3 9", DAP_EINVAL, "rank 1, axis 0, stop: 3, expected at least 5" },
        { "b 1 5", DAP_EINVAL, "rank 0, axis 0, start: 1, expected 0" },
        { "b 0 3 6 padding 0 4 0", DAP_EINVAL, "rank 0, axis 0, stop: 7" },
        { "b 0 3 5 9 padding 0 0 3 0", DAP_EINVAL, "padding: 3, expected at most 2, what grid rank 1 owns" },
        { "b 0 1 9223372036854775807 padding 0 9223372036854775807 0", DAP_EOVERFLOW, "padding: a section" },
        { "c", DAP_ESYNTAX, "column 2: the end, expected a whole number" },
        { "c 5", DAP_ESYNTAX, "column 4: the end, expected over" },
        { "c 5 over", DAP_ESYNTAX, "column 9: the end, expected a whole number" },
        { "c 5 over 0", DAP_EINVAL, "proc_grid_size: 0, expected 1 to 16777216" },
        { "c 5 over 16777217", DAP_EINVAL, "proc_grid_size: 16777217" },
        { "c 5 over 2 block", DAP_ESYNTAX, "column 17: the end" },
        { "c 5 over 2 block 0", DAP_EINVAL, "block_size: 0, expected at least 1" },
        { "c 5 over 2 block 1 2", DAP_ESYNTAX, "column 20: '2', expected the end" },
        { "u", DAP_ESYNTAX, "column 2: the end" },
        { "u 5", DAP_ESYNTAX, "column 4: the end, expected [" },
        { "u 5 [", DAP_ESYNTAX, "column 6: the end, expected an index or ]" },
        { "u 5 [ 1 [ 2 ]", DAP_ESYNTAX, "column 9: '[', expected an index or ]" },
        { "u 5 [ 1 ] 2 [ ]", DAP_ESYNTAX, "column 11: '2', expected [" },
        { "u 5 [1]", DAP_ESYNTAX, "column 5: '[1]', expected [" },
        { "u 5 [ 1- ]", DAP_ESYNTAX, "column 7: '1-', expected a whole number that fits" },
        { "u 5 [ 1 ] one_to_one 2", DAP_ESYNTAX, "column 22: '2', expected the end" },
        { "u 5 [ 1 1 ]", DAP_EINVAL, "rank 0, axis 0, indices: 1 is there twice" },
        { "u 2 [ 1 ] [ 1 ] one_to_one", DAP_EINVAL, "rank 1, axis 0, indices: 1 is on grid rank 0" },
        { "{}", DAP_ESYNTAX, "column 3: the end" },
        { "{} 1 2", DAP_ESYNTAX, "column 6: '2', expected the end" },
        { "a_word_that_is_longer_than_anybody_would_want_to_read_in_a_message", DAP_ESYNTAX,
          "anybody_would', expected b" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct dap_dim *set = (struct dap_dim *)why;

        assert_wrong(dap_parse(cases[i].text, &set, WHY), cases[i].status, cases[i].says);
        assert_null(set);
    }
    assert_wrong(dap_parse(NULL, &(struct dap_dim *){ NULL }, WHY), DAP_EINVAL, "null pointer");
    dap_free(NULL);
}

/* Printed forms with a few characters changed: refused, or another form. */
TEST(damaged_texts)
{
    static const char alphabet[] = "0123456789 -bcu[]{}xpo_\n";
    uint64_t seed = starting_seed(0);
    char text[TEXT_BYTES], again[TEXT_BYTES];
    int64_t length, taken = 0;
    struct dap_dim *set, *copy;
    struct axis a;

    for (int i = 0; i < 20000; i++) {
        random_axis(&seed, "bcu"[i % 3], 1 + random_below(&seed, MOST_RANKS), &a);
        length = dap_print(a.set, text, sizeof text);
        for (int64_t k = random_below(&seed, 3); k >= 0; k--)
            text[random_below(&seed, length)] = alphabet[random_below(&seed, sizeof alphabet)];
        if (dap_parse(text, &set, WHY)) {
            assert_true(why[0]);
            continue;
        }
        taken++;
        assert_true(dap_print(set, text, sizeof text) < TEXT_BYTES);
        assert_valid(dap_parse(text, &copy, WHY));
        (void)dap_print(copy, again, sizeof again);
        assert_string_equal(again, text);
        dap_free(set);
        dap_free(copy);
    }
    print_message("%lld were forms of something else\n", (long long)taken);
    assert_true(taken > 0);
}

TEST(out_of_memory)
{
    struct dap_dim *set;
    long n = 0;
    int status;

    do {
        dapi_fail_allocation = ++n;
        status = dap_parse("u 5 [ 3 2 1 ] [ 5 4 ] one_to_one", &set, WHY);
        if (dapi_fail_allocation == 0)
            assert_wrong(status, DAP_ENOMEM, "out of memory");
    } while (dapi_fail_allocation == 0);
    dapi_fail_allocation = 0;
    assert_valid(status);
    assert_true(n > 3);
    dap_free(set);
}
