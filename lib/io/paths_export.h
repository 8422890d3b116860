/* The seam between the writer of paths (paths_writer.h) and formats that are not HDF5: the paths are kept (paths_kept.h) until all
 * are there, and then written by the format that the ending of the name asks for (`paths` of the rows in format.c). Private to io/.
 *
 *   .csv, .tsv  a line a step: recording, step (from 0), and the class by name; -1 where there is no path. The column is called
 *               label where there is one strategy, as files.h reads it, else each as its strategy
 *   .npz        paths/STRATEGY int32 [S], path_scores/STRATEGY f64 [N], status/STRATEGY uint8 [N] as in HDF5; offsets int64
 *               [N+1], ids and classes as texts, labels int32 [S] where the input had them. Stored, not deflated.
 *               Where steps take no part valid uint8 [S] and gaps, a text, as in HDF5
 *   .conll      columns of CoNLL (text/conll.h): the token where the input has tokens, the label where it has labels, the class
 *               of each strategy; -1 for none. Steps that take no part are left out
 *   .jsonl     an entity a line, or a run (text/span_paths.h)
 *   .annot, .eannot, .ids, .edf  one path of one recording as events (events/event_writer.h)
 */
#ifndef STATEPATH_IO_PATHS_EXPORT_H
#define STATEPATH_IO_PATHS_EXPORT_H

#include "io/format.h"
#include "io/output_file.h"
#include "io/paths_kept.h"
#include "io/paths_writer.h"
#include "statepath/files.h"

typedef struct sp_paths_export {
    const char *file; /* the target, for sentences; borrowed */
    const sp_path_format *format;
    const char *const *tokens;         /* [S] or NULL; borrowed */
    const struct sp_step_texts *texts; /* or NULL; borrowed */
    bool has_values;                   /* of spans */
    sp_text_file *text;                /* of a format of text, else */
    sp_output output;
    bool has_output;
    sp_kept_paths kept;
    double epoch_seconds;
} sp_paths_export;

/* How a format writes paths. */
struct sp_path_format {
    const char *endings; /* of names of files that are written so, ".csv .tsv" */
    bool is_text;        /* written to e->text, else to e->output */
    bool takes_tokens, takes_labels, takes_seconds;
    bool takes_spans; /* segments and values of spans are kept, too (paths_writer.h) */
    bool takes_segments;
    /* Can such a file hold them? NULL: always. SP_OK, SP_EINVAL. */
    sp_status (*check)(const char *file, const sp_paths_header *header, sp_error *err);
    /* All of it. paths: for each strategy room for `most` steps, which are those of any recordings that sp_kept_paths_fit() takes
     * together. SP_OK, SP_EFILE, SP_EINVAL, SP_ENOMEM. */
    sp_status (*write)(sp_paths_export *e, int32_t **paths, int64_t most, sp_error *err);
};

#endif
