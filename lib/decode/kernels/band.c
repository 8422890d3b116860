#include "decode/kernels/band.h"

#include <math.h>
#include <string.h>

#include "decode/kernels/isa_kernels.h"

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
    double *room = sp_scratch_get(scratch, n * (SP_BAND_WIDTH + 4), sizeof *room);
    if (!room)
        return false;
    for (size_t d = 0; d < SP_BAND_WIDTH; d++)
        band->weight[d] = room + d * n;
    band->start = room + n * SP_BAND_WIDTH;
    band->end = band->start + n;
    band->emits = (int32_t *)(band->end + n);
    int32_t *place = band->emits + n;
    if (find_order(chain, place, place + n, place + 2 * n) && put_weights(band, chain, place))
        band->n = chain->n_states;
    return true;
}

/* ---- a recording ---- */

typedef struct band_pass {
    const sp_band *band;
    double *now, *next;  /* [n] by place */
    uint8_t *choices;    /* [T,n] */
    int32_t *set, *room; /* [n] places that the path may be in, n_set of them; and room */
    int32_t n_set;
    int64_t *seen; /* [n] the step for which a place was last put into a set; 0: none yet */
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

/* The places where the best paths end, of the lowest class; returns their score. */
static double find_last(band_pass *p)
{
    const sp_band *band = p->band;
    double best = -INFINITY;
    int32_t lowest = INT32_MAX;
    for (int32_t i = 0; i < band->n; i++) {
        const double value = p->now[i] + band->end[i];
        if (value < best || (value == best && band->emits[i] > lowest))
            continue;
        p->n_set = value > best || band->emits[i] < lowest ? 0 : p->n_set;
        p->set[p->n_set++] = i;
        best = value;
        lowest = band->emits[i];
    }
    return best;
}

/* The set before p->set, which is of step t. */
static void set_back(band_pass *p, int64_t t)
{
    const uint8_t *choice = p->choices + (size_t)(t * p->band->n);
    const int32_t *emits = p->band->emits;
    int32_t n = 0, lowest = INT32_MAX, *out = p->room;
    for (int32_t s = 0; s < p->n_set; s++)
        for (int32_t d = SP_BAND_WIDTH; d-- > 0;) {
            const int32_t from = p->set[s] - d;
            if (!(choice[p->set[s]] >> d & 1) || emits[from] > lowest)
                continue;
            n = emits[from] < lowest ? 0 : n;
            lowest = emits[from];
            if (p->seen[from] != t)
                out[n++] = from;
            p->seen[from] = t;
        }
    p->room = p->set;
    p->set = out;
    p->n_set = n;
}

sp_status sp_band_viterbi(const sp_band *band, const sp_scores *scores, sp_scratch *scratch, int32_t *path,
                          double *score)
{
    const size_t n = (size_t)band->n;
    if (scores->n_steps > MOST_CHOICES / band->n)
        return SP_ENOPATH;
    band_pass p = {.band = band};
    p.now = sp_scratch_get(scratch, 2 * n, sizeof *p.now);
    p.set = sp_scratch_get(scratch, 2 * n, sizeof *p.set);
    p.seen = sp_scratch_get(scratch, n, sizeof *p.seen);
    p.choices = sp_scratch_get(scratch, (size_t)scores->n_steps * n, 1);
    if (!p.now || !p.set || !p.seen || !p.choices)
        return SP_ENOMEM;
    memset(p.seen, 0, n * sizeof *p.seen);
    p.next = p.now + n;
    p.room = p.set + n;
    go_forward(&p, scores);
    *score = find_last(&p);
    if (*score == -INFINITY)
        return SP_ENOPATH;
    for (int64_t t = scores->n_steps - 1; t > 0; t--) {
        path[t] = band->emits[p.set[0]];
        set_back(&p, t);
    }
    path[0] = band->emits[p.set[0]];
    return SP_OK;
}
