#include "train_run.h"

#include "core/try.h"
#include "statepath/model.h"
#include "statepath/model_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- data ---- */

/* Adds the steps of all recordings of one part; part 1 is for testing. */
static sp_status read_part(sp_train_run *t, int part, int64_t *n, sp_error *err)
{
    const sp_signals_info *info = t->info;
    const size_t width = sp_train_width(t), k = (size_t)info->n_classes;
    sp_status status = SP_OK;
    for (int64_t r = 0; r < info->n_recordings; r++) {
        if ((info->split ? info->split[r] : 0) != part)
            continue;
        int64_t first = info->offsets[r], count = info->offsets[r + 1] - first;
        TRY(sp_signals_read(t->file, first, count, t->signals + (size_t)*n * width, err));
        for (int64_t i = 0; i < count; i++, ++*n) {
            t->step_of_row[*n] = first + i;
            t->labels[*n] = info->labels[first + i];
            t->previous[*n] = i > 0 ? info->labels[first + i - 1] : -1;
            if (t->weights)
                t->weights[*n] = info->weights[first + i];
            if (t->mask)
                memcpy(t->mask + (size_t)*n * k, info->mask + (size_t)(first + i) * k, k);
        }
    }
done:
    return status;
}

static sp_status read_data(sp_train_run *t, sp_error *err)
{
    const char *file = t->plan->file;
    sp_status status = SP_OK;
    TRY(sp_signals_open(file, t->plan->signals, &t->plan->access, &t->file, err));
    t->info = sp_signals_info_of(t->file);
    if (!t->info->labels)
        return sp_fail(err, SP_EDATA,
                       "%s: has no labels to learn from; write integers [%lld] beside %s, as \"labels\"",
                       file, (long long)t->info->n_steps, t->info->path);
    if (t->info->n_classes < 1)
        return sp_fail(err, SP_EDATA, "%s: no step has a label", file);
    const size_t n = (size_t)t->info->n_steps + 1, width = sp_train_width(t);
    if (!(t->signals =
              n <= SIZE_MAX / sizeof(float) / width ? malloc(n * width * sizeof *t->signals) : NULL) ||
        !(t->labels = malloc(n * sizeof *t->labels)) || !(t->previous = malloc(n * sizeof *t->previous)) ||
        !(t->step_of_row = malloc(n * sizeof *t->step_of_row)) ||
        (t->info->weights && !(t->weights = malloc(n * sizeof *t->weights))) ||
        (t->info->mask && !(t->mask = malloc(n * (size_t)t->info->n_classes))))
        return sp_fail(err, SP_ENOMEM, "%s: training needs all signals in memory, %.1f GB", file,
                       (double)n * (double)width * sizeof(float) / 1e9);
    int64_t rows = 0;
    TRY(read_part(t, 0, &rows, err));
    t->n_train = rows;
    TRY(read_part(t, 1, &rows, err));
    t->n_test = rows - t->n_train;
done:
    return status;
}

/* ---- rules ---- */

/* The rules as a matrix in the order of the file's classes; their JSON goes with the weights. */
static sp_status read_rules(sp_train_run *t, sp_error *err)
{
    const sp_signals_info *info = t->info;
    size_t k = (size_t)info->n_classes;
    sp_model *model = NULL;
    sp_chain *chain = NULL;
    int32_t *class_of_column = malloc(k * sizeof *class_of_column);
    sp_chain_options how = sp_chain_options_default();
    how.is_boolean = true;
    how.without_rules = true;
    how.step_seconds = 1; /* what may follow what does not depend on it */
    how.class_of_column = class_of_column;
    sp_status status = SP_OK;
    if (!class_of_column || !(t->allow = malloc(k * k)))
        TRY(sp_no_memory(err));
    TRY(sp_model_load(t->plan->model, &model, err));
    TRY(sp_model_align(model, info->n_classes, info->classes, class_of_column, err));
    TRY(sp_chain_new(model, &how, &chain, err));
    for (size_t i = 0; i < k * k; i++)
        t->allow[i] = sp_chain_is_legal(chain, (int32_t)(i / k), (int32_t)(i % k));
    if (!(t->model_name = strdup(model->name)))
        TRY(sp_no_memory(err));
    if (sp_masking_needs_rules(t->origin.masking))
        TRY(sp_model_to_json(model, &t->origin.model, err));
done:
    sp_chain_free(chain);
    sp_model_free(model);
    free(class_of_column);
    return status;
}

