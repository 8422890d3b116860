/* Files: recordings of scores and labels (sources), paths, scores to be written, text.
 *
 *     sp_source_options how = sp_source_options_default();
 *     sp_source *source = NULL;
 *     sp_block *block = sp_block_new();
 *     sp_source_open("night.h5", &how, &source, &err);
 *     const sp_source_info *info = sp_source_info_of(source);
 *     sp_source_read(source, 0, info->n_recordings, SP_BLOCK_SCORES | SP_BLOCK_LABELS, block, &err);
 *     sp_source_close(source);
 *
 * From a file to paths or figures in one call: pipeline_file.h. Signals and arrays: signals_file.h.
 */
#ifndef STATEPATH_FILES_H
#define STATEPATH_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "statepath/decode.h"
#include "statepath/model.h"
#include "statepath/scores.h"
#include "statepath/sleep.h"
#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what files may lead to ---- */

/* All 0 is usual; where a pointer to it is NULL that is meant. */
typedef struct sp_file_access {
    /* External links and sources of virtual datasets lead only to regular files in the real folder of the file, or below it;
     * true: to regular files anywhere. Values outside HDF5's files (external raw storage) are never read. */
    bool allow_external;
    /* The bytes of the file, borrowed until it is closed; NULL: they are in the file. Its name is then only a name. */
    const void *image;
    size_t image_bytes;
} sp_file_access;

