/* What rows of numbers are: probabilities, their logs, or what people take for either. The one place that
 * looks at rows and says so; for sentences, and for scores whose name does not say it. Not installed. */
#ifndef STATEPATH_CORE_ROWS_FORM_H
#define STATEPATH_CORE_ROWS_FORM_H

#include "statepath/scores.h"

typedef enum sp_rows_form {
    SP_ROWS_SILENT, /* no row says anything: each has a NaN, or nothing is possible */
    SP_ROWS_PROBS,
    SP_ROWS_LOG_PROBS,
    SP_ROWS_OTHER /* neither; sp_rows_mend() says what it may be */
} sp_rows_form;

enum {
    SP_ROWS_LOOKED_AT = 64, /* so many rows are looked at */
    SP_ROWS_SENTENCE = 400
};

/* Kind of row t alone: SILENT, PROBS, LOG_PROBS or OTHER. */
sp_rows_form sp_row_form(const sp_scores *rows, int64_t t);

/* Kind of the first row that says something, into *kind. False: it is neither probabilities nor their
 * logs, or no row says anything. */
bool sp_rows_kind(const sp_scores *rows, sp_kind *kind);

/* Do all rows lie in 0 .. total and sum to it, within the tolerance? total 1: probabilities, 100: per
 * cent. Rows with a NaN say nothing; false where no row says anything. */
bool sp_rows_sum_to(const sp_scores *rows, double total);

/* Do the columns of all rows sum to 1, as they are or after exp(), while the first row does not? */
bool sp_rows_are_columns(const sp_scores *rows);

/* Row t of these rows is not what it should be: what the rows may be, and what to do then, "per cent? write
 * x / 100 instead (numpy)", x being the scores. Rows from t on are looked at which are neither PROBS nor
 * LOG_PROBS; columns only of rows that are `whole`, a recording from its first step to its last. */
void sp_rows_mend(const sp_scores *rows, int64_t t, bool whole, char text[SP_ROWS_SENTENCE]);

/* How they look: "the first row sums to 99.99" or "lies in -3.2 to 7.9", of those that say something; or
 * "no row says anything: ...". */
void sp_rows_look(const sp_scores *rows, char text[SP_ROWS_SENTENCE]);

#endif
