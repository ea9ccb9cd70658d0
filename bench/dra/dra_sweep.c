/* sweep:HINT writes and reads square sections of many sizes, as the synthetic benchmark of Nieplocha and
 * Foster does (1996, section 5.1). A global array that is as large as the section goes to places in a larger disk
 * resident array, of SIZE, a multiple of HINT, and comes back.
 *   HINT    rows and columns of a typical request; sections have HINT, 2 HINT, 4 HINT, ... rows and columns, at most
 *           half of SIZE
 *
 * Aligned sections begin at multiples of HINT; the others begin and end inside the blocks of that size. The program
 * answers with the mean seconds of a call: write-aligned-EDGE, write-shifted-EDGE, read-aligned-EDGE,
 * read-shifted-EDGE. Before the writes all elements are wrong. The reads are of the same places, and compare every
 * element. */
#include <stdio.h>
#include <string.h>

#include <ga.h>

#include <dra.h>

#include "dra_job.h"

enum { MOST_CALLS = 32, LEAST_CALLS = 2, STRIDE = 37 };

static const char name[] = "sections";
static int hint, g_a, d_a, edge; /* edge: of the section */

/* Call `call` of a series: where its section begins. */
static void place(int call, bool shifted, int at[2])
{
    const int across = size / edge, number = (int)((int64_t)call * STRIDE % ((int64_t)across * across));
    const int shift[2] = { hint / 3 + 1, hint / 5 + 3 };

    at[0] = number / across * edge;
    at[1] = number % across * edge;
    for (int j = 0; shifted && j < 2; j++)
        at[j] += at[j] + edge + shift[j] <= size ? shift[j] : -shift[j];
}

/* A quarter of the array, in not too many calls. */
static int calls_of_series(void)
{
    const int64_t calls = (int64_t)size * size / 4 / ((int64_t)edge * edge);

    return calls > MOST_CALLS ? MOST_CALLS : calls < LEAST_CALLS ? LEAST_CALLS : (int)calls;
}

static int move(const int at[2], bool writing)
{
    return move_section(writing, g_a, (int[2]){ 0, 0 }, d_a, at, (int[2]){ edge, edge });
}

/* One call. Adds to the seconds of its kind. */
static enum outcome measure(int call, bool writing, bool shifted, double seconds[2])
{
    int at[2], code;
    double start;

    place(call, shifted, at);
    if (writing)
        (void)visit(g_a, (int64_t[2]){ at[0], at[1] }, element_of, true);
    start = start_together();
    code = move(at, writing);
    seconds[shifted] += seconds_since(start);
    if (code)
        return complain("%s of %d x %d at (%d, %d): code %d", writing ? "write" : "read", edge, edge, at[0], at[1],
                        code);
    return writing ? DONE : agree(visit(g_a, (int64_t[2]){ at[0], at[1] }, element_of, false));
}

/* Both kinds of sections, each first at every other place, since the first one finds pages that are not yet mapped. */
static enum outcome series(bool writing)
{
    const int calls = calls_of_series();
    double seconds[2] = { 0 };
    enum outcome outcome = measure(0, writing, false, seconds); /* does not count */

    memset(seconds, 0, sizeof seconds);
    for (int i = 0; i < 2 * calls && outcome == DONE; i++)
        outcome = measure(i / 2, writing, (i + i / 2) % 2 != 0, seconds);
    for (int shifted = 0; shifted < 2 && outcome == DONE; shifted++) {
        char what[64];

        (void)snprintf(what, sizeof what, "%s-%s-%d", writing ? "write" : "read", shifted ? "shifted" : "aligned",
                       edge);
        answer_number(what, seconds[shifted] / calls);
    }
    return outcome;
}

/* The array opened again, so that all sizes begin alike. */
static enum outcome series_of_edge(bool writing)
{
    enum outcome outcome = open_square(name, writing, &d_a);

    if (outcome != DONE || !(g_a = new_array(edge, edge)))
        return FAILED;
    GA_Zero(g_a);
    outcome = series(writing);
    GA_Destroy(g_a);
    if (DRA_Close(d_a) && outcome == DONE)
        outcome = complain("%s: cannot be closed", name);
    settle_files(name, SYNCED);
    return outcome;
}

/* The file is there, as large as it becomes; no element is right. */
static enum outcome create(void)
{
    double wrong = -1;
    int code = 0;

    edge = size / 2;
    if (create_square(name, hint, hint, &d_a) != DONE || !(g_a = new_array(edge, edge)))
        return FAILED;
    GA_Fill(g_a, &wrong);
    for (int quarter = 0; quarter < 4 && !code; quarter++)
        code = move((int[2]){ quarter / 2 * edge, quarter % 2 * edge }, true);
    GA_Destroy(g_a);
    if (!code)
        code = DRA_Close(d_a);
    settle_files(name, SYNCED);
    return code ? complain("%s: cannot be written: code %d", name, code) : DONE;
}

enum outcome sweep(const int64_t number[])
{
    enum outcome outcome;

    hint = (int)number[0];
    if (hint < 16 || size < 4 * hint || size % hint)
        return complain("expected a HINT of 16 or more, and SIZE a multiple of it, at least 4 times as large");
    outcome = create();
    for (int writing = 1; writing >= 0; writing--)
        for (edge = hint; edge <= size / 2 && outcome == DONE; edge *= 2)
            outcome = series_of_edge(writing);
    if (outcome == DONE && (open_square(name, true, &d_a) != DONE || DRA_Delete(d_a)))
        outcome = complain("%s: cannot be deleted", name);
    return outcome;
}
