/* Marks at round numbers and at round dates, and their texts. */
#ifndef TICKS_H
#define TICKS_H

#include <stdbool.h>

enum { MOST_TICKS = 24, TICK_TEXT_BYTES = 40 };

struct tick {
    double value;
    char text[TICK_TEXT_BYTES];
};

struct ticks {
    int n;
    struct tick tick[MOST_TICKS];
};

/* The smallest of 1, 2 and 5 times a power of ten with which at most `most` ticks lie between two numbers that are
 * `span` > 0 apart. */
double round_step(double span, int most);

/* Ticks at multiples of such a step (`whole`: of at least 1) from low to high, at most `most` <= MOST_TICKS of them;
 * low <= high, both finite. */
void round_ticks(double low, double high, int most, bool whole, struct ticks *out);

/* The number, with so many digits that it can be told from one that is `step` away; step 0: six digits. */
void number_text(double value, double step, char out[TICK_TEXT_BYTES]);

#endif
