/* Labels that may be permuted: would the path agree far better if its classes had other names? */
#include "core/try.h"
#include "evaluate/evaluation.h"
#include "evaluate/value.h"

/* The Hungarian method with potentials (Kuhn 1955, Munkres 1957; rows brought in one by one along shortest augmenting paths),
 * O(K^3), on whole numbers: reference class i pays -confusion[i,j] for the name of column j. Arrays from 1; 0 is the row that is
 * being brought in. */
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
            int64_t cost = -confusion[(size_t)(row - 1) * (size_t)K + (size_t)(j - 1)];
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

static bool is_suspicious(const sp_agreement *was, const sp_agreement *would)
{
    if (was->accuracy.undefined || was->kappa.undefined || would->kappa.undefined)
        return false;
    return would->accuracy.value > was->accuracy.value + SP_PERMUTATION_GAIN &&
           would->accuracy.value > SP_PERMUTATION_FACTOR * was->accuracy.value &&
           would->kappa.value > was->kappa.value + SP_PERMUTATION_GAIN &&
           would->kappa.value >= SP_PERMUTATION_KAPPA;
}

sp_status sp_label_permutation_find(int32_t K, sp_strategy_result *s, sp_error *err)
{
    s->label_permutation.accuracy = s->label_permutation.kappa =
        value_undefined("not better by far under other names");
    if (!s->has_agreement || K < 2 || K > SP_PERMUTATION_CLASSES ||
        s->agreement.scored - s->agreement.undecoded < (int64_t)SP_PERMUTATION_STEPS * K)
        return SP_OK;
    int32_t *name_of = malloc((size_t)K * sizeof *name_of);
    int64_t *renamed = malloc((size_t)K * (size_t)K * sizeof *renamed);
    sp_agreement would;
    sp_status status = SP_OK;
    if (!name_of || !renamed)
        TRY(sp_no_memory(err));
    TRY(sp_label_permutation_best(K, s->confusion, name_of, err));
    for (size_t i = 0; i < (size_t)K; i++)
        for (size_t j = 0; j < (size_t)K; j++)
            renamed[i * (size_t)K + (size_t)name_of[j]] = s->confusion[i * (size_t)K + j];
    sp_agreement_from_confusion(K, renamed, s->undecoded_steps, &would, NULL);
    if (is_suspicious(&s->agreement, &would)) {
        s->label_permutation = (sp_label_permutation){true, name_of, would.accuracy, would.kappa};
        name_of = NULL;
    }
done:
    free(name_of);
    free(renamed);
    return status;
}
