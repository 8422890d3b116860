/* Tables of scores as text: a column a class. A row of the table of formats. Private to io/. */
#ifndef STATEPATH_IO_CSV_SCORES_H
#define STATEPATH_IO_CSV_SCORES_H

#include "io/format.h"

/* files.h says how they look. The whole table is read when it is opened. Messages name line, column and cell. Memory: the text,
 * and 8 bytes a number. */
extern const sp_format sp_csv_format;

#endif
