#include "statepath/scores.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "core/block.h"
#include "core/isa.h"
#include "core/logmath.h"
#include "core/model/windows.h"
#include "core/numbers.h"
#include "core/prepare.h"
#include "core/rows/row_check.h"
#include "core/try.h"

static const char *const kind_names[SP_N_KINDS] = {"log_probs", "probs", "logits", "scores"};

const char *sp_kind_name(sp_kind kind)
{
    return (unsigned)kind < SP_N_KINDS ? kind_names[kind] : "unknown";
}

sp_status sp_kind_parse(const char *text, sp_kind *out, sp_error *err)
{
    for (int i = 0; i < SP_N_KINDS; i++)
        if (strcmp(text, kind_names[i]) == 0) {
            *out = (sp_kind)i;
            return SP_OK;
        }
    return sp_fail(err, SP_EINVAL,
                   "`kind` %s: there is no such kind of scores; use log_probs, probs, logits or scores",
                   text);
}

sp_prepare_options sp_prepare_options_default(void)
{
    sp_prepare_options options = {.kind = SP_KIND_LOG_PROBS, .temperature = 1};
    return options;
}

sp_status sp_prepare_options_check(const sp_prepare_options *o, sp_error *err)
{
    if ((unsigned)o->kind >= SP_N_KINDS)
        return sp_fail(err, SP_EINVAL, "kind of scores %d: there are log_probs, probs, logits and scores",
                       (int)o->kind);
    if (!(o->floor >= 0 && o->floor < 1))
        return sp_fail(err, SP_EINVAL,
                       "`floor` %.6g: the smallest probability must lie between 0 (none) and 1", o->floor);
    if (o->floor > 0 && o->kind == SP_KIND_SCORES)
        return sp_fail(err, SP_EINVAL,
                       "`floor` %.6g: these are scores, not probabilities, so a smallest probability means "
                       "nothing; leave "
                       "it out, of the model too, or say what they are with `kind`",
                       o->floor);
    if (!(o->temperature > 0 && isfinite(o->temperature)))
        return sp_fail(err, SP_EINVAL,
                       "`temperature` %.6g: scores are divided by it; it must be greater than 0 and finite",
                       o->temperature);
    if (!isfinite(o->prior_weight))
        return sp_fail(err, SP_EINVAL, "`prior_weight` %.6g: it must be a finite number", o->prior_weight);
    if (o->prior_weight != 0 && !o->log_prior)
        return sp_fail(err, SP_EINVAL,
                       "`prior_weight` %.6g needs the class frequencies of the classifier's training set: "
                       "add \"prior\" to the "
                       "model",
                       o->prior_weight);
    return SP_OK;
}

sp_status sp_prepare_by_model(sp_prepare_options *o, const sp_model *model, const int32_t *class_of_column,
                              double *log_prior, sp_error *err)
{
    if (isnan(o->temperature))
        o->temperature = isnan(model->temperature) ? 1 : model->temperature;
    if (isnan(o->prior_weight))
        o->prior_weight = isnan(model->prior_weight) ? 0 : model->prior_weight;
    if (isnan(o->floor))
        o->floor = isnan(model->floor) ? 0 : model->floor;
    o->windows = model->windows;
    o->class_of_column = class_of_column;
    if (o->prior_weight == 0)
        return SP_OK;
    if (!model->prior)
        return sp_fail(err, SP_EINVAL, "`prior_weight` needs class frequencies: model %s has no \"prior\"",
                       model->name);
    for (int32_t c = 0; c < model->n_classes; c++)
        log_prior[c] = log(model->prior[class_of_column ? class_of_column[c] : c]);
    o->log_prior = log_prior;
    return SP_OK;
}

