/* Every strategy in every form gives what the oracle says: models and recordings whose features are drawn
 * together.
 *
 *     test_strategy_law [FIRST COUNT]     cases FIRST .. FIRST + COUNT - 1
 *
 * STATEPATH_LAW: how many, where COUNT is not given. STATEPATH_ISA: the greatest instruction set, as of the
 * program; the lesser ones are
 * tried, too. Exit status 0; 1, with the case, where something differs; 77 where the processor lacks the
 * instruction set.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statepath.h"
#include "strategy_law.h"

/* ---- the two forms of the oracle agree ---- */

static void check_oracle(law_case *x)
{
    for (int64_t n = 0; n < x->batch.n_recordings && x->graph && x->lists; n++) {
        const sp_scores scores = sp_batch_recording(&x->batch, n);
        const oracle_list *l = &x->lists[n];
        int32_t path[ORACLE_STEPS];
        double log_z;
        if (scores.n_steps == 0)
            continue;
        const oracle_answer best = oracle_viterbi(x->graph, &scores, false, path);
        const double *logs = law_marginals(x, n, &log_z);
        if ((best.status == SP_OK) != (l->n > 0) || (logs != NULL) != (l->n > 0))
            law_fail(x, NULL, false, "oracle", n, "its two forms do not agree on whether there is a path");
        if (l->n == 0)
            continue;
        if (fabs(best.score - l->paths[0].score) > 1e-9 * (1 + fabs(best.score)) ||
            fabs(log_z - l->log_z) > 1e-9 * (1 + fabs(log_z)))
            law_fail(x, NULL, false, "oracle", n, "its two forms do not agree");
        if (!x->has_near_ties && memcmp(path, l->paths[0].path, (size_t)scores.n_steps * sizeof *path))
            law_fail(x, NULL, false, "oracle", n, "its two forms do not agree on the best path");
    }
}

/* ---- laws of one answer and another ---- */

static void check_same_paths(const law_case *x, const sp_strategy *strategy, const char *law,
                             const law_answer *a, const law_answer *b, const int32_t *class_of)
{
    for (int64_t n = 0; n < x->batch.n_recordings; n++)
        if (a->results[n].status != b->results[n].status || a->results[n].step != b->results[n].step)
            law_fail(x, strategy, false, law, n, "status");
    for (int64_t t = 0; t < x->batch.scores.n_steps; t++)
        if (a->paths[t] != (b->paths[t] < 0 ? -1 : class_of[b->paths[t]]))
            law_fail(x, strategy, false, law, -1, "path");
}

static law_answer decode_other(const law_case *x, const sp_decode_options *options, const sp_chain *chain,
                               const double *data)
{
    sp_batch batch = x->batch;
    law_answer b = law_answer_new(&batch);
    sp_workers *workers = sp_workers_new(1);
    sp_error err;
    batch.scores.data = data;
    random_require(sp_decode_batch(chain, &batch, options, workers,
                                   &(sp_decode_output){.paths = b.paths, .results = b.results}, &err),
                   &err, x->c.seed);
    sp_workers_free(workers);
    return b;
}

/* Columns in another order give the same paths in other numbers, where there are no ties. */
static void law_of_columns(const law_case *x, const sp_strategy *strategy, const law_answer *a)
{
    const int32_t K = x->c.scores.n_classes;
    int32_t *class_of = oracle_array((size_t)K, sizeof *class_of),
            *columns = oracle_array((size_t)K, sizeof *columns);
    double *data = oracle_array((size_t)(x->batch.scores.n_steps * K), sizeof *data);
    random_source r = {x->c.seed};
    for (int32_t k = 0; k < K; k++)
        class_of[k] = (k + 1 + (int32_t)(x->c.seed % 5)) % K;
    if (K > 2 && random_chance(&r, 0.5)) {
        const int32_t kept = class_of[0];
        class_of[0] = class_of[1];
        class_of[1] = kept;
    }
    for (int64_t i = 0; i < x->batch.scores.n_steps * K; i++)
        data[i] = x->c.data[i / K * K + class_of[i % K]];
    for (int32_t k = 0; k < K; k++)
        columns[k] = x->c.class_of_column[class_of[k]];
    sp_chain_options options = x->c.options;
    options.class_of_column = columns;
    sp_chain *chain;
    sp_error err;
    random_require(sp_chain_new(x->c.model, &options, &chain, &err), &err, x->c.seed);
    law_answer b = decode_other(x, &(sp_decode_options){.strategy = *strategy}, chain, data);
    check_same_paths(x, strategy, "columns in another order", a, &b, class_of);
    law_answer_free(&b);
    sp_chain_free(chain);
    free(class_of);
    free(columns);
    free(data);
}

