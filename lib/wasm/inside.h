/* What the files of the module share. */
#ifndef STATEPATH_WASM_INSIDE_H
#define STATEPATH_WASM_INSIDE_H

#include "core/scratch.h"
#include "statepath/scores.h"
#include "tags/tags.h"
#include "wasm/module.h"

#ifdef __wasm__
#define EXPORT(name) __attribute__((export_name(#name)))
#else /* read by checks only */
#define EXPORT(name)
#endif

/* The last one. */
extern sp_error wasm_failure;

struct wasm_rules {
    sp_model *model;
    sp_chain *chain;
    sp_prepare_options prepare;
    bool are_tags;
    sp_tag *tags;       /* [K] of entities, where the classes are tags */
    double log_prior[]; /* [K] */
};

/* A recording as decoders take it. */
typedef struct wasm_prepared {
    sp_scratch *scratch;
    sp_block *block;
    sp_scores scores;
} wasm_prepared;

/* first_step: of the recording that r is a part of. To be cleared, also where it fails. */
sp_status wasm_prepare(wasm_prepared *p, const wasm_rules *rules, const wasm_recording *r,
                       int64_t first_step);
void wasm_prepared_clear(wasm_prepared *p);

/* Writes down what became of a recording, and returns it. */
sp_status wasm_tell(wasm_recording *r, sp_status status, double score);

#endif
