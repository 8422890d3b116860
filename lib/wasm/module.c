#include "wasm/module.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/packed_scores.h"

#ifdef __wasm__
#define EXPORT(name) __attribute__((export_name(#name)))
#else /* read by checks only */
#define EXPORT(name)
#endif

static sp_error failure;

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

static char *copy(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *made = malloc(size);
    return made ? memcpy(made, text, size) : NULL;
}

static double *copy_numbers(const double *from, int32_t n, bool *is_whole)
{
    double *made = from ? malloc((size_t)n * sizeof *made) : NULL;
    *is_whole &= !from || made;
    return made ? memcpy(made, from, (size_t)n * sizeof *made) : NULL;
}

/* Names of the states; false: no memory. */
static bool name_states(sp_model *model, const char *const *names, const int32_t *state_class)
{
    const size_t n = (size_t)model->n_states;
    model->states = calloc(n, sizeof *model->states);
    model->state_class = malloc(n * sizeof *model->state_class);
    if (!model->states || !model->state_class)
        return false;
    memcpy(model->state_class, state_class, n * sizeof *state_class);
    bool is_whole = true;
    for (size_t s = 0; s < n; s++)
        is_whole &= (model->states[s] = copy(names[s])) != NULL;
    return is_whole;
}

static bool fill(sp_model *model, const wasm_rules *r, const char *const *names)
{
    bool is_whole = true;
    const int32_t n = model->n_states = r->n_states;
    if (r->state_class)
        is_whole = name_states(model, names, r->state_class);
    model->start = copy_numbers(r->start, n, &is_whole);
    model->end = copy_numbers(r->end, n, &is_whole);
    model->min_dwell = r->min_dwell ? malloc((size_t)n * sizeof *model->min_dwell) : NULL;
    if (model->min_dwell)
        memcpy(model->min_dwell, r->min_dwell, (size_t)n * sizeof *r->min_dwell);
    model->min_dwell_at_end = r->min_dwell_at_end;
    return is_whole && (model->min_dwell || !r->min_dwell);
}

/* Classes with states of their own are told apart by numbers: messages speak of states. */
static const char **list_classes(const wasm_rules *r, const char *const *names, char (*numbers)[12])
{
    const char **classes = malloc((size_t)r->n_classes * sizeof *classes);
    for (int32_t k = 0; classes && k < r->n_classes; k++) {
        snprintf(numbers[k], sizeof numbers[k], "%d", (int)k);
        classes[k] = r->state_class ? numbers[k] : names[k];
    }
    return classes;
}

static sp_model *make_model(const wasm_rules *r)
{
    const char **names = malloc((size_t)r->n_states * sizeof *names);
    char(*numbers)[12] = malloc((size_t)r->n_classes * sizeof *numbers);
    const char *at = r->names;
    for (int32_t s = 0; names && s < r->n_states; s++, at += strlen(at) + 1)
        names[s] = at;
    const char **classes = names && numbers ? list_classes(r, names, numbers) : NULL;
    sp_model *model = classes ? sp_model_new("rules", r->n_classes, classes) : NULL;
    sp_status status = model && fill(model, r, names) ? SP_OK : sp_no_memory(&failure);
    if (status == SP_OK)
        status = sp_model_set_matrix(model, r->allow, r->weight, &failure);
    if (status != SP_OK) {
        sp_model_free(model);
        model = NULL;
    }
    free(names);
    free(numbers);
    free(classes);
    return model;
}

EXPORT(statepath_rules_new) sp_chain *statepath_rules_new(const wasm_rules *rules)
{
    sp_chain_options options = sp_chain_options_default();
    options.transition_weight = rules->transition_weight;
    sp_chain *chain = NULL;
    sp_model *model = make_model(rules);
    if (model && sp_chain_new(model, &options, &chain, &failure) != SP_OK)
        chain = NULL;
    sp_model_free(model);
    return chain;
}

EXPORT(statepath_rules_free) void statepath_rules_free(sp_chain *chain)
{
    sp_chain_free(chain);
}

/* ---- recordings ---- */

EXPORT(statepath_unpack) sp_status statepath_unpack(const wasm_packed *p)
{
    if (sp_unpack_scores(p->n_steps, p->n_classes, p->packed, p->temperature, p->prior_weight, p->log_prior, p->out))
        return SP_OK;
    return sp_fail(&failure, SP_EDATA, "a score is too large for this temperature and weight of the prior to stay finite");
}

/* Gaps as segments: the id goes up by one at each. NULL: no memory. */
static int64_t *number_segments(int32_t n, const uint8_t *gaps)
{
    int64_t *segments = malloc(((size_t)n + 1) * sizeof *segments), id = 0;
    for (int32_t t = 0; segments && t < n; t++)
        segments[t] = id += gaps[t] != 0;
    return segments;
}

EXPORT(statepath_decode) sp_status statepath_decode(const sp_chain *chain, const char *strategy, wasm_recording *r)
{
    sp_decode_options options = {.relax = false};
    sp_decoded result = {.step = -1};
    sp_scratch *scratch = sp_scratch_new();
    int64_t *segments = r->gaps ? number_segments(r->n_steps, r->gaps) : NULL;
    const sp_scores scores = {
        .data = r->scores, .dtype = SP_F64, .n_classes = sp_chain_n_classes(chain), .n_steps = r->n_steps, .segments = segments};
    sp_status status = scratch && (segments || !r->gaps) ? SP_OK : sp_no_memory(&failure);
    if (status == SP_OK)
        status = sp_strategy_parse(strategy, &options.strategy, &failure);
    if (status == SP_OK)
        status = sp_decode(chain, &scores, &options, scratch, r->path, &result, &failure);
    for (int32_t t = 0; status != SP_OK && t < r->n_steps; t++)
        r->path[t] = -1;
    r->step = status == SP_OK ? -1 : (int32_t)failure.step;
    r->score = status == SP_OK ? result.score : -INFINITY;
    free(segments);
    sp_scratch_free(scratch);
    return status;
}

EXPORT(statepath_count_illegal)
int32_t statepath_count_illegal(const sp_chain *chain, int32_t n_steps, const int32_t *path, const uint8_t *gaps, uint8_t *marks)
{
    int32_t n = 0;
    for (int32_t t = 0; t < n_steps; t++) {
        const bool is_pair = t > 0 && !(gaps && gaps[t]) && path[t - 1] >= 0 && path[t] >= 0;
        const bool is_illegal = is_pair && !sp_chain_is_legal(chain, path[t - 1], path[t]);
        n += is_illegal;
        if (marks)
            marks[t] = is_illegal;
    }
    return n;
}
