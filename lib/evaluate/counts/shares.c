/* Edit score and F1@10, 25 and 50 of actions, entity F1 of tags: each is a sum over recordings divided by another. */
#include "evaluate/counts/shares.h"

#include "evaluate/evaluation.h"

#include <math.h>

/* An edit score is counted in such parts of 1; the means that are drawn are exact to that. */
#define EDIT_PARTS 1073741824.0 /* 2^30 */

sp_share sp_share_of_edit(const sp_evaluation *e, int32_t s)
{
    const double edit = e->tracks[s].edit;
    return isnan(edit) ? (sp_share){0, 0}
                       : (sp_share){(int64_t)nearbyint(edit * EDIT_PARTS), (int64_t)EDIT_PARTS};
}

static sp_share overlap_of(const sp_evaluation *e, int32_t s, int i)
{
    const sp_segments *counts = &e->tracks[s].segments;
    return (sp_share){2 * counts->matched[i], counts->reference + counts->decoded};
}

sp_share sp_share_of_overlap_10(const sp_evaluation *e, int32_t s)
{
    return overlap_of(e, s, 0);
}

sp_share sp_share_of_overlap_25(const sp_evaluation *e, int32_t s)
{
    return overlap_of(e, s, 1);
}

sp_share sp_share_of_overlap_50(const sp_evaluation *e, int32_t s)
{
    return overlap_of(e, s, 2);
}

sp_share sp_share_of_entities(const sp_evaluation *e, int32_t s)
{
    const sp_entity_counts *now = &e->result->strategies[s].entities.pooled,
                           *before = &e->tracks[s].entities_before;
    return (sp_share){2 * (now->correct - before->correct),
                      now->reference - before->reference + now->decoded - before->decoded};
}
