/* Strategies: ways to choose a path. Names and parameters as users write them: "viterbi", "beam:8", "online:20". */
#ifndef STATEPATH_STRATEGY_H
#define STATEPATH_STRATEGY_H

#include <stdbool.h>
#include <stdint.h>

#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A strategy's number is its place in the table of lib/decode/strategy.c: 0 .. sp_strategy_count()-1. These have a constant;
 * every strategy has a name, see sp_strategy_parse(). */
typedef int32_t sp_strategy_kind;
enum { SP_ARGMAX, SP_GREEDY, SP_BEAM, SP_VITERBI, SP_POSTERIOR, SP_MEA, SP_POSTERIOR_VITERBI, SP_ONLINE };

typedef struct sp_strategy {
    sp_strategy_kind kind;
    int32_t parameter; /* beam width >= 1, online lag >= 0; 0 for strategies that take none */
} sp_strategy;

/* What is known of a strategy. */
typedef struct sp_strategy_info {
    const char *name;      /* without parameter: "posterior-viterbi" */
    const char *parameter; /* what its parameter is called ("WIDTH" of beam), or NULL: it takes none */
    int32_t least, sample; /* least value of the parameter, and one to try it with */
    bool is_legal;         /* its paths obey the model by construction */
    bool knows_rules;      /* the rules of the model play a part in it */
    int readings;          /* how often sp_decode_long() reads a recording that has a path */
    const char *summary;   /* one line for help and reports: "each step alone; may be illegal" */
    const char *when;      /* when it is the right one, in a few words */
} sp_strategy_info;

/* How many strategies there are. */
int sp_strategy_count(void);

/* About one of them. Never NULL. */
const sp_strategy_info *sp_strategy_about(sp_strategy_kind kind);

/* Members of sp_strategy_about(). */
const char *sp_strategy_name(sp_strategy_kind kind);
const char *sp_strategy_summary(sp_strategy_kind kind);
const char *sp_strategy_parameter(sp_strategy_kind kind);
bool sp_strategy_is_legal(sp_strategy_kind kind);

/* Reads "viterbi" or "beam:8". SP_OK or SP_EINVAL (unknown name: lists all; parameter missing, not needed or out of range). */
sp_status sp_strategy_parse(const char *text, sp_strategy *out, sp_error *err);

/* Is this one of the strategies, and its parameter in range? SP_OK or SP_EINVAL. */
sp_status sp_strategy_check(const sp_strategy *strategy, sp_error *err);

/* Writes it back: "beam:8". buffer holds 32 bytes. Returns buffer. */
enum { SP_STRATEGY_TEXT = 32 };
char *sp_strategy_format(const sp_strategy *strategy, char buffer[SP_STRATEGY_TEXT]);

#ifdef __cplusplus
}
#endif
#endif
