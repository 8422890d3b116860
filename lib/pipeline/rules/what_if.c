#include "pipeline/rules/what_if.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/numbers.h"
#include "core/packed_scores.h"
#include "report/drawn.h"
#include "statepath/model_json.h"

/* Bytes of scores in a page, as text: of each three bytes four letters. */
enum { USUAL_BYTES = 600 * 1000 };

/* ---- recordings ---- */

typedef struct packing {
    const sp_pipeline *p;
    sp_comparison *comparison;
    sp_what_if *to;
    sp_chain *chain; /* of to->model */
    sp_block *block;
    sp_scratch *scratch;
    int64_t bytes_left;
} packing;

static const sp_trace *find_trace(const sp_comparison *c, int64_t recording)
{
    for (int64_t i = 0; i < c->n_traces; i++)
        if (c->traces[i].recording == recording)
            return &c->traces[i];
    return NULL;
}

/* Letters that the page needs for it. */
static int64_t letters(const sp_comparison *c, const sp_trace *trace)
{
    return (trace->n_steps * (c->n_classes * SP_PACKED_BYTES + 2) + 2) / 3 * 4;
}

/* The recording before temperature and prior. says_nothing [T], or NULL: every NaN is an error. */
static sp_status read_scores(packing *w, const sp_trace *trace, uint8_t *says_nothing, sp_error *err)
{
    const sp_part part = {.recording = trace->recording, .count = 1};
    sp_block *block = w->block;
    sp_prepare_options prepare = w->p->prepare;
    prepare.temperature = 1;
    prepare.prior_weight = 0;
    sp_status status = w->p->from.read(w->p->from.arg, &part, SP_BLOCK_SCORES | SP_BLOCK_LABELS | SP_BLOCK_MASK, block, err);
    const size_t K = (size_t)block->n_classes;
    for (size_t i = 0; status == SP_OK && i < (size_t)block->n_steps * K; i++)
        says_nothing[i / K] |= isnan(number_get(block->scores, block->dtype, i));
    return status == SP_OK ? sp_prepare(block, &prepare, w->p->workers, NULL, err) : status;
}

static void pack(const sp_block *block, const uint8_t *says_nothing, uint8_t *packed)
{
    double row[SP_WHAT_IF_CLASSES];
    const size_t K = (size_t)block->n_classes;
    for (size_t t = 0; t < (size_t)block->n_steps; t++) {
        for (size_t k = 0; k < K; k++)
            row[k] = number_get(block->scores, block->dtype, t * K + k);
        sp_pack_row(block->n_classes, row, says_nothing[t], packed + t * K * SP_PACKED_BYTES);
    }
}

static bool is_known(sp_strategy_kind kind)
{
    return kind == SP_ARGMAX || kind == SP_GREEDY || kind == SP_VITERBI || kind == SP_BEAM;
}

/* Do the packed scores give the run's paths? *is_equal is left alone on failure. */
static sp_status check(packing *w, const sp_trace *trace, const uint8_t *packed, bool *is_equal, sp_error *err)
{
    const size_t T = (size_t)trace->n_steps, K = (size_t)w->comparison->n_classes;
    double *e = malloc((T * K + 1) * sizeof *e);
    int32_t *path = malloc((T + 1) * sizeof *path);
    const sp_scores scores = {.data = e,
                              .dtype = SP_F64,
                              .n_classes = w->comparison->n_classes,
                              .n_steps = trace->n_steps,
                              .segments = trace->segments};
    bool all = true;
    sp_status status = e && path ? SP_OK : sp_no_memory(err);
    if (status == SP_OK)
        all = sp_unpack_scores(trace->n_steps, scores.n_classes, packed, w->to->temperature, w->to->prior_weight,
                               w->to->log_prior, e);
    for (int s = 0; status == SP_OK && all && s < w->p->n_strategies; s++) {
        sp_decode_options options = sp_decode_options_default();
        options.strategy = w->p->strategies[s];
        if (!is_known(options.strategy.kind))
            continue;
        const sp_status found = sp_decode(w->chain, &scores, &options, w->scratch, path, NULL, err);
        if (found == SP_ENOMEM)
            status = found;
        for (size_t t = 0; found != SP_OK && t < T; t++)
            path[t] = -1;
        all = memcmp(path, trace->paths[s], T * sizeof *path) == 0;
    }
    if (status == SP_OK)
        *is_equal = all;
    free(e);
    free(path);
    return status;
}

/* Labels as judged and gaps; false: no memory. */
static bool copy_steps(const packing *w, const sp_trace *trace, sp_what_if_recording *to)
{
    const size_t T = (size_t)trace->n_steps;
    to->labels = trace->labels ? malloc((T + 1) * sizeof *to->labels) : NULL;
    to->gaps = trace->segments ? calloc(T + 1, 1) : NULL;
    if ((trace->labels && !to->labels) || (trace->segments && !to->gaps))
        return false;
    if (trace->labels)
        memcpy(to->labels, trace->labels, T * sizeof *to->labels);
    if (trace->labels && w->p->wake_stages)
        sp_wake_trim(trace->n_steps, w->p->wake_stages, w->p->wake_margin, to->labels);
    for (size_t t = 1; trace->segments && t < T; t++)
        to->gaps[t] = trace->segments[t] != trace->segments[t - 1];
    return true;
}

