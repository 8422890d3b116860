#include "wasm/module.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/block.h"
#include "core/model/model.h"
#include "core/prepare.h"
#include "core/rules/rules.h"
#include "core/scratch.h"
#include "core/try.h"
#include "evaluate/metrics/sequences.h"
#include "statepath/model_json.h"
#include "statepath/scores.h"
#include "tags/tags.h"
#include "wasm/stand_in/jansson.h"

#ifdef __wasm__
#define EXPORT(name) __attribute__((export_name(#name)))
#else /* read by checks only */
#define EXPORT(name)
#endif

/* The last one. */
static sp_error failure;

struct wasm_rules {
    sp_model *model;
    sp_chain *chain;
    sp_prepare_options prepare;
    bool are_tags;
    sp_tag *tags;       /* [K] of entities, where the classes are tags */
    double log_prior[]; /* [K] */
};

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's and the hosts' names.
 * Once, before anything else. That it is called here keeps the linker from wrapping every export into a beginning and an end. */
void __wasm_call_ctors(void);
void _initialize(void);
EXPORT(_initialize) void _initialize(void)
{
    __wasm_call_ctors();
}
/* NOLINTEND(bugprone-reserved-identifier) */

EXPORT(statepath_take) void *statepath_take(uint32_t bytes)
{
    return malloc(bytes ? bytes : 1);
}

EXPORT(statepath_give_back) void statepath_give_back(void *memory)
{
    free(memory);
}

EXPORT(statepath_message) const char *statepath_message(void)
{
    return failure.message;
}

EXPORT(statepath_version) const char *statepath_version(void)
{
    return sp_version();
}

/* ---- rules ---- */

EXPORT(statepath_rules_free) void statepath_rules_free(wasm_rules *rules)
{
    if (!rules)
        return;
    sp_chain_free(rules->chain);
    sp_model_free(rules->model);
    free(rules->tags);
    free(rules);
}

EXPORT(statepath_rules_new) wasm_rules *statepath_rules_new(const char *json, const double *numbers)
{
    sp_model *model = NULL;
    sp_json_numbers = numbers;
    if (sp_model_from_json(json, "model", &model, &failure) != SP_OK)
        return NULL;
    wasm_rules *rules = calloc(1, sizeof *rules + (size_t)model->n_classes * sizeof *rules->log_prior);
    if (!rules) {
        sp_model_free(model);
        sp_no_memory(&failure);
        return NULL;
    }
    rules->model = model;
    /* A floor is of probabilities. */
    rules->prepare = (sp_prepare_options){.kind = isnan(model->floor) ? SP_KIND_SCORES : SP_KIND_LOG_PROBS,
                                          .floor = NAN,
                                          .temperature = NAN,
                                          .prior_weight = NAN};
    sp_chain_options options = sp_chain_options_default();
    if (!isnan(model->transition_weight))
        options.transition_weight = model->transition_weight;
    sp_status status = SP_OK;
    TRY(sp_prepare_by_model(&rules->prepare, model, NULL, rules->log_prior, &failure));
    TRY(sp_prepare_options_check(&rules->prepare, &failure));
    TRY(sp_chain_new(model, &options, &rules->chain, &failure));
    rules->tags = malloc((size_t)model->n_classes * sizeof *rules->tags);
    TRY(rules->tags ? SP_OK : sp_no_memory(&failure));
    TRY(sp_tags_read(model->n_classes, (const char *const *)model->classes, rules->tags, &rules->are_tags,
                     &failure));
    return rules;
done:
    statepath_rules_free(rules);
    return NULL;
}

EXPORT(statepath_n_classes) int32_t statepath_n_classes(const wasm_rules *rules)
{
    return rules->model->n_classes;
}

EXPORT(statepath_n_states) int32_t statepath_n_states(const wasm_rules *rules)
{
    return rules->model->n_states;
}

EXPORT(statepath_weights) void statepath_weights(const wasm_rules *rules, double *log_weight, double *start)
{
    const sp_model *model = rules->model;
    const int32_t n = model->n_states;
    for (int32_t i = 0; i < n; i++) {
        start[i] = model->start ? model->start[i] : 0;
        for (int32_t j = 0; j < n; j++) {
            const int64_t edge = sp_model_edge(model, i, j);
            *log_weight++ = edge < 0 ? -INFINITY : model->weight ? model->weight[edge] : 0;
        }
    }
}

