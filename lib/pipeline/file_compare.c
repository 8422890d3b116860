/* sp_compare_file() and sp_decode_file(): the file of scores is opened, paths are written, folds fitted. */
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "io/source.h"
#include "learn/learn.h"
#include "pipeline/compare.h"
#include "pipeline/file_against.h"
#include "pipeline/file_open.h"
#include "pipeline/file_paths.h"
#include "pipeline/parts/file_part.h"
#include "pipeline/run.h"

/* ---- folds ---- */

/* Models of the folds, and what they were fitted to: the whole file in memory. */
typedef struct fitted_folds {
    sp_folds folds;
    sp_run_options options;
    sp_fitting fit;
} fitted_folds;

static void folds_close(fitted_folds *c)
{
    for (int32_t f = 0; c->folds.models && f < c->folds.n_folds; f++)
        sp_model_free(c->folds.models[f]);
    free(c->folds.models);
    free(c->folds.fold);
    sp_fitting_close(&c->fit);
}

/* Fits them. o->groups keeps recordings together. On failure the folds can (and must) still be closed. */
static sp_status fit(fitted_folds *c, const char *file, const sp_run_options *o, sp_error *err)
{
    sp_folds *folds = &c->folds;
    c->options = *o;
    if (o->fit.rules)
        c->options.model = o->fit.rules;
    sp_status status = sp_fitting_open(&c->fit, file, &c->options, err);
    if (status != SP_OK)
        return status;
    const sp_training *training = folds->training = &c->fit.training;
    if (!training->labels)
        return sp_fail(err, SP_EINVAL, "`cv` judges by labels, but %s has none; `labels` PATH says where they are", file);
    folds->n_folds = o->n_folds;
    folds->fold = malloc((size_t)(c->fit.info->n_recordings + 1) * sizeof *folds->fold);
    if (!folds->fold)
        return sp_no_memory(err);
    status = sp_folds_assign(&training->batch, c->fit.options.group, o->n_folds, folds->fold, err);
    if (status != SP_OK)
        return status;
    sp_model **models = calloc((size_t)o->n_folds, sizeof(sp_model *));
    if (!models)
        return sp_no_memory(err);
    status = sp_cross_fit(training, &c->fit.options, o->n_folds, folds->fold, c->fit.workers, models, err);
    sp_run_progress(o, NULL, 0, 0);
    if (status == SP_OK)
        folds->models = models;
    else
        free(models);
    return status;
}

/* Each model brings its own temperature, so the scores stay as they are. */
static sp_status decode_by_folds(fitted_folds *c, sp_pipeline *p, sp_error *err)
{
    const sp_run_options *o = p->opt;
    if (o->decode.clamp || !isnan(o->decode.temperature) || !isnan(o->decode.transition_weight) || !isnan(o->decode.prior_weight))
        return sp_fail(err, SP_EINVAL,
                       "`cv` fits temperature and weights itself, and `clamp` would show it the answers; leave "
                       "`temperature`, `transition_weight`, `prior_weight` and `clamp` out");
    if (o->confidence || o->n_best)
        return sp_fail(err, SP_EINVAL,
                       "`confidence` and `nbest` speak of one model, `cv` decodes with a model a fold; leave them out, or fit a "
                       "model and compare with that");
    sp_status status = fit(c, p->file, o, err);
    p->prepare.temperature = 1;
    p->prepare.prior_weight = 0;
    p->folds = status == SP_OK ? &c->folds : NULL;
    return status;
}

/* ---- decoding and comparing ---- */

typedef struct file_run {
    sp_run_options options; /* as given, with the file of labels in its place */
    sp_pipeline p;
    sp_file_against against;
    sp_file_input in;
    sp_path_file paths;
    fitted_folds folds;
    calibration scaled;
    sp_part_run part;
} file_run;

static sp_status close_run(file_run *r, sp_status status, sp_run_result *result, sp_error *err)
{
    status = sp_path_file_close(&r->paths, status, err);
    status = sp_part_run_close(&r->part, &r->p, status, err);
    sp_pipeline_result(&r->p, result);
    sp_file_against_close(&r->against);
    sp_pipeline_close(&r->p);
    sp_file_input_close(&r->in);
    sp_calibration_close(&r->scaled);
    folds_close(&r->folds);
    return status;
}

