/* Models with rules against enumeration: each path of classes weighs what the matrix says (oracle_rules_score(), without any
 * unfolding) less the price of its violations, counted step by step (test_rules.c holds the counting against worked cases). */
#include "check.h"
#include "core/rules/rules.h"
#include "decode_one.h"
#include "drawn.h"
#include "oracle.h"
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
    double score;
} listed;

static int64_t violations_of(const random_case *c, const sp_chain_rule *rule, const int32_t *path)
{
    sp_rule_walk walk = {0};
    int64_t n = 0, step;
    for (int64_t t = 0; t < c->scores.n_steps; t++)
        n += sp_rule_walk_step(&walk, rule, c->class_of_column[path[t]], sp_scores_is_gap(&c->scores, t));
    return n + sp_rule_walk_end(&walk, rule, &step);
}

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
    sp_chain_rule rules[2] = {{.cost = 0}};
    for (int32_t r = 0; r < c->model->n_rules; r++) {
        rules[r].cost = c->model->rules[r].cost;
        assert_int_equal(sp_rule_compile(c->model, r, 0, &rules[r].automaton, NULL), SP_OK);
    }
    const int32_t K = c->scores.n_classes;
    const int64_t T = c->scores.n_steps;
    int n = 0;
    int32_t path[ORACLE_STEPS] = {0};
    for (;;) {
        double score = oracle_rules_score(c->model, c->class_of_column, &c->scores, path);
        for (int32_t r = 0; score > -INFINITY && r < c->model->n_rules; r++) {
            const int64_t broken = violations_of(c, &rules[r], path);
            score -= broken == 0 || rules[r].cost == 0 ? 0 : rules[r].cost * (double)broken;
        }
        if (score > -INFINITY) {
            memcpy(out[n].path, path, sizeof path);
            out[n++].score = score;
        }
        int64_t t = T - 1;
        while (t >= 0 && ++path[t] == K)
            path[t--] = 0;
        if (t < 0)
            break;
    }
    for (int32_t r = 0; r < c->model->n_rules; r++)
        sp_rule_automaton_clear(&rules[r].automaton);
    qsort(out, (size_t)n, sizeof *out, compare_listed);
    return n;
}

typedef struct tally {
    int n_with_path, n_without, n_empty, n_across;
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

static void check_viterbi(const random_case *c, const sp_chain *chain, const listed *all, int n, sp_scratch *scratch)
{
    sp_error err;
    int32_t path[ORACLE_STEPS];
    double score, again;
    if (sp_viterbi(chain, &c->scores, scratch, path, &score, &err) != SP_OK)
        fail_case(c, err.message);
    if (fabs(score - all[0].score) > 1e-9 * (1 + fabs(score)))
        fail_case(c, "Viterbi's score");
    if (memcmp(path, all[0].path, (size_t)c->scores.n_steps * sizeof *path) != 0)
        fail_case(c, "Viterbi's path");
    assert_ok(sp_path_score(chain, &c->scores, path, &again, &err), &err);
    if (fabs(again - score) > 1e-9 * (1 + fabs(score)))
        fail_case(c, "the path's score");
    int32_t paths[8 * ORACLE_STEPS];
    double scores[8];
    sp_nbest_paths best = {.paths = paths, .stride = ORACLE_STEPS, .scores = scores};
    assert_ok(sp_nbest(chain, &c->scores, 8, scratch, &best, &err), &err);
    if (best.n_found != (n < 8 ? n : 8))
        fail_case(c, "how many N best paths there are");
    for (int r = 0; r < best.n_found; r++)
        if (fabs(scores[r] - all[r].score) > 1e-9 * (1 + fabs(score)) ||
            memcmp(paths + r * ORACLE_STEPS, all[r].path, (size_t)c->scores.n_steps * sizeof *path) != 0)
            fail_case(c, "the N best paths");
    double margin;
    assert_ok(sp_margin(chain, &c->scores, scratch, path, &margin, &err), &err);
    if (n == 1 ? margin != INFINITY : fabs(margin - (all[0].score - all[1].score)) > 1e-9 * (1 + fabs(score)))
        fail_case(c, "the margin");
}

/* NULL: it has no finite score. */
static const listed *find(const random_case *c, const listed *all, int n, const int32_t *path)
{
    for (int i = 0; i < n; i++)
        if (memcmp(all[i].path, path, (size_t)c->scores.n_steps * sizeof *path) == 0)
            return &all[i];
    return NULL;
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
    return found ? exp(found->score - l->all[0].score) : 0;
}

/* Marginals, log Z and what follows from them. */
static void check_sums(const random_case *c, const sp_chain *chain, const listed *all, int n, sp_scratch *scratch)
{
    const int32_t K = c->scores.n_classes;
    const int64_t T = c->scores.n_steps;
    double marginals[ORACLE_STEPS * 4], expected[ORACLE_STEPS * 4] = {0}, log_z, sum = 0, best = -INFINITY, found = 0;
    sp_error err;
    assert_ok(sp_forward_backward(chain, &c->scores, scratch, marginals, &log_z, &err), &err);
    for (int i = 0; i < n; i++)
        sum += exp(all[i].score - all[0].score);
    for (int i = 0; i < n; i++)
        for (int64_t t = 0; t < T; t++)
            expected[t * K + all[i].path[t]] += exp(all[i].score - all[0].score) / sum;
    if (fabs(log_z - (all[0].score + log(sum))) > 1e-9 * (1 + fabs(log_z)))
        fail_case(c, "log Z");
    for (int64_t i = 0; i < T * K; i++)
        if (fabs(marginals[i] - expected[i]) > 1e-9)
            fail_case(c, "the marginals");
    int32_t path[ORACLE_STEPS];
    assert_ok(decode_mea(chain, &c->scores, scratch, path, NULL, &err), &err);
    for (int i = 0; i < n; i++) {
        double value = 0;
        for (int64_t t = 0; t < T; t++)
            value += expected[t * K + all[i].path[t]];
        best = value > best ? value : best;
    }
    for (int64_t t = 0; t < T; t++)
        found += expected[t * K + path[t]];
    if (!find(c, all, n, path) || found < best - 1e-9)
        fail_case(c, "the path of mea");
    assert_ok(decode_posterior_viterbi(chain, &c->scores, scratch, path, NULL, &err), &err);
    if (!find(c, all, n, path))
        fail_case(c, "the path of posterior-viterbi");
}

static bool has_impossible(const random_case *c)
{
    for (int64_t i = 0; i < c->scores.n_steps * c->scores.n_classes; i++)
        if (c->data[i] == -INFINITY)
            return true;
    return false;
}

/* What may lose its way, but never breaks a rule: greedy only where scores rule classes out. */
static void check_legal(const random_case *c, const sp_chain *chain, const listed *all, int n, sp_scratch *scratch)
{
    sp_error err;
    int32_t path[ORACLE_STEPS];
    int64_t n_broken;
    static const sp_strategy strategies[] = {{SP_GREEDY, 0}, {SP_BEAM, 1}, {SP_BEAM, 64}, {SP_ONLINE, 1}, {SP_ONLINE, 9}};
    for (int s = 0; s < 5; s++) {
        const sp_status status = decode_one(strategies[s], chain, &c->scores, scratch, path, NULL, &err);
        if (status == SP_EDEADEND && (s == 0 ? has_impossible(c) : s != 2 && s != 4))
            continue;
        if (status != SP_OK || !find(c, all, n, path))
            fail_case(c, status == SP_OK ? "an illegal path" : err.message);
    }
    assert_ok(decode_viterbi_relaxed(chain, &c->scores, scratch, path, &n_broken, NULL, &err), &err);
    if (n_broken != 0 || memcmp(path, all[0].path, (size_t)c->scores.n_steps * sizeof *path) != 0)
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
        if (lag == T && memcmp(path, all[0].path, (size_t)T * sizeof *path) != 0)
            fail_case(c, "a stream that waits for all is not Viterbi's path");
        sp_online_free(online);
    }
}

