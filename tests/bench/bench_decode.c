/* Decoding in memory, as a ratio to the textbook kernel in the same run.
 *
 *     bench_decode [--json FILE] [--cpu] [WORKLOAD...]        W1 .. W12; all without
 *
 * Each round runs the textbook kernel, then ours and a plain sum over the same scores, on one thread and on two in turn, so that
 * what else the machine does hits all alike. The first round warms up and checks every answer; then 5 count, 15 where they are
 * short. A figure is the median, ratios of the ratios of each round, with the least and the greatest.
 *
 * The sum says how many steps a second memory can give (`limit`), and ours are given as a share of that too: where two threads
 * reach the limit and gain little over one, memory is what is missing.
 *
 * On a machine that others use too, --cpu counts processor time where one thread runs, for the textbook kernel and for ours. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "stream.h"
#include "workload.h"

enum { ROUNDS = 15, LONG_ROUNDS = 5 };
static const double long_round = 0.5; /* seconds of the textbook kernel */

static const struct contest {
    const char *strategy;
    sp_strategy_kind kind;
} contests[] = {{"viterbi", SP_VITERBI}, {"greedy", SP_GREEDY}, {"argmax", SP_ARGMAX}};

typedef struct bench {
    const workload *w;
    clockid_t clock;        /* for one thread */
    sp_workers *workers[2]; /* of one thread and two */
    double *delta;
    int *back;
    int32_t *expected, *paths;
    sp_decoded *results;
} bench;

