/* transfer:HINT:STRIP:MEMORY writes the square to a disk resident array and reads it back: whole, in
 * strips, transposed.
 *   HINT    rows and columns of a typical request; -1: unspecified
 *   STRIP   columns that are moved at a time
 *   MEMORY  bytes for buffers, as passed to DRA_Init; -1: any, and the program does not measure memory
 *
 * The process that has an element compares it with its expected value. */
#include <stdlib.h>
#include <unistd.h>

#include <ga.h>

#include <dra.h>

#include "dra_job.h"

enum { HINT, STRIP, MEMORY };

static const char name[] = "square";
static const int64_t origin[2];
static int strip, hint, g_a, d_a;

static double turned_element(int64_t i, int64_t j)
{
    return element_of(j, i);
}

static int move_whole(bool writing, bool turned)
{
    int glo[2] = { 0, 0 }, ghi[2] = { size - 1, size - 1 }, request, code;
    dra_size_t dlo[2] = { 0, 0 }, dhi[2] = { size - 1, size - 1 };

    if (turned)
        code = NDRA_Read_section(1, g_a, glo, ghi, d_a, dlo, dhi, &request);
    else
        code = writing ? NDRA_Write(g_a, d_a, &request) : NDRA_Read(g_a, d_a, &request);
    return code ? code : DRA_Wait(request);
}

static int move_strips(bool writing)
{
    int code = 0;

    for (int j = 0; j < size && code == 0; j += strip) {
        const int at[2] = { 0, j }, n[2] = { size, j + strip <= size ? strip : size - j };

        code = move_section(writing, g_a, at, d_a, at, n);
    }
    return code;
}

/* One of the ways, timed and checked. */
static enum outcome measure(const char *what, bool writing, bool strips, bool turned)
{
    double start;
    int code;

    if (!writing)
        GA_Zero(g_a);
    start = start_together();
    code = strips ? move_strips(writing) : move_whole(writing, turned);
    if (code)
        return complain("%s: code %d", what, code);
    answer_number(what, seconds_since(start));
    return writing ? DONE : visit(g_a, origin, turned ? turned_element : element_of, false);
}

static enum outcome write_both(void)
{
    if (create_square(name, hint, hint, &d_a) != DONE || measure("write-strips", true, true, false) != DONE ||
        DRA_Delete(d_a))
        return FAILED;
    remove_all(name);
    sync();
    if (create_square(name, hint, hint, &d_a) != DONE || measure("write", true, false, false) != DONE || DRA_Close(d_a))
        return FAILED;
    settle_files(name, SYNCED);
    return DONE;
}

static enum outcome read_all(void)
{
    if (open_square(name, false, &d_a) != DONE || measure("read", false, false, false) != DONE ||
        measure("read-strips", false, true, false) != DONE || measure("read-turned", false, false, true) != DONE ||
        DRA_Close(d_a))
        return FAILED;
    settle_files(name, DROPPED);
    if (open_square(name, false, &d_a) != DONE || measure("read-cold", false, false, false) != DONE || DRA_Delete(d_a))
        return FAILED;
    return DONE;
}

/* Of Global Arrays' memory that this process can see, each page is there. */
static void touch_all(void)
{
    double *row = malloc(sizeof *row * (size_t)size);

    for (int i = 0; row && i < size; i++) {
        int lo[2] = { i, 0 }, hi[2] = { i, size - 1 };

        NGA_Get(g_a, lo, hi, row, &size);
    }
    free(row);
    GA_Sync();
}

enum outcome transfer(const int64_t number[])
{
    enum outcome outcome;

    hint = (int)number[HINT];
    strip = (int)number[STRIP];
    if (strip < 1 || !(g_a = new_array(size, size)))
        return strip < 1 ? complain("expected a STRIP of 1 or more") : FAILED;
    (void)visit(g_a, origin, element_of, true);
    touch_all();
    if (number[MEMORY] > 0)
        start_watching();
    outcome = write_both();
    if (outcome == DONE)
        outcome = read_all();
    if (outcome == DONE)
        stop_watching();
    return outcome;
}
