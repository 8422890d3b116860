/* May the outputs that a command names be written? The one place that knows what an input is. */
#include <errno.h>
#include <stdio.h>
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
    return a->is_known && b->is_known && a->is_there == b->is_there && a->device == b->device && a->number == b->number &&
           (a->is_there || strcmp(a->last, b->last) == 0);
}

/* Is there a file that must stay, or a folder that cannot be written? */
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
    const char *slash = strrchr(file, '/');
    char folder[4096];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - file) + 1 : 1, slash ? file : ".");
    if (access(folder, W_OK) != 0)
        return sp_fail(err, SP_EFILE, "%s cannot be written: folder %s: %s", file, folder, strerror(errno));
    return SP_OK;
}

static sp_status check_input(const char *output, const identity *id, const input_file *input, sp_error *err)
{
    if (!input->file || !id->is_regular)
        return SP_OK;
    const identity read = identify(input->file);
    if (!is_same(id, &read))
        return SP_OK;
    if (strcmp(output, input->file) == 0)
        return sp_fail(err, SP_EINVAL, "%s: is %s, which is never written to; give the output another name", output, input->what);
    return sp_fail(err, SP_EINVAL, "%s: is %s %s by another name, which is never written to; give the output another name",
                   output, input->what, input->file);
}

static sp_status check_pair(const char *a, const identity *id_a, const char *b, const identity *id_b, sp_error *err)
{
    const identity nothing = identify("/dev/null");
    if (!is_same(id_a, id_b) || is_same(id_a, &nothing))
        return SP_OK;
    if (strcmp(a, b) == 0)
        return sp_fail(err, SP_EINVAL, "two results would be written to %s; name two files", a);
    return sp_fail(err, SP_EINVAL, "two results would be written to one file, %s and %s; name two files", a, b);
}

sp_status outputs_check(const options *o, const input_file *inputs, sp_error *err)
{
    /* Standard output comes last: where it is a file it is an output too. */
    const char *named[] = {o->report, o->json, o->csv, o->markdown, o->latex, o->run.output, "-"};
    const input_file common[] = {
        {"the model", o->run.model}, {"the map of codes", o->run.map}, {"the map of codes", o->run.label_map}};
    enum { N_NAMED = sizeof named / sizeof named[0], N_COMMON = sizeof common / sizeof common[0] };
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
    sp_status status = SP_OK;
    for (int i = 0; status == SP_OK && i < n; i++) {
        for (const input_file *input = inputs; status == SP_OK && input->what; input++)
            status = check_input(files[i], &ids[i], input, err);
        for (int j = 0; status == SP_OK && j < N_COMMON; j++)
            status = check_input(files[i], &ids[i], &common[j], err);
        for (int j = 0; status == SP_OK && j < i; j++)
            status = check_pair(files[j], &ids[j], files[i], &ids[i], err);
    }
    for (int i = 0; status == SP_OK && i < N_NAMED; i++)
        status = named[i] ? check_file(named[i], o->run.force, err) : SP_OK;
    return status;
}
