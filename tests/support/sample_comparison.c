#include "sample_comparison.h"
#include "evaluate/comparison.h"

#include "evaluate/evaluate.h"
#include "evaluate/evaluation.h"
#include "evaluate/metrics/agreement.h"
#include "evaluate/statistics/hypothesis_tests.h"
#include "statepath/comparison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *sample_alloc(sample *s, size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    const bool is_full = (s->n_owned & (s->n_owned - 1)) == 0; /* room doubles: at 0, 1, 2, 4, 8, ... */
    void **owned = is_full ? realloc(s->owned, (s->n_owned ? 2 * s->n_owned : 1) * sizeof *owned) : s->owned;
    if (!memory || !owned)
        abort();
    s->owned = owned;
    s->owned[s->n_owned++] = memory;
    return memory;
}

char *sample_text(sample *s, const char *text)
{
    return strcpy(sample_alloc(s, strlen(text) + 1, 1), text);
}

void sample_free(sample *s)
{
    if (!s)
        return;
    sp_reliability_free(s->comparison.reliability);
    for (size_t i = 0; i < s->n_owned; i++)
        free(s->owned[i]);
    free(s->owned);
    free(s);
}

static sp_value defined(double value)
{
    return (sp_value){.value = value};
}

static sp_value undefined(const char *reason)
{
    return (sp_value){.undefined = reason};
}

static int by_count(const void *a, const void *b)
{
    const sp_pair_count *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->from != y->from ? x->from - y->from : x->to - y->to;
}

/* Counts of one path, by the plainest loop. */
static sp_transition_counts count_path(const sample_input *in, int64_t r, const int32_t *path,
                                       int64_t *illegal, int64_t *transition_counts)
{
    sp_transition_counts counts = {0};
    for (int64_t t = in->offsets[r] + 1; t < in->offsets[r + 1]; t++) {
        int32_t from = path[t - 1], to = path[t];
        if (from < 0 || to < 0)
            continue;
        counts.transitions++;
        counts.changes += from != to;
        if (!in->allow[from * in->n_classes + to]) {
            counts.illegal++;
            illegal[from * in->n_classes + to]++;
        }
        transition_counts[from * in->n_classes + to]++;
    }
    return counts;
}

static void add_counts(sp_transition_counts *sum, const sp_transition_counts *counts)
{
    sum->transitions += counts->transitions;
    sum->changes += counts->changes;
    sum->illegal += counts->illegal;
}

static sp_pair_count *list_pairs(sample *s, int32_t n_classes, const int64_t *matrix, int64_t *n)
{
    sp_pair_count *pairs = sample_alloc(s, (size_t)n_classes * (size_t)n_classes, sizeof *pairs);
    *n = 0;
    for (int32_t i = 0; i < n_classes; i++)
        for (int32_t j = 0; j < n_classes; j++)
            if (matrix[i * n_classes + j])
                pairs[(*n)++] = (sp_pair_count){.from = i, .to = j, .count = matrix[i * n_classes + j]};
    qsort(pairs, (size_t)*n, sizeof *pairs, by_count);
    return pairs;
}

