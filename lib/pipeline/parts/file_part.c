/* Parts: counted for a file, kept where they are there already, written, read. */
#include "pipeline/parts/file_part.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/lists_file.h"
#include "options/options.h"
#include "pipeline/options.h"

static const char format[] = "statepath_part";
enum { VERSION = 1 };

/* ---- writing and reading ---- */

static sp_list_kind kind_of(int list)
{
    return sp_part_list_names[list].is_real ? SP_LIST_REAL : SP_LIST_WHOLE;
}

sp_status sp_part_save(const char *file, bool force, sp_part_content *part, sp_error *err)
{
    sp_list lists[SP_PART_LISTS + 4];
    sp_list *to = lists;
    uint64_t sum;
    sp_status status = sp_part_checksum(part, &sum, err);
    char *header = status == SP_OK ? sp_part_header_write(part) : NULL;
    if (!header)
        return sp_no_memory(err);
    const char *const texts[] = {header};
    const int64_t N = part->origins.n / 2, checksum = (int64_t)sum;
    *to++ = (sp_list){.name = "header", .kind = SP_LIST_TEXT, .n = 1, .texts = texts};
    *to++ = (sp_list){.name = "checksum", .kind = SP_LIST_WHOLE, .n = 1, .numbers = &checksum};
    *to++ = (sp_list){.name = "ids", .kind = SP_LIST_TEXT, .n = N, .texts = (const char *const *)part->ids};
    if (part->subjects)
        *to++ = (sp_list){.name = "subjects", .kind = SP_LIST_TEXT, .n = N, .texts = (const char *const *)part->subjects};
    for (int i = 0; i < SP_PART_LISTS; i++) {
        const sp_count_list *list = sp_part_list(part, i);
        *to++ = (sp_list){.name = sp_part_list_names[i].name, .kind = kind_of(i), .n = list->n, .numbers = list->at};
    }
    status = sp_lists_save(file, force, format, VERSION, to - lists, lists, err);
    free(header);
    return status;
}

static sp_status read_header(const sp_lists *lists, sp_part_content *out, sp_error *err)
{
    sp_texts texts = NULL;
    int64_t n = 0;
    sp_status status = sp_lists_texts(lists, "header", &texts, &n, err);
    if (status == SP_OK)
        status = sp_part_header_read(n == 1 ? texts[0] : "", out, err);
    free(texts);
    return status;
}

static sp_status read_list(const sp_lists *lists, const char *name, sp_list_kind kind, sp_count_list *out, sp_error *err)
{
    void *numbers = NULL;
    sp_status status = sp_lists_numbers(lists, name, kind, &numbers, &out->width, &out->n, err);
    out->at = numbers;
    out->room = out->n;
    return status;
}

static sp_status check_sum(const sp_lists *lists, sp_part_content *part, sp_error *err)
{
    sp_count_list said = {.n = 0};
    uint64_t sum = 0;
    sp_status status = read_list(lists, "checksum", SP_LIST_WHOLE, &said, err);
    if (status == SP_OK)
        status = sp_part_checksum(part, &sum, err);
    if (status == SP_OK)
        status = sp_part_check_sum(part->name, said.n == 1 ? (uint64_t)sp_count_at(&said, 0) : ~sum, sum, err);
    sp_count_list_free(&said);
    return status;
}

sp_status sp_part_load(const char *file, sp_part_content *out, sp_error *err)
{
    sp_lists *lists = NULL;
    int64_t n_ids = 0, n_subjects = 0;
    *out = (sp_part_content){.name = strdup(file)};
    if (!out->name)
        return sp_no_memory(err);
    sp_status status = sp_lists_open(file, format, VERSION, &lists, err);
    if (status == SP_OK)
        status = read_header(lists, out, err);
    for (int i = 0; status == SP_OK && i < SP_PART_LISTS; i++)
        status = read_list(lists, sp_part_list_names[i].name, kind_of(i), sp_part_list(out, i), err);
    if (status == SP_OK)
        status = sp_lists_texts(lists, "ids", &out->ids, &n_ids, err);
    if (status == SP_OK && json_is_string(json_object_get(out->header, "subjects_place")))
        status = sp_lists_texts(lists, "subjects", &out->subjects, &n_subjects, err);
    if (status == SP_OK)
        status = sp_part_check_lists(out, n_ids, n_subjects, err);
    if (status == SP_OK)
        status = check_sum(lists, out, err);
    sp_lists_close(lists);
    return status;
}

