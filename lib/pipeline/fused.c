#include "pipeline/fused.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/block.h"
#include "core/model/fusion.h"
#include "core/numbers.h"
#include "core/prepare.h"
#include "core/try.h"
#include "pipeline/recordings.h"

/* ---- opening ---- */

/* The first's class of each column of both; without a model by the names that the first has. */
static sp_status match_columns(sp_fused *f, const sp_source_info *theirs, const sp_model *model,
                               sp_fused_member *to, sp_error *err)
{
    const sp_source_info *ours = f->members[0].from.info;
    const int32_t K = ours->n_classes;
    sp_model *named = NULL;
    int32_t *our_class = malloc((size_t)K * sizeof *our_class),
            *their_class = malloc((size_t)theirs->n_classes * sizeof *their_class);
    sp_status status = our_class && their_class ? SP_OK : sp_no_memory(err);
    if (status != SP_OK)
        goto done;
    if (theirs->n_classes != K)
        TRY(sp_fail(
            err, SP_EDATA,
            "%s has %d classes, but %s has %d; classifiers of the same recordings need the same classes",
            to->file, theirs->n_classes, f->members[0].file, K));
    if (!model && !ours->classes != !theirs->classes)
        TRY(sp_fail(err, SP_EDATA,
                    "%s names its classes, but %s does not; name them in all files, or in none",
                    theirs->classes ? to->file : f->members[0].file,
                    theirs->classes ? f->members[0].file : to->file));
    if (!model && ours->classes)
        TRY((model = named = sp_model_new(f->members[0].file, K, ours->classes)) ? SP_OK : sp_no_memory(err));
    if (!model) /* nobody names them */
        goto done;
    TRY(sp_model_align(model, K, ours->classes, our_class, err));
    TRY(sp_model_align(model, K, theirs->classes, their_class, err));
    TRY(sp_match_columns(K, our_class, their_class, &to->matched.column_of_label, err));
done:
    sp_model_free(named);
    free(our_class);
    free(their_class);
    return status;
}

sp_status sp_fused_add(sp_fused *f, const sp_recordings *from, const char *name, double first_seconds,
                       double seconds, const sp_model *model, sp_error *err)
{
    static const char hint[] = "; where files hold other recordings by the same ids, name them as one: a "
                               "folder, or a pattern such as "
                               "'night{id}.h5'";
    if (f->n == SP_MOST_CLASSIFIERS)
        return sp_fail(err, SP_EINVAL, "at most %d classifiers are fused", SP_MOST_CLASSIFIERS);
    if (!from->info->has_scores)
        return sp_fail(err, SP_EINVAL, "%s has no scores to be fused", from->info->file);
    sp_fused_member *to = &f->members[f->n];
    const sp_fused_member *first = &f->members[0];
    to->file = from->info->file;
    to->from = *from;
    if (!(f->names[f->n] = strdup(name)))
        return sp_no_memory(err);
    if (f->n++ == 0)
        return SP_OK;
    const sp_match_side ours = sp_match_side_of(first->from.info, first->file, first_seconds),
                        theirs = sp_match_side_of(from->info, to->file, seconds);
    sp_matched *m = &to->matched;
    *m = (sp_matched){.from = *from,
                      .beside = first->from,
                      .all_beside = true,
                      .name = to->file,
                      .beside_name = first->file,
                      .classes = from->info->classes};
    sp_status status = SP_OK;
    TRY((m->recording = malloc(((size_t)ours.n + 1) * sizeof *m->recording)) ? SP_OK : sp_no_memory(err));
    TRY(sp_match_recordings(&ours, &theirs, true, hint, m->recording, err));
    TRY(match_columns(f, from->info, model, to, err));
    TRY(sp_matched_open(m, first->from.info, &to->from, err));
done:
    return status;
}

/* ---- reading ---- */

static const sp_fused_mix *mix_of(const sp_fused *f, int64_t recording)
{
    return &f->mixes[f->mix_of ? f->mix_of[recording] : 0];
}

static bool plays_a_part(const sp_fused *f, int32_t c, const sp_block *block)
{
    for (int64_t r = 0; r < block->n_recordings; r++)
        if (mix_of(f, block->first + r)->weight[c] > 0)
            return true;
    return false;
}

/* Its scores in nats, before floor and mask. */
static sp_status read_member(sp_fused *f, int32_t c, const sp_part *part, unsigned parts, sp_error *err)
{
    const sp_recordings *from = &f->members[c].from;
    sp_block *block = f->read;
    sp_prepare_options how = sp_prepare_options_default();
    const float *narrow;
    sp_status status = SP_OK;
    how.kind = from->info->kind;
    how.missing_uniform = f->missing_uniform;
    TRY(from->read(from->arg, part, SP_BLOCK_SCORES | SP_BLOCK_MASK | (c ? parts & SP_BLOCK_LABELS : 0u),
                   block, err));
    uint8_t *mask = block->mask;
    block->mask = NULL;
    TRY(sp_prepare(block, &how, NULL, &f->counts, err));
    TRY(sp_block_widen(block, &narrow, err));
    block->mask = mask;
done:
    return status;
}

/* Adds what was read, recording by recording. */
static void add_member(sp_fused *f, int32_t c, sp_block *out)
{
    const int64_t K = out->n_classes;
    for (int64_t r = 0; r < out->n_recordings; r++) {
        const sp_fused_mix *mix = mix_of(f, out->first + r);
        const int64_t first = out->offsets[r] * K, n = (out->offsets[r + 1] - out->offsets[r]) * K;
        double *rows = (double *)f->read->scores + first;
        if (mix->floor > 0 && f->members[c].from.info->kind != SP_KIND_SCORES)
            f->counts.floored += number_raise(rows, n, log(mix->floor));
        if (f->read->mask)
            number_mask(rows, SP_F64, n, f->read->mask + first);
        sp_fusion_add(mix->weight[c], rows, f->members[c].matched.column_of_label, n / K, (int32_t)K,
                      (double *)out->scores + first);
    }
}

