/* sp_merge_files(): parts are put together, finished as one run, and their paths written. */
#include "pipeline/parts/file_merge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/calibration.h"
#include "pipeline/compare.h"
#include "pipeline/evaluation.h"
#include "pipeline/files/open.h"
#include "pipeline/files/paths.h"
#include "pipeline/options.h"
#include "pipeline/parts/file_part.h"
#include "statepath/model_json.h"

typedef struct merge_run {
    sp_merged_parts parts;
    sp_owned own;
    sp_run_options options; /* the parts' own, and where results go */
    sp_counted_part *counted;
    sp_merging merging;
    sp_pipeline p;
    calibration scaled;
    sp_path_file paths;
    /* Steps of the recordings that a page draws: of the inputs, or of the parts. */
    sp_pipeline again;
    sp_file_input in;
    bool has_inputs;
    sp_given_paths given;
} merge_run;

static json_t *member(const merge_run *r, const char *key)
{
    return json_object_get(r->parts.parts[0].header, key);
}

static bool has(const merge_run *r, const char *what)
{
    return json_is_true(json_object_get(member(r, "has"), what));
}

/* ---- options ---- */

/* For the shell, as the program's own command lines have it. */
static char *quote(char *to, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_";
    if (*word && word[strspn(word, plain)] == 0)
        return stpcpy(to, word);
    *to++ = '\'';
    for (; *word; word++)
        to = *word == '\'' ? stpcpy(to, "'\\''") : (*to = *word, to + 1);
    return stpcpy(to, "'");
}

/* The command of one run over all files. */
static sp_status make_command(merge_run *r, sp_error *err)
{
    const json_t *command = member(r, "command");
    const char *text = json_string_value(json_object_get(command, "text")), *before, *after;
    before = json_string_value(json_object_get(command, "before"));
    after = json_string_value(json_object_get(command, "after"));
    if (r->parts.is_one_run || !before || !after) {
        r->options.command = text;
        return SP_OK;
    }
    size_t size = strlen(before) + strlen(after) + 1;
    for (int64_t i = 0; i < r->parts.n_inputs; i++)
        size += 4 * strlen(r->parts.inputs[i].name) + 3;
    char *made = sp_zeros(&r->own, size, 1), *to = made;
    if (!made)
        return sp_no_memory(err);
    to = stpcpy(to, before);
    for (int64_t i = 0; i < r->parts.n_inputs; i++) {
        *to++ = ' ';
        to = quote(to, r->parts.inputs[i].name);
    }
    stpcpy(to, after);
    r->options.command = made;
    return SP_OK;
}

static sp_status read_options(merge_run *r, const sp_run_options *given, sp_error *err)
{
    sp_run_options *o = &r->options;
    *o = sp_run_options_default();
    if (!sp_part_options_read(member(r, "options"), &r->own, o) || !json_is_string(member(r, "model")))
        return sp_fail(err, SP_EDATA, "%s: its options are none that this program knows; the file is damaged: make it again",
                       r->parts.parts[0].name);
    o->model_text = json_string_value(member(r, "model"));
    o->output = given->output;
    o->force = given->force;
    o->trace_steps = given->trace_steps;
    o->what_if_bytes = given->what_if_bytes;
    o->hooks = given->hooks;
    o->decode.threads = given->decode.threads;
    o->draw = given->draw ? given->draw : o->draw;
    return make_command(r, err);
}

/* ---- recordings of parts ---- */

static sp_status read_block(void *arg, const sp_part *part, unsigned parts, sp_block *block, sp_error *err)
{
    const merge_run *r = arg;
    const sp_source_info *info = &r->parts.info;
    const int64_t count = part->count ? part->count : 1, *offsets = info->offsets + part->recording;
    const int64_t n_steps = part->count ? offsets[count] - offsets[0] : part->n;
    parts &= (info->has_labels ? SP_BLOCK_LABELS : 0u) | (info->has_segments ? SP_BLOCK_SEGMENTS : 0u);
    sp_status status = sp_block_reserve(block, count, n_steps, info->n_classes, info->dtype, parts, err);
    if (status != SP_OK)
        return status;
    block->first = part->recording;
    block->first_step = part->count ? 0 : part->first;
    block->offsets[0] = 0;
    for (int64_t i = 0; status == SP_OK && i < count; i++) {
        const int64_t first = part->count ? 0 : part->first, n = part->count ? offsets[i + 1] - offsets[i] : part->n;
        const int64_t at = block->offsets[i];
        block->offsets[i + 1] = at + n;
        if (block->labels)
            status =
                sp_merged_parts_steps(&r->parts, part->recording + i, SP_KEPT_LABELS, first, n, block->labels + at, NULL, err);
        if (status == SP_OK && block->segments)
            status = sp_merged_parts_steps(&r->parts, part->recording + i, SP_KEPT_SEGMENTS, first, n, NULL, block->segments + at,
                                           err);
    }
    block->ids = info->ids + part->recording;
    return status;
}

