/* What is read off the marginals of a long recording: posterior, mea and posterior-viterbi, the confidence in a path. */
#include <math.h>
#include <stdlib.h>

#include "decode/long_marginals.h"
#include "decode/mea.h"

/* ---- posterior, see posterior.c ---- */

sp_status sp_long_posterior(sp_pieces *p, sp_decoded *result, sp_error *err)
{
    sp_long_marginals m;
    sp_status status = sp_long_marginals_init(&m, p, result, err);
    sp_best_of out = {p->path, p->chain->n_classes};
    sp_marginal_sink sink = {.row = sp_best_of_row, .arg = &out};
    for (int64_t i = 0; status == SP_OK && result->status == SP_OK && i < p->n; i++) {
        sp_scores scores;
        status = sp_long_marginals_piece(&m, i, &sink, &scores, err);
        if (status == SP_OK)
            status = sp_pieces_write_up(p, i * p->steps, &scores, p->path, NULL, err);
    }
    sp_long_marginals_clear(&m);
    return status;
}

/* ---- mea and posterior-viterbi: Viterbi over a long recording of marginals, see mea.c ---- */

typedef struct objective {
    sp_long_marginals marginals;
    bool is_product;
    double *value;    /* [steps,K] of one piece */
    sp_scores scores; /* of the same */
} objective;

static sp_status read_objective(void *arg, int64_t first, int64_t n, sp_scores *scores, sp_error *err)
{
    objective *o = arg;
    const sp_pieces *p = o->marginals.p;
    sp_objective out = {o->value, p->chain->n_classes, &o->scores};
    sp_marginal_sink sink = {.row = o->is_product ? sp_product_row : sp_sum_row, .arg = &out, .wants_log = o->is_product};
    sp_status status = sp_long_marginals_piece(&o->marginals, first / p->steps, &sink, &o->scores, err);
    *scores = (sp_scores){o->value, SP_F64, p->chain->n_classes, n, o->scores.segments};
    return status;
}

static sp_status write_objective(void *arg, int64_t first, int64_t n, const int32_t *path, const uint8_t *broken, sp_error *err)
{
    objective *o = arg;
    (void)n;
    return sp_pieces_write_down(o->marginals.p, first, &o->scores, path, broken, err);
}

static sp_status decode_objective(objective *o, sp_decoded *result, sp_error *err)
{
    const sp_pieces *p = o->marginals.p;
    const sp_chain *chain = p->chain;
    size_t n_weights = (size_t)chain->pred_row[chain->n_states] + 2 * (size_t)chain->n_states;
    double *room = malloc(n_weights * sizeof *room);
    if (!room)
        return sp_decode_no_memory(err);
    sp_chain bare = chain->is_boolean ? *chain : sp_bare_rules(chain, room);
    sp_long_recording recording = {.n_steps = p->recording->n_steps,
                                   .piece_steps = p->steps,
                                   .has_gap = p->recording->has_gap,
                                   .read = read_objective,
                                   .write = write_objective,
                                   .arg = o};
    sp_pieces *pieces = sp_pieces_new(&bare, &recording, p->workers);
    sp_status status = pieces ? sp_long_viterbi(pieces, result, err) : sp_decode_no_memory(err);
    if (status == SP_OK)
        sp_pieces_verify(pieces, result);
    sp_pieces_free(pieces);
    free(room);
    return status;
}

sp_status sp_long_mea(sp_pieces *p, bool is_product, sp_decoded *result, sp_error *err)
{
    objective o = {.is_product = is_product};
    sp_status status = sp_long_marginals_init(&o.marginals, p, result, err);
    o.value = malloc((size_t)p->steps * (size_t)p->chain->n_classes * sizeof *o.value);
    if (status == SP_OK && result->status == SP_OK)
        status = o.value ? decode_objective(&o, result, err) : sp_decode_no_memory(err);
    free(o.value);
    sp_long_marginals_clear(&o.marginals);
    return status;
}
