/* Evaluations of random labels and paths against counts taken in the simplest way, and laws that they keep. */
#include "check.h"
#include "statepath/comparison.h"

/* Runs choose blocks by themselves, and draw ten thousand resamples, for which there are too many problems here. */
#include "evaluate/evaluate.h"
#include "evaluate/evaluation.h"
#include "evaluate/metrics/edit.h"

static uint64_t seed = 88172645463325252u;

static uint64_t next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static int32_t below(int32_t n)
{
    return (int32_t)(next() % (uint64_t)n);
}

/* ---- a random problem ---- */

enum { MAX_N = 12, MAX_T = 14, MAX_S = MAX_N * MAX_T, MAX_K = 5, STRATEGIES = 4 };

typedef struct problem {
    int32_t K;
    int64_t N;
    int64_t offsets[MAX_N + 1], segments[MAX_S];
    int32_t labels[MAX_S], paths[STRATEGIES][MAX_S];
    sp_decoded results[STRATEGIES][MAX_N];
    uint8_t allow[MAX_K * MAX_K], start[MAX_K], end[MAX_K];
    sp_chain *chain;
} problem;

static const char *const names[STRATEGIES] = {"greedy", "argmax", "viterbi", "beam:4"};
static const char *const class_names[MAX_K] = {"O", "B-x", "I-x", "B-y", "I-y"};

static sp_chain *make_chain(const problem *p)
{
    sp_error err;
    sp_model *model = sp_model_new("random", p->K, class_names);
    assert_non_null(model);
    assert_ok(sp_model_set_matrix(model, p->allow, NULL, &err), &err);
    model->start = malloc((size_t)p->K * sizeof *model->start);
    model->end = malloc((size_t)p->K * sizeof *model->end);
    assert_non_null(model->start);
    assert_non_null(model->end);
    for (int32_t k = 0; k < p->K; k++) {
        model->start[k] = p->start[k] ? 0 : -INFINITY;
        model->end[k] = p->end[k] ? 0 : -INFINITY;
    }
    sp_chain_options options = sp_chain_options_default();
    options.is_boolean = true;
    sp_chain *chain = NULL;
    assert_ok(sp_chain_new(model, &options, &chain, &err), &err);
    sp_model_free(model);
    return chain;
}

static void make_problem(problem *p)
{
    *p = (problem){.K = 1 + below(MAX_K), .N = 1 + below(MAX_N)};
    for (int32_t i = 0; i < p->K * p->K; i++)
        p->allow[i] = below(4) > 0;
    for (int32_t k = 0; k < p->K; k++) {
        p->start[k] = k == 0 || below(3) > 0;
        p->end[k] = k == 0 || below(3) > 0;
    }
    bool has_gaps = below(2);
    for (int64_t n = 0; n < p->N; n++) {
        p->offsets[n + 1] = p->offsets[n] + below(MAX_T + 1);
        int64_t segment = 0;
        for (int64_t t = p->offsets[n]; t < p->offsets[n + 1]; t++) {
            segment += has_gaps && below(5) == 0;
            p->segments[t] = segment;
            p->labels[t] = t > p->offsets[n] && below(2) ? p->labels[t - 1] : below(p->K + 1) - 1;
        }
        for (int s = 0; s < STRATEGIES; s++) {
            bool is_decoded = below(6) > 0;
            p->results[s][n] = (sp_decoded){
                .status = is_decoded ? SP_OK : SP_ENOPATH, .step = is_decoded ? -1 : 0, .score = -1};
            for (int64_t t = p->offsets[n]; t < p->offsets[n + 1]; t++)
                p->paths[s][t] = !is_decoded ? -1
                                 : t > p->offsets[n] && below(3) == 0
                                     ? p->paths[s][t - 1] /* late, so that boundaries move */
                                 : below(3) && p->labels[t] >= 0 ? p->labels[t]
                                                                 : below(p->K);
        }
    }
    p->chain = make_chain(p);
}

