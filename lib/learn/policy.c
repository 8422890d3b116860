/* Positions, their legal moves, and the logits of a network that has nearly learnt them: simulate.h says how. */
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

#include "core/try.h"
#include "learn/label_sequences.h"

void sp_policy_recipe_free(sp_policy_recipe *recipe)
{
    if (!recipe)
        return;
    free(recipe->name);
    free(recipe->description);
    free(recipe);
}

void sp_policy_free(sp_policy *policy)
{
    if (!policy)
        return;
    free(policy->logits);
    free(policy->mask);
    free(policy);
}

/* ---- checking ---- */

/* A number of the recipe and where it may lie. */
typedef struct range {
    const char *key;
    double value, low, high;
} range;

sp_status sp_policy_recipe_check(const sp_policy_recipe *r, const char **key, sp_error *err)
{
    const int64_t most = INT64_C(1) << 28;
    const range ranges[] = {
        {"seed", (double)r->seed, 1, UINT32_MAX},
        {"moves", (double)r->n_moves, 2, 1e6},
        {"positions", (double)r->n_positions, 1, 1e9},
        {"legal", (double)r->min_legal, 1, (double)r->max_legal},
        {"legal", (double)r->max_legal, 1, (double)r->n_moves},
        {"usual_legal", r->usual_legal, 1, (double)r->n_moves},
        {"legal_spread", r->legal_spread, 0, 100},
        {"sharpness", r->sharpness, 0, 100},
        {"leak", r->leak, 1e-12, 1 - 1e-12},
        {"leak_spread", r->leak_spread, 0, 100},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (!(ranges[i].value >= ranges[i].low && ranges[i].value <= ranges[i].high)) {
            if (key)
                *key = ranges[i].key;
            return sp_fail(err, SP_EINVAL, "key \"%s\": %g is not from %g to %g", ranges[i].key,
                           ranges[i].value, ranges[i].low, ranges[i].high);
        }
    if (key)
        *key = "positions";
    if (r->n_positions > most / r->n_moves)
        return sp_fail(err, SP_EINVAL,
                       "key \"positions\": %lld positions of %lld moves are more than %lld numbers",
                       (long long)r->n_positions, (long long)r->n_moves, (long long)most);
    return SP_OK;
}

/* ---- drawing ---- */

enum { DRAW_COUNT, DRAW_WHICH, DRAW_LOGIT, DRAW_LEAK, N_DRAWS };

typedef struct workshop {
    const sp_policy_recipe *recipe;
    gsl_rng *rng[N_DRAWS];
    int32_t *moves; /* [K] a permutation */
    double *logits; /* [K] */
    sp_policy *out;
} workshop;

static void workshop_clear(workshop *w)
{
    for (int i = 0; i < N_DRAWS; i++)
        if (w->rng[i])
            gsl_rng_free(w->rng[i]);
    free(w->moves);
    free(w->logits);
    sp_policy_free(w->out);
}

static bool make_room(workshop *w)
{
    const size_t k = (size_t)w->recipe->n_moves, s = (size_t)w->recipe->n_positions;
    const enum sp_draw what[N_DRAWS] = {SP_DRAW_LENGTH, SP_DRAW_CLASS, SP_DRAW_NOISE, SP_DRAW_CLASSIFIER};
    const sp_recipe seed = {.seed = w->recipe->seed};
    for (int i = 0; i < N_DRAWS; i++)
        if (!(w->rng[i] = sp_draw_new(&seed, what[i])))
            return false;
    w->moves = malloc(k * sizeof *w->moves);
    w->logits = malloc(k * sizeof *w->logits);
    w->out = calloc(1, sizeof *w->out);
    if (!w->moves || !w->logits || !w->out)
        return false;
    w->out->n_moves = w->recipe->n_moves;
    w->out->n_positions = w->recipe->n_positions;
    w->out->logits = malloc(s * k * sizeof *w->out->logits);
    w->out->mask = calloc(s * k, 1);
    return w->out->logits && w->out->mask;
}

static double normal(workshop *w, int what)
{
    return gsl_ran_gaussian_ziggurat(w->rng[what], 1);
}

static int64_t draw_count(workshop *w)
{
    const sp_policy_recipe *r = w->recipe;
    const double n = rint(r->usual_legal * exp(r->legal_spread * normal(w, DRAW_COUNT)));
    return n < (double)r->min_legal ? r->min_legal : n > (double)r->max_legal ? r->max_legal : (int64_t)n;
}

/* The first n of a permutation that is shuffled so far. */
static void draw_legal(workshop *w, int64_t n, uint8_t *mask)
{
    const int64_t k = w->recipe->n_moves;
    for (int64_t i = 0; i < n; i++) {
        const int64_t j = i + (int64_t)gsl_rng_uniform_int(w->rng[DRAW_WHICH], (unsigned long)(k - i));
        const int32_t move = w->moves[j];
        w->moves[j] = w->moves[i];
        w->moves[i] = move;
        mask[move] = 1;
    }
}

/* log of the sum of exp over the moves of one kind; there is one at least. */
static double log_mass(const double *logits, const uint8_t *mask, int64_t k, uint8_t kind)
{
    double max = -INFINITY, sum = 0;
    for (int64_t i = 0; i < k; i++)
        max = mask[i] == kind && logits[i] > max ? logits[i] : max;
    for (int64_t i = 0; i < k; i++)
        sum += mask[i] == kind ? exp(logits[i] - max) : 0;
    return max + log(sum);
}

static void draw_position(workshop *w, int64_t t)
{
    const sp_policy_recipe *r = w->recipe;
    const int64_t k = r->n_moves, n = draw_count(w);
    uint8_t *mask = w->out->mask + t * k;
    float *logits = w->out->logits + t * k;
    draw_legal(w, n, mask);
    for (int64_t i = 0; i < k; i++)
        w->logits[i] = r->sharpness * normal(w, DRAW_LOGIT);
    const double log_odds = log(r->leak / (1 - r->leak)) + r->leak_spread * normal(w, DRAW_LEAK);
    const double shift =
        n < k ? log_odds + log_mass(w->logits, mask, k, 1) - log_mass(w->logits, mask, k, 0) : 0;
    for (int64_t i = 0; i < k; i++)
        logits[i] = (float)(w->logits[i] + (mask[i] ? 0 : shift));
}

sp_status sp_policy_simulate(const sp_policy_recipe *recipe, sp_policy **out, sp_error *err)
{
    workshop w = {.recipe = recipe};
    sp_status status = SP_OK;
    TRY(sp_policy_recipe_check(recipe, NULL, err));
    if (!make_room(&w))
        TRY(sp_no_memory(err));
    for (int64_t i = 0; i < recipe->n_moves; i++)
        w.moves[i] = (int32_t)i;
    for (int64_t t = 0; t < recipe->n_positions; t++)
        draw_position(&w, t);
    *out = w.out;
    w.out = NULL;
done:
    workshop_clear(&w);
    return status;
}