/* ---- sources ----
 *
 * A source: recordings of scores, labels and what stands beside them in one file or several, read block by
 * block. Never writes, never locks a file. Scores come from HDF5 or numpy's .npy and .npz; labels and
 * paths from these or text.
 *
 * HDF5. Layouts, found by what the file holds:
 *   packed  <g>/log_probs [S,K] with <g>/offsets [N+1] or <g>/lengths [N] that add up to S (and <g>/ids [N])
 *   padded  <g>/log_probs [N,T,K] with <g>/lengths [N] or <g>/valid bool [N,T], true for a prefix of each row
 *   single  <g>/log_probs [T,K], one recording
 *   groups  <pattern with {id}>, by default /recordings/{id}/log_probs, /{id}/log_probs or /log_probs/{id}; the ids are the links that complete the pattern, in
 *           natural order ("n2" before "n10"); {id} may be part of a name ("/rec_{id}/probs") or the last one ("/probs/{id}")
 * <g> is the root unless `scores` names a dataset elsewhere, or a group to look in. Of several datasets
 * log_probs comes before probs, logits, scores; with `kind` the dataset of that name comes first. The root
 * comes before /recordings.
 *
 * Recordings may have holes: steps that are false in valid (or attention_mask), with steps that are true
 * after them. They are an error unless `gaps` says join or break; then the recording is what is left.
 * valid of packed recordings is [S].
 *
 * Hugging Face's layout: rows, scores [N,T,K] with labels [N,T] beside them or in another file, and
 * neither lengths nor valid; word_ids says the word of each token, negative of none: a word is decoded by
 * its first token, further ones take no part. attention_mask [N,T] is 1 where a token is. Steps whose
 * label is -100 take no part: at the end of a row they are padding, before another that does (special
 * tokens, pieces of a word but the first) they are holes. predictions and label_ids are known names, as
 * transformers' Trainer uses them: logits, where their rows are not probabilities. With ignores_100 labels
 * of -100 are known beside lengths or valid too, and where there are no rows: there they are unscored, or
 * with `gaps` holes.
 *
 * The name log_probs, probs, logits or scores says what the numbers are; a dataset of another name is
 * taken for probs or log_probs when its first row (that is not NaN or all impossible) is one, else `kind`
 * must be given.
 *
 * Beside the scores: labels, segments, weights, mask, each in the shape of the scores. In groups,
 * recordings without labels are unscored as long as some have them (n_unlabelled); segments, weights and
 * mask must be there for all or none. Labels (and paths) may be words: names of the classes, aliases of
 * the model, or what codes say; -1 or nothing: unscored; where the classes are stages of sleep also the
 * field's words for that (sleep.h), in labels of any format. Padded words alone need no lengths: what is
 * empty at the end of a row is padding.
 *
 * Class names, the first of: dataset classes beside the scores or in the root; attribute classes or
 * class_names of the scores, of their group, of the group of recordings, of the root. Integers will do as
 * names and as ids. Names and ids are distinct.
 *
 * numpy's .npz: the same layouts, in arrays called as these datasets ("probs", "offsets", "n1/labels");
 * classes, ids and subjects are arrays of texts, epoch_seconds a number. Where no array has such a name,
 * the only one of floats [T,K] or [N,T,K] is the scores, or several [T,K] are a recording each. Paths are
 * arrays "paths/STRATEGY", or the only one of whole numbers.
 *
 * numpy's .npy: one array. Floats [T,K] are the scores of one recording, [N,T,K] of N recordings of T
 * steps; whole numbers [T] or [N,T] are labels or a path. A file called probs.npy holds probs; else the
 * kind is seen in the first row, as above. Any byte order; Fortran's order up to two dimensions. Scores
 * [K,T] whose columns are probabilities are an error; `transpose` reads them.
 *
 * Tables of scores as text: a column a class, a line a step; the first line names the columns (`#` before
 * it is passed over), unless it is numbers alone. Commas part them, or tabs, semicolons, blanks. Columns
 * recording, step (or epoch; counted from 0 or 1: lines are put in order, a step twice or missing is an
 * error), label or labels (a class by name or alias, or its number; -1 or nothing: unscored), segment and
 * weight are what they are called in any case; time, timestamp, stage, class, prediction and predicted are
 * passed over. A column without a name, or Unnamed: 0, whose numbers do not ascend is an error without a
 * column step: the lines are out of order. `labels` and `ids` name the columns of labels and recordings,
 * `classes` those that are scores: others are passed over. Lines of a recording follow one another. A cell
 * that is empty or nan is a missing number. Numbers are read as strtod() does.
 *
 * Text of labels or paths, one step a line, the form that any tool can write; known by the ending of its
 * name:
 *
 *     recording,step,label          recording,label
 *     night1,0,Wake                 night1,Wake
 *     night1,1,N1                   night1,N1
 *
 * The first line names the columns, in any order and case; other columns are passed over. Commas part
 * them, or tabs, or semicolons, as in the first line. Where no column is called label, `class` or `stage`
 * is it; `labels` FILE:/COLUMN names another. Without `recording` the file is one recording, named as the
 * file without folder and ending; so is a file without such a first line, which is a list of labels, one a
 * line (.hyp, .eannot, a hypnogram as text), or MS-TCN's result of a video (a file without ending: "###
 * Frame level recognition: ###", then the labels with blanks between them). `label` is a class by name or
 * alias of the model, or its number in the model's order; -1 or nothing where there is no decision. With
 * `step` (from 0) lines may come in any order, and each recording must have its steps 0 .. T-1 once;
 * without it the lines of a recording follow one another. Whole numbers may have decimals (2.0); with
 * codes (sleep.h) a label is what they say it is. Recordings are in the order in which they first appear.
 *
 * Cells of all these tables, and of events (below), are as in RFC 4180: quotes around a cell, two for one
 * inside, LF or CR LF. Blanks around a cell are not part of it. An apostrophe before = + - @, tab or CR at
 * the beginning of a cell, which keeps spreadsheets from taking it for a formula, is taken off. A byte
 * order mark and empty lines are passed over. A line of a list is a cell where the file ends in .csv or
 * .tsv, and else a label as it stands.
 *
 * Columns of CoNLL: a token a line, its columns parted by blanks or tabs, an empty line after each
 * sentence, which is a recording. Known by the ending of its name (.conll, .bio, .iob, .iob2, .bioes,
 * .bilou, .bmes), or of .txt because each line ends with a tag. Lines that begin with -DOCSTART-, and
 * comments (sp_comments), are passed over. The last column is the label, or the path in a file of paths;
 * then the one before is the label where most of it are tags or classes, and any other word there is an
 * error. `labels` and `paths` name another by its number, from 1, or from the end by -1, -2 ... Where no
 * model names the classes they are the tags that occur.
 *
 * Events: labels or paths of one recording as what was there from when to when. Known by what is in the
 * file:
 *
 *   EDF+, BDF+        annotations, alone or beside signals ("Sleep stage N2")
 *   XML               NSRR's PSGAnnotation (events of type Stages|Stages; older SDO: and SRO: concepts); Profusion
 *   .annot            Luna: class, instance, channel, start, stop, meta; .eannot is a list of labels, as above
 *   .ids, .sds        U-Time: start,duration,label
 *   tables            columns onset, duration and stage, description, trial_type or label: BIDS events.tsv, MNE
 *   hypnograms        visbrain (*Duration_sec), Elan (time_base), DREAMS ([Hypnogram...]), REMlogic and DOMINO as
 *                     text, a table of Epoch and User-Defined Stage, Zurich's .vis
 *
 * A step takes the label that covers most of it; of labels that cover the same, the earlier. Time without
 * a stage counts as unscored and competes with the stages of a step. Two stages at the same time are an
 * error with both places; the same stage twice is none, nor are times that differ by a millisecond. The
 * recording lasts until its last event ends, or as long as the file says; the last step is there where at
 * least half of it is. A stage without a duration lasts until the next. Times are whole nanoseconds. A
 * step is as long as the options say, else as the file says, else 30 s; a file whose epochs are neither a
 * part of it nor made of it is an error. Texts are classes of the model, else stages by the words and
 * numbers of the format (sleep.h), or by the codes that are given; of files that hold other events too,
 * what is no stage is passed over, and `remark` says so. Times of day (REMlogic, DOMINO, .annot) count
 * from the beginning of the recording where the file has it, else from the first event; a time that is
 * back by more than six hours has passed midnight, or 12 o'clock where the clock counts to 12.
 */