/* ---- the network ---- */

static sp_status check_mask(const sp_train_run *t, sp_error *err)
{
    if (t->origin.masking != SP_MASKING_STEP_MASK || t->mask)
        return SP_OK;
    return sp_fail(err, SP_EDATA,
                   "%s: `masking` step-mask needs masks; write 0 and 1 [%lld, %d] beside %s, as \"mask\": 1 "
                   "where a class can occur",
                   t->info->file, (long long)t->info->n_steps, (int)t->info->n_classes, t->info->path);
}

static sp_status begin(sp_train_run *t, sp_error *err)
{
    const sp_train_plan *o = t->plan;
    const sp_signals_info *info = t->info;
    t->origin = (sp_weights_origin){.batch = o->batch ? o->batch : 32,
                                    .seed = o->seed ? (uint32_t)o->seed : 1,
                                    .rate = isnan(o->rate) ? 0.001 : o->rate,
                                    .masking = o->has_masking ? o->masking : SP_MASKING_NONE};
    sp_network_shape shape = sp_network_shape_default(info->n_channels, info->n_samples, info->n_classes);
    sp_status status = SP_OK;
    TRY(check_mask(t, err));
    TRY(sp_network_new(&shape, t->origin.seed, &t->network, err));
    TRY(sp_network_set_classes(t->network, info->classes, err));
    sp_network_fit_scale(t->network, t->n_train, t->signals);
    TRY(sp_training_state_new(t->network, &t->state, err));
done:
    return status;
}

/* The trainer's errors speak of a row: which recording and step that is. */
static sp_status place(const sp_train_run *t, sp_status status, const sp_error *cause, sp_error *err)
{
    if (status == SP_OK || cause->step < 0 || cause->step >= t->n_train + t->n_test)
        return sp_fail(err, status, "%s", cause->message);
    int64_t step = t->step_of_row[cause->step], r = 0;
    while (t->info->offsets[r + 1] <= step)
        r++;
    return sp_fail(err, status, "%s: recording %s, step %lld: %s", t->info->file, t->info->ids[r],
                   (long long)(step - t->info->offsets[r]), cause->message);
}

/* The rules, where they mask or are shown. */
static sp_status look_for_rules(sp_train_run *t, sp_error *err)
{
    const sp_train_plan *o = t->plan;
    const bool is_masking = sp_masking_needs_rules(t->origin.masking);
    if (!o->model && !is_masking)
        return SP_OK;
    if (!o->model)
        return sp_fail(err, SP_EINVAL, "train: `masking` %s needs the rules: `model` M is missing",
                       sp_masking_name(t->origin.masking));
    if (!is_masking && !o->report)
        return sp_fail(err, SP_EINVAL,
                       "train: `model` is for `masking` random-previous or true-previous, or for a `report`; "
                       "leave it out");
    return read_rules(t, err);
}

