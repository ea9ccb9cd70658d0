/* The main of programs whose tests are defined with TEST. */
#include "testing.h"

enum { MOST_TESTS = 100 };

static struct CMUnitTest tests[MOST_TESTS];
static int lines[MOST_TESTS];
static size_t ntests;

/* Constructors run in any order; the lines tell that of the file. */
void testing_add(const char *file, int line, struct CMUnitTest test)
{
    size_t at = ntests++;

    (void)file;
    assert_true(ntests <= MOST_TESTS);
    for (; at > 0 && lines[at - 1] > line; at--) {
        tests[at] = tests[at - 1];
        lines[at] = lines[at - 1];
    }
    tests[at] = test;
    lines[at] = line;
}

int main(void)
{
    return _cmocka_run_group_tests("tests", tests, ntests, NULL, NULL);
}