/* Holes: steps before others that take no part by `valid` or `attention_mask`, and with Hugging Face's labels those of -100. */
typedef enum sp_gaps { SP_GAPS_ERROR, SP_GAPS_JOIN, SP_GAPS_BREAK } sp_gaps;

/* Which lines of columns of CoNLL are comments. AUTO: those that begin with # and a blank, but for what looks like the other
 * lines: as many columns, and a tag at its end where the others have one (a token "#"). NONE: none; HASH: all that begin with #.
 * How many there were stands in `remark`. */
typedef enum sp_comments { SP_COMMENTS_AUTO, SP_COMMENTS_NONE, SP_COMMENTS_HASH } sp_comments;

/* Has a table of scores a first line of names? AUTO: a line of words has; so has a line of the numbers 0, 1, .. K-1 of two
 * columns or more, which a table of pandas begins with, where a later line has a number that is not whole (`remark` says so).
 * Where none has, nobody can tell: an error. Columns that are called 0, 1, .. K-1 have no names. */
typedef enum sp_header { SP_HEADER_AUTO, SP_HEADER_THERE, SP_HEADER_NONE } sp_header;

/* Paths inside the file; NULL: the usual place. {id} stands for the recording. */
typedef struct sp_source_options {
    const char *scores, *labels, *offsets, *lengths, *ids, *mask;
    const char *
        classes; /* names of the columns, as sp_classes_load() takes them, of files that have none; NULL: as the file has */
    bool has_kind; /* false: by the dataset's name */
    sp_kind kind;
    sp_file_access access;
    bool needs_scores; /* true; false: a file of labels only will do */
    /* Becomes true where a table holds scores, whatever is wrong with them: then nobody looks for another meaning of the file. NULL:
     * nobody asks. */
    bool *holds_scores;
    bool
        takes_scores; /* with needs_scores false: of a table in text that has both, scores and labels; false: labels alone */
    sp_gaps gaps; /* JOIN: the neighbours of a hole become adjacent; BREAK: a new segment begins after it */
    bool ignores_100;  /* labels of -100 are known outside of Hugging Face's layout too (above) */
    bool are_previous; /* the labels are the class before each step: any negative number means none */
    bool
        with_tokens; /* sp_source_tokens() is wanted: array or dataset tokens [S] beside the scores, where there is one */
    bool transpose; /* scores are stored [classes, steps]: not of HDF5 */
    sp_comments comments;
    sp_header header;
    /* Of text, whose labels are names: the model that has them, and what others' labels mean (sleep.h), or NULL. Borrowed until
     * the source is closed. */
    const sp_model *model;
    const sp_codes *codes;
    /* Of text: number n is this class of the model, [K]; NULL: class n. Borrowed likewise. */
    const int32_t *class_of_number;
    /* Of events, which are told in steps: how long a step is, in seconds. 0: as the file says, else 30. */
    double epoch_seconds;
    /* More files of recordings after the one that is opened; ends with NULL, or NULL. Borrowed until the source is opened. */
    const char *const *more;
    /* Of several files one that cannot be opened, or has scores of another number of classes than `model`
     * while others have not, is one unread recording without steps, called as the file
     * (sp_source_info.unread), unless that is all of them; else the first such file is an error. */
    bool leaves_out;
    /* A list of the recordings that are meant, one a line (a split's .bundle): of several files the others are left aside. NULL:
     * all are meant. Borrowed until the source is opened. */
    const char *only;
} sp_source_options;
sp_source_options sp_source_options_default(void);