static sp_status prepare(sp_train_run *t, sp_error *err)
{
    sp_error cause = {.step = -1};
    sp_status status = SP_OK;
    TRY(read_data(t, err));
    TRY(begin(t, err));
    TRY(look_for_rules(t, err));
    const size_t n = (size_t)t->n_train;
    const sp_training_data train = {.n = t->n_train,
                                    .signals = t->signals,
                                    .labels = t->labels,
                                    .previous = t->previous,
                                    .weights = t->weights,
                                    .mask = t->mask},
                           test = {.n = t->n_test,
                                   .signals = t->signals + n * sp_train_width(t),
                                   .labels = t->labels + n,
                                   .previous = t->previous + n,
                                   .weights = t->weights ? t->weights + n : NULL,
                                   .mask = t->mask ? t->mask + n * (size_t)t->info->n_classes : NULL};
    sp_training_options how = sp_training_options_default();
    how.batch = t->origin.batch;
    how.rate = t->origin.rate;
    how.seed = t->origin.seed;
    how.masking = t->origin.masking;
    how.allow = t->allow;
    how.threads = t->plan->threads;
    status = sp_trainer_new(t->network, t->state, &train, &test, &how, &t->trainer, &cause);
    if (status != SP_OK)
        status = place(t, status, &cause, err);
done:
    return status;
}

/* ---- epochs ---- */

static void tell(const sp_train_run *t, sp_train_news news)
{
    if (t->plan->told)
        t->plan->told(t->plan->arg, &news);
}

static void tell_steps(void *arg, int64_t n_steps)
{
    tell(arg, (sp_train_news){.what = SP_TRAIN_STEPS, .n_steps = n_steps});
}

static sp_status run_epochs(sp_train_run *t, sp_error *err)
{
    const sp_train_plan *o = t->plan;
    const int epochs = o->epochs ? o->epochs : 12;
    sp_status status = SP_OK;
    tell(t, (sp_train_news){.what = SP_TRAIN_BEGINS,
                            .epoch = t->state->n_epochs,
                            .has_weights = t->weights != NULL,
                            .file = t->info->file});
    for (bool is_first = true; t->state->n_epochs < epochs; is_first = false) {
        sp_train_news news = {.what = SP_TRAIN_EPOCH_BEGINS,
                              .epoch = t->state->n_epochs + 1,
                              .n_epochs = epochs,
                              .n_steps = t->n_train};
        tell(t, news);
        status = sp_trainer_epoch(t->trainer, tell_steps, t, err);
        news.what = SP_TRAIN_EPOCH_ENDS;
        news.result = status == SP_OK ? &t->state->epochs[t->state->n_epochs - 1] : NULL;
        tell(t, news);
        if (status != SP_OK)
            return status;
        TRY(sp_weights_save(t->network, t->state, &t->origin, o->output, o->force || !is_first, err));
    }
    tell(t, (sp_train_news){.what = SP_TRAIN_WROTE, .file = o->output});
done:
    return status;
}

/* ---- all of it ---- */

static void run_clear(sp_train_run *t)
{
    sp_trainer_free(t->trainer);
    sp_training_state_free(t->state);
    sp_network_free(t->network);
    sp_weights_origin_clear(&t->origin);
    sp_signals_close(t->file);
    free(t->step_of_row);
    free(t->signals);
    free(t->labels);
    free(t->previous);
    free(t->weights);
    free(t->mask);
    free(t->allow);
    free(t->model_name);
}

static sp_status check_plan(const sp_train_plan *o, sp_error *err)
{
    if (o->epochs < 0 || o->epochs > 1000000)
        return sp_fail(err, SP_EINVAL, "`epochs` %d: a number from 1 to 1000000", o->epochs);
    if (o->batch < 0)
        return sp_fail(err, SP_EINVAL, "`batch` %d: steps of a batch, from 1 to 1048576", o->batch);
    if (o->seed < 0 || o->seed > UINT32_MAX)
        return sp_fail(err, SP_EINVAL, "`seed` %ld: a number from 1 to 4294967295", o->seed);
    return SP_OK;
}

sp_status sp_train_file(const sp_train_plan *plan, sp_error *err)
{
    sp_train_run t = {.plan = plan};
    sp_status status = SP_OK;
    TRY(check_plan(plan, err));
    TRY(prepare(&t, err));
    TRY(run_epochs(&t, err));
    if (plan->report) {
        TRY(sp_train_page(&t, err));
        tell(&t, (sp_train_news){.what = SP_TRAIN_WROTE, .file = plan->report});
    }
done:
    run_clear(&t);
    return status;
}
