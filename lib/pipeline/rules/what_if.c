#include "pipeline/rules/what_if.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base85.h"
#include "core/chain.h"
#include "core/model/durations.h"
#include "core/numbers.h"
#include "core/packed_scores.h"
#include "core/try.h"
#include "evaluate/comparison.h"
#include "pipeline/path_source.h"
#include "report/drawn.h"
#include "statepath/comparison.h"

/* Letters of scores in a page: five for each four bytes. */

/* ---- recordings ---- */

typedef struct packing {
    const sp_pipeline *p;
    sp_comparison *comparison;
    sp_what_if *to;
    sp_block *block;
    sp_packer *packer;
    int64_t letters_left;
} packing;

/* The recordings asked for have one. */
static const sp_trace *find_trace(const sp_comparison *c, int64_t recording)
{
    const sp_trace *trace = c->traces;
    while (trace->recording != recording)
        trace++;
    return trace;
}

/* The scores of a recording before windows, temperature and prior [T,K], which the page's model applies; NaN where a step says nothing. */
static sp_status read_scores(packing *w, const sp_trace *trace, double *scores, sp_error *err)
{
    const sp_part part = {.recording = sp_unread_recording(w->p->unread, trace->recording), .count = 1};
    sp_block *block = w->block;
    sp_prepare_options prepare = w->p->prepare;
    prepare.temperature = 1;
    prepare.prior_weight = 0;
    prepare.windows = NULL;
    const size_t K = (size_t)w->comparison->n_classes, T = (size_t)trace->n_steps;
    uint8_t *says_nothing = calloc(T + 1, 1);
    sp_status status = SP_OK;
    TRY(w->p->from.read(w->p->from.arg, &part, SP_BLOCK_SCORES | SP_BLOCK_LABELS | SP_BLOCK_MASK, block,
                        err));
    TRY(says_nothing ? SP_OK : sp_no_memory(err));
    for (size_t i = 0; i < T * K; i++)
        says_nothing[i / K] |= isnan(number_get(block->scores, block->dtype, i));
    TRY(sp_prepare(block, &prepare, w->p->workers, NULL, err));
    for (size_t i = 0; i < T * K; i++) {
        scores[i] = number_get(block->scores, block->dtype, i);
        if (says_nothing[i / K] && scores[i] == 0) /* else a mask has taken the class away */
            scores[i] = NAN;
    }
done:
    free(says_nothing);
    return status;
}

/* Labels as judged, and gaps. */
static void copy_steps(const packing *w, const sp_trace *trace, sp_packed_steps *to)
{
    const size_t T = (size_t)trace->n_steps;
    if (to->labels)
        memcpy(to->labels, trace->labels, T * sizeof *to->labels);
    if (to->labels && w->p->wake.stages)
        sp_wake_trim(trace->n_steps, w->p->wake.stages, w->p->wake.margin, to->labels);
    for (size_t t = 0; to->gaps && t < T; t++)
        to->gaps[t] = t > 0 && trace->segments[t] != trace->segments[t - 1];
}

/* The first of n_steps in which argmax breaks rules most often. */
static int64_t most_broken(const packing *w, const sp_trace *trace, int64_t n_steps)
{
    const int32_t *path = NULL;
    for (int s = w->p->n_strategies - 1; s >= 0; s--)
        path = w->p->strategies[s].kind == SP_ARGMAX ? trace->paths[s] : path;
    int64_t most = 0, first = 0, n = 0;
    for (int64_t t = 1; path && t < trace->n_steps; t++) {
        const int64_t left =
            t - n_steps + 1; /* the first step of the stretch that ends here: what leads into it is outside */
        n += path[t] >= 0 && path[t - 1] >= 0 && !sp_chain_is_legal(w->p->chain, path[t - 1], path[t]);
        n -= left > 0 && path[left] >= 0 && path[left - 1] >= 0 &&
             !sp_chain_is_legal(w->p->chain, path[left - 1], path[left]);
        if (n > most && t + 1 >= n_steps) {
            most = n;
            first = t + 1 - n_steps;
        }
    }
    return first;
}

static sp_status copy_words(const sp_pipeline *p, sp_what_if_recording *to)
{
    if (!p->about.word)
        return SP_OK;
    bool is_whole = (to->words = calloc((size_t)to->n_steps + 1, sizeof *to->words)) != NULL;
    for (int64_t t = 0; is_whole && t < to->n_steps; t++) {
        const int64_t recording = sp_unread_recording(p->unread, to->recording);
        const char *word = p->about.word(p->about.word_arg, recording, to->first_step + t);
        is_whole = (to->words[t] = strdup(word ? word : "")) != NULL;
    }
    return is_whole ? SP_OK : SP_ENOMEM;
}