/* ---- several files ----
 *
 * Recordings may lie in several files, mostly one in each. A name stands for several files where it is a
 * folder: the files in it that can be read, which must have one ending; and where it is a pattern with one
 * {id}, * or both ("labels/{id}.txt", "{id}/probs.npy", "{id}E*-Hypnogram.edf"): the files whose names
 * complete it. * is anything but a slash, and {id} as much as it can be. All come in natural order ("n2"
 * before "n10"), also files that are named one by one.
 *
 * The id of a recording is what stands for {id}; else, where its file holds one recording, the file's name
 * without folder and ending; else that, a slash, and the id in the file. All files must have the same
 * classes, or none names them. Files are opened when they are read, a few at a time.
 */
typedef struct sp_file_list {
    int64_t n;
    char **names;
    char **ids;      /* [n] what stands for {id}, or NULL: there is none */
    bool is_several; /* false: one ordinary file, named itself */
    char *about;     /* what they are called together: a folder, a pattern */
} sp_file_list;

/* The files that a name, and those of `more` (ends with NULL; or NULL), stand for. A name that leads nowhere stands for itself,
 * for opening to say so. SP_OK; SP_EFILE (an empty folder, several endings in one, nothing of a pattern), SP_ENOMEM. */
sp_status sp_file_list_new(const char *file, const char *const *more, sp_file_list **out, sp_error *err);
void sp_file_list_free(sp_file_list *list); /* NULL is fine */

/* The names, one for each file, that a pattern with one {id} gives when what names the file's recordings stands for it.
 *   names  out: [n] in one allocation, free(names)
 * SP_OK; SP_EINVAL (not one {id}; two files of one name), SP_ENOMEM. */
sp_status sp_file_list_complete(const sp_file_list *list, const char *pattern, char ***names, sp_error *err);

/* Keeps the files that a list names, one recording a line: what stands for {id}, else the file's name without folder; an ending
 * of its own does not count. SP_OK; SP_EINVAL (there are not several files), SP_EFILE (no such list, a name that none of the
 * files has, with its line; it names nothing), SP_ENOMEM. */
sp_status sp_file_list_keep(sp_file_list *list, const char *names, sp_error *err);

/* ---- opening and reading ---- */

typedef struct sp_source sp_source;

/* Opens for reading and looks at everything but the numbers: layout, shapes, types, names, lengths; reads no scores.
 * SP_OK; SP_EFILE, SP_EDATA, SP_EINVAL (message: file, dataset, what was found, what to do; lists what the file holds where a
 * dataset is missing); SP_ENOMEM. */
sp_status sp_source_open(const char *file, const sp_source_options *options, sp_source **out, sp_error *err);
void sp_source_close(sp_source *source);

/* Where the steps of recordings stand among all that a file holds, where some between them take no part (word pieces). */
typedef struct sp_holes {
    int64_t n_steps;        /* with the holes */
    const int64_t *offsets; /* [N+1] with the holes */
    const int64_t *step_at; /* [S] of each step, its place among the n_steps */
} sp_holes;
const sp_holes *sp_source_holes(const sp_source *source); /* NULL: there are none. Borrowed, as all here */

/* What each step is, such as a word, [S] with the holes; NULL where with_tokens did not ask for it or the file does not say. */
const char *const *sp_source_tokens(const sp_source *source);
/* For a file in which scores, or paths, were looked for and not found: `status` and `err` say so. Opens it where it holds labels
 * and no scores; else what was said stays. SP_OK; `status`; SP_ENOMEM. */
sp_status sp_source_open_labels(const char *file, const sp_source_options *options, sp_status status,
                                sp_source **out, sp_error *err);

/* What the file holds and nothing was done with, one by one: "dataset /predictions", "int64 [950]" (attributes and columns of
 * tables too), and the option, in backquotes, that would use it or say the same, or NULL where there is none. Of several files
 * those of the first. SP_OK; SP_EFILE, SP_ENOMEM. */
typedef void sp_unused_sink(void *arg, const char *what, const char *shape, const char *option);
sp_status sp_source_list_unused(sp_source *source, sp_unused_sink *sink, void *arg, sp_error *err);

/* What was found; borrowed, valid until close. */
const sp_source_info *sp_source_info_of(const sp_source *source);

