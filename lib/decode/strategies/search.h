/* Searches that go forward with back-pointers and trace their path from the last step to the first; not
 * installed. */
#ifndef STATEPATH_DECODE_SEARCH_H
#define STATEPATH_DECODE_SEARCH_H

#include "decode/sequence.h"
#include "decode/strategies/backpointers.h"

typedef struct sp_search {
    const char *
        who; /* for the sentence about a dead end; NULL: a search that drops no partial path and meets none */
    void *self; /* first argument of all that follow */
    /* Takes arrays for the steps from the scratch. SP_OK, SP_ENOMEM. */
    sp_status (*start)(void *self, const sp_sequence *s, sp_error *err);
    /* Goes on by row t, of scores e[K]. False where nothing is left. */
    bool (*step)(void *self, sp_reach how, int64_t t, const double *e);
    /* The place (a state, for most) where the best path ends, the end rule counted; -1: none may end. Sets s->recurrence. */
    int32_t (*last)(void *self, sp_sequence *s);
    /* The classes of the path that ends in this place, into s->path. */
    void (*trace)(void *self, sp_sequence *s, int32_t place);
} sp_search;

/* A search that keeps one value and one back-pointer for each state of a step: the first member of its `self`, so that these
 * functions are its callbacks. */
typedef struct sp_state_search {
    const sp_chain *chain;
    size_t value_size; /* bytes of a value: a multiple of those of a double */
    void *now, *next;  /* [M] values at t-1 and t */
    int32_t *from;     /* [M] best state before each */
    sp_backpointers back;
} sp_state_search;

sp_status sp_state_search_start(void *self, const sp_sequence *s, sp_error *err);
/* Ends step t > 0, of which next[] and from[] are filled. */
void sp_state_search_advance(sp_state_search *f, int64_t t);
/* The states of the path that ends in `state`, into s->path. */
void sp_state_search_trace(const sp_state_search *f, const sp_sequence *s, int32_t state);

/* Finds the path. Returns as sp_strategy_row.decode. */
sp_status sp_search_run(const sp_search *search, sp_sequence *s, sp_error *err);

#endif
