/* Marks at round numbers or dates, and their texts. */
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

/* The smallest step of 1, 2 or 5 times a power of ten that gives at most `most` ticks in `span` > 0. */
double round_step(double span, int most);

/* At most `most` ticks at multiples of such a step (`whole`: at least 1) from low to high; low <= high, both finite. */
void round_ticks(double low, double high, int most, bool whole, struct ticks *out);

/* The number, with enough digits to tell it from one that is `step` away; step 0: six digits. */
void number_text(double value, double step, char out[TICK_TEXT_BYTES]);

#endif