/* Reads recordings first .. first+count-1 into the block. `parts` is SP_BLOCK_* or-ed; a part the file has not becomes NULL.
 * Labels outside -1..K-1, not integers (float labels must be whole), or NaN: SP_EDATA with recording and step. Weights below 0:
 * likewise. Scores are as stored (only widened from f16, swapped to this machine's order): sp_prepare() checks them. SP_OK,
 * SP_EFILE (a filter that is not installed is named, with the package that brings it), SP_EDATA, SP_ENOMEM. */
sp_status sp_source_read(sp_source *source, int64_t first, int64_t count, unsigned parts, sp_block *block,
                         sp_error *err);

/* Reads steps first .. first+n-1 of one recording, as a block of that recording alone whose first_step is `first`. */
sp_status sp_source_read_steps(sp_source *source, int64_t recording, int64_t first, int64_t n, unsigned parts,
                               sp_block *block, sp_error *err);

/* How many recordings from `first` on fit into about `bytes` of scores; at least 1. */
int64_t sp_source_fit(const sp_source *source, int64_t first, int64_t bytes);

const char *sp_layout_name(sp_layout layout); /* "packed" ... */

/* ---- files of paths ----
 *
 * Files of paths (HDF5), written by decode and compare, read by evaluate.
 *
 *   /paths/<strategy>       int16 [S] (int32 where K > 32767), -1 = undecoded
 *   /path_scores/<strategy> f64 [N] nats
 *   /status/<strategy>      uint8 [N], 0 ok, 1 no_path, 2 dead_end, 3 bug, 4 unread; attribute `names`
 *   /confidence/<strategy>  f32 [S] marginal of the chosen class, NaN where undecoded: only with_confidence
 *   /broken/<strategy>      int64 [N] rules broken by relaxed paths, and /broken_steps/<strategy> uint8 [S]:
 *                           only with relax
 *   /valid uint8 [S]        0: the step takes no part (a hole of the input, -1 in each path); only where
 *                           there are such steps, with the root attribute gaps, join or break, by which the
 *                           file is read again
 *   /offsets int64 [N+1], /ids [N], /classes [K]
 *   /labels (type of the paths) and /segments int64 [S] where the input had them
 *   root attributes statepath_version, command, model (JSON), input, input_size, strategies (their names in
 *   order), epoch_seconds where the input had it
 *
 * A writer writes a temporary file beside the target; only _commit moves it there, flushed to disk. A reader
 * sees the old file or the whole new one; a writer closed without _commit leaves nothing. The same answers
 * give the same bytes.
 *
 * All datasets are contiguous and have their final size from the start. HDF5 lays the file out; the numbers
 * are then written straight to their places, so that a full disk is an ordinary error on the way and not one
 * inside HDF5.
 */

/* A file of paths: a source that was opened for them. sp_source_close() closes it. */
typedef sp_source sp_paths_reader;

/* Opens a file of paths: statepath's own, any HDF5 with integer predictions, or a text, whose only strategy is named as the file
 * without folder and ending.
 *   paths   their place: a dataset, a group of them (each is a strategy), or a pattern with {id}; NULL: /paths
 *   places  labels, offsets, lengths and ids as in sp_source_options, and the model and codes of a text; may be NULL. Otherwise
 *           they are looked for beside the paths and in the groups above
 * SP_OK, SP_EFILE, SP_EDATA, SP_EINVAL, SP_ENOMEM. */
sp_status sp_paths_reader_open(const char *file, const char *paths, const sp_source_options *places,
                               sp_paths_reader **out, sp_error *err);

typedef struct sp_paths_info {
    const char *file;
    int64_t file_size;
    int32_t n_strategies;
    const char *const *strategies;
    int64_t n_recordings, n_steps;
    const int64_t *offsets;      /* [N+1] */
    const char *const *ids;      /* [N]; "0", "1", ... where the file has none */
    bool has_ids;                /* the ids are the file's own */
    int32_t n_classes;           /* 0 where the file does not say */
    const char *const *classes;  /* [K] or NULL */
    const bool *has_path_scores; /* [n_strategies] */
    bool has_labels, has_segments;
    const char *model_json; /* the model they were decoded with, or NULL */
    const char *input;      /* or NULL */
} sp_paths_info;
const sp_paths_info *sp_paths_reader_info(const sp_paths_reader *reader);

/* May an output be called so? A name ends with .h5, .hdf5 or .he5, or has no ending, for HDF5; or with an ending of `others`
 * (".json .md"; "paths": those in whose formats paths are written, see paths_export.h; NULL: none). SP_OK; SP_EINVAL: the endings that are
 * written. */
sp_status sp_output_name_check(const char *file, const char *others, sp_error *err);

