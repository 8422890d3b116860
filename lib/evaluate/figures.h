/* The figures of a comparison, each in one row: what it is called, where it stands, what it is over and
 * how it is shown.
 *
 * From the rows come the scalars of the JSON, the lines of the CSV, the figures that a fail-if condition
 * can name, the columns of tables (report/tables/figure_columns.c), and `statepath help figures`.
 * Matrices, lists of pairs, lengths of runs and traces are written by hand. A new figure needs its
 * computation, its row in figures.c and its key in the schema of results
 * (report/write/statepath-results.schema.json). */
#ifndef EVALUATE_FIGURES_H
#define EVALUATE_FIGURES_H

#include "statepath/comparison.h"

/* What a place holds. */
typedef enum sp_figure_type {
    SP_FIGURE_VALUE, /* sp_value */
    SP_FIGURE_I64,
    SP_FIGURE_I32,
    SP_FIGURE_U64,
    SP_FIGURE_REAL,
    SP_FIGURE_FLAG, /* bool */
    SP_FIGURE_TEXT  /* char *, may be NULL */
} sp_figure_type;

/* Where a number stands: in the struct itself, in the strategy around it, or in the comparison; in a struct behind a pointer
 * there, if `pointer` is not 0 (offset of the pointer, and 1). */
typedef enum sp_figure_base { SP_IN_NOTHING, SP_IN_OWN, SP_IN_STRATEGY, SP_IN_COMPARISON } sp_figure_base;
typedef struct sp_figure_place {
    uint8_t base, type;
    uint32_t pointer, offset;
} sp_figure_place;

/* Without which a figure is not there: it is left out of JSON, CSV and tables, and a condition that names it cannot be judged. */
typedef enum sp_figure_need {
    SP_NEEDS_LABELS,
    SP_NEEDS_ARGMAX,   /* among the strategies */
    SP_NEEDS_ENTITIES, /* classes that are tags */
    SP_NEEDS_NLL,
    SP_NEEDS_PATH_SCORE,
    SP_NEEDS_REGRET,
    SP_NEEDS_KAPPA_WEIGHTS,
    SP_NEEDS_ERROR_RUNS,
    SP_NEEDS_PERMUTATION,    /* of class names that is suspected */
    SP_NEEDS_SHIFT,          /* of labels that is suspected */
    SP_NEEDS_REFERENCE_RUNS, /* beside a strategy's */
    SP_NEEDS_TIES,
    SP_NEEDS_EPOCH, /* the length of a step */
    SP_NEEDS_WAKE_TRIM,
    SP_NEEDS_LENGTH_TRIM,
    SP_NEEDS_MARGIN,
    SP_NEEDS_TESTS,      /* a pair that is compared by a figure with all tests (compared.h) */
    SP_NEEDS_SIGN_FLIP,  /* with these tests at least */
    SP_NEEDS_ITS_NLL,    /* another classifier whose scores have a likelihood */
    SP_NEEDS_DURATIONS,  /* of the model */
    SP_NEEDS_HARD_RULES, /* over more steps, of the model or of recordings */
    SP_NEEDS_PRICED_RULES,
    SP_N_NEEDS
} sp_figure_need;

typedef enum sp_figure_tone {
    SP_NO_TONE,
    SP_MORE_IS_BETTER,
    SP_LESS_IS_BETTER,
    SP_NONE_IS_RIGHT /* a violation: every one above 0 is shown as bad */
} sp_figure_tone;

enum { SP_PERCENT = -1 }; /* in the place of decimals: a share of n, shown in per cent */

typedef struct sp_figure {
    const char *key; /* of conditions and the CSV, unique in its scope */
    const char
        *json; /* path in the JSON object of its scope, such as "entities.f1"; NULL: key; "": not there */
    const char *label;      /* for people; heads a column */
    const char *definition; /* a line of words */
    sp_figure_place place;
    sp_figure_place n[4];      /* what it is over: the sum of all, or not said */
    bool n_is_difference;      /* the first minus the others */
    sp_figure_place low, high; /* its interval, if it has one */
    sp_figure_place sd;        /* its standard deviation, if it has one */
    int8_t decimals;
    uint8_t tone;
    bool in_csv;
    bool is_optional; /* left out of the JSON where it is 0, false or NULL */
    uint32_t needs;   /* bits 1 << sp_figure_need */
    const struct sp_compared
        *compared; /* how pairs of strategies are compared by it (compared.h); NULL: they are not */
} sp_figure;

typedef struct sp_figures {
    const sp_figure *list;
    size_t n;
} sp_figures;

/* Whose figures: the struct of the scope, and what stands around it. `strategy` may be NULL where the scope has none. */
typedef struct sp_figure_owner {
    const void *own;
    const sp_strategy_result *strategy;
    const sp_comparison *comparison;
} sp_figure_owner;

sp_figures sp_figures_of(sp_figure_scope scope);

/* The row of this key, `n` letters long; NULL: none. */
const sp_figure *sp_figure_find(sp_figure_scope scope, const char *key, size_t n);

/* Why the owner does not have the figure: a static reason, or NULL where it has it. */
const char *sp_figure_missing(const sp_figure *figure, const sp_figure_owner *owner);

bool sp_figure_is_count(const sp_figure *figure);

/* Its value, undefined where it is missing; a text is undefined. */
sp_value sp_figure_value(const sp_figure *figure, const sp_figure_owner *owner);
sp_value sp_figure_at(const sp_figure_place *place,
                      const sp_figure_owner *owner); /* undefined "" where there is no place */
const char *sp_figure_text(const sp_figure *figure,
                           const sp_figure_owner *owner); /* NULL where it is no text, or has none */

int64_t sp_figure_count(const sp_figure *figure, const sp_figure_owner *owner); /* of one that is a count */

/* What it is over. False: not said. */
bool sp_figure_n(const sp_figure *figure, const sp_figure_owner *owner, int64_t *n);

const char *sp_context_name(sp_context context); /* "AAA" ... */

#endif
