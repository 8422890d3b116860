#include "decode/kernels/band.h"

#include "decode/kernels/isa_kernels.h"
#include <math.h>

enum { LEAST_STATES = 17, MOST_CHOICES = 1 << 30 };

/* Has every state few enough predecessors? */
static bool is_narrow(const sp_chain *chain)
{
    for (int32_t j = 0; j < chain->n_states; j++)
        if (chain->pred_row[j + 1] - chain->pred_row[j] > SP_BAND_WIDTH)
            return false;
    return true;
}

/* Fills place[n] with an order in which no state comes before its predecessors, and says whether there is one. waiting [n], ready [n]:
 * room. */
static bool find_order(const sp_chain *chain, int32_t *place, int32_t *waiting, int32_t *ready)
{
    int32_t n_ready = 0, n_placed = 0;
    for (int32_t j = 0; j < chain->n_states; j++) {
        waiting[j] = 0;
        for (int64_t p = chain->pred_row[j]; p < chain->pred_row[j + 1]; p++)
            waiting[j] += chain->pred[p] != j;
        if (waiting[j] == 0)
            ready[n_ready++] = j;
    }
    while (n_ready > 0) {
        const int32_t i = ready[--n_ready];
        place[i] = n_placed++;
        for (int64_t s = chain->succ_row[i]; s < chain->succ_row[i + 1]; s++)
            if (chain->succ[s] != i && --waiting[chain->succ[s]] == 0)
                ready[n_ready++] = chain->succ[s];
    }
    return n_placed == chain->n_states;
}

/* False where a predecessor is too far away. */
static bool put_weights(sp_band *band, const sp_chain *chain, const int32_t *place)
{
    for (int32_t d = 0; d < SP_BAND_WIDTH; d++)
        for (int32_t j = 0; j < chain->n_states; j++)
            band->weight[d][j] = -INFINITY;
    for (int32_t j = 0; j < chain->n_states; j++) {
        band->start[place[j]] = chain->start[j];
        band->end[place[j]] = chain->end[j];
        band->state[place[j]] = j;
        band->emits[place[j]] = chain->state_class[j];
        for (int64_t p = chain->pred_row[j]; p < chain->pred_row[j + 1]; p++) {
            const int32_t distance = place[j] - place[chain->pred[p]];
            if (distance >= SP_BAND_WIDTH)
                return false;
            band->weight[distance][place[j]] = chain->pred_weight[p];
        }
    }
    return true;
}

bool sp_band_init(sp_band *band, sp_isa isa, const sp_chain *chain, sp_scratch *scratch)
{
    const size_t n = (size_t)chain->n_states;
    *band = (sp_band){.isa = isa};
    if (chain->n_states < LEAST_STATES || !is_narrow(chain))
        return true;
    double *room = sp_scratch_get(scratch, n * (SP_BAND_WIDTH + 5), sizeof *room);
    if (!room)
        return false;
    for (size_t d = 0; d < SP_BAND_WIDTH; d++)
        band->weight[d] = room + d * n;
    band->start = room + n * SP_BAND_WIDTH;
    band->end = band->start + n;
    band->emits = (int32_t *)(band->end + n);
    band->state = band->emits + n;
    int32_t *place = band->state + n;
    if (find_order(chain, place, place + n, place + 2 * n) && put_weights(band, chain, place))
        band->n = chain->n_states;
    return true;
}

/* ---- a recording ---- */

typedef struct band_pass {
    const sp_band *band;
    double *now, *next; /* [n] by place */
    uint8_t *choices;   /* [T,n] */
} band_pass;

static void go_forward(band_pass *p, const sp_scores *scores)
{
    const sp_band *band = p->band;
    const size_t row_bytes = (size_t)scores->n_classes * (size_t)scores->dtype;
    sp_band_step *step = sp_isa_kernels_of(band->isa)->band_step;
    for (int32_t i = 0; i < band->n; i++)
        p->now[i] = band->start[i] + sp_scores_at(scores, 0, band->emits[i]);
    for (int64_t t = 1; t < scores->n_steps; t++) {
        step(band, (const char *)scores->data + (size_t)t * row_bytes, scores->dtype, p->now, p->next,
             p->choices + (size_t)(t * band->n));
        double *before = p->now;
        p->now = p->next;
        p->next = before;
    }
}

/* The place where the best path ends, of the lowest state; *score: -INFINITY where there is none. */
static int32_t find_last(const band_pass *p, double *score)
{
    const sp_band *band = p->band;
    int32_t last = 0;
    *score = -INFINITY;
    for (int32_t i = 0; i < band->n; i++) {
        const double value = p->now[i] + band->end[i];
        if (value > *score || (value == *score && band->state[i] < band->state[last])) {
            *score = value;
            last = i;
        }
    }
    return last;
}

/* The place before place `at` of step t. */
static int32_t place_before(const band_pass *p, int64_t t, int32_t at)
{
    const uint8_t choice = p->choices[t * p->band->n + at];
    int32_t before = -1;
    for (int32_t d = 0; d < SP_BAND_WIDTH; d++)
        if (choice >> d & 1 && (before < 0 || p->band->state[at - d] < p->band->state[before]))
            before = at - d;
    return before;
}

sp_status sp_band_viterbi(const sp_band *band, const sp_scores *scores, sp_scratch *scratch, int32_t *path,
                          double *score)
{
    const size_t n = (size_t)band->n;
    if (scores->n_steps > MOST_CHOICES / band->n)
        return SP_ENOPATH;
    band_pass p = {.band = band};
    p.now = sp_scratch_get(scratch, 2 * n, sizeof *p.now);
    p.choices = sp_scratch_get(scratch, (size_t)scores->n_steps * n, 1);
    if (!p.now || !p.choices)
        return SP_ENOMEM;
    p.next = p.now + n;
    go_forward(&p, scores);
    int32_t at = find_last(&p, score);
    if (*score == -INFINITY)
        return SP_ENOPATH;
    for (int64_t t = scores->n_steps - 1; t > 0; t--) {
        path[t] = band->emits[at];
        at = place_before(&p, t, at);
    }
    path[0] = band->emits[at];
    return SP_OK;
}