static sp_status read_fused(void *arg, const sp_part *part, unsigned parts, sp_block *block, sp_error *err)
{
    sp_fused *f = arg;
    const sp_recordings *first = &f->members[0].from;
    const unsigned own = SP_BLOCK_SCORES | SP_BLOCK_MASK;
    sp_status status = SP_OK;
    TRY(first->read(first->arg, part, parts & ~own, block, err));
    if (!(parts & SP_BLOCK_SCORES))
        return SP_OK;
    const sp_prepare_counts before = f->counts;
    const int64_t begin = f->info.offsets[part->recording] + (part->count ? 0 : part->first);
    block->dtype = SP_F64;
    TRY(sp_block_add_parts(block, SP_BLOCK_SCORES, err));
    memset(block->scores, 0, (size_t)block->n_steps * (size_t)block->n_classes * sizeof(double));
    for (int32_t c = 0; c < f->n; c++)
        if (plays_a_part(f, c, block)) {
            TRY(read_member(f, c, part, parts, err));
            add_member(f, c, block);
        }
    if (begin < f->n_counted) /* again */
        f->counts = before;
    else
        f->n_counted = begin + block->n_steps;
    block->file = f->info.file;
    block->classes = f->info.classes;
done:
    return status;
}

static sp_status read_rater(void *arg, int32_t rater, const sp_part *part, int32_t *labels, sp_error *err)
{
    const sp_recordings *first = &((const sp_fused *)arg)->members[0].from;
    return first->read_rater(first->arg, rater, part, labels, err);
}

sp_status sp_fused_open(sp_fused *f, sp_recordings *out, sp_error *err)
{
    const sp_recordings *first = &f->members[0].from;
    f->info = *first->info;
    f->info.kind = SP_KIND_SCORES;
    f->info.dtype = SP_F64;
    f->info.has_mask = false;
    f->mixes = calloc(1, sizeof *f->mixes);
    f->read = sp_block_new();
    if (!f->mixes || !f->read)
        return sp_no_memory(err);
    for (int32_t c = 0; c < f->n; c++)
        f->mixes[0].weight[c] = 1. / f->n;
    *out = *first;
    out->info = &f->info;
    out->n_fused = f->n;
    out->read = read_fused;
    out->read_rater = first->read_rater ? read_rater : NULL;
    out->arg = f;
    return SP_OK;
}

void sp_fused_close(sp_fused *f)
{
    for (int32_t c = 0; c < f->n; c++) {
        sp_matched_close(&f->members[c].matched);
        free(f->names[c]);
    }
    free(f->mixes);
    sp_block_free(f->read);
}

/* ---- how ---- */

/* What each classifier is prepared by, out of how their sum is; returns the floor. */
static double take_preparing(sp_fused *f, sp_prepare_options *how)
{
    const double floor = how->floor;
    f->missing_uniform = how->missing_uniform;
    how->floor = 0;
    return floor;
}

/* The files' names are those that the model knows, in another order. */
static sp_status check_order(const sp_fused *f, const sp_model *model, sp_error *err)
{
    for (int32_t c = 0; c < f->n; c++)
        for (int32_t d = 0; d < f->n; d++)
            if (c != d && strcmp(f->names[c], model->fusion->names[d]) == 0)
                return sp_fail(err, SP_EMODEL,
                               "%s is given as number %d, and model %s fuses %s as number %d; give the files "
                               "in that order",
                               f->members[c].file, (int)c + 1, model->name, f->names[c], (int)d + 1);
    return SP_OK;
}

sp_status sp_fused_take_model(sp_fused *f, const sp_model *model, sp_prepare_options *how, sp_error *err)
{
    sp_status status = SP_OK;
    TRY(sp_fusion_check_count(model, f->n, err));
    TRY(check_order(f, model, err));
    f->mixes[0].floor = take_preparing(f, how);
    memcpy(f->mixes[0].weight, model->fusion->weights, (size_t)f->n * sizeof(double));
done:
    return status;
}

sp_status sp_fused_take_folds(sp_fused *f, const sp_folds *folds, sp_prepare_options *how, sp_error *err)
{
    sp_fused_mix *mixes = calloc((size_t)folds->n_folds, sizeof *mixes);
    sp_status status = mixes ? SP_OK : sp_no_memory(err);
    TRY(status);
    const double floor = take_preparing(f, how);
    for (int32_t i = 0; i < folds->n_folds; i++) {
        const sp_model *model = folds->models[i];
        if (!model) /* another part has its recordings */
            continue;
        TRY(sp_fusion_check_count(model, f->n, err));
        mixes[i].floor = floor > 0 || isnan(model->floor) ? floor : model->floor;
        memcpy(mixes[i].weight, model->fusion->weights, (size_t)f->n * sizeof(double));
    }
    free(f->mixes);
    f->mixes = mixes;
    f->mix_of = folds->fold;
    mixes = NULL;
done:
    free(mixes);
    return status;
}

void sp_fused_take_one(sp_fused *f, int32_t classifier, sp_prepare_options *how)
{
    f->mixes[0] = (sp_fused_mix){.floor = take_preparing(f, how)};
    f->mixes[0].weight[classifier] = 1;
}

bool sp_fused_may_have_floor(const sp_fused *f)
{
    for (int32_t c = 0; c < f->n; c++)
        if (f->members[c].from.info->kind == SP_KIND_SCORES || f->members[c].from.info->has_mask)
            return false;
    return true;
}
