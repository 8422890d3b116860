/* What a step costs in one recording of 1,000 to 10 million steps, 100 million with --long, and in few recordings of 1,000 steps
 * side by side: it should stay the same.
 *
 *     bench_curve [--json FILE] [--markdown] [--long]
 *
 * K=5, sleep-strict, Viterbi in memory, by one thread and by two, beside the textbook kernel (on a million steps at most). A
 * round decodes so often that it does at least four million steps, a tenth of that with the textbook kernel. The first round
 * warms up and is compared with the plain kernel, path and score bit for bit; medians of nine, with the least and the greatest.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "figure.h"
#include "workload.h"

enum { ROUNDS = 9, MOST_RECORDINGS = 64 };
static const int64_t steps_a_round = 4000000, most_textbook_steps = 1000000;

typedef struct curve {
    workload w; /* a million steps and more, to be repeated */
    float *scores;
    int32_t *paths;
    double *delta; /* room for the textbook kernel, also the next */
    int *back;
    sp_workers *workers[2];
    FILE *json;
    bool is_markdown, is_first;
} curve;

/* One row of the tables: n_recordings of so many steps each. */
typedef struct point {
    int64_t n_recordings, n_steps;
} point;

/* Seconds. */
static double now(int threads)
{
    return threads > 1 ? figure_now() : (double)clock() / CLOCKS_PER_SEC;
}

static double decode(const curve *c, point p, int64_t times, int threads, sp_decoded *results)
{
    int64_t offsets[MOST_RECORDINGS + 1];
    for (int64_t r = 0; r <= p.n_recordings; r++)
        offsets[r] = r * p.n_steps;
    const sp_batch batch = {.scores = {.data = c->scores,
                                       .dtype = SP_F32,
                                       .n_classes = c->w.n_classes,
                                       .n_steps = p.n_recordings * p.n_steps},
                            .n_recordings = p.n_recordings,
                            .offsets = offsets};
    sp_decode_options options = sp_decode_options_default();
    sp_decode_output output = {.paths = c->paths, .results = results};
    sp_error err;
    double begin = now(threads);
    for (int64_t i = 0; i < times; i++)
        if (sp_decode_batch(c->w.chain, &batch, &options, c->workers[threads - 1], &output, &err) != SP_OK) {
            fprintf(stderr, "%s\n", err.message);
            exit(1);
        }
    return (now(threads) - begin) / (double)(times * p.n_recordings * p.n_steps);
}

static double decode_by_textbook(const curve *c, point p, int64_t times)
{
    int64_t n = p.n_steps < most_textbook_steps ? p.n_steps : most_textbook_steps;
    double begin = now(1);
    for (int64_t i = 0; i < times; i++)
        for (int64_t r = 0; r < p.n_recordings; r++)
            textbook_viterbi(&c->w.textbook, c->scores + r * n * c->w.n_classes, n, c->delta, c->back,
                             c->paths);
    return (now(1) - begin) / (double)(times * p.n_recordings * n);
}

/* Against the plain kernel. False: it has not the memory. */
static bool check(const curve *c, point p, int threads)
{
    sp_decoded results[MOST_RECORDINGS];
    int32_t *path = malloc((size_t)p.n_steps * sizeof *path);
    sp_scratch *scratch = sp_scratch_new();
    bool can = path && scratch;
    decode(c, p, 1, threads, results);
    for (int64_t r = 0; r < p.n_recordings && can; r++) {
        const sp_scores scores = {.data = c->scores + r * p.n_steps * c->w.n_classes,
                                  .dtype = SP_F32,
                                  .n_classes = c->w.n_classes,
                                  .n_steps = p.n_steps};
        double score;
        can = sp_viterbi(c->w.chain, &scores, scratch, path, &score, NULL) == SP_OK;
        if (can && (memcmp(path, c->paths + r * p.n_steps, (size_t)p.n_steps * sizeof *path) != 0 ||
                    score != results[r].score)) {
            fprintf(stderr, "%lld steps on %d threads: another path or score than the plain kernel's\n",
                    (long long)p.n_steps, threads);
            exit(1);
        }
    }
    sp_scratch_free(scratch);
    free(path);
    return can;
}

