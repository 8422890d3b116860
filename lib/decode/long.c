#include "statepath/long.h"

#include <math.h>
#include <stdlib.h>

#include "decode/chunks.h"
#include "decode/history.h"
#include "decode/long_pieces.h"
#include "decode/recording.h"

enum {
    PIECE_BYTES = 32 << 20, /* scores, back-pointers and path of a piece, about */
    TABLE_MOST = 64         /* states: a table of 32 KB */
};

bool sp_long_can(const sp_chain *chain, sp_strategy_kind strategy)
{
    return strategy == SP_VITERBI || ((strategy == SP_ARGMAX || strategy == SP_GREEDY) && chain->is_plain);
}

/* ---- pieces ---- */

static int64_t piece_steps(const sp_chain *chain, const sp_long_recording *recording)
{
    int64_t steps = recording->piece_steps;
    if (steps <= 0) {
        int64_t back = chain->n_states <= 256 ? 1 : chain->n_states <= 65536 ? 2 : 4; /* history.h */
        int64_t step_bytes = (int64_t)chain->n_classes * (int64_t)sizeof(double) + chain->n_states * back + 8;
        steps = PIECE_BYTES / step_bytes;
    }
    steps = (steps + SP_PIECE_STEPS - 1) / SP_PIECE_STEPS * SP_PIECE_STEPS;
    return steps > 0 ? steps : SP_PIECE_STEPS;
}

static double *weights_table(const sp_chain *chain)
{
    size_t M = (size_t)chain->n_states;
    double *weights = malloc(M * M * sizeof *weights);
    for (size_t i = 0; weights && i < M * M; i++)
        weights[i] = -INFINITY;
    for (size_t i = 0; weights && i < M; i++)
        for (int64_t s = chain->succ_row[i]; s < chain->succ_row[i + 1]; s++)
            weights[i * M + (size_t)chain->succ[s]] = chain->succ_weight[s];
    return weights;
}

static bool pieces_init(sp_pieces *p)
{
    p->steps = piece_steps(p->chain, p->recording);
    p->n = (p->recording->n_steps + p->steps - 1) / p->steps;
    p->path = malloc((size_t)p->steps * sizeof *p->path);
    p->sums = calloc((size_t)p->n, sizeof *p->sums);
    p->begins_apart = calloc((size_t)p->n, 1);
    bool is_small = p->chain->n_states <= TABLE_MOST;
    p->weights = is_small ? weights_table(p->chain) : NULL;
    return p->path && p->sums && p->begins_apart && (p->weights || !is_small);
}

static void pieces_free(sp_pieces *p)
{
    free(p->path);
    free(p->sums);
    free(p->begins_apart);
    free(p->weights);
}

sp_status sp_pieces_read(sp_pieces *p, int64_t i, sp_scores *scores, sp_error *err)
{
    const sp_long_recording *r = p->recording;
    int64_t first = i * p->steps, n = r->n_steps - first < p->steps ? r->n_steps - first : p->steps;
    sp_status status = r->read(r->arg, first, n, scores, err);
    if (status == SP_OK)
        status = sp_decode_check(p->chain, scores, err);
    if (status != SP_OK)
        return status;
    if (scores->n_steps != n || (r->has_gap && !scores->segments))
        return sp_fail(err, SP_EINVAL, "steps %lld to %lld of a long recording were asked for, but not these were read",
                       (long long)first, (long long)(first + n - 1));
    if (!r->has_gap)
        scores->segments = NULL;
    if (i == p->n_seen) {
        p->begins_apart[i] = scores->segments && i > 0 && scores->segments[0] != p->last_segment;
        p->last_segment = scores->segments ? scores->segments[n - 1] : 0;
        p->n_seen++;
    }
    return SP_OK;
}

static double weight_of(const sp_pieces *p, int32_t from, int32_t to)
{
    return p->weights ? p->weights[(size_t)from * (size_t)p->chain->n_states + (size_t)to] : sp_chain_weight(p->chain, from, to);
}

