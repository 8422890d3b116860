/* Times as whole nanoseconds, read from text without rounding where the text has up to nine decimals. Private to io/. */
#ifndef STATEPATH_IO_TIMES_H
#define STATEPATH_IO_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int64_t sp_time; /* ns; below SP_TIME_LIMIT either way, so that sums and doubles of times fit */
#define SP_SECOND INT64_C(1000000000)
#define SP_DAY (86400 * SP_SECOND)
#define SP_TIME_LIMIT (INT64_C(1000000000) * SP_SECOND) /* 31 years */

/* text[n] as seconds, such as "30", "-0.5", "1.25e2" or, with a comma for the point, "30,5". The tenth decimal rounds. false: no
 * such number, or beyond the limit. */
bool sp_time_seconds(const char *text, size_t n, sp_time *out);

/* text[n] as a time of day "22:05:30", with decimals after . or , and with AM or PM after it; or as a date and a time of day, of
 * which the time is taken. *is_half: AM or PM was there. */
bool sp_time_clock(const char *text, size_t n, sp_time *out, bool *is_half);

/* text[n] as "1970-01-01 00:01:30.5", or with a T between: since 1970; within the limit. */
bool sp_time_date(const char *text, size_t n, sp_time *out);

/* Clocks that run on: how long after the first one of the recording each of them is. A clock that is back by more than six hours
 * has passed midnight, or 12 o'clock where it counts to 12. */
typedef struct sp_clocks {
    bool has_begun;
    sp_time last, elapsed;
} sp_clocks;
sp_time sp_clocks_next(sp_clocks *clocks, sp_time clock);

/* Seconds of a step as a time; 0 where it is not above 0, or beyond the limit. */
sp_time sp_time_of_step(double seconds);

/* "30", "0.5", "-1.25": seconds without needless zeros. Returns the buffer. */
enum { SP_TIME_TEXT = 32 };
const char *sp_time_text(sp_time time, char buffer[SP_TIME_TEXT]);

#endif
