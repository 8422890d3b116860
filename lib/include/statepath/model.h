/* Models: the rules of a field, as declared, and compiled for the decoders.
 *
 *     const uint8_t allow[] = {1, 1, 0,    from closed
 *                              1, 1, 1,    from opening
 *                              1, 0, 1};   from open
 *     sp_model *model = sp_model_new("door", 3, (const char *const[]){"closed", "opening", "open"});
 *     sp_model_set_matrix(model, allow, NULL, &err);
 *     sp_chain_new(model, NULL, &chain, &err);
 *
 * Models from files and by name: model_json.h; of usual shapes and from labels: learn.h.
 */
#ifndef STATEPATH_MODEL_H
#define STATEPATH_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "statepath/scores.h"
#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- models ----
 *
 * The rules of a field: which class may follow which, with what weight, where a sequence may start and end, how long a class
 * stays.
 *
 * A model is as declared: its own order of classes, its own states. sp_chain_new() compiles it for the classes of some scores.
 * sp_model is an open struct that owns everything it points to (malloc), because readers, builders, learners and writers all
 * fill or read it; sp_model_check() says whether what they filled is a model. Once checked it is never changed.
 *
 * A state emits one class. Most models have one state per class (`states` NULL: state s is class s). "Forbidden" is the absence
 * of an edge, or -INFINITY in start or end: there is no epsilon anywhere.
 */

typedef struct sp_alias {
    int32_t class_index;
    char *name;
} sp_alias;

/* How long the runs of a class are, as declared. Lengths are in steps, or in seconds, which are rounded to the nearest step (at
 * least one) when the model is compiled for scores whose steps have a length. */
typedef struct sp_length {
    double value; /* 0: not given */
    bool is_seconds;
} sp_length;

typedef enum sp_duration_form {
    SP_DURATION_FREE,  /* no duration: the matrix says how long */
    SP_DURATION_RANGE, /* each length from min to max weighs 0 */
    SP_DURATION_PMF,   /* p(d) = pmf[d-1], used as given */
    SP_DURATION_NEGATIVE_BINOMIAL, /* d-1 is negative binomial of mean centre-1 and size spread: variance (centre-1) (1 + (centre-1) / spread) */
    /* log of the length is normal, of median log(centre) and standard deviation spread; rounded to steps, at
     * least 1 */
    SP_DURATION_LOG_NORMAL,
    SP_DURATION_POISSON /* d-1 is Poisson of mean centre-1 */
} sp_duration_form;

typedef struct sp_duration {
    sp_duration_form form;
    sp_length min,
        max; /* of the support, for all but pmf; a named distribution sums to 1 over it. No max: unbounded */
    sp_length centre; /* mean of the length, of a log-normal its median */
    double spread;    /* dispersion of the negative binomial (its size), sigma of the log-normal */
    int32_t n_pmf;
    double *pmf; /* [n_pmf] not negative, of any sum above 0; owned */
} sp_duration;

/* A rule over more than two steps, as declared (models/rules.md). */
typedef struct sp_rule {
    char *name;      /* letters, digits, _ and -; distinct */
    bool is_named;   /* false: the name is that of its place, rule1, rule2, ... */
    char *text;      /* "never REM Wake REM" */
    double cost;     /* >= 0 nats a violation; INFINITY: no path may break it */
    bool may_at_gap; /* what a gap hides may have kept it */
} sp_rule;

typedef enum sp_weight_form { SP_WEIGHTS_NONE, SP_WEIGHTS_PROBABILITIES, SP_WEIGHTS_LOG } sp_weight_form;

/* New scores from those of a step and of the steps around it, as fit learns them (`features` windows). With l = log-probabilities of a row, at least
 * `floor`, and x = means of l and of the probabilities over the `steps` steps before the step, and after it, of those within the recording
 * and the stretch without a gap (none: the step itself):
 *     new[k] = log softmax over k of  scale l[k] + bias[k] + sum_i weight[i,k] x[i]
 * -INFINITY stays; so do steps that say nothing. */
typedef struct sp_windows {
    int32_t n;
    int32_t *steps; /* [n] >= 1, ascending */
    double floor, scale;
    double *bias;   /* [K] */
    double *weight; /* [n,2,2,K,K]: window; before, after; l, probabilities; class of those; class */
} sp_windows;
#define SP_WINDOWS_FLOOR (-8.0)

