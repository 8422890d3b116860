/* Paths, or the labels to judge them by, from a text file, one step a line: the form that any tool can write.
 *
 *     recording,step,label          recording,label
 *     night1,0,Wake                 night1,Wake
 *     night1,1,N1                   night1,N1
 *
 * The first line names the columns, in any order and case; other columns are passed over. Commas part them, or tabs, or
 * semicolons, as in the first line. Where no column is called label, `class` or `stage` is it. Without `recording` the file is
 * one recording, named as the file without folder and ending; so is a file without such a first line, which is a list of labels,
 * one a line (.hyp, .eannot, a hypnogram as text). `label` is a class by name or alias of the model, or its number in the model's
 * order; -1 or nothing where there is no decision. With `step` (from 0) lines may come in any order, and each recording must have
 * its steps 0 .. T-1 once; without it the lines of a recording follow one another. Whole numbers may have decimals (2.0); with
 * codes (codes.h) a label is what they say it is. Recordings are in the order in which they first appear. An apostrophe before
 * = + - @, tab or CR at the beginning of a field, which keeps spreadsheets from taking it for a formula, is taken off. Fields
 * as in RFC 4180:
 * quotes around a field, two for one inside, LF or CR LF; a byte order mark is passed over, empty lines too.
 */
#ifndef STATEPATH_CSV_PATHS_H
#define STATEPATH_CSV_PATHS_H

#include "statepath/codes.h"
#include "statepath/model.h"
#include "statepath/paths_file.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sp_csv_paths sp_csv_paths;

/* Is a file of that name such a text? By its ending: .csv, .tsv, .txt, .hyp, .eannot. */
bool sp_is_text_of_steps(const char *file);

/* Reads the whole file. codes: what its labels mean, of the same model, or NULL: as above. SP_OK; SP_EFILE (cannot be read, not
 * text), SP_EDATA (message: file, line, what was found: a column that is missing or there twice, a quote that does not end, too
 * few or many fields, an unknown label, a step that is no number, there twice or missing, a recording that comes back),
 * SP_ENOMEM. Memory: the text and 12 bytes a step. */
sp_status sp_csv_paths_open(const char *file, const sp_model *model, const sp_codes *codes, sp_csv_paths **out, sp_error *err);
void sp_csv_paths_close(sp_csv_paths *paths); /* NULL is fine */

/* One strategy, named as the file without folder and ending; classes are the model's, in its order. No labels, segments, scores.
 */
const sp_paths_info *sp_csv_paths_info(const sp_csv_paths *paths);

/* As sp_paths_reader_read, of its only strategy. */
sp_status sp_csv_paths_read(const sp_csv_paths *paths, int64_t first, int64_t count, int32_t *out, sp_decoded *results,
                            sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
