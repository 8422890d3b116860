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
#include "decode/strategies/piece_marginals.h"
#include "decode/strategies/viterbi.h"
#include "decode/strategy.h"

/* The scores over which Viterbi goes: marginals or their logs. */
typedef struct objective {
    sp_sequence *outer;
    sp_marginals marginals;
    bool is_product;
    double *value;    /* [steps,K] of one piece */
    sp_scores scores; /* of the same, as decoded */
} objective;

static void sum_row(void *arg, int64_t t, const double *marginal, const double *log_marginal)
{
    (void)log_marginal;
    const objective *o = arg;
    double *value = o->value + (size_t)t * (size_t)o->scores.n_classes;
    for (int32_t k = 0; k < o->scores.n_classes; k++)
        value[k] = sp_scores_at(&o->scores, t, k) == -INFINITY ? -INFINITY : sp_marginal_rounded(marginal[k]);
}

static void product_row(void *arg, int64_t t, const double *marginal, const double *log_marginal)
{
    (void)marginal;
    const objective *o = arg;
    double *value = o->value + (size_t)t * (size_t)o->scores.n_classes;
    for (int32_t k = 0; k < o->scores.n_classes; k++)
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

static sp_status read_objective(void *arg, int64_t first, int64_t n, sp_scores *scores, sp_error *err)
{
    objective *o = arg;
    sp_marginal_sink sink = {
        .row = o->is_product ? product_row : sum_row, .arg = o, .wants_log = o->is_product};
    sp_status status = sp_marginals_piece(&o->marginals, first / o->outer->steps, &sink, &o->scores, err);
    *scores = (sp_scores){.data = o->value,
                          .dtype = SP_F64,
                          .n_classes = o->outer->chain->n_classes,
                          .n_steps = n,
                          .segments = o->scores.segments};
    return status;
}

static sp_status write_objective(void *arg, int64_t first, int64_t n, const int32_t *path,
                                 const uint8_t *broken, sp_error *err)
{
    objective *o = arg;
    (void)n;
    return sp_sequence_write(o->outer, first, &o->scores, path, broken, err);
}

static sp_status decode_objective(objective *o, sp_sequence *s, sp_error *err)
{
    const sp_chain *chain = s->chain;
    size_t K = (size_t)chain->n_classes, n_steps = (size_t)s->steps;
    size_t n_room = chain->is_boolean ? 0 : (size_t)n_weights(chain) + 3 * (size_t)chain->n_states;
    if (n_steps > SIZE_MAX / K)
        return sp_no_memory(err);
    o->value = sp_scratch_get(s->scratch, n_steps * K, sizeof *o->value);
    double *room = sp_scratch_get(s->scratch, n_room, sizeof *room);
    if (!o->value || !room)
        return sp_no_memory(err);
    sp_chain across, bare = chain->is_boolean ? *chain : bare_rules(chain, room, &across);
    sp_long_recording io = {.read = read_objective, .write = write_objective, .arg = o};
    sp_sequence inner;
    sp_status status = SP_OK;
    TRY(sp_sequence_nested(&inner, s, &bare, &io) ? sp_viterbi_decode(&inner, 0, err) : sp_no_memory(err));
    TRY(sp_sequence_verify(&inner, err));
done:
    sp_sequence_clear_nested(&inner);
    return status;
}

static sp_status decode(sp_sequence *s, bool is_product, sp_error *err)
{
    objective o = {.outer = s, .is_product = is_product};
    sp_status status = SP_OK;
    TRY(sp_marginals_open(&o.marginals, s, err));
    TRY(decode_objective(&o, s, err));
done:
    sp_marginals_clear(&o.marginals);
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
     .readings = 4,
     .summary = "the allowed path of the greatest expected number of right steps",
     .when = "most steps expected right, and legal"},
    .decode = decode_sum};

const sp_strategy_row sp_posterior_viterbi_row = {
    {.name = "posterior-viterbi",
     .is_legal = true,
     .knows_rules = true,
     .readings = 4,
     .summary = "the allowed path of the greatest product of marginals",
     .when = "as mea, harder on single improbable steps"},
    .decode = decode_product};