static double score_of(const sp_scores *scores, int64_t t, int32_t k)
{
    size_t at = (size_t)t * (size_t)scores->n_classes + (size_t)k;
    return scores->dtype == SP_F32 ? (double)((const float *)scores->data)[at] : ((const double *)scores->data)[at];
}

void sp_pieces_sum(sp_pieces *p, int64_t i, const sp_scores *scores, int32_t before)
{
    const sp_chain *c = p->chain;
    double sum = 0;
    for (int64_t t = 0; t < scores->n_steps; t++) {
        int32_t state = p->path[t];
        double weight = i == 0 && t == 0 ? c->start[state] : sp_pieces_is_gap(p, i, scores, t) ? 0 : weight_of(p, before, state);
        sum = (sum + weight) + score_of(scores, t, c->state_class[state]);
        before = state;
    }
    p->sums[i] = i == p->n - 1 ? sum + c->end[before] : sum;
}

sp_status sp_pieces_write(sp_pieces *p, int64_t i, int64_t n_steps, sp_error *err)
{
    if (!p->chain->is_plain)
        sp_states_to_classes(p->chain, n_steps, p->path, p->path);
    return p->recording->write(p->recording->arg, i * p->steps, n_steps, p->path, err);
}

double sp_pieces_score(const sp_pieces *p)
{
    double score = 0;
    for (int64_t i = 0; i < p->n; i++)
        score += p->sums[i];
    return score;
}

sp_status sp_pieces_exists(sp_pieces *p, int64_t *step, sp_error *err)
{
    const sp_chain *c = p->chain;
    size_t M = (size_t)c->n_states;
    sp_scratch *scratch = sp_workers_scratch(p->workers);
    uint8_t *now = sp_scratch_get(scratch, SP_SLOT_REACH, 2 * M, 1), *next = now ? now + M : NULL;
    double *row = sp_scratch_get(scratch, SP_SLOT_ROW, (size_t)c->n_classes, sizeof *row);
    if (!now || !row)
        return sp_decode_no_memory(err);
    for (int64_t i = 0; i < p->n; i++) {
        sp_scores scores;
        sp_status status = sp_pieces_read(p, i, &scores, err);
        if (status != SP_OK)
            return status;
        for (int64_t t = 0; t < scores.n_steps; t++) {
            sp_reach how = i == 0 && t == 0                     ? SP_REACH_START
                           : sp_pieces_is_gap(p, i, &scores, t) ? SP_REACH_ENTRY
                                                                : SP_REACH_NEXT;
            *step = i * p->steps + t;
            if (!sp_reach_step(c, how, sp_row(&scores, t, row), now, next))
                return SP_OK;
            uint8_t *before = now;
            now = next;
            next = before;
        }
    }
    for (size_t j = 0; j < M; j++)
        if (now[j] && c->end[j] > -INFINITY)
            *step = -1;
    return SP_OK;
}

/* ---- decoding ---- */

sp_status sp_decode_long(const sp_chain *chain, const sp_long_recording *recording, sp_strategy_kind strategy,
                         sp_workers *workers, sp_decoded *result, sp_error *err)
{
    if (!sp_long_can(chain, strategy))
        return sp_fail(err, SP_EINVAL, "strategy %s cannot decode a recording in pieces: decode it whole",
                       sp_strategy_name(strategy));
    sp_decoded found = {.status = SP_OK, .step = -1};
    if (recording->n_steps > 0) {
        sp_pieces p = {.chain = chain, .recording = recording, .workers = workers};
        sp_status status = pieces_init(&p) ? SP_OK : sp_decode_no_memory(err);
        if (status == SP_OK)
            status = strategy == SP_VITERBI ? sp_long_viterbi(&p, &found, err)
                                            : sp_long_choose(&p, strategy == SP_GREEDY, &found, err);
        found.score = found.status == SP_OK && status == SP_OK ? sp_pieces_score(&p) : -INFINITY;
        pieces_free(&p);
        if (status == SP_OK && found.status != SP_OK)
            status = recording->write(recording->arg, 0, recording->n_steps, NULL, err);
        if (status != SP_OK)
            return status;
    }
    *result = found;
    return SP_OK;
}