EXPORT(statepath_log_prior) double *statepath_log_prior(wasm_rules *rules)
{
    return rules->prepare.log_prior ? rules->log_prior : NULL;
}

/* ---- recordings ---- */

EXPORT(statepath_packer_new) sp_packer *statepath_packer_new(void)
{
    return sp_packer_new();
}

EXPORT(statepath_packer_free) void statepath_packer_free(sp_packer *packer)
{
    sp_packer_free(packer);
}

EXPORT(statepath_unpack) void statepath_unpack(sp_packer *packer, const wasm_packed *p)
{
    const sp_packed_steps steps = {p->n_steps, p->n_classes, p->scores, p->labels, p->gaps};
    sp_unpack(packer, p->bytes, (size_t)p->n_bytes, &steps);
}

/* The recording as a block. Where a step says nothing, a class of -INFINITY was taken away by a mask. */
static sp_status fill(sp_block *block, const wasm_rules *rules, const wasm_recording *r)
{
    const int32_t K = rules->model->n_classes, T = r->n_steps;
    const unsigned parts =
        SP_BLOCK_SCORES | (r->gaps ? SP_BLOCK_SEGMENTS : 0U) | (r->is_missing_uniform ? SP_BLOCK_MASK : 0U);
    const sp_status status = sp_block_reserve(block, 1, T, K, SP_F64, parts, &failure);
    if (status != SP_OK)
        return status;
    block->offsets[0] = 0;
    block->offsets[1] = T;
    block->classes = (const char *const *)rules->model->classes;
    memcpy(block->scores, r->scores, (size_t)T * (size_t)K * sizeof *r->scores);
    int64_t id = 0;
    for (int32_t t = 0; r->gaps && t < T; t++)
        block->segments[t] = id += r->gaps[t] != 0;
    for (int64_t i = 0; r->is_missing_uniform && i < (int64_t)T * K; i++)
        block->mask[i] = r->scores[i] != -INFINITY;
    return SP_OK;
}

EXPORT(statepath_decode)
sp_status statepath_decode(const wasm_rules *rules, const char *strategy, wasm_recording *r)
{
    sp_decode_options options = {.relax = r->is_relaxed};
    sp_prepare_options prepare = rules->prepare;
    sp_decoded result = {.step = -1};
    sp_block *block = NULL;
    sp_scratch *scratch = NULL;
    sp_status status = SP_OK;
    prepare.missing_uniform = r->is_missing_uniform;
    TRY(sp_strategy_parse(strategy, &options.strategy, &failure));
    TRY((block = sp_block_new()) && (scratch = sp_scratch_new()) ? SP_OK : sp_no_memory(&failure));
    TRY(fill(block, rules, r));
    TRY(sp_prepare(block, &prepare, NULL, NULL, &failure));
    const sp_scores scores = sp_block_batch(block).scores;
    TRY(sp_decode(rules->chain, &scores, &options, scratch, r->path, &result, &failure));
done:
    for (int32_t t = 0; status != SP_OK && t < r->n_steps; t++)
        r->path[t] = -1;
    sp_block_free(block);
    sp_scratch_free(scratch);
    r->step = status == SP_OK ? -1 : (int32_t)failure.step;
    r->score = status == SP_OK ? result.score : -INFINITY;
    return status;
}

/* ---- what paths are ---- */

/* Are there all classes of a path? */
static bool is_path(const wasm_rules *rules, int32_t n_steps, const int32_t *path)
{
    for (int32_t t = 0; t < n_steps; t++)
        if (path[t] < -1 || path[t] >= rules->model->n_classes) {
            sp_fail(&failure, SP_EINVAL,
                    "step %d of the path has class %d, and there are %d: give a decoded path", (int)t,
                    (int)path[t], (int)rules->model->n_classes);
            return false;
        }
    return true;
}

