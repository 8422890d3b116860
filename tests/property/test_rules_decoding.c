/* Models with rules, together with states, minimum dwells, durations, weights, starts, ends and gaps, against enumeration: each path of
 * classes weighs what the definitions say (path_weight.h). */
#include "check.h"
#include "decode_one.h"
#include "drawn.h"
#include "oracle.h"
#include "path_weight.h"
#include "random_batch.h"
#include "random_model.h"
#include "statepath/advanced.h"

#include <stdio.h>

enum { MOST_PATHS = 4096 };

/* ---- random rules ---- */

typedef struct writer {
    random_source *random;
    const sp_model *model;
    char text[4096];
    size_t n;
} writer;

static void put(writer *w, const char *text)
{
    w->n += (size_t)snprintf(w->text + w->n, sizeof w->text - w->n, "%s", text);
}

static void put_class(writer *w)
{
    put(w, "'");
    put(w, w->model->classes[random_below(w->random, w->model->n_classes)]);
    put(w, "'");
}

static void put_classes(writer *w)
{
    if (random_chance(w->random, .7)) {
        put_class(w);
        return;
    }
    put(w, w->model->n_classes > 2 && random_chance(w->random, .3) ? "[^ " : "[");
    put_class(w);
    if (w->text[w->n - 1] != '^' && w->model->n_classes > 2) {
        put(w, " ");
        put_class(w);
    }
    put(w, "]");
}

static void put_number(writer *w, int32_t most)
{
    char number[16];
    snprintf(number, sizeof number, "%d", (int)random_below(w->random, most + 1));
    put(w, number);
}

static void put_expression(writer *w, int depth)
{
    const int kind = depth == 0 ? 0 : random_below(w->random, 5);
    if (kind <= 1) {
        if (random_chance(w->random, .2))
            put(w, ".");
        else
            put_classes(w);
    } else if (kind == 2) {
        put_expression(w, depth - 1);
        put(w, random_chance(w->random, .5) ? " " : ", ");
        put_expression(w, depth - 1);
    } else if (kind == 3) {
        put(w, "(");
        put_expression(w, depth - 1);
        put(w, " | ");
        put_expression(w, depth - 1);
        put(w, ")");
    } else {
        static const char *const times[] = {"*", "+", "?", "{2}", "{1,}", "{0,2}", "{1,3}"};
        put(w, "(");
        put_expression(w, depth - 1);
        put(w, ")");
        put(w, times[random_below(w->random, 7)]);
    }
}

static void put_from(writer *w)
{
    if (random_chance(w->random, .7))
        return;
    put(w, " from first ");
    put_classes(w);
}

static void put_rule(writer *w)
{
    static const char *const counted[] = {"at_least ", "at_most ", "not_before ", "not_after "};
    const int form = random_below(w->random, 10);
    w->n = 0;
    if (form < 2) {
        put(w, "never ");
        put_expression(w, 3);
    } else if (form < 4) {
        put_expression(w, 4);
    } else if (form < 7) {
        const int which = random_below(w->random, 4);
        put(w, counted[which]);
        put_number(w, which == 0 ? 3 : 4);
        put(w, which < 2 && random_chance(w->random, .4) ? " runs of " : " ");
        put_classes(w);
        put_from(w);
    } else if (form < 9) {
        put(w, "every ");
        put_classes(w);
        put(w, random_chance(w->random, .5) ? " followed_by " : " preceded_by ");
        put_classes(w);
    } else {
        put(w, random_chance(w->random, .5) ? "first " : "last ");
        put_classes(w);
    }
}

/* ---- enumeration ---- */

typedef struct listed {
    int32_t path[ORACLE_STEPS];
    double score, sum; /* of the best state path, nats; over all of them, exp */
} listed;

static int compare_listed(const void *a, const void *b)
{
    const listed *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    for (int t = ORACLE_STEPS - 1; t >= 0; t--)
        if (x->path[t] != y->path[t])
            return x->path[t] < y->path[t] ? -1 : 1;
    return 0;
}

