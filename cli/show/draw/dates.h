/* Times of the CF conventions: numbers with a unit such as "days since 1982-01-01", in any of their calendars. */
#ifndef DATES_H
#define DATES_H

#include "drx_cf.h"
#include "ticks.h"

enum { CALENDAR_BYTES = 32 };

struct time_unit {
    double seconds; /* in one unit; 0: no time */
    double base;    /* the moment of number 0, in seconds since 2000-01-01 of the
                     calendar */
    char calendar[CALENDAR_BYTES];
};

/* False: numbers of that description are no dates, or nobody understands them. */
bool find_time_unit(struct time_unit *t, const drx_cf *cf);

/* "1982-01-16", with the time of day unless that is midnight, or the unit is months or years. */
void date_text(const struct time_unit *t, double value, char out[TICK_TEXT_BYTES]);

/* Ticks at the beginnings of years, months, days, hours, ... between two numbers, at most `most` of them. */
void date_ticks(const struct time_unit *t, double low, double high, int most, struct ticks *out);

#endif
