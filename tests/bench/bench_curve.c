/* What a step costs in one recording of 1,000 to 10 million steps, 100 million with --long: it should stay the same.
 *
 *     bench_curve [--json FILE] [--markdown] [--long]
 *
 * K=5, sleep-strict, Viterbi in memory, by one thread and by two. A round decodes so often that it does at least four million
 * steps. The first round warms up and is compared with the plain kernel; medians of five, with the least and the greatest. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"
#include "workload.h"

enum { ROUNDS = 5 };
static const int64_t steps_a_round = 4000000;

typedef struct curve {
    workload w; /* a million steps and more, to be repeated */
    float *scores;
    int32_t *paths;
    sp_workers *workers[2];
    FILE *json;
    bool is_markdown, is_first;
} curve;

static double decode(const curve *c, int64_t n, int64_t times, int threads)
{
    const int64_t offsets[2] = {0, n};
    const sp_batch batch = {.scores = {.data = c->scores, .dtype = SP_F32, .n_classes = c->w.n_classes, .n_steps = n},
                            .n_recordings = 1,
                            .offsets = offsets};
    sp_decode_options options = sp_decode_options_default();
    sp_decoded result;
    sp_decode_output output = {.paths = c->paths, .results = &result};
    sp_error err;
    double begin = figure_now();
    for (int64_t i = 0; i < times; i++)
        if (sp_decode_batch(c->w.chain, &batch, &options, c->workers[threads - 1], &output, &err) != SP_OK) {
            fprintf(stderr, "%s\n", err.message);
            exit(1);
        }
    return (figure_now() - begin) / (double)(times * n);
}

/* Against the plain kernel. False: it has not the memory. */
static bool check(const curve *c, int64_t n, int threads)
{
    const sp_scores scores = {.data = c->scores, .dtype = SP_F32, .n_classes = c->w.n_classes, .n_steps = n};
    int32_t *path = malloc((size_t)n * sizeof *path);
    sp_scratch *scratch = sp_scratch_new();
    double score;
    bool can = path && scratch && sp_viterbi(c->w.chain, &scores, scratch, path, &score, NULL) == SP_OK;
    sp_scratch_free(scratch);
    decode(c, n, 1, threads);
    if (can && memcmp(path, c->paths, (size_t)n * sizeof *path) != 0) {
        fprintf(stderr, "%lld steps on %d threads: another path than the plain kernel's\n", (long long)n, threads);
        exit(1);
    }
    free(path);
    return can;
}

static bool measure(curve *c, int64_t n)
{
    const size_t row = (size_t)c->w.n_classes * sizeof *c->scores;
    c->scores = malloc((size_t)n * row);
    c->paths = malloc((size_t)n * sizeof *c->paths);
    if (!c->scores || !c->paths) {
        free(c->scores);
        free(c->paths);
        return false;
    }
    for (int64_t t = 0; t < n; t += c->w.n_steps)
        memcpy((char *)c->scores + (size_t)t * row, c->w.scores, (size_t)(n - t < c->w.n_steps ? n - t : c->w.n_steps) * row);
    const int64_t times = n < steps_a_round ? steps_a_round / n : 1;
    double ns[2][ROUNDS];
    for (int threads = 1; threads <= 2; threads++)
        if (!check(c, n, threads))
            fprintf(stderr, "%lld steps: no memory to check the path\n", (long long)n);
    for (int r = 0; r < ROUNDS; r++)
        for (int threads = 1; threads <= 2; threads++)
            ns[threads - 1][r] = 1e9 * decode(c, n, times, threads);
    const figure one = figure_of(ns[0], ROUNDS), two = figure_of(ns[1], ROUNDS);
    printf(c->is_markdown ? "| %lld | %.2f (%.2f-%.2f) | %.2f (%.2f-%.2f) |\n"
                          : "%12lld   %6.2f (%.2f-%.2f)   %6.2f (%.2f-%.2f)\n",
           (long long)n, one.median, one.low, one.high, two.median, two.low, two.high);
    fflush(stdout);
    if (c->json)
        fprintf(c->json,
                "%s\n  {\"steps\": %lld, \"ns_a_step_1\": %.4g, \"low_1\": %.4g, \"high_1\": %.4g, \"ns_a_step_2\": %.4g, "
                "\"low_2\": %.4g, \"high_2\": %.4g}",
                c->is_first ? "" : ",", (long long)n, one.median, one.low, one.high, two.median, two.low, two.high);
    c->is_first = false;
    free(c->scores);
    free(c->paths);
    return true;
}

int main(int argc, char **argv)
{
    curve c = {.is_first = true};
    int64_t most = 10000000;
    for (int a = 1; a < argc; a++) {
        if (strcmp(argv[a], "--markdown") == 0) {
            c.is_markdown = true;
        } else if (strcmp(argv[a], "--long") == 0) {
            most = 100000000;
        } else if (strcmp(argv[a], "--json") == 0 && a + 1 < argc) {
            if (!(c.json = fopen(argv[++a], "w"))) {
                perror(argv[a]);
                return 1;
            }
        } else {
            fprintf(stderr, "Usage: %s [--json FILE] [--markdown] [--long]\n", argv[0]);
            return 2;
        }
    }
    /* Memory that was freed stays: fresh memory costs more than decoding does. */
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    if (!workload_make(&c.w, 1) || !(c.workers[0] = sp_workers_new(1)) || !(c.workers[1] = sp_workers_new(2))) {
        fprintf(stderr, "not enough memory\n");
        return 1;
    }
    printf(c.is_markdown ? "| steps of one recording | ns a step, one thread | two threads |\n|---|---|---|\n"
                         : "One recording, K=5, sleep-strict: nanoseconds a step; medians of five, in brackets the least and the "
                           "greatest.\n\n       steps   one thread             two threads\n");
    if (c.json)
        fprintf(c.json, "[");
    for (int64_t n = 1000; n <= most; n *= 10)
        if (!measure(&c, n)) {
            fprintf(stderr, "not enough memory for %lld steps\n", (long long)n);
            return 1;
        }
    if (c.json) {
        fprintf(c.json, "\n]\n");
        fclose(c.json);
    }
    sp_workers_free(c.workers[0]);
    sp_workers_free(c.workers[1]);
    workload_free(&c.w);
    return 0;
}
