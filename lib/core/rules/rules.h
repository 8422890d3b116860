/* Rules over classes: text to automaton, and what of a path breaks them. models/rules.md says what a rule means. Not installed.
 *
 * A rule becomes a deterministic automaton that reads the classes of a path and says, at each step and at the end, how many
 * violations that makes. The same automaton counts the violations of a path, forbids (hard) and prices (soft) them. */
#ifndef STATEPATH_CORE_RULES_H
#define STATEPATH_CORE_RULES_H

#include "statepath/model.h"

/* ---- the automaton ---- */

/* Letters are the classes 0..K-1, then two more. */
#define SP_RULE_GAP(K) (K)         /* the chain is broken here; no step */
#define SP_RULE_UNKNOWN(K) (K + 1) /* a step of the reference without label; not in products */
#define SP_RULE_LETTERS(K) (K + 2)

typedef struct sp_rule_automaton {
    int32_t n_states, n_classes;
    bool is_backward; /* it reads a path from its last step to its first: every a followed_by c */
    /* State 0 is the first. */
    int32_t *next;    /* [n_states, K+2] */
    uint8_t *broken;  /* [n_states, K+2] violations at that step: 0 or 1 */
    int32_t *missing; /* [n_states] violations where the path ends in that state */
} sp_rule_automaton;

/* Compiles rule r of a model for steps of step_seconds (0: not known). Letters are the model's classes.
 * SP_OK, SP_EMODEL (the sentence says where in the text; a time without step_seconds; too many states), SP_ENOMEM. */
sp_status sp_rule_compile(const sp_model *model, int32_t r, double step_seconds, sp_rule_automaton *out,
                          sp_error *err);
void sp_rule_automaton_clear(sp_rule_automaton *automaton);

/* Are the rules of a model rules: names, texts, costs? Steps need no length. SP_OK; SP_EMODEL: line, column, what was expected,
 * and below the sentence the line with a caret; SP_ENOMEM. */
sp_status sp_rules_check(const sp_model *model, sp_error *err);

/* ---- the rules of a chain ---- */

typedef struct sp_chain_rule {
    char *name, *text;
    double cost; /* nats a violation; INFINITY: forbidden */
    bool may_at_gap;
    sp_rule_automaton automaton; /* letters are the chain's columns */
} sp_chain_rule;

int32_t sp_chain_n_rules(const sp_chain *chain);
const sp_chain_rule *sp_chain_rule_at(const sp_chain *chain, int32_t r);

/* ---- the violations of a path ---- */

/* A rule along a path, step by step. To be zeroed, and forgotten without a call. */
typedef struct sp_rule_walk {
    int32_t state;
    int64_t n_open;     /* of `every a followed_by c`: steps of a since the last c */
    int64_t first_open; /* the first of them */
    int64_t n_steps;    /* so far */
} sp_rule_walk;

/* The next step, of class k (-1: without label). is_gap: the chain is broken before it. Returns its violations. */
static inline int32_t sp_rule_walk_step(sp_rule_walk *walk, const sp_chain_rule *rule, int32_t k, bool is_gap)
{
    const sp_rule_automaton *a = &rule->automaton;
    const int32_t K = a->n_classes, letters[2] = {SP_RULE_GAP(K), k < 0 ? SP_RULE_UNKNOWN(K) : k};
    int32_t n = 0;
    for (int i = !is_gap; i < 2; i++) {
        const int32_t letter = letters[i];
        if (!a->is_backward) {
            const size_t at = (size_t)walk->state * (size_t)SP_RULE_LETTERS(K) + (size_t)letter;
            n += a->broken[at];
            walk->state = a->next[at];
            continue;
        }
        if (a->next[letter] != 0) /* from state 0: what closes open steps */
            walk->n_open = 0;
        if (a->broken[letter] && walk->n_open++ == 0)
            walk->first_open = walk->n_steps;
    }
    walk->n_steps++;
    return n;
}

/* The path is over: violations that show at its end only. *step: where, the first open step of `every a followed_by c`, else the last. */
int64_t sp_rule_walk_end(const sp_rule_walk *walk, const sp_chain_rule *rule, int64_t *step);

/* ---- declared ---- */

/* Adds the rules of a model to another; class c of `to` is class class_of[c] of `from` (NULL: c), and takes
 * all its names as aliases, with rules or without. False on lack of memory. */
bool sp_rules_copy(const sp_model *from, const int32_t *class_of, sp_model *to);

/* Does rule r speak of times? False where its text is none. */
bool sp_rule_has_time(const sp_model *model, int32_t r);

/* Writes times in the texts as steps of that length; those that cannot be told stay. False on lack of memory. */
bool sp_rules_in_steps(sp_model *model, double step_seconds);

/* Leaves the first n_left rules of a model. */
void sp_rules_drop(sp_model *model, int32_t n_left);

#endif