static sp_class_runs *count_runs(sample *s, const sample_input *in, const int32_t *path,
                                 const sp_class_runs *reference)
{
    sp_class_runs *class_runs = sample_alloc(s, (size_t)in->n_classes, sizeof *class_runs);
    for (int32_t k = 0; k < in->n_classes; k++) {
        int64_t *by_length = sample_alloc(s, (size_t)in->offsets[in->n_recordings] + 1, sizeof *by_length);
        for (int64_t r = 0; r < in->n_recordings; r++) {
            int64_t run = 0;
            for (int64_t t = in->offsets[r]; t <= in->offsets[r + 1]; t++) {
                if (t < in->offsets[r + 1] && path[t] == k) {
                    run++;
                } else if (run) {
                    by_length[run]++;
                    class_runs[k].count++;
                    class_runs[k].steps += run;
                    run = 0;
                }
            }
        }
        for (int64_t l = 1; l <= in->offsets[in->n_recordings]; l++)
            class_runs[k].n_lengths += by_length[l] > 0;
        class_runs[k].isolated = in->offsets[in->n_recordings] > 0 ? by_length[1] : 0;
        class_runs[k].lengths =
            sample_alloc(s, (size_t)class_runs[k].n_lengths, sizeof *class_runs[k].lengths);
        int64_t n = 0, seen = 0;
        bool has_median = false;
        class_runs[k].mean = class_runs[k].count
                                 ? defined((double)class_runs[k].steps / (double)class_runs[k].count)
                                 : undefined("no runs");
        class_runs[k].median = undefined("no runs");
        for (int64_t l = 1; l <= in->offsets[in->n_recordings]; l++) {
            if (by_length[l])
                class_runs[k].lengths[n++] = (sp_length_count){.length = l, .count = by_length[l]};
            seen += by_length[l];
            if (!has_median && by_length[l] && 2 * seen >= class_runs[k].count) {
                class_runs[k].median = defined((double)l);
                has_median = true;
            }
        }
        class_runs[k].count_ratio = reference && reference[k].count
                                        ? defined((double)class_runs[k].count / (double)reference[k].count)
                                        : undefined("no runs in the reference");
    }
    return class_runs;
}

static void fill_agreement(sample *s, const sample_input *in, sp_strategy_result *result, const int32_t *path)
{
    size_t n_classes = (size_t)in->n_classes;
    result->has_agreement = true;
    result->confusion = sample_alloc(s, n_classes * n_classes, sizeof *result->confusion);
    result->undecoded_steps = sample_alloc(s, n_classes, sizeof *result->undecoded_steps);
    result->classes = sample_alloc(s, n_classes, sizeof *result->classes);
    int64_t *one = sample_alloc(s, n_classes * n_classes, sizeof *one);
    double sum = 0, squares = 0, kappas = 0;
    for (int64_t r = 0; r < in->n_recordings; r++) {
        sp_agreement agreement;
        int64_t *missing = sample_alloc(s, n_classes, sizeof *missing);
        memset(one, 0, n_classes * n_classes * sizeof *one);
        for (int64_t t = in->offsets[r]; t < in->offsets[r + 1]; t++) {
            if (in->labels[t] < 0)
                continue;
            if (path[t] < 0) {
                missing[in->labels[t]]++;
                result->undecoded_steps[in->labels[t]]++;
            } else {
                one[in->labels[t] * in->n_classes + path[t]]++;
                result->confusion[in->labels[t] * in->n_classes + path[t]]++;
            }
        }
        sp_agreement_from_confusion(in->n_classes, one, missing, &agreement, NULL);
        result->recordings[r].scored = agreement.scored;
        result->recordings[r].correct = agreement.correct;
        result->recordings[r].accuracy = agreement.accuracy;
        result->recordings[r].kappa = agreement.kappa;
        if (!agreement.accuracy.undefined) {
            result->mean_accuracy_n++;
            sum += agreement.accuracy.value;
            squares += agreement.accuracy.value * agreement.accuracy.value;
        }
        if (!agreement.kappa.undefined) {
            result->mean_kappa_n++;
            kappas += agreement.kappa.value;
        }
    }
    double n = (double)result->mean_accuracy_n;
    result->mean_accuracy = n > 0 ? defined(sum / n) : undefined("no scored steps");
    result->sd_accuracy =
        n > 1 ? defined(sqrt(fmax(0, (squares - sum * sum / n) / (n - 1)))) : undefined("one recording");
    result->mean_kappa =
        result->mean_kappa_n ? defined(kappas / (double)result->mean_kappa_n) : undefined("no scored steps");
    result->sd_kappa = result->mean_kappa_n > 1 ? defined(0.0625) : undefined("one recording");
    sp_agreement_from_confusion(in->n_classes, result->confusion, result->undecoded_steps, &result->agreement,
                                result->classes);
}

