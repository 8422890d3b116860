#include "decode/dense_threads.h"

#include <math.h>
#include <string.h>

enum { MOST_PIECES = 64, SAMPLES = 64 };

static const double ROUNDING = 0x1p-53, MOST_TOLERANCE = 0x1p-6;

typedef struct dense_pieces {
    const sp_dense *dense;
    const sp_scores *scores;
    int32_t n;
    double *taken; /* [T] */
    sp_dense_piece piece[MOST_PIECES];
    double differences; /* sum of those at the seams */
    double greatest;    /* |number| of the plain kernel or of a piece */
    bool no_memory[MOST_PIECES];
} dense_pieces;

/* ---- before ---- */

/* Twice the bound of the header when no number is greater than `greatest`. */
static double bound_of(const dense_pieces *d, double greatest)
{
    return 2 * (d->differences + 4 * (double)(d->scores->n_steps + 8) * ROUNDING * greatest);
}

/* The greatest number to be expected: a path of steps as costly as the costliest of some. */
static double expected_greatest(const sp_dense *dense, const sp_scores *scores)
{
    double sum = 0;
    int64_t samples = scores->n_steps < SAMPLES ? scores->n_steps : SAMPLES;
    for (int64_t s = 0; s < samples; s++) {
        double most = 0;
        for (int32_t j = 0; j < dense->n; j++) {
            double size = fabs(sp_dense_score(scores, scores->n_steps / samples * s, j));
            most = size > most && size < INFINITY ? size : most;
        }
        sum += most;
    }
    return (double)scores->n_steps * (sum / (double)samples + dense->greatest_weight) + 1;
}

/* Cuts so that all pieces, with their warm-up, are of one length. False on lack of memory. */
static bool cut(dense_pieces *d, int32_t *path, double tolerance, sp_scratch *scratch)
{
    int64_t n_steps = d->scores->n_steps, each = (n_steps + (int64_t)(d->n - 1) * SP_DENSE_WARM) / d->n;
    size_t size = 0, used = 0;
    for (int32_t k = 0; k < d->n; k++) {
        int64_t first = k * (each - SP_DENSE_WARM) + (k > 0 ? SP_DENSE_WARM : 0);
        int64_t last = k == d->n - 1 ? n_steps : (k + 1) * (each - SP_DENSE_WARM) + SP_DENSE_WARM;
        d->piece[k] = sp_dense_piece_of(d->dense, d->scores, first, last, path);
        d->piece[k].tolerance = k > 0 ? tolerance : 0;
        size += sp_dense_piece_bytes(&d->piece[k]);
    }
    char *room = sp_scratch_get(scratch, SP_SLOT_DENSE_PIECES, size + (size_t)n_steps * sizeof *d->taken, 1);
    d->taken = room ? (double *)(room + size) : NULL;
    for (int32_t k = 0; room && k < d->n; k++) {
        sp_dense_piece_place(&d->piece[k], room + used);
        d->piece[k].taken = d->taken;
        used += sp_dense_piece_bytes(&d->piece[k]);
    }
    return room;
}

/* ---- on the threads ---- */

static void warm_up(sp_dense_piece *p)
{
    size_t width = p->dense->width;
    double *now = p->ring, *next = p->ring + width;
    int64_t t = p->first > SP_DENSE_WARM ? p->first - SP_DENSE_WARM : 1;
    for (size_t j = 0; j < width; j++)
        now[j] = 0;
    for (; t < p->first; t++) {
        sp_dense_forward(p->dense, p->scores, t, now, next, &p->habit);
        double *before = now;
        now = next;
        next = before;
    }
    memcpy(p->marks, now, width * sizeof *now);
    sp_dense_size_add(&p->size, p->dense, now);
}

static bool take_ring(sp_dense_piece *p, sp_scratch *scratch)
{
    p->ring = sp_scratch_get(scratch, SP_SLOT_DENSE_DELTAS, sp_dense_piece_ring(p), sizeof *p->ring);
    p->held = -1;
    return p->ring;
}

static void do_pieces(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    dense_pieces *d = arg;
    for (int64_t k = first; k < last; k++) {
        d->no_memory[k] = !take_ring(&d->piece[k], scratch);
        if (d->no_memory[k])
            continue;
        if (k > 0)
            warm_up(&d->piece[k]);
        sp_dense_piece_forward(&d->piece[k]);
    }
}

/* ---- seams ---- */

/* Do these differ by the same everywhere? *offset: by what, about; *spread: how well. */
static bool seam_of(const double *arrive, const double *leave, int32_t n, double *offset, double *spread)
{
    double least = INFINITY, most = -INFINITY;
    for (int32_t j = 0; j < n; j++) {
        if ((arrive[j] == -INFINITY) != (leave[j] == -INFINITY))
            return false;
        if (leave[j] == -INFINITY)
            continue;
        double difference = arrive[j] - leave[j];
        least = difference < least ? difference : least;
        most = difference > most ? difference : most;
    }
    *offset = least;
    *spread = most - least;
    return least <= most;
}