typedef struct figure {
    double low, median, high;
} figure;

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static figure summary(const double *rounds, int n)
{
    double sorted[ROUNDS];
    memcpy(sorted, rounds, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    return (figure){sorted[0], sorted[n / 2], sorted[n - 1]};
}

/* Of a[n] / b[n], each with its own. */
static figure ratios(const double *a, const double *b, int n)
{
    double ratio[ROUNDS];
    for (int r = 0; r < n; r++)
        ratio[r] = a[r] / b[r];
    return summary(ratio, n);
}

/* Steps that the textbook kernel does. */
static int64_t textbook_steps(const workload *w)
{
    return w->textbook_steps ? w->textbook_steps : w->n_steps;
}

/* Seconds for all steps: for the slow ones those of a part, scaled up (its cost a step does not change). */
static double run_textbook(const bench *b)
{
    const workload *w = b->w;
    double begin = now(b->clock);
    if (w->textbook_steps)
        textbook_viterbi(&w->textbook, w->scores, w->textbook_steps, b->delta, b->back, b->expected);
    else
        for (int64_t r = 0; r < w->n_recordings; r++) {
            int64_t first = w->offsets[r];
            textbook_viterbi(&w->textbook, w->scores + first * w->n_classes, w->offsets[r + 1] - first,
                             b->delta, b->back, b->expected + first);
        }
    return (now(b->clock) - begin) * (double)w->n_steps / (double)textbook_steps(w);
}

static double run_ours(const bench *b, const sp_batch *batch, sp_strategy_kind kind, int threads)
{
    sp_decode_options options = sp_decode_options_default();
    sp_decode_output output = {.paths = b->paths, .results = b->results};
    sp_error err;
    options.strategy.kind = kind;
    clockid_t clock = threads == 1 ? b->clock : CLOCK_MONOTONIC;
    double begin = now(clock);
    if (sp_decode_batch(b->w->chain, batch, &options, b->workers[threads - 1], &output, &err) != SP_OK) {
        fprintf(stderr, "%s: %s\n", b->w->name, err.message);
        exit(1);
    }
    return now(clock) - begin;
}

/* Seconds for a plain sum over the scores. */
static double run_sum(const bench *b, int threads)
{
    clockid_t clock = threads == 1 ? b->clock : CLOCK_MONOTONIC;
    size_t bytes = (size_t)b->w->n_steps * (size_t)b->w->n_classes * sizeof *b->w->scores;
    double begin = now(clock);
    stream_read(b->w->scores, bytes / 8 * 8, threads);
    return now(clock) - begin;
}

static sp_status one(const sp_chain *chain, const sp_scores *scores, sp_strategy_kind kind,
                     sp_scratch *scratch, int32_t *path, double *score)
{
    const sp_decode_options options = {.strategy = {kind, 0}};
    sp_decoded result = {.score = -INFINITY};
    sp_status status = sp_decode(chain, scores, &options, scratch, path, &result, NULL);
    *score = result.score;
    return status;
}

/* Compares what is in b->paths with the plain kernel, one recording at a time, and counts the steps that differ. */
static int64_t wrong_steps(const bench *b, const sp_batch *batch, sp_strategy_kind kind)
{
    sp_scratch *scratch = sp_scratch_new();
    int32_t *path = malloc((size_t)b->w->longest * sizeof *path);
    int64_t wrong = 0;
    if (!scratch || !path)
        exit(1);
    for (int64_t r = 0; r < batch->n_recordings; r++) {
        sp_scores scores = sp_batch_recording(batch, r);
        double score;
        sp_status status = one(b->w->chain, &scores, kind, scratch, path, &score);
        if (status != b->results[r].status) {
            fprintf(stderr, "%s: recording %lld has another status\n", b->w->name, (long long)r);
            exit(1);
        }
        if (status != SP_OK)
            continue;
        for (int64_t t = 0; t < scores.n_steps; t++)
            wrong += path[t] != b->paths[batch->offsets[r] + t];
        if (!(fabs(score - b->results[r].score) <= 1e-10 * fabs(score)) && score != b->results[r].score) {
            fprintf(stderr, "%s: recording %lld scores %.17g, expected %.17g\n", b->w->name, (long long)r,
                    b->results[r].score, score);
            exit(1);
        }
    }
    free(path);
    sp_scratch_free(scratch);
    return wrong;
}

static void check(const bench *b, const sp_batch *batch, sp_strategy_kind kind)
{
    for (int threads = 1; threads <= 2; threads++) {
        run_ours(b, batch, kind, threads);
        int64_t wrong = wrong_steps(b, batch, kind);
        if (kind == SP_VITERBI && !b->w->textbook_steps)
            for (int64_t t = 0; t < b->w->n_steps; t++)
                wrong += b->paths[t] != b->expected[t];
        if (wrong) {
            fprintf(stderr, "%s: %lld steps differ\n", b->w->name, (long long)wrong);
            exit(1);
        }
    }
}

/* Seconds of each round; [0] with one thread, [1] with two. */
typedef struct rounds {
    int n;
    double textbook[ROUNDS], ours[2][ROUNDS], sum[2][ROUNDS];
} rounds;

static void report(const workload *w, const char *strategy, const rounds *r, FILE *json, bool *is_first)
{
    figure book = summary(r->textbook, r->n), single = summary(r->ours[0], r->n),
           pair = summary(r->ours[1], r->n), times = ratios(r->textbook, r->ours[0], r->n),
           threads = ratios(r->ours[0], r->ours[1], r->n),
           share[2] = {ratios(r->sum[0], r->ours[0], r->n), ratios(r->sum[1], r->ours[1], r->n)},
           sum[2] = {summary(r->sum[0], r->n), summary(r->sum[1], r->n)};
    double steps = (double)w->n_steps;
    printf("%-3s %-8s %10.2f %10.3f %10.3f %9.3g %9.3g  %6.1f (%.1f-%.1f)  %5.2f (%.2f-%.2f) %8.3g %5.0f %% "
           "%8.3g %5.0f %%\n",
           w->name, strategy, 1e3 * book.median, 1e3 * single.median, 1e3 * pair.median,
           1e-6 * steps / single.median, 1e-6 * steps / pair.median, times.median, times.low, times.high,
           threads.median, threads.low, threads.high, 1e-6 * steps / sum[0].median, 100 * share[0].median,
           1e-6 * steps / sum[1].median, 100 * share[1].median);
    fflush(stdout);
    if (!json)
        return;
    fprintf(json,
            "%s\n  {\"workload\": \"%s\", \"what\": \"%s\", \"strategy\": \"%s\", \"steps\": %lld, "
            "\"rounds\": %d,\n"
            "   \"textbook_seconds\": %.6g, \"seconds_1\": %.6g, \"seconds_2\": %.6g,\n"
            "   \"ratio\": %.4g, \"ratio_low\": %.4g, \"ratio_high\": %.4g, \"threads_2\": %.4g,\n"
            "   \"read_seconds_1\": %.6g, \"read_seconds_2\": %.6g, \"share_of_read_1\": %.4g, "
            "\"share_of_read_2\": %.4g}",
            *is_first ? "" : ",", w->name, w->what, strategy, (long long)w->n_steps, r->n, book.median,
            single.median, pair.median, times.median, times.low, times.high, threads.median, sum[0].median,
            sum[1].median, share[0].median, share[1].median);
    *is_first = false;
}

static void measure(bench *b, FILE *json, bool *is_first)
{
    const workload *w = b->w;
    sp_batch batch = workload_batch(w);
    size_t n_contests = w->n_classes <= 16 ? sizeof contests / sizeof *contests : 1;
    int n = run_textbook(b) > long_round ? LONG_ROUNDS : ROUNDS;
    for (size_t c = 0; c < n_contests; c++) {
        rounds r = {.n = n};
        check(b, &batch, contests[c].kind);
        for (int i = 0; i < n; i++) {
            r.textbook[i] = run_textbook(b);
            for (int k = 0; k < 2; k++) {
                int threads = 1 + (k + i) % 2;
                run_ours(b, &batch, contests[c].kind,
                         threads); /* the caches are the textbook's: give all the same start */
                r.ours[threads - 1][i] = run_ours(b, &batch, contests[c].kind, threads);
                run_sum(b, threads);
                r.sum[threads - 1][i] = run_sum(b, threads);
            }
        }
        report(w, contests[c].strategy, &r, json, is_first);
    }
}

static bool bench_workload(int number, clockid_t clock, FILE *json, bool *is_first)
{
    workload w;
    if (!workload_make(&w, number))
        return false;
    size_t n = (size_t)w.n_classes, steps = (size_t)w.n_steps;
    size_t back_steps = w.textbook_steps ? (size_t)w.textbook_steps : (size_t)w.longest;
    bench b = {.w = &w,
               .clock = clock,
               .workers = {sp_workers_new(1), sp_workers_new(2)},
               .delta = malloc(2 * n * sizeof *b.delta),
               .back = malloc(back_steps * n * sizeof *b.back),
               .expected = malloc(steps * sizeof *b.expected),
               .paths = malloc(steps * sizeof *b.paths),
               .results = malloc((size_t)w.n_recordings * sizeof *b.results)};
    bool has_room = b.workers[0] && b.workers[1] && b.delta && b.back && b.expected && b.paths && b.results;
    if (has_room)
        measure(&b, json, is_first);
    sp_workers_free(b.workers[0]);
    sp_workers_free(b.workers[1]);
    free(b.delta);
    free(b.back);
    free(b.expected);
    free(b.paths);
    free(b.results);
    workload_free(&w);
    return has_room;
}

static bool is_wanted(int number, int argc, char **argv)
{
    bool any = false;
    for (int a = 1; a < argc; a++) {
        if (strcmp(argv[a], "--json") == 0) {
            a++;
            continue;
        }
        if (strcmp(argv[a], "--cpu") == 0)
            continue;
        any = true;
        if (argv[a][0] == 'W' && atoi(argv[a] + 1) == number + 1)
            return true;
    }
    return !any;
}

int main(int argc, char **argv)
{
    FILE *json = NULL;
    bool is_first = true;
    clockid_t clock = CLOCK_MONOTONIC;
    for (int a = 1; a < argc; a++)
        if (strcmp(argv[a], "--cpu") == 0)
            clock = CLOCK_PROCESS_CPUTIME_ID;
    for (int a = 1; a + 1 < argc; a++)
        if (strcmp(argv[a], "--json") == 0 && !(json = fopen(argv[a + 1], "w"))) {
            perror(argv[a + 1]);
            return 1;
        }
    printf("Milliseconds, million steps a second, times faster than the textbook kernel, two threads against "
           "one; what a plain sum\n"
           "over the same scores reaches on one and on two threads, and our share of it. Medians, in "
           "brackets the least and the "
           "greatest.\n\n"
           "             textbook ms    1 thread  2 threads    M/s, 1    M/s, 2  faster             2 "
           "against 1        limit, 1  "
           "share limit, 2  share\n");
    if (json)
        fprintf(json, "[");
    for (int number = 0; number < N_WORKLOADS; number++)
        if (is_wanted(number, argc, argv) && !bench_workload(number, clock, json, &is_first)) {
            fprintf(stderr, "not enough memory for W%d\n", number + 1);
            return 1;
        }
    if (json) {
        fprintf(json, "\n]\n");
        fclose(json);
    }
    return 0;
}