/* Packs n steps from `first` on into at most so many letters; SP_EINVAL: they take more. */
static sp_status pack_stretch(packing *w, const sp_trace *trace, const sp_packed_steps *steps, int64_t first,
                              int64_t n, int64_t letters, sp_error *err)
{
    sp_what_if_recording made = {
        .recording = trace->recording, .first_step = first, .n_steps = n, .has_gaps = trace->segments};
    const sp_packed_steps part = {.n_steps = n,
                                  .n_classes = steps->n_classes,
                                  .scores = steps->scores + first * steps->n_classes,
                                  .labels = steps->labels ? steps->labels + first : NULL,
                                  .gaps = steps->gaps ? steps->gaps + first : NULL};
    sp_status status =
        sp_pack(w->packer, &part, (size_t)sp_base85_bytes(letters), &made.bytes, &made.n_bytes);
    if (status == SP_OK) {
        status = copy_words(w->p, &made);
        w->to->has_labels = trace->labels;
        w->to->recordings[w->to->n_recordings++] = made;
        w->letters_left -= sp_base85_letters((int64_t)made.n_bytes);
    }
    return status == SP_ENOMEM ? sp_no_memory(err) : status;
}

/* A recording whole in so many letters, else the longest of some stretches in so many; 0: not cut. SP_EINVAL: it takes more. */
static sp_status add_recording(packing *w, const sp_trace *trace, int64_t whole, int64_t cut, sp_error *err)
{
    const int64_t least = 100; /* steps of a stretch */
    const size_t T = (size_t)trace->n_steps, K = (size_t)w->comparison->n_classes;
    sp_packed_steps steps = {.n_steps = trace->n_steps,
                             .n_classes = w->comparison->n_classes,
                             .scores = malloc((T * K + 1) * sizeof(double)),
                             .labels = trace->labels ? malloc((T + 1) * sizeof(int32_t)) : NULL,
                             .gaps = trace->segments ? malloc(T + 1) : NULL};
    const bool is_whole =
        steps.scores && (steps.labels || !trace->labels) && (steps.gaps || !trace->segments);
    sp_status status = is_whole ? read_scores(w, trace, steps.scores, err) : sp_no_memory(err);
    if (status == SP_OK) {
        copy_steps(w, trace, &steps);
        status = pack_stretch(w, trace, &steps, 0, trace->n_steps, whole, err);
        for (int64_t n = trace->n_steps * 3 / 4; cut > 0 && status == SP_EINVAL && n >= least; n = n * 3 / 4)
            status = pack_stretch(w, trace, &steps, most_broken(w, trace, n), n, cut, err);
    }
    free(steps.scores);
    free(steps.labels);
    free(steps.gaps);
    return status;
}

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* All recordings, in this order; *has_all false: one does not fit. */
static sp_status add_all(packing *w, const int64_t *order, int64_t n, bool *has_all, sp_error *err)
{
    sp_status status = SP_OK;
    for (int64_t i = 0; i < n && status == SP_OK; i++)
        status = add_recording(w, find_trace(w->comparison, order[i]), w->letters_left, 0, err);
    *has_all = status == SP_OK;
    return status == SP_EINVAL ? SP_OK : status;
}

/* As many as fit, whole; one that takes more than half the room gets a quarter of it, for a stretch. */
static sp_status add_sample(packing *w, const int64_t *order, int64_t n, sp_error *err)
{
    const int64_t half = w->letters_left / 2, share = w->letters_left / least_of(n, 4), tries = 6;
    int64_t n_failed = 0;
    bool any_is_long = false;
    for (int64_t i = 0; i < n && n_failed < tries; i++) {
        const sp_trace *trace = find_trace(w->comparison, order[i]);
        const int64_t left = w->letters_left, n_before = w->to->n_recordings;
        const sp_status status = add_recording(w, trace, least_of(left, half),
                                               left >= half || any_is_long ? least_of(left, share) : 0, err);
        if (status != SP_OK && status != SP_EINVAL)
            return status;
        n_failed += status == SP_EINVAL;
        any_is_long |= w->to->n_recordings > n_before && w->to->recordings[n_before].n_steps < trace->n_steps;
    }
    return SP_OK;
}

static void forget_recordings(packing *w)
{
    for (int64_t i = 0; i < w->to->n_recordings; i++)
        sp_what_if_recording_free(&w->to->recordings[i]);
    w->to->n_recordings = 0;
}

