/* Times of the CF conventions: numbers with a unit such as "days since 1982-01-01". */
#ifndef DATES_H
#define DATES_H

#include "ticks.h"

struct time_unit {
    double seconds; /* in one unit; 0: no time */
    double base;    /* the moment of number 0, in seconds since 1970-01-01 */
    bool mixed;     /* days before 1582-10-15 are those of the Julian calendar */
};

/* Parse `units` and `calendar` (NULL: the standard one); false: they do not give dates. */
bool parse_time_unit(struct time_unit *t, const char *units, const char *calendar);

/* "1982-01-16", with the time of day unless that is midnight. */
void date_text(const struct time_unit *t, double value, char out[TICK_TEXT_BYTES]);

/* Ticks at the beginnings of years, months, days, hours, ... between two numbers, at most `most` of them. */
void date_ticks(const struct time_unit *t, double low, double high, int most, struct ticks *out);

#endif
