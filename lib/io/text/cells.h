/* Cells of a table in text, as RFC 4180 and spreadsheets write them: the one reader and writer of them. Private to io/.
 *
 * A cell ends at the delimiter or with its line. Blanks around it are not part of it, unless it stands between quotes: then it may
 * hold delimiters and ends of lines, and a quote that is written twice. A quote inside a cell that does not begin with one is a
 * letter. An apostrophe before what a spreadsheet would take for a formula is taken away ('-a is -a), as it is put there by
 * sp_cells_put(). Lines end with LF or CR LF. */
#ifndef STATEPATH_IO_CELLS_H
#define STATEPATH_IO_CELLS_H

#include <stdbool.h>
#include <stdint.h>

#include "io/text/text_buffer.h"

/* A text that ends with '\0', and how far it has been read. Cells are unquoted in place, so they point into the text. */
typedef struct sp_cells {
    char *at;
    char delimiter; /* ' ': any number of blanks and tabs; '\n': a cell a line */
    bool is_plain;  /* no spreadsheet wrote it: quotes and apostrophes are letters */
    bool
        is_free; /* free text may stand in it: a quote that is not closed, or followed by letters, is a letter */
    int64_t line;      /* of the record that is being read, from 1 */
    int64_t next_line; /* of the one after it */
} sp_cells;

/* Does a record end here? */
bool sp_cells_is_end(const char *p);

/* Takes the next cell. *is_last: the record ends after it. Returns NULL; or the end of a sentence, what is wrong with the cell. */
const char *sp_cells_next(sp_cells *c, char **cell, bool *is_last);

/* Goes past the byte order mark and lines without letters. */
void sp_cells_skip_empty_lines(sp_cells *c);

/* What parts the cells of a table, by its first line: comma, tab or semicolon, the first of these that stands in it outside of
 * quotes; ' ' where there is none. Of numbers with decimal commas the semicolon. */
char sp_cells_delimiter(const char *line);

/* Writes a cell so that the reader and spreadsheets take it for this text. */
void sp_cells_put(sp_text_buffer *out, const char *text, char delimiter);

/* Bytes of the byte order mark at the beginning of bytes [n]: 3 or 0. */
size_t sp_text_mark(const void *bytes, size_t n);

/* Is the cell a whole number, below 1e15 either way? "2", "-1", "2.0". */
bool sp_cell_whole(const char *cell, int64_t *out);

#endif
