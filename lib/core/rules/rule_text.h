/* The text of a rule, parsed. Not installed. */
#ifndef STATEPATH_CORE_RULE_TEXT_H
#define STATEPATH_CORE_RULE_TEXT_H

#include "core/owned.h"
#include "statepath/model.h"

typedef enum sp_rule_form {
    SP_RULE_EXPRESSION,
    SP_RULE_NEVER,
    SP_RULE_AT_LEAST,
    SP_RULE_AT_MOST,
    SP_RULE_NOT_BEFORE,
    SP_RULE_NOT_AFTER,
    SP_RULE_FIRST,
    SP_RULE_LAST,
    SP_RULE_FOLLOWED, /* every of followed_by other */
    SP_RULE_PRECEDED  /* every of preceded_by other */
} sp_rule_form;

typedef enum sp_rule_node_kind {
    SP_RULE_SET,
    SP_RULE_SEQUENCE,
    SP_RULE_EITHER,
    SP_RULE_REPEAT
} sp_rule_node_kind;

/* A node of an expression; left and right are nodes. */
typedef struct sp_rule_node {
    sp_rule_node_kind kind;
    int32_t left, right;
    uint8_t *set;       /* [K] of SP_RULE_SET: the classes it matches */
    sp_length min, max; /* of SP_RULE_REPEAT */
    bool is_unbounded;  /* no max */
} sp_rule_node;

/* The longest length that a rule may name, in steps; in seconds, a million hours. */
#define SP_RULE_MOST_STEPS 1e6
#define SP_RULE_MOST_SECONDS 3.6e9

/* Where a length stands in the text. */
typedef struct sp_rule_length {
    size_t at, size;
    sp_length length;
} sp_rule_length;

typedef struct sp_rule_text {
    sp_owned own;
    sp_rule_form form;
    sp_length length; /* of at_least, at_most, not_before, not_after */
    bool counts_runs; /* of at_least, at_most: runs, not steps */
    uint8_t *of,
        *other; /* [K]; other: NULL where nothing stands there; else of followed_by, preceded_by, from first */
    sp_rule_node *nodes; /* of SP_RULE_EXPRESSION (order too) and SP_RULE_NEVER */
    int32_t n_nodes, root;
    bool is_order;
    sp_rule_length *lengths; /* [n_lengths] ascending */
    int32_t n_lengths;
} sp_rule_text;

/* Parses. SP_OK; SP_EMODEL: the sentence names the rule, line and column, and is followed by the line and a caret; SP_ENOMEM.
 * To be cleared in every case. */
sp_status sp_rule_parse(const sp_model *model, const char *name, const char *text, sp_rule_text *out,
                        sp_error *err);
void sp_rule_text_clear(sp_rule_text *rule);

#endif
