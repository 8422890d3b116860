#include "io/events/times.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_digit(const char *text, size_t n, size_t i)
{
    return i < n && text[i] >= '0' && text[i] <= '9';
}

static void trim(const char **text, size_t *n)
{
    while (*n && isspace((unsigned char)**text)) {
        ++*text;
        --*n;
    }
    while (*n && isspace((unsigned char)(*text)[*n - 1]))
        --*n;
}

/* The exponent after e or E at text[i], which must be the end of it. */
static bool read_exponent(const char *text, size_t n, size_t i, int *out)
{
    const bool is_negative = ++i < n && text[i] == '-';
    i += i < n && (text[i] == '-' || text[i] == '+');
    if (!is_digit(text, n, i))
        return false;
    for (; is_digit(text, n, i); i++)
        if (*out < 1000)
            *out = *out * 10 + (text[i] - '0');
    *out = is_negative ? -*out : *out;
    return i == n;
}

/* The digits of a number without its point, up to 19 of them, and where the point is: value 0.digits * 10^place. */
typedef struct decimal {
    bool is_negative;
    char digits[20];
    int n_digits, place;
} decimal;

static bool read_decimal(const char *text, size_t n, decimal *d)
{
    size_t i = 0;
    bool has_digits = false, has_point = false;
    int exponent = 0;
    *d = (decimal){.is_negative = n > 0 && text[0] == '-'};
    i += n > 0 && (text[0] == '-' || text[0] == '+');
    for (; i < n && (is_digit(text, n, i) || (!has_point && (text[i] == '.' || text[i] == ','))); i++) {
        if (!is_digit(text, n, i)) {
            has_point = true;
            continue;
        }
        has_digits = true;
        if (d->n_digits == 0 && text[i] == '0') {
            d->place -= has_point;
            continue;
        }
        if (d->n_digits < (int)sizeof d->digits - 1)
            d->digits[d->n_digits++] = (char)(text[i] - '0');
        d->place += !has_point && d->place < 100;
    }
    if (i < n && (text[i] == 'e' || text[i] == 'E') && read_exponent(text, n, i, &exponent))
        i = n;
    d->place += exponent;
    return has_digits && i == n;
}

bool sp_time_seconds(const char *text, size_t n, sp_time *out)
{
    decimal d;
    trim(&text, &n);
    if (!read_decimal(text, n, &d))
        return false;
    if (d.n_digits && d.place > 9)
        return false;
    int64_t value = 0;
    const int last = d.place + 9; /* digits before it count, the one at it rounds */
    for (int i = 0; i < last && i < 19; i++)
        value = value * 10 + (i < d.n_digits ? d.digits[i] : 0);
    if (last >= 0 && last < d.n_digits && d.digits[last] >= 5)
        value++;
    if (value > SP_TIME_LIMIT)
        return false;
    *out = d.is_negative ? -value : value;
    return true;
}

/* A whole number of one or two digits at text[*i], and what must follow it, 0: nothing. */
static bool read_two(const char *text, size_t n, size_t *i, char after, int *out)
{
    *out = 0;
    size_t begin = *i;
    for (; *i < begin + 2 && is_digit(text, n, *i); ++*i)
        *out = *out * 10 + (text[*i] - '0');
    if (*i == begin || (after && (*i >= n || text[*i] != after)))
        return false;
    *i += after != 0;
    return true;
}

static bool read_clock(const char *text, size_t n, sp_time *out, bool *is_half)
{
    int hours, minutes, seconds;
    size_t i = 0;
    sp_time rest = 0;
    if (!read_two(text, n, &i, ':', &hours) || !read_two(text, n, &i, ':', &minutes) ||
        !read_two(text, n, &i, 0, &seconds))
        return false;
    if (i < n && (text[i] == '.' || text[i] == ',')) {
        size_t end = i + 1;
        while (is_digit(text, n, end))
            end++;
        if (end > i + 1 && !sp_time_seconds(text + i, end - i, &rest))
            return false;
        i = end;
    }
    while (i < n && text[i] == ' ')
        i++;
    *is_half = n - i == 2 && strchr("AaPp", text[i]) && strchr("Mm", text[i + 1]);
    if (!*is_half && i != n)
        return false;
    if (*is_half && (hours < 1 || hours > 12))
        return false;
    if (*is_half)
        hours = hours % 12 + (toupper((unsigned char)text[i]) == 'P' ? 12 : 0);
    if (hours > 24 || minutes > 59 || seconds > 60)
        return false;
    *out = (hours * 3600 + minutes * 60 + seconds) * SP_SECOND + rest;
    return true;
}

bool sp_time_clock(const char *text, size_t n, sp_time *out, bool *is_half)
{
    trim(&text, &n);
    if (read_clock(text, n, out, is_half))
        return true;
    size_t i = 0; /* a date first, of digits and what parts them */
    while (i < n && (is_digit(text, n, i) || strchr("-./", text[i])))
        i++;
    if (i < 6 || i >= n || (text[i] != ' ' && text[i] != 'T' && text[i] != '\t'))
        return false;
    while (i < n && (text[i] == ' ' || text[i] == 'T' || text[i] == '\t'))
        i++;
    return read_clock(text + i, n - i, out, is_half);
}

bool sp_time_date(const char *text, size_t n, sp_time *out)
{
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    int year = 0, month, day;
    bool is_half;
    sp_time clock;
    size_t i = 0;
    trim(&text, &n);
    for (; i < 4 && is_digit(text, n, i); i++)
        year = year * 10 + (text[i] - '0');
    if (i != 4 || year < 1970 || year > 2100 || n < 6 || text[4] != '-')
        return false;
    i = 5;
    if (!read_two(text, n, &i, '-', &month) || !read_two(text, n, &i, 0, &day) || month < 1 || month > 12 ||
        day < 1 || day > 31)
        return false;
    if (i >= n || (text[i] != ' ' && text[i] != 'T') ||
        !read_clock(text + i + 1, n - i - 1, &clock, &is_half))
        return false;
    const bool is_leap = year % 4 == 0 && year != 2100;
    const int64_t days =
        (year - 1970) * 365 + (year - 1969) / 4 + before[month - 1] + (is_leap && month > 2) + day - 1;
    *out = days * SP_DAY + clock;
    return true;
}

sp_time sp_clocks_next(sp_clocks *c, sp_time clock)
{
    if (c->has_begun) {
        sp_time passed = clock - c->last;
        while (passed < -SP_DAY / 4)
            passed += SP_DAY / 2;
        if (c->elapsed < SP_TIME_LIMIT)
            c->elapsed += passed;
    }
    c->has_begun = true;
    c->last = clock;
    return c->elapsed;
}

sp_time sp_time_of_step(double seconds)
{
    return seconds > 0 && seconds <= 1e9 ? (sp_time)llround(seconds * 1e9) : 0;
}

const char *sp_time_text(sp_time time, char buffer[SP_TIME_TEXT])
{
    const sp_time size = time < 0 ? -time : time;
    int n = snprintf(buffer, SP_TIME_TEXT, "%s%" PRId64 ".%09" PRId64, time < 0 ? "-" : "", size / SP_SECOND,
                     size % SP_SECOND);
    while (buffer[n - 1] == '0')
        n--;
    n -= buffer[n - 1] == '.';
    buffer[n] = '\0';
    return buffer;
}
