/* What a path of classes weighs by the definitions alone: the matrix and the minimum dwells by a dense matrix of states, the length
 * of each run by p(d), the rules by their violations. Nothing here knows how a chain counts or remembers. */
#ifndef TEST_PATH_WEIGHT_H
#define TEST_PATH_WEIGHT_H

#include "core/rules/rules.h" /* counts violations step by step; test_rules.c holds that against worked cases */
#include "dense_model.h"
#include "random_model.h"

enum { PATH_WEIGHT_RULES = 4, PATH_WEIGHT_STEPS = 8 };

typedef struct weighed {
    double best,
        sum; /* over the state paths that emit the classes: the greatest weight in nats, the sum of exp(weight) */
} weighed;

typedef struct path_weigher {
    const random_case *c;
    dense_model *states;
    sp_chain_rule rules[PATH_WEIGHT_RULES]; /* of the model, whose letters are its classes */
    double *run[2]; /* [K, PATH_WEIGHT_STEPS] log p(d) of whole runs, of cut ones; by column */
} path_weigher;

/* A case of at most so many steps and rules; borrowed. A rule that cannot be compiled fails the test. */
path_weigher path_weigher_new(const random_case *c);
void path_weigher_free(path_weigher *w);

/* path [T] columns of the scores. O(T M^2) with M states. */
weighed path_weigh(const path_weigher *w, const int32_t *path);

/* log p(d) of a whole run of so many steps; of one that is cut, log of the sum over d' >= d. */
double duration_weight(const sp_duration *d, int64_t length, bool is_cut);

/* The duration of a column's class; NULL: it has none. */
const sp_duration *duration_of_column(const random_case *c, int32_t column);

/* Is there a start, an end or a gap before step t? */
bool is_side(const random_case *c, int64_t t);

#endif