/* All where they fit; else a sample, spread over the ranking, and stretches of long ones. */
static sp_status add_recordings(packing *w, sp_error *err)
{
    const int64_t letters = w->letters_left;
    int64_t *order = NULL, n = 0;
    bool has_all = false;
    sp_status status = SP_OK;
    TRY(sp_report_spread(w->comparison, &order, &n, err));
    TRY(add_all(w, order, n, &has_all, err));
    if (!has_all) {
        forget_recordings(w);
        sp_packer_free(w->packer);
        w->packer = sp_packer_new();
        w->letters_left = letters;
        TRY(w->packer ? SP_OK : sp_no_memory(err));
        TRY(add_sample(w, order, n, err));
    }
done:
    free(order);
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

static int64_t longest(const sp_comparison *c)
{
    int64_t most = 0;
    for (int64_t i = 0; i < c->n_traces; i++)
        most = c->traces[i].n_steps > most ? c->traces[i].n_steps : most;
    return most;
}

/* States that count the lengths of durations, in the page. */
static int64_t counting_states(const sp_pipeline *p, const sp_comparison *c)
{
    const int64_t held = sp_what_if_most_length(longest(c));
    int64_t n = 0;
    for (int32_t k = 0; k < c->n_classes; k++) {
        const sp_run_weights *w = sp_chain_duration(p->chain, k);
        const bool is_list = w && p->model->durations[p->class_of_column[k]].form == SP_DURATION_PMF;
        n += !w ? 0 : 2 * (is_list && w->n_whole > held ? held : (int64_t)w->n_whole);
    }
    return n;
}

/* Leaves the last recordings out that the page could not decode with so many states in a few seconds. */
static void keep_decodable(sp_what_if *to, int64_t n_states)
{
    const int64_t most = INT64_C(500000000);
    int64_t steps = 0, n = 0;
    while (n < to->n_recordings && n_states * (steps + to->recordings[n].n_steps) <= most)
        steps += to->recordings[n++].n_steps;
    while (to->n_recordings > n)
        sp_what_if_recording_free(&to->recordings[--to->n_recordings]);
}

static bool is_wanted(const sp_pipeline *p)
{
    return p->opt->trace_steps > 0 && p->plan.what_if_bytes > 0 && p->source->is_decoded &&
           sp_report_decodes();
}

/* Why a page cannot repeat what was decoded, after "Rules cannot be changed here: "; NULL: it can. */
static const char *why_not(const sp_pipeline *p, const sp_comparison *c)
{
    return p->folds ? "each fold was decoded by a model of its own ({=cv}); a run with one model has them"
           : c->n_classes > SP_WHAT_IF_CLASSES || p->model->n_states > SP_WHAT_IF_CLASSES
               ? "the model has more than 60 classes or states, in which nobody would find a cell"
           : c->n_traces == 0 ? "no {recording} is short enough for a page"
                              : NULL;
}

sp_status sp_what_if_make(const sp_pipeline *p, sp_comparison *comparison, sp_error *err)
{
    if (!is_wanted(p))
        return SP_OK;
    const char *reason = why_not(p, comparison);
    if (reason) {
        comparison->what_if = calloc(1, sizeof *comparison->what_if);
        return comparison->what_if && (comparison->what_if->why_not = strdup(reason)) ? SP_OK
                                                                                      : sp_no_memory(err);
    }
    packing w = {.p = p,
                 .comparison = comparison,
                 .to = calloc(1, sizeof *w.to),
                 .block = sp_block_new(),
                 .packer = sp_packer_new(),
                 .letters_left = p->plan.what_if_bytes};
    sp_status status = SP_OK;
    TRY(w.to && w.block && w.packer ? SP_OK : sp_no_memory(err));
    *w.to = (sp_what_if){.temperature = p->prepare.temperature,
                         .prior_weight = p->prepare.prior_weight,
                         .floor = p->model->floor,
                         .transition_weight =
                             sp_first_given(p->opt->decode.transition_weight, p->model->transition_weight, 1),
                         .options = sp_what_if_options(p->opt),
                         .is_relaxed = p->on_infeasible == SP_INFEASIBLE_RELAX,
                         .recordings = calloc((size_t)comparison->n_traces, sizeof *w.to->recordings)};
    TRY(w.to->options && w.to->recordings ? SP_OK : sp_no_memory(err));
    TRY(copy_prior(p, w.to, err));
    TRY(sp_what_if_model(p, longest(comparison), &w.to->most_length, &w.to->model, err));
    TRY(add_recordings(&w, err));
    const int64_t n_states = counting_states(p, comparison), n_packed = w.to->n_recordings;
    keep_decodable(w.to, n_states);
    if (n_packed > 0 && w.to->n_recordings == 0) {
        char text[160];
        snprintf(text, sizeof text,
                 "durations of this model count lengths in %" PRId64
                 " states, too many for a page to decode its {recordings}; "
                 "<code>statepath decode</code> does",
                 n_states);
        w.to->why_not = strdup(text);
        TRY(w.to->why_not ? SP_OK : sp_no_memory(err));
    }
done:;
    const bool has_odd_names =
        status == SP_EINVAL && !(w.to && w.to->model); /* no UTF-8: there is no JSON of such a model */
    sp_block_free(w.block);
    sp_packer_free(w.packer);
    if (status == SP_OK)
        comparison->what_if = w.to;
    else
        sp_what_if_free(w.to);
    return has_odd_names ? SP_OK : status;
}
