/* Made data in the shape of a policy: positions with thousands of moves, of which the rules allow a few, and the logits of a
 * network that has nearly learnt the rules. For the leak of a mask (mask.h). Nothing in it was played by anyone.
 *
 * How it is made. At each position t
 *     n_t legal moves    usual_legal * exp(legal_spread * z), rounded, no less than min_legal, no more than max_legal and n_moves
 *     which              n_t distinct moves, all sets equally likely
 *     logit[t,k]         sharpness * z of each move, then a constant is added to those of the forbidden moves, so that
 *     leak_t             their probability, leak_t / (1 - leak_t) = leak / (1 - leak) * exp(leak_spread * z)
 * z standard normal. So half of the positions leak less than `leak`, and leak_spread says how far the worst ones are from that.
 * Random numbers are GSL's mt19937, one generator for each of the four. A position where everything is legal leaks nothing.
 */
#ifndef STATEPATH_POLICY_H
#define STATEPATH_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As JSON (all keys but name and description must be there):
 *     {"statepath_recipe": 1, "name": "...", "description": "...", "seed": 1,
 *      "policy": {"moves": 1900, "positions": 2000, "legal": [1, 218], "usual_legal": 30, "legal_spread": 0.5,
 *                 "sharpness": 2, "leak": 0.0001, "leak_spread": 1.7}} */
typedef struct sp_policy_recipe {
    char *name, *description;       /* or NULL; owned */
    int64_t seed;                   /* 1 .. 4294967295 */
    int64_t n_moves, n_positions;   /* K 2 .. 1e6, S 1 .. 1e9; K S at most 2^28 */
    int64_t min_legal, max_legal;   /* 1 <= min <= max <= K */
    double usual_legal;             /* median before it is cut, 1 .. K */
    double legal_spread, sharpness; /* 0 .. 100 */
    double leak;                    /* between 0 and 1 */
    double leak_spread;             /* 0 .. 100 */
} sp_policy_recipe;

void sp_policy_recipe_free(sp_policy_recipe *recipe);

/* SP_OK; SP_EINVAL: names the key in *key (static; may be NULL) and what it must be. */
sp_status sp_policy_recipe_check(const sp_policy_recipe *recipe, const char **key, sp_error *err);

typedef struct sp_policy {
    int64_t n_moves, n_positions;
    float *logits; /* [S,K] */
    uint8_t *mask; /* [S,K] 1 = legal */
} sp_policy;

/* SP_OK, SP_EINVAL (the check), SP_ENOMEM. O(S K). */
sp_status sp_policy_simulate(const sp_policy_recipe *recipe, sp_policy **out, sp_error *err);
void sp_policy_free(sp_policy *policy);

/* Reads one recipe from text. `name` is what messages call it. *out is NULL where it is a recipe of something else, which
 * model_json.h reads. SP_OK (a checked recipe), SP_EINVAL ("chess.json:7:12: ..."), SP_ENOMEM. */
sp_status sp_policy_recipe_from_json(const char *text, const char *name, sp_policy_recipe **out, sp_error *err);
/* Reads a recipe file. Also SP_EFILE. */
sp_status sp_policy_recipe_load(const char *file, sp_policy_recipe **out, sp_error *err);

/* Writes /logits f32 [S,K] and /mask bool [S,K], and the root attribute `recipe` (JSON text). Atomic; `force` to replace. SP_OK,
 * SP_EFILE, SP_EINVAL (a name that is not UTF-8), SP_ENOMEM. */
sp_status sp_policy_save(const sp_policy *policy, const sp_policy_recipe *recipe, const char *file, bool force, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
