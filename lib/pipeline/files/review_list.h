/* The steps of all recordings that are worth a look, and what looking at them brings (sp_review()), as a table beside the paths:
 *
 *   recording, step    the step from 0 on
 *   decoded            its class in the path; -1 where there is no path
 *   likeliest, probability   its likeliest class given all steps and the rules
 *   gain               expected steps that become right when its class is known, as each class is its likeliest one
 *   reference          the label, where there are labels; empty where it is unscored
 *
 * the best first. */
#ifndef PIPELINE_FILES_REVIEW_LIST_H
#define PIPELINE_FILES_REVIEW_LIST_H

#include "decode/review_batch.h"
#include "pipeline/pipeline.h"
#include "statepath/comparison.h"
#include "statepath/files.h"

/* How steps are chosen: by what they bring, and two plain ways to compare that with where there are labels. */
enum { SP_LISTED_WORTH, SP_LISTED_UNSURE, SP_LISTED_ANY, SP_LISTS };

typedef struct sp_review_list {
    sp_consumer consumer; /* what the pipeline sees */
    const sp_pipeline *p;
    int strategy;        /* whose paths */
    char *name;          /* of the table; NULL: none is asked for */
    sp_text_file *table; /* NULL: likewise, or it is written */
    sp_review_best lists[SP_LISTS];
    const sp_block *block; /* lent by reserve(), of the paths that follow */
    sp_review_room room;
} sp_review_list;

/* Makes the list a consumer of the pipeline where `review` asks for it: of the paths of the first strategy that is legal by construction, or but
 * for greedy. `list` stays where it is until it is closed, on failure too. SP_OK, SP_EINVAL (what `review` says; no such strategy),
 * SP_ENOMEM. */
sp_status sp_review_list_open(sp_review_list *list, sp_pipeline *p, sp_error *err);

/* After the run: with labels decodes once more, with the steps corrected, and says what that brings; then writes the table.
 *   out  the same for a comparison; to be freed; NULL where no review is asked for. May be NULL */
sp_status sp_review_list_write(sp_review_list *list, sp_review_result **out, sp_error *err);
void sp_review_list_close(sp_review_list *list);

#endif
