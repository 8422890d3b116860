/* May the outputs that a command names be written? The one place that knows what an input is. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outputs.h"

/* Which file a name stands for: the file itself, whatever links lead to it, or, where there is none yet, a name in a folder. */
typedef struct identity {
    bool is_known, is_there, is_regular;
    dev_t device;
    ino_t number;     /* of the file, or of the folder */
    const char *last; /* the name in the folder, where there is no file yet */
} identity;

static identity identify(const char *name)
{
    struct stat info;
    identity id = {.is_known = false};
    if (strcmp(name, "-") == 0 ? fstat(STDOUT_FILENO, &info) == 0 : stat(name, &info) == 0) {
        id.is_there = true;
        id.is_regular = S_ISREG(info.st_mode);
    } else {
        char folder[4096];
        const char *slash = strrchr(name, '/');
        snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - name) + 1 : 1, slash ? name : ".");
        if (stat(folder, &info) != 0)
            return id;
        id.last = slash ? slash + 1 : name;
    }
    id.is_known = true;
    id.device = info.st_dev;
    id.number = info.st_ino;
    return id;
}

static bool is_same(const identity *a, const identity *b)
{
    return a->is_known && b->is_known && a->is_there == b->is_there && a->device == b->device &&
           a->number == b->number && (a->is_there || strcmp(a->last, b->last) == 0);
}

/* Is there a file that must stay, or a folder that cannot be written? Of a name with {id}, the folder before it. */
static sp_status check_file(const char *file, bool force, sp_error *err)
{
    struct stat info;
    if (strcmp(file, "-") == 0)
        return SP_OK;
    if (stat(file, &info) == 0) {
        if (S_ISDIR(info.st_mode))
            return sp_fail(err, SP_EFILE, "%s is a folder; name a file in it", file);
        if (S_ISREG(info.st_mode) && info.st_size > 0 && !force)
            return sp_fail(err, SP_EFILE, "%s exists and is kept; --force replaces it", file);
        return SP_OK;
    }
    const char *hole = strstr(file, "{id}");
    char folder[4096];
    snprintf(folder, sizeof folder, "./%.*s", hole ? (int)(hole - file) : (int)strlen(file), file);
    char *name = folder + 2, *slash = strrchr(name, '/');
    if (slash)
        slash[1] = '\0';
    else
        name = strcpy(folder, ".");
    if (access(name, W_OK) != 0)
        return sp_fail(err, SP_EFILE, "%s cannot be written: folder %s: %s", file, name, strerror(errno));
    return SP_OK;
}

/* ---- what is read ---- */

typedef struct known_input {
    const char *what, *file;
    identity id;
} known_input;

typedef struct known_inputs {
    int64_t n, room;
    known_input *list;
    int n_files;
    sp_file_list **files; /* the lists that names are borrowed from */
    char *labels;         /* the name of the file of labels */
} known_inputs;

static bool add_input(known_inputs *known, const char *what, const char *file)
{
    if (known->n == known->room) {
        const int64_t room = known->room ? 2 * known->room : 16;
        known_input *list = realloc(known->list, (size_t)room * sizeof *list);
        if (!list)
            return false;
        known->list = list;
        known->room = room;
    }
    known->list[known->n++] = (known_input){what, file, identify(file)};
    return true;
}

/* The file itself; of a folder or a pattern each file that it stands for. What leads nowhere is left to whoever opens it. */
static sp_status add_files(known_inputs *known, const char *what, const char *file, sp_error *err)
{
    sp_file_list *list = NULL;
    sp_error ignored;
    bool is_added = add_input(known, what, file);
    if (is_added && sp_file_list_new(file, NULL, &list, &ignored) == SP_OK) {
        sp_file_list **files = realloc(known->files, ((size_t)known->n_files + 1) * sizeof *files);
        is_added = files != NULL;
        if (files) {
            known->files = files;
            files[known->n_files++] = list;
        } else {
            sp_file_list_free(list);
        }
        for (int64_t i = 0; is_added && list->is_several && i < list->n; i++)
            is_added = add_input(known, what, list->names[i]);
    }
    return is_added ? SP_OK : sp_fail(err, SP_ENOMEM, "no memory");
}

static void free_inputs(known_inputs *known)
{
    for (int i = 0; i < known->n_files; i++)
        sp_file_list_free(known->files[i]);
    free(known->files);
    free(known->labels);
    free(known->list);
}

static sp_status collect_inputs(const options *o, const input_file *inputs, known_inputs *known,
                                sp_error *err)
{
    const input_file common[] = {{"the model", o->run.model}, {"the map of codes", o->run.map}};
    const char *labels = o->run.place.labels, *dataset;
    sp_status status = SP_OK;
    for (; status == SP_OK && inputs->what; inputs++)
        if (inputs->file)
            status = add_files(known, inputs->what, inputs->file, err);
    if (status == SP_OK && labels) {
        known->labels = sp_labels_file(labels, &dataset);
        status = known->labels ? add_files(known, "the file of labels", known->labels, err)
                               : sp_fail(err, SP_ENOMEM, "no memory");
    }
    for (const char *const *more = o->run.place.more; status == SP_OK && more && *more; more++)
        status = add_input(known, "an input file", *more) ? SP_OK : sp_fail(err, SP_ENOMEM, "no memory");
    for (size_t i = 0; status == SP_OK && i < sizeof common / sizeof common[0]; i++)
        if (common[i].file)
            status = add_input(known, common[i].what, common[i].file) ? SP_OK
                                                                      : sp_fail(err, SP_ENOMEM, "no memory");
    return status;
}

