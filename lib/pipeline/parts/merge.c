#include "pipeline/parts/merge.h"

#include <string.h>

#include "core/try.h"
#include "pipeline/compare.h"
#include "pipeline/fused.h"
#include "pipeline/judging.h"
#include "pipeline/options.h"
#include "pipeline/parts/part_run.h"
#include "pipeline/path_source.h"
#include "statepath/comparison.h"
#include "statepath/model_json.h"

json_t *sp_merge_member(const sp_merge_run *r, const char *key)
{
    return json_object_get(r->parts.parts[0].header, key);
}

static bool has(const sp_merge_run *r, const char *what)
{
    return json_is_true(json_object_get(sp_merge_member(r, "has"), what));
}

static sp_status read_options(sp_merge_run *r, const sp_run_options *given, sp_error *err)
{
    sp_run_options *o = &r->options;
    *o = sp_run_options_default();
    if (!sp_part_options_read(sp_merge_member(r, "options"), &r->own, o) ||
        !json_is_string(sp_merge_member(r, "model")))
        return sp_fail(err, SP_EDATA,
                       "%s: its options are none that this program knows; it is damaged: make it again",
                       r->parts.parts[0].name);
    o->model_text = json_string_value(sp_merge_member(r, "model"));
    o->output = given->output;
    o->force = given->force;
    o->together = given->together;
    o->trace_steps = given->trace_steps;
    o->what_if_bytes = given->what_if_bytes;
    o->hooks = given->hooks;
    o->decode.threads = given->decode.threads;
    o->draw = given->draw ? given->draw : o->draw;
    o->command = json_string_value(json_object_get(sp_merge_member(r, "command"), "text"));
    return SP_OK;
}

/* ---- recordings of parts ---- */

static sp_status read_block(void *arg, const sp_part *part, unsigned parts, sp_block *block, sp_error *err)
{
    const sp_merge_run *r = arg;
    const sp_status status =
        sp_block_begin(block, &r->parts.info, part, parts & (SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS), err);
    for (int64_t i = 0; status == SP_OK && i < block->n_recordings; i++) {
        const int64_t first = part->count ? 0 : part->first, at = block->offsets[i],
                      n = block->offsets[i + 1] - at;
        if (block->labels)
            sp_merged_parts_steps(&r->parts, part->recording + i, SP_KEPT_LABELS, first, n,
                                  block->labels + at, NULL);
        if (block->segments)
            sp_merged_parts_steps(&r->parts, part->recording + i, SP_KEPT_SEGMENTS, first, n, NULL,
                                  block->segments + at);
    }
    return status;
}

/* Undecoded is what is -1 throughout; the rest of the results is among the counts. */
static sp_status read_paths(void *arg, int32_t s, const sp_part *part, int32_t *paths, sp_decoded *results,
                            sp_error *err)
{
    const sp_merge_run *r = arg;
    const int64_t count = part->count ? part->count : 1, *offsets = r->parts.offsets + part->recording;
    (void)err;
    for (int64_t i = 0, at = 0; i < count; i++) {
        const int64_t first = part->count ? 0 : part->first,
                      n = part->count ? offsets[i + 1] - offsets[i] : part->n;
        sp_merged_parts_steps(&r->parts, part->recording + i, SP_KEPT_PATHS + s, first, n, paths + at, NULL);
        bool is_undecoded = n > 0;
        for (int64_t t = at; is_undecoded && t < at + n; t++)
            is_undecoded = paths[t] == -1;
        if (results)
            results[i] = (sp_decoded){.status = is_undecoded ? SP_ENOPATH : SP_OK, .step = -1};
        at += n;
    }
    return SP_OK;
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
    *seconds = json_number_value(sp_merge_member(arg, "seconds"));
    return SP_OK;
}

/* ---- the pipeline ---- */

/* As the run had it: a strategy that was decoded is written as sp_strategy_format() writes it. */
static bool add_name(sp_pipeline *p, const char *name, bool is_decoded)
{
    const int s = p->n_strategies++;
    sp_strategy *strategy = &p->plan.strategies[s];
    if (is_decoded && (sp_strategy_parse(name, strategy, NULL) != SP_OK ||
                       strcmp(sp_strategy_format(strategy, p->texts[s]), name) != 0))
        return false;
    for (int before = 0; before < s; before++)
        if (strcmp(p->names[before], name) == 0)
            return false;
    p->names[s] = name;
    p->plan.n_strategies = is_decoded ? p->n_strategies : 0;
    return true;
}

