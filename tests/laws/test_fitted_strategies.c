/* The law of strategies for models that are learnt: by every method, the default first, from small drawn
 * training sets. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statepath/learn.h"
#include "strategy_law.h"

enum { RECORDINGS = 12, STEPS = 30, K = 3, DECODED = 8, DECODED_STEPS = 5 };

/* What is asked of the learner. */
typedef struct asked {
    const char *name;
    bool has_method; /* else the default */
    sp_fit_method method;
    int64_t seen;
    const char *forbidden; /* pairs of classes; NULL: no rules are given */
    bool has_dwell;
} asked;

static const asked all[] = {
    {"default", false, SP_FIT_COUNTS, 0, NULL, false},
    {"counts of what is seen", true, SP_FIT_COUNTS, 1, NULL, false},
    {"counts under rules", true, SP_FIT_COUNTS, 0, "ac", true},
    {"crf", true, SP_FIT_CRF, 0, NULL, false},
    {"crf under rules", true, SP_FIT_CRF, 0, "acca", true},
    {"em", true, SP_FIT_EM, 0, NULL, false},
};
enum { N_ASKED = sizeof all / sizeof *all };

typedef struct training_set {
    double data[RECORDINGS * STEPS * K];
    int32_t labels[RECORDINGS * STEPS];
    int64_t offsets[RECORDINGS + 1];
} training_set;

/* Labels stay for a while, and scores speak for them. */
static void draw_training(training_set *s, random_source *r)
{
    for (int64_t n = 0; n <= RECORDINGS; n++)
        s->offsets[n] = n * STEPS;
    for (int64_t t = 0; t < RECORDINGS * STEPS; t++) {
        const bool stays = t % STEPS != 0 && random_chance(r, 0.7);
        s->labels[t] = stays ? s->labels[t - 1] : random_below(r, K);
        if (t % STEPS != 0 && abs(s->labels[t] - s->labels[t - 1]) == 2) /* by way of b */
            s->labels[t] = 1;
        for (int32_t k = 0; k < K; k++)
            s->data[t * K + k] = random_unit(r) - (k == s->labels[t] ? 0.5 : 2);
        sp_log_softmax(&s->data[t * K], K, &s->data[t * K]);
    }
}

static sp_model *rules_of(const asked *q, const char *const *names)
{
    sp_error err;
    uint8_t allow[K * K];
    if (!q->forbidden)
        return NULL;
    sp_model *rules = sp_model_new("rules", K, names);
    memset(allow, 1, sizeof allow);
    for (const char *p = q->forbidden; *p; p += 2)
        allow[(p[0] - 'a') * K + p[1] - 'a'] = 0;
    random_require(sp_model_set_matrix(rules, allow, NULL, &err), &err, 0);
    if (q->has_dwell) {
        rules->min_dwell = oracle_array(K, sizeof *rules->min_dwell);
        for (int32_t k = 0; k < K; k++)
            rules->min_dwell[k] = 1 + (k == 1);
    }
    return rules;
}

static sp_model *fit(const asked *q, uint64_t seed)
{
    static const char *const names[K] = {"a", "b", "c"};
    static training_set s;
    random_source r = {seed};
    sp_fit_options options = sp_fit_options_default();
    sp_model *rules = rules_of(q, names), *model;
    sp_error err;
    draw_training(&s, &r);
    const sp_training training = {
        .batch = {{s.data, SP_F64, K, RECORDINGS * STEPS, NULL, NULL, NULL}, RECORDINGS, s.offsets},
        .labels = s.labels,
        .classes = names};
    options.rules = rules;
    if (q->has_method) {
        options.method = q->method;
        options.tune = SP_TUNE_NONE;
        options.penalty = 1;
        options.features = SP_FEATURES_NONE;
    }
    options.seen = q->seen;
    sp_workers *workers = sp_workers_new(2);
    random_require(sp_fit(&training, &options, workers, &model, NULL, &err), &err, seed);
    sp_workers_free(workers);
    sp_model_free(rules);
    return model;
}

/* Recordings of the learnt model, short enough for all their paths. */
static law_case case_of(const asked *q, uint64_t seed)
{
    const random_shape shape = {.has_gaps = true, .impossible = 0.1};
    random_source r = {seed + 5};
    law_case x = {.shape = shape,
                  .c = {.seed = seed, .model = fit(q, seed), .options = sp_chain_options_default()}};
    sp_error err;
    x.c.class_of_column = oracle_array(K, sizeof *x.c.class_of_column);
    for (int32_t k = 0; k < K; k++)
        x.c.class_of_column[k] = k;
    x.c.options.class_of_column = x.c.class_of_column;
    random_require(sp_chain_new(x.c.model, &x.c.options, &x.c.chain, &err), &err, seed);
    x.batch.n_recordings = DECODED;
    x.batch.offsets = x.offsets = oracle_array(DECODED + 1, sizeof *x.offsets);
    for (int64_t n = 0; n < DECODED; n++)
        x.offsets[n + 1] = x.offsets[n] + 1 + random_below(&r, DECODED_STEPS);
    random_case_draw_scores(&x.c, &r, x.offsets[DECODED], &shape);
    x.batch.scores = x.c.scores;
    law_case_finish(&x, true);
    return x;
}

int main(void)
{
    const uint64_t n_seeds = getenv("STATEPATH_LIGHT") ? 1 : 4;
    int64_t n_paths = 0;
    for (uint64_t seed = 0; seed < n_seeds * N_ASKED; seed++) {
        law_case x = case_of(&all[seed % N_ASKED], seed);
        for (int s = 0; s < sp_strategy_count(); s++) {
            const sp_strategy strategy = {s, sp_strategy_about(s)->sample};
            law_answer a = law_decode(&x, &strategy, seed % 2);
            law_compare(&x, &strategy, seed % 2, &a);
            for (int64_t n = 0; n < DECODED; n++)
                n_paths += a.results[n].status == SP_OK;
            law_answer_free(&a);
        }
        law_check_extras(&x, &(sp_strategy){SP_VITERBI, 0});
        law_case_free(&x);
    }
    printf("%lld paths of learnt models as the oracle says\n", (long long)n_paths);
    return n_paths > 0 ? 0 : 1;
}
