/* Inside of a gate: its tree, and the figures that it can name. Not installed. */
#ifndef EVALUATE_GATE_H
#define EVALUATE_GATE_H

#include "statepath/gate.h"

typedef enum sp_figure_type { SP_FIGURE_VALUE, SP_FIGURE_I64 } sp_figure_type;

/* A figure of a struct of results: where it stands there. */
typedef struct sp_figure {
    const char *name;
    size_t offset;
    sp_figure_type type;
    bool needs_labels, needs_argmax, needs_entities, needs_scores;
} sp_figure;

typedef struct sp_figures {
    const sp_figure *list;
    size_t n;
} sp_figures;

/* Those of a strategy, of a class of a strategy, of the reference, and of the comparison itself. (gate_figures.c) */
typedef enum sp_figure_owner { SP_OF_STRATEGY, SP_OF_CLASS, SP_OF_REFERENCE, SP_OF_COMPARISON, SP_N_OWNERS } sp_figure_owner;
sp_figures sp_figures_of(sp_figure_owner owner);

/* The value of a figure; undefined where the comparison has none. */
sp_value sp_figure_value(const sp_comparison *comparison, sp_figure_owner owner, const sp_figure *figure, int32_t strategy,
                         int32_t class_index);

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
    sp_figure_owner owner;
    const sp_figure *figure;
    int32_t strategy, class_index;
} sp_gate_node;

struct sp_gate {
    char *text;
    sp_gate_node *nodes; /* never more than letters in the text: each has a letter of its own */
    int32_t n_nodes;
    int32_t *conditions; /* the root of each */
    int32_t n_conditions;
};

#endif
