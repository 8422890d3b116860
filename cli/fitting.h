/* From a file to a training set and what to learn from it: what fit and compare --cv share. */
#ifndef STATEPATH_CLI_FITTING_H
#define STATEPATH_CLI_FITTING_H

#include "options.h"
#include "progress.h"

/* Options of learning, as written. Strings belong to the struct. */
typedef struct fit_words {
    char *method, *tune, *strategy, *name, *rules;
    double smoothing, penalty;
    int memory, folds, calibrate;
} fit_words;
fit_words fit_words_default(void);
void fit_words_clear(fit_words *words);
enum { FIT_TABLE = 8 };
void fit_table(fit_words *words, struct poptOption table[FIT_TABLE]);

typedef struct fitting {
    sp_source *source;
    const sp_source_info *info;
    sp_block *block; /* the whole file */
    sp_model *rules; /* or NULL */
    sp_codes *codes; /* of the labels, or NULL */
    const char **classes;
    char **made_classes;   /* names where neither file nor rules have any; or NULL */
    sp_subjects *subjects; /* or NULL: each recording on its own */
    sp_workers *workers;
    sp_training training;
    sp_fit_options options;
    progress line;
    bool is_quiet, has_line;
} fitting;

/* Reads the whole file and turns the words into options; `o->groups` keeps recordings together, `o->model` names the rules: a
 * model, "seen", or NULL for none. On failure the fitting can (and must) still be closed. */
sp_status fitting_open(fitting *f, const char *file, const options *o, const fit_words *words, sp_error *err);
/* Takes the progress line away. */
void fitting_quiet(fitting *f);
/* Prints negative log-likelihood and calibration error of the scores: as they are, with one temperature, with a scale and a bias
 * a class. */
sp_status fitting_calibrate(const fitting *f, sp_error *err);
void fitting_close(fitting *f);

#endif
