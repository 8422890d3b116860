/* Steps that take no part: padding, and holes between those that do (special tokens, further pieces of a word). Recordings are
 * what is left; a source says where that stands (sp_holes). Private to io/.
 *
 * A format that knows flags of steps leaves them in source->kept while it opens, and reads as if there were none.
 */
#ifndef STATEPATH_IO_HOLES_H
#define STATEPATH_IO_HOLES_H

#include "io/format.h"

/* Labels of Hugging Face's layout that mean nothing. */
#define SP_LABEL_IGNORED (-100)

/* What is said of a label of -100 in a text, which has no steps to leave out, where `gaps` is given. */
#define SP_GAPS_OF_TEXT                                                                                      \
    "`gaps` leaves out labels of -100 in arrays alone, and this is a text; without it they are unscored"

/* The array and the dataset of labels in what transformers' Trainer returns; its scores are called SP_TRAINER_SCORES. */
#define SP_TRAINER_LABELS "label_ids"
#define SP_TRAINER_SCORES "predictions"

/* Names of what stands beside scores of several recordings; NULL ends them. */
extern const char *const sp_shape_names[];

/* The lengths [n] of recordings whose steps are flagged: up to the last one that takes part. *kept [sum of the lengths] the flags
 * up to there, where one of them is 0; else NULL. SP_OK, SP_ENOMEM. */
sp_status sp_holes_lengths(int64_t n, int64_t width, const uint8_t *flags, int64_t *lengths, uint8_t **kept,
                           sp_error *err);

/* Steps whose label, of labels [S] as they are stored, is -100 take no part either. *kept [S] flags, or NULL where all take part;
 * with holes that sp_holes_check() will refuse they stay. Padded recordings that are opened for their scores end before those at
 * their end: offsets [n+1] become those of what is left. *found: is any label -100? SP_OK, SP_ENOMEM. */
sp_status sp_holes_of_labels(int64_t n, int64_t *offsets, const int64_t *labels,
                             const sp_source_options *options, bool is_padded, uint8_t **kept, bool *found,
                             sp_error *err);

/* "join" and "break"; another word is SP_GAPS_ERROR. */
sp_gaps sp_gaps_of(const char *word);

/* "array valid", for source->kept_place; name NULL: "the array". NULL on lack of memory. */
char *sp_kept_place(const char *what, const char *name);

/* One file that was opened: SP_OK; SP_EDATA (a step takes no part, a later one does, and neither `gaps` nor the file says what
 * becomes of it). */
sp_status sp_holes_check(const sp_source *source, sp_gaps gaps, sp_error *err);
/* A file, or all of several, once opened: from here on its recordings are without the holes. SP_OK, SP_ENOMEM. */
sp_status sp_holes_use(sp_source *source, sp_gaps gaps, sp_error *err);
/* Likewise for other flags [with the holes that it has], which are taken over, of a source whose holes may be in use already. */
sp_status sp_holes_use_others(sp_source *source, uint8_t *kept, sp_gaps gaps, sp_error *err);
void sp_holes_free(sp_source *source);

/* Flags [with the holes] of the n steps that take part. The caller frees them; NULL on lack of memory. */
uint8_t *sp_holes_flags(const sp_holes *holes, int64_t n);

/* What source.c reads by: the source's format, without the holes. Several files are one format, whose files are read with theirs.
 */
sp_status sp_holes_read(sp_source *source, const sp_wanted *wanted, sp_block *block, sp_error *err);
sp_status sp_holes_read_path(sp_source *source, int32_t strategy, const sp_wanted *wanted, int32_t *out,
                             sp_error *err);
sp_status sp_holes_read_rater(sp_source *source, int32_t rater, const sp_wanted *wanted, int32_t *out,
                              sp_error *err);

#endif
