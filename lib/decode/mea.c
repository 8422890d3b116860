/* Maximum expected accuracy and posterior-Viterbi: Viterbi over the bare rules, with marginals, or their logs, for scores.
 *
 *     mea                 max over legal paths of  sum_t p(s_t)
 *     posterior-viterbi   max over legal paths of  sum_t log p(s_t)
 *
 * A step that was -INFINITY stays so: a path that avoids those and obeys the rules has a finite score under the model too. A
 * marginal that is 0 only because it underflowed must not forbid anything, so 0 is an ordinary score for mea, and
 * posterior-viterbi works on exact log marginals.
 */
#include "decode/mea.h"

#include <math.h>

#include "decode/marginals.h"
#include "decode/recording.h"

enum { SLOT_OBJECTIVE = SP_SLOT_MARGINALS_FREE, SLOT_RULES, SLOT_FOUND };

void sp_sum_row(void *arg, int64_t t, const double *marginal, const double *log_marginal)
{
    (void)log_marginal;
    sp_objective *o = arg;
    double *value = o->value + (size_t)t * (size_t)o->n_classes;
    for (int32_t k = 0; k < o->n_classes; k++)
        value[k] = sp_scores_at(o->scores, t, k) == -INFINITY ? -INFINITY : sp_marginal_rounded(marginal[k]);
}

void sp_product_row(void *arg, int64_t t, const double *marginal, const double *log_marginal)
{
    (void)marginal;
    sp_objective *o = arg;
    double *value = o->value + (size_t)t * (size_t)o->n_classes;
    for (int32_t k = 0; k < o->n_classes; k++)
        value[k] = sp_marginal_rounded(log_marginal[k]);
}

sp_chain sp_bare_rules(const sp_chain *chain, double *room)
{
    sp_chain bare = *chain;
    int64_t n_edges = chain->pred_row[chain->n_states];
    for (int64_t n = 0; n < n_edges; n++)
        room[n] = 0;
    double *start = room + n_edges, *end = start + chain->n_states;
    bare.has_end = false;
    for (int32_t s = 0; s < chain->n_states; s++) {
        start[s] = chain->start[s] == -INFINITY ? -INFINITY : 0;
        end[s] = chain->end[s] == -INFINITY ? -INFINITY : 0;
        bare.has_end = bare.has_end || end[s] != 0;
    }
    bare.is_boolean = true;
    bare.pred_weight = bare.succ_weight = room;
    bare.start = start;
    bare.end = end;
    return bare;
}

static sp_status decode_marginals(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, bool is_product,
                                  int32_t *path, double *score, sp_error *err)
{
    sp_status status = sp_decode_check(chain, scores, err);
    if (status != SP_OK)
        return status;
    size_t n_steps = (size_t)scores->n_steps, n_classes = (size_t)chain->n_classes;
    size_t n_weights = chain->is_boolean ? 0 : (size_t)chain->pred_row[chain->n_states] + 2 * (size_t)chain->n_states;
    if (n_steps > SIZE_MAX / n_classes)
        return sp_decode_no_memory(err);
    double *value = sp_scratch_get(scratch, SLOT_OBJECTIVE, n_steps * n_classes, sizeof *value);
    double *room = sp_scratch_get(scratch, SLOT_RULES, n_weights, sizeof *room);
    int32_t *found = sp_scratch_get(scratch, SLOT_FOUND, n_steps, sizeof *found);
    if (!value || !room || !found)
        return sp_decode_no_memory(err);

    sp_objective out = {value, chain->n_classes, scores};
    sp_marginal_sink sink = {.row = is_product ? sp_product_row : sp_sum_row, .arg = &out, .wants_log = is_product};
    status = sp_marginal_rows(chain, scores, scratch, &sink, NULL, err);
    if (status != SP_OK)
        return status;
    sp_scores objective_scores = *scores;
    objective_scores.data = value;
    objective_scores.dtype = SP_F64;
    sp_chain bare = chain->is_boolean ? *chain : sp_bare_rules(chain, room);
    status = sp_viterbi(&bare, &objective_scores, scratch, found, NULL, err);
    return status == SP_OK ? sp_decode_finish(chain, scores, found, true, path, score, err) : status;
}

sp_status sp_mea(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, int32_t *path, double *score, sp_error *err)
{
    return decode_marginals(chain, scores, scratch, false, path, score, err);
}

sp_status sp_posterior_viterbi(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, int32_t *path, double *score,
                               sp_error *err)
{
    return decode_marginals(chain, scores, scratch, true, path, score, err);
}
