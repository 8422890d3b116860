/* Labels by several scorers, block by block. */
#ifndef STATEPATH_CLI_SCORERS_H
#define STATEPATH_CLI_SCORERS_H

#include "options.h"

typedef struct scorers {
    sp_scorers_found found; /* none: nothing is read */
    int32_t *labels[SP_SOURCE_MAX_SCORERS];
    int64_t room; /* steps */
} scorers;

/* Looks for them. Too many classes for matrices of pairs: none, with a sentence on stderr. SP_OK; as sp_source_find_scorers. */
sp_status scorers_find(scorers *s, sp_source *source, int32_t n_classes, bool is_quiet, sp_error *err);
void scorers_clear(scorers *s);

/* Room for so many steps of each. SP_OK, SP_ENOMEM. */
sp_status scorers_reserve(scorers *s, int64_t n_steps, sp_error *err);

/* Reads recordings first .. first+count-1 to place `at` of each list. */
sp_status scorers_read(scorers *s, sp_source *source, int64_t first, int64_t count, int64_t at, sp_error *err);

#endif
