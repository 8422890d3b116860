/* A source: recordings of scores, labels and what stands beside them in one file, read block by block. Never writes, never locks
 * the file. Scores come from HDF5; labels and paths (paths_file.h) from HDF5 or text.
 *
 * HDF5. Layouts, found by what the file holds:
 *   packed  <g>/log_probs [S,K] with <g>/offsets [N+1] or <g>/lengths [N] that add up to S (and <g>/ids [N])
 *   padded  <g>/log_probs [N,T,K] with <g>/lengths [N] or <g>/valid bool [N,T], true for a prefix of each row
 *   single  <g>/log_probs [T,K], one recording
 *   groups  <pattern with {id}>, by default /recordings/{id}/log_probs; the ids are the links that complete the pattern, in
 *           natural order ("n2" before "n10"); {id} may be part of a name ("/rec_{id}/probs") or the last one ("/probs/{id}")
 * <g> is the root unless `scores` names a dataset elsewhere, or a group to look in. Of several datasets log_probs comes before
 * probs, logits, scores; with `kind` the dataset of that name comes first. The root comes before /recordings.
 *
 * The name log_probs, probs, logits or scores says what the numbers are; a dataset of another name is taken for probs or
 * log_probs when its first row (that is not NaN or all impossible) is one, else `kind` must be given.
 *
 * Beside the scores: labels, segments, weights, mask, each in the shape of the scores. In groups, recordings without labels are
 * unscored as long as some have them (n_unlabelled); segments, weights and mask must be there for all or none.
 *
 * Class names, the first of: dataset classes beside the scores or in the root; attribute classes or class_names of the scores,
 * of their group, of the group of recordings, of the root. Integers will do as names and as ids. Names and ids are distinct.
 *
 * Text of labels or paths, one step a line, the form that any tool can write; known by the ending of its name:
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
 * as in RFC 4180: quotes around a field, two for one inside, LF or CR LF; a byte order mark is passed over, empty lines too.
 */
#ifndef STATEPATH_SOURCE_H
#define STATEPATH_SOURCE_H

#include "statepath/codes.h"
#include "statepath/file_access.h"
#include "statepath/source_info.h"
#include "statepath/subjects.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Paths inside the file; NULL: the usual place. {id} stands for the recording. */
typedef struct sp_source_options {
    const char *scores, *labels, *offsets, *lengths, *ids, *mask;
    bool has_kind; /* false: by the dataset's name */
    sp_kind kind;
    sp_file_access access;
    bool needs_scores; /* true; false: a file of labels only will do */
    /* Of text, whose labels are names: the model that has them, and what others' labels mean (codes.h), or NULL. Borrowed; the
     * model while the source is opened, the codes until it is closed. */
    const sp_model *model;
    const sp_codes *codes;
} sp_source_options;
sp_source_options sp_source_options_default(void);

typedef struct sp_source sp_source;

/* Is a file of that name a text of labels? By its ending: .csv, .tsv, .txt, .hyp, .eannot. */
bool sp_source_is_text(const char *file);

/* Opens for reading and looks at everything but the numbers: layout, shapes, types, names, lengths; reads no scores.
 * SP_OK; SP_EFILE, SP_EDATA, SP_EINVAL (message: file, dataset, what was found, what to do; lists what the file holds where a
 * dataset is missing); SP_ENOMEM. */
sp_status sp_source_open(const char *file, const sp_source_options *options, sp_source **out, sp_error *err);
void sp_source_close(sp_source *source);

/* What was found; borrowed, valid until close. */
const sp_source_info *sp_source_info_of(const sp_source *source);

/* From here on labels, those of scorers too, are what these codes say: classes of their model, or columns. NULL: as they are. The
 * codes must stay until the source is closed. */
void sp_source_use_codes(sp_source *source, const sp_codes *codes);

/* On how many threads sp_source_read() may inflate compressed chunks: 1 unless said, at least 1. */
void sp_source_use_threads(sp_source *source, int n_threads);

/* Reads recordings first .. first+count-1 into the block. `parts` is SP_BLOCK_* or-ed; a part the file has not becomes NULL.
 * Labels outside -1..K-1, not integers (float labels must be whole), or NaN: SP_EDATA with recording and step. Weights below 0:
 * likewise. Scores are as stored (only widened from f16, swapped to this machine's order): sp_prepare() checks them. SP_OK,
 * SP_EFILE (a filter that is not installed is named, with the package that brings it), SP_EDATA, SP_ENOMEM. */
sp_status sp_source_read(sp_source *source, int64_t first, int64_t count, unsigned parts, sp_block *block, sp_error *err);

/* Reads steps first .. first+n-1 of one recording, as a block of that recording alone whose first_step is `first`. */
sp_status sp_source_read_steps(sp_source *source, int64_t recording, int64_t first, int64_t n, unsigned parts, sp_block *block,
                               sp_error *err);

/* ---- looked for only when asked ---- */

/* Length of a step in seconds: attribute epoch_seconds of the scores, their group, the group of recordings, the root. 0: the file
 * does not say. SP_OK; SP_EDATA (it is not one number above 0), SP_ENOMEM. */
sp_status sp_source_epoch_seconds(sp_source *source, double *seconds, sp_error *err);

/* Labels by several scorers: the datasets labels_X beside the labels (beside the scores where there are no labels), in the shape
 * of labels. Those of another shape or type are something else and are passed over, and so is the one that is the reference
 * itself. In groups a scorer may be missing in some recordings: these are unscored. names are sorted, without "labels_"; borrowed
 * until close. SP_OK; SP_EDATA (more than 32), SP_EFILE, SP_ENOMEM. Cost: listing the links of each recording. */
sp_status sp_source_find_scorers(sp_source *source, sp_scorers_found *out, sp_error *err);

/* Labels [S'] of one scorer for recordings first .. first+count-1, -1 unscored; checked as labels are. Only after
 * sp_source_find_scorers. SP_OK, SP_EFILE, SP_EDATA (recording and step), SP_EINVAL (no such scorer or recording), SP_ENOMEM. */
sp_status sp_source_read_scorer(sp_source *source, int32_t scorer, int64_t first, int64_t count, int32_t *labels, sp_error *err);

/* The same for steps of one recording, as sp_source_read_steps(). */
sp_status sp_source_read_scorer_steps(sp_source *source, int32_t scorer, int64_t recording, int64_t first, int64_t n,
                                      int32_t *labels, sp_error *err);

/* Looks for the subjects of a file's recordings.
 *   groups  NULL: what stands in the file, if anything does: a dataset `subjects` [N] of texts or integers beside the ids or in
 *           the root; in groups an attribute or a dataset `subject` of each recording's group (of the dataset itself where the
 *           pattern ends with {id}), looked for when the first or the last recording has it
 *           "none": no subjects, whatever the file holds
 *           "prefix:C": recordings whose ids are equal up to the first C (the whole id where it has no C)
 *           anything else: that dataset; in groups that attribute or dataset of each recording
 *   *out    NULL where nobody says anything; the caller frees it
 * SP_OK; SP_EINVAL (prefix: without its one character, or of a file without ids), SP_EFILE (no such dataset), SP_EDATA (not one
 * for each recording, an empty name), SP_ENOMEM. Cost O(N log N), and in groups opening each recording's group. */
sp_status sp_source_subjects(sp_source *source, const char *groups, sp_subjects **out, sp_error *err);

/* How many recordings from `first` on fit into about `bytes` of scores; at least 1. */
int64_t sp_source_fit(const sp_source *source, int64_t first, int64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