/* All paths of a finite score, the best first. */
static int list_paths(const random_case *c, listed *out)
{
    const int32_t K = c->scores.n_classes;
    const int64_t T = c->scores.n_steps;
    path_weigher weigher = path_weigher_new(c);
    int n = 0;
    int32_t path[ORACLE_STEPS] = {0};
    for (;;) {
        const weighed w = path_weigh(&weigher, path);
        if (w.best > -INFINITY) {
            memcpy(out[n].path, path, sizeof path);
            out[n].score = w.best;
            out[n++].sum = w.sum;
        }
        int64_t t = T - 1;
        while (t >= 0 && ++path[t] == K)
            path[t--] = 0;
        if (t < 0)
            break;
    }
    path_weigher_free(&weigher);
    qsort(out, (size_t)n, sizeof *out, compare_listed);
    return n;
}

/* Are all sums of weights exact, so that equal paths are found equal? Logarithms of p(d) are not. */
static bool is_exact(const random_case *c)
{
    for (int32_t k = 0; c->model->durations && k < c->model->n_classes; k++)
        if (c->model->durations[k].form != SP_DURATION_FREE &&
            c->model->durations[k].form != SP_DURATION_RANGE)
            return false;
    return true;
}

/* What a case draws together with its rules. */
typedef struct combined {
    random_shape shape;
    int32_t longest; /* durations, most of them up to so many steps; 0: none */
} combined;

typedef struct tally {
    int n_with_path, n_without, n_empty;
    drawn_tally drawn;
} tally;

static void fail_case(const random_case *c, const char *what)
{
    fprintf(stderr, "seed %llu:", (unsigned long long)c->seed);
    for (int32_t r = 0; r < c->model->n_rules; r++)
        fprintf(stderr, " {%s; %g%s}", c->model->rules[r].text, c->model->rules[r].cost,
                c->model->rules[r].may_at_gap ? "; may" : "");
    fail_msg("%s", what);
}

static bool is_close(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (1 + fabs(b));
}

/* NULL: it has no finite score. */
static const listed *find(const random_case *c, const listed *all, int n, const int32_t *path)
{
    for (int i = 0; i < n; i++)
        if (memcmp(all[i].path, path, (size_t)c->scores.n_steps * sizeof *path) == 0)
            return &all[i];
    return NULL;
}

/* Is a path one of this score, and, where sums are exact, the one that stands at this place of the list? */
static bool is_at(const random_case *c, const listed *all, int n, int place, const int32_t *path)
{
    const listed *found = find(c, all, n, path);
    return found && (is_exact(c) ? found == &all[place] : is_close(found->score, all[place].score));
}

static void check_viterbi(const random_case *c, const sp_chain *chain, const listed *all, int n,
                          sp_scratch *scratch)
{
    sp_error err;
    int32_t path[ORACLE_STEPS];
    double score, again;
    if (sp_viterbi(chain, &c->scores, scratch, path, &score, &err) != SP_OK)
        fail_case(c, err.message);
    if (!is_close(score, all[0].score))
        fail_case(c, "Viterbi's score");
    if (!is_at(c, all, n, 0, path))
        fail_case(c, "Viterbi's path");
    assert_ok(sp_path_score(chain, &c->scores, path, &again, &err), &err);
    if (!is_close(again, score))
        fail_case(c, "the path's score");
    int32_t paths[8 * ORACLE_STEPS];
    double scores[8];
    sp_nbest_paths best = {.paths = paths, .stride = ORACLE_STEPS, .scores = scores};
    assert_ok(sp_nbest(chain, &c->scores, 8, scratch, &best, &err), &err);
    if (best.n_found != (n < 8 ? n : 8))
        fail_case(c, "how many N best paths there are");
    for (int r = 0; r < best.n_found; r++)
        if (!is_close(scores[r], all[r].score) || !is_at(c, all, n, r, paths + r * ORACLE_STEPS))
            fail_case(c, "the N best paths");
    double margin;
    assert_ok(sp_margin(chain, &c->scores, scratch, path, &margin, &err), &err);
    if (n == 1 ? margin != INFINITY : fabs(margin - (all[0].score - all[1].score)) > 1e-9 * (1 + fabs(score)))
        fail_case(c, "the margin");
}

