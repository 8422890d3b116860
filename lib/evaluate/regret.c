/* What a path gives up against the best class of each step: sum of max log p - log p(chosen). The normaliser is the same for all
 * classes of a step, so it is max e - e[chosen]. */
#include "evaluate/evaluation.h"
#include "evaluate/value.h"

#include <math.h>

static void find_best(const sp_scores *scores, double *best)
{
    for (int64_t t = 0; t < scores->n_steps; t++) {
        double most = -INFINITY;
        for (int32_t k = 0; k < scores->n_classes; k++) { /* not fmax(): gcc 12 for aarch64 fails over it */
            double score = sp_scores_at(scores, t, k);
            most = score > most ? score : most;
        }
        best[t] = most;
    }
}

static void add_ties(sp_comparison *comparison, const sp_scores *scores, const double *best, const int32_t *labels)
{
    comparison->has_ties = true;
    for (int64_t t = 0; t < scores->n_steps; t++) {
        int32_t n = 0;
        for (int32_t k = 0; best[t] > -INFINITY && k < scores->n_classes; k++)
            n += sp_scores_at(scores, t, k) == best[t];
        comparison->tie_steps += n > 1;
        comparison->tie_scored_steps += n > 1 && labels && labels[t] >= 0;
    }
}

static void add_strategy(sp_strategy_result *s, const sp_scores *scores, const double *best, const int32_t *path)
{
    for (int64_t t = 0; t < scores->n_steps; t++) {
        if (path[t] < 0)
            continue;
        double chosen = sp_scores_at(scores, t, path[t]);
        if (isinf(chosen)) {
            s->zero_steps++;
            continue;
        }
        s->regret_steps++;
        s->regret_sum += best[t] - chosen;
    }
}

void sp_add_regret(sp_evaluation *e, const sp_recording *r, const sp_views *views)
{
    if (!views->scores)
        return;
    find_best(views->scores, e->scratch.best);
    add_ties(e->result, views->scores, e->scratch.best, r->labels);
    for (int32_t s = 0; s < e->result->n_strategies; s++) {
        e->result->strategies[s].has_regret = true;
        add_strategy(&e->result->strategies[s], views->scores, e->scratch.best, views->paths[s]);
    }
}

void sp_regret_finish(sp_strategy_result *s)
{
    s->regret = value_ratio(s->regret_sum, (double)s->regret_steps, s->has_regret ? "no step of finite score" : "no scores");
}