/* Evaluates the recordings `order` [n] of the problem in blocks of `size`. */
static sp_comparison *evaluate(const problem *p, int64_t n, const int64_t *order, int64_t size)
{
    sp_error err;
    sp_evaluation_options options = sp_evaluation_options_default();
    options.has_labels = true;
    options.n_strategies = STRATEGIES;
    options.names = names;
    options.classes = class_names;
    options.bootstrap.n_resamples = 20;
    sp_evaluation *e = NULL;
    assert_ok(sp_evaluation_new(p->chain, p->chain, &options, &e, &err), &err);
    for (int64_t first = 0; first < n; first += size) {
        int64_t offsets[MAX_N + 1] = {0}, segments[MAX_S], count = n - first < size ? n - first : size;
        int32_t labels[MAX_S], paths[STRATEGIES][MAX_S];
        sp_decoded results[STRATEGIES][MAX_N];
        for (int64_t i = 0; i < count; i++) {
            int64_t r = order[first + i], T = p->offsets[r + 1] - p->offsets[r], to = offsets[i];
            offsets[i + 1] = to + T;
            memcpy(labels + to, p->labels + p->offsets[r], (size_t)T * sizeof *labels);
            memcpy(segments + to, p->segments + p->offsets[r], (size_t)T * sizeof *segments);
            for (int s = 0; s < STRATEGIES; s++) {
                memcpy(paths[s] + to, p->paths[s] + p->offsets[r], (size_t)T * sizeof **paths);
                results[s][i] = p->results[s][r];
            }
        }
        sp_evaluation_block block = {
            .n_recordings = count,
            .offsets = offsets,
            .labels = labels,
            .segments = segments,
            .paths = (const int32_t *const[]){paths[0], paths[1], paths[2], paths[3]},
            .results = (const sp_decoded *const[]){results[0], results[1], results[2], results[3]}};
        assert_ok(sp_evaluation_add(e, &block, NULL, &err), &err);
    }
    sp_comparison *c = NULL;
    assert_ok(sp_evaluation_finish(e, &c, &err), &err);
    sp_evaluation_free(e);
    return c;
}

/* ---- counted again, the simple way ---- */

static bool joined(const problem *p, int64_t n, int64_t t)
{
    return t > p->offsets[n] && t < p->offsets[n + 1] && p->segments[t] == p->segments[t - 1];
}

static void check_counts(const problem *p, const int32_t *steps, const sp_transition_counts *c,
                         const sp_pair_count *pairs, int64_t n_pairs)
{
    sp_transition_counts x = {0};
    int64_t illegal[MAX_K * MAX_K] = {0};
    for (int64_t n = 0; n < p->N; n++) {
        int64_t a = p->offsets[n], b = p->offsets[n + 1];
        if (a == b)
            continue;
        x.illegal_start += steps[a] >= 0 && !p->start[steps[a]];
        x.illegal_end += steps[b - 1] >= 0 && !p->end[steps[b - 1]];
        for (int64_t t = a + 1; t < b; t++) {
            if (!joined(p, n, t) || steps[t] < 0 || steps[t - 1] < 0)
                continue;
            x.transitions++;
            x.changes += steps[t] != steps[t - 1];
            bool is_illegal = !p->allow[steps[t - 1] * p->K + steps[t]];
            x.illegal += is_illegal;
            illegal[steps[t - 1] * p->K + steps[t]] += is_illegal;
        }
    }
    assert_memory_equal(c, &x, sizeof x);
    int64_t listed = 0;
    for (int64_t i = 0; i < n_pairs; i++) {
        assert_int_equal(pairs[i].count, illegal[pairs[i].from * p->K + pairs[i].to]);
        assert_true(i == 0 || pairs[i].count <= pairs[i - 1].count);
        listed += pairs[i].count;
    }
    assert_int_equal(listed, x.illegal);
}

/* The step as the segment counts see it: nothing where the reference is unscored. */
static int32_t seen(const problem *p, const int32_t *steps, int64_t t)
{
    return p->labels[t] < 0 ? -1 : steps[t];
}

