/* Cells of a table in text, as RFC 4180 and spreadsheets write them: the one reader of them. Private to io/. */
#ifndef STATEPATH_IO_CELLS_H
#define STATEPATH_IO_CELLS_H

#include <stdbool.h>
#include <stdint.h>

/* A text that ends with '\0', and how far it has been read. Cells are unquoted in place, so they point into the text. */
typedef struct sp_cells {
    char *at;
    char delimiter;    /* ' ': any number of blanks */
    int64_t line;      /* of the record that is being read, from 1 */
    int64_t next_line; /* of the one after it */
} sp_cells;

/* Does a record end here? */
bool sp_cells_is_end(const char *p);

/* Takes the next cell, without its quotes, and without the apostrophe that our own CSV puts before what a spreadsheet would take
 * for a formula ('-a is -a). A quote inside a cell that does not begin with one is a letter. *is_last: the record ends after it.
 * Returns NULL; or the end of a sentence, what is wrong with the cell. */
const char *sp_cells_next(sp_cells *c, char **cell, bool *is_last);

/* Goes past the byte order mark and empty lines. */
void sp_cells_skip_empty_lines(sp_cells *c);

#endif
