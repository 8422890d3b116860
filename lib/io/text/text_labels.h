/* Labels or paths as text, one step a line (files.h says how it looks): a row of the table of formats. Private to io/. */
#ifndef STATEPATH_IO_TEXT_LABELS_H
#define STATEPATH_IO_TEXT_LABELS_H

#include "io/format.h"

#define SP_TEXT_ENDINGS ".txt .csv .tsv .hyp .eannot"

/* Reads the whole file when it is opened; needs the request's model. Messages name file and line: a column that is missing or
 * there twice, a quote that does not end, too few or many fields, an unknown label, a step that is no number, there twice or
 * missing, a recording that comes back. Memory: the text and 12 bytes a step. */
extern const sp_format sp_text_format;
extern const sp_path_format sp_text_paths; /* .csv, .tsv (text_paths.c) */

/* Is it a result of MS-TCN, a file without ending: "### Frame level recognition: ###", then the labels with blanks between them?
 */
bool sp_text_is_frames(const char *file);
/* Is the name that of a text of labels? */
bool sp_text_has_ending(const char *file);

#endif
