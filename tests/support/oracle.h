/* Slow and plain decoders to hold the fast ones against. They work on the model as declared, never on the compiled chain: a dense
 * matrix of states, minimum dwell unfolded here once more and independently, and every rule written as its definition says.
 */
#ifndef TEST_ORACLE_H
#define TEST_ORACLE_H

#include "dense_model.h"
#include "statepath/model.h"

/* ---- textbook Viterbi: any T, any M ---- */

/* The best path in classes; ties by comparing whole histories of classes backwards. False when there is none (outputs untouched).
 * O(T M^2), and O(T) for each tie. */
bool oracle_viterbi(const dense_model *m, const sp_scores *scores, int32_t *path, double *score);

/* Only the score, in O(M) memory; -INFINITY when there is no path. */
double oracle_viterbi_score(const dense_model *m, const sp_scores *scores);

/* ---- enumeration of all class paths: K^T of them ---- */

enum { ORACLE_STEPS = 8 };

/* Calls visit for every path of classes, in lexicographic order:
 *   path           [ORACLE_STEPS], of which T are meant
 *   score          strict: the best state path that emits it; -INFINITY when there is none
 *   n_broken, relaxed_score   of the state path that breaks the fewest rules, the best among equals; n_broken -1 when no state
 *                             path can emit the classes at all (a class without states) */
typedef void oracle_visit(void *arg, const int32_t *path, double score, int64_t n_broken,
                          double relaxed_score);
void oracle_enumerate(const dense_model *m, const sp_scores *scores, oracle_visit *visit, void *arg);

typedef struct oracle_best {
    bool has_path;
    double score; /* -INFINITY without path */
    int32_t path[ORACLE_STEPS];
    int64_t n_broken;
    double relaxed_score;
    int32_t relaxed_path[ORACLE_STEPS];
} oracle_best;

/* The best paths by enumeration, strict and relaxed: among equals the lowest class at the last step, then before it, and so on.
 * T >= 1. */
oracle_best oracle_enumerate_best(const dense_model *m, const sp_scores *scores);

/* The first step that no state reaches, T-1 when only the end rule fails, -1 when a path exists; by sets of states. */
int64_t oracle_first_unreachable(const dense_model *m, const sp_scores *scores);

/* ---- single paths ---- */

/* Score of a class path: the best of all state paths that emit it. */
double oracle_path_score(const dense_model *m, const sp_scores *scores, const int32_t *path);

/* The sum over the state paths that emit it of exp(score). */
double oracle_path_weight(const dense_model *m, const sp_scores *scores, const int32_t *path);

/* oracle_path_score() straight from the rules, for models with one state per class: start, pairs, end, and the length of each run, without
 * any unfolding. */
double oracle_rules_score(const sp_model *model, const int32_t *class_of_column, const sp_scores *scores,
                          const int32_t *path);

/* ---- greedy, by keeping every single state path that emits the classes chosen so far; T <= ORACLE_STEPS ---- */

/* Returns the step where it got stuck, or -1. */
int64_t oracle_greedy(const dense_model *m, const sp_scores *scores, int32_t *path);

/* Fewest broken rules step by step. Returns the rules broken. */
int64_t oracle_greedy_relaxed(const dense_model *m, const sp_scores *scores, int32_t *path);

#endif
