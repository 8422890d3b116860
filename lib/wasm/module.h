/* What the WebAssembly module exports. statepath.js calls it; nothing else needs to.
 *
 * All memory is the caller's: it takes it with statepath_take(), fills it in, passes addresses and gives it back. Structs are
 * laid out as wasm32 does: addresses and int32_t 4 bytes, doubles 8 at multiples of 8. A function that fails returns a status
 * other than 0 (sp_status) or no object, and statepath_message() is the sentence.
 */
#ifndef STATEPATH_WASM_MODULE_H
#define STATEPATH_WASM_MODULE_H

#include "statepath/decode.h"

/* Memory of so many bytes, aligned to 8; NULL: there is none. */
void *statepath_take(uint32_t bytes);
void statepath_give_back(void *memory);

/* The last failure; the version of the library. */
const char *statepath_message(void);
const char *statepath_version(void);

/* Rules, as in model.h: states of classes in the order of the columns, a dense matrix. */
typedef struct wasm_rules {
    int32_t n_classes, n_states;
    const char *names;          /* of the states, each with its 0; the classes are called so too where state s is class s */
    const int32_t *state_class; /* [M] or NULL: state s is class s */
    const uint8_t *allow;       /* [M,M] */
    const double *weight;       /* [M,M] nats, read where allowed; or NULL: 0 */
    const double *start, *end;  /* [M] nats; or NULL: 0 */
    const int32_t *min_dwell;   /* [M] or NULL: 1 */
    int32_t min_dwell_at_end;
    double transition_weight; /* at byte 40 */
} wasm_rules;

/* Compiles them; NULL: statepath_message(). */
sp_chain *statepath_rules_new(const wasm_rules *rules);
void statepath_rules_free(sp_chain *chain);

/* Packed scores (core/packed_scores.h) to nats. 0; SP_EDATA. */
typedef struct wasm_packed {
    int32_t n_steps, n_classes;
    const uint8_t *packed;
    const double *log_prior; /* [K]; NULL with prior_weight 0 */
    double temperature, prior_weight;
    double *out; /* [T,K], at byte 32 */
} wasm_packed;
sp_status statepath_unpack(const wasm_packed *packed);

/* One recording. */
typedef struct wasm_recording {
    int32_t n_steps;
    const double *scores; /* [T,K] nats */
    const uint8_t *gaps;  /* [T] 1: the chain is broken before the step; or NULL */
    int32_t *path;        /* [T]; -1 at each step where there is none */
    int32_t step;         /* out: of the failure; -1 */
    double score;         /* out: nats, at byte 24 */
} wasm_recording;

/* Decodes it by "viterbi", "greedy", "argmax" or "beam:8". 0, SP_ENOPATH, SP_EDEADEND; SP_EINVAL, SP_ENOMEM, SP_EBUG. */
sp_status statepath_decode(const sp_chain *chain, const char *strategy, wasm_recording *recording);

/* Transitions of a path that the rules forbid. A pair with a -1 in it, or across a gap, is no transition.
 *   path   [T] -1..K-1
 *   gaps   [T] or NULL
 *   marks  out [T] 1 at the step into which a forbidden transition leads; may be NULL
 * Returns how many. */
int32_t statepath_count_illegal(const sp_chain *chain, int32_t n_steps, const int32_t *path, const uint8_t *gaps, uint8_t *marks);

#endif