/* Joins the pieces, doing again those that do not fit to an exact one. False: it is no use. */
static bool join(dense_pieces *d, sp_scratch *scratch)
{
    double offset = 0;
    for (int32_t k = 0; k < d->n; k++) {
        sp_dense_piece *p = &d->piece[k];
        const sp_dense_piece *before = p - 1;
        double here, spread;
        if (k > 0 && (p->is_beyond || !seam_of(p->marks, sp_dense_piece_end(before), d->dense->n, &here, &spread) ||
                      d->differences + spread > p->tolerance / 8)) {
            if (before->tolerance > 0 || !take_ring(p, scratch))
                return false;
            memcpy(p->marks, sp_dense_piece_end(before), d->dense->width * sizeof *p->marks);
            p->tolerance = 0;
            p->is_beyond = false;
            sp_dense_piece_forward(p);
        } else if (k > 0) {
            offset += here;
            d->differences += spread;
        }
        /* The plain kernel's numbers are those of the piece less the offset. */
        double greatest = sp_dense_size_of(&p->size) + 2 * fabs(offset) + d->dense->greatest_weight;
        d->greatest = greatest > d->greatest ? greatest : d->greatest;
    }
    return true;
}

/* ---- back ---- */

/* The state that wins at the end, if it wins by more than the tolerance; -1: it does not; *score -INFINITY: none does. */
static int32_t last_state(const dense_pieces *d, double *score)
{
    const sp_dense_piece *p = &d->piece[d->n - 1];
    const double *now = sp_dense_piece_end(p), *end = d->dense->chain->end;
    int32_t state = sp_dense_last_state(d->dense, now, score), n_near = 0;
    for (int32_t j = 0; j < d->dense->n; j++)
        n_near += now[j] + end[j] >= *score - p->tolerance;
    return p->tolerance > 0 && n_near > 1 ? -1 : state;
}

static bool go_back(dense_pieces *d, int32_t state, sp_scratch *scratch)
{
    for (int32_t k = d->n - 1; k >= 0; k--) {
        sp_dense_piece *p = &d->piece[k];
        if (!take_ring(p, scratch))
            return false;
        if (k == d->n - 1)
            sp_dense_piece_back(p, state);
        else
            sp_dense_piece_back_from_next(p);
        if (p->is_beyond)
            return false;
        sp_ties_sort(&p->ties);
    }
    return true;
}

/* Sums along the path as the plain kernel does, deciding what is undecided. */
static double sum_and_decide(dense_pieces *d, int32_t *path)
{
    const sp_scores *scores = d->scores;
    const sp_chain *c = d->dense->chain;
    double sum = c->start[path[0]] + sp_dense_score(scores, 0, path[0]);
    int32_t k = 0;
    for (int64_t t = 1; t < scores->n_steps; t++) {
        while (t >= d->piece[k].last)
            k++;
        if (path[t] == SP_TIE_UNDECIDED)
            sp_ties_decide(&d->piece[k].ties, scores, t - 1, sum, path, d->taken);
        sum = sum + sp_dense_weight(d->dense, path[t - 1], path[t]) + d->taken[t];
    }
    return sum + c->end[path[scores->n_steps - 1]];
}

sp_status sp_dense_viterbi_pieces(const sp_dense *dense, const sp_scores *scores, sp_workers *workers, int32_t *path,
                                  double *score, int32_t *n_ties)
{
    sp_scratch *scratch = sp_workers_scratch(workers);
    dense_pieces d = {.dense = dense, .scores = scores};
    int64_t n = scores->n_steps / SP_DENSE_PIECE_LEAST;
    n = n < sp_workers_count(workers) ? n : sp_workers_count(workers);
    d.n = n < MOST_PIECES ? (int32_t)n : MOST_PIECES;
    double tolerance = 1.5 * bound_of(&d, expected_greatest(dense, scores));
    if (d.n < 2 || !(tolerance <= MOST_TOLERANCE))
        return SP_ENOPATH;
    if (!cut(&d, path, tolerance, scratch))
        return SP_ENOMEM;
    sp_workers_share(workers, d.n, do_pieces, &d);
    for (int32_t k = 0; k < d.n; k++)
        if (d.no_memory[k])
            return SP_ENOMEM;
    if (!join(&d, scratch))
        return SP_ENOPATH;
    int32_t state = last_state(&d, score);
    bool is_proven = d.piece[d.n - 1].tolerance == 0 || bound_of(&d, d.greatest) <= tolerance;
    if (state < 0 || *score == -INFINITY || !is_proven || !go_back(&d, state, scratch))
        return SP_ENOPATH;
    *score = sum_and_decide(&d, path);
    for (int32_t k = 0; k < d.n; k++)
        *n_ties += d.piece[k].ties.n_ties;
    return SP_OK;
}

sp_status sp_dense_viterbi_shared(const sp_dense *dense, const sp_scores *scores, sp_workers *workers, int32_t *path,
                                  double *score)
{
    int32_t n_ties = 0;
    sp_status status = sp_dense_viterbi_pieces(dense, scores, workers, path, score, &n_ties);
    return status == SP_ENOPATH ? sp_dense_viterbi(dense, scores, sp_workers_scratch(workers), path, score) : status;
}