/* Undecoded is what is -1 throughout; the rest of the results is among the counts. */
static sp_status read_paths(void *arg, int32_t s, const sp_part *part, int32_t *paths, sp_decoded *results, sp_error *err)
{
    const merge_run *r = arg;
    const int64_t count = part->count ? part->count : 1, *offsets = r->parts.offsets + part->recording;
    sp_status status = SP_OK;
    for (int64_t i = 0, at = 0; status == SP_OK && i < count; i++) {
        const int64_t first = part->count ? 0 : part->first, n = part->count ? offsets[i + 1] - offsets[i] : part->n;
        status = sp_merged_parts_steps(&r->parts, part->recording + i, SP_KEPT_PATHS + s, first, n, paths + at, NULL, err);
        bool is_undecoded = n > 0;
        for (int64_t t = at; status == SP_OK && is_undecoded && t < at + n; t++)
            is_undecoded = paths[t] == -1;
        if (results)
            results[i] = (sp_decoded){.status = is_undecoded ? SP_ENOPATH : SP_OK, .step = -1};
        at += n;
    }
    return status;
}

static sp_decoded result_of(void *arg, int32_t s, int64_t recording, bool is_undecoded)
{
    (void)arg;
    (void)s;
    (void)recording;
    return (sp_decoded){.status = is_undecoded ? SP_ENOPATH : SP_OK, .step = -1};
}

static sp_status step_seconds(void *arg, double *seconds, sp_error *err)
{
    (void)err;
    *seconds = json_number_value(member(arg, "seconds"));
    return SP_OK;
}

/* ---- the pipeline ---- */

static sp_status name_strategies(merge_run *r, sp_error *err)
{
    const json_t *list = member(r, "strategies");
    const size_t n = json_array_size(list);
    sp_pipeline *p = &r->p;
    if (n < 1 || n > SP_RUN_STRATEGIES)
        return sp_fail(err, SP_EDATA, "%s: names %d strategies; the file is damaged: make it again", r->parts.parts[0].name,
                       (int)n);
    const bool is_decoded = r->parts.info.has_scores;
    p->n_strategies = (int)n;
    for (size_t s = 0; s < n; s++) {
        p->names[s] = json_string_value(json_array_get(list, s));
        sp_status status = !p->names[s] ? SP_EDATA : is_decoded ? sp_strategy_parse(p->names[s], &p->strategies[s], NULL) : SP_OK;
        if (status != SP_OK)
            return sp_fail(err, SP_EDATA, "%s: a strategy is none that this program knows; the file is damaged: make it again",
                           r->parts.parts[0].name);
    }
    return SP_OK;
}

static sp_status name_raters(merge_run *r, sp_error *err)
{
    const json_t *list = member(r, "raters");
    const char **names = sp_zeros(&r->own, json_array_size(list) + 1, sizeof *names);
    for (size_t i = 0; names && i < json_array_size(list); i++)
        names[i] = json_string_value(json_array_get(list, i));
    r->p.raters.found = (sp_scorers_found){(int32_t)json_array_size(list), names};
    return names ? SP_OK : sp_no_memory(err);
}

/* As the runs had it that made the parts, but for reading. */
static sp_status open_pipeline(merge_run *r, sp_error *err)
{
    sp_pipeline *p = &r->p;
    const bool is_decoded = r->parts.info.has_scores;
    *p = (sp_pipeline){.opt = &r->options, .file = r->parts.info.file, .word = r->parts.info.file};
    p->from = (sp_recordings){.info = &r->parts.info, .read = read_block, .arg = r};
    p->path_codes = json_string_value(member(r, "path_codes"));
    p->label_codes = json_string_value(member(r, "label_codes"));
    p->labels_file = json_string_value(member(r, "labels_file"));
    p->step_seconds = step_seconds;
    p->step_seconds_arg = r;
    sp_status status = name_strategies(r, err);
    if (status == SP_OK)
        status = sp_pipeline_load_model(p, err);
    if (status == SP_OK && is_decoded)
        status = sp_pipeline_compile(p, err);
    else if (status == SP_OK)
        status = sp_pipeline_new_chains(p, 1, err);
    if (status == SP_OK && !p->workers && !(p->workers = sp_workers_new(r->options.decode.threads)))
        status = sp_no_memory(err);
    p->has_nll = has(r, "nll");
    p->has_path_scores = has(r, "path_scores");
    if (status == SP_OK && has(r, "reliability"))
        status = sp_reliability_new(p->model->n_classes, &p->reliability, err);
    if (status == SP_OK && is_decoded)
        status = sp_calibration_open(&r->scaled, NULL, &p->prepare, p->model->n_classes, err);
    p->calibration = is_decoded ? &r->scaled : NULL;
    if (status == SP_OK)
        status = name_raters(r, err);
    if (status == SP_OK)
        status = sp_merged_parts_subjects(&r->parts, r->options.groups, &p->subjects, err);
    if (status == SP_OK && has(r, "length_trim")) { /* those of each recording are among the counts */
        int64_t *none = sp_zeros(&r->own, (size_t)r->parts.n_recordings, sizeof *none);
        p->cut_path_steps = p->cut_label_steps = none;
        status = none ? SP_OK : sp_no_memory(err);
    }
    return status;
}