/* The score of any path of classes, allowed or not. */
static void check_path_scores(const random_case *c, const sp_chain *chain, const listed *all, int n,
                              random_source *random)
{
    for (int i = 0; i < 20; i++) {
        int32_t path[ORACLE_STEPS];
        double score;
        sp_error err;
        for (int64_t t = 0; t < c->scores.n_steps; t++)
            path[t] = random_below(random, c->scores.n_classes);
        assert_ok(sp_path_score(chain, &c->scores, path, &score, &err), &err);
        const listed *found = find(c, all, n, path);
        if (found ? !is_close(score, found->score) : score != -INFINITY)
            fail_case(c, "the score of a path");
    }
}

typedef struct listed_case {
    const random_case *c;
    const listed *all;
    int n;
} listed_case;

static double weight_of(void *arg, const int32_t *path)
{
    const listed_case *l = arg;
    const listed *found = find(l->c, l->all, l->n, path);
    return found ? found->sum : 0;
}

/* Marginals, log Z and what follows from them. */
static void check_sums(const random_case *c, const sp_chain *chain, const listed *all, int n,
                       sp_scratch *scratch)
{
    const int32_t K = c->scores.n_classes;
    const int64_t T = c->scores.n_steps;
    double marginals[ORACLE_STEPS * 4], expected[ORACLE_STEPS * 4] = {0}, log_z, z = 0;
    sp_error err;
    assert_ok(sp_forward_backward(chain, &c->scores, scratch, marginals, &log_z, &err), &err);
    for (int i = 0; i < n; i++)
        z += all[i].sum;
    for (int i = 0; i < n; i++)
        for (int64_t t = 0; t < T; t++)
            expected[t * K + all[i].path[t]] += all[i].sum / z;
    if (!is_close(log_z, log(z)))
        fail_case(c, "log Z");
    for (int64_t i = 0; i < T * K; i++)
        if (fabs(marginals[i] - expected[i]) > 1e-9)
            fail_case(c, "the marginals");
    int32_t path[ORACLE_STEPS];
    for (int product = 0; product < 2; product++) {
        double best = -INFINITY, found = 0;
        assert_ok(
            (product ? decode_posterior_viterbi : decode_mea)(chain, &c->scores, scratch, path, NULL, &err),
            &err);
        for (int i = 0; i < n; i++) {
            double value = 0;
            for (int64_t t = 0; t < T; t++) {
                const double p = expected[t * K + all[i].path[t]];
                value += product ? log(p) : p;
            }
            best = value > best ? value : best;
        }
        for (int64_t t = 0; t < T; t++)
            found += product ? log(expected[t * K + path[t]]) : expected[t * K + path[t]];
        if (!find(c, all, n, path) || found < best - 1e-8)
            fail_case(c, product ? "the path of posterior-viterbi" : "the path of mea");
    }
    assert_ok(decode_posterior(chain, &c->scores, scratch, path, NULL, &err), &err);
    for (int64_t t = 0; t < T; t++)
        for (int32_t k = 0; k < K; k++)
            if (expected[t * K + path[t]] < expected[t * K + k] - 1e-9)
                fail_case(c, "a class of posterior");
}

static bool has_impossible(const random_case *c)
{
    for (int64_t i = 0; i < c->scores.n_steps * c->scores.n_classes; i++)
        if (c->data[i] == -INFINITY)
            return true;
    return false;
}