/* A constant added to a row adds to every path alike; whole numbers keep sums exact. */
static void law_of_rows(const law_case *x, const sp_strategy *strategy, const law_answer *a)
{
    const int32_t K = x->c.scores.n_classes;
    double *data = oracle_array((size_t)(x->batch.scores.n_steps * K), sizeof *data);
    int32_t *same = oracle_array((size_t)K, sizeof *same);
    random_source r = {x->c.seed};
    double constant = 0;
    for (int64_t i = 0; i < x->batch.scores.n_steps * K; i++) {
        constant = i % K == 0 ? random_below(&r, 2000) - 1000 : constant;
        data[i] = x->c.data[i] + constant;
        same[i % K] = (int32_t)(i % K);
    }
    law_answer b = decode_other(x, &(sp_decode_options){.strategy = *strategy}, x->c.chain, data);
    check_same_paths(x, strategy, "constants added to rows", a, &b, same);
    law_answer_free(&b);
    free(data);
    free(same);
}

/* Where the scores leave one path, every strategy that knows the rules finds it, or none. */
static void law_of_one_path(const law_case *x, const sp_strategy *strategy, const law_answer *best)
{
    const int32_t K = x->c.scores.n_classes;
    double *data = oracle_array((size_t)(x->batch.scores.n_steps * K), sizeof *data);
    for (int64_t i = 0; i < x->batch.scores.n_steps * K; i++)
        data[i] = best->paths[i / K] == i % K ? x->c.data[i] : -INFINITY;
    law_answer b = decode_other(x, &(sp_decode_options){.strategy = *strategy}, x->c.chain, data);
    for (int64_t n = 0; n < x->batch.n_recordings; n++) {
        const int64_t first = x->offsets[n], T = x->offsets[n + 1] - first;
        if (best->results[n].status != SP_OK || b.results[n].status == SP_EDEADEND)
            continue;
        if (b.results[n].status != SP_OK ||
            memcmp(b.paths + first, best->paths + first, (size_t)T * sizeof *b.paths))
            law_fail(x, strategy, false, "scores of one path", n, "path");
    }
    law_answer_free(&b);
    free(data);
}

/* A rule that every path keeps changes nothing, also where paths are relaxed; but greedy looks ahead where
 * there are rules. Adds it to the
 * model. */
static void law_of_a_kept_rule(law_case *x)
{
    static const sp_strategy_kind kinds[] = {SP_VITERBI, SP_POSTERIOR, SP_MEA};
    int32_t *same = oracle_array((size_t)x->c.scores.n_classes, sizeof *same);
    sp_chain *chain = NULL;
    sp_error err;
    for (int32_t k = 0; k < x->c.scores.n_classes; k++)
        same[k] = k;
    random_require(sp_model_add_rule(x->c.model, NULL, ".*", INFINITY, false, &err), &err, x->c.seed);
    if (sp_chain_new(x->c.model, &x->c.options, &chain, &err) == SP_OK) /* else it has no path at all */
        for (int i = 0; i < 6; i++) {
            const sp_decode_options options = {.strategy = {kinds[i % 3], 0}, .relax = i < 3};
            law_answer a = decode_other(x, &options, x->c.chain, x->c.data),
                       b = decode_other(x, &options, chain, x->c.data);
            check_same_paths(x, &options.strategy, "a rule that every path keeps", &a, &b, same);
            law_answer_free(&a);
            law_answer_free(&b);
        }
    sp_chain_free(chain);
    free(same);
}

/* ---- one case ---- */

typedef struct tally {
    int64_t n_cases, n_paths, n_none, n_dead_ends, n_broken, n_empty;
} tally;

