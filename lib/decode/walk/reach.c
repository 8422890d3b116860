#include "decode/walk/reach.h"

#include <math.h>
#include <string.h>

#define STEP reach
#define VALUE uint8_t
#define ZERO 0
#define ONE 1
#define TIMES(v, w) ((v) && (w) > -INFINITY)
#define PLUS(sum, v, i) ((sum) |= (v), from = 0)
#include "decode/walk/step_body.h"

bool sp_reach_step(const sp_chain *chain, sp_reach how, const double *e, const uint8_t *now, uint8_t *next)
{
    reach(NULL, chain, how, e, now, next, NULL);
    return memchr(next, 1, (size_t)chain->n_states) != NULL;
}
