/* How files are read: from options to the ways of io/source.h, and what is said of it. */
#ifndef PIPELINE_FILES_READING_H
#define PIPELINE_FILES_READING_H

#include "core/owned.h"
#include "statepath/pipeline_file.h"

/* `labels` is a dataset beside the scores or paths, or a file, FILE:/DATASET or several files: these are
 * moved to labels_file and labels_dataset, in memory of `own`. SP_OK; SP_EINVAL (trim_to_shortest or
 * label_order without a file), SP_ENOMEM. */
sp_status sp_run_find_labels(sp_run_options *o, sp_owned *own, sp_error *err);

/* labels_file is the name of a file; SP_EINVAL where the source has an array or column of that name too.
 * SP_EFILE, SP_ENOMEM. */
sp_status sp_run_check_labels_name(const sp_run_options *o, sp_source *source, sp_error *err);

/* Length of a step of a source (NULL: none), 0: not known. A file that says nonsense of it says nothing here. SP_OK, SP_ENOMEM.
 */
sp_status sp_source_seconds(sp_source *source, double *seconds, sp_error *err);

/* Steps that the first's labels leave out are left out of another classifier's scores of the same recordings too. */
/* `gaps` and `unscored` speak of steps that take no part: is there one of n sources (NULL: none), or labels, that can say which?
 * SP_EINVAL where nothing can; a note where labels could. */
sp_status sp_run_check_gaps(const sp_run_options *o, int n, const sp_source *const *sources, bool has_labels,
                            sp_error *err);
sp_status sp_run_share_holes(sp_source *source, sp_source *first, sp_gaps gaps, sp_error *err);

/* Says in a notice where `classes` names columns in another order than the file, which counts. */
void sp_run_tell_classes(const sp_run_options *o, const sp_source_info *info);

#endif