/* ---- what is read ---- */

/* Adds a name, and where it is relative what it is beside the part. False: no memory. */
static bool add_name(json_t *names, const char *name, const char *part)
{
    const char *slash = *name == '/' ? NULL : strrchr(part, '/');
    return json_array_append_new(names, json_string(name)) == 0 &&
           (!slash || json_array_append_new(names, json_sprintf("%.*s/%s", (int)(slash - part), part, name)) == 0);
}

sp_status sp_part_inputs(const char *part, char ***names, sp_error *err)
{
    sp_part_content content = {.name = (char *)part};
    sp_lists *lists = NULL;
    const json_t *one;
    size_t i;
    sp_status status = sp_lists_open(part, format, VERSION, &lists, err);
    if (status == SP_OK)
        status = read_header(lists, &content, err);
    sp_lists_close(lists);
    json_t *all = json_array();
    bool is_whole = all != NULL;
    json_array_foreach(json_object_get(content.header, "inputs"), i, one)
    {
        const char *name = json_string_value(json_object_get(one, "name"));
        is_whole = is_whole && (!name || add_name(all, name, part));
    }
    json_array_foreach(json_object_get(json_object_get(content.header, "command"), "read"), i, one) is_whole =
        is_whole && (!json_is_string(one) || add_name(all, json_string_value(one), part));
    const size_t n = json_array_size(all);
    const char **texts = is_whole ? malloc((n + 1) * sizeof *texts) : NULL;
    for (i = 0; texts && i < n; i++)
        texts[i] = json_string_value(json_array_get(all, i));
    char **out = texts && status == SP_OK ? sp_texts_copy(texts, (int64_t)n) : NULL;
    if (status == SP_OK && !out)
        status = sp_no_memory(err);
    if (status == SP_OK)
        *names = out;
    free(texts);
    json_decref(all);
    json_decref(content.header);
    return status;
}

/* ---- is it there already? ---- */

/* Goes on from *sum over the bytes of a file. */
static sp_status add_checksum(const char *file, uint64_t *sum, sp_error *err)
{
    unsigned char bytes[1 << 16];
    size_t n;
    FILE *stream = fopen(file, "rb");
    if (!stream)
        return sp_fail(err, SP_EFILE, "%s: cannot be read: %s", file, strerror(errno));
    while ((n = fread(bytes, 1, sizeof bytes, stream)) > 0)
        *sum = sp_checksum(*sum, bytes, n);
    const bool is_read = !ferror(stream);
    fclose(stream);
    return is_read ? SP_OK : sp_fail(err, SP_EFILE, "%s: cannot be read", file);
}

/* Adds one file: bytes add up, the time is that of the latest. */
static sp_status add_file(const char *file, bool with_checksum, sp_part_input *out, uint64_t *sum, sp_error *err)
{
    struct stat info;
    if (stat(file, &info) != 0)
        return sp_fail(err, SP_EFILE, "%s: cannot be read: %s", file, strerror(errno));
    const int64_t modified = (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
    out->bytes += info.st_size;
    out->modified = !with_checksum && modified > out->modified ? modified : out->modified;
    return with_checksum && S_ISREG(info.st_mode) ? add_checksum(file, sum, err) : SP_OK;
}

sp_status sp_part_input_look(const char *name, bool with_checksum, sp_part_input *out, sp_error *err)
{
    struct stat info;
    sp_file_list *list = NULL;
    uint64_t sum = SP_CHECKSUM;
    *out = (sp_part_input){.name = name};
    const bool is_file = stat(name, &info) == 0 && !S_ISDIR(info.st_mode);
    sp_status status = is_file ? add_file(name, with_checksum, out, &sum, err) : sp_file_list_new(name, NULL, &list, err);
    for (int64_t i = 0; status == SP_OK && list && i < list->n; i++)
        status = add_file(list->names[i], with_checksum, out, &sum, err);
    sp_file_list_free(list);
    if (status == SP_OK && with_checksum)
        snprintf(out->checksum, sizeof out->checksum, "%016" PRIx64, sum);
    return status;
}

/* What was asked for, by the members of a header; the others follow from the inputs. NULL: the same, else what is not. */
static const char *other_wish(const json_t *now, const json_t *then)
{
    static const char *const wishes[] = {"kind", "model", "strategies", "options", "files", "shard", "command"};
    const json_t *has_now = json_object_get(now, "has"), *has_then = json_object_get(then, "has");
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++)
        if (!json_equal(json_object_get(now, wishes[i]), json_object_get(then, wishes[i])))
            return wishes[i];
    return json_equal(json_object_get(has_now, "steps"), json_object_get(has_then, "steps")) ? NULL : "steps";
}

