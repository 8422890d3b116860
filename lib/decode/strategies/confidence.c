/* How sure a path is: the marginals of its classes, log Z, and its margin over the best other path. */
#include <math.h>

#include "core/try.h"
#include "decode/recording.h"
#include "decode/strategies/marginals.h"
#include "statepath/advanced.h"

void sp_confidence_row(void *arg, int64_t t, const double *marginal, const double *log_marginal)
{
    (void)log_marginal;
    const sp_confidence_of *out = arg;
    out->confidence[t] = (float)marginal[out->path[t]];
}

/* ---- the margin ----
 *
 *     follow[t,j]   best score of the state paths into j whose classes are those of the path
 *     depart[t,j]   best score of those that have another class somewhere
 *
 * by the recurrence of Viterbi, so that both are what sp_path_score() says, bit for bit. */

typedef struct rivals {
    double follow, depart;
} rivals;

static double greater(double a, double b)
{
    return a > b ? a : b;
}

#define STEP go_on
#define VALUE rivals
#define ZERO ((rivals){-INFINITY, -INFINITY})
#define ONE ((rivals){0, -INFINITY})
#define TIMES(v, w) ((rivals){(v).follow + (w), (v).depart + (w)})
#define PLUS(sum, v, i)                                                                                      \
    ((sum) = (rivals){greater((v).follow, (sum).follow), greater((v).depart, (sum).depart)}, from = 0)
#include "decode/walk/step_body.h"

/* False where neither the path nor any other has a finite score. */
static bool margin_of(const sp_chain *c, const rivals *last, double *margin)
{
    rivals best = {-INFINITY, -INFINITY};
    for (int32_t j = 0; j < c->n_states; j++)
        best = (rivals){greater(last[j].follow + c->end[j], best.follow),
                        greater(last[j].depart + c->end[j], best.depart)};
    *margin =
        best.follow == -INFINITY ? -INFINITY : best.follow - best.depart; /* INFINITY: there is no other */
    return best.follow > -INFINITY || best.depart > -INFINITY;
}

sp_status sp_margin(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, const int32_t *path,
                    double *margin, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    const size_t M = (size_t)chain->n_states;
    double found = INFINITY;
    bool is_possible = true;
    sp_status status = SP_OK;
    TRY(sp_decode_check(chain, scores, err));
    TRY(sp_decode_check_path(chain, 0, scores->n_steps, path, err));
    double *row = sp_scratch_get(scratch, (size_t)chain->n_classes, sizeof *row);
    rivals *now = sp_scratch_get(scratch, M, sizeof *now), *next = sp_scratch_get(scratch, M, sizeof *next);
    TRY(row && now && next ? SP_OK : sp_no_memory(err));
    for (int64_t t = 0; t < scores->n_steps; t++) {
        go_on(NULL, chain, sp_scores_reach(scores, t), sp_row(scores, t, row), now, next, NULL);
        for (int32_t j = 0; j < chain->n_states; j++)
            if (chain->state_class[j] != path[t])
                next[j] = (rivals){-INFINITY, greater(next[j].follow, next[j].depart)};
        rivals *before = now;
        now = next;
        next = before;
    }
    if (scores->n_steps > 0)
        is_possible = margin_of(chain, now, &found);
    TRY(is_possible ? SP_OK : sp_decode_no_path(chain, scores, scratch, err));
    *margin = found;
done:
    sp_scratch_release(scratch, mark);
    return status;
}