/* Runs of one class, their total length and their median, from each step that begins one. */
static void check_runs(const problem *p, const int32_t *steps, const sp_class_runs *class_runs)
{
    for (int32_t k = 0; k < p->K; k++) {
        int64_t lengths[MAX_S], count = 0, total = 0;
        for (int64_t n = 0; n < p->N; n++)
            for (int64_t t = p->offsets[n]; t < p->offsets[n + 1]; t++) {
                if (seen(p, steps, t) != k || (joined(p, n, t) && seen(p, steps, t - 1) == k))
                    continue;
                int64_t length = 1;
                while (joined(p, n, t + length) && seen(p, steps, t + length) == k)
                    length++;
                int64_t place = count++;
                for (; place > 0 && lengths[place - 1] > length; place--)
                    lengths[place] = lengths[place - 1];
                lengths[place] = length;
                total += length;
            }
        assert_int_equal(class_runs[k].count, count);
        assert_int_equal(class_runs[k].steps, total);
        assert_int_equal(class_runs[k].median.undefined == NULL, count > 0);
        if (count == 0)
            continue;
        assert_close(class_runs[k].mean.value, (double)total / (double)count, 1e-12, 0);
        double median = count % 2 ? (double)lengths[count / 2]
                                  : (double)(lengths[count / 2 - 1] + lengths[count / 2]) / 2;
        assert_close(class_runs[k].median.value, median, 0, 0);
    }
}

/* A change of class at a step, as from * K + to; -1 where there is none. */
static int32_t change_at(const problem *p, int64_t n, const int32_t *steps, int64_t t)
{
    if (!joined(p, n, t) || seen(p, steps, t) < 0 || seen(p, steps, t - 1) < 0 ||
        seen(p, steps, t) == seen(p, steps, t - 1))
        return -1;
    return seen(p, steps, t - 1) * p->K + seen(p, steps, t);
}

/* The most changes of the reference, from step t on, that can be matched within w steps, each change of the path used once. */
static int64_t best_match(const problem *p, int64_t n, const int32_t *path, int64_t w, int64_t t, bool *used)
{
    int64_t a = p->offsets[n], b = p->offsets[n + 1];
    while (t < b && change_at(p, n, p->labels, t) < 0)
        t++;
    if (t >= b)
        return 0;
    int64_t best = best_match(p, n, path, w, t + 1, used); /* leave it out */
    for (int64_t u = t - w < a ? a : t - w; u <= t + w && u < b; u++) {
        if (used[u] || change_at(p, n, path, u) != change_at(p, n, p->labels, t) ||
            p->segments[u] != p->segments[t])
            continue;
        used[u] = true;
        int64_t with = 1 + best_match(p, n, path, w, t + 1, used);
        used[u] = false;
        best = with > best ? with : best;
    }
    return best;
}

static void check_boundaries(const problem *p, const int32_t *path, const sp_boundaries *x)
{
    int64_t reference = 0, decoded = 0, matched[SP_N_TOLERANCES] = {0};
    bool used[MAX_S] = {false};
    for (int64_t n = 0; n < p->N; n++) {
        for (int64_t t = p->offsets[n]; t < p->offsets[n + 1]; t++) {
            reference += change_at(p, n, p->labels, t) >= 0;
            decoded += change_at(p, n, path, t) >= 0;
        }
        for (int w = 0; w < SP_N_TOLERANCES; w++)
            matched[w] += best_match(p, n, path, w, p->offsets[n], used);
    }
    assert_int_equal(x->reference, reference);
    assert_int_equal(x->decoded, decoded);
    assert_memory_equal(x->matched, matched, sizeof matched);
}