/* ---- steps for the page ---- */

static bool are_inputs_there(const merge_run *r)
{
    const sp_merged_parts *m = &r->parts;
    for (int64_t i = 0; i < m->n_inputs; i++) {
        sp_part_input now;
        const json_t *then = m->inputs[i].said;
        const char *checksum = json_string_value(json_object_get(then, "checksum"));
        if (sp_part_input_look(m->inputs[i].name, checksum && *checksum, &now, NULL) != SP_OK ||
            now.bytes != m->inputs[i].bytes || now.modified != json_integer_value(json_object_get(then, "modified")) ||
            strcmp(now.checksum, checksum ? checksum : "") != 0)
            return false;
    }
    return true;
}

/* The inputs, opened as the runs did that made the parts. */
static sp_status open_inputs(merge_run *r, sp_error *err)
{
    const sp_merged_parts *m = &r->parts;
    sp_run_options *o = &r->options;
    const json_t *words = member(r, "files");
    const size_t n = m->is_one_run ? json_array_size(words) : (size_t)m->n_inputs;
    const char **files = sp_zeros(&r->own, n + 1, sizeof *files);
    for (size_t i = 0; files && i < n; i++)
        files[i] = m->is_one_run ? json_string_value(json_array_get(words, i)) : m->inputs[i].name;
    if (!files || !files[0])
        return sp_no_memory(err);
    o->place.more = n > 1 ? files + 1 : NULL;
    char text[SP_RUN_STRATEGIES * (SP_STRATEGY_TEXT + 1)] = "";
    for (int s = 0; s < r->p.n_strategies; s++)
        strcat(strcat(text, s ? "," : ""), r->p.names[s]);
    r->has_inputs = true;
    sp_status status = sp_pipeline_open_file(&r->again, &r->in, files[0], o, text, NULL, err);
    if (status == SP_OK && r->again.info->n_recordings != m->n_recordings)
        status = SP_EDATA;
    for (int64_t i = 0; status == SP_OK && i <= m->n_recordings; i++)
        if (r->again.info->offsets[i] != m->offsets[i])
            status = SP_EDATA;
    return status;
}

/* Where drawn recordings come from. SP_OK, also where there are none to be drawn; SP_ENOMEM. */
static sp_status open_drawn(merge_run *r, sp_error *err)
{
    const bool is_decoded = r->parts.info.has_scores;
    if (r->options.trace_steps <= 0)
        return SP_OK;
    sp_error own = {.status = SP_OK};
    const sp_status status = is_decoded && !r->parts.missing && are_inputs_there(r) ? open_inputs(r, &own) : SP_EFILE;
    if (status == SP_ENOMEM)
        return sp_fail(err, status, "%s", own.message);
    if (status == SP_OK) {
        r->merging.again = &r->again;
        return SP_OK;
    }
    if (r->has_inputs) {
        sp_pipeline_close(&r->again);
        sp_file_input_close(&r->in);
        r->has_inputs = false;
    }
    if (is_decoded)
        sp_run_notice(&r->options, SP_NOTICE_DATA,
                      r->parts.steps
                          ? "the inputs are not there as they were counted: the page draws paths without probabilities"
                          : "the parts hold no steps, and the inputs are not there as they were counted: the page draws none");
    else if (!r->parts.steps)
        sp_run_notice(&r->options, SP_NOTICE_DATA, "the parts hold no steps: the page draws none");
    if (!r->parts.steps)
        return SP_OK;
    r->given = (sp_given_paths){.read = read_paths, .result = result_of, .arg = r};
    r->again = r->p;
    r->again.given = &r->given;
    r->again.merging = NULL;
    r->merging.again = &r->again;
    return SP_OK;
}

/* ---- paths ---- */

static sp_status check_paths(const merge_run *r, sp_error *err)
{
    const sp_run_options *o = &r->options;
    if (!o->output)
        return SP_OK;
    if (!r->parts.info.has_scores)
        return sp_fail(err, SP_EINVAL, "`output`: these parts were made by evaluate, which writes no paths");
    if (!r->parts.steps)
        return sp_fail(err, SP_EINVAL, "`output`: %s holds no paths (`part_steps` none)", r->parts.parts[0].name);
    if (r->p.on_infeasible == SP_INFEASIBLE_RELAX)
        return sp_fail(
            err, SP_EINVAL,
            "`output`: with `on_infeasible` relax a file of paths says which rules each step breaks, which parts do not "
            "hold; use `statepath decode`");
    return SP_OK;
}

