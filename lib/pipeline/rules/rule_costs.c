#include "pipeline/rules/rule_costs.h"
#include "evaluate/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "pipeline/path_source.h"
#include "pipeline/rules/rule_variants.h"

enum { BLOCK_BYTES = 8 << 20 };

/* ---- one block ---- */

/* Room for a block. */
typedef struct block_room {
    int32_t *path;       /* [S] */
    sp_decoded *results; /* [N] */
    float *ideal;        /* [S,K] 1 for the label of each scored step */
} block_room;

static bool is_change(const sp_block *block, int64_t first, int64_t t, const sp_chain *chain)
{
    const int32_t *labels = block->labels;
    return t > first && labels[t - 1] >= 0 && labels[t] >= 0 && labels[t] != labels[t - 1] &&
           !(block->segments && block->segments[t] != block->segments[t - 1]) &&
           sp_chain_is_legal(chain, labels[t - 1], labels[t]);
}

/* Right steps and kept changes of recording n of a block. The first variant notes what it keeps, the others are compared with
 * that. */
static void count_recording(sp_rule_run *w, sp_rule_variant *v, const sp_block *block, int64_t n,
                            const int32_t *path)
{
    const int64_t recording = sp_unread_place(w->p->unread, block->first + n), first = block->offsets[n];
    const bool is_first = v == w->variants;
    for (int64_t t = first; t < block->offsets[n + 1]; t++) {
        v->correct[recording] += block->labels[t] >= 0 && block->labels[t] == path[t];
        w->scored[recording] += is_first && block->labels[t] >= 0;
        if (!is_change(block, first, t, w->p->rules))
            continue;
        const bool is_kept = path[t - 1] == block->labels[t - 1] && path[t] == block->labels[t];
        w->changes[recording] += is_first;
        v->kept[recording] += is_kept;
        v->erased += !is_first && is_kept && !w->is_kept[t];
        v->restored += !is_first && !is_kept && w->is_kept[t];
        if (is_first)
            w->is_kept[t] = is_kept;
    }
}

static sp_status run_variant(sp_rule_run *w, sp_rule_variant *v, const sp_block *block,
                             const block_room *room, sp_error *err)
{
    const sp_batch batch = sp_block_batch(block);
    sp_batch ideal = batch;
    ideal.scores.data = room->ideal;
    ideal.scores.dtype = SP_F32;
    sp_decode_options how = sp_decode_options_default();
    const sp_decode_output output = {.paths = room->path, .results = room->results};
    sp_status status = SP_OK;
    TRY(sp_decode_batch(v->rules, &ideal, &how, w->p->workers, &output, err));
    for (int64_t t = 0; t < block->n_steps; t++)
        v->ceiling += block->labels[t] >= 0 && room->path[t] == block->labels[t];
    how.relax = w->p->on_infeasible == SP_INFEASIBLE_RELAX;
    TRY(sp_decode_batch(v->chain, &batch, &how, w->p->workers, &output, err));
    for (int64_t n = 0; n < block->n_recordings; n++)
        count_recording(w, v, block, n, room->path);
done:
    return status;
}

static sp_status run_block(sp_rule_run *w, sp_block *block, sp_error *err)
{
    const sp_pipeline *p = w->p;
    const size_t S = (size_t)block->n_steps, K = (size_t)block->n_classes;
    sp_owned own = {0};
    const block_room room = {sp_zeros(&own, S, sizeof *room.path),
                             sp_zeros(&own, (size_t)block->n_recordings, sizeof *room.results),
                             sp_zeros(&own, S * K, sizeof *room.ideal)};
    w->is_kept = sp_zeros(&own, S, 1);
    sp_status status = SP_OK;
    TRY(sp_owned_status(&own, err));
    TRY(sp_prepare(block, &p->prepare, p->workers, NULL, err));
    for (int64_t n = 0; p->wake.stages && n < block->n_recordings; n++)
        sp_wake_trim(block->offsets[n + 1] - block->offsets[n], p->wake.stages, p->wake.margin,
                     block->labels + block->offsets[n]);
    for (size_t t = 0; t < S; t++)
        if (block->labels[t] >= 0)
            room.ideal[t * K + (size_t)block->labels[t]] = 1;
    for (int64_t i = 0; i < w->n; i++)
        TRY(run_variant(w, &w->variants[i], block, &room, err));
done:
    sp_owned_free(&own);
    return status;
}

