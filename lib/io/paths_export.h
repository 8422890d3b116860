/* Files of paths that are not HDF5, by the ending of their name: .csv, .tsv, .npz, and files of events. For the writer of paths
 * (paths_writer.h); private to io/.
 *
 *   .csv, .tsv  a line a step: recording, step (from 0), and the class by name; -1 where there is no path. The column is called
 *               label where there is one strategy, as files.h reads it, else each as its strategy
 *   .npz        paths/STRATEGY int32 [S], path_scores/STRATEGY f64 [N], status/STRATEGY uint8 [N] as in HDF5; offsets int64
 *               [N+1], ids and classes as texts, labels int32 [S] where the input had them. Stored, not deflated
 *   .conll      columns of CoNLL (text/conll.h): the token where the input has tokens, the label where it has labels, the class
 *               of each strategy; -1 for none
 *   .annot, .eannot, .ids, .edf  one path of one recording as events (events/event_writer.h)
 */
#ifndef STATEPATH_IO_PATHS_EXPORT_H
#define STATEPATH_IO_PATHS_EXPORT_H

#include "io/paths_writer.h"
#include "statepath/files.h"

typedef struct sp_paths_export sp_paths_export;

/* Is a file of that name not HDF5? */
bool sp_paths_export_is(const char *file);

/* As sp_paths_writer_open() and so on, which hand everything on. What the header points to must stay until the end. SP_EINVAL
 * also: several recordings or paths as events, steps whose length nobody says. */
sp_status sp_paths_export_open(const char *file, const sp_paths_header *header, sp_paths_export **out, sp_error *err);
sp_status sp_paths_export_add(sp_paths_export *e, int32_t strategy, int64_t first, int64_t n_recordings, int64_t first_step,
                              int64_t n_steps, const sp_decode_output *output, sp_error *err);
void sp_paths_export_forget(sp_paths_export *e, int64_t n_steps);
sp_status sp_paths_export_add_labels(sp_paths_export *e, int64_t first_step, int64_t n_steps, const int32_t *labels,
                                     sp_error *err);
sp_status sp_paths_export_commit(sp_paths_export *e, sp_error *err);
void sp_paths_export_abort(sp_paths_export *e); /* NULL is fine */

#endif