/* What options_check could not see: the prior's numbers and the block's labels. */
static sp_status check_against_block(const sp_block *block, const sp_prepare_options *o, sp_error *err)
{
    for (int32_t k = 0; o->prior_weight != 0 && k < block->n_classes; k++) {
        if (isfinite(o->log_prior[k]))
            continue;
        char number[32];
        snprintf(number, sizeof number, "%d", (int)k);
        return sp_fail(err, SP_EINVAL,
                       "`prior_weight` %.6g: class %s has prior %.6g, which cannot be divided by; give the "
                       "model a \"prior\" "
                       "greater than 0 for every class",
                       o->prior_weight, block->classes ? block->classes[k] : number, exp(o->log_prior[k]));
    }
    if (o->clamp && !block->labels)
        return sp_fail(err, SP_EINVAL,
                       "%s%s`clamp` needs labels, and there are none; name them with `labels`",
                       block->file ? block->file : "", block->file ? ": " : "");
    return SP_OK;
}

/* Steps 5 and 6: e = e / temperature - prior_weight * log_prior[k]. Returns the first class whose finite score did not stay
 * finite, or -1. */
static int32_t scale_row(double *e, int32_t n_classes, const sp_prepare_options *o)
{
    int32_t lost = -1;
    for (int32_t k = n_classes; k-- > 0;) {
        double x = e[k] / o->temperature;
        if (o->prior_weight != 0)
            x -= o->prior_weight * o->log_prior[k];
        if (!isfinite(x) && e[k] != -INFINITY)
            lost = k;
        e[k] = x;
    }
    return lost;
}

static inline void *row_of(const sp_block *block, int64_t t)
{
    return (char *)block->scores + (size_t)t * (size_t)block->n_classes * (size_t)block->dtype;
}

static bool is_scaled(const sp_prepare_options *o)
{
    return o->temperature != 1 || o->prior_weight != 0;
}

/* Steps 3 to 6 compute, and log(floor) is no float: rounded it would be off by 6e-8 nats at each step that it stands in. */
bool sp_prepare_widens(const sp_prepare_options *o)
{
    return o->kind == SP_KIND_PROBS || o->kind == SP_KIND_LOGITS || o->floor > 0 || o->windows ||
           is_scaled(o);
}

SP_ALWAYS_INLINE void widen_any(const float *restrict from, int64_t n, double *restrict to)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = (double)from[i];
}

SP_FOR_EACH_ISA(void, widen, (const float *restrict from, int64_t n, double *restrict to),
                widen_any(from, n, to);)

/* Step 3 for rows first .. first+count-1, none of them missing; narrow: their floats, which have yet to be widened, or NULL. */
static void take_logs(sp_block *block, const sp_prepare_options *o, const float *narrow, int64_t first,
                      int64_t count)
{
    const int32_t K = block->n_classes;
    void *rows = row_of(block, first);
    if (o->kind == SP_KIND_PROBS && narrow) {
        sp_logs_of_floats(narrow, count * K, rows);
        return;
    }
    if (narrow)
        SP_BY_ISA(widen, sp_isa_current())(narrow, count * K, rows);
    if (o->kind == SP_KIND_PROBS)
        sp_logs(rows, count * K);
    if (o->kind == SP_KIND_LOGITS)
        sp_log_softmax_rows(rows, count, K);
}

/* Steps 4 to 6 for the same rows. */
static sp_status transform_rows(sp_block *block, const sp_prepare_options *o, int64_t first, int64_t count,
                                sp_prepare_counts *counts, sp_error *err)
{
    int32_t n_classes = block->n_classes;
    if (o->floor > 0)
        counts->floored += number_raise(row_of(block, first), count * n_classes, log(o->floor));
    for (int64_t t = first; t < first + count && is_scaled(o); t++) {
        int32_t lost = scale_row(row_of(block, t), n_classes, o);
        if (lost >= 0) {
            char place[SP_ERROR_SIZE / 2];
            int64_t step = sp_block_where(block, t, lost, place, sizeof place);
            return sp_fail_at(
                err, SP_EDATA, step,
                "%s: the score is too large for `temperature` %.6g and `prior_weight` %.6g to stay finite",
                place, o->temperature, o->prior_weight);
        }
    }
    return SP_OK;
}

