/* What the WebAssembly module exports. statepath.js calls it; nothing else needs to.
 *
 * All memory is the caller's: it takes it with statepath_take(), fills it in, passes addresses and gives it back. Structs are
 * laid out as wasm32 does: addresses and int32_t 4 bytes, doubles 8 at multiples of 8. A function that fails returns a status
 * other than 0 (sp_status) or no object, and statepath_message() is the sentence.
 */
#ifndef STATEPATH_WASM_MODULE_H
#define STATEPATH_WASM_MODULE_H

#include "core/packed_scores.h"
#include "statepath/decode.h"
#include "statepath/model.h"

/* Memory of so many bytes, aligned to 8; NULL: there is none. */
void *statepath_take(uint32_t bytes);
void statepath_give_back(void *memory);

/* The last failure; the version of the library. */
const char *statepath_message(void);
const char *statepath_version(void);

/* Rules: a model as JSON, read, checked and compiled as the program does it. numbers: the values of those in the text, in its
 * order. NULL: statepath_message(), which begins with "model:". */
typedef struct wasm_rules wasm_rules;
wasm_rules *statepath_rules_new(const char *json, const double *numbers);
void statepath_rules_free(wasm_rules *rules);

int32_t statepath_n_classes(const wasm_rules *rules);
int32_t statepath_n_states(const wasm_rules *rules);

/* log_weight [M,M] nats, -INFINITY where forbidden; start [M] nats, -INFINITY where a recording may not start. */
void statepath_weights(const wasm_rules *rules, double *log_weight, double *start);

/* [K] nats, to be read or overwritten; NULL: decoding takes no prior off. */
double *statepath_log_prior(wasm_rules *rules);

/* Recordings that were packed (core/packed_scores.h), in the order of packing, by one packer. */
sp_packer *statepath_packer_new(void);
void statepath_packer_free(sp_packer *packer);
typedef struct wasm_packed {
    int32_t n_steps, n_classes, n_bytes;
    const uint8_t *bytes;
    double *scores;  /* out: [T,K] */
    int32_t *labels; /* out: [T]; or NULL */
    uint8_t *gaps;   /* out: [T]; or NULL */
} wasm_packed;
void statepath_unpack(sp_packer *packer, const wasm_packed *packed);

/* One recording. */
typedef struct wasm_recording {
    int32_t n_steps;
    const double *
        scores; /* [T,K] nats, before temperature and prior; NaN: the step says nothing, where is_missing_uniform */
    const uint8_t *gaps; /* [T] 1: the chain is broken before the step; or NULL */
    int32_t *path;       /* [T]; -1 at each step where there is none */
    int32_t is_missing_uniform, is_relaxed;
    int32_t step; /* out: of the failure; -1 */
    double score; /* out: nats, at byte 32 */
} wasm_recording;

/* Prepares it (sp_prepare()) and decodes it by "viterbi", "beam:8" or any other strategy. 0, SP_ENOPATH, SP_EDEADEND; SP_EDATA,
 * SP_EINVAL, SP_ENOMEM, SP_EBUG. */
sp_status statepath_decode(const wasm_rules *rules, const char *strategy, wasm_recording *recording);

/* Transitions of a path that the rules forbid. A pair with a -1 in it, or across a gap, is no transition.
 *   path   [T] -1..K-1
 *   gaps   [T] or NULL
 *   marks  out [T] 1 at the step into which a forbidden transition leads; may be NULL
 * Returns how many; -1: a class that there is not. */
int32_t statepath_count_illegal(const wasm_rules *rules, int32_t n_steps, const int32_t *path,
                                const uint8_t *gaps, uint8_t *marks);

/* Violations of rules over more steps in a recording, as models/rules.md counts them: of those that no path
 * breaks, or of those that have a price. path, gaps as above. Returns how many; -1: a class that there is not. */
int32_t statepath_count_violations(const wasm_rules *rules, int32_t n_steps, const int32_t *path,
                                   const uint8_t *gaps, int32_t are_priced);

/* Are the classes tags of entities, such as B-PER? Then counts [3] become the entities of the reference, of the path, and those that
 * both have: first step, last step and type the same. Read as conlleval does; steps without a label or a class are outside.
 *   labels  [T] -1 = unscored
 *   gaps    [T] or NULL
 * 0: they are none, and counts stay. */
int32_t statepath_count_entities(const wasm_rules *rules, int32_t n_steps, const int32_t *labels,
                                 const int32_t *path, const uint8_t *gaps, int32_t *counts);

/* Segments of a recording, as F1@10, 25, 50 (sp_segments) and the edit score count them. */
typedef struct wasm_segments {
    double edit; /* out 1 - edit distance of the runs / the more runs; NaN where neither side has one */
    int32_t reference, decoded, matched[3]; /* out */
    int32_t n_steps;
    const int32_t *labels;     /* [T] -1 = unscored */
    const int32_t *path;       /* [T] -1 = no class */
    const uint8_t *gaps;       /* [T] or NULL */
    const uint8_t *background; /* [K] 1: runs of the class are no segments; or NULL */
} wasm_segments;

/* 0; SP_ENOMEM. */
sp_status statepath_count_segments(const wasm_rules *rules, wasm_segments *segments);

#endif
