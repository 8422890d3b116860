/* Parts: counted for a file, kept where they are there already, written, read. */
#include "pipeline/files/part_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/try.h"
#include "io/bytes_file.h"
#include "io/text/texts.h"
#include "options/options.h"
#include "pipeline/fused.h"
#include "pipeline/options.h"
#include "pipeline/run.h"

static const char format[] = "statepath_part";
enum { VERSION = 2 };

/* ---- writing and reading ---- */

sp_status sp_part_save(const char *file, bool force, sp_part_content *part, sp_error *err)
{
    unsigned char *bytes = NULL;
    size_t n = 0;
    sp_status status = SP_OK;
    TRY(sp_part_write(part, &bytes, &n, err));
    TRY(sp_bytes_save(file, force, format, VERSION, bytes, n, err));
done:
    free(bytes);
    return status;
}

sp_status sp_part_load(const char *file, sp_part_content *out, sp_error *err)
{
    unsigned char *bytes = NULL;
    size_t n = 0;
    *out = (sp_part_content){.name = NULL};
    sp_status status = SP_OK;
    TRY(sp_bytes_load(file, format, VERSION, &bytes, &n, err));
    TRY(sp_part_read(bytes, n, file, out, err));
done:
    free(bytes);
    return status;
}

/* ---- what is read ---- */

/* Adds a name, and where it is relative what it is beside the part. False: no memory. */
static bool add_name(json_t *names, const char *name, const char *part)
{
    const char *slash = *name == '/' ? NULL : strrchr(part, '/');
    return json_array_append_new(names, json_string(name)) == 0 &&
           (!slash ||
            json_array_append_new(names, json_sprintf("%.*s/%s", (int)(slash - part), part, name)) == 0);
}

sp_status sp_part_inputs(const char *part, char ***names, sp_error *err)
{
    sp_part_content content;
    const json_t *one;
    const char **texts = NULL;
    size_t i;
    json_t *all = json_array();
    bool is_whole = all != NULL;
    sp_status status = SP_OK;
    TRY(sp_part_load(part, &content, err));
    json_array_foreach(json_object_get(content.header, "inputs"), i, one)
    {
        const char *name = json_string_value(json_object_get(one, "name"));
        is_whole = is_whole && (!name || add_name(all, name, part));
    }
    json_array_foreach(json_object_get(json_object_get(content.header, "command"), "read"), i, one) is_whole =
        is_whole && (!json_is_string(one) || add_name(all, json_string_value(one), part));
    const size_t n = json_array_size(all);
    texts = is_whole ? malloc((n + 1) * sizeof *texts) : NULL;
    for (i = 0; texts && i < n; i++)
        texts[i] = json_string_value(json_array_get(all, i));
    char **out = texts ? sp_texts_copy(texts, (int64_t)n) : NULL;
    TRY(out ? SP_OK : sp_no_memory(err));
    *names = out;
done:
    free(texts);
    json_decref(all);
    sp_part_content_clear(&content);
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
static sp_status add_file(const char *file, bool with_checksum, sp_part_input *out, uint64_t *sum,
                          sp_error *err)
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
    sp_status status =
        is_file ? add_file(name, with_checksum, out, &sum, err) : sp_file_list_new(name, NULL, &list, err);
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
    static const char *const wishes[] = {"kind",  "model", "strategies", "options",
                                         "files", "shard", "command"};
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
    if (one && other &&
        is_empty(json_object_get(one, "checksum")) != is_empty(json_object_get(other, "checksum")))
        sp_run_notice(p->opt, SP_NOTICE_DATA,
                      "%s: only one of two runs had `check_inputs`, so that %s may have changed since; it is "
                      "counted again",
                      run->file, name);
    else
        sp_run_notice(p->opt, SP_NOTICE_DATA, "%s: %s has changed since it was counted; it is counted again",
                      run->file, name ? name : p->info->file);
}

/* What is said of a file of the part's name that is another part. */
static sp_status judge_other(sp_part_run *run, const sp_pipeline *p, const json_t *then, sp_error *err)
{
    const char *other = other_wish(run->content.header, then);
    if (other)
        return sp_fail(
            err, SP_EFILE,
            "%s exists and is kept: it is a part of another run (its %s differ%s); `force` replaces it",
            run->file, other, other[strlen(other) - 1] == 's' ? "" : "s");
    tell_changed(run, p, then);
    return SP_OK;
}