static void fill_changes(sample *s, const sample_input *in, sp_strategy_result *result, const int32_t *path)
{
    result->has_changes = true;
    result->class_changes = sample_alloc(s, (size_t)in->n_classes, sizeof *result->class_changes);
    for (int64_t t = 0; t < in->offsets[in->n_recordings]; t++) {
        int32_t label = in->labels[t], old = in->paths[0][t], new = path[t];
        if (label < 0)
            continue;
        sp_changes *class = &result->class_changes[label];
        bool same = old == new, was = old == label, is = new == label;
        result->changes.same += same;
        class->same += same;
        result->changes.fixed += !same && is;
        class->fixed += !same && is;
        result->changes.worsened += !same && was;
        class->worsened += !same && was;
        result->changes.wrong_to_wrong += !same && !was && !is;
        class->wrong_to_wrong += !same && !was && !is;
    }
}

static void fill_boundaries(const sample_input *in, sp_boundaries *b, const int32_t *path)
{
    for (int64_t r = 0; r < in->n_recordings; r++)
        for (int64_t t = in->offsets[r] + 1; t < in->offsets[r + 1]; t++) {
            b->reference += in->labels[t] != in->labels[t - 1];
            b->decoded += path[t] != path[t - 1];
            b->matched[0] += in->labels[t] != in->labels[t - 1] && path[t] == in->labels[t] &&
                             path[t - 1] == in->labels[t - 1];
        }
    for (int i = 0; i < SP_N_TOLERANCES; i++) {
        b->matched[i] = b->matched[0];
        b->recall[i] =
            b->reference ? defined((double)b->matched[i] / (double)b->reference) : undefined("no changes");
        b->precision[i] =
            b->decoded ? defined((double)b->matched[i] / (double)b->decoded) : undefined("no changes");
    }
}

static void fill_strategy(sample *s, const sample_input *in, int32_t index)
{
    sp_comparison *c = &s->comparison;
    sp_strategy_result *result = &c->strategies[index];
    const int32_t *path = in->paths[index];
    int64_t *illegal = sample_alloc(s, (size_t)in->n_classes * (size_t)in->n_classes, sizeof *illegal);
    result->transition_counts =
        sample_alloc(s, (size_t)in->n_classes * (size_t)in->n_classes, sizeof *result->transition_counts);
    result->name = sample_text(s, in->names[index]);
    result->is_legal_by_construction = strcmp(result->name, "argmax") != 0;
    result->recordings = sample_alloc(s, (size_t)in->n_recordings, sizeof *result->recordings);
    result->has_path_score = true;
    result->edit_score = in->labels ? defined(0.75) : undefined("no scored steps");
    result->edit_score_n = in->labels ? in->n_recordings : 0;
    result->segments = (sp_segments){.reference = 8, .decoded = 8, .matched = {7, 6, 4}};
    for (int i = 0; i < SP_N_OVERLAPS; i++)
        result->segments.f1[i] =
            in->labels ? defined((double)result->segments.matched[i] / 8) : undefined("no segments");
    for (int64_t r = 0; r < in->n_recordings; r++) {
        sp_recording_result *recording = &result->recordings[r];
        bool is_decoded = in->offsets[r] == in->offsets[r + 1] || path[in->offsets[r]] >= 0;
        recording->counts = count_path(in, r, path, illegal, result->transition_counts);
        recording->decoded =
            (sp_decoded){.status = is_decoded ? SP_OK : SP_EDEADEND,
                         .step = is_decoded ? -1 : 1,
                         .score = !is_decoded || recording->counts.illegal ? -INFINITY : -10.5};
        recording->accuracy = undefined("no scored steps");
        recording->kappa = undefined("no scored steps");
        add_counts(&result->counts, &recording->counts);
        result->n_undecoded += !is_decoded;
        result->recordings_with_illegal += recording->counts.illegal > 0;
    }
    result->path_score = result->counts.illegal ? undefined("an illegal path has no score")
                                                : defined(-10.5 * (double)in->n_recordings);
    result->illegal_pairs = list_pairs(s, in->n_classes, illegal, &result->n_illegal_pairs);
    result->class_runs = count_runs(s, in, path, c->reference_runs);
    if (in->labels) {
        fill_agreement(s, in, result, path);
        fill_changes(s, in, result, path);
        fill_boundaries(in, &result->boundaries, path);
        for (int i = 0; i < SP_N_CONTEXTS; i++) {
            result->context_steps[i] = result->agreement.scored / SP_N_CONTEXTS;
            result->context_correct[i] = result->agreement.correct / SP_N_CONTEXTS;
            result->context_changes[i] = (sp_changes){.same = result->context_steps[i]};
        }
    }
}