static void check_case(uint64_t seed, const random_shape *shape, sp_scratch *scratch, tally *count)
{
    static listed all[MOST_PATHS];
    random_source random = {seed * 7919 + 13};
    random_case c = random_case_new(seed, shape);
    writer w = {.random = &random, .model = c.model};
    sp_error err;
    const int n_rules = 1 + random_below(&random, 2);
    int32_t path[ORACLE_STEPS];
    for (int r = 0; r < n_rules; r++) {
        const double cost = random_chance(&random, .5) ? INFINITY : random_below(&random, 4);
        put_rule(&w);
        const sp_status status = sp_model_add_rule(c.model, NULL, w.text, cost, random_chance(&random, .3), &err);
        if (status != SP_OK && !strstr(err.message, "no class is left"))
            fail_msg("seed %llu: %s", (unsigned long long)seed, err.message);
    }
    sp_chain_options options = sp_chain_options_default();
    options.class_of_column = c.class_of_column;
    sp_chain *chain = NULL;
    const sp_status status = sp_chain_new(c.model, &options, &chain, &err);
    if (status == SP_EMODEL && (strstr(err.message, "no path can keep") || strstr(err.message, "no path leads")))
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
            check_sums(&c, chain, all, n, scratch);
            check_legal(&c, chain, all, n, scratch);
            check_announced(&c, chain, all, n);
            if (seed % 10 == 0) /* all paths are looked up */
                check_drawn(chain, &c.scores, seed, weight_of, &(listed_case){&c, all, n}, scratch, &count->drawn);
        } else if (sp_viterbi(chain, &c.scores, scratch, path, NULL, &err) != SP_ENOPATH) {
            fail_case(&c, "a path where there is none");
        }
    } else if (status == SP_EMODEL && strstr(err.message, "no path can keep") && c.scores.n_steps > 0 &&
               list_paths(&c, all) > 0) {
        fail_case(&c, "a path where the model says that there is none");
    }
    sp_chain_free(chain);
    random_case_free(&c);
}

static void test_enumeration(void **state)
{
    (void)state;
    static const random_shape shapes[] = {
        {3, 6, 1, 1, TIES, WEIGHTS, NO, 0.2}, {4, 5, 1, 1, TIES, NO, GAPS, 0.1},    {3, 6, 1, 3, TIES, WEIGHTS, GAPS, 0.1},
        {4, 5, 1, 1, NO, WEIGHTS, GAPS, 0},   {2, 7, 1, 2, TIES, WEIGHTS, GAPS, 0},
    };
    const char *many = getenv("STATEPATH_RULES");
    const uint64_t n = many ? strtoull(many, NULL, 10) : 3000;
    sp_scratch *scratch = sp_scratch_new();
    tally count = {0};
    for (uint64_t seed = 0; seed < n; seed++)
        check_case(seed, &shapes[seed % 5], scratch, &count);
    check_case(87771, &shapes[87771 % 5], scratch, &count); /* only what crosses a gap weighs anything */
    print_message("%d with a path, %d without, %d that no path can keep\n", count.n_with_path, count.n_without, count.n_empty);
    assert_drawn(&count.drawn);
    assert_true(count.n_with_path > (int)n / 4 && count.n_without > (int)n / 20 && count.n_empty > (int)n / 100);
    sp_scratch_free(scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_enumeration)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
