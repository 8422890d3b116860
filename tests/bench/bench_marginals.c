/* What forward-backward gives, as a ratio to the plain kernel in logs in the same run.
 *
 *     bench_marginals [--json FILE]
 *
 * W1 and W6 on one thread, processor time. The plain kernel does the first recordings only, about 100,000 steps, scaled up (its
 * cost a step does not change). The first round warms up and checks paths, confidence and log Z against it; five more count. A
 * figure is the median, with the least and the greatest. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "decode/kernels/kernels.h"
#include "workload.h"

enum { ROUNDS = 5, PLAIN_STEPS = 100000 };

static const struct contest {
    const char *name;
    sp_strategy_kind kind;
    bool has_confidence;
} contests[] = {{"posterior", SP_POSTERIOR, false},
                {"mea", SP_MEA, false},
                {"posterior-viterbi", SP_POSTERIOR_VITERBI, false},
                {"viterbi, confidence", SP_VITERBI, true}};

typedef struct answers {
    int32_t *paths;
    sp_decoded *results;
    float *confidence;
    double *log_z;
} answers;

static bool answers_new(answers *a, const workload *w)
{
    size_t steps = (size_t)w->n_steps, recordings = (size_t)w->n_recordings;
    *a = (answers){malloc(steps * sizeof *a->paths), malloc(recordings * sizeof *a->results),
                   malloc(steps * sizeof *a->confidence), malloc(recordings * sizeof *a->log_z)};
    return a->paths && a->results && a->confidence && a->log_z;
}

static void answers_free(answers *a)
{
    free(a->paths);
    free(a->results);
    free(a->confidence);
    free(a->log_z);
}

static double run(sp_isa isa, const workload *w, const sp_batch *batch, const struct contest *c,
                  sp_workers *workers, answers *a)
{
    sp_decode_options options = {.strategy = {c->kind, 0}};
    sp_decode_output output = {.paths = a->paths,
                               .results = a->results,
                               .confidence = c->has_confidence ? a->confidence : NULL,
                               .log_partition = c->has_confidence ? a->log_z : NULL};
    struct timespec begin, end;
    sp_error err;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    if (sp_decode_batch_with(isa, w->chain, batch, &options, workers, &output, &err) != SP_OK) {
        fprintf(stderr, "%s: %s\n", w->name, err.message);
        exit(1);
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    return (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}

/* The first recordings of a batch. */
static sp_batch part_of(const sp_batch *all)
{
    sp_batch part = *all;
    part.n_recordings = 0;
    while (part.n_recordings < all->n_recordings && all->offsets[part.n_recordings] < PLAIN_STEPS)
        part.n_recordings++;
    part.scores.n_steps = all->offsets[part.n_recordings];
    return part;
}

static void check(const workload *w, const sp_batch *part, const struct contest *c, const answers *plain,
                  const answers *ours)
{
    int64_t wrong = 0;
    for (int64_t t = 0; t < part->scores.n_steps; t++)
        wrong += plain->paths[t] != ours->paths[t] ||
                 (c->has_confidence && !(fabsf(plain->confidence[t] - ours->confidence[t]) <= 1e-6F));
    for (int64_t n = 0; n < part->n_recordings; n++)
        wrong += plain->results[n].score != ours->results[n].score ||
                 (c->has_confidence && !(fabs(plain->log_z[n] - ours->log_z[n]) <= 1e-9));
    if (wrong) {
        fprintf(stderr, "%s, %s: %lld steps or recordings differ\n", w->name, c->name, (long long)wrong);
        exit(1);
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const workload *w, sp_workers *workers, answers *plain, answers *ours, FILE *json,
                    bool *is_first)
{
    sp_batch all = workload_batch(w), part = part_of(&all);
    double scale = (double)all.scores.n_steps / (double)part.scores.n_steps,
           steps = (double)all.scores.n_steps;
    for (size_t i = 0; i < sizeof contests / sizeof *contests; i++) {
        const struct contest *c = &contests[i];
        double slow[ROUNDS], fast[ROUNDS], ratio[ROUNDS];
        run(SP_ISA_PLAIN, w, &part, c, workers, plain);
        run(sp_isa_best(), w, &all, c, workers, ours);
        check(w, &part, c, plain, ours);
        for (int r = 0; r < ROUNDS; r++) {
            slow[r] = run(SP_ISA_PLAIN, w, &part, c, workers, plain) * scale;
            fast[r] = run(sp_isa_best(), w, &all, c, workers, ours);
            ratio[r] = slow[r] / fast[r];
        }
        qsort(slow, ROUNDS, sizeof *slow, by_value);
        qsort(fast, ROUNDS, sizeof *fast, by_value);
        qsort(ratio, ROUNDS, sizeof *ratio, by_value);
        const int middle = ROUNDS / 2, last = ROUNDS - 1;
        printf("%-3s %-20s %10.1f %10.2f %8.3g  %6.1f (%.1f-%.1f)\n", w->name, c->name, 1e3 * slow[middle],
               1e3 * fast[middle], 1e-6 * steps / fast[middle], ratio[middle], ratio[0], ratio[last]);
        fflush(stdout);
        if (json)
            fprintf(json,
                    "%s\n  {\"workload\": \"%s\", \"what\": \"%s\", \"strategy\": \"%s\", \"steps\": %.0f, "
                    "\"plain_seconds\": %.6g,\n"
                    "   \"seconds\": %.6g, \"ratio\": %.4g, \"ratio_low\": %.4g, \"ratio_high\": %.4g}",
                    *is_first ? "" : ",", w->name, w->what, c->name, steps, slow[middle], fast[middle],
                    ratio[middle], ratio[0], ratio[last]);
        *is_first = false;
    }
}

static bool bench_workload(int number, FILE *json, bool *is_first)
{
    workload w;
    answers plain, ours;
    if (!workload_make(&w, number))
        return false;
    sp_workers *workers = sp_workers_new(1);
    bool has_plain = answers_new(&plain, &w), has_ours = answers_new(&ours, &w),
         has_room = workers && has_plain && has_ours;
    if (has_room)
        measure(&w, workers, &plain, &ours, json, is_first);
    answers_free(&plain);
    answers_free(&ours);
    sp_workers_free(workers);
    workload_free(&w);
    return has_room;
}

int main(int argc, char **argv)
{
    static const int numbers[] = {0, 5};
    FILE *json = NULL;
    bool is_first = true;
    if (argc == 3 && strcmp(argv[1], "--json") == 0 && !(json = fopen(argv[2], "w"))) {
        perror(argv[2]);
        return 1;
    }
    printf("Milliseconds, million steps a second, times faster than the plain kernel in logs, one thread; "
           "medians of %d, in\n"
           "brackets the least and the greatest.\n\n                           plain ms         ms      M/s  "
           "faster\n",
           ROUNDS);
    if (json)
        fprintf(json, "[");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!bench_workload(numbers[i], json, &is_first)) {
            fprintf(stderr, "not enough memory for W%d\n", numbers[i] + 1);
            return 1;
        }
    if (json) {
        fprintf(json, "\n]\n");
        fclose(json);
    }
    return 0;
}