/* What may lose its way, but never breaks a rule: greedy only where scores rule classes out. */
static void check_legal(const random_case *c, const sp_chain *chain, const listed *all, int n,
                        sp_scratch *scratch)
{
    sp_error err;
    int32_t path[ORACLE_STEPS];
    int64_t n_broken;
    static const sp_strategy strategies[] = {
        {SP_GREEDY, 0}, {SP_BEAM, 1}, {SP_BEAM, 1000}, {SP_ONLINE, 1}, {SP_ONLINE, 9}};
    for (int s = 0; s < 5; s++) {
        const sp_status status = decode_one(strategies[s], chain, &c->scores, scratch, path, NULL, &err);
        const bool looks_at_all = s == 2 || s == 4;
        if (status == SP_EDEADEND && (s == 0 ? has_impossible(c) : !looks_at_all))
            continue;
        if (status != SP_OK || (looks_at_all ? !is_at(c, all, n, 0, path) : !find(c, all, n, path)))
            fail_case(c, status == SP_OK ? "an illegal path, or not the best" : err.message);
    }
    assert_ok(decode_viterbi_relaxed(chain, &c->scores, scratch, path, &n_broken, NULL, &err), &err);
    if (n_broken != 0 || !is_at(c, all, n, 0, path))
        fail_case(c, "the relaxed path where there is a legal one");
}

/* A stream whose length is known is never stuck where scores rule nothing out, and breaks no rule; it refuses a step too many. */
static void check_announced(const random_case *c, const sp_chain *chain, const listed *all, int n)
{
    const int64_t T = c->scores.n_steps;
    if (c->scores.segments || has_impossible(c))
        return;
    for (int32_t lag = 0; lag <= T; lag += 2) {
        sp_online *online;
        sp_error err;
        int32_t path[ORACLE_STEPS + 1], k, n_decided = 0, n_rest;
        sp_status status = sp_online_new(chain, lag, &online, &err);
        if (status == SP_OK)
            status = sp_online_end_after(online, T, &err);
        for (int64_t t = 0; status == SP_OK && t < T; t++) {
            status = sp_online_push(online, c->data + t * c->scores.n_classes, false, &k, &err);
            if (status == SP_OK && k >= 0)
                path[n_decided++] = k;
        }
        if (status == SP_OK && sp_online_push(online, c->data, false, &k, &err) != SP_EDATA)
            fail_case(c, "a step more than were announced was taken");
        if (status == SP_OK && T > 0 && sp_online_end_after(online, T, &err) != SP_EINVAL)
            fail_case(c, "a length announced in the middle of a recording");
        if (status == SP_OK)
            status = sp_online_finish(online, path + n_decided, &n_rest, &err);
        if (status != SP_OK || !find(c, all, n, path))
            fail_case(c, status == SP_OK ? "an illegal path of a stream" : err.message);
        if (lag == T && !is_at(c, all, n, 0, path))
            fail_case(c, "a stream that waits for all is not Viterbi's path");
        sp_online_free(online);
    }
}

/* Many recordings of the model: what the kernels of a batch take, and what they leave. */
static void check_batch(random_case *c, const sp_chain *chain, const random_shape *shape,
                        random_source *random)
{
    enum { RECORDINGS = 24, LENGTH = 20 };
    int64_t offsets[RECORDINGS + 1] = {0};
    for (int r = 0; r < RECORDINGS; r++)
        offsets[r + 1] = offsets[r] + random_below(random, LENGTH);
    random_case_draw_scores(c, random, offsets[RECORDINGS], shape);
    const sp_batch batch = {c->scores, RECORDINGS, offsets};
    for (int kind = 0; kind < sp_strategy_count(); kind++) {
        const sp_decode_options options = {.strategy = {kind, sp_strategy_about(kind)->sample},
                                           .relax = random_chance(random, .5)};
        answer plain = answer_plain(chain, &batch, &options),
               fast = answer_decode(2, chain, &batch, &options);
        for (int r = 0; r < RECORDINGS; r++)
            if (plain.results[r].status == SP_EBUG)
                fail_case(c, "a path that does not stand its check");
        assert_same_answer(&batch, &fast, &plain);
        answer_free(&plain);
        answer_free(&fast);
    }
}

