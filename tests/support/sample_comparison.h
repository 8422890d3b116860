/* A comparison made by hand: for tests of what is written, apart from what is computed. Counts and agreement are counted here
 * from the paths; means, intervals and p-values are plain made-up numbers. */
#ifndef TEST_SAMPLE_COMPARISON_H
#define TEST_SAMPLE_COMPARISON_H

#include "statepath/comparison.h"

typedef struct sample {
    sp_comparison comparison;
    void **owned; /* everything it points to */
    size_t n_owned;
} sample;

typedef struct sample_input {
    int32_t n_classes;
    const char *const *classes;
    const uint8_t *allow; /* [K,K] */
    int64_t n_recordings;
    const char *const *ids; /* [N] */
    const int64_t *offsets; /* [N+1] */
    const int32_t *labels;  /* [S] or NULL */
    int32_t n_strategies;
    const char *const *names;    /* [n_strategies] */
    const int32_t *const *paths; /* [n_strategies][S]; a recording whose first step is -1 was not decoded */
    bool with_traces;
} sample_input;

sample *sample_new(const sample_input *input);
void sample_free(sample *s);

/* Three classes, two recordings, three strategies: small enough to check every figure by eye. */
sample *sample_small(void);

/* Sleep nights of `steps` steps from a fixed recipe: five classes, argmax, greedy and viterbi (which really obey the rules or do
 * not), traces of all. */
sample *sample_nights(int64_t n_recordings, int64_t steps);

enum { SAMPLE_ARGMAX, SAMPLE_GREEDY, SAMPLE_VITERBI };

/* 1,000 nights of 20 steps: by viterbi recording 500 is the worst, 700 the best, and accuracy grows with the number of all
 * others. */
sample *sample_ranked(void);

/* K classes with no meaning, neighbours only; otherwise as sample_nights. */
sample *sample_band(int32_t n_classes, int64_t n_recordings, int64_t steps);

/* Adds what comes of scores: probabilities of made-up scores (sample_probabilities.c), and intervals of the other metrics. */
void sample_add_probabilities(sample *s, const sample_input *in);
void sample_add_metrics(sample *s);

/* As if the file had no labels. */
void sample_drop_labels(sample *s);

/* Memory that lives as long as the sample. */
void *sample_alloc(sample *s, size_t count, size_t size);
char *sample_text(sample *s, const char *text);

#endif
