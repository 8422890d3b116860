#include "outputs.h"
#include "statepath/comparison.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/try.h"

/* Steps kept for a page; of each a class a strategy, the label, the gap and a byte a class. */
enum { DRAWN_STEPS = 1000000 };

typedef sp_status report_writer(const sp_comparison *comparison, char **out, sp_error *err);
typedef sp_status stream_writer(const sp_comparison *comparison, sp_report_sink *sink, void *arg,
                                sp_error *err);

sp_status seed_read(options *o, sp_error *err)
{
    if (!o->seed)
        return SP_OK;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(o->seed, &end, 10);
    if (errno || *end || !strchr("0123456789", o->seed[0]) ||
        !o->seed[0]) /* strtoull() passes over blanks and signs */
        return sp_fail(err, SP_EINVAL, "--seed %s: a whole number from 0 to %llu", o->seed,
                       (unsigned long long)UINT64_MAX);
    o->run.seed = value;
    o->run.draw_seed = o->run.n_draws ? value : 0;
    return SP_OK;
}

static bool is_stdout(const char *file)
{
    return file && strcmp(file, "-") == 0;
}

static sp_status put_text(void *arg, const char *text, size_t n, sp_error *err)
{
    return sp_text_put(arg, text, n, err);
}

sp_status output_text(const char *file, const char *text, bool force, sp_error *err)
{
    sp_status status = sp_text_save(file, text, force, err);
    return is_stdout(file) && ferror(stdout) ? SP_OK : status;
}

/* One of the results, and how it is made: whole, or piece by piece where it has lines for each recording. */
typedef struct result_file {
    const char *file; /* NULL: not asked for */
    report_writer *whole;
    stream_writer *stream;
} result_file;

static sp_status write_result(const options *o, const result_file *result, const sp_comparison *comparison,
                              sp_error *err)
{
    sp_text_file *f = NULL;
    char *text = NULL;
    sp_status status = SP_OK;
    TRY(sp_text_open(result->file, o->run.force, o->run.together, &f, err));
    if (result->stream) {
        TRY(result->stream(comparison, put_text, f, err));
    } else {
        TRY(result->whole(comparison, &text, err));
        TRY(sp_text_put(f, text, strlen(text), err));
    }
    sp_text_file *whole = f;
    f = NULL;
    TRY(sp_text_close(whole, err));
done:
    free(text);
    sp_text_abort(f);
    return status;
}

static sp_status print_table(const options *o, const sp_comparison *comparison, sp_error *err)
{
    struct winsize window;
    bool is_terminal = isatty(STDOUT_FILENO);
    sp_text_options how = {.colour = is_terminal && !getenv("NO_COLOR"), .verbose = o->verbose};
    if (is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0)
        how.width = window.ws_col;
    char *text = NULL;
    sp_status status = sp_report_text(comparison, &how, &text, err);
    if (status == SP_OK)
        fputs(text, stdout);
    free(text);
    return status;
}

/* The name of `file` for a page that stands in the same folder; NULL where it stands elsewhere. */
static const char *name_beside(const char *page, const char *file)
{
    if (!page || !file || !strcmp(file, "-") || !strcmp(page, "-"))
        return NULL;
    const char *slash = strrchr(file, '/'), *other = strrchr(page, '/');
    size_t n = slash ? (size_t)(slash - file) : 0, m = other ? (size_t)(other - page) : 0;
    return !slash == !other && n == m && !strncmp(file, page, n) ? (slash ? slash + 1 : file) : NULL;
}

/* These two where the text, which says it too, is not seen. */
static void warn_of_shift(const sp_comparison *comparison)
{
    for (int32_t s = 0; s < comparison->n_strategies; s++) {
        const sp_label_shift *shift = &comparison->strategies[s].label_shift;
        if (!shift->is_suspect)
            continue;
        const long long n = shift->steps < 0 ? -shift->steps : shift->steps;
        complain("note: the labels may stand %lld step%s too %s: accuracy of %s is %.4f, with labels %lld "
                 "step%s %s it would be %.4f; check that both begin at the same step",
                 n, n == 1 ? "" : "s", shift->steps < 0 ? "late" : "early", comparison->strategies[s].name,
                 shift->accuracy_here.value, n, n == 1 ? "" : "s", shift->steps < 0 ? "earlier" : "later",
                 shift->accuracy.value);
        return;
    }
}

static void warn_of_names(const sp_comparison *comparison)
{
    for (int32_t s = 0; s < comparison->n_strategies; s++)
        if (comparison->strategies[s].label_permutation.is_suspect) {
            complain("warning: the classes may be named in another order than the labels: accuracy of %s is "
                     "%.4f, with other names "
                     "it would be %.4f; check the order of the columns (attribute classes) and what the "
                     "labels' numbers mean "
                     "(--codes, --map)",
                     comparison->strategies[s].name, comparison->strategies[s].agreement.accuracy.value,
                     comparison->strategies[s].label_permutation.accuracy.value);
            return;
        }
}

