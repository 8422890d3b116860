/* Argmax and greedy of a long recording under a plain chain: one way forward, see argmax.c and greedy.c. */
#include <math.h>

#include "decode/long_pieces.h"
#include "decode/recording.h"

static int32_t best_of_all(int32_t n, const double *e)
{
    double best = -INFINITY;
    int32_t chosen = -1;
    for (int32_t j = 0; j < n; j++)
        if (e[j] > best) {
            best = e[j];
            chosen = j;
        }
    return chosen;
}

/* After a class: the first j of the greatest log_trans + e (+ end). */
static int32_t best_after(const sp_chain *c, int32_t before, const double *e, const double *end)
{
    double best = -INFINITY;
    int32_t chosen = -1;
    for (int64_t s = c->succ_row[before]; s < c->succ_row[before + 1]; s++) {
        int32_t j = c->succ[s];
        double value = c->succ_weight[s] + e[j] + (end ? end[j] : 0);
        if (value > best) {
            best = value;
            chosen = j;
        }
    }
    return chosen;
}

/* At the start, or after a gap, where any entry may stand. */
static int32_t best_fresh(const sp_chain *c, bool is_gap, const double *e, const double *end)
{
    double best = -INFINITY;
    int32_t chosen = -1;
    for (int32_t j = 0; j < c->n_states; j++) {
        double weight = !is_gap ? c->start[j] : c->entry[j] ? 0 : -INFINITY;
        double value = weight + e[j] + (end ? end[j] : 0);
        if (value > best) {
            best = value;
            chosen = j;
        }
    }
    return chosen;
}

/* Chooses at each step of piece i. Returns the row where nothing can be chosen, or -1. */
static int64_t choose_piece(sp_pieces *p, int64_t i, const sp_scores *scores, bool is_greedy, int32_t before, double *row)
{
    const sp_chain *c = p->chain;
    int64_t last = i == p->n - 1 ? scores->n_steps - 1 : -1;
    for (int64_t t = 0; t < scores->n_steps; t++) {
        const double *e = sp_row(scores, t, row), *end = t == last ? c->end : NULL;
        bool is_first = i == 0 && t == 0, is_gap = sp_pieces_is_gap(p, i, scores, t);
        int32_t chosen = !is_greedy           ? best_of_all(c->n_classes, e)
                         : is_first || is_gap ? best_fresh(c, is_gap, e, end)
                                              : best_after(c, before, e, end);
        if (chosen < 0)
            return t;
        p->path[t] = before = chosen;
    }
    return -1;
}

/* Why there was nothing to choose: nobody could have gone on, or greedy's own choices led here. */
static sp_status explain(sp_pieces *p, bool is_greedy, int64_t step, sp_decoded *result, sp_error *err)
{
    int64_t unreached = -1;
    sp_status status = is_greedy ? sp_pieces_exists(p, &unreached, err) : SP_OK;
    result->status = is_greedy && unreached < 0 ? SP_EDEADEND : SP_ENOPATH;
    result->step = unreached < 0 ? step : unreached;
    return status;
}

sp_status sp_long_choose(sp_pieces *p, bool is_greedy, sp_decoded *result, sp_error *err)
{
    double *row = sp_scratch_get(sp_workers_scratch(p->workers), SP_SLOT_ROW, (size_t)p->chain->n_classes, sizeof *row);
    if (!row)
        return sp_decode_no_memory(err);
    int32_t before = 0;
    sp_status status = SP_OK;
    for (int64_t i = 0; status == SP_OK && i < p->n; i++) {
        sp_scores scores;
        status = sp_pieces_read(p, i, &scores, err);
        if (status != SP_OK)
            break;
        int64_t stuck = choose_piece(p, i, &scores, is_greedy, before, row);
        if (stuck >= 0)
            return explain(p, is_greedy, i * p->steps + stuck, result, err);
        sp_pieces_sum(p, i, &scores, before);
        before = p->path[scores.n_steps - 1];
        status = sp_pieces_write(p, i, scores.n_steps, err);
    }
    return status;
}
