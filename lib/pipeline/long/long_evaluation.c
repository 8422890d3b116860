/* Evaluating a recording that is too long to be held in memory. */
#include <stdlib.h>

#include "decode/long.h"
#include "evaluate/evaluate.h"
#include "pipeline/against.h"
#include "pipeline/calibration.h"
#include "pipeline/long/long_recording.h"

enum {
    AROUND = 4,              /* steps of the neighbours that an evaluation looks at */
    EVALUATE_BYTES = 8 << 20 /* scores evaluated at a time */
};

typedef struct evaluating {
    long_recording *r;
    int64_t chunk_steps;
    /* Of the strategies of all classifiers. */
    int32_t n_strategies;
    sp_long_score *sums[SP_EVALUATION_MAX_STRATEGIES]; /* of decoded recordings */
    int32_t *paths[SP_EVALUATION_MAX_STRATEGIES];      /* [chunk and around] */
    bool with_broken;                                  /* a part keeps what relaxed paths break */
    uint8_t *broken[SP_EVALUATION_MAX_STRATEGIES];     /* [chunk and around] or NULL */
    sp_decoded results[SP_EVALUATION_MAX_STRATEGIES];
    double seconds[SP_EVALUATION_MAX_STRATEGIES];
    int32_t *columns; /* [chunk and around] labels as given paths number them */
    sp_block *labels; /* of the mask ceiling */
} evaluating;

/* ---- the mask ceiling ---- */

static sp_status read_labels(void *arg, int64_t first, int64_t n, const int32_t **labels, const int64_t **segments, sp_error *err)
{
    evaluating *e = arg;
    const sp_pipeline *p = e->r->p;
    if (sp_run_go_on(p->opt, err) != SP_OK)
        return SP_EFILE;
    unsigned parts = SP_BLOCK_LABELS | (e->r->has_gap ? SP_BLOCK_SEGMENTS : 0u);
    sp_part part = {.recording = e->r->recording, .first = first, .n = n};
    sp_status status = p->from.read(p->from.arg, &part, parts, e->labels, err);
    if (status == SP_OK && p->given)
        status = sp_pipeline_to_columns(p, n, e->labels->labels, e->labels->labels, err);
    *labels = e->labels->labels;
    *segments = e->labels->segments;
    return status;
}

/* ---- chunks ---- */

static sp_status evaluate_open(evaluating *e, sp_error *err)
{
    const sp_pipeline *p = e->r->p;
    const int64_t most = sp_long_whole_bytes();
    e->chunk_steps = (most < EVALUATE_BYTES ? most : EVALUATE_BYTES) / p->step_bytes;
    e->chunk_steps = e->chunk_steps > 16 ? e->chunk_steps : 16;
    const size_t room = (size_t)(e->chunk_steps + INT64_C(2) * AROUND);
    e->with_broken = p->part && !p->given && p->on_infeasible == SP_INFEASIBLE_RELAX;
    e->labels = sp_block_new();
    e->columns = malloc(room * sizeof *e->columns);
    bool is_whole = e->labels && e->columns;
    for (int32_t i = -1; i < p->n_against; i++) {
        const long_recording *one = i < 0 ? e->r : &e->r->against[i];
        for (int s = 0; is_whole && s < one->p->n_strategies; s++, e->n_strategies++) {
            const int32_t at = e->n_strategies;
            e->paths[at] = malloc(room * sizeof *e->paths[at]);
            e->sums[at] = sp_long_score_new(one->p->chain);
            e->results[at] = one->results[s];
            e->seconds[at] = one->seconds[s];
            e->broken[at] = e->with_broken ? calloc(room, 1) : NULL;
            is_whole = e->paths[at] && e->sums[at] && (e->broken[at] || !e->with_broken);
        }
    }
    return is_whole ? SP_OK : sp_no_memory(err);
}

static void evaluate_close(evaluating *e)
{
    for (int s = 0; s < SP_EVALUATION_MAX_STRATEGIES; s++) {
        free(e->paths[s]);
        free(e->broken[s]);
        sp_long_score_free(e->sums[s]);
    }
    sp_block_free(e->labels);
    free(e->columns);
}