/* The part that is there, if it is the one wanted: its counts of the run, for the exit status. */
static sp_status look(sp_part_run *run, sp_error *err)
{
    sp_pipeline *p = run->p;
    struct stat info;
    sp_part_content found = {.name = NULL};
    const bool is_replaced = p->opt->force;
    if ((is_replaced && !p->opt->part.goes_on) || stat(run->file, &info) != 0 || info.st_size == 0)
        return SP_OK;
    sp_error own = {.status = SP_OK};
    sp_status status = sp_part_load(run->file, &found, &own);
    if (status != SP_OK)
        status = is_replaced ? SP_OK
                             : sp_fail(err, status, "%s; it is kept, and `force` replaces it", own.message);
    else if (!json_equal(found.header, run->content.header))
        status = is_replaced ? SP_OK : judge_other(run, p, found.header, err);
    else {
        sp_counting c = {.from = &found.run};
        sp_part_count_run(&c, p);
        status = sp_counting_end(&c, run->file, err);
        run->is_there = status == SP_OK;
        if (run->is_there)
            sp_run_notice(p->opt, SP_NOTICE_DATA, "shard %" PRId64 "/%" PRId64 " is done: %s is kept",
                          run->shard.i, run->shard.n, run->file);
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

static sp_status check_not_input(const sp_part_run *run, const sp_pipeline *p, int64_t n,
                                 const sp_part_input *inputs, sp_error *err)
{
    struct stat part;
    const char *read[SP_PART_READ];
    const int n_read = sp_part_read_names(p->opt, read);
    if (stat(run->file, &part) != 0)
        return SP_OK;
    for (int64_t i = 0; i < n + n_read; i++)
        if (is_one_of(&part, i < n ? inputs[i].name : read[i - n]))
            return sp_fail(err, SP_EINVAL,
                           "%s: is an input, which is never written to; give the part another name",
                           run->file);
    return SP_OK;
}

/* Where the steps of the part's recordings stand among those that take no part. */
static sp_status put_holes(const sp_pipeline *p, sp_count_list *out, sp_error *err)
{
    int64_t first = p->range.first;
    for (int64_t end; p->about.holes && (end = sp_range_next(p, &first)) > first; first = end)
        for (int64_t r = first; r < end; r++)
            if (!sp_part_holes_add(p->about.holes, p->info->offsets, r, out))
                return sp_no_memory(err);
    return SP_OK;
}

/* Input i: files of recordings, then labels of a file of their own and other classifiers. */
static const char *input_name(const sp_pipeline *p, int64_t i)
{
    const sp_source_info *info = p->info;
    const int64_t n_files = info->n_files ? info->n_files : 1,
                  beside = i - n_files - (p->opt->reference != NULL);
    return beside >= 0     ? p->fused->members[beside + 1].file
           : i >= n_files  ? p->opt->reference
           : info->n_files ? info->files[i].name
                           : info->file;
}

static sp_status begin(sp_part_run *run, const sp_evaluation_options *how, sp_error *err)
{
    const sp_pipeline *p = run->p;
    const int64_t n_files = p->info->n_files ? p->info->n_files : 1;
    const int64_t n = n_files + (p->opt->reference != NULL) + (p->fused ? p->fused->n - 1 : 0);
    sp_part_input *inputs = calloc((size_t)n, sizeof *inputs);
    sp_status status = SP_OK;
    TRY(inputs ? SP_OK : sp_no_memory(err));
    for (int64_t i = 0; i < n; i++)
        TRY(sp_part_input_look(input_name(p, i), p->opt->part.check_inputs, &inputs[i], err));
    TRY(check_not_input(run, p, n, inputs, err));
    TRY(sp_part_describe(run, how, n, inputs, err));
    if (run->with_steps)
        TRY(put_holes(p, &run->content.holes, err));
    TRY(look(run, err));
done:
    free(inputs);
    return status;
}

/* ---- opening and closing ---- */

sp_status sp_part_file_open(sp_part_run *run, sp_pipeline *p, const char *kind, sp_error *err)
{
    const sp_run_options *o = p->opt;
    *run = (sp_part_run){.kind = kind, .begin = begin};
    if (!o->part.file)
        return SP_OK;
    sp_part_run_open(run, p);
    return sp_part_file_name(o->part.file, &run->shard, &run->file, err);
}

sp_status sp_part_file_close(sp_part_run *run, sp_status status, sp_error *err)
{
    if (status == SP_OK && run->p && !run->is_there) {
        status = sp_part_save(run->file, true, &run->content, err);
        if (status == SP_OK)
            sp_run_notice(run->p->opt, SP_NOTICE_DATA, "wrote %s", run->file);
    }
    sp_part_run_clear(run);
    return status;
}