static void fill_model(sample *s, const sample_input *in)
{
    sp_comparison *c = &s->comparison;
    size_t n = (size_t)in->n_classes;
    c->model_name = sample_text(s, "sample-rules");
    c->model_description = sample_text(s, "Rules made for a test.");
    c->model_source = sample_text(s, "A. Author 2020");
    c->n_classes = in->n_classes;
    c->classes = sample_alloc(s, n, sizeof *c->classes);
    c->input_classes = sample_alloc(s, n, sizeof *c->input_classes);
    c->start_allowed = sample_alloc(s, n, 1);
    c->end_allowed = sample_alloc(s, n, 1);
    c->min_dwell = sample_alloc(s, n, sizeof *c->min_dwell);
    c->forbidden = sample_alloc(s, n * n, sizeof *c->forbidden);
    for (int32_t i = 0; i < in->n_classes; i++) {
        c->classes[i] = sample_text(s, in->classes[i]);
        c->input_classes[i] = c->classes[i];
        c->start_allowed[i] = c->end_allowed[i] = 1;
        c->min_dwell[i] = 1;
        for (int32_t j = 0; j < in->n_classes; j++) {
            if (in->allow[i * in->n_classes + j])
                continue;
            if (c->n_forbidden < 1000)
                c->forbidden[c->n_forbidden++] = (sp_pair_count){.from = i, .to = j};
            c->forbidden_count++;
        }
    }
}

static void fill_comparisons(sample *s, const sample_input *in)
{
    sp_comparison *c = &s->comparison;
    c->comparisons = sample_alloc(s, 4 * 28, sizeof *c->comparisons);
    for (int32_t b = 0; b < c->n_strategies && in->labels; b++)
        for (int32_t a = b + 1; a < c->n_strategies; a++) {
            sp_pair_comparison *pair = &c->comparisons[c->n_comparisons++];
            double d = c->strategies[a].agreement.accuracy.value - c->strategies[b].agreement.accuracy.value;
            bool has_interval = c->n_recordings > 1;
            *pair = (sp_pair_comparison){.a = a, .b = b, .metric = "accuracy"};
            pair->difference = (sp_difference){
                .difference =
                    c->strategies[a].agreement.accuracy.undefined ? undefined("no scored steps") : defined(d),
                .low = has_interval ? defined(d - 0.01) : undefined("one recording"),
                .high = has_interval ? defined(d + 0.02) : undefined("one recording"),
                .n = c->n_recordings,
                .n_resamples = has_interval ? 10000 : 0};
            pair->difference.bca[0] = pair->difference.studentised[0] = pair->difference.low;
            pair->difference.bca[1] = pair->difference.studentised[1] = pair->difference.high;
            pair->difference.percentile[0] = has_interval ? defined(d - 0.011) : undefined("one recording");
            pair->difference.percentile[1] = has_interval ? defined(d + 0.019) : undefined("one recording");
            for (int64_t r = 0; r < c->n_recordings; r++) {
                int64_t x = c->strategies[a].recordings[r].correct,
                        y = c->strategies[b].recordings[r].correct;
                pair->test.better += x > y;
                pair->test.worse += x < y;
                pair->test.ties += x == y;
            }
            pair->test.p =
                pair->test.better + pair->test.worse ? defined(0.0123) : undefined("no difference");
            int64_t unequal = pair->test.better + pair->test.worse;
            pair->test.p_least = unequal ? defined(ldexp(1, 1 - (int)unequal)) : undefined("no difference");
            pair->test.rank_biserial =
                pair->test.better + pair->test.worse ? defined(0.5) : undefined("no difference");
            pair->test.is_exact = true;
            pair->p_holm = pair->test.p.undefined ? pair->test.p : defined(0.0369);
            pair->mean = pair->median = defined(d);
            pair->sd = has_interval ? defined(0.01) : undefined("one recording");
            pair->permutation =
                (sp_sign_flip){.p = pair->test.p.undefined ? pair->test.p : defined(0.015), .is_exact = true};
            sp_mcnemar_test(4, 2, &pair->mcnemar);
            pair->mcnemar_cluster = pair->bowker = (sp_chi2){defined(2.5), defined(0.1138), 1};
            pair->stuart_maxwell = (sp_chi2){undefined("no step differs"), undefined("no step differs"), 0};
        }
}

