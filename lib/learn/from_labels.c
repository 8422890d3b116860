/* Transition probabilities from labels. */
#include <math.h>
#include <stdlib.h>

#include "learn/pieces.h"
#include "learn/probabilities.h"
#include "statepath/fit.h"

/* Counts of the pieces as doubles: what obeys the rules. */
typedef struct tables {
    double *transition; /* [K,K] counts, then probabilities */
    double *start;      /* [K] */
    double *prior;      /* [K] */
} tables;

static void count(const sp_training *training, const sp_pieces *pieces, tables *c)
{
    size_t K = (size_t)training->batch.scores.n_classes;
    for (int64_t p = 0; p < pieces->n; p++) {
        const sp_piece *piece = &pieces->list[p];
        const int32_t *y = training->labels + piece->first;
        c->start[y[0]] += piece->is_start;
        for (int64_t t = 0; t < piece->n_steps; t++) {
            c->prior[y[t]]++;
            if (t > 0)
                c->transition[(size_t)y[t - 1] * K + (size_t)y[t]]++;
        }
    }
}

/* In place, row by row. With smoothing 0 a class stays where it was seen, so that no class is a dead end by accident. */
static void to_probabilities(const sp_rules *rules, double smoothing, tables *c)
{
    int32_t K = rules->n_classes;
    for (int32_t i = 0; i < K; i++) {
        double *row = c->transition + (size_t)i * (size_t)K;
        if (smoothing == 0 && row[i] == 0 && rules->allow[i * K + i])
            row[i] = 1e-9;
        sp_smooth(K, row, rules->allow + (size_t)i * (size_t)K, smoothing, row);
    }
    sp_smooth(K, c->start, rules->start, smoothing, c->start);
    double n_steps = 0, least = smoothing > 0 ? smoothing : 0.5; /* never 0: its log is subtracted from scores */
    for (int32_t k = 0; k < K; k++)
        n_steps += c->prior[k] + least;
    for (int32_t k = 0; k < K; k++)
        c->prior[k] = (c->prior[k] + least) / n_steps;
}

sp_status sp_model_from_labels(const sp_training *training, const sp_rules *rules, double smoothing, const char *name,
                               sp_model **out, sp_violations *violations, sp_error *err)
{
    if (!(smoothing >= 0) || isinf(smoothing))
        return sp_fail(err, SP_EINVAL, "smoothing %g: it is added to every count, a number from 0 on", smoothing);
    sp_pieces pieces;
    sp_violations found;
    sp_status status = sp_pieces_init(&pieces, training, rules, &found, err);
    if (status != SP_OK)
        return status;
    size_t K = (size_t)rules->n_classes;
    double *all = calloc(K * K + 2 * K, sizeof *all);
    if (pieces.n == 0) {
        status =
            sp_fail(err, SP_EINVAL,
                    "no labelled step to learn from in %lld recordings; learn transitions from the scores alone with `method` "
                    "em",
                    (long long)found.recordings);
    } else if (!all) {
        status = sp_fail(err, SP_ENOMEM, "no memory to count the transitions of %zu classes", K);
    } else {
        tables c = {all, all + K * K, all + K * K + K};
        count(training, &pieces, &c);
        to_probabilities(rules, smoothing, &c);
        status = sp_model_of_probabilities(rules, name, training->classes, c.transition, c.start, c.prior, out, err);
    }
    free(all);
    sp_pieces_clear(&pieces);
    if (status == SP_OK && violations)
        *violations = found;
    else
        sp_violations_clear(&found);
    return status;
}
