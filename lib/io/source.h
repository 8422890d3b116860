/* Sources for the pipeline: labels by several raters, subjects, codes, paths. Not installed. */
#ifndef STATEPATH_IO_SOURCE_H
#define STATEPATH_IO_SOURCE_H

#include "core/subjects.h"
#include "statepath/files.h"

/* Are the labels of that file, or of the files of a folder or a pattern, words, for which a model is needed when it is opened? A
 * text by the ending of its name (.csv, .tsv, .txt, .hyp, .eannot); events (EDF+, XML, .annot ...) by what is in the file. */
bool sp_source_is_text(const char *file);

/* Is it a folder, or a pattern with {id}? */
bool sp_source_is_several(const char *file);

/* Are they events? Their format says what its words and numbers mean. */
bool sp_source_is_events(const char *file);

/* Are they columns of CoNLL, whose number `labels` and `paths` name? */
bool sp_source_has_columns(const char *file);

/* Is it HDF5, in which links may lead elsewhere? Of several files the first. True of what is not there. */
bool sp_source_is_hdf5(const char *file);

/* Is it a table of scores in text? */
bool sp_source_is_table(const char *file);

/* Which steps are the same in two sources whose files say in which line each token is: recording [N of ours] is which of theirs,
 * as many steps as both have are compared. SP_OK (also where one of them does not say); SP_EDATA: the first that differs, with
 * its lines. */
sp_status sp_source_check_tokens(const sp_source *ours, const sp_source *theirs, const int64_t *recording,
                                 sp_error *err);

/* Are the labels words? They are told as columns, or where these have no names as classes of the model. */
bool sp_source_has_words(const sp_source *source);

/* Are some labels bare numbers, which neither names of classes in their file nor codes explain? */
bool sp_source_has_numbers(const sp_source *source);

/* Is the first line of the labels a 0 that may be the name of a column, as pandas writes one? Of several files, of each. */
bool sp_source_may_have_header(const sp_source *source);
/* Do flags, or labels of -100, say which steps take part? */
bool sp_source_says_kept(const sp_source *source);
/* Are the recordings rows of one width, and nothing says how long each is? */
bool sp_source_is_unsized(const sp_source *source);

/* From here on labels and paths that are words are classes of this model, which must stay until the source is closed. */
void sp_source_use_model(sp_source *source, const sp_model *model);

/* From here on labels, those of raters too, are what these codes say: classes of their model, or columns. NULL: as they are. The
 * codes must stay until the source is closed. */
void sp_source_use_codes(sp_source *source, const sp_codes *codes);

/* Steps that take no part in one of two sources of the same recordings (`gaps`) take none in the other from here on, where step t
 * is the same in both: the recordings are as long, with such steps, but for such steps at their ends.
 *   recording  [N of source] which of `other` each is; not below 0
 *   lengths    false: recordings of other lengths are compared as far as both go
 *   is_mutual  false: `other` stays as it is
 * What sp_source_info_of() and sp_paths_reader_info() say of both changes. SP_OK, also where their steps are not the same ones;
 * SP_EDATA (they are not, and a segment was to begin after each), SP_ENOMEM. */
sp_status sp_source_share_holes(sp_source *source, sp_source *other, const int64_t *recording, bool lengths,
                                bool is_mutual, sp_gaps gaps, sp_error *err);

/* On how many threads sp_source_read() may inflate compressed chunks: 1 unless said, at least 1. */
void sp_source_use_threads(sp_source *source, int n_threads);

/* ---- looked for only when asked ---- */

/* Length of a step in seconds: attribute epoch_seconds of the scores, their group, the group of recordings, the root. 0: the file
 * does not say. SP_OK; SP_EDATA (it is not one number above 0), SP_ENOMEM. */
sp_status sp_source_epoch_seconds(sp_source *source, double *seconds, sp_error *err);

/* Labels by several raters: the datasets labels_X beside the labels (beside the scores where there are no labels), in the shape
 * of labels. Those of another shape or type are something else and are passed over, and so is the one that is the reference
 * itself. In groups a rater may be missing in some recordings: these are unscored. names are sorted, without "labels_"; borrowed
 * until close. SP_OK; SP_EDATA (more than 32), SP_EFILE, SP_ENOMEM. Cost: listing the links of each recording. */
sp_status sp_source_find_raters(sp_source *source, sp_raters_found *out, sp_error *err);

/* Labels [S'] of one rater for recordings first .. first+count-1, -1 unscored; checked as labels are. Only after
 * sp_source_find_raters. SP_OK, SP_EFILE, SP_EDATA (recording and step), SP_EINVAL (no such rater or recording), SP_ENOMEM. */
sp_status sp_source_read_rater(sp_source *source, int32_t rater, int64_t first, int64_t count,
                               int32_t *labels, sp_error *err);

/* Looks for the subjects of a file's recordings.
 *   groups  usual: what stands in the file, if anything does: a dataset `subjects` [N] of texts or integers beside the ids or in
 *           the root; in groups an attribute or a dataset `subject` of each recording's group (of the dataset itself where the
 *           pattern ends with {id}), looked for when the first or the last recording has it
 *           none: no subjects, whatever the file holds
 *           prefix: recordings whose ids are equal up to the first mark (the whole id where it has none)
 *           place: that dataset; in groups that attribute or dataset of each recording
 *   *out    NULL where nobody says anything; the caller frees it
 * SP_OK; SP_EINVAL (a prefix, or a place, of a file without such), SP_EFILE (no such dataset), SP_EDATA (not one
 * for each recording, an empty name), SP_ENOMEM. Cost O(N log N), and in groups opening each recording's group. */
sp_status sp_source_subjects(sp_source *source, const sp_groups *groups, sp_subjects **out, sp_error *err);

/* Which windows of which texts the recordings are: start [N] the step of its text at which each begins, text [N] a number of it, or
 * NULL; place NULL: an array `windows` [N] or [N,2]. *start NULL where nobody says anything; the caller frees both. SP_OK; SP_EFILE,
 * SP_EDATA, SP_EINVAL (files that cannot say it), SP_ENOMEM. */
sp_status sp_source_windows(sp_source *source, const char *place, int64_t **start, int64_t **text,
                            sp_error *err);

/* ---- paths ---- */

/* What became of a recording; is_undecoded: every step of its path is -1, which counts where the file says
 * nothing of status. */
sp_decoded sp_paths_reader_result(const sp_paths_reader *reader, int32_t strategy, int64_t recording,
                                  bool is_undecoded);

/* From here on paths and labels are what these codes say: classes of their model, or columns. NULL: as they are. The codes must
 * stay until the reader is closed. */
void sp_paths_reader_use_codes(sp_paths_reader *reader, const sp_codes *paths, const sp_codes *labels);

#endif