static void check_case(uint64_t seed, const combined *drawn, sp_scratch *scratch, tally *count)
{
    const random_shape *shape = &drawn->shape;
    static listed all[MOST_PATHS];
    random_source random = {seed * 7919 + 13};
    random_case c = random_case_new_durations(seed, shape, drawn->longest);
    writer w = {.random = &random, .model = c.model};
    sp_error err;
    const int n_rules = 1 + random_below(&random, 2);
    int32_t path[ORACLE_STEPS];
    for (int r = 0; r < n_rules; r++) {
        const double cost = random_chance(&random, .5) ? INFINITY : random_below(&random, 4);
        put_rule(&w);
        const sp_status status =
            sp_model_add_rule(c.model, NULL, w.text, cost, random_chance(&random, .3), &err);
        if (status != SP_OK && !strstr(err.message, "no class is left"))
            fail_msg("seed %llu: %s", (unsigned long long)seed, err.message);
    }
    sp_chain_options options = sp_chain_options_default();
    options.class_of_column = c.class_of_column;
    sp_chain *chain = NULL;
    const sp_status status = sp_chain_new(c.model, &options, &chain, &err);
    if (status == SP_EMODEL &&
        (strstr(err.message, "no path can keep") || strstr(err.message, "no path leads")))
        count->n_empty++;
    else if (status == SP_EMODEL && strstr(err.message, "matches the empty stretch"))
        count->n_without++;
    else if (status != SP_OK)
        fail_case(&c, err.message);
    if (status == SP_OK && c.scores.n_steps > 0) {
        const int n = list_paths(&c, all);
        count->n_with_path += n > 0;
        count->n_without += n == 0;
        if (n > 0) {
            check_viterbi(&c, chain, all, n, scratch);
            check_path_scores(&c, chain, all, n, &random);
            check_sums(&c, chain, all, n, scratch);
            check_legal(&c, chain, all, n, scratch);
            check_announced(&c, chain, all, n);
            if (seed % 10 == 0) /* all paths are looked up */
                check_drawn(chain, &c.scores, seed, weight_of, &(listed_case){&c, all, n}, scratch,
                            &count->drawn);
        } else if (sp_viterbi(chain, &c.scores, scratch, path, NULL, &err) != SP_ENOPATH) {
            fail_case(&c, "a path where there is none");
        }
    } else if (status == SP_EMODEL && strstr(err.message, "no path can keep") && c.scores.n_steps > 0 &&
               list_paths(&c, all) > 0) {
        fail_case(&c, "a path where the model says that there is none");
    }
    if (status == SP_OK && seed % 10 == 1)
        check_batch(&c, chain, shape, &random);
    sp_chain_free(chain);
    random_case_free(&c);
}

static void test_enumeration(void **state)
{
    (void)state;
    static const combined shapes[] = {
        /* classes, steps, states a class, dwell, ties, weights, gaps, impossible; durations */
        {{3, 6, 1, 1, TIES, WEIGHTS, NO, 0.2}, 0},   {{3, 6, 1, 1, TIES, NO, GAPS, 0.1}, 4},
        {{4, 5, 1, 1, TIES, NO, GAPS, 0.1}, 0},      {{3, 6, 1, 1, NO, WEIGHTS, GAPS, 0.1}, 24},
        {{3, 6, 1, 3, TIES, WEIGHTS, GAPS, 0.1}, 0}, {{3, 6, 1, 2, TIES, NO, GAPS, 0}, 4},
        {{4, 5, 1, 1, NO, WEIGHTS, GAPS, 0}, 0},     {{3, 5, 2, 1, TIES, NO, GAPS, 0.1}, 4},
        {{2, 7, 1, 2, TIES, WEIGHTS, GAPS, 0}, 0},   {{2, 6, 2, 2, NO, WEIGHTS, GAPS, 0.1}, 5},
        {{3, 6, 2, 1, TIES, WEIGHTS, NO, 0.1}, 0},   {{2, 7, 1, 1, TIES, WEIGHTS, NO, 0}, 3},
    };
    enum { N_SHAPES = sizeof shapes / sizeof *shapes };
    const char *many = getenv("STATEPATH_RULES");
    const uint64_t n = many ? strtoull(many, NULL, 10) : getenv("STATEPATH_LIGHT") ? 1000 : 3000;
    sp_scratch *scratch = sp_scratch_new();
    tally count = {0};
    for (uint64_t seed = 0; seed < n; seed++)
        check_case(seed, &shapes[seed % N_SHAPES], scratch, &count);
    check_case(87771, &shapes[2], scratch, &count); /* only what crosses a gap weighs anything */
    print_message("%d with a path, %d without, %d that no path can keep\n", count.n_with_path,
                  count.n_without, count.n_empty);
    assert_drawn(&count.drawn);
    assert_true(count.n_with_path > (int)n / 4 && count.n_without > (int)n / 20 &&
                count.n_empty > (int)n / 100);
    sp_scratch_free(scratch);
}

