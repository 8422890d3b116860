/* How files are read: from options to the ways of io/source.h, and what is said of it. */
#ifndef PIPELINE_FILES_READING_H
#define PIPELINE_FILES_READING_H

#include "statepath/pipeline_file.h"

/* `labels` is a dataset beside the scores, or a file or several: then it is moved to `reference`. SP_OK; SP_EINVAL (both are
 * given; labels_dataset or trim_to_shortest without a file), SP_ENOMEM. */
sp_status sp_run_find_labels(sp_run_options *o, sp_error *err);

/* Length of a step of a source (NULL: none), 0: not known. A file that says nonsense of it says nothing here. SP_OK, SP_ENOMEM.
 */
sp_status sp_source_seconds(sp_source *source, double *seconds, sp_error *err);

/* Steps that the first's labels leave out are left out of another classifier's scores of the same recordings too. */
/* `gaps` and `unscored` speak of steps that take no part: is there one of n sources (NULL: none), or labels, that can say which?
 * SP_EINVAL where nothing can; a note where labels could. */
sp_status sp_run_check_gaps(const sp_run_options *o, int n, const sp_source *const *sources, bool has_labels,
                            sp_error *err);
sp_status sp_run_share_holes(sp_source *source, sp_source *first, sp_gaps gaps, sp_error *err);

#endif