/* Steps before .. before+n-1 of a block of one recording, as a block that borrows them. */
static sp_block part_of(const sp_block *block, int64_t before, int64_t n, int64_t offsets[2])
{
    sp_block part = *block;
    size_t K = (size_t)block->n_classes, at = (size_t)before;
    offsets[0] = 0;
    offsets[1] = n;
    part.offsets = offsets;
    part.n_steps = n;
    part.first_step += before;
    part.scores = block->scores ? (char *)block->scores + at * K * (size_t)block->dtype : NULL;
    part.labels = block->labels ? block->labels + at : NULL;
    part.segments = block->segments ? block->segments + at : NULL;
    part.weights = block->weights ? block->weights + at : NULL;
    part.mask = block->mask ? block->mask + at * K : NULL;
    return part;
}

/* Paths that are there already, and the labels as these number them. */
static sp_status read_paths(evaluating *e, const sp_block *block, const sp_part *around, sp_error *err)
{
    sp_pipeline *p = e->r->p;
    sp_status status = block->labels ? sp_pipeline_to_columns(p, block->n_steps, block->labels, e->columns, err) : SP_OK;
    for (int32_t i = 0; status == SP_OK && i < p->raters.found.n_raters; i++)
        status = sp_pipeline_to_columns(p, block->n_steps, p->raters.labels[i], p->raters.labels[i], err);
    for (int s = 0; status == SP_OK && s < p->n_strategies; s++)
        status = p->given->read(p->given->arg, s, around, e->paths[s], NULL, err);
    return status;
}

/* The paths of the block by the strategies of one classifier, the first of which is number `at` of all, and what they score in
 * the part that begins `before` steps later. */
static sp_status add_paths(evaluating *e, long_recording *r, int32_t at, const sp_block *block, const sp_block *part,
                           int64_t before, sp_error *err)
{
    const sp_scores scores = sp_block_batch(part).scores;
    bool is_last = part->first_step + part->n_steps == r->n_steps;
    sp_status status = SP_OK;
    for (int s = 0; status == SP_OK && s < r->p->n_strategies; s++, at++) {
        if (r->results[s].status != SP_OK)
            continue;
        status = sp_path_spill_get(r->spills[s], block->first_step, block->n_steps, e->paths[at], e->broken[at], err);
        if (status == SP_OK)
            status = sp_long_score_add(e->sums[at], &scores, e->paths[at] + before, err);
        if (is_last)
            e->results[at].score = r->results[s].score = sp_long_score_end(e->sums[at]);
    }
    return status;
}

/* The same steps of another classifier, of which `number` is the first strategy: likelihood, paths and scores, in the columns of
 * the first. */
static sp_status add_against(evaluating *e, int32_t i, int32_t number, const sp_block *block, int64_t before, int64_t n,
                             sp_scores *scores, sp_error *err)
{
    const unsigned parts = SP_BLOCK_SCORES | SP_BLOCK_MASK | SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS | SP_BLOCK_WEIGHTS;
    long_recording *r = &e->r->against[i];
    sp_rival *rival = &e->r->p->against[i];
    const sp_block *own = NULL;
    int64_t offsets[2];
    sp_status status = sp_long_read_steps(r, block->first_step, block->n_steps, parts, &own, err);
    if (status != SP_OK)
        return status;
    sp_block part = part_of(own, before, n, offsets);
    if (r->p->has_nll)
        status = sp_likelihood_add(r->p, &part, &r->sleep, err);
    if (status == SP_OK)
        status = add_paths(e, r, number, own, &part, before, err);
    for (int s = 0; status == SP_OK && s < r->p->n_strategies; s++)
        if (r->results[s].status == SP_OK)
            sp_against_tell_path(rival, block->n_steps, e->paths[number + s]);
    const sp_scores in_nats = sp_block_batch(&part).scores;
    return status == SP_OK ? sp_against_tell_scores(rival, &in_nats, scores, err) : status;
}