static void check_strategy(law_case *x, const sp_strategy *strategy, const law_answer *best, tally *count)
{
    for (int relax = 0; relax < 2; relax++) {
        law_answer a = law_decode(x, strategy, relax);
        law_compare(x, strategy, relax, &a);
        for (int64_t n = 0; n < x->batch.n_recordings; n++) {
            count->n_paths += a.results[n].status == SP_OK;
            count->n_none += a.results[n].status == SP_ENOPATH;
            count->n_dead_ends += a.results[n].status == SP_EDEADEND;
            count->n_broken += a.results[n].n_broken > 0;
        }
        if (!relax && !x->shape.has_ties && !x->shape.has_votes && strategy->kind != SP_BEAM)
            law_of_columns(x, strategy, &a);
        if (!relax && x->is_exact)
            law_of_rows(x, strategy, &a);
        law_answer_free(&a);
    }
    if (sp_strategy_about(strategy->kind)->knows_rules)
        law_of_one_path(x, strategy, best);
}

static void check_case(uint64_t seed, tally *count)
{
    law_case x = law_case_new(seed);
    random_source r = {seed + 99};
    count->n_cases++;
    if (!x.c.chain) {
        count->n_empty++;
        for (int64_t n = 0; n < x.batch.n_recordings && x.lists; n++)
            if (x.lists[n].n > 0)
                law_fail(&x, NULL, false, "chain", n, "a path where the model says that there is none");
        law_case_free(&x);
        return;
    }
    check_oracle(&x);
    const sp_decode_options viterbi = sp_decode_options_default();
    law_answer best = decode_other(&x, &viterbi, x.c.chain, x.c.data);
    for (int s = 0; s < sp_strategy_count(); s++) {
        const sp_strategy_info *about = sp_strategy_about(s);
        const int32_t all[] = {about->least, about->least + 1, about->sample, about->sample + 3, 100000};
        const sp_strategy strategy = {s, about->parameter ? all[random_below(&r, 5)] : 0};
        const bool has_kernels = s == SP_ARGMAX || s == SP_GREEDY || s == SP_VITERBI;
        if (x.lists || (x.is_of_kernels && has_kernels) || random_chance(&r, 0.2))
            check_strategy(&x, &strategy, &best, count);
        if (random_chance(&r, 0.1))
            law_check_extras(&x, &strategy);
    }
    law_check_announced(&x);
    if (x.graph && x.lists && !x.has_near_ties)
        law_of_a_kept_rule(&x);
    law_answer_free(&best);
    law_case_free(&x);
}

/* As the program does it: 2 for an unknown value; 77, skipped, for one that the processor lacks. */
static int choose_isa(void)
{
    const char *name = getenv("STATEPATH_ISA");
    sp_isa isa;
    sp_error err;
    if (!name || !*name)
        return 0;
    const int result = sp_isa_parse(name, &isa, &err) != SP_OK ? 2 : sp_isa_set(isa, &err) != SP_OK ? 77 : 0;
    if (result)
        printf("%s%s\n", result == 77 ? "skipped: " : "", err.message);
    return result;
}

int main(int argc, char **argv)
{
    const char *many = getenv("STATEPATH_LAW");
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 0, n = argc > 2
                                                                               ? strtoull(argv[2], NULL, 10)
                                                                           : many ? strtoull(many, NULL, 10)
                                                                           : getenv("STATEPATH_LIGHT") ? 120
                                                                                                       : 360;
    const int wrong = choose_isa();
    if (wrong)
        return wrong;
    tally count = {0};
    for (uint64_t seed = first; seed < first + n; seed++)
        check_case(seed, &count);
    for (uint64_t seed = LAW_OF_KERNELS; argc == 1 && seed < LAW_OF_KERNELS + n / 4; seed++)
        check_case(seed, &count);
    printf("instruction set %s: %lld cases as the oracle says: %lld paths, %lld without, %lld dead ends, "
           "%lld relaxed, %lld models "
           "without a path\n",
           sp_isa_name(sp_isa_current()), (long long)count.n_cases, (long long)count.n_paths,
           (long long)count.n_none, (long long)count.n_dead_ends, (long long)count.n_broken,
           (long long)count.n_empty);
    const bool is_about_something =
        n < 100 || (count.n_paths > 20 * count.n_cases / 10 && count.n_none > count.n_cases / 10 &&
                    count.n_dead_ends > count.n_cases / 50 && count.n_broken > count.n_cases / 10);
    return is_about_something ? 0 : 1;
}
