/* From file to file, as whole processes: statepath decode against a plain program that reads the scores with H5Dread and stops.
 *
 *     bench_files [--json FILE] [--markdown] [--steps N] [--long] [--folder DIR] STATEPATH [SMALL.h5] [LAYOUT...]
 *
 * Each layout's file is made, read once by both (so that it is in the page cache), its paths are compared with those that the
 * library finds in memory, and then five rounds of both count. Figures are medians with the least and the greatest. Peak memory
 * is the kernel's figure for the process. Everything that needs memory is done by processes of its own, because a process begins
 * with the peak of the one that started it. --long adds one recording of 100 million steps (a file of 2 GB).
 *
 * SMALL.h5 is a file of a few recordings with labels: start to finish of some commands on it.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "figure.h"
#include "score_file.h"

enum { ROUNDS = 5, START_ROUNDS = 21, MOST_ARGUMENTS = 16 };
static const int64_t long_steps = 100000000;

extern char **environ;

typedef struct settings {
    const char *self, *program, *small;
    FILE *json;
    bool is_markdown, is_long;
    int64_t steps;
    char folder[512], scores[600], paths[600], report[600];
    int n_wanted;
    char **wanted;
    bool is_first;
} settings;

typedef struct run {
    double seconds, mib;
} run;

/* Runs a command to its end. Ends the benchmark when it fails. */
static run run_command(const char *const *arguments)
{
    posix_spawn_file_actions_t actions;
    struct rusage usage;
    pid_t child;
    int status = 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    double begin = figure_now();
    bool is_done =
        posix_spawn(&child, arguments[0], &actions, NULL, (char *const *)arguments, environ) == 0 &&
        wait4(child, &status, 0, &usage) == child && status == 0;
    double seconds = figure_now() - begin;
    posix_spawn_file_actions_destroy(&actions);
    if (!is_done) {
        fprintf(stderr, "this failed:");
        for (int i = 0; arguments[i]; i++)
            fprintf(stderr, " %s", arguments[i]);
        fprintf(stderr, "\n");
        exit(1);
    }
    return (run){seconds, (double)usage.ru_maxrss / 1024};
}

/* This program again, with a piece of the work. */
static run run_self(const settings *s, const char *what, const char *layout, const char *file, int64_t steps)
{
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)steps);
    return run_command((const char *const[]){s->self, what, layout, file, number, NULL});
}

static int do_piece(char **argv)
{
    const score_layout *layout = score_layouts;
    while (layout->name && strcmp(layout->name, argv[2]) != 0)
        layout++;
    if (strcmp(argv[1], "--read") == 0)
        return score_file_read(argv[3]) ? 0 : 1;
    if (!layout->name)
        return 2;
    if (strcmp(argv[1], "--make") == 0)
        return score_file_make(layout, argv[3], atoll(argv[4])) ? 0 : 1;
    if (score_file_check(layout, argv[3], atoll(argv[4])))
        return 0;
    fprintf(stderr, "%s: the paths are wrong\n", layout->name);
    return 1;
}

/* ---- layouts ---- */

static bool is_wanted(const settings *s, const score_layout *layout)
{
    for (int i = 0; i < s->n_wanted; i++)
        if (strcmp(s->wanted[i], layout->name) == 0)
            return true;
    return s->n_wanted == 0 && (s->is_long || !layout->is_large);
}