/* Steps 1 to 6 for rows that are not all plain: one by one. */
static sp_status transform_one_by_one(sp_block *block, const sp_prepare_options *o, int64_t first,
                                      int64_t count, sp_prepare_counts *counts, sp_error *err)
{
    for (int64_t t = first; t < first + count; t++) {
        bool is_missing;
        sp_status status = sp_row_check(block, o, t, &is_missing, err);
        if (status == SP_OK && is_missing) {
            memset(row_of(block, t), 0,
                   (size_t)block->n_classes * (size_t)block->dtype); /* 0.0 in every type */
            counts->missing++;
        } else if (status == SP_OK) {
            take_logs(block, o, NULL, t, 1);
            status = transform_rows(block, o, t, 1, counts, err);
        }
        if (status != SP_OK)
            return status;
    }
    return SP_OK;
}

/* Steps 7 and 8. */
static sp_status restrict_rows(sp_block *block, const sp_prepare_options *o, int64_t first, int64_t count,
                               sp_prepare_counts *counts, sp_error *err)
{
    int32_t n_classes = block->n_classes;
    if (block->mask) {
        const uint8_t *mask = block->mask + (size_t)first * (size_t)n_classes;
        void *rows = row_of(block, first);
        counts->masked += block->dtype == SP_F32 ? number_mask(rows, SP_F32, count * n_classes, mask)
                                                 : number_mask(rows, SP_F64, count * n_classes, mask);
    }
    for (int64_t t = first; o->clamp && t < first + count; t++) {
        int32_t label = block->labels[t];
        if (label >= n_classes) {
            char place[SP_ERROR_SIZE / 2];
            int64_t step = sp_block_where(block, t, -1, place, sizeof place);
            return sp_fail_at(err, SP_EDATA, step,
                              "%s: label %d is none of the %d classes, so `clamp` cannot fix it", place,
                              (int)label, (int)n_classes);
        }
        if (label >= 0)
            number_clamp(row_of(block, t), block->dtype, n_classes, label);
    }
    return SP_OK;
}

/* ---- on several threads ---- */

/* Rows are shared out in shares of consecutive ones; inside a share all steps are taken on a few rows while they are in the
 * nearest cache, then on the next few. */
enum { FEW_SCORES = 4096, SHARE_SCORES = 1 << 18 };

typedef struct prepare_work {
    sp_block *block;
    const sp_prepare_options *options;
    const float *narrow; /* [S,K] the scores, where they have yet to be widened into the block; or NULL */
    int64_t few, share;  /* rows */
    atomic_llong floored, missing, masked;
    atomic_llong failed; /* the first share known to have failed, or INT64_MAX */
    pthread_mutex_t lock;
    sp_error err; /* of that share; under the lock */
} prepare_work;

static sp_status prepare_rows(prepare_work *w, int64_t first, int64_t last, sp_prepare_counts *counts,
                              sp_error *err)
{
    sp_block *block = w->block;
    const sp_prepare_options *o = w->options;
    const int32_t K = block->n_classes;
    sp_status status = SP_OK;
    for (int64_t t = first; t < last; t += w->few) {
        int64_t count = last - t < w->few ? last - t : w->few;
        const float *narrow = w->narrow ? w->narrow + t * K : NULL;
        if (sp_rows_are_plain(narrow ? narrow : row_of(block, t), narrow ? SP_F32 : block->dtype, K, o->kind,
                              count)) {
            take_logs(block, o, narrow, t, count);
            TRY(transform_rows(block, o, t, count, counts, err));
        } else {
            if (narrow)
                SP_BY_ISA(widen, sp_isa_current())(narrow, count * K, row_of(block, t));
            TRY(transform_one_by_one(block, o, t, count, counts, err));
        }
        TRY(restrict_rows(block, o, t, count, counts, err));
    }
done:
    return status;
}

/* Shares first .. last-1. Those after a failed one are left alone, those before it never: so the first bad row of the block is
 * always found. */