/* What goes beyond one figure a strategy, where there are labels and argmax comes first. */
static void fill_more(sample *s, const sample_input *in)
{
    sp_comparison *c = &s->comparison;
    int32_t n = c->n_strategies, K = c->n_classes;
    sp_value few = undefined("fewer than three strategies");
    c->friedman = c->cochran = (sp_chi2){few, few, 0};
    if (!in->labels || n == 0 || c->n_scored_steps == 0)
        return;
    if (n > 2) {
        c->friedman = (sp_chi2){defined(4.5), defined(0.1054), 2};
        c->cochran = (sp_chi2){defined(97.25), defined(1e-20), 2};
        c->mean_ranks = sample_alloc(s, (size_t)n, sizeof *c->mean_ranks);
    }
    c->n_collapsed = 1;
    c->collapsed = sample_alloc(s, 1, sizeof *c->collapsed);
    sp_collapse *how = &c->collapsed->how;
    *how = (sp_collapse){.n_classes = K, .n_groups = K > 1 ? 2 : 1};
    how->groups = sample_alloc(s, 2, sizeof *how->groups);
    how->groups[0] = sample_text(s, "first");
    how->groups[1] = sample_text(s, "rest");
    how->name = sample_text(s, "first / rest");
    how->group_of_class = sample_alloc(s, (size_t)K, sizeof *how->group_of_class);
    size_t G = (size_t)how->n_groups;
    for (int32_t k = 1; k < K; k++)
        how->group_of_class[k] = 1;
    c->collapsed->strategies = sample_alloc(s, (size_t)n, sizeof *c->collapsed->strategies);
    c->collapsed->confusion = sample_alloc(s, (size_t)n * (G * G + G), sizeof *c->collapsed->confusion);
    for (int32_t i = 0; i < n; i++) {
        sp_strategy_result *result = &c->strategies[i];
        int64_t *matrix = c->collapsed->confusion + (size_t)i * G * G;
        int64_t *missing = c->collapsed->confusion + (size_t)n * G * G + (size_t)i * G;
        sp_collapse_counts(how, result->confusion, result->undecoded_steps, matrix, missing);
        sp_agreement_from_confusion((int32_t)G, matrix, missing, &c->collapsed->strategies[i], NULL);
        if (sp_kappa_standard_error(K, result->confusion, result->undecoded_steps, &result->agreement,
                                    &result->kappa_se, NULL) != SP_OK)
            abort();
        result->has_regret = true;
        result->regret = defined(0.001 * i);
        result->regret_steps = c->n_steps - (i == 1);
        result->zero_steps = i == 1;
        if (c->mean_ranks)
            c->mean_ranks[i] = 1 + 0.5 * i;
        if (!result->has_changes || i == 0)
            continue;
        sp_error_runs *errors = &result->error_runs;
        errors->runs = sample_alloc(s, 1, sizeof *errors->runs);
        errors->runs->lengths = sample_alloc(s, 2, sizeof *errors->runs->lengths);
        errors->runs->n_lengths = 2;
        errors->runs->lengths[0] = (sp_length_count){.length = 1, .count = 2};
        errors->runs->lengths[1] = (sp_length_count){.length = 4, .count = 1};
        errors->runs->count = 3;
        errors->runs->steps = 6;
        errors->runs->mean = defined(2);
        errors->runs->median = defined(1);
        errors->worsened = 5;
        errors->consequences = 2;
        errors->consequence_share = defined(0.4);
        errors->forbidden = 3;
        errors->longest = 4;
        errors->longest_step = 1;
        errors->dead_ends = result->n_undecoded;
    }
    c->has_margin = n > 1;
    c->margin = 0.01;
}

