/* The list of all figures of a comparison, as `statepath help figures` prints it. */
#ifndef STATEPATH_FIGURES_H
#define STATEPATH_FIGURES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a figure is of. Those of the first four can be named in a fail-if condition (gate.h). */
typedef enum sp_figure_scope {
    SP_OF_COMPARISON,
    SP_OF_REFERENCE,
    SP_OF_STRATEGY,
    SP_OF_CLASS,     /* one class of a strategy */
    SP_OF_CHANGES,   /* steps changed against argmax, by class or place */
    SP_OF_RUNS,      /* runs of one class */
    SP_OF_ENTITIES,  /* entities of one type */
    SP_OF_RECORDING, /* one recording of a strategy */
    SP_OF_PAIR,      /* two strategies compared by one metric */
    SP_OF_COLLAPSED, /* a strategy by coarser classes */
    SP_OF_CALIBRATION,
    SP_OF_BIN,      /* steps of similar confidence */
    SP_OF_COVERAGE, /* the steps of greatest confidence */
    SP_OF_RATERS,   /* scorers among themselves */
    SP_OF_RATER,    /* reference, strategy or scorer against the scorers */
    SP_OF_RATER_PAIR,
    SP_OF_SLEEP_MEAN,
    SP_OF_SLEEP_DIFFERENCE,
    SP_N_FIGURE_SCOPES
} sp_figure_scope;

const char *sp_figure_scope_name(sp_figure_scope scope); /* "strategy" */
const char *sp_figure_scope_path(sp_figure_scope scope); /* where its object stands in the JSON: "strategies.NAME" */

typedef struct sp_figure_description {
    const char *key;        /* "weighted_f1" */
    const char *label;      /* "weighted F1" */
    const char *definition; /* one line */
    int decimals;           /* shown; -1: in per cent */
} sp_figure_description;

/* Row `index` from 0 in the order of the JSON. 1, or 0 where there are no more. */
int sp_figure_describe(sp_figure_scope scope, size_t index, sp_figure_description *out);

#ifdef __cplusplus
}
#endif
#endif