static bool is_empty(const json_t *text)
{
    return !json_is_string(text) || *json_string_value(text) == 0;
}

/* A part that was asked for with the same words, of inputs that are not as they were. */
static void tell_changed(const sp_part_run *run, const sp_pipeline *p, const json_t *then)
{
    const json_t *a = json_object_get(run->content.header, "inputs"), *b = json_object_get(then, "inputs");
    size_t i = 0;
    while (i < json_array_size(a) && json_equal(json_array_get(a, i), json_array_get(b, i)))
        i++;
    json_t *one = json_array_get(a, i), *other = json_array_get(b, i);
    const char *name = json_string_value(json_object_get(one, "name"));
    if (one && other && is_empty(json_object_get(one, "checksum")) != is_empty(json_object_get(other, "checksum")))
        sp_run_notice(p->opt, SP_NOTICE_DATA,
                      "%s: only one of two runs had `check_inputs`, so that %s may have changed since; it is counted again",
                      run->file, name);
    else
        sp_run_notice(p->opt, SP_NOTICE_DATA, "%s: %s has changed since it was counted; it is counted again", run->file,
                      name ? name : p->info->file);
}

/* What is said of a file of the part's name that is another part. */
static sp_status judge_other(sp_part_run *run, const sp_pipeline *p, const json_t *then, sp_error *err)
{
    const char *other = other_wish(run->content.header, then);
    if (other)
        return sp_fail(err, SP_EFILE, "%s exists and is kept: it is a part of another run (its %s differ%s); `force` replaces it",
                       run->file, other, other[strlen(other) - 1] == 's' ? "" : "s");
    tell_changed(run, p, then);
    return SP_OK;
}

/* The part that is there, if it is the one wanted: its counts of the run, for the exit status. */
static sp_status look(sp_part_run *run, sp_pipeline *p, bool *is_there, sp_error *err)
{
    struct stat info;
    sp_part_content found = {.name = NULL};
    *is_there = false;
    const bool is_replaced = p->opt->force;
    if ((is_replaced && !p->opt->part.goes_on) || stat(run->file, &info) != 0 || info.st_size == 0)
        return SP_OK;
    sp_error own = {.status = SP_OK};
    sp_status status = sp_part_load(run->file, &found, &own);
    if (status != SP_OK)
        status = is_replaced ? SP_OK : sp_fail(err, status, "%s; it is kept, and `force` replaces it", own.message);
    else if (!json_equal(found.header, run->content.header))
        status = is_replaced ? SP_OK : judge_other(run, p, found.header, err);
    else {
        sp_counting c = {.from = &found.run};
        sp_part_count_run(&c, p);
        status = sp_counting_end(&c, run->file, err);
        *is_there = status == SP_OK;
        if (*is_there)
            sp_run_notice(p->opt, SP_NOTICE_DATA, "shard %" PRId64 "/%" PRId64 " is done: %s is kept", run->shard.i, run->shard.n,
                          run->file);
    }
    sp_part_content_clear(&found);
    return status;
}