static sp_status run_all(sp_rule_run *w, sp_error *err)
{
    const sp_pipeline *p = w->p;
    const int64_t N = p->info->n_recordings;
    const unsigned parts = SP_BLOCK_SCORES | SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS | SP_BLOCK_MASK;
    sp_block *block = sp_block_new();
    sp_status status = SP_OK;
    TRY(block ? SP_OK : sp_no_memory(err));
    for (int64_t first = sp_unread_next(p->unread, false, 0, N); first < N;
         first = sp_unread_next(p->unread, false, first, N)) {
        const int64_t end = sp_unread_next(p->unread, true, first, N);
        const sp_part part = sp_recordings_fit(&p->from, first, end, BLOCK_BYTES / p->step_bytes);
        TRY(p->from.read(p->from.arg, &part, parts, block, err));
        TRY(run_block(w, block, err));
        first += part.count;
        sp_run_progress(p->opt, "steps under other rules", p->info->offsets[first], p->info->n_steps);
        TRY(sp_run_go_on(p->opt, err));
    }
done:
    sp_run_progress(p->opt, NULL, 0, 0);
    sp_block_free(block);
    return status;
}

/* ---- from counts to values ---- */

static sp_value ratio(int64_t part, int64_t whole, const char *undefined)
{
    return whole > 0 ? (sp_value){.value = (double)part / (double)whole} : (sp_value){.undefined = undefined};
}

static int64_t total(const int64_t *counts, int64_t n)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += counts[i];
    return sum;
}

/* Counts of recordings as counts of the units of inference. */
static int64_t by_unit(const sp_comparison *c, const int64_t *counts, int64_t *out)
{
    const int64_t n = c->n_subjects ? c->n_subjects : c->n_recordings;
    memset(out, 0, (size_t)n * sizeof *out);
    for (int64_t r = 0; r < c->n_recordings; r++)
        out[c->n_subjects ? c->subject_of[r] : r] += counts[r];
    return n;
}

/* (sum a - sum b) / sum whole with its interval; room [3][N]. */
static sp_status compare(const sp_rule_run *w, const int64_t *a, const int64_t *b, const int64_t *whole,
                         const sp_bootstrap_options *options, int64_t *room, sp_difference *out,
                         sp_error *err)
{
    const sp_comparison *c = w->comparison;
    int64_t *units[3] = {room, room + c->n_recordings, room + 2 * c->n_recordings};
    by_unit(c, a, units[0]);
    by_unit(c, b, units[1]);
    const int64_t n = by_unit(c, whole, units[2]);
    return sp_bootstrap_accuracy(n, units[0], units[1], units[2], options, out, err);
}

/* Fewer resamples where there are many units: all intervals together take some seconds at most. Of few units each resample has a
 * jackknife of its own, some ten additions a unit. */
static sp_bootstrap_options affordable(const sp_bootstrap_options *options, int64_t n_units, int64_t n_rules)
{
    enum { LEAST = 1000 };
    const double units = n_units <= SP_MOST_STUDENTISED ? (double)(n_units * n_units * 10) : (double)n_units;
    const double most = 2e9 / ((units + 1) * 2 * (double)(n_rules + 1));
    sp_bootstrap_options out = *options;
    if (most < out.n_resamples)
        out.n_resamples = most > LEAST ? (int32_t)most : LEAST < out.n_resamples ? LEAST : out.n_resamples;
    return out;
}

static sp_status fill_rules(sp_rule_run *w, const sp_bootstrap_options *bootstrap, sp_error *err)
{
    const sp_comparison *c = w->comparison;
    const int64_t N = c->n_recordings, scored = total(w->scored, N), changes = total(w->changes, N);
    const sp_bootstrap_options options = affordable(bootstrap, N, w->to->n_rules);
    int64_t *room = sp_zeros(&w->own, 3 * (size_t)N, sizeof *room);
    sp_status status = SP_OK;
    TRY(sp_owned_status(&w->own, err));
    w->to->accuracy = ratio(total(w->variants->correct, N), scored, "no scored steps");
    w->to->legal_changes = changes;
    for (int64_t i = 0; i < w->to->n_rules; i++) {
        const sp_rule_variant *v = &w->variants[i + 1];
        sp_rule_cost *rule = &w->to->rules[i];
        rule->accuracy = ratio(total(v->correct, N), scored, "no scored steps");
        rule->ceiling = ratio(v->ceiling, scored, "no scored steps");
        rule->reference_illegal = c->reference.illegal - (rule->rule < 0 ? rule->reference_count : 0);
        rule->erased = v->erased;
        rule->restored = v->restored;
        TRY(compare(w, v->correct, w->variants->correct, w->scored, &options, room, &rule->difference, err));
        TRY(compare(w, v->kept, w->variants->kept, w->changes, &options, room, &rule->changes, err));
        if (changes == 0)
            rule->changes.difference = rule->changes.low = rule->changes.high =
                (sp_value){.undefined = "no legal change"};
    }
done:
    return status;
}

/* ---- rules that the labels propose ---- */