/* Accuracy that the best allowed path could have, by going through all classes at each step with a table of the best so far. */
static int64_t ceiling_of(const problem *p, int64_t n, bool *is_feasible)
{
    int64_t a = p->offsets[n], b = p->offsets[n + 1], best[MAX_K], answer = -1000000;
    *is_feasible = true;
    if (a == b)
        return 0;
    for (int64_t t = a; t < b; t++) {
        int64_t now[MAX_K];
        for (int32_t j = 0; j < p->K; j++) {
            now[j] = t == a ? (p->start[j] ? 0 : -1000000) : -1000000;
            for (int32_t i = 0; t > a && i < p->K; i++)
                if ((!joined(p, n, t) || p->allow[i * p->K + j]) && best[i] > now[j])
                    now[j] = best[i];
            now[j] += p->labels[t] == j;
        }
        memcpy(best, now, sizeof best);
    }
    for (int32_t j = 0; j < p->K; j++)
        if (p->end[j] && best[j] > answer)
            answer = best[j];
    *is_feasible = answer >= 0;
    return *is_feasible ? answer : 0;
}

static void check_agreement(const problem *p, const sp_strategy_result *s, const int32_t *path,
                            const int32_t *baseline)
{
    int64_t confusion[MAX_K * MAX_K] = {0}, undecoded[MAX_K] = {0}, scored = 0;
    sp_changes changes = {0};
    for (int64_t n = 0; n < p->N; n++) {
        int64_t rows = 0, right = 0;
        for (int64_t t = p->offsets[n]; t < p->offsets[n + 1]; t++) {
            int32_t y = p->labels[t];
            if (y < 0)
                continue;
            rows++;
            right += path[t] == y;
            if (path[t] < 0)
                undecoded[y]++;
            else
                confusion[y * p->K + path[t]]++;
            if (path[t] == baseline[t])
                changes.same++;
            else if (path[t] == y)
                changes.fixed++;
            else if (baseline[t] == y)
                changes.worsened++;
            else
                changes.wrong_to_wrong++;
        }
        scored += rows;
        assert_int_equal(s->recordings[n].scored, rows);
        assert_int_equal(s->recordings[n].correct, right);
    }
    assert_memory_equal(s->confusion, confusion, (size_t)(p->K * p->K) * sizeof *confusion);
    assert_memory_equal(s->undecoded_steps, undecoded, (size_t)p->K * sizeof *undecoded);
    assert_memory_equal(&s->changes, &changes, sizeof changes);
    assert_int_equal(changes.fixed + changes.worsened + changes.wrong_to_wrong + changes.same, scored);
    sp_changes sum = {0}, by_context = {0};
    for (int32_t k = 0; k < p->K; k++) {
        sum.fixed += s->class_changes[k].fixed;
        sum.worsened += s->class_changes[k].worsened;
        sum.wrong_to_wrong += s->class_changes[k].wrong_to_wrong;
        sum.same += s->class_changes[k].same;
    }
    int64_t context_correct = 0, context_steps = 0;
    for (int x = 0; x < SP_N_CONTEXTS; x++) {
        by_context.fixed += s->context_changes[x].fixed;
        by_context.worsened += s->context_changes[x].worsened;
        by_context.wrong_to_wrong += s->context_changes[x].wrong_to_wrong;
        by_context.same += s->context_changes[x].same;
        context_correct += s->context_correct[x];
        context_steps += s->context_steps[x];
    }
    assert_memory_equal(&sum, &changes, sizeof sum);
    assert_memory_equal(&by_context, &changes, sizeof sum);
    assert_int_equal(context_steps, scored);
    assert_int_equal(context_correct, s->agreement.correct);
}

/* The kappa of each recording is that of its own confusion matrix. */
static void check_recording_kappa(const problem *p, const sp_strategy_result *s, const int32_t *path)
{
    for (int64_t n = 0; n < p->N; n++) {
        int64_t confusion[MAX_K * MAX_K] = {0}, undecoded[MAX_K] = {0};
        for (int64_t t = p->offsets[n]; t < p->offsets[n + 1]; t++)
            if (p->labels[t] >= 0)
                *(path[t] < 0 ? &undecoded[p->labels[t]] : &confusion[p->labels[t] * p->K + path[t]]) += 1;
        sp_agreement a;
        sp_agreement_from_confusion(p->K, confusion, undecoded, &a, NULL);
        assert_int_equal(a.kappa.undefined == NULL, s->recordings[n].kappa.undefined == NULL);
        if (a.kappa.undefined)
            assert_string_equal(a.kappa.undefined, s->recordings[n].kappa.undefined);
        else
            assert_close(s->recordings[n].kappa.value, a.kappa.value, 1e-12, 0);
    }
}

