/* Numbers in tables of text. Private to io/. */
#ifndef STATEPATH_IO_NUMBER_READ_H
#define STATEPATH_IO_NUMBER_READ_H

#include <stdbool.h>

/* The number that a text is, exactly as strtod() reads it in the C locale: "0.25", "-1e-3", "nan", "-inf"; blanks around it are
 * passed over, and nothing at all is NaN. False: it is none, or is more than a number. Hexadecimal numbers are none. Cost: a
 * multiplication where 15 digits and a small exponent say it all, as in most tables; else strtod(). */
bool sp_number_read(const char *text, double *out);

#endif