static sp_status name_strategies(sp_merge_run *r, sp_error *err)
{
    const json_t *list = sp_merge_member(r, "strategies");
    const size_t n = json_array_size(list);
    bool is_right = n >= 1 && n <= SP_RUN_STRATEGIES;
    for (size_t s = 0; is_right && s < n; s++)
        is_right = add_name(&r->p, json_string_value(json_array_get(list, s)), r->parts.info.has_scores);
    if (is_right && r->parts.info.has_scores)
        sp_pipeline_use_plan(&r->p, &r->p.plan);
    return is_right ? SP_OK
                    : sp_fail(err, SP_EDATA,
                              "%s: its strategies are not those of a run of this program; it is damaged: "
                              "make it again",
                              r->parts.parts[0].name);
}

static sp_status name_raters(sp_merge_run *r, sp_error *err)
{
    const json_t *list = sp_merge_member(r, "raters");
    const char **names = sp_zeros(&r->own, json_array_size(list) + 1, sizeof *names);
    for (size_t i = 0; names && i < json_array_size(list); i++)
        names[i] = json_string_value(json_array_get(list, i));
    r->p.raters.found = (sp_raters_found){(int32_t)json_array_size(list), names};
    return names ? SP_OK : sp_no_memory(err);
}

static int64_t n_calibrations(const sp_merge_run *r)
{
    return json_integer_value(json_object_get(sp_merge_member(r, "has"), "calibrations"));
}

sp_status sp_merge_use_folds(const sp_merge_run *r, sp_pipeline *p, sp_error *err)
{
    p->prepare.temperature = 1;
    p->prepare.prior_weight = 0;
    p->folds = &r->folds.folds;
    return p->fused ? sp_fused_take_folds(p->fused, p->folds, &p->prepare, err) : SP_OK;
}

static sp_status open_folds(sp_merge_run *r, sp_pipeline *p, sp_error *err)
{
    sp_status status = sp_merged_folds_open(&r->folds, &r->parts, r->options.n_folds, p->model, err);
    return status == SP_OK ? sp_merge_use_folds(r, p, err) : status;
}

/* As the runs had it that made the parts, but for reading. */
static sp_status open_pipeline(sp_merge_run *r, sp_error *err)
{
    sp_pipeline *p = &r->p;
    const bool is_decoded = r->parts.info.has_scores;
    *p = (sp_pipeline){.opt = &r->options,
                       .file = r->parts.info.file,
                       .word = r->parts.info.file,
                       .source = &sp_decoding_source};
    p->from = (sp_recordings){.info = &r->parts.info, .read = read_block, .arg = r};
    p->about.path_codes = json_string_value(sp_merge_member(r, "path_codes"));
    p->about.label_codes = json_string_value(sp_merge_member(r, "label_codes"));
    p->about.labels_file = json_string_value(sp_merge_member(r, "labels_file"));
    p->about.step_seconds = step_seconds;
    p->about.step_seconds_arg = r;
    p->likelihood.is_wanted = has(r, "nll");
    p->likelihood.calibration = is_decoded ? &r->scaled : NULL;
    p->about.has_path_scores = has(r, "path_scores");
    sp_status status = SP_OK;
    TRY(sp_run_plan_make(p->opt, SP_CALL_MERGE, &p->plan, err));
    TRY(name_strategies(r, err));
    TRY(sp_pipeline_load_model(p, err));
    p->from.n_fused = p->model->fusion ? p->model->fusion->n : 0; /* as they were decoded */
    TRY(is_decoded ? sp_pipeline_compile(p, err) : sp_pipeline_new_chains(p, 1, err));
    if (!p->workers && !(p->workers = sp_workers_new(r->options.decode.threads)))
        return sp_no_memory(err);
    if (has(r, "reliability"))
        TRY(sp_reliability_new(p->model->n_classes, &p->likelihood.reliability, err));
    if (r->options.n_folds > 0)
        TRY(open_folds(r, p, err));
    if (p->folds)
        TRY(sp_calibration_open_parts(&r->scaled, p->folds, n_calibrations(r), p->model->n_classes, err));
    else if (is_decoded)
        TRY(sp_calibration_open(&r->scaled, NULL, &p->prepare, p->model->n_classes, err));
    TRY(name_raters(r, err));
    TRY(sp_merged_parts_subjects(&r->parts, &p->plan.groups, &p->subjects, err));
    if (has(r, "length_trim")) { /* those of each recording are among the counts */
        int64_t *none = sp_zeros(&r->own, (size_t)r->parts.n_recordings, sizeof *none);
        p->about.cut_path_steps = p->about.cut_label_steps = none;
        TRY(none ? SP_OK : sp_no_memory(err));
    }
done:
    return status;
}