static void test_against_simple_counts(void **state)
{
    (void)state;
    static const int64_t order[MAX_N] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    for (int trial = 0; trial < 400; trial++) {
        problem p;
        make_problem(&p);
        sp_comparison *c = evaluate(&p, p.N, order, p.N);
        check_counts(&p, p.labels, &c->reference, c->reference_illegal_pairs, c->n_reference_illegal_pairs);
        check_runs(&p, p.labels, c->reference_runs);
        for (int s = 0; s < STRATEGIES; s++) {
            const sp_strategy_result *r = &c->strategies[s];
            check_counts(&p, p.paths[s], &r->counts, r->illegal_pairs, r->n_illegal_pairs);
            check_agreement(&p, r, p.paths[s], p.paths[1]);
            check_recording_kappa(&p, r, p.paths[s]);
            check_runs(&p, p.paths[s], r->class_runs);
            check_boundaries(&p, p.paths[s], &r->boundaries);
        }
        int64_t best = 0, infeasible = 0;
        for (int64_t n = 0; n < p.N; n++) {
            bool is_feasible;
            best += ceiling_of(&p, n, &is_feasible);
            infeasible += !is_feasible;
        }
        assert_int_equal(c->ceiling_infeasible, infeasible);
        if (c->n_scored_steps)
            assert_close(c->mask_ceiling.value, (double)best / (double)c->n_scored_steps, 1e-15, 0);
        for (int32_t i = 0; i < c->n_comparisons; i++) {
            const sp_pair_comparison *x = &c->comparisons[i];
            const sp_agreement *of_a = &c->strategies[x->a].agreement, *of_b = &c->strategies[x->b].agreement;
            const sp_value *difference = &x->difference.difference;
            int64_t only[2] = {0};
            if (!strcmp(x->metric, "kappa") && !difference->undefined)
                assert_close(difference->value, of_a->kappa.value - of_b->kappa.value, 1e-12, 0);
            if (!strcmp(x->metric, "kappa"))
                assert_true(!difference->undefined == (!of_a->kappa.undefined && !of_b->kappa.undefined));
            if (!strcmp(x->metric, "macro_f1") && !difference->undefined)
                assert_close(difference->value, of_a->macro_f1.value - of_b->macro_f1.value, 1e-12, 0);
            if (strcmp(x->metric, "accuracy") != 0)
                continue;
            for (int64_t t = 0; t < p.offsets[p.N]; t++)
                if (p.labels[t] >= 0) {
                    bool a = p.paths[x->a][t] == p.labels[t], b = p.paths[x->b][t] == p.labels[t];
                    only[0] += a && !b;
                    only[1] += b && !a;
                }
            assert_int_equal(x->mcnemar.only_a, only[0]);
            assert_int_equal(x->mcnemar.only_b, only[1]);
        }
        sp_comparison_free(c);
        sp_chain_free(p.chain);
    }
}

/* ---- laws ---- */

static void assert_same_runs(int32_t K, const sp_class_runs *a, const sp_class_runs *b)
{
    for (int32_t k = 0; k < K; k++) {
        assert_int_equal(a[k].n_lengths, b[k].n_lengths);
        if (a[k].n_lengths)
            assert_memory_equal(a[k].lengths, b[k].lengths, (size_t)a[k].n_lengths * sizeof *a[k].lengths);
    }
}