static void bench_layout(settings *s, const score_layout *layout)
{
    const int64_t steps = layout->is_large ? long_steps : s->steps;
    const char *const decode[] = {s->program, "decode",       s->scores, "--model", "sleep-strict", "-o",
                                  s->paths,   "--strategies", "viterbi", "--force", "--quiet",      NULL};
    double bare[ROUNDS], ours[ROUNDS], ratio[ROUNDS], mib = 0, bare_mib = 0;
    run_self(s, "--make", layout->name, s->scores, steps);
    run_self(s, "--read", layout->name, s->scores, 0);
    run_command(decode);
    run_self(s, "--check", layout->name, s->paths, steps);
    for (int r = 0; r < ROUNDS; r++) {
        const run plain = run_self(s, "--read", layout->name, s->scores, 0), whole = run_command(decode);
        bare[r] = plain.seconds;
        ours[r] = whole.seconds;
        ratio[r] = whole.seconds / plain.seconds;
        bare_mib = plain.mib > bare_mib ? plain.mib : bare_mib;
        mib = whole.mib > mib ? whole.mib : mib;
    }
    unlink(s->scores);
    unlink(s->paths);
    const figure b = figure_of(bare, ROUNDS), o = figure_of(ours, ROUNDS), q = figure_of(ratio, ROUNDS);
    const char *format = s->is_markdown ? "| %s | %.3f | %.3f | %.2f (%.2f-%.2f) | %.0f | %.0f | %.0f |\n"
                                        : "%-40s %9.3f %9.3f   %5.2f (%.2f-%.2f) %9.0f %9.0f %9.0f\n";
    printf(format, layout->what, b.median, o.median, q.median, q.low, q.high, 1e-6 * (double)steps / o.median,
           bare_mib, mib);
    fflush(stdout);
    if (s->json)
        fprintf(s->json,
                "%s\n  {\"layout\": \"%s\", \"what\": \"%s\", \"steps\": %lld, \"h5dread_seconds\": %.6g, "
                "\"seconds\": %.6g, "
                "\"seconds_low\": %.6g, \"seconds_high\": %.6g,\n   \"ratio\": %.4g, \"ratio_low\": %.4g, "
                "\"ratio_high\": %.4g, "
                "\"h5dread_mib\": %.4g, \"mib\": %.4g}",
                s->is_first ? "" : ",", layout->name, layout->what, (long long)steps, b.median, o.median,
                o.low, o.high, q.median, q.low, q.high, bare_mib, mib);
    s->is_first = false;
}

/* ---- start to finish on small files ---- */

static void bench_start(settings *s, const char *what, const char *const *arguments)
{
    double ms[START_ROUNDS], mib = 0;
    for (int r = -3; r < START_ROUNDS; r++) { /* three to warm up */
        const run one = run_command(arguments);
        ms[r < 0 ? 0 : r] = 1e3 * one.seconds;
        mib = one.mib > mib ? one.mib : mib;
    }
    const figure f = figure_of(ms, START_ROUNDS);
    printf(s->is_markdown ? "| %s | %.1f (%.1f-%.1f) | %.0f |\n" : "%-52s %7.1f (%.1f-%.1f) %9.0f\n", what,
           f.median, f.low, f.high, mib);
    fflush(stdout);
    if (s->json)
        fprintf(s->json,
                "%s\n  {\"start\": \"%s\", \"ms\": %.4g, \"ms_low\": %.4g, \"ms_high\": %.4g, \"mib\": %.4g}",
                s->is_first ? "" : ",", what, f.median, f.low, f.high, mib);
    s->is_first = false;
}

static void bench_starts(settings *s)
{
    const char *const model[] = {"--model", "sleep-strict"};
    printf(s->is_markdown ? "\n| start to finish | ms | peak MiB |\n|---|---|---|\n"
                          : "\nStart to finish, milliseconds; peak memory, MiB.\n\n");
    bench_start(s, "--version", (const char *const[]){s->program, "--version", NULL});
    run_self(s, "--make", "contiguous", s->scores, 1000);
    bench_start(s, "decode, one recording of 1,000 steps",
                (const char *const[]){s->program, "decode", s->scores, model[0], model[1], "-o", s->paths,
                                      "--force", "--quiet", NULL});
    unlink(s->scores);
    bench_start(s, "decode, 20 nights of sleep-demo.h5",
                (const char *const[]){s->program, "decode", s->small, model[0], model[1], "-o", s->paths,
                                      "--force", "--quiet", NULL});
    bench_start(s, "compare, the same, three strategies with intervals",
                (const char *const[]){s->program, "compare", s->small, model[0], model[1], "--quiet", NULL});
    bench_start(s, "compare, the same, with a report",
                (const char *const[]){s->program, "compare", s->small, model[0], model[1], "--report",
                                      s->report, "--force", "--quiet", NULL});
    unlink(s->paths);
    unlink(s->report);
}