static void print_figures(curve *c, point p, figure textbook, figure one, figure two)
{
    const char *line = c->is_markdown
                           ? "| %lld x %lld | %.1f | %.2f (%.2f-%.2f) | %.1f | %.2f (%.2f-%.2f) |\n"
                           : "%3lld x %-11lld %8.1f   %6.2f (%.2f-%.2f)  %6.1f   %6.2f (%.2f-%.2f)\n";
    printf(line, (long long)p.n_recordings, (long long)p.n_steps, textbook.median, one.median, one.low,
           one.high, textbook.median / one.median, two.median, two.low, two.high);
    fflush(stdout);
    if (c->json)
        fprintf(c->json,
                "%s\n  {\"recordings\": %lld, \"steps\": %lld, \"ns_a_step_textbook\": %.4g, "
                "\"ns_a_step_1\": %.4g, \"low_1\": %.4g, "
                "\"high_1\": %.4g, \"ns_a_step_2\": %.4g, \"low_2\": %.4g, \"high_2\": %.4g}",
                c->is_first ? "" : ",", (long long)p.n_recordings, (long long)p.n_steps, textbook.median,
                one.median, one.low, one.high, two.median, two.low, two.high);
    c->is_first = false;
}

static bool measure(curve *c, point p)
{
    const size_t row = (size_t)c->w.n_classes * sizeof *c->scores;
    const int64_t n = p.n_recordings * p.n_steps;
    c->scores = malloc((size_t)n * row);
    c->paths = malloc((size_t)n * sizeof *c->paths);
    if (!c->scores || !c->paths) {
        free(c->scores);
        free(c->paths);
        return false;
    }
    for (int64_t t = 0; t < n; t += c->w.n_steps)
        memcpy((char *)c->scores + (size_t)t * row, c->w.scores,
               (size_t)(n - t < c->w.n_steps ? n - t : c->w.n_steps) * row);
    const int64_t times = n < steps_a_round ? steps_a_round / n : 1;
    double ns[3][ROUNDS];
    sp_decoded results[MOST_RECORDINGS];
    for (int threads = 1; threads <= 2; threads++)
        if (!check(c, p, threads))
            fprintf(stderr, "%lld steps: no memory to check the path\n", (long long)n);
    for (int r = 0; r < ROUNDS; r++) {
        for (int threads = 1; threads <= 2; threads++)
            ns[threads][r] = 1e9 * decode(c, p, times, threads, results);
        ns[0][r] = 1e9 * decode_by_textbook(c, p, times / 10 + 1);
    }
    print_figures(c, p, figure_of(ns[0], ROUNDS), figure_of(ns[1], ROUNDS), figure_of(ns[2], ROUNDS));
    free(c->scores);
    free(c->paths);
    return true;
}

/* False: the arguments are not understood, or the file cannot be written. */
static bool parse(int argc, char **argv, curve *c, int64_t *most)
{
    for (int a = 1; a < argc; a++) {
        if (strcmp(argv[a], "--markdown") == 0) {
            c->is_markdown = true;
        } else if (strcmp(argv[a], "--long") == 0) {
            *most = 100000000;
        } else if (strcmp(argv[a], "--json") == 0 && a + 1 < argc) {
            if (!(c->json = fopen(argv[++a], "w"))) {
                perror(argv[a]);
                return false;
            }
        } else {
            fprintf(stderr, "Usage: %s [--json FILE] [--markdown] [--long]\n", argv[0]);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    static const int few[] = {2, 4, 8, 15, 16, 64};
    curve c = {.is_first = true};
    int64_t most = 10000000;
    if (!parse(argc, argv, &c, &most))
        return 2;
    /* Memory that was freed stays: fresh memory costs more than decoding does. */
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    if (!workload_make(&c.w, 1) || !(c.workers[0] = sp_workers_new(1)) ||
        !(c.workers[1] = sp_workers_new(2)) ||
        !(c.delta = malloc(2 * (size_t)c.w.n_classes * sizeof *c.delta)) ||
        !(c.back = malloc((size_t)(most_textbook_steps * c.w.n_classes) * sizeof *c.back))) {
        fprintf(stderr, "not enough memory\n");
        return 1;
    }
    printf(c.is_markdown ? "| recordings x steps | textbook, ns a step | one thread | times faster | two "
                           "threads |\n|---|---|---|---|---|\n"
                         : "K=5, sleep-strict: nanoseconds a step; medians of nine, in brackets the least "
                           "and the greatest.\n\n"
                           "recordings x steps  textbook   one thread           times   two threads\n");
    if (c.json)
        fprintf(c.json, "[");
    bool can = true;
    for (int64_t n = 1000; n <= most && can; n *= 10)
        can = measure(&c, (point){1, n});
    for (size_t i = 0; i < sizeof few / sizeof *few && can; i++)
        can = measure(&c, (point){few[i], 1000});
    if (!can)
        fprintf(stderr, "not enough memory for so many steps\n");
    if (c.json) {
        fprintf(c.json, "\n]\n");
        fclose(c.json);
    }
    free(c.delta);
    free(c.back);
    sp_workers_free(c.workers[0]);
    sp_workers_free(c.workers[1]);
    workload_free(&c.w);
    return can ? 0 : 1;
}