static sp_status check_input(const char *output, const identity *id, const known_input *input, sp_error *err)
{
    if (!id->is_regular || !is_same(id, &input->id))
        return SP_OK;
    if (strcmp(output, input->file) == 0)
        return sp_fail(err, SP_EINVAL, "%s: is %s, which is never written to; give the output another name",
                       output, input->what);
    return sp_fail(err, SP_EINVAL,
                   "%s: is %s %s by another name, which is never written to; give the output another name",
                   output, input->what, input->file);
}

/* ---- what is written ---- */

static sp_status check_pair(const char *a, const identity *id_a, const char *b, const identity *id_b,
                            sp_error *err)
{
    const identity nothing = identify("/dev/null");
    if (!is_same(id_a, id_b) || is_same(id_a, &nothing))
        return SP_OK;
    if (strcmp(a, b) == 0)
        return sp_fail(err, SP_EINVAL, "two results would be written to %s; name two files", a);
    return sp_fail(err, SP_EINVAL, "two results would be written to one file, %s and %s; name two files", a,
                   b);
}

/* A result whose name ends as that of another kind. named: in the order of the table. */
static sp_status check_endings(const char *const *named, sp_error *err)
{
    static const struct {
        const char *option, *writes, *ending;
    } kinds[] = {{"report", "a web page", ".html"},
                 {"json", "JSON", ".json"},
                 {"csv", "CSV", ".csv"},
                 {"markdown", "Markdown", ".md"},
                 {"latex", "LaTeX", ".tex"}};
    enum { N_KINDS = sizeof kinds / sizeof kinds[0] };
    for (int i = 0; i < N_KINDS; i++)
        for (int j = 0; named[i] && j < N_KINDS; j++) {
            const size_t n = strlen(named[i]), n_ending = strlen(kinds[j].ending);
            if (i != j && n > n_ending && strcmp(named[i] + n - n_ending, kinds[j].ending) == 0)
                return sp_fail(err, SP_EINVAL,
                               "%s: `%s` writes %s, and `%s` writes %s; name a file that ends in %s",
                               named[i], kinds[i].option, kinds[i].writes, kinds[j].option, kinds[j].writes,
                               kinds[i].ending);
        }
    return SP_OK;
}

/* review: the list of steps to review, or NULL. */
static sp_status check_all(const options *o, const char *review, const input_file *inputs, sp_error *err)
{
    /* Standard output comes last: where it is a file it is an output too. */
    const char *named[] = {o->report, o->json, o->csv, o->markdown, o->latex, o->run.output, review, "-"};
    enum { N_NAMED = sizeof named / sizeof named[0] };
    const char *files[N_NAMED];
    identity ids[N_NAMED];
    int n = 0, n_stdout = 0;
    for (int i = 0; i < N_NAMED; i++)
        if (named[i]) {
            const bool is_stdout = strcmp(named[i], "-") == 0;
            ids[n] = identify(named[i]);
            if (i == N_NAMED - 1 && (n_stdout || !ids[n].is_regular))
                break;
            n_stdout += is_stdout;
            files[n++] = is_stdout ? "standard output" : named[i];
        }
    if (n_stdout > 1)
        return sp_fail(err, SP_EINVAL, "only one result can go to standard output (-)");
    if (o->run.output && strcmp(o->run.output, "-") == 0 && !o->output_is_text)
        return sp_fail(err, SP_EINVAL, "-o -: HDF5 cannot be written to standard output; name a file");
    known_inputs known = {.n = 0};
    sp_status status = n ? collect_inputs(o, inputs, &known, err) : SP_OK;
    for (int i = 0; status == SP_OK && i < n; i++) {
        for (int64_t j = 0; status == SP_OK && j < known.n; j++)
            status = check_input(files[i], &ids[i], &known.list[j], err);
        for (int j = 0; status == SP_OK && j < i; j++)
            status = check_pair(files[j], &ids[j], files[i], &ids[i], err);
    }
    free_inputs(&known);
    if (status == SP_OK)
        status = check_endings(named, err);
    if (status == SP_OK && o->run.output && !o->output_is_text)
        status = sp_output_name_check(o->run.output, o->also_writes, err);
    for (int i = 0; status == SP_OK && i < N_NAMED; i++)
        status = named[i] ? check_file(named[i], o->run.force, err) : SP_OK;
    return status;
}

sp_status outputs_check(const options *o, const input_file *inputs, sp_error *err)
{
    const bool has_review = o->run.review && o->run.output;
    char *review = has_review ? sp_review_file_name(o->run.output) : NULL;
    const sp_status status =
        has_review && !review ? sp_fail(err, SP_ENOMEM, "no memory") : check_all(o, review, inputs, err);
    free(review);
    return status;
}
