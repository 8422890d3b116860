/* Long texts are scored in windows that overlap; before they are decoded the windows are joined to texts. Not installed.
 *
 * A step that several windows have gets
 *   mean    the mean of their log-probabilities, class by class, normalised again; what one window holds for
 *           impossible is impossible
 *   middle  the row of the window in whose middle it stands nearest: |2 i + 1 - T| is least at row i of T; the earlier among equals
 * Raw scores (SP_KIND_SCORES) are not normalised.
 */
#ifndef STATEPATH_TAGS_JOIN_H
#define STATEPATH_TAGS_JOIN_H

#include <stdbool.h>

#include "statepath/scores.h"

typedef enum sp_join { SP_JOIN_MEAN, SP_JOIN_MIDDLE } sp_join;

/* Which windows are which text's. */
typedef struct sp_joined_texts {
    int64_t n;
    int64_t *first;   /* [n+1] its windows are first[i] .. first[i+1]-1; owned */
    int64_t *offsets; /* [n+1] its steps; owned */
} sp_joined_texts;

/* Of windows [n], whose rows are offsets[i] .. offsets[i+1]-1: start [n] is the step of its text that is the first row, text [n] a
 * number of the text, which does not descend; NULL: a window that starts at 0 begins a text. `file` and ids [n] or NULL are for
 * messages. SP_OK; SP_EDATA (windows that leave steps out or go back: which), SP_ENOMEM. To be cleared in any case. */
sp_status sp_joined_texts_find(int64_t n, const int64_t *offsets, const int64_t *start, const int64_t *text,
                               const char *file, const char *const *ids, sp_joined_texts *out, sp_error *err);
void sp_joined_texts_clear(sp_joined_texts *texts);

/* Adds a window to rows [n,K] of a text: its first row is row `start` of these (below 0: it begins before them); rows outside are
 * passed over. seen [n] and rows begin as 0, and seen is what the join needs to know.
 *   window   one recording as read, with its names for messages; its rows are checked as sp_prepare() does
 *   read     its kind, and missing_uniform: a row with a NaN is none, and what other windows say stands
 * SP_OK; SP_EDATA as sp_prepare(). */
sp_status sp_join_add(sp_join how, const sp_block *window, const sp_prepare_options *read, int64_t start,
                      int64_t n, double *rows, int64_t *seen, sp_error *err);
/* After the last one. A step of which every window says nothing is a row of NaN. */
void sp_join_end(sp_join how, sp_kind kind, int64_t n, int32_t n_classes, double *rows, const int64_t *seen);
/* What rows are then: log_probs of a mean, else as they were. */
sp_kind sp_join_kind(sp_join how, sp_kind kind);

#endif
