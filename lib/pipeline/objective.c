#include "pipeline/objective.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/names.h"
#include "core/try.h"
#include "evaluate/work.h"
#include "pipeline/judging.h"

static sp_tune tune_of(sp_work work)
{
    const char *name = sp_work_about(work)->tune;
    for (int tune = 0; name && tune < SP_N_TUNES; tune++)
        if (strcmp(sp_tune_name((sp_tune)tune), name) == 0)
            return (sp_tune)tune;
    return SP_TUNE_ACCURACY;
}

/* "N1>Wake=2" [n letters]: the classes and the number. A name may hold '>' itself. False: it is not that. */
static bool read_cost(const char *text, size_t n, int32_t K, const char *const *classes, int32_t *label,
                      int32_t *decoded, double *cost)
{
    size_t equals = n;
    char *end;
    while (equals > 0 && text[equals - 1] != '=')
        equals--;
    if (equals == 0)
        return false;
    *cost = strtod(text + equals, &end);
    while (*end == ' ')
        end++;
    if (end != text + n || end == text + equals || !(*cost >= 0 && *cost <= 1e6))
        return false;
    for (size_t i = 1; i + 1 < equals; i++) {
        if (text[i] != '>')
            continue;
        *label = sp_name_find(text, i, K, classes);
        *decoded = sp_name_find(text + i + 1, equals - 1 - (i + 1), K, classes);
        if (*label >= 0 && *decoded >= 0)
            return *label != *decoded;
    }
    return false;
}

/* All of them, parted by semicolons. */
static sp_status read_costs(const char *text, int32_t K, const char *const *classes, double *costs,
                            sp_error *err)
{
    for (int32_t i = 0; i < K * K; i++)
        costs[i] = i / K != i % K;
    for (const char *at = text; *at;) {
        int32_t label, decoded;
        double cost;
        at += strspn(at, " ");
        const size_t n = strcspn(at, ";");
        if (!read_cost(at, n, K, classes, &label, &decoded, &cost))
            return sp_fail(err, SP_EINVAL,
                           "`cost` %.*s: what it costs to take one class for another, such as '%s>%s=2', a "
                           "number from 0 to 1e6; "
                           "several with a semicolon between them",
                           (int)n, at, classes[0], classes[K > 1]);
        costs[label * K + decoded] = cost;
        at += n + (at[n] == ';');
    }
    return SP_OK;
}

sp_status sp_fit_objective(const sp_fit_words *words, const sp_run_plan *plan, bool has_scores, int32_t K,
                           const char *const *classes, sp_fit_options *out, double **costs, sp_error *err)
{
    sp_sleep_choice sleep;
    sp_status status = SP_OK;
    *costs = NULL;
    if (!has_scores && (words->cost || (plan->has_tune && plan->tune != SP_TUNE_NONE)))
        return sp_fail(err, SP_EINVAL,
                       "`%s` chooses settings by what is decoded, and there are no scores; leave it out",
                       words->cost ? "cost" : "tune");
    if (words->cost && plan->has_tune && plan->tune != SP_TUNE_COST)
        return sp_fail(err, SP_EINVAL,
                       "`cost` is what settings are chosen by, and so is `tune` %s; leave one of them out",
                       sp_tune_name(plan->tune));
    if (!words->cost && plan->has_tune && plan->tune == SP_TUNE_COST)
        return sp_fail(err, SP_EINVAL, "`tune` cost needs `cost`: what errors cost, such as 'N1>Wake=2'");
    if (words->cost) {
        *costs = malloc((size_t)K * (size_t)K * sizeof **costs);
        TRY(*costs ? read_costs(words->cost, K, classes, *costs, err) : sp_no_memory(err));
        out->costs = *costs;
        out->tune = SP_TUNE_COST;
    } else if (!plan->has_tune) {
        TRY(sp_sleep_find(K, classes, &sleep, err));
        sp_work work = plan->work;
        if (!plan->has_work)
            TRY(sp_work_guess(sleep.is_sleep, K, classes, &work, err));
        out->tune = tune_of(work);
    }
done:
    return status;
}
