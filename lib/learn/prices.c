/* Prices of rules over more steps, chosen on recordings that the model did not see. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "learn/tune.h"

/* In nats a violation. Infinite: no path breaks the rule. */
static const double prices[] = {INFINITY, 16, 8, 4, 2, 1, 0.5, 0.25, 0};

enum { N_PRICES = sizeof prices / sizeof *prices };

/* What is judged: the like of the model, of each fold without it. */
static sp_status fit_folds(sp_tuner *u, const sp_model *model, const sp_fit_report *report, sp_error *err)
{
    sp_fit_options how = *u->options;
    const bool is_field = how.method == SP_FIT_CRF && isfinite(report->penalty);
    how.prices = SP_PRICES_NONE;
    how.tune = SP_TUNE_NONE;
    how.method = is_field ? SP_FIT_CRF : SP_FIT_COUNTS;
    how.penalty = is_field ? report->penalty : 0;
    how.progress = NULL;
    sp_status status = SP_OK;
    for (int32_t f = 0; f < u->n_folds; f++) {
        const sp_training others = sp_tuner_without(u, f);
        TRY(sp_fit(&others, &how, u->workers, &u->models[f], NULL, err));
        u->models[f]->temperature = model->temperature;
        u->models[f]->transition_weight = model->transition_weight;
        u->models[f]->prior_weight = model->prior_weight;
        if (model->min_dwell && u->models[f]->min_dwell)
            memcpy(u->models[f]->min_dwell, model->min_dwell,
                   (size_t)model->n_states * sizeof *model->min_dwell);
    }
done:
    return status;
}

/* What is tried. */
typedef struct trial {
    sp_tuner *tuner;
    sp_evidence best;
} trial;

static void set_price(sp_tuner *u, int32_t rule, double price)
{
    for (int32_t f = 0; f < u->n_folds; f++)
        u->models[f]->rules[rule].cost = price;
}

/* Tries a price of a rule; it is taken where the figure is better by more than a standard error of the difference. */
static sp_status attempt(trial *t, sp_model *model, sp_learnt_price *of, double price, sp_error *err)
{
    sp_evidence now;
    double error;
    sp_status status = SP_OK;
    set_price(t->tuner, of->rule, price);
    TRY(sp_tuner_judge(t->tuner, t->tuner->models, &now, err));
    const double gain = sp_evidence_gain(&now, &t->best, &error);
    if (gain > error && gain > 0) {
        t->best = now;
        model->rules[of->rule].cost = of->learnt = price;
    }
done:
    return status;
}

/* One rule after the other, twice where there are more. */
static sp_status search(sp_tuner *u, sp_model *model, sp_fit_report *report, sp_error *err)
{
    trial t = {.tuner = u};
    sp_status status = SP_OK;
    TRY(sp_tuner_judge(u, u->models, &t.best, err));
    report->prices_before = t.best.value;
    for (int round = 0; round < (report->n_prices > 1 ? 2 : 1); round++)
        for (int32_t i = 0; i < report->n_prices; i++) {
            sp_learnt_price *of = &report->prices[i];
            for (int p = 0; p < N_PRICES; p++)
                if (prices[p] != model->rules[of->rule].cost)
                    TRY(attempt(&t, model, of, prices[p], err));
            set_price(u, of->rule, model->rules[of->rule].cost);
        }
    report->prices_after = t.best.value;
done:
    return status;
}

sp_status sp_fit_prices(const sp_training *training, const sp_fit_options *options, sp_workers *workers,
                        sp_model *model, sp_fit_report *report, sp_error *err)
{
    sp_tuner u = {.training = training, .options = options, .workers = workers, .most_steps = SP_TUNED_STEPS};
    sp_status status = SP_OK;
    if (options->prices == SP_PRICES_NONE)
        return SP_OK;
    if (options->tune == SP_TUNE_NONE || !training->batch.scores.data || !training->labels)
        return sp_fail(err, SP_EINVAL,
                       "`prices` learn judges prices by recordings held out: it needs scores, labels and a "
                       "`tune` other than none");
    report->prices = calloc((size_t)model->n_rules + 1, sizeof *report->prices);
    if (!report->prices)
        return sp_no_memory(err);
    for (int32_t r = 0; r < model->n_rules; r++)
        if (model->rules[r].is_named)
            report->prices[report->n_prices++] =
                (sp_learnt_price){r, model->rules[r].cost, model->rules[r].cost};
    if (report->n_prices == 0)
        return sp_fail(err, SP_EINVAL,
                       "`prices` learn: the rules have none over more than two steps that has a name");
    TRY(sp_tuner_init(&u, err));
    if (sp_tuner_reason_against(&u))
        TRY(sp_fail(err, SP_EINVAL, "`prices` learn: %s", sp_tuner_reason_against(&u)));
    TRY(fit_folds(&u, model, report, err));
    TRY(search(&u, model, report, err));
    report->n_candidates += u.n_done;
done:
    sp_tuner_clear(&u);
    return status;
}
