/* Other classifiers of the recordings that are compared: each is a pipeline of its own that decodes the same recordings in the
 * same order. Its paths and scores are told in the columns of the first and evaluated with those of the first. */
#ifndef PIPELINE_AGAINST_H
#define PIPELINE_AGAINST_H

#include "pipeline/matched.h"
#include "pipeline/pipeline.h"

enum { SP_AGAINST_NAME = 32 /* with the end */ };

typedef struct sp_rival {
    sp_pipeline p;
    sp_run_options options; /* p.opt: nothing is written, handed on or shown */
    char name[SP_AGAINST_NAME];
    char names[SP_RUN_STRATEGIES][SP_AGAINST_NAME + SP_STRATEGY_TEXT];
    sp_matched matched;
    int32_t *column; /* [K] the first's column for each of its own; NULL: the same */
    void *room;      /* scores in the first's columns */
    size_t room_bytes;
    /* Of the first and of it, for messages. */
    char first_name[256], own_name[256];
} sp_rival;

/* May a classifier be called so? It stands before a strategy in figures and conditions: letters, digits, _ and -, a letter first,
 * and no strategy's name. SP_OK, SP_EINVAL. */
sp_status sp_against_check_name(const char *name, sp_error *err);

/* Opens another classifier in three steps, as a pipeline is opened, between which a file is opened and its codes are read:
 * options and plan, which are the first's; with r->p.from there and the model loaded (sp_pipeline_load_model()), its recordings and columns are
 * matched to those of `first`, which is open; the way of decoding. On failure of any it can (and must) still be closed.
 *   step_seconds  of both, 0: not known */
sp_status sp_against_begin(sp_rival *r, const sp_pipeline *first, const char *name, const char *file,
                           sp_error *err);
sp_status sp_against_match(sp_rival *r, const sp_pipeline *first, double first_seconds, double own_seconds,
                           sp_error *err);
sp_status sp_against_compile(sp_rival *r, const sp_pipeline *first, sp_error *err);
void sp_against_close(sp_rival *r);

/* They are all open and stay until the run is over: p compares with them. SP_OK; SP_EINVAL (a name twice, too many). */
sp_status sp_pipeline_set_against(sp_pipeline *p, int32_t n, sp_rival *against, sp_error *err);

/* Strategies of all, and their names [n] in the order of the comparison. */
int32_t sp_pipeline_all_names(const sp_pipeline *p, const char **names);

/* Its classes [n] in the columns of the first; in place. */
void sp_against_tell_path(const sp_rival *r, int64_t n, int32_t *path);
/* Its scores in the columns of the first: themselves, or a copy that stays until the next call. SP_OK, SP_ENOMEM. */
sp_status sp_against_tell_scores(sp_rival *r, const sp_scores *scores, sp_scores *out, sp_error *err);

#endif
