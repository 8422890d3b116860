#include "outputs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

typedef sp_status report_writer(const sp_comparison *comparison, char **out, sp_error *err);
typedef sp_status piece_writer(const sp_comparison *comparison, sp_report_sink *sink, void *arg, sp_error *err);

static sp_status check_file(const char *file, bool force, sp_error *err)
{
    struct stat info;
    if (!file || strcmp(file, "-") == 0)
        return SP_OK;
    if (stat(file, &info) == 0) {
        if (S_ISDIR(info.st_mode))
            return sp_fail(err, SP_EFILE, "%s is a folder; name a file in it", file);
        if (S_ISREG(info.st_mode) && info.st_size > 0 && !force)
            return sp_fail(err, SP_EFILE, "%s exists and is kept; --force replaces it", file);
        return SP_OK;
    }
    const char *slash = strrchr(file, '/');
    char folder[4096];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - file) + 1 : 1, slash ? file : ".");
    if (access(folder, W_OK) != 0)
        return sp_fail(err, SP_EFILE, "%s cannot be written: folder %s: %s", file, folder, strerror(errno));
    return SP_OK;
}

/* One file under two names: a link, "./x" for "x". */
static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    return a && b && stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino && S_ISREG(x.st_mode);
}

sp_status outputs_check(const options *o, const char *input, const char *also, sp_error *err)
{
    const char *files[] = {o->report, o->json, o->csv, o->markdown, o->latex, o->output};
    enum { N_FILES = sizeof files / sizeof files[0] };
    int n_stdout = 0;
    for (int i = 0; i < N_FILES; i++) {
        if (is_same_file(files[i], input) || is_same_file(files[i], also))
            return sp_fail(err, SP_EINVAL, "%s: is the input file, which is never written to; give the output another name",
                           files[i]);
        if (is_same_file(files[i], o->model))
            return sp_fail(err, SP_EINVAL, "%s: is the model, which is never written to; give the output another name", files[i]);
        if (is_same_file(files[i], o->map) || is_same_file(files[i], o->label_map))
            return sp_fail(err, SP_EINVAL, "%s: is the map of codes, which is never written to; give the output another name",
                           files[i]);
        sp_status status = check_file(files[i], o->force, err);
        if (status != SP_OK)
            return status;
        n_stdout += files[i] && strcmp(files[i], "-") == 0;
        for (int j = 0; files[i] && j < i; j++)
            if (files[j] && strcmp(files[i], files[j]) == 0 && strcmp(files[i], "/dev/null") != 0)
                return sp_fail(err, SP_EINVAL, "two results would be written to %s; name two files", files[i]);
    }
    if (o->output && strcmp(o->output, "-") == 0)
        return sp_fail(err, SP_EINVAL, "-o -: HDF5 cannot be written to standard output; name a file");
    return n_stdout > 1 ? sp_fail(err, SP_EINVAL, "only one result can go to standard output (-)") : SP_OK;
}

sp_status outputs_bootstrap(const options *o, sp_bootstrap_options *bootstrap, sp_error *err)
{
    if (!isnan(o->level)) {
        if (!(o->level > 0 && o->level < 1))
            return sp_fail(err, SP_EINVAL, "--level %g: a number between 0 and 1; 0.95, the default, gives 95 %% intervals",
                           o->level);
        bootstrap->level = o->level;
    }
    if (!o->seed)
        return SP_OK;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(o->seed, &end, 10);
    if (errno || end == o->seed || *end || o->seed[0] == '-')
        return sp_fail(err, SP_EINVAL, "--seed %s: a whole number, at least 0", o->seed);
    bootstrap->seed = value;
    return SP_OK;
}

static sp_status put_piece(void *arg, const char *text, size_t n, sp_error *err)
{
    return sp_text_put(arg, text, n, err);
}

/* What has lines for each recording goes to the file as it is made. */
static sp_status write_pieces(const char *file, piece_writer *writer, const sp_comparison *comparison, bool force, sp_error *err)
{
    sp_text_file *f = NULL;
    sp_status status = sp_text_open(file, force, &f, err);
    if (status == SP_OK)
        status = writer(comparison, put_piece, f, err);
    if (status == SP_OK)
        return sp_text_close(f, err);
    sp_text_abort(f);
    return status;
}

static sp_status write_one(const char *file, report_writer *writer, const sp_comparison *comparison, bool force, sp_error *err)
{
    char *text = NULL;
    sp_status status = writer(comparison, &text, err);
    if (status == SP_OK)
        status = sp_text_save(file, text, force, err);
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

sp_status outputs_write(const options *o, const sp_comparison *comparison, sp_error *err)
{
    sp_comparison with_links = *comparison;
    with_links.json_link = name_beside(o->report, o->json);
    with_links.csv_link = name_beside(o->report, o->csv);
    const struct {
        const char *file;
        report_writer *writer;
        piece_writer *pieces; /* rather than writer */
    } results[] = {{o->json, NULL, sp_report_json_to},
                   {o->csv, NULL, sp_report_csv_to},
                   {o->markdown, sp_report_markdown, NULL},
                   {o->latex, sp_report_latex, NULL},
                   {o->report, sp_report_html, NULL}};
    bool is_stdout_taken = false;
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++)
        is_stdout_taken |= results[i].file && strcmp(results[i].file, "-") == 0;
    if (is_stdout_taken && !o->talk.quiet)
        warn_of_names(comparison);
    sp_status status = is_stdout_taken ? SP_OK : print_table(o, comparison, err);
    for (size_t i = 0; status == SP_OK && i < sizeof results / sizeof results[0]; i++)
        if (results[i].file) {
            status = results[i].pieces ? write_pieces(results[i].file, results[i].pieces, &with_links, o->force, err)
                                       : write_one(results[i].file, results[i].writer, &with_links, o->force, err);
            if (status == SP_OK && !o->talk.quiet && strcmp(results[i].file, "-") != 0)
                fprintf(stderr, "wrote %s\n", results[i].file);
        }
    return status;
}
