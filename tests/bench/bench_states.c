/* What it costs that several states emit one class: the same chain with a class for each state, decoded in turn in one run.
 *
 *     bench_states [durations]
 *
 * Nine states of five classes ("REM at least once": the other four before and after it) by each strategy; 64 states of 20 classes by
 * Viterbi, dense; a left-to-right chain of 501 states and 167 classes, beside a plain loop over three predecessors. Processor time
 * of one thread; the least of seven rounds. Viterbi's scores
 * must agree. Then runs of 24 classes of up to 100 steps each, beside a plain loop of max-adds over the same T x K x D numbers:
 * bench_states durations is these alone.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "statepath.h"

enum { ROUNDS = 7 };

typedef struct shape {
    const char *name;
    int32_t n_classes, n_states;
    const int32_t *state_class;
    const uint8_t *allow;          /* [M,M] */
    int64_t n_recordings, n_steps; /* of each */
    int32_t n_first,
        last; /* states from n_first on do not begin, but for the last; those before `last` do not end */
} shape;

static void *room(size_t n, size_t size)
{
    void *out = calloc(n, size);
    if (!out) {
        fprintf(stderr, "not enough memory\n");
        exit(1);
    }
    return out;
}

static void must(sp_status status, const sp_error *err)
{
    if (status == SP_OK)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

/* With states, or with a class for each of them. */
static sp_chain *make_chain(const shape *s, bool as_classes)
{
    const int32_t n = as_classes ? s->n_states : s->n_classes;
    char names[512][8];
    const char *list[512];
    sp_error err;
    for (int32_t i = 0; i < 512; i++) {
        snprintf(names[i], sizeof names[i], "%d", (int)i);
        list[i] = names[i];
    }
    sp_model *model = sp_model_new(s->name, n, list);
    sp_chain *chain = NULL;
    if (!as_classes) {
        model->n_states = s->n_states;
        model->states = room((size_t)s->n_states, sizeof *model->states);
        model->state_class = room((size_t)s->n_states, sizeof *model->state_class);
        memcpy(model->state_class, s->state_class, (size_t)s->n_states * sizeof *model->state_class);
        for (int32_t i = 0; i < s->n_states; i++)
            model->states[i] = strdup(names[i]);
    }
    model->start = room((size_t)s->n_states, sizeof *model->start);
    model->end = room((size_t)s->n_states, sizeof *model->end);
    for (int32_t i = 0; i < s->n_states; i++) {
        model->start[i] = i < s->n_first || i == s->n_states - 1 ? 0 : -INFINITY;
        model->end[i] = i < s->last ? -INFINITY : 0;
    }
    must(sp_model_set_matrix(model, s->allow, NULL, &err), &err);
    const sp_chain_options options = sp_chain_options_default();
    must(sp_chain_new(model, &options, &chain, &err), &err);
    sp_model_free(model);
    return chain;
}

static uint64_t next_bits(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 40;
}

/* [S,K] log probabilities. */
static float *make_scores(const shape *s)
{
    const size_t K = (size_t)s->n_classes, S = (size_t)(s->n_recordings * s->n_steps);
    float *out = room(S * K, sizeof *out);
    uint64_t state = 1;
    for (size_t t = 0; t < S; t++) {
        double sum = 0;
        for (size_t k = 0; k < K; k++) {
            double x = 0;
            for (int i = 0; i < 4; i++)
                x += (double)next_bits(&state) * 0x1p-24 - 0.5;
            out[t * K + k] = (float)(3 * x);
            sum += exp(3 * x);
        }
        for (size_t k = 0; k < K; k++)
            out[t * K + k] -= (float)log(sum);
    }
    return out;
}

static double processor(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

typedef struct side {
    sp_chain *chain;
    float *scores;
    int32_t *paths;
    sp_decoded *results;
    double seconds;
} side;

static void decode(const shape *s, side *one, int32_t n_classes, sp_strategy strategy, sp_workers *workers)
{
    int64_t *offsets = room((size_t)s->n_recordings + 1, sizeof *offsets);
    for (int64_t r = 0; r <= s->n_recordings; r++)
        offsets[r] = r * s->n_steps;
    const sp_scores scores = {.data = one->scores,
                              .dtype = SP_F32,
                              .n_classes = n_classes,
                              .n_steps = s->n_recordings * s->n_steps};
    const sp_batch batch = {scores, s->n_recordings, offsets};
    sp_decode_options options = sp_decode_options_default();
    options.strategy = strategy;
    const sp_decode_output output = {.paths = one->paths, .results = one->results};
    sp_error err;
    const double begin = processor();
    must(sp_decode_batch(one->chain, &batch, &options, workers, &output, &err), &err);
    const double seconds = processor() - begin;
    one->seconds = one->seconds == 0 || seconds < one->seconds ? seconds : one->seconds;
    free(offsets);
}

static void compare(const shape *s, const char *name)
{
    const size_t S = (size_t)(s->n_recordings * s->n_steps), K = (size_t)s->n_classes,
                 M = (size_t)s->n_states;
    side states = {.chain = make_chain(s, false), .scores = make_scores(s)},
         classes = {.chain = make_chain(s, true)};
    sp_workers *workers = sp_workers_new(1);
    sp_strategy strategy;
    sp_error err;
    must(sp_strategy_parse(name, &strategy, &err), &err);
    classes.scores = room(S * M, sizeof *classes.scores);
    for (size_t t = 0; t < S; t++)
        for (size_t j = 0; j < M; j++)
            classes.scores[t * M + j] = states.scores[t * K + (size_t)s->state_class[j]];
    side *sides[2] = {&states, &classes};
    for (int i = 0; i < 2; i++) {
        sides[i]->paths = room(S, sizeof *states.paths);
        sides[i]->results = room((size_t)s->n_recordings, sizeof *states.results);
    }
    for (int round = 0; round < ROUNDS; round++) {
        decode(s, &states, s->n_classes, strategy, workers);
        decode(s, &classes, s->n_states, strategy, workers);
    }
    int64_t n_other = 0;
    for (int64_t n = 0; n < s->n_recordings; n++)
        n_other += strategy.kind == SP_VITERBI && states.results[n].score != classes.results[n].score;
    printf("  %-24s %-18s %8.1f %8.1f %8.2f%s\n", s->name, name, states.seconds / (double)S * 1e9,
           classes.seconds / (double)S * 1e9, states.seconds / classes.seconds,
           n_other ? "   scores differ" : "");
    for (int i = 0; i < 2; i++) {
        sp_chain_free(sides[i]->chain);
        free(sides[i]->scores);
        free(sides[i]->paths);
        free(sides[i]->results);
    }
    sp_workers_free(workers);
}

/* ---- the chains ---- */

/* Wake, N1, N2, N3 before (0 .. 3) and after REM (4 .. 7), and REM (8). */
static const int32_t rem_class[9] = {0, 1, 2, 3, 0, 1, 2, 3, 4};

static void rem_rules(uint8_t *allow)
{
    static const uint8_t may_follow[5][5] = {
        {1, 1, 1, 0, 0}, {1, 1, 1, 0, 1}, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, {1, 1, 1, 0, 1}};
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++) {
            const bool is_before = i < 4, goes_on = is_before ? j < 4 || j == 8 : j >= 4;
            allow[9 * i + j] = goes_on && may_follow[rem_class[i]][rem_class[j]];
        }
}

/* What twenty lines of C take: three predecessors, a byte for each choice. */
static double plain_loop(const float *scores, int64_t n_steps, int32_t n_classes, int32_t n_states,
                         const int32_t *state_class)
{
    const size_t M = (size_t)n_states, K = (size_t)n_classes;
    double *now = room(M, sizeof *now), *next = room(M, sizeof *next), least = INFINITY;
    uint8_t *choices = room((size_t)n_steps * M, 1);
    int32_t *path = room((size_t)n_steps, sizeof *path);
    for (int round = 0; round < ROUNDS; round++) {
        const double begin = processor();
        for (size_t j = 0; j < M; j++)
            now[j] = scores[state_class[j]];
        for (size_t t = 1; t < (size_t)n_steps; t++) {
            const float *e = scores + t * K;
            for (size_t j = 0; j < M; j++) {
                double best = now[j];
                uint8_t choice = 0;
                for (size_t d = 1; d <= 2 && d <= j; d++)
                    if (now[j - d] > best) {
                        best = now[j - d];
                        choice = (uint8_t)d;
                    }
                next[j] = best + e[state_class[j]];
                choices[t * M + j] = choice;
            }
            double *before = now;
            now = next;
            next = before;
        }
        size_t state = 0;
        for (size_t j = 0; j < M; j++)
            state = now[j] > now[state] ? j : state;
        for (size_t t = (size_t)n_steps; t-- > 0;) {
            path[t] = state_class[state];
            state -= t > 0 ? choices[t * M + state] : 0;
        }
        const double seconds = processor() - begin;
        least = seconds < least ? seconds : least;
    }
    free(now);
    free(next);
    free(choices);
    free(path);
    return least / (double)n_steps * 1e9;
}

/* ---- durations ---- */

enum { RUN_CLASSES = 24, RUN_LONGEST = 100 };

/* As many maxima of sums as a plain explicit-duration recurrence takes: seconds. */
static double max_adds(const float *scores, int64_t n_steps, const double *log_p)
{
    static double sums[RUN_CLASSES][RUN_LONGEST];
    double seconds = INFINITY, sink = 0;
    for (int round = 0; round < 3; round++) {
        const double begin = processor();
        for (int64_t t = 0; t < n_steps; t++)
            for (int k = 0; k < RUN_CLASSES; k++) {
                const double e = scores[t * RUN_CLASSES + k];
                double best = -INFINITY;
                for (int d = 0; d < RUN_LONGEST; d++) {
                    const double x = sums[k][d] + log_p[d];
                    best = x > best ? x : best;
                }
                sums[k][t % RUN_LONGEST] = best + e > -50 ? e : best;
                sink += best;
            }
        seconds = fmin(seconds, processor() - begin);
    }
    return sink == 0.5 ? 0 : seconds;
}

static void compare_runs(const char *name, int64_t n_steps)
{
    char names[RUN_CLASSES][8];
    const char *list[RUN_CLASSES];
    uint8_t allow[RUN_CLASSES * RUN_CLASSES];
    double log_p[RUN_LONGEST], seconds = INFINITY;
    const shape as_scores = {.n_classes = RUN_CLASSES, .n_recordings = 1, .n_steps = n_steps};
    float *scores = make_scores(&as_scores);
    int32_t *path = room((size_t)n_steps, sizeof *path);
    sp_scratch *scratch = sp_scratch_new();
    sp_chain *chain;
    sp_error err;
    sp_decoded result;
    sp_decode_options options = sp_decode_options_default();
    must(sp_strategy_parse(name, &options.strategy, &err), &err);
    for (int k = 0; k < RUN_CLASSES; k++) {
        snprintf(names[k], sizeof names[k], "%d", k);
        list[k] = names[k];
    }
    sp_model *model = sp_model_new("runs", RUN_CLASSES, list);
    memset(allow, 1, sizeof allow);
    must(sp_model_set_matrix(model, allow, NULL, &err), &err);
    model->durations = room(RUN_CLASSES, sizeof *model->durations);
    for (int k = 0; k < RUN_CLASSES; k++) {
        sp_duration *d = &model->durations[k];
        *d = (sp_duration){
            .form = SP_DURATION_PMF, .n_pmf = RUN_LONGEST, .pmf = room(RUN_LONGEST, sizeof *d->pmf)};
        for (int i = 0; i < RUN_LONGEST; i++)
            log_p[i] = log(d->pmf[i] = exp(-.05 * abs(i - 20 - k)));
    }
    must(sp_chain_new(model, NULL, &chain, &err), &err);
    const sp_scores all = {.data = scores, .dtype = SP_F32, .n_classes = RUN_CLASSES, .n_steps = n_steps};
    for (int round = 0; round < 3; round++) {
        const double begin = processor();
        must(sp_decode(chain, &all, &options, scratch, path, &result, &err), &err);
        seconds = fmin(seconds, processor() - begin);
    }
    const double plain = max_adds(scores, n_steps, log_p);
    printf("  24 classes, runs to 100  %-18s %8.1f %8.1f %8.2f\n", name, seconds / (double)n_steps * 1e9,
           plain / (double)n_steps * 1e9, seconds / plain);
    sp_model_free(model);
    sp_chain_free(chain);
    sp_scratch_free(scratch);
    free(scores);
    free(path);
}

static void compare_durations(void)
{
    printf("durations: nanoseconds a step, and of a plain loop of max-adds over as many numbers\n");
    compare_runs("viterbi", 100000);
    compare_runs("posterior", 1000);
    compare_runs("mea", 1000);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "durations") == 0) {
        compare_durations();
        return 0;
    }
    static const char *const strategies[] = {"viterbi",           "greedy", "argmax",  "posterior", "mea",
                                             "posterior-viterbi", "beam:4", "online:5"};
    static uint8_t allow[512 * 512];
    static int32_t state_class[512];
    printf("several states a class: nanoseconds a step, and of the same chain with a class for each state\n");
    printf("  %-24s %-18s %8s %8s %8s\n", "chain", "strategy", "states", "classes", "ratio");
    rem_rules(allow);
    const shape rem = {"9 states", 5, 9, rem_class, allow, 1000, 1000, 4, 4};
    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++)
        compare(&rem, strategies[i]);
    uint64_t random = 3;
    memset(allow, 0, sizeof allow);
    for (int32_t j = 0; j < 64; j++) {
        state_class[j] = j * 20 / 64;
        for (int i = 0; i < 64; i++)
            allow[64 * j + i] = next_bits(&random) % 5 == 0 || i == j;
    }
    const shape many = {"64 states", 20, 64, state_class, allow, 20, 1000, 64, 0};
    compare(&many, "viterbi");
    memset(allow, 0, sizeof allow);
    for (int32_t j = 0; j < 501; j++) {
        state_class[j] = j / 3;
        for (int i = j; i < j + 3 && i < 501; i++)
            allow[501 * j + i] = 1;
    }
    const shape line = {"501 states, left to right", 167, 501, state_class, allow, 1, 63000, 501, 0};
    compare(&line, "viterbi");
    float *scores = make_scores(&line);
    printf("  %-24s %-18s %8.1f\n", line.name, "a plain loop",
           plain_loop(scores, line.n_steps, 167, 501, state_class));
    free(scores);
    compare_durations();
    return 0;
}