/* Everything that is pooled is the same. */
static void assert_same_pooled(const sp_comparison *a, const sp_comparison *b)
{
    assert_int_equal(a->n_scored_steps, b->n_scored_steps);
    assert_memory_equal(&a->reference, &b->reference, sizeof a->reference);
    assert_close(a->mask_ceiling.value, b->mask_ceiling.value, 0, 0);
    assert_same_runs(a->n_classes, a->reference_runs, b->reference_runs);
    for (int s = 0; s < STRATEGIES; s++) {
        const sp_strategy_result *x = &a->strategies[s], *y = &b->strategies[s];
        assert_memory_equal(x->confusion, y->confusion,
                            (size_t)(a->n_classes * a->n_classes) * sizeof *x->confusion);
        assert_memory_equal(x->undecoded_steps, y->undecoded_steps,
                            (size_t)a->n_classes * sizeof *x->undecoded_steps);
        assert_memory_equal(&x->counts, &y->counts, sizeof x->counts);
        assert_memory_equal(&x->changes, &y->changes, sizeof x->changes);
        assert_memory_equal(x->context_correct, y->context_correct, sizeof x->context_correct);
        assert_memory_equal(x->boundaries.matched, y->boundaries.matched, sizeof x->boundaries.matched);
        assert_int_equal(x->n_illegal_pairs, y->n_illegal_pairs);
        assert_memory_equal(x->illegal_pairs, y->illegal_pairs,
                            (size_t)x->n_illegal_pairs * sizeof *x->illegal_pairs);
        assert_same_runs(a->n_classes, x->class_runs, y->class_runs);
        assert_int_equal(x->entities.pooled.correct, y->entities.pooled.correct);
        assert_int_equal(x->entities.strict.decoded, y->entities.strict.decoded);
        assert_close(x->edit_score.value, y->edit_score.value, 1e-12, 0);
        assert_close(x->mean_kappa.value, y->mean_kappa.value, 1e-12, 0);
        assert_int_equal(x->n_undecoded, y->n_undecoded);
    }
    for (int32_t i = 0; i < a->n_comparisons; i++) {
        const sp_pair_comparison *x = &a->comparisons[i], *y = &b->comparisons[i];
        assert_close(x->difference.difference.value, y->difference.difference.value, 0, 0);
        assert_close(x->test.p.value, y->test.p.value, 1e-12, 0);
        assert_close(x->p_holm.value, y->p_holm.value, 1e-12, 0);
        assert_memory_equal(&x->mcnemar.only_a, &y->mcnemar.only_a, sizeof x->mcnemar.only_a);
    }
}

static void assert_same_value(const sp_value *a, const sp_value *b)
{
    assert_ptr_equal(a->undefined, b->undefined);
    if (!a->undefined)
        assert_true(a->value == b->value);
}

static void assert_same_difference(const sp_difference *a, const sp_difference *b)
{
    assert_same_value(&a->difference, &b->difference);
    assert_same_value(&a->low, &b->low);
    assert_same_value(&a->high, &b->high);
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->n_resamples, b->n_resamples);
}

static void test_blocks_and_order_change_nothing(void **state)
{
    (void)state;
    for (int trial = 0; trial < 100; trial++) {
        problem p;
        make_problem(&p);
        int64_t order[MAX_N], shuffled[MAX_N];
        for (int64_t n = 0; n < p.N; n++)
            order[n] = shuffled[n] = n;
        for (int64_t n = p.N - 1; n > 0; n--) {
            int64_t other = below((int32_t)n + 1), kept = shuffled[n];
            shuffled[n] = shuffled[other];
            shuffled[other] = kept;
        }
        sp_comparison *whole = evaluate(&p, p.N, order, p.N), *single = evaluate(&p, p.N, order, 1),
                      *some = evaluate(&p, p.N, order, 5), *other = evaluate(&p, p.N, shuffled, 3);
        assert_same_pooled(whole, single);
        assert_same_pooled(whole, some);
        assert_same_pooled(whole, other);
        for (int32_t i = 0; i < whole->n_comparisons;
             i++) /* the interval depends on the order, not on the blocks */
            assert_same_difference(&whole->comparisons[i].difference, &some->comparisons[i].difference);
        sp_comparison_free(whole);
        sp_comparison_free(single);
        sp_comparison_free(some);
        sp_comparison_free(other);
        sp_chain_free(p.chain);
    }
}