typedef struct sp_model {
    char *name;        /* never NULL after sp_model_new() */
    char *description; /* or NULL */
    char *source;      /* or NULL: where the rules come from */

    int32_t n_classes; /* K >= 1 */
    char **classes;    /* [K] distinct, not empty */
    int32_t n_aliases;
    sp_alias *aliases; /* [n_aliases] other names that a file may use for a class */

    int32_t n_states;     /* M >= 1; = K without declared states */
    char **states;        /* [M] distinct names, or NULL: one state per class with the class's name */
    int32_t *state_class; /* [M] 0..K-1, or NULL with `states` NULL */

    /* Allowed transitions, rows = from, compressed: the successors of i are to[row[i]] .. to[row[i+1]-1], ascending. */
    int64_t *row;   /* [M+1], row[0] = 0 */
    int32_t *to;    /* [row[M]] */
    double *weight; /* [row[M]] finite log weights in nats, or NULL: boolean, each edge weighs 0 */
    double *start;  /* [M] nats, -INFINITY = may not start there; NULL: 0 for all */
    double *end;    /* [M] nats, -INFINITY = may not end there; NULL: 0 for all */
    sp_weight_form weight_form;      /* how the weights were declared, for writing them back */
    bool start_is_list, end_is_list; /* declared as a set of states, not as weights */

    int32_t *
        min_dwell; /* [M] >= 1, or NULL: 1 for all. A state, once entered, stays for at least so many steps */
    bool min_dwell_at_end; /* a run cut off by the end of the recording must be long enough too */

    /* A maximal run of length d of a class with a duration weighs log p(d), whether and how its matrix lets it stay; of a class of
     * several states, moves between them inside the run weigh what the matrix says. A run that is cut off, at the start or the end
     * of a recording or beside a gap, may be a piece of a longer one and weighs log of the sum of p(d') over d' >= d (of a range:
     * 0 for d <= max), unless runs at that side are whole. No class has both a duration and a min_dwell. */
    sp_duration *durations; /* [K] or NULL: none */
    bool whole_at_start, whole_at_end;

    /* The classes of a path match each, or pay for each violation; see sp_model_add_rule(). */
    int32_t n_rules;
    sp_rule *rules;

    double *prior; /* [K] class frequencies of the classifier's training set, sum 1, or NULL */

    /* Decoding defaults; NaN where the model does not say. floor: smaller probabilities are raised to it, in (0,1). */
    double temperature, transition_weight, prior_weight, floor;

    /* Of a labeller that decides a class for each step, in place of scores: [K,K] how often, rows = reference, columns = what it
     * decided; not negative, each row with something above 0. Scores of a step labelled l are log P(l | class). NULL: none. */
    double *labeller;

    /* How scores of neighbouring steps are weighed before decoding; NULL: they are not. */
    sp_windows *windows;
} sp_model;

/* A model of K named classes, one state per class, no transitions yet (row all 0). Copies the names. NULL on lack of memory. */
sp_model *sp_model_new(const char *name, int32_t n_classes, const char *const *classes);
void sp_model_free(sp_model *model);

/* Replaces the transitions by those of a dense matrix allow[M,M] (rows = from, non-zero = allowed) and, when weight is not NULL,
 * their log weights weight[M,M] (read only where allowed). SP_OK or SP_ENOMEM. */
sp_status sp_model_set_matrix(sp_model *model, const uint8_t *allow, const double *weight, sp_error *err);

/* Name of state s: its own, or its class's. */
const char *sp_model_state_name(const sp_model *model, int32_t s);
/* Index of the transition from -> to in `to` and `weight`, or -1 when forbidden. O(log successors). */
int64_t sp_model_edge(const sp_model *model, int32_t from, int32_t to);

/* Is it a model? Names distinct and not empty (aliases clash with no other class), indices in range, rows ascending, weights
 * finite, start and end not NaN and not +inf, some state may start and some may end, min_dwell >= 1 and only 1 where staying
 * is forbidden, durations that are possible, prior non-negative and summing to 1 within 1e-6, temperature > 0.
 * Returns SP_OK or SP_EMODEL (message names the class or state and the mend). */
sp_status sp_model_check(const sp_model *model, sp_error *err);

/* Can the scores of a stream, whose next steps are not there yet, be prepared as the model says? SP_OK; SP_EINVAL: it weighs those of steps to
 * come (windows). */
sp_status sp_model_check_stream(const sp_model *model, sp_error *err);

/* Adds a rule.
 *   name  NULL: that of its place, "rule1" for the first
 *   cost  nats a violation, not negative; INFINITY: forbidden
 * SP_OK, SP_EMODEL (text or name; the sentence says line and column, and shows them), SP_EINVAL (cost), SP_ENOMEM. */
sp_status sp_model_add_rule(sp_model *model, const char *name, const char *text, double cost, bool may_at_gap,
                            sp_error *err);

/* Rule r in plain English, cut where it is longer: "at least 20 min of N3; each violation costs 2 nats". Returns out. */
char *sp_rule_sentence(const sp_model *model, int32_t r, char *out, size_t size);

/* What a duration says of whole runs, in steps. */
typedef struct sp_duration_lengths {
    int64_t min, max; /* of the lengths that are possible; max 0: unbounded */
    bool
        has_distribution; /* false: all these lengths weigh 0, as those of a range do, and what follows is 0 */
    double mean;          /* of the lengths with probabilities in proportion to p(d) */
    int64_t low, median, high; /* the least length that 5 %, 50 %, 95 % of the runs do not exceed */
} sp_duration_lengths;