/* Paths [S'] and results [count] of one strategy for recordings first .. first+count-1 (offsets from info); either may be NULL.
 * Results of files without status: SP_OK, or SP_ENOPATH where every step is -1. Their `step` is -1: it is not in the file. Scores
 * are 0 where the strategy has none (has_path_scores). Values below -1, or of K and more where the file names its classes:
 * SP_EDATA with recording and step. On failure the outputs are undefined. */
sp_status sp_paths_reader_read(sp_paths_reader *reader, int32_t strategy, int64_t first, int64_t count,
                               int32_t *paths, sp_decoded *results, sp_error *err);

/* labels [S'] and segments [S'] of the same recordings; either may be NULL, and must be where the file has none. */
sp_status sp_paths_reader_labels(sp_paths_reader *reader, int64_t first, int64_t count, int32_t *labels,
                                 int64_t *segments, sp_error *err);

/* ---- files of scores ----
 *
 * Files of scores (HDF5, packed layout), written block by block.
 *
 *   /<kind> f32 or f64 [S,K], /offsets int64 [N+1], /ids [N], /classes [K], /labels and /segments [S] where announced
 *   root attributes statepath_version, command, input
 *
 * As with files of paths, a temporary file beside the target is renamed by _commit; without it nothing is left behind.
 */

typedef struct sp_scores_writer sp_scores_writer;
struct sp_subjects;

typedef struct sp_scores_header {
    sp_kind kind;   /* name of the dataset */
    sp_dtype dtype; /* of the dataset */
    int64_t n_recordings, n_steps;
    int32_t n_classes;
    const int64_t *offsets;     /* [N+1] */
    const char *const *ids;     /* [N] or NULL */
    const char *const *classes; /* [K] or NULL */
    bool with_labels, with_segments, with_weights, with_mask;
    double epoch_seconds;               /* length of a step; 0: not known */
    const struct sp_subjects *subjects; /* private to the library, or NULL */
    const char *command;                /* or NULL */
    const char *input;                  /* or NULL; the target may not be this file */
    bool force;                         /* replace an existing file */
} sp_scores_header;

/* SP_OK; SP_EFILE (exists and not `force`, cannot be written), SP_ENOMEM. */
sp_status sp_scores_writer_open(const char *file, const sp_scores_header *header, sp_scores_writer **out,
                                sp_error *err);
/* Adds a block, its scores widened or rounded to the file's type. Blocks together make up all recordings, each once. */
sp_status sp_scores_writer_add(sp_scores_writer *writer, const sp_block *block, sp_error *err);
/* Closes, flushes, renames. The writer is gone afterwards, whatever it returns. */
sp_status sp_scores_writer_commit(sp_scores_writer *writer, sp_error *err);
void sp_scores_writer_abort(sp_scores_writer *writer); /* NULL is fine */

/* ---- outputs that belong together ----
 *
 * Files that are written beside their places, completed and flushed each, and then renamed one after the other: all of them
 * become visible, or none. Only where a rename itself fails (a folder that was removed or closed meanwhile) do those before it
 * stay; the message says how many. */
typedef struct sp_outputs sp_outputs;
sp_outputs *sp_outputs_new(void); /* NULL: no memory */
/* SP_OK; SP_EFILE. */
sp_status sp_outputs_commit(sp_outputs *outputs, sp_error *err);
/* What has not been committed leaves nothing behind. NULL is fine. */
void sp_outputs_free(sp_outputs *outputs);

/* ---- text ---- */

/* Writes text to a file: a temporary file beside it, then rename. `force` to replace an existing one. "-" is standard output. */
sp_status sp_text_save(const char *file, const char *text, bool force, sp_error *err);

/* The same piece by piece. Opening checks the name; closing gives the file its name and ends it, whatever comes of it; with
 * `together` (or NULL) it gets its name with the others. A file
 * that is given up (NULL is fine) leaves nothing behind, but what went to standard output or another stream is gone. SP_OK,
 * SP_EFILE, SP_EINVAL, SP_ENOMEM. */
typedef struct sp_text_file sp_text_file;
sp_status sp_text_open(const char *file, bool force, sp_outputs *together, sp_text_file **out, sp_error *err);
sp_status sp_text_put(sp_text_file *text_file, const char *text, size_t n, sp_error *err);
sp_status sp_text_close(sp_text_file *text_file, sp_error *err);
void sp_text_abort(sp_text_file *text_file);

#ifdef __cplusplus
}
#endif
#endif