static int by_upper(const void *a, const void *b)
{
    const sp_rule_proposal *x = a, *y = b;
    if (x->upper != y->upper)
        return x->upper < y->upper ? -1 : 1;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

/* The reference's transitions as a matrix [K,K], which is freed with `own`; NULL: no memory. */
static int64_t *count_transitions(const sp_comparison *c, sp_owned *own)
{
    const size_t K = (size_t)c->n_classes;
    int64_t *counts = sp_zeros(own, K * K, sizeof *counts);
    for (size_t i = 0; counts && c->reference_transition_counts && i < K * K; i++)
        counts[i] = c->reference_transition_counts[i];
    for (int64_t i = 0; counts && i < c->n_reference_transition_pairs; i++) {
        const sp_pair_count *pair = &c->reference_transition_pairs[i];
        counts[(size_t)pair->from * K + (size_t)pair->to] = pair->count;
    }
    return counts;
}

static sp_status propose(sp_rule_run *w, double level, sp_error *err)
{
    const sp_comparison *c = w->comparison;
    const int32_t K = c->n_classes;
    sp_owned own = {0};
    const int64_t *counts = count_transitions(c, &own);
    sp_rule_proposal *all = sp_zeros(&own, (size_t)K * (size_t)K, sizeof *all);
    w->to->proposals = calloc(SP_MOST_PROPOSALS, sizeof *w->to->proposals);
    int64_t n = 0;
    sp_status status = SP_OK;
    TRY(w->to->proposals ? sp_owned_status(&own, err) : sp_no_memory(err));
    for (int32_t i = 0; i < K; i++) {
        const int64_t from = total(counts + (size_t)i * (size_t)K, K);
        for (int32_t j = 0; j < K && from > 0; j++)
            if (i != j && counts[(size_t)i * (size_t)K + (size_t)j] == 0 &&
                sp_chain_is_legal(w->p->rules, i, j))
                all[n++] = (sp_rule_proposal){i, j, from, -expm1(log1p(-level) / (double)from)};
    }
    qsort(all, (size_t)n, sizeof *all, by_upper);
    w->to->n_proposals = n < SP_MOST_PROPOSALS ? n : SP_MOST_PROPOSALS;
    w->to->n_proposals_left_out = n - w->to->n_proposals;
    memcpy(w->to->proposals, all, (size_t)w->to->n_proposals * sizeof *all);
done:
    sp_owned_free(&own);
    return status;
}

/* ---- all of it ---- */

sp_status sp_rule_costs_check(const sp_pipeline *p, sp_error *err)
{
    const sp_run_options *o = p->opt;
    if (!o->rule_costs)
        return SP_OK;
    if (!p->source->is_decoded)
        return sp_fail(err, SP_EINVAL, "`rule_costs` decodes, and there are only paths here");
    if (p->folds)
        return sp_fail(err, SP_EINVAL,
                       "`rule_costs` speaks of one model, `cv` decodes with a model a fold; leave one out");
    if (!p->info->has_labels)
        return sp_fail(
            err, SP_EINVAL,
            "what rules cost shows against labels, but %s has none; `labels` PATH says where they are",
            p->file);
    return SP_OK;
}

static sp_status open(sp_rule_run *w, sp_error *err)
{
    const size_t N = (size_t)w->comparison->n_recordings;
    w->to = calloc(1, sizeof *w->to);
    sp_status status = w->to ? sp_rule_choose(w, err) : sp_no_memory(err);
    if (status != SP_OK)
        return status;
    w->n = w->to->n_rules + 1;
    w->scored = sp_zeros(&w->own, N, sizeof *w->scored);
    w->changes = sp_zeros(&w->own, N, sizeof *w->changes);
    w->variants = sp_zeros(&w->own, (size_t)w->n, sizeof *w->variants);
    status = sp_owned_status(&w->own, err);
    for (int64_t i = 0; status == SP_OK && i < w->n; i++) {
        w->variants[i].rule = i - 1;
        status = sp_rule_variant_open(w, &w->variants[i], err);
    }
    return status;
}

sp_status sp_rule_costs_make(sp_pipeline *p, const sp_bootstrap_options *bootstrap, sp_comparison *comparison,
                             sp_error *err)
{
    if (!p->opt->rule_costs)
        return SP_OK;
    sp_rule_run w = {.p = p, .comparison = comparison};
    sp_status status = SP_OK;
    TRY(open(&w, err));
    TRY(run_all(&w, err));
    TRY(fill_rules(&w, bootstrap, err));
    TRY(propose(&w, bootstrap->level, err));
done:
    for (int64_t i = 0; w.variants && i < w.n; i++) {
        sp_chain_free(w.variants[i].chain);
        sp_chain_free(w.variants[i].rules);
    }
    sp_owned_free(&w.own);
    if (status == SP_OK)
        comparison->rule_costs = w.to;
    else
        sp_rule_costs_free(w.to);
    return status;
}