/* At step t of recording r; the reference stands after the strategies. */
static sp_illegal_said said_at(const sample_input *in, int64_t r, int32_t who, int64_t t)
{
    const int32_t *path = who < in->n_strategies ? in->paths[who] : in->labels;
    sp_illegal_said said = {.from = path && t > in->offsets[r] ? path[t - 1] : -1, .to = path ? path[t] : -1};
    said.is_illegal = said.from >= 0 && said.to >= 0 && !in->allow[said.from * in->n_classes + said.to];
    return said;
}

static void fill_places(sample *s, const sample_input *in)
{
    sp_comparison *c = &s->comparison;
    int64_t room = in->offsets[in->n_recordings], n = 0;
    c->illegal_places =
        sample_alloc(s, (size_t)(room < SP_MOST_ILLEGAL_PLACES ? room : SP_MOST_ILLEGAL_PLACES),
                     sizeof *c->illegal_places);
    for (int64_t r = 0; r < in->n_recordings; r++)
        for (int64_t t = in->offsets[r]; t < in->offsets[r + 1]; t++) {
            bool is_place = false;
            for (int32_t who = 0; who <= in->n_strategies; who++)
                is_place |= said_at(in, r, who, t).is_illegal;
            if (!is_place)
                continue;
            c->illegal_places_cut = n == SP_MOST_ILLEGAL_PLACES;
            if (c->illegal_places_cut)
                return;
            sp_illegal_said *said = sample_alloc(s, (size_t)in->n_strategies + 1, sizeof *said);
            for (int32_t who = 0; who <= in->n_strategies; who++)
                said[who] = said_at(in, r, who, t);
            c->illegal_places[n++] = (sp_illegal_place){r, t - in->offsets[r], said};
            c->n_illegal_places = n;
        }
}

static void fill_traces(sample *s, const sample_input *in)
{
    sp_comparison *c = &s->comparison;
    c->n_traces = in->n_recordings;
    c->traces = sample_alloc(s, (size_t)in->n_recordings, sizeof *c->traces);
    for (int64_t r = 0; r < in->n_recordings; r++) {
        sp_trace *trace = &c->traces[r];
        size_t n = (size_t)(in->offsets[r + 1] - in->offsets[r]);
        trace->recording = r;
        trace->n_steps = (int64_t)n;
        trace->paths = sample_alloc(s, (size_t)in->n_strategies, sizeof *trace->paths);
        if (in->labels)
            trace->labels =
                memcpy(sample_alloc(s, n, sizeof(int32_t)), in->labels + in->offsets[r], n * sizeof(int32_t));
        for (int32_t i = 0; i < in->n_strategies; i++)
            trace->paths[i] = memcpy(sample_alloc(s, n, sizeof(int32_t)), in->paths[i] + in->offsets[r],
                                     n * sizeof(int32_t));
    }
}

