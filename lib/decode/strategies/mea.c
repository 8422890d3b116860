/* Maximum expected accuracy and posterior-Viterbi: Viterbi over the bare rules, with marginals, or their logs, for scores.
 *
 *     mea                 max over legal paths of  sum_t p(s_t)
 *     posterior-viterbi   max over legal paths of  sum_t log p(s_t)
 *
 * A step that was -INFINITY stays so: a path that avoids those and obeys the rules has a finite score under the model too. A
 * marginal that is 0 only because it underflowed must not forbid anything, so 0 is an ordinary score for mea, and
 * posterior-viterbi works on exact log marginals.
 */
#include <math.h>

#include "core/try.h"
#include "decode/strategies/marginals.h"
#include "decode/strategies/viterbi.h"
#include "decode/strategy.h"

/* The scores over which Viterbi goes: marginals or their logs. */
typedef struct objective {
    const sp_scores *scores; /* as they are decoded */
    double *value;           /* [T,K] */
} objective;

static void sum_row(void *arg, int64_t t, const double *marginal, const double *log_marginal)
{
    (void)log_marginal;
    const objective *o = arg;
    double *value = o->value + (size_t)t * (size_t)o->scores->n_classes;
    for (int32_t k = 0; k < o->scores->n_classes; k++)
        value[k] = sp_scores_at(o->scores, t, k) == -INFINITY ? -INFINITY : sp_marginal_rounded(marginal[k]);
}

static void product_row(void *arg, int64_t t, const double *marginal, const double *log_marginal)
{
    (void)marginal;
    const objective *o = arg;
    double *value = o->value + (size_t)t * (size_t)o->scores->n_classes;
    for (int32_t k = 0; k < o->scores->n_classes; k++)
        value[k] = sp_marginal_rounded(log_marginal[k]);
}

/* Zeros that stand for the weights of all transitions. */
static int64_t n_weights(const sp_chain *chain)
{
    const int64_t next = chain->pred_row[chain->n_states],
                  across = chain->across ? chain->across->pred_row[chain->n_states] : 0;
    return next > across ? next : across;
}

/* The same chain with every weight 0. Borrows from `chain`, from `room` (n_weights() + 3 states) and from `across`. */
static sp_chain bare_rules(const sp_chain *chain, double *room, sp_chain *across)
{
    sp_chain bare = *chain;
    int64_t n_edges = n_weights(chain);
    for (int64_t n = 0; n < n_edges; n++)
        room[n] = 0;
    double *start = room + n_edges, *end = start + chain->n_states, *leave = end + chain->n_states;
    for (int32_t s = 0; s < chain->n_states; s++) {
        start[s] = chain->start[s] == -INFINITY ? -INFINITY : 0;
        end[s] = chain->end[s] == -INFINITY ? -INFINITY : 0;
        leave[s] = sp_chain_leave(chain, s) == -INFINITY ? -INFINITY : 0;
    }
    bare.is_boolean = true;
    bare.pred_weight = bare.succ_weight = room;
    bare.start = start;
    bare.end = end;
    bare.leave = chain->leave ? leave : NULL;
    if (chain->across) {
        *across = *chain->across;
        across->pred_weight = across->succ_weight = room;
        bare.across = across;
    }
    return bare;
}

static sp_status decode(sp_sequence *s, bool is_product, sp_error *err)
{
    const sp_chain *chain = s->chain;
    const size_t K = (size_t)chain->n_classes, T = (size_t)s->scores->n_steps;
    const size_t n_room = chain->is_boolean ? 0 : (size_t)n_weights(chain) + 3 * (size_t)chain->n_states;
    objective o = {.scores = s->scores};
    sp_status status = SP_OK;
    TRY(T <= SIZE_MAX / K ? SP_OK : sp_no_memory(err));
    o.value = sp_scratch_get(s->scratch, T * K, sizeof *o.value);
    double *room = sp_scratch_get(s->scratch, n_room, sizeof *room);
    TRY(o.value && room ? SP_OK : sp_no_memory(err));
    const sp_marginal_sink sink = {
        .row = is_product ? product_row : sum_row, .arg = &o, .wants_log = is_product};
    TRY(sp_marginal_rows(chain, s->scores, s->scratch, &sink, NULL, err));
    sp_chain across, bare = chain->is_boolean ? *chain : bare_rules(chain, room, &across);
    const sp_scores values = {.data = o.value,
                              .dtype = SP_F64,
                              .n_classes = chain->n_classes,
                              .n_steps = s->scores->n_steps,
                              .segments = s->scores->segments};
    sp_sequence inner = {.chain = &bare, .scores = &values, .scratch = s->scratch, .path = s->path};
    TRY(sp_viterbi_decode(&inner, 0, err));
    TRY(sp_sequence_verify(&inner, err));
done:
    return status;
}

static sp_status decode_sum(sp_sequence *s, int32_t parameter, sp_error *err)
{
    (void)parameter;
    return decode(s, false, err);
}

static sp_status decode_product(sp_sequence *s, int32_t parameter, sp_error *err)
{
    (void)parameter;
    return decode(s, true, err);
}

const sp_strategy_row sp_mea_row = {
    {.name = "mea",
     .is_legal = true,
     .knows_rules = true,
     .summary = "the allowed path of the greatest expected number of right steps",
     .when = "most steps expected right, and legal"},
    .decode = decode_sum};

const sp_strategy_row sp_posterior_viterbi_row = {
    {.name = "posterior-viterbi",
     .is_legal = true,
     .knows_rules = true,
     .summary = "the allowed path of the greatest product of marginals",
     .when = "as mea, harder on single improbable steps"},
    .decode = decode_product};
