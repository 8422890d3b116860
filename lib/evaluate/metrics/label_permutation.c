/* Labels that may be permuted: would the path agree far better if its classes had other names? */
#include "core/try.h"
#include "evaluate/evaluation.h"
#include "evaluate/value.h"

#include <string.h>

/* The Hungarian method with potentials (Kuhn 1955, Munkres 1957; rows brought in one by one along shortest
 * augmenting paths), O(K^3), on whole numbers: reference class i pays -(confusion[i,j] (K + 1) + [i = j])
 * for the name of column j, so that of equal assignments the one with most names kept is the best. Arrays
 * from 1; 0 is the row that is being brought in. */
typedef struct assignment {
    int64_t *row_potential, *column_potential, *slack; /* [K + 1] */
    int32_t *row_of, *before; /* [K + 1] row that has the column; column before it on the path */
    bool *is_done;            /* [K + 1] */
} assignment;

/* The shortest way from the row of column 0 to a column that nobody has; returns that column. */
static int32_t find_way(int32_t K, const int64_t *confusion, assignment *a)
{
    int32_t column = 0;
    for (int32_t j = 0; j <= K; j++) {
        a->slack[j] = INT64_MAX;
        a->is_done[j] = false;
    }
    do {
        a->is_done[column] = true;
        int32_t row = a->row_of[column], next = 0;
        int64_t least = INT64_MAX;
        for (int32_t j = 1; j <= K; j++) {
            if (a->is_done[j])
                continue;
            int64_t cost =
                -(confusion[(size_t)(row - 1) * (size_t)K + (size_t)(j - 1)] * (K + 1) + (row == j));
            int64_t reduced = cost - a->row_potential[row] - a->column_potential[j];
            if (reduced < a->slack[j]) {
                a->slack[j] = reduced;
                a->before[j] = column;
            }
            if (a->slack[j] < least) {
                least = a->slack[j];
                next = j;
            }
        }
        for (int32_t j = 0; j <= K; j++)
            if (a->is_done[j]) {
                a->row_potential[a->row_of[j]] += least;
                a->column_potential[j] -= least;
            } else {
                a->slack[j] -= least;
            }
        column = next;
    } while (a->row_of[column]);
    return column;
}

sp_status sp_label_permutation_best(int32_t K, const int64_t *confusion, int32_t *name_of, sp_error *err)
{
    sp_owned own = {0};
    size_t n = (size_t)K + 1;
    assignment a = {.row_potential = sp_zeros(&own, n, sizeof *a.row_potential),
                    .column_potential = sp_zeros(&own, n, sizeof *a.column_potential),
                    .slack = sp_zeros(&own, n, sizeof *a.slack),
                    .row_of = sp_zeros(&own, n, sizeof *a.row_of),
                    .before = sp_zeros(&own, n, sizeof *a.before),
                    .is_done = sp_zeros(&own, n, sizeof *a.is_done)};
    sp_status status = SP_OK;
    TRY(sp_owned_status(&own, err));
    for (int32_t row = 1; row <= K; row++) {
        a.row_of[0] = row;
        for (int32_t column = find_way(K, confusion, &a); column; column = a.before[column])
            a.row_of[column] = a.row_of[a.before[column]];
    }
    for (int32_t j = 1; j <= K; j++)
        name_of[j - 1] = a.row_of[j] - 1;
done:
    sp_owned_free(&own);
    return status;
}

/* The confusion under other names, and the agreement of that. */
static void agree_renamed(int32_t K, const sp_strategy_result *s, const int32_t *name_of, int64_t *renamed,
                          sp_agreement *out)
{
    for (size_t i = 0; i < (size_t)K; i++)
        for (size_t j = 0; j < (size_t)K; j++)
            renamed[i * (size_t)K + (size_t)name_of[j]] = s->confusion[i * (size_t)K + j];
    sp_agreement_from_confusion(K, renamed, s->undecoded_steps, out, NULL);
}

/* Recalls of the reference's classes, 0 where a class has no decoded steps. */
typedef struct recalls {
    int32_t K;
    const sp_class_runs *runs;
    int64_t *steps;     /* [K] */
    double *is, *would; /* [K] */
    double kappa;       /* it would be */
    bool *is_in_cycle;  /* [K] scratch */
} recalls;