/* Does a name stand for files that are there: one, a folder, a pattern? */
static sp_status are_files(const char *name, bool *are, sp_error *err)
{
    struct stat info;
    sp_file_list *list = NULL;
    sp_status status = sp_file_list_new(name, NULL, &list, err);
    *are = status == SP_OK && (list->is_several || (stat(name, &info) == 0 && S_ISREG(info.st_mode)));
    sp_file_list_free(list);
    return status == SP_ENOMEM ? status : SP_OK; /* a pattern that nothing completes is one of datasets */
}

/* `labels` is a dataset beside the scores, or a file or several: then it is moved to `reference`. */
static sp_status find_labels(sp_run_options *o, sp_error *err)
{
    bool are = false;
    if (o->place.labels && o->reference)
        return sp_fail(err, SP_EINVAL, "`labels` and `reference` both say where the labels are; leave one of them out");
    sp_status status = o->place.labels ? are_files(o->place.labels, &are, err) : SP_OK;
    if (status != SP_OK)
        return status;
    if (are) {
        o->reference = o->place.labels;
        o->place.labels = NULL;
    }
    if (o->labels_dataset && !o->reference)
        return sp_fail(err, SP_EINVAL, "`labels_dataset` is a dataset in the file of labels, which `labels` FILE names");
    if (o->n_folds && (o->reference || o->against))
        return sp_fail(
            err, SP_EINVAL,
            "`cv` fits models to one file of scores and labels; leave `%s` out, or fit first (statepath fit) and compare "
            "with that model",
            o->reference ? "reference" : "against");
    return SP_OK;
}

sp_status sp_compare_file(const char *file, const sp_run_options *given, sp_comparison **out, sp_run_result *result,
                          sp_error *err)
{
    file_run r = {.options = *given};
    sp_run_options *o = &r.options;
    sp_pipeline *p = &r.p;
    sp_comparison *made = NULL;
    const char *strategies = o->strategies ? o->strategies : sp_usual_strategies;
    sp_status status = find_labels(o, err);
    if (status != SP_OK)
        return status;
    status = sp_pipeline_open_file(p, &r.in, file, o, strategies, err);
    if (status == SP_OK && o->n_folds)
        status = decode_by_folds(&r.folds, p, err);
    if (status == SP_OK)
        status = sp_file_against_open(&r.against, p, &r.in, strategies, err);
    if (status == SP_OK)
        status = sp_path_file_open(&r.paths, p, err);
    if (status == SP_OK)
        status = sp_pipeline_open_comparison(p, &r.scaled, err);
    if (status == SP_OK)
        status = sp_source_subjects(r.in.source, o->groups, &p->subjects, err);
    if (status == SP_OK)
        status = sp_pipeline_find_raters(p, o->reference ? r.in.reference.source : r.in.source, p->info->n_classes, err);
    if (status == SP_OK)
        status = sp_part_run_open(&r.part, p, err);
    if (status == SP_OK)
        status = sp_pipeline_compare(p, &made, err);
    status = close_run(&r, status, result, err);
    if (status == SP_OK)
        *out = made;
    else
        sp_comparison_free(made);
    return status;
}

/* Written with the paths, so that an evaluation of them alone knows whose they are. Decoding does not need them. */
static sp_status find_subjects(file_run *r, sp_error *err)
{
    sp_error own = {.status = SP_OK};
    sp_status status = sp_source_subjects(r->in.source, NULL, &r->p.subjects, &own);
    if (status == SP_ENOMEM)
        return sp_fail(err, status, "%s", own.message);
    if (status != SP_OK)
        sp_run_notice(r->p.opt, SP_NOTICE_DATA, "subjects are not passed on to the paths: %s", own.message);
    return SP_OK;
}

sp_status sp_decode_file(const char *file, const sp_run_options *o, sp_run_result *result, sp_error *err)
{
    file_run r = {.scaled = {.n = 0}};
    sp_status status = sp_pipeline_open_file(&r.p, &r.in, file, o, o->strategies ? o->strategies : "viterbi", err);
    if (status == SP_OK)
        status = sp_path_file_open(&r.paths, &r.p, err);
    if (status == SP_OK)
        status = sp_pipeline_check_decoding(&r.p, err);
    if (status == SP_OK)
        status = find_subjects(&r, err);
    if (status == SP_OK)
        status = sp_pipeline_run(&r.p, NULL, err);
    return close_run(&r, status, result, err);
}