/* The order of comparisons: each other strategy against argmax, then the rest pairwise, later against earlier. */
static void test_pairs(void **state)
{
    (void)state;
    problem p;
    make_problem(&p);
    int64_t order[MAX_N] = {0};
    sp_comparison *c = evaluate(&p, 1, order, 1);
    static const int32_t expected[6][2] = {{0, 1}, {2, 1}, {3, 1}, {2, 0}, {3, 0}, {3, 2}};
    static const char *const metrics[] = {"accuracy", "kappa", "macro_f1"};
    assert_true(c->n_comparisons >= 18); /* illegal rates where there are any */
    for (int i = 0; i < 18; i++) {
        assert_int_equal(c->comparisons[i].a, expected[i % 6][0]);
        assert_int_equal(c->comparisons[i].b, expected[i % 6][1]);
        assert_string_equal(c->comparisons[i].metric, metrics[i / 6]);
    }
    sp_comparison_free(c);
    sp_chain_free(p.chain);
}

/* A path that is the reference is right in everything. */
static void test_perfect_path(void **state)
{
    (void)state;
    for (int trial = 0; trial < 50; trial++) {
        problem p;
        make_problem(&p);
        int64_t order[MAX_N];
        for (int64_t n = 0; n < p.N; n++) {
            order[n] = n;
            p.results[2][n] = (sp_decoded){.step = -1, .score = -1};
        }
        memcpy(p.paths[2], p.labels, sizeof p.labels);
        sp_comparison *c = evaluate(&p, p.N, order, p.N);
        const sp_strategy_result *s = &c->strategies[2];
        assert_int_equal(s->agreement.correct, c->n_scored_steps);
        assert_int_equal(s->counts.illegal, c->reference.illegal);
        assert_int_equal(s->boundaries.matched[0], s->boundaries.reference);
        assert_int_equal(s->boundaries.decoded, s->boundaries.reference);
        assert_true(s->edit_score.undefined || s->edit_score.value == 1);
        assert_same_runs(p.K, s->class_runs, c->reference_runs);
        assert_int_equal(s->entities.pooled.correct, s->entities.pooled.reference);
        assert_int_equal(s->entities.strict.decoded, s->entities.strict.reference);
        assert_int_equal(s->changes.worsened + s->changes.wrong_to_wrong, 0);
        sp_comparison_free(c);
        sp_chain_free(p.chain);
    }
}

/* ---- edit distance against the table ---- */

static int64_t table_distance(int64_t m, const int32_t *a, int64_t n, const int32_t *b)
{
    enum { MAX = 300 };
    static int64_t d[MAX + 1][MAX + 1];
    for (int64_t i = 0; i <= m; i++)
        for (int64_t j = 0; j <= n; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            int64_t best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            best = d[i - 1][j] + 1 < best ? d[i - 1][j] + 1 : best;
            d[i][j] = d[i][j - 1] + 1 < best ? d[i][j - 1] + 1 : best;
        }
    return d[m][n];
}

static void test_edit_distance(void **state)
{
    (void)state;
    int32_t a[300], b[300];
    sp_error err;
    for (int trial = 0; trial < 1500; trial++) {
        int32_t K = 1 + below(6), most = trial % 3 ? 300 : 8;
        int64_t m = below(most + 1), n = below(most + 1), distance = -1;
        for (int64_t i = 0; i < m; i++)
            a[i] = below(K);
        for (int64_t j = 0; j < n; j++)
            b[j] = trial % 2 && j < m && below(8) ? a[j] : below(K); /* alike, or not at all */
        assert_ok(sp_edit_distance(K, m, a, n, b, &distance, &err), &err);
        assert_int_equal(distance, table_distance(m, a, n, b));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_simple_counts),
        cmocka_unit_test(test_blocks_and_order_change_nothing),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_perfect_path),
        cmocka_unit_test(test_edit_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