EXPORT(statepath_count_illegal)
int32_t statepath_count_illegal(const wasm_rules *rules, int32_t n_steps, const int32_t *path,
                                const uint8_t *gaps, uint8_t *marks)
{
    int32_t n = 0;
    if (!is_path(rules, n_steps, path))
        return -1;
    for (int32_t t = 0; t < n_steps; t++) {
        const bool is_pair = t > 0 && !(gaps && gaps[t]) && path[t - 1] >= 0 && path[t] >= 0;
        const bool is_illegal = is_pair && !sp_chain_is_legal(rules->chain, path[t - 1], path[t]);
        n += is_illegal;
        if (marks)
            marks[t] = is_illegal;
    }
    return n;
}

EXPORT(statepath_count_violations)
int32_t statepath_count_violations(const wasm_rules *rules, int32_t n_steps, const int32_t *path,
                                   const uint8_t *gaps, int32_t are_priced)
{
    int64_t n = 0, last;
    if (!is_path(rules, n_steps, path))
        return -1;
    for (int32_t r = 0; r < sp_chain_n_rules(rules->chain); r++) {
        const sp_chain_rule *rule = sp_chain_rule_at(rules->chain, r);
        sp_rule_walk walk = {0};
        if (isfinite(rule->cost) != (are_priced != 0))
            continue;
        for (int32_t t = 0; t < n_steps; t++)
            n += sp_rule_walk_step(&walk, rule, path[t], gaps && gaps[t]);
        n += n_steps > 0 ? sp_rule_walk_end(&walk, rule, &last) : 0;
    }
    return (int32_t)n;
}

EXPORT(statepath_count_entities)
int32_t statepath_count_entities(const wasm_rules *rules, int32_t n_steps, const int32_t *labels,
                                 const int32_t *path, const uint8_t *gaps, int32_t *counts)
{
    const int32_t *const sides[] = {labels, path};
    sp_tag before[2] = {sp_tag_outside, sp_tag_outside};
    int32_t first[2] = {-1, -1};
    if (!rules->are_tags)
        return 0;
    counts[0] = counts[1] = counts[2] = 0;
    for (int32_t t = 0; t <= n_steps; t++) {
        const bool is_cut = t == n_steps || (gaps && gaps[t]);
        bool ends[2];
        sp_tag now[2];
        for (int side = 0; side < 2; side++) {
            now[side] = t == n_steps || labels[t] < 0 || sides[side][t] < 0 ? sp_tag_outside
                                                                            : rules->tags[sides[side][t]];
            ends[side] = is_cut ? before[side].type >= 0 : sp_entity_ends(before[side], now[side]);
            counts[side] += ends[side];
        }
        counts[2] += ends[0] && ends[1] && first[0] == first[1] && before[0].type == before[1].type;
        for (int side = 0; side < 2; side++) {
            if (sp_entity_starts(is_cut ? sp_tag_outside : before[side], now[side]))
                first[side] = t;
            before[side] = now[side];
        }
    }
    return 1;
}

EXPORT(statepath_count_segments)
sp_status statepath_count_segments(const wasm_rules *rules, wasm_segments *s)
{
    const int64_t offsets[] = {0, s->n_steps};
    int64_t *segments = malloc(((size_t)s->n_steps + 1) * sizeof *segments);
    if (!segments)
        return sp_no_memory(&failure);
    for (int32_t t = 0; t < s->n_steps; t++)
        segments[t] = (t ? segments[t - 1] : 0) + (s->gaps && s->gaps[t]);
    const sp_labelled_paths paths = {.n_classes = rules->model->n_classes,
                                     .n_recordings = 1,
                                     .offsets = offsets,
                                     .segments = segments,
                                     .labels = s->labels,
                                     .paths = s->path};
    sp_segment_counts counts;
    const sp_status status = sp_segments_count(&paths, 0, s->background, &counts, &failure);
    if (status == SP_OK) {
        s->reference = (int32_t)counts.reference;
        s->decoded = (int32_t)counts.decoded;
        for (int i = 0; i < 3; i++)
            s->matched[i] = (int32_t)counts.matched[i];
        s->edit = counts.edit;
    }
    free(segments);
    return status;
}