/* ---- all of it ---- */

sp_status sp_merge_open(sp_merge_run *r, const sp_run_options *given, sp_error *err)
{
    r->given = (sp_given_paths){.read = read_paths, .result = result_of, .arg = r};
    sp_status status = read_options(r, given, err);
    return status == SP_OK ? open_pipeline(r, err) : status;
}

void sp_merge_draw_parts(sp_merge_run *r)
{
    if (!r->parts.steps)
        return;
    r->again = r->p;
    r->again.source = &sp_given_source;
    r->again.given = &r->given;
    r->draws = true;
}

/* Adds all parts to an empty evaluation and to the pipeline's own counts; of the parts only steps are then needed. */
static sp_status join(sp_merge_run *r, sp_evaluation *evaluation, sp_error *err)
{
    const sp_merged_parts *m = &r->parts;
    sp_counted_part *counted = sp_zeros(&r->own, (size_t)m->n_parts, sizeof *counted);
    sp_status status = SP_OK;
    if (!counted)
        return sp_no_memory(err);
    for (int64_t i = 0; i < m->n_parts; i++)
        counted[i] = (sp_counted_part){m->parts[i].name, &m->parts[i].counted};
    r->joining = (sp_joining){.n_parts = m->n_parts,
                              .n_recordings = m->n_recordings,
                              .parts = counted,
                              .order = m->order,
                              .ids = m->ids};
    for (int64_t i = 0; i < m->n_parts; i++) {
        sp_counting more = {.from = &m->parts[i].run};
        sp_part_count_run(&more, &r->p);
        TRY(sp_counting_end(&more, m->parts[i].name, err));
        sp_count_list_free(&m->parts[i].run);
    }
    TRY(sp_evaluation_join(evaluation, &r->joining, r->p.workers, err));
    sp_merged_parts_drop_counts(&r->parts);
done:
    return status;
}

sp_status sp_merge_join(sp_merge_run *r, sp_comparison **out, sp_error *err)
{
    const sp_merged_parts *m = &r->parts;
    sp_comparison *made = NULL;
    sp_judging j;
    sp_status status = SP_OK;
    TRY(sp_judging_open(&j, &r->p, &(sp_judging_form){.is_part = true, .again = r->draws ? &r->again : NULL},
                        err));
    TRY(join(r, j.evaluation, err));
    TRY(sp_judging_finish(&j, &made, err));
    if (r->p.folds)
        made->n_folds = r->p.folds->n_folds;
    else if (m->info.has_scores)
        made->fitted_on_input = sp_is_fitted_on(r->p.model, &m->info);
    if (m->missing)
        TRY((made->missing_parts = strdup(m->missing)) ? SP_OK : sp_no_memory(err));
    *out = made;
    made = NULL;
done:
    sp_run_progress(&r->options, NULL, 0, 0);
    sp_comparison_free(made);
    sp_judging_close(&j);
    return status;
}

void sp_merge_tell_missing(const sp_merge_run *r)
{
    if (r->parts.missing)
        sp_run_notice(&r->options, SP_NOTICE_DATA, "parts are missing: %s", r->parts.missing);
}

void sp_merge_close(sp_merge_run *r)
{
    r->p.raters.found = (sp_raters_found){0, NULL};
    sp_pipeline_close(&r->p);
    sp_calibration_close(&r->scaled);
    sp_folds_clear(&r->folds.folds);
    sp_merged_parts_close(&r->parts);
    sp_owned_free(&r->own);
}
