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

/* The lengths [n] of recordings whose steps are flagged: up to the last one that takes part. *kept [sum of the lengths] the flags
 * up to there, where one of them is 0; else NULL. SP_OK, SP_ENOMEM. */
sp_status sp_holes_lengths(int64_t n, int64_t width, const uint8_t *flags, int64_t *lengths, uint8_t **kept, sp_error *err);

/* "array valid", for source->kept_place. NULL on lack of memory. */
char *sp_kept_place(const char *what, const char *name);

/* One file that was opened: SP_OK; SP_EDATA (it has holes, and `gaps` does not say what becomes of them). */
sp_status sp_holes_check(const sp_source *source, sp_gaps gaps, sp_error *err);
/* A file, or all of several, once opened: from here on its recordings are without the holes. SP_OK, SP_ENOMEM. */
sp_status sp_holes_use(sp_source *source, sp_gaps gaps, sp_error *err);
void sp_holes_free(sp_source *source);

/* What source.c reads by: the source's format, without the holes. Several files are one format, whose files are read with theirs.
 */
sp_status sp_holes_read(sp_source *source, const sp_wanted *wanted, sp_block *block, sp_error *err);
sp_status sp_holes_read_path(sp_source *source, int32_t strategy, const sp_wanted *wanted, int32_t *out, sp_error *err);
sp_status sp_holes_read_scorer(sp_source *source, int32_t scorer, const sp_wanted *wanted, int32_t *out, sp_error *err);

#endif