/* One recording after the other; `room` grows to the longest. */
static sp_status write_paths(merge_run *r, const sp_comparison *made, sp_error *err)
{
    const sp_path_sink *sink = r->p.sink;
    const sp_merged_parts *m = &r->parts;
    int64_t longest = 1;
    for (int64_t n = 0; n < m->n_recordings; n++)
        longest = m->offsets[n + 1] - m->offsets[n] > longest ? m->offsets[n + 1] - m->offsets[n] : longest;
    int32_t *path = malloc((size_t)longest * sizeof *path);
    sp_block *block = sp_block_new();
    sp_status status = path && block ? sink->open(sink->arg, err) : sp_no_memory(err);
    for (int64_t n = 0; status == SP_OK && n < m->n_recordings; n++) {
        const sp_part part = {.recording = n, .count = 1};
        const int64_t first = m->offsets[n], T = m->offsets[n + 1] - first;
        for (int s = 0; status == SP_OK && s < r->p.n_strategies; s++) {
            sp_decoded result = made->strategies[s].recordings[n].decoded;
            const sp_decode_output output = {.paths = path, .results = &result};
            status = read_paths(r, s, &part, path, NULL, err);
            if (status == SP_OK)
                status = sink->put(sink->arg, s, n, 1, first, T, &output, err);
        }
        if (status == SP_OK)
            status = read_block(r, &part, SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS, block, err);
        if (status == SP_OK)
            status = sink->labels(sink->arg, first, T, block->labels, block->segments, err);
        if (status == SP_OK)
            status = sp_run_go_on(&r->options, err);
    }
    free(path);
    sp_block_free(block);
    return status;
}

/* ---- all of it ---- */

static sp_status join(merge_run *r, sp_comparison **made, sp_error *err)
{
    sp_merged_parts *m = &r->parts;
    r->counted = sp_zeros(&r->own, (size_t)m->n_parts, sizeof *r->counted);
    if (!r->counted)
        return sp_no_memory(err);
    for (int64_t i = 0; i < m->n_parts; i++)
        r->counted[i] = (sp_counted_part){m->parts[i].name, &m->parts[i].counted};
    r->merging.n_parts = m->n_parts;
    r->merging.parts = m->parts;
    r->merging.joining =
        (sp_joining){.n_parts = m->n_parts, .n_recordings = m->n_recordings, .parts = r->counted, .order = m->order};
    r->p.merging = &r->merging;
    sp_status status = sp_pipeline_evaluate(&r->p, made, err);
    if (status == SP_OK && m->info.has_scores)
        (*made)->fitted_on_input = sp_is_fitted_on(r->p.model, &m->info);
    return status;
}

sp_status sp_merge_files(int64_t n, const char *const *files, const sp_run_options *given, sp_comparison **out,
                         sp_run_result *result, sp_error *err)
{
    merge_run r = {.scaled = {.n = 0}};
    sp_comparison *made = NULL;
    sp_status status = n > 0 ? sp_merged_parts_open(&r.parts, n, files, given->part.allow_missing, err)
                             : sp_fail(err, SP_EINVAL, "no part is named");
    if (status == SP_OK)
        status = read_options(&r, given, err);
    if (status == SP_OK)
        status = open_pipeline(&r, err);
    if (status == SP_OK)
        status = check_paths(&r, err);
    if (status == SP_OK)
        status = sp_path_file_open(&r.paths, &r.p, err);
    if (status == SP_OK)
        status = open_drawn(&r, err);
    if (status == SP_OK)
        status = join(&r, &made, err);
    if (status == SP_OK && r.parts.missing && !(made->missing_parts = strdup(r.parts.missing)))
        status = sp_no_memory(err);
    if (status == SP_OK && r.p.sink)
        status = write_paths(&r, made, err);
    if (status == SP_OK && r.parts.missing)
        sp_run_notice(&r.options, SP_NOTICE_DATA, "parts are missing: %s", r.parts.missing);
    if (r.paths.p)
        status = sp_path_file_close(&r.paths, status, err);
    sp_pipeline_result(&r.p, result);
    if (r.has_inputs) {
        sp_pipeline_close(&r.again);
        sp_file_input_close(&r.in);
    }
    r.p.raters.found = (sp_scorers_found){0, NULL};
    sp_pipeline_close(&r.p);
    sp_calibration_close(&r.scaled);
    sp_merged_parts_close(&r.parts);
    sp_owned_free(&r.own);
    if (status == SP_OK)
        *out = made;
    else
        sp_comparison_free(made);
    return status;
}