/* Two classes, each of which may follow each; of the first a run of up to 9 steps where has_duration. */
static sp_chain *two_classes(const char *rule, double cost, bool has_duration)
{
    const char *const names[] = {"a", "b"};
    const uint8_t all[] = {1, 1, 1, 1};
    sp_model *model = sp_model_new("two", 2, names);
    sp_chain *chain;
    sp_error err;
    assert_ok(sp_model_set_matrix(model, all, NULL, &err), &err);
    assert_ok(sp_model_add_rule(model, NULL, rule, cost, false, &err), &err);
    model->durations = calloc(2, sizeof *model->durations);
    assert_non_null(model->durations);
    if (has_duration)
        model->durations[0] = (sp_duration){.form = SP_DURATION_RANGE, .max = {9, false}};
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    sp_model_free(model);
    return chain;
}

/* A rule is about each step of a class, also where a duration says how long it stays. */
static void test_staying_under_a_rule(void **state)
{
    (void)state;
    enum { T = 4 };
    const double data[T * 2] = {1, 0, 1, 0, 1, 0, 1, 0};
    const sp_scores scores = {data, SP_F64, 2, T, NULL, NULL, NULL};
    const struct {
        const char *rule;
        double cost, score;
        int32_t path[T];
    } cases[] = {{"at_most 1 a", INFINITY, 1, {0, 1, 1, 1}},
                 {"never a a", INFINITY, 2, {0, 1, 0, 1}},
                 {"never a", .25, 3, {0, 0, 0, 0}},
                 {"never a a", .25, 3.25, {0, 0, 0, 0}},
                 {"at_most 2 a", .75, 2.5, {0, 0, 0, 0}}};
    sp_scratch *scratch = sp_scratch_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sp_chain *chain = two_classes(cases[i].rule, cases[i].cost, true);
        int32_t path[T];
        double score, own;
        sp_error err;
        assert_ok(sp_viterbi(chain, &scores, scratch, path, &score, &err), &err);
        assert_ok(sp_path_score(chain, &scores, cases[i].path, &own, &err), &err);
        assert_close(score, cases[i].score, 1e-12, 0);
        assert_close(own, cases[i].score, 1e-12, 0);
        sp_chain_free(chain);
    }
    sp_scratch_free(scratch);
}

/* Across a gap a rule remembers that a class was for the first step alone. */
static void test_score_across_a_gap(void **state)
{
    (void)state;
    const double data[4] = {0, 0, 0, 0};
    const int64_t segments[2] = {0, 1};
    const sp_scores scores = {data, SP_F64, 2, 2, segments, NULL, NULL};
    sp_chain *chain = two_classes("b? a*", INFINITY, false);
    for (int32_t first = 0; first < 2; first++)
        for (int32_t last = 0; last < 2; last++) {
            const int32_t path[2] = {first, last};
            double score;
            sp_error err;
            assert_ok(sp_path_score(chain, &scores, path, &score, &err), &err);
            assert_true(score == (last == 0 ? 0 : -INFINITY));
        }
    sp_chain_free(chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enumeration),
        cmocka_unit_test(test_staying_under_a_rule),
        cmocka_unit_test(test_score_across_a_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