static void find_recalls(const int64_t *confusion, const int32_t *name_of, recalls *r)
{
    const size_t K = (size_t)r->K;
    for (size_t i = 0; i < K * K; i++)
        r->steps[i / K] += confusion[i];
    for (size_t j = 0; j < K; j++) {
        const size_t i = (size_t)name_of[j];
        const double n = r->steps[i] ? (double)r->steps[i] : 1;
        r->is[i] = (double)confusion[i * K + i] / n;
        r->would[i] = (double)confusion[i * K + j] / n;
    }
}

/* Is the cycle of renamed classes that holds class `first` suspicious? */
static bool is_suspicious(const recalls *r, const int32_t *name_of, int32_t first)
{
    int32_t n = 0, n_tested = 0, n_others = 0, i = first;
    double share = 1, least = 1, others = 0;
    memset(r->is_in_cycle, 0, (size_t)r->K * sizeof *r->is_in_cycle);
    do {
        i = name_of[i];
        r->is_in_cycle[i] = true;
        n++;
    } while (i != first);
    for (int32_t k = 0; k < r->K; k++) {
        const double would = r->would[k];
        if (!r->is_in_cycle[k]) {
            n_others += r->steps[k] > 0;
            others += would;
        } else if (r->steps[k] >= SP_PERMUTATION_STEPS && r->runs[k].count >= SP_PERMUTATION_RUNS) {
            if (would == 0 || r->is[k] > SP_PERMUTATION_EACH * would)
                return false;
            n_tested++;
            share *= r->is[k] / would / SP_PERMUTATION_SHARE;
            least = would < least ? would : least;
        }
    }
    return n_tested >= 2 && 2 * n_tested > n && share <= 1 &&
           least * n_others >= SP_PERMUTATION_LEVEL * others &&
           r->kappa >= (n_others < n_tested ? SP_PERMUTATION_KAPPA_OF_FEW : SP_PERMUTATION_KAPPA);
}

static void keep_names(int32_t *name_of, int32_t first)
{
    for (int32_t k = first, next; name_of[k] != k; k = next) {
        next = name_of[k];
        name_of[k] = k;
    }
}

/* Is k the least class of its cycle, of several? */
static bool begins_cycle(const int32_t *name_of, int32_t k)
{
    int32_t i = name_of[k];
    while (i > k)
        i = name_of[i];
    return i == k && name_of[k] != k;
}

sp_status sp_label_permutation_find(int32_t K, const sp_class_runs *runs, sp_strategy_result *s,
                                    sp_error *err)
{
    s->label_permutation.accuracy = s->label_permutation.kappa =
        value_undefined("not better by far under other names");
    if (!s->has_agreement || K < 2 || K > SP_PERMUTATION_CLASSES)
        return SP_OK;
    sp_owned own = {0};
    const size_t n = (size_t)K;
    recalls r = {.K = K,
                 .runs = runs,
                 .steps = sp_zeros(&own, n, sizeof *r.steps),
                 .is = sp_zeros(&own, n, sizeof *r.is),
                 .would = sp_zeros(&own, n, sizeof *r.would),
                 .is_in_cycle = sp_zeros(&own, n, sizeof *r.is_in_cycle)};
    int64_t *renamed = sp_zeros(&own, n * n, sizeof *renamed);
    int32_t *name_of = malloc(n * sizeof *name_of);
    bool is_suspect = false;
    sp_agreement would;
    sp_status status = SP_OK;
    TRY(name_of ? sp_owned_status(&own, err) : sp_no_memory(err));
    TRY(sp_label_permutation_best(K, s->confusion, name_of, err));
    agree_renamed(K, s, name_of, renamed, &would);
    r.kappa = would.kappa.undefined ? 0 : would.kappa.value;
    find_recalls(s->confusion, name_of, &r);
    for (int32_t k = 0; k < K; k++)
        if (begins_cycle(name_of, k) && is_suspicious(&r, name_of, k))
            is_suspect = true;
        else if (begins_cycle(name_of, k))
            keep_names(name_of, k);
    if (is_suspect) {
        agree_renamed(K, s, name_of, renamed, &would);
        s->label_permutation = (sp_label_permutation){true, name_of, would.accuracy, would.kappa};
        name_of = NULL;
    }
done:
    free(name_of);
    sp_owned_free(&own);
    return status;
}