/* What is read is never written to, by whatever name: the file itself, or one of those that a folder or a pattern stands for. */
static bool is_one_of(const struct stat *part, const char *name)
{
    struct stat input;
    sp_file_list *list = NULL;
    bool is_one = stat(name, &input) == 0 && input.st_dev == part->st_dev && input.st_ino == part->st_ino;
    if (!is_one && sp_file_list_new(name, NULL, &list, NULL) == SP_OK)
        for (int64_t i = 0; !is_one && list->is_several && i < list->n; i++)
            is_one = is_one_of(part, list->names[i]);
    sp_file_list_free(list);
    return is_one;
}

static sp_status check_not_input(const sp_part_run *run, const sp_pipeline *p, int64_t n, const sp_part_input *inputs,
                                 sp_error *err)
{
    struct stat part;
    const char *read[SP_PART_READ];
    const int n_read = sp_part_read_names(p->opt, read);
    if (stat(run->file, &part) != 0)
        return SP_OK;
    for (int64_t i = 0; i < n + n_read; i++)
        if (is_one_of(&part, i < n ? inputs[i].name : read[i - n]))
            return sp_fail(err, SP_EINVAL, "%s: is an input, which is never written to; give the part another name", run->file);
    return SP_OK;
}

static sp_status begin(sp_part_run *run, sp_pipeline *p, const sp_evaluation_options *how, bool *is_there, sp_error *err)
{
    const sp_source_info *info = p->info;
    const int64_t n_files = info->n_files ? info->n_files : 1, n = n_files + (p->opt->reference != NULL);
    sp_part_input *inputs = calloc((size_t)n, sizeof *inputs);
    sp_status status = inputs ? SP_OK : sp_no_memory(err);
    for (int64_t i = 0; status == SP_OK && i < n; i++)
        status = sp_part_input_look(i == n_files    ? p->opt->reference
                                    : info->n_files ? info->files[i].name
                                                    : info->file,
                                    p->opt->part.check_inputs, &inputs[i], err);
    if (status == SP_OK)
        status = check_not_input(run, p, n, inputs, err);
    if (status == SP_OK)
        status = sp_part_describe(p, how, &run->shard, n, inputs, &run->content, err);
    if (status == SP_OK && run->with_steps)
        status = sp_part_holes_put(p, &run->content.holes, err);
    if (status == SP_OK)
        status = look(run, p, is_there, err);
    run->is_there = *is_there;
    free(inputs);
    return status;
}

/* ---- opening and closing ---- */

sp_status sp_part_run_open(sp_part_run *run, sp_pipeline *p, const char *kind, sp_error *err)
{
    const sp_run_options *o = p->opt;
    *run = (sp_part_run){.kind = kind, .begin = begin};
    if (!o->part.file)
        return !o->part.shard && !o->part.steps && !o->part.check_inputs
                   ? SP_OK
                   : sp_fail(err, SP_EINVAL,
                             "`shard`, `part_steps` and `check_inputs` are of a part: `part` 'P-%%i-of-%%n.h5' says "
                             "where it is written");
    sp_status status = sp_options_check_part(o, err);
    if (status == SP_OK)
        status = sp_part_steps_read(o->part.steps, &run->with_steps, err);
    if (status == SP_OK)
        status = sp_shard_read(o->part.shard, &run->shard, err);
    if (status == SP_OK)
        status = sp_part_file_name(o->part.file, o->part.shard, &run->shard, &run->file, err);
    if (status == SP_OK) {
        sp_shard_range(&run->shard, p->info, &p->first, &p->end);
        p->part = run;
    }
    return status;
}

sp_status sp_part_run_close(sp_part_run *run, const sp_pipeline *p, sp_status status, sp_error *err)
{
    if (status == SP_OK && p->part && !run->is_there)
        status = sp_part_save(run->file, true, &run->content, err);
    if (status == SP_OK && p->part && !run->is_there)
        sp_run_notice(p->opt, SP_NOTICE_DATA, "wrote %s", run->file);
    sp_part_content_clear(&run->content);
    free(run->file);
    free(run->takes);
    return status;
}