static void prepare_shares(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    prepare_work *w = arg;
    (void)scratch;
    for (int64_t share = first; share < last && share < w->failed; share++) {
        int64_t begin = share * w->share, n_steps = w->block->n_steps;
        sp_prepare_counts counts = {0};
        sp_error err;
        sp_status status =
            prepare_rows(w, begin, n_steps - begin < w->share ? n_steps : begin + w->share, &counts, &err);
        w->floored += counts.floored;
        w->missing += counts.missing;
        w->masked += counts.masked;
        if (status == SP_OK)
            continue;
        pthread_mutex_lock(&w->lock);
        if (share < w->failed) {
            w->failed = share;
            w->err = err;
        }
        pthread_mutex_unlock(&w->lock);
    }
}

static sp_status run_shares(sp_block *block, const sp_prepare_options *o, const float *narrow,
                            sp_workers *workers, sp_prepare_counts *counts, sp_error *err)
{
    prepare_work w = {.block = block,
                      .options = o,
                      .narrow = narrow,
                      .failed = INT64_MAX,
                      .lock = PTHREAD_MUTEX_INITIALIZER};
    w.few = block->n_classes < FEW_SCORES ? FEW_SCORES / block->n_classes : 1;
    w.share = block->n_classes < SHARE_SCORES ? SHARE_SCORES / block->n_classes : 1;
    sp_workers_share(workers, (block->n_steps + w.share - 1) / w.share, prepare_shares, &w);
    pthread_mutex_destroy(&w.lock);
    if (w.failed != INT64_MAX) {
        if (err)
            *err = w.err;
        return w.err.status;
    }
    if (counts) {
        counts->floored += w.floored;
        counts->missing += w.missing;
        counts->masked += w.masked;
    }
    return SP_OK;
}

/* Steps 1 to 4, windows, and 5 to 8. */
static sp_status run_with_windows(sp_block *block, const sp_prepare_options *o, const float *narrow,
                                  sp_workers *workers, sp_prepare_counts *counts, sp_error *err)
{
    const int64_t n = block->n_steps * block->n_classes;
    uint8_t *mask = block->mask;
    sp_prepare_counts before = {0}, after = {0};
    sp_prepare_options first = *o, last = *o;
    first.temperature = 1;
    first.prior_weight = 0;
    first.clamp = false;
    last.kind = SP_KIND_SCORES;
    last.missing_uniform = true; /* NaN again for steps that say nothing, which 5 and 6 leave alone */
    last.floor = 0;
    block->mask = NULL;
    sp_status status = run_shares(block, &first, narrow, workers, &before, err);
    block->mask = mask;
    TRY(status);
    TRY(sp_block_keep_given(block, err));
    TRY(sp_windows_apply_block(o->windows, o->class_of_column, block, workers, err));
    TRY(run_shares(block, &last, NULL, workers, &after, err));
    for (int64_t i = 0; i < n; i++)
        if (((const double *)block->scores)[i] == -INFINITY)
            block->given[i] = -INFINITY;
    if (counts) {
        counts->floored += before.floored;
        counts->missing += before.missing;
        counts->masked += after.masked;
    }
done:
    return status;
}

sp_status sp_prepare(sp_block *block, const sp_prepare_options *options, sp_workers *workers,
                     sp_prepare_counts *counts, sp_error *err)
{
    const sp_prepare_options *o = options;
    sp_status status = sp_prepare_options_check(o, err);
    if (status == SP_OK)
        status = check_against_block(block, o, err);
    const float *narrow = NULL;
    if (status == SP_OK)
        status = sp_block_take_off(block, o->prior_weight, o->log_prior, err);
    block->given = NULL;
    if (status == SP_OK && sp_prepare_widens(o))
        status = sp_block_widen(block, &narrow, err);
    if (status != SP_OK || block->n_classes == 0 || block->n_steps == 0)
        return status;
    return (o->windows ? run_with_windows : run_shares)(block, o, narrow, workers, counts, err);
}