static sp_status add_recording(packing *w, const sp_trace *trace, sp_error *err)
{
    sp_what_if *to = w->to;
    sp_what_if_recording made = {.recording = trace->recording, .n_steps = trace->n_steps};
    const size_t T = (size_t)trace->n_steps;
    bool is_equal = false;
    uint8_t *says_nothing = calloc(T + 1, 1);
    made.packed = malloc(T * (size_t)w->comparison->n_classes * SP_PACKED_BYTES + 1);
    sp_status status = says_nothing && made.packed && copy_steps(w, trace, &made) ? SP_OK : sp_no_memory(err);
    if (status == SP_OK)
        status = read_scores(w, trace, says_nothing, err);
    if (status == SP_OK) {
        pack(w->block, says_nothing, made.packed);
        status = check(w, trace, made.packed, &is_equal, err);
    }
    free(says_nothing);
    if (status == SP_OK && is_equal) {
        to->recordings[to->n_recordings++] = made;
        w->bytes_left -= letters(w->comparison, trace);
        return SP_OK;
    }
    free(made.packed);
    free(made.labels);
    free(made.gaps);
    if (status == SP_OK)
        to->differing[to->n_differing++] = trace->recording;
    return status;
}

static sp_status add_recordings(packing *w, sp_error *err)
{
    int64_t *order = NULL;
    sp_status status = sp_report_order(w->comparison, &order, err);
    for (int64_t i = 0; status == SP_OK && i < w->comparison->n_recordings; i++) {
        const sp_trace *trace = find_trace(w->comparison, order[i]);
        if (!trace)
            continue;
        if (letters(w->comparison, trace) > w->bytes_left)
            w->to->n_left_out++;
        else
            status = add_recording(w, trace, err);
    }
    free(order);
    return status;
}

/* The chain that the page will decode with: of the JSON that it is given. */
static sp_status compile(packing *w, sp_error *err)
{
    sp_model *model = NULL;
    sp_chain_options options = sp_chain_options_default();
    options.transition_weight = w->to->transition_weight;
    sp_status status = sp_model_from_json(w->to->model, "the page's model", &model, err);
    if (status == SP_OK)
        status = sp_chain_new(model, &options, &w->chain, err);
    sp_model_free(model);
    return status;
}

/* Natural logarithms of the prior, in the order of the columns; nothing where the model has none, or a class has none. */
static sp_status copy_prior(const sp_pipeline *p, sp_what_if *to, sp_error *err)
{
    const int32_t K = p->model->n_classes;
    for (int32_t c = 0; p->model->prior && c < K; c++)
        if (!(p->model->prior[c] > 0))
            return SP_OK;
    to->log_prior = p->model->prior ? malloc((size_t)K * sizeof *to->log_prior) : NULL;
    for (int32_t c = 0; to->log_prior && c < K; c++)
        to->log_prior[c] = log(p->model->prior[p->class_of_column[c]]);
    return p->model->prior && !to->log_prior ? sp_no_memory(err) : SP_OK;
}

static bool is_wanted(const sp_pipeline *p, const sp_comparison *c)
{
    bool any = false;
    for (int s = 0; s < p->n_strategies; s++)
        any |= is_known(p->strategies[s].kind);
    return p->opt->trace_steps > 0 && p->opt->what_if_bytes != 0 && c->n_traces > 0 && any && !p->given && !p->folds &&
           c->n_classes <= SP_WHAT_IF_CLASSES && p->model->n_states <= SP_WHAT_IF_CLASSES && sp_report_decodes();
}

sp_status sp_what_if_make(const sp_pipeline *p, sp_comparison *comparison, sp_error *err)
{
    if (!is_wanted(p, comparison))
        return SP_OK;
    packing w = {.p = p, .comparison = comparison, .to = calloc(1, sizeof *w.to)};
    sp_status status = w.to ? SP_OK : sp_no_memory(err);
    if (w.to) {
        *w.to =
            (sp_what_if){.temperature = p->prepare.temperature,
                         .prior_weight = p->prepare.prior_weight,
                         .transition_weight = sp_first_given(p->opt->decode.transition_weight, p->model->transition_weight, 1),
                         .options = sp_what_if_options(p->opt),
                         .is_kept_small = p->opt->what_if_bytes < 0,
                         .recordings = calloc((size_t)comparison->n_traces, sizeof *w.to->recordings),
                         .differing = calloc((size_t)comparison->n_traces, sizeof *w.to->differing)};
        w.block = sp_block_new();
        w.scratch = sp_scratch_new();
        w.bytes_left = p->opt->what_if_bytes < 0 ? USUAL_BYTES : p->opt->what_if_bytes;
        if (!w.to->options || !w.to->recordings || !w.to->differing || !w.block || !w.scratch)
            status = sp_no_memory(err);
    }
    if (status == SP_OK)
        status = copy_prior(p, w.to, err);
    if (status == SP_OK)
        status = sp_what_if_model(p, &w.to->model, err);
    if (status == SP_OK)
        status = compile(&w, err);
    if (status == SP_OK)
        status = add_recordings(&w, err);
    const bool has_odd_names = status == SP_EINVAL && !(w.to && w.to->model); /* no UTF-8: there is no JSON of such a model */
    sp_chain_free(w.chain);
    sp_block_free(w.block);
    sp_scratch_free(w.scratch);
    if (status == SP_OK)
        comparison->what_if = w.to;
    else
        sp_what_if_free(w.to);
    return has_odd_names ? SP_OK : status;
}