static sp_status evaluate_chunk(evaluating *e, const sp_block *block, int64_t before, int64_t n, sp_error *err)
{
    long_recording *r = e->r;
    sp_pipeline *p = r->p;
    int64_t offsets[2];
    sp_block part = part_of(block, before, n, offsets);
    sp_status status = p->has_nll ? sp_likelihood_add(p, &part, &r->sleep, err) : SP_OK;
    const sp_part around = {.recording = r->recording, .first = block->first_step, .n = block->n_steps};
    if (status == SP_OK)
        status = sp_rater_labels_read(&p->raters, &p->from, &around, block->n_steps, err);
    if (status == SP_OK)
        status = p->given ? read_paths(e, block, &around, err) : add_paths(e, r, 0, block, &part, before, err);
    sp_scores against[SP_MOST_AGAINST];
    for (int32_t i = 0, at = p->n_strategies; status == SP_OK && i < p->n_against; at += p->against[i++].p.n_strategies)
        status = add_against(e, i, at, block, before, n, &against[i], err);
    const int32_t *paths[SP_EVALUATION_MAX_STRATEGIES], *raters[SP_SOURCE_MAX_RATERS];
    const uint8_t *broken[SP_EVALUATION_MAX_STRATEGIES];
    for (int32_t s = 0; s < e->n_strategies; s++) {
        paths[s] = e->paths[s] + before;
        broken[s] = e->broken[s] ? e->broken[s] + before : NULL;
    }
    for (int32_t i = 0; status == SP_OK && i < p->raters.found.n_raters; i++)
        raters[i] = p->raters.labels[i] + before;
    const sp_scores scores = sp_block_batch(&part).scores;
    sp_evaluation_piece chunk = {.n_steps = n,
                                 .before = before,
                                 .after = block->n_steps - before - n,
                                 .labels = p->given && part.labels ? e->columns + before : part.labels,
                                 .segments = part.segments,
                                 .scores = p->given ? NULL : &scores,
                                 .against = p->n_against ? against : NULL,
                                 .paths = paths,
                                 .broken = e->with_broken ? broken : NULL,
                                 .raters = raters};
    return status == SP_OK ? sp_evaluation_add_piece(r->evaluation, &chunk, err) : status;
}

/* The chunk that begins at `first`, with the steps around it: *begin to *end. Returns its steps. */
static int64_t chunk_at(const evaluating *e, int64_t first, int64_t *begin, int64_t *end)
{
    const int64_t T = e->r->n_steps, rest = T - first, n = rest < e->chunk_steps ? rest : e->chunk_steps;
    *begin = first < AROUND ? 0 : first - AROUND;
    *end = first + n + AROUND < T ? first + n + AROUND : T;
    return n;
}

static sp_status evaluate_chunks(evaluating *e, sp_error *err)
{
    long_recording *r = e->r;
    const unsigned parts = SP_BLOCK_SCORES | SP_BLOCK_MASK | SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS | SP_BLOCK_WEIGHTS;
    sp_status status = SP_OK;
    for (int64_t first = 0, n; status == SP_OK && first < r->n_steps; first += n) {
        int64_t begin, end;
        const sp_block *block;
        n = chunk_at(e, first, &begin, &end);
        status = sp_long_read_steps(r, begin, end - begin, parts, &block, err);
        if (status == SP_OK && first + n < r->n_steps && r->p->raters.found.n_raters == 0 && !r->p->given &&
            r->p->n_against == 0) {
            int64_t next_begin, next_end;
            chunk_at(e, first + n, &next_begin, &next_end);
            sp_long_read_next(r, next_begin, next_end - next_begin, parts);
        }
        if (status == SP_OK)
            status = evaluate_chunk(e, block, first - begin, n, err);
    }
    return status;
}

sp_status sp_long_evaluate(long_recording *r, sp_error *err)
{
    const sp_pipeline *p = r->p;
    evaluating e = {.r = r};
    sp_evaluation_recording recording = {.n_steps = r->n_steps,
                                         .id = p->info->ids ? p->info->ids[r->recording] : NULL,
                                         .results = e.results,
                                         .seconds = p->given ? NULL : e.seconds,
                                         .subject = p->subjects ? p->subjects->of_recording[r->recording] : 0,
                                         .sleep = r->sleep};
    sp_status status = evaluate_open(&e, err);
    if (status == SP_OK)
        status = sp_evaluation_begin(r->evaluation, &recording, err);
    sp_read_ahead_rest(&r->chunks);
    if (status == SP_OK)
        status = sp_evaluation_ceiling(r->evaluation, r->has_gap, read_labels, &e, p->workers, err);
    if (status == SP_OK)
        status = evaluate_chunks(&e, err);
    if (status == SP_OK)
        status = sp_evaluation_end(r->evaluation, err);
    evaluate_close(&e);
    return status;
}