/* Where figures are written. */
typedef struct figure_folder {
    const options *o;
    int n;
} figure_folder;

static sp_status write_figure(void *arg, const char *name, const char *svg, sp_error *err)
{
    figure_folder *folder = arg;
    sp_text_file *f = NULL;
    char file[4096];
    if ((size_t)snprintf(file, sizeof file, "%s/%s.svg", folder->o->figures, name) >= sizeof file)
        return sp_fail(err, SP_EINVAL, "--figures %s: the name of the folder is too long",
                       folder->o->figures);
    folder->n++;
    sp_status status = SP_OK;
    TRY(sp_text_open(file, folder->o->run.force, folder->o->run.together, &f, err));
    TRY(sp_text_put(f, svg, strlen(svg), err));
    return sp_text_close(f, err);
done:
    sp_text_abort(f);
    return status;
}

enum { MOST_RESULTS = 5 };

/* All files are complete before the first of them can be seen. Standard output comes last: whoever reads it may stop at any time,
 * and that is said by main(). */
static sp_status write_files(const options *o, const result_file results[MOST_RESULTS],
                             const sp_comparison *comparison, sp_error *err)
{
    figure_folder folder = {.o = o};
    sp_status status = SP_OK;
    for (int i = 0; i < MOST_RESULTS; i++)
        if (results[i].file && !is_stdout(results[i].file))
            TRY(write_result(o, &results[i], comparison, err));
    if (o->figures)
        TRY(sp_report_figures(comparison, write_figure, &folder, err));
    TRY(sp_outputs_commit(o->run.together, err));
    if (o->quiet)
        return SP_OK;
    if (o->run.output)
        tell("wrote %s", o->run.output);
    for (int i = 0; i < MOST_RESULTS; i++)
        if (results[i].file && !is_stdout(results[i].file))
            tell("wrote %s", results[i].file);
    if (o->figures)
        tell("wrote %d figures into %s", folder.n, o->figures);
done:
    return status;
}

static sp_status write_all(const options *o, const sp_comparison *comparison, sp_error *err)
{
    sp_comparison with_links = *comparison;
    with_links.json_link = name_beside(o->report, o->json);
    with_links.csv_link = name_beside(o->report, o->csv);
    const result_file results[MOST_RESULTS] = {{o->json, NULL, sp_report_json_to},
                                               {o->csv, NULL, sp_report_csv_to},
                                               {o->markdown, sp_report_markdown, NULL},
                                               {o->latex, sp_report_latex, NULL},
                                               {o->report, sp_report_html, NULL}};
    const result_file *printed = NULL; /* instead of the table */
    for (int i = 0; i < MOST_RESULTS; i++)
        if (is_stdout(results[i].file))
            printed = &results[i];
    if (printed && !o->quiet) {
        warn_of_names(comparison);
        warn_of_shift(comparison);
    }
    sp_status status = printed ? SP_OK : print_table(o, comparison, err);
    if (status == SP_OK)
        status = write_files(o, results, &with_links, err);
    if (status == SP_OK && printed && (status = write_result(o, printed, &with_links, err)) != SP_OK &&
        ferror(stdout))
        status = SP_OK;
    return status;
}

static bool is_empty(const char *name)
{
    DIR *folder = opendir(name);
    int n = 0;
    for (const struct dirent *one; folder && (one = readdir(folder)) != NULL;)
        n += strcmp(one->d_name, ".") != 0 && strcmp(one->d_name, "..") != 0;
    if (folder)
        closedir(folder);
    return n == 0;
}

/* Makes the folder of the figures where there is none; one that holds something is only written to where it may be. */
static sp_status open_figures(const options *o, sp_error *err)
{
    struct stat info;
    if (!o->figures || mkdir(o->figures, 0777) == 0)
        return SP_OK;
    if (stat(o->figures, &info) != 0 || !S_ISDIR(info.st_mode))
        return sp_fail(err, SP_EFILE, "--figures %s: the folder cannot be made: %s", o->figures,
                       strerror(errno));
    return o->run.force || is_empty(o->figures)
               ? SP_OK
               : sp_fail(err, SP_EFILE, "--figures %s: the folder is not empty; --force replaces files in it",
                         o->figures);
}

sp_status outputs_make(options *o, const input_file *inputs, comparison_maker *make, outcome *out,
                       sp_error *err)
{
    o->run.trace_steps = o->report || o->figures ? DRAWN_STEPS : 0;
    sp_status status = SP_OK;
    TRY(outputs_check(o, inputs, err));
    TRY(open_figures(o, err));
    TRY(seed_read(o, err));
    o->run.together = sp_outputs_new();
    TRY(o->run.together ? SP_OK : sp_no_memory(err));
    TRY(make(inputs[0].file, &o->run, &out->comparison, &out->result, err));
    TRY(write_all(o, out->comparison, err));
done:
    sp_outputs_free(o->run.together);
    o->run.together = NULL;
    return status;
}