/* Of class k, which has a duration. step_seconds 0: the length of a step is not known.
 * SP_OK, SP_EMODEL (a time without step_seconds, nothing possible, a distribution without end within 65,536 steps), SP_ENOMEM. */
sp_status sp_duration_lengths_find(const sp_model *model, int32_t k, double step_seconds,
                                   sp_duration_lengths *out, sp_error *err);

/* What is declared for class k, in words: "3 to 40 steps", "negative binomial of mean 12 min and dispersion 2, at least 1 min"; ""
 * without a duration. Returns out. */
enum { SP_DURATION_TEXT = 160 };
char *sp_duration_text(const sp_model *model, int32_t k, char out[SP_DURATION_TEXT]);

/* Finds which class of the model each score column is, by name, then by alias.
 *   names         [n_names] names of the columns, in their order; NULL: the model's own, in order
 *   class_of_column  out [n_names]
 * Returns SP_OK, or SP_EMODEL when the sets differ (the message lists both, shortened when long) or two columns match one class.
 */
sp_status sp_model_align(const sp_model *model, int32_t n_names, const char *const *names,
                         int32_t *class_of_column, sp_error *err);

/* ---- the compiled model ----
 *
 * The compiled model: what the decoders run on. Immutable once made, so threads share it.
 *
 * Compiling (1) renumbers the model's classes to the order of the score columns, (2) unfolds minimum
 * dwell: a state of dwell d becomes d states in a row, entered at the first and left from the last; a
 * duration becomes a row of states that count, left from each at the weight of its length, and a second
 * row for the run that began before the recording or a gap did, (3) puts the states in the order in which
 * ties are decided (decode.h), (4) makes predecessor and successor lists with their log weights.
 *
 * Unfolded steps inside a dwell weigh what staying weighs, so a path's score does not depend on the
 * unfolding.
 */

typedef struct sp_chain sp_chain;

typedef struct sp_chain_options {
    double
        transition_weight; /* 1: log weights of transitions (not of start, end and durations) are multiplied by it */
    bool is_boolean;     /* false; true: every allowed transition, start, end and duration weighs 0 */
    double step_seconds; /* 0: length of a step, for durations and rules in time; not known */
    int64_t max_states;  /* 100,000: of a model with rules, compiled states at most */
    bool
        without_rules; /* false; true: the model's `rules` play no part: what may follow what does not depend on them */
    const int32_t *
        class_of_column; /* [K] from sp_model_align(); NULL: score columns are in the model's order. Borrowed for the call */
} sp_chain_options;

sp_chain_options sp_chain_options_default(void);

/* Compiles. The model is not needed afterwards.
 * Returns SP_OK, SP_EINVAL (transition_weight not finite), SP_EMODEL (sp_model_check; a time without step_seconds; too many
 * states; rules that contradict each other), SP_ENOMEM.
 * Cost    O(states + transitions) memory, no dense matrix. */
sp_status sp_chain_new(const sp_model *model, const sp_chain_options *options, sp_chain **out, sp_error *err);
void sp_chain_free(sp_chain *chain);

int32_t sp_chain_n_classes(const sp_chain *chain);
/* Compiled states: those that count dwells and durations and remember what rules need. */
int32_t sp_chain_n_states(const sp_chain *chain);

/* From so many times on, users are told before a run. */
enum { SP_SLOW_CHAIN = 100 };
/* How many times as long decoding takes as with the matrix of the model alone, rounded to two digits: by the transitions
 * and states that it goes through at each step. Of a row of states that count the steps of a duration, it goes through eight
 * at once.
 *   model  what the chain was compiled from */
int64_t sp_chain_slowdown(const sp_chain *chain, const sp_model *model);

/* The matrix in classes (score columns), whatever `rules` say. A pair of classes is legal when some state of the first can be followed by some state of
 * the second. O(1) or O(log). */
bool sp_chain_is_legal(const sp_chain *chain, int32_t from, int32_t to);
bool sp_chain_is_legal_start(const sp_chain *chain, int32_t k);
bool sp_chain_is_legal_end(const sp_chain *chain, int32_t k);

/* Path score of a path written in classes, recomputed in float64 in this order:
 *     s = start[p0] + e[0,p0];  s = (s + log_trans[p(t-1),pt]) + e[t,pt]  for t = 1..T-1;  s = s + end[p(T-1)]
 * with 0 for log_trans across a gap. With several states per class: the best state path that emits the classes.
 * -INFINITY when the model forbids the path or the scores make it impossible.
 *   path    [T] 0..K-1
 * Returns SP_OK (T = 0: score 0), SP_EINVAL (a class out of range), SP_ENOMEM. */
sp_status sp_path_score(const sp_chain *chain, const sp_scores *scores, const int32_t *path, double *score,
                        sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
