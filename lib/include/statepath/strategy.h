/* Strategies: ways to choose a path. Names and parameters as users write them: "viterbi", "beam:8", "online:20". */
#ifndef STATEPATH_STRATEGY_H
#define STATEPATH_STRATEGY_H

#include <stdbool.h>
#include <stdint.h>

#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sp_strategy_kind {
    SP_ARGMAX,
    SP_GREEDY,
    SP_BEAM,
    SP_VITERBI,
    SP_POSTERIOR,
    SP_MEA,
    SP_POSTERIOR_VITERBI,
    SP_ONLINE,
    SP_N_STRATEGIES
} sp_strategy_kind;

typedef struct sp_strategy {
    sp_strategy_kind kind;
    int32_t parameter; /* beam width >= 1, online lag >= 0; 0 for the others */
} sp_strategy;

/* Name without parameter: "posterior-viterbi". Never NULL. */
const char *sp_strategy_name(sp_strategy_kind kind);

/* One line for help and reports: "each step alone; may be illegal". Never NULL. */
const char *sp_strategy_summary(sp_strategy_kind kind);

/* What its parameter is called ("WIDTH" of beam), or NULL where it takes none. */
const char *sp_strategy_parameter(sp_strategy_kind kind);

/* True when the strategy's paths obey the model by construction (all but argmax and posterior). */
bool sp_strategy_is_legal(sp_strategy_kind kind);

/* Reads "viterbi" or "beam:8". SP_OK or SP_EINVAL (unknown name: lists all; parameter missing, not needed or out of range). */
sp_status sp_strategy_parse(const char *text, sp_strategy *out, sp_error *err);

/* Writes it back: "beam:8". buffer holds 32 bytes. Returns buffer. */
enum { SP_STRATEGY_TEXT = 32 };
char *sp_strategy_format(const sp_strategy *strategy, char buffer[SP_STRATEGY_TEXT]);

#ifdef __cplusplus
}
#endif
#endif
