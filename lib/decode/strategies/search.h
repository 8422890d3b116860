/* Searches that go forward with back-pointers and trace their path from the last step to the first; not installed.
 *
 * Forward a search keeps what it knows after the last step of each piece and no more; then, from the last piece to the first, it
 * goes forward over each once more, with back-pointers, and traces the path from where the piece after it begins. A recording of
 * one piece is gone over once.
 */
#ifndef STATEPATH_DECODE_SEARCH_H
#define STATEPATH_DECODE_SEARCH_H

#include "decode/sequence.h"
#include "decode/strategies/backpointers.h"

typedef struct sp_search {
    const char *
        who; /* for the sentence about a dead end; NULL: a search that drops no partial path and meets none */
    size_t bytes; /* what save() fills */
    void *self;   /* first argument of all that follow */
    /* Takes arrays for the steps of a piece from the scratch, which are released before the next piece. SP_OK, SP_ENOMEM. */
    sp_status (*start)(void *self, sp_sequence *s, const sp_scores *scores, sp_error *err);
    /* Goes on by row t of the piece, of scores e[K]. False where nothing is left. */
    bool (*step)(void *self, sp_reach how, int64_t t, const double *e);
    /* In place of start and step: all steps of a piece, from what was saved of the piece before (NULL: there is none).
     * Optional. */
    sp_status (*piece)(void *self, sp_sequence *s, const sp_scores *scores, const void *saved, bool is_traced,
                       sp_error *err);
    /* What is known after a piece. False where no partial path is left. */
    bool (*save)(const void *self, void *saved);
    void (*restore)(void *self, const void *saved);
    /* The place (a state, for most) where the best path ends, the end rule counted; -1: none may end. Sets s->recurrence. */
    int32_t (*last)(void *self, sp_sequence *s);
    /* The classes of piece i, which ends in this place, into s->path; returns the place before the piece. */
    int32_t (*trace)(void *self, sp_sequence *s, int64_t i, const sp_scores *scores, int32_t place);
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

size_t sp_state_search_bytes(const sp_state_search *f);
sp_status sp_state_search_start(void *self, sp_sequence *s, const sp_scores *scores, sp_error *err);
bool sp_state_search_save(const void *self, void *saved); /* always true */
void sp_state_search_restore(void *self, const void *saved);
/* Ends step t > 0, of which next[] and from[] are filled. */
void sp_state_search_advance(sp_state_search *f, int64_t t);
/* The states of piece i, which ends in `state`, into s->path; returns the state before the piece. */
int32_t sp_state_search_trace(const sp_state_search *f, const sp_sequence *s, int64_t i, int32_t state);

/* Finds and writes the path. Returns as sp_strategy_row.decode. */
sp_status sp_search_run(const sp_search *search, sp_sequence *s, bool is_relaxed, sp_error *err);

#endif