sample *sample_new(const sample_input *in)
{
    sample *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    sp_comparison *c = &s->comparison;
    c->file = sample_text(s, "scores.h5");
    c->file_size = 123456;
    c->command = sample_text(s, "statepath compare scores.h5 --model sample-rules");
    c->n_recordings = in->n_recordings;
    c->n_steps = in->offsets[in->n_recordings];
    c->has_labels = in->labels != NULL;
    c->ids = sample_alloc(s, (size_t)in->n_recordings, sizeof *c->ids);
    c->steps = sample_alloc(s, (size_t)in->n_recordings, sizeof *c->steps);
    c->scored_steps = sample_alloc(s, (size_t)in->n_recordings, sizeof *c->scored_steps);
    c->reference_frequencies.worst_recording = -1;
    c->seed = 1;
    c->level = 0.95;
    int64_t *illegal = sample_alloc(s, (size_t)in->n_classes * (size_t)in->n_classes, sizeof *illegal);
    if (in->labels)
        c->reference_transition_counts = sample_alloc(s, (size_t)in->n_classes * (size_t)in->n_classes,
                                                      sizeof *c->reference_transition_counts);
    for (int64_t r = 0; r < in->n_recordings; r++) {
        c->ids[r] = sample_text(s, in->ids[r]);
        c->steps[r] = in->offsets[r + 1] - in->offsets[r];
        for (int64_t t = in->offsets[r]; in->labels && t < in->offsets[r + 1]; t++)
            c->scored_steps[r] += in->labels[t] >= 0;
        c->n_scored_steps += c->scored_steps[r];
        if (in->labels) {
            sp_transition_counts counts =
                count_path(in, r, in->labels, illegal, c->reference_transition_counts);
            add_counts(&c->reference, &counts);
            if (counts.illegal > c->reference_frequencies.worst_illegal) {
                c->reference_frequencies.worst_illegal = counts.illegal;
                c->reference_frequencies.worst_recording = r;
            }
        }
    }
    c->reference_illegal_pairs = list_pairs(s, in->n_classes, illegal, &c->n_reference_illegal_pairs);
    c->mask_ceiling = in->labels && c->n_scored_steps ? defined(0.9875) : undefined("no scored steps");
    c->reference_runs = in->labels ? count_runs(s, in, in->labels, NULL) : NULL;
    fill_model(s, in);
    c->n_strategies = in->n_strategies;
    c->strategies = sample_alloc(s, (size_t)in->n_strategies, sizeof *c->strategies);
    for (int32_t i = 0; i < in->n_strategies; i++)
        fill_strategy(s, in, i);
    fill_comparisons(s, in);
    fill_more(s, in);
    fill_places(s, in);
    if (in->with_traces)
        fill_traces(s, in);
    sp_frequencies_fill(c);
    for (int32_t i = 0; i < in->n_strategies; i++)
        c->strategies[i].label_permutation.accuracy = c->strategies[i].label_permutation.kappa =
            undefined("not better by far under other names");
    sample_add_metrics(s);
    sample_add_probabilities(s, in);
    return s;
}

sample *sample_small(void)
{
    static const char *const classes[] = {"Wake", "NREM", "REM"}, *const ids[] = {"night_1", "night_2"},
                             *const names[] = {"argmax", "greedy", "viterbi"};
    static const uint8_t allow[] = {1, 1, 0, 1, 1, 1, 1, 1, 1}; /* Wake -> REM is forbidden */
    static const int64_t offsets[] = {0, 8, 14};
    static const int32_t labels[] = {0, 0, 1, 1, 2, 2, 1, 0, /**/ 0, 0, 2, 2, 2, -1};
    static const int32_t argmax[] = {0, 0, 2, 1, 2, 2, 1, 0, /**/ 0, 0, 2, 2, 1, 1};
    static const int32_t greedy[] = {0, 0, 1, 1, 2, 2, 1, 0, /**/ -1, -1, -1, -1, -1, -1};
    static const int32_t viterbi[] = {0, 0, 1, 1, 2, 2, 1, 0, /**/ 0, 1, 2, 2, 1, 1};
    static const int32_t *const paths[] = {argmax, greedy, viterbi};
    sample_input in = {.n_classes = 3,
                       .classes = classes,
                       .allow = allow,
                       .n_recordings = 2,
                       .ids = ids,
                       .offsets = offsets,
                       .labels = labels,
                       .n_strategies = 3,
                       .names = names,
                       .paths = paths,
                       .with_traces = true};
    return sample_new(&in);
}

/* ---- recipes ---- */

static uint32_t draw(uint64_t *state, uint32_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 33) % n);
}

/* A walk that obeys the rules: mostly stays, else takes a random allowed class. */
static void walk(const uint8_t *allow, int32_t n_classes, int64_t n, uint64_t *state, int32_t *path)
{
    int32_t at = 0;
    for (int64_t t = 0; t < n; t++) {
        if (draw(state, 12) == 0) {
            int32_t to = (int32_t)draw(state, (uint32_t)n_classes);
            at = allow[at * n_classes + to] ? to : at;
        }
        path[t] = at;
    }
}