/* ---- */

static bool take_arguments(settings *s, int argc, char **argv)
{
    *s = (settings){.self = argv[0], .steps = 10000000, .is_first = true};
    const char *folder = getenv("TMPDIR");
    for (int a = 1; a < argc; a++) {
        if (strcmp(argv[a], "--json") == 0 && a + 1 < argc) {
            if (!(s->json = fopen(argv[++a], "w"))) {
                perror(argv[a]);
                return false;
            }
        } else if (strcmp(argv[a], "--markdown") == 0) {
            s->is_markdown = true;
        } else if (strcmp(argv[a], "--long") == 0) {
            s->is_long = true;
        } else if (strcmp(argv[a], "--steps") == 0 && a + 1 < argc) {
            s->steps = atoll(argv[++a]);
        } else if (strcmp(argv[a], "--folder") == 0 && a + 1 < argc) {
            folder = argv[++a];
        } else if (!s->program) {
            s->program = argv[a];
        } else if (!s->small) {
            s->small = argv[a];
        } else {
            s->wanted = argv + a;
            s->n_wanted = argc - a;
            break;
        }
    }
    snprintf(s->folder, sizeof s->folder, "%s/statepath-bench-XXXXXX", folder ? folder : "/tmp");
    return s->program && s->small && s->steps >= 1000000;
}

int main(int argc, char **argv)
{
    settings s;
    if (argc == 5 &&
        (strcmp(argv[1], "--make") == 0 || strcmp(argv[1], "--read") == 0 || strcmp(argv[1], "--check") == 0))
        return do_piece(argv);
    if (!take_arguments(&s, argc, argv) || !mkdtemp(s.folder)) {
        fprintf(stderr,
                "Usage: %s [--json FILE] [--markdown] [--steps N] [--long] [--folder DIR] STATEPATH SMALL.h5 "
                "[LAYOUT...]\n",
                argv[0]);
        return 2;
    }
    snprintf(s.scores, sizeof s.scores, "%s/scores.h5", s.folder);
    snprintf(s.paths, sizeof s.paths, "%s/paths.h5", s.folder);
    snprintf(s.report, sizeof s.report, "%s/report.html", s.folder);
    if (s.json)
        fprintf(s.json, "[");
    if (s.is_markdown)
        printf("| %lld million steps, K=5 | H5Dread, s | decode, s | ratio | million steps a second | "
               "H5Dread, MiB | decode, MiB |\n"
               "|---|---|---|---|---|---|---|\n",
               (long long)s.steps / 1000000);
    else
        printf("File to file, whole processes, %lld million steps of 5 classes: seconds of a bare H5Dread, "
               "of decode, their ratio,\n"
               "million steps a second, peak memory in MiB; medians of %d, in brackets the least and the "
               "greatest.\n\n"
               "%-40s %9s %9s   %-17s %9s %9s %9s\n",
               (long long)s.steps / 1000000, ROUNDS, "", "H5Dread", "decode", "ratio", "M/s", "H5Dread",
               "decode");
    for (const score_layout *layout = score_layouts; layout->name; layout++)
        if (is_wanted(&s, layout))
            bench_layout(&s, layout);
    if (s.n_wanted == 0)
        bench_starts(&s);
    if (s.json) {
        fprintf(s.json, "\n]\n");
        fclose(s.json);
    }
    rmdir(s.folder);
    return 0;
}
