#include "outputs.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Steps kept for a page; of each a class a strategy, the label, the gap and a byte a class. */
enum { DRAWN_STEPS = 1000000 };

typedef sp_status report_writer(const sp_comparison *comparison, char **out, sp_error *err);
typedef sp_status stream_writer(const sp_comparison *comparison, sp_report_sink *sink, void *arg, sp_error *err);

/* The number of --seed. */
static sp_status read_seed(options *o, sp_error *err)
{
    if (!o->seed)
        return SP_OK;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(o->seed, &end, 10);
    if (errno || end == o->seed || *end || o->seed[0] == '-')
        return sp_fail(err, SP_EINVAL, "--seed %s: a whole number, at least 0", o->seed);
    o->run.seed = value;
    return SP_OK;
}

/* --what-if and --what-if-bytes. */
static sp_status read_what_if(options *o, sp_error *err)
{
    const bool is_off = o->what_if && !strcmp(o->what_if, "off");
    if (o->what_if && !is_off && strcmp(o->what_if, "on") != 0)
        return sp_fail(err, SP_EINVAL, "--what-if %s: it is on or off", o->what_if);
    if (o->what_if_bytes < -1)
        return sp_fail(err, SP_EINVAL, "--what-if-bytes %d: a number of bytes, 0 or more", o->what_if_bytes);
    o->run.what_if_bytes = is_off ? 0 : o->what_if_bytes;
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

/* What has lines for each recording goes to the file as it is made. */
static sp_status write_stream(const char *file, stream_writer *writer, const sp_comparison *comparison, bool force, sp_error *err)
{
    sp_text_file *f = NULL;
    sp_status status = sp_text_open(file, force, &f, err);
    if (status == SP_OK)
        status = writer(comparison, put_text, f, err);
    if (status == SP_OK)
        return sp_text_close(f, err);
    sp_text_abort(f);
    return status;
}

sp_status output_text(const char *file, const char *text, bool force, sp_error *err)
{
    sp_status status = sp_text_save(file, text, force, err);
    return is_stdout(file) && ferror(stdout) ? SP_OK : status;
}

static sp_status write_one(const char *file, report_writer *writer, const sp_comparison *comparison, bool force, sp_error *err)
{
    char *text = NULL;
    sp_status status = writer(comparison, &text, err);
    if (status == SP_OK)
        status = output_text(file, text, force, err);
    free(text);
    return status;
}

static sp_status print_table(const options *o, const sp_comparison *comparison, sp_error *err)
{
    struct winsize window;
    bool is_terminal = isatty(STDOUT_FILENO);
    sp_text_options how = {.colour = is_terminal && !getenv("NO_COLOR"), .verbose = o->talk.verbose};
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

/* Where the text, which says it too, is not seen. */
static void warn_of_names(const sp_comparison *comparison)
{
    for (int32_t s = 0; s < comparison->n_strategies; s++)
        if (comparison->strategies[s].label_permutation.is_suspect) {
            complain(
                "warning: the classes may be named in another order than the labels: accuracy of %s is %.4f, with other names "
                "it would be %.4f; check the order of the columns (attribute classes) and what the labels' numbers mean "
                "(--codes, --map)",
                comparison->strategies[s].name, comparison->strategies[s].agreement.accuracy.value,
                comparison->strategies[s].label_permutation.accuracy.value);
            return;
        }
}

static sp_status write_all(const options *o, const sp_comparison *comparison, sp_error *err)
{
    sp_comparison with_links = *comparison;
    with_links.json_link = name_beside(o->report, o->json);
    with_links.csv_link = name_beside(o->report, o->csv);
    const struct {
        const char *file;
        report_writer *writer;
        stream_writer *stream; /* rather than writer */
    } results[] = {{o->json, NULL, sp_report_json_to},
                   {o->csv, NULL, sp_report_csv_to},
                   {o->markdown, sp_report_markdown, NULL},
                   {o->latex, sp_report_latex, NULL},
                   {o->report, sp_report_html, NULL}};
    enum { N_RESULTS = sizeof results / sizeof results[0] };
    bool is_stdout_taken = false;
    for (int i = 0; i < N_RESULTS; i++)
        is_stdout_taken |= is_stdout(results[i].file);
    if (is_stdout_taken && !o->talk.quiet)
        warn_of_names(comparison);
    sp_status status = is_stdout_taken ? SP_OK : print_table(o, comparison, err);
    /* Files first: whoever reads standard output may stop at any time, and that is said by main(). One that cannot be written
     * takes no other with it; the first is named. */
    for (int i = 0; i < 2 * N_RESULTS; i++) {
        const char *file = results[i % N_RESULTS].file;
        if (!file || is_stdout(file) != (i >= N_RESULTS))
            continue;
        sp_error own = {.status = SP_OK};
        sp_status now = results[i % N_RESULTS].stream
                            ? write_stream(file, results[i % N_RESULTS].stream, &with_links, o->run.force, &own)
                            : write_one(file, results[i % N_RESULTS].writer, &with_links, o->run.force, &own);
        if (now == SP_OK && !o->talk.quiet && !is_stdout(file))
            fprintf(stderr, "wrote %s\n", file);
        if (now != SP_OK && status == SP_OK && !(is_stdout(file) && ferror(stdout))) {
            status = now;
            *err = own;
        }
    }
    return status;
}

/* Where figures are written. */
typedef struct figure_folder {
    const options *o;
    int n;
} figure_folder;

static sp_status write_figure(void *arg, const char *name, const char *svg, sp_error *err)
{
    figure_folder *folder = arg;
    char file[4096];
    if ((size_t)snprintf(file, sizeof file, "%s/%s.svg", folder->o->figures, name) >= sizeof file)
        return sp_fail(err, SP_EINVAL, "--figures %s: the name of the folder is too long", folder->o->figures);
    folder->n++;
    return sp_text_save(file, svg, folder->o->run.force, err);
}

static sp_status write_figures(const options *o, const sp_comparison *comparison, sp_error *err)
{
    figure_folder folder = {.o = o};
    if (!o->figures)
        return SP_OK;
    sp_status status = sp_report_figures(comparison, write_figure, &folder, err);
    if (status == SP_OK && !o->talk.quiet)
        fprintf(stderr, "wrote %d figures into %s\n", folder.n, o->figures);
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
        return sp_fail(err, SP_EFILE, "--figures %s: the folder cannot be made: %s", o->figures, strerror(errno));
    return o->run.force || is_empty(o->figures)
               ? SP_OK
               : sp_fail(err, SP_EFILE, "--figures %s: the folder is not empty; --force replaces files in it", o->figures);
}

/* A part holds counts; results are made of all parts. */
static sp_status check_part(const options *o, sp_error *err)
{
    const struct {
        bool is_given;
        const char *name;
    } results[] = {{o->report, "report"}, {o->figures, "figures"},   {o->json, "json"},      {o->csv, "csv"},
                   {o->latex, "latex"},   {o->markdown, "markdown"}, {o->fail_if, "fail-if"}};
    for (size_t i = 0; o->run.part.file && i < sizeof results / sizeof results[0]; i++)
        if (results[i].is_given)
            return sp_fail(err, SP_EINVAL, "--%s does not go with --part: `statepath merge` makes results of all parts",
                           results[i].name);
    if (o->run.draw && !o->report && !o->figures && !o->run.part.file)
        return sp_fail(err, SP_EINVAL, "--draw is for a --report or --figures; name one");
    return SP_OK;
}

sp_status outputs_make(options *o, const input_file *inputs, comparison_maker *make, outcome *out, sp_error *err)
{
    o->run.trace_steps = o->report || o->figures ? DRAWN_STEPS : 0;
    sp_status status = read_what_if(o, err);
    if (status == SP_OK)
        status = outputs_check(o, inputs, err);
    if (status == SP_OK)
        status = check_part(o, err);
    if (status == SP_OK)
        status = open_figures(o, err);
    if (status == SP_OK)
        status = read_seed(o, err);
    if (status == SP_OK)
        status = make(inputs[0].file, &o->run, &out->comparison, &out->result, err);
    if (status == SP_OK && !out->comparison) /* a part was written */
        return SP_OK;
    if (status == SP_OK && o->run.output && !o->talk.quiet)
        fprintf(stderr, "wrote %s\n", o->run.output);
    if (status == SP_OK)
        status = write_all(o, out->comparison, err);
    return status == SP_OK ? write_figures(o, out->comparison, err) : status;
}