static sample *by_recipe(int32_t n_classes, const char *const *classes, const uint8_t *allow,
                         int64_t n_recordings, int64_t steps)
{
    static const char *const names[] = {"argmax", "greedy", "viterbi"};
    size_t size = (size_t)(n_recordings * steps) + 1;
    int32_t *labels = calloc(size, sizeof *labels), *paths[3];
    int64_t *offsets = calloc((size_t)n_recordings + 1, sizeof *offsets);
    char **ids = calloc((size_t)n_recordings + 1, sizeof *ids);
    for (int i = 0; i < 3; i++)
        if (!(paths[i] = calloc(size, sizeof **paths)))
            abort();
    if (!labels || !offsets || !ids)
        abort();
    uint64_t state = 42;
    for (int64_t r = 0; r < n_recordings; r++) {
        int32_t *label = labels + offsets[r];
        offsets[r + 1] = offsets[r] + steps;
        ids[r] = malloc(32);
        if (!ids[r])
            abort();
        snprintf(ids[r], 32, "night_%03lld", (long long)r + 1);
        walk(allow, n_classes, steps, &state, label);
        for (int i = 0; i < 3; i++) {
            int32_t *path = paths[i] + offsets[r];
            for (int64_t t = 0; t < steps; t++) {
                bool errs = draw(&state, 100) < (uint32_t)(6 + 3 * i + 2 * (r % 5));
                int32_t want = errs ? (int32_t)draw(&state, (uint32_t)n_classes) : label[t];
                bool is_allowed = i == 0 || t == 0 || allow[path[t - 1] * n_classes + want];
                path[t] = is_allowed ? want : path[t - 1];
            }
        }
        if (steps > 20) /* a reference is not perfect either */
            label[steps / 2] = label[steps / 2 + 1] = -1;
        if (steps > 20 && n_classes > 4)
            label[steps / 3] = 4;
    }
    sample_input in = {.n_classes = n_classes,
                       .classes = classes,
                       .allow = allow,
                       .n_recordings = n_recordings,
                       .ids = (const char *const *)ids,
                       .offsets = offsets,
                       .labels = labels,
                       .n_strategies = 3,
                       .names = names,
                       .paths = (const int32_t *const *)paths,
                       .with_traces = true};
    sample *s = sample_new(&in);
    for (int i = 0; i < 3; i++)
        free(paths[i]);
    for (int64_t r = 0; r < n_recordings; r++)
        free(ids[r]);
    free(ids);
    free(labels);
    free(offsets);
    return s;
}

sample *sample_nights(int64_t n_recordings, int64_t steps)
{
    static const char *const classes[] = {"Wake", "N1", "N2", "N3", "REM"};
    static const uint8_t allow[] = {1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1,
                                    1, 1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1};
    return by_recipe(5, classes, allow, n_recordings, steps);
}

sample *sample_ranked(void)
{
    sample *s = sample_nights(1000, 20);
    sp_recording_result *rows = s->comparison.strategies[SAMPLE_VITERBI].recordings;
    for (int64_t r = 0; r < 1000; r++)
        rows[r].accuracy = (sp_value){.value = r == 500 ? 0.01 : r == 700 ? 0.99 : 0.1 + 0.0005 * (double)r};
    return s;
}

sample *sample_band(int32_t n_classes, int64_t n_recordings, int64_t steps)
{
    size_t n = (size_t)n_classes;
    uint8_t *allow = calloc(n * n, 1);
    char **classes = calloc(n, sizeof *classes);
    if (!allow || !classes)
        abort();
    for (int32_t i = 0; i < n_classes; i++) {
        if (!(classes[i] = malloc(32)))
            abort();
        snprintf(classes[i], 32, "class %d", (int)i);
        for (int32_t j = 0; j < n_classes; j++)
            allow[i * n_classes + j] = abs(i - j) <= 1;
    }
    sample *s = by_recipe(n_classes, (const char *const *)classes, allow, n_recordings, steps);
    for (size_t i = 0; i < n; i++)
        free(classes[i]);
    free(classes);
    free(allow);
    return s;
}
