/* Inside of the fail-if conditions: their tree. Not installed. */
#ifndef EVALUATE_GATE_H
#define EVALUATE_GATE_H

#include "core/owned.h"
#include "evaluate/figures.h"
#include "statepath/comparison.h"

typedef enum sp_gate_kind {
    SP_GATE_NUMBER,
    SP_GATE_FIGURE,
    SP_GATE_NEGATE,
    SP_GATE_ADD,
    SP_GATE_SUBTRACT,
    SP_GATE_MULTIPLY,
    SP_GATE_DIVIDE,
    SP_GATE_LESS, /* from here on: true or false */
    SP_GATE_AT_MOST,
    SP_GATE_MORE,
    SP_GATE_AT_LEAST,
    SP_GATE_EQUAL,
    SP_GATE_UNEQUAL,
    SP_GATE_AND,
    SP_GATE_OR
} sp_gate_kind;

typedef struct sp_gate_node {
    sp_gate_kind kind;
    size_t begin, end; /* of its text */
    int32_t left, right;
    double number;
    sp_figure_scope scope;
    const sp_figure *figure;
    int32_t strategy, class_index;
} sp_gate_node;

struct sp_gate {
    sp_owned own;
    char *text;
    sp_gate_node *nodes; /* never more than letters in the text: each has a letter of its own */
    int32_t n_nodes;
    int32_t *conditions; /* the root of each */
    int32_t n_conditions;
};

/* gate_read.c: fills nodes and conditions from the text. SP_OK, SP_EINVAL. */
sp_status sp_gate_read(sp_gate *gate, const sp_gate_scope *scope, sp_error *err);

#endif
