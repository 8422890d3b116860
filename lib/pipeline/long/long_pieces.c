/* A recording that is too long to be held in memory, once more: its chunks with the paths of all strategies on all classifiers, for
 * the consumers that take them. */
#include <stdlib.h>

#include "core/try.h"
#include "pipeline/against.h"
#include "pipeline/long/long_recording.h"

enum {
    AROUND = 4,           /* steps of the neighbours that an evaluation looks at */
    PIECE_BYTES = 8 << 20 /* scores at a time */
};

typedef struct pieces {
    long_recording *r;
    int64_t chunk_steps;
    int32_t n_strategies;                         /* of all classifiers */
    int32_t *paths[SP_EVALUATION_MAX_STRATEGIES]; /* [chunk and around] */
    sp_decoded results[SP_EVALUATION_MAX_STRATEGIES];
    double seconds[SP_EVALUATION_MAX_STRATEGIES];
    int32_t *columns; /* [chunk and around] labels in the columns of paths that are there already */
    sp_block *labels; /* read once more by who asks */
} pieces;

static long_recording *classifier(const pieces *e, int32_t i)
{
    return i < 0 ? e->r : &e->r->against[i];
}

/* Labels once more, for the mask ceiling. */
static sp_status read_labels(void *arg, int64_t first, int64_t n, const int32_t **labels,
                             const int64_t **segments, sp_error *err)
{
    pieces *e = arg;
    const sp_pipeline *p = e->r->p;
    if (sp_run_go_on(p->opt, err) != SP_OK)
        return SP_EFILE;
    unsigned parts = SP_BLOCK_LABELS | (e->r->has_gap ? SP_BLOCK_SEGMENTS : 0u);
    sp_part part = {.recording = e->r->recording, .first = first, .n = n};
    sp_status status = p->from.read(p->from.arg, &part, parts, e->labels, err);
    if (status == SP_OK && p->source->tell)
        status = p->source->tell(p, n, e->labels->labels, err);
    *labels = e->labels->labels;
    *segments = e->labels->segments;
    return status;
}

static sp_status pieces_open(pieces *e, sp_error *err)
{
    const sp_pipeline *p = e->r->p;
    const int64_t most = sp_long_whole_bytes();
    e->chunk_steps = (most < PIECE_BYTES ? most : PIECE_BYTES) / p->step_bytes;
    e->chunk_steps = e->chunk_steps > 16 ? e->chunk_steps : 16;
    const size_t room = (size_t)(e->chunk_steps + INT64_C(2) * AROUND);
    e->labels = sp_block_new();
    e->columns = malloc(room * sizeof *e->columns);
    bool is_whole = e->labels && e->columns;
    for (int32_t i = -1; i < p->n_against; i++) {
        const long_recording *one = classifier(e, i);
        for (int s = 0; is_whole && s < one->p->n_strategies; s++, e->n_strategies++) {
            const int32_t at = e->n_strategies;
            e->paths[at] = malloc(room * sizeof *e->paths[at]);
            e->results[at] = one->results[s];
            e->seconds[at] = one->seconds[s];
            is_whole = e->paths[at] != NULL;
        }
    }
    return is_whole ? SP_OK : sp_no_memory(err);
}

static void pieces_close(pieces *e)
{
    for (int s = 0; s < SP_EVALUATION_MAX_STRATEGIES; s++)
        free(e->paths[s]);
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

/* The paths of one classifier, the first of whose strategies is number `at` of all. */
static sp_status find_paths(pieces *e, long_recording *r, int32_t at, const sp_block *around,
                            const sp_block *steps, int64_t before, sp_error *err)
{
    const sp_long_chunk chunk = {
        .around = around, .steps = steps, .before = before, .paths = e->paths + at, .labels = e->columns};
    sp_status status = sp_consumers_prepared(r->p, steps, &r->sleep, err);
    if (status == SP_OK)
        status = r->p->source->chunk(r, &chunk, err);
    for (int s = 0; s < r->p->n_strategies; s++)
        e->results[at + s].score = r->results[s].score;
    return status;
}

/* The same steps of another classifier, of which `at` is the first strategy, in the columns of the first. */
static sp_status add_against(pieces *e, int32_t i, int32_t at, const sp_block *block, int64_t before,
                             int64_t n, sp_scores *scores, sp_error *err)
{
    const unsigned parts =
        SP_BLOCK_SCORES | SP_BLOCK_MASK | SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS | SP_BLOCK_WEIGHTS;
    long_recording *r = &e->r->against[i];
    sp_rival *rival = &e->r->p->against[i];
    const sp_block *own = NULL;
    int64_t offsets[2];
    sp_status status = SP_OK;
    TRY(sp_long_read_steps(r, block->first_step, block->n_steps, parts, &own, err));
    const sp_block steps = part_of(own, before, n, offsets);
    TRY(find_paths(e, r, at, own, &steps, before, err));
    for (int s = 0; s < r->p->n_strategies; s++)
        if (r->results[s].status == SP_OK)
            sp_against_tell_path(rival, block->n_steps, e->paths[at + s]);
    const sp_scores in_nats = sp_block_batch(&steps).scores;
    TRY(sp_against_tell_scores(rival, &in_nats, scores, err));
done:
    return status;
}

static sp_status put_piece(pieces *e, const sp_block *block, int64_t before, int64_t n, sp_error *err)
{
    long_recording *r = e->r;
    sp_pipeline *p = r->p;
    const bool is_decoded = p->source->is_decoded;
    int64_t offsets[2];
    const sp_block steps = part_of(block, before, n, offsets);
    const sp_part around = {.recording = r->recording, .first = block->first_step, .n = block->n_steps};
    sp_scores against[SP_MOST_AGAINST];
    const int32_t *paths[SP_EVALUATION_MAX_STRATEGIES], *raters[SP_SOURCE_MAX_RATERS];
    sp_status status = SP_OK;
    TRY(sp_rater_labels_read(&p->raters, &p->from, &around, block->n_steps, err));
    TRY(find_paths(e, r, 0, block, &steps, before, err));
    for (int32_t i = 0, at = p->n_strategies; i < p->n_against; at += p->against[i++].p.n_strategies)
        TRY(add_against(e, i, at, block, before, n, &against[i], err));
    for (int32_t s = 0; s < e->n_strategies; s++)
        paths[s] = e->paths[s] + before;
    for (int32_t i = 0; i < p->raters.found.n_raters; i++)
        raters[i] = p->raters.labels[i] + before;
    const sp_scores scores = sp_block_batch(&steps).scores;
    const sp_evaluation_piece piece = {.n_steps = n,
                                       .before = before,
                                       .after = block->n_steps - before - n,
                                       .labels = steps.labels && p->source->tell ? e->columns + before
                                                                                 : steps.labels,
                                       .segments = steps.segments,
                                       .scores = is_decoded ? &scores : NULL,
                                       .against = p->n_against ? against : NULL,
                                       .paths = paths,
                                       .raters = raters};
    TRY(sp_consumers_piece(p, &piece, err));
done:
    return status;
}

/* The chunk that begins at `first`, with the steps around it: *begin to *end. Returns its steps. */
static int64_t chunk_at(const pieces *e, int64_t first, int64_t *begin, int64_t *end)
{
    const int64_t T = e->r->n_steps, rest = T - first, n = rest < e->chunk_steps ? rest : e->chunk_steps;
    *begin = first < AROUND ? 0 : first - AROUND;
    *end = first + n + AROUND < T ? first + n + AROUND : T;
    return n;
}

static sp_status put_pieces(pieces *e, sp_error *err)
{
    long_recording *r = e->r;
    const sp_pipeline *p = r->p;
    const unsigned parts =
        SP_BLOCK_SCORES | SP_BLOCK_MASK | SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS | SP_BLOCK_WEIGHTS;
    /* else something else is read from a file too */
    const bool reads_ahead = p->source->is_decoded && p->raters.found.n_raters == 0 && p->n_against == 0;
    sp_status status = SP_OK;
    for (int64_t first = 0, n; first < r->n_steps; first += n) {
        int64_t begin, end, next_begin, next_end;
        const sp_block *block;
        n = chunk_at(e, first, &begin, &end);
        TRY(sp_long_read_steps(r, begin, end - begin, parts, &block, err));
        if (reads_ahead && first + n < r->n_steps) {
            chunk_at(e, first + n, &next_begin, &next_end);
            sp_long_read_next(r, next_begin, next_end - next_begin, parts);
        }
        TRY(put_piece(e, block, first - begin, n, err));
    }
done:
    return status;
}

sp_status sp_long_pieces(long_recording *r, sp_error *err)
{
    const sp_pipeline *p = r->p;
    pieces e = {.r = r};
    const sp_evaluation_recording recording = {.n_steps = r->n_steps,
                                               .id = p->info->ids ? p->info->ids[r->recording] : NULL,
                                               .results = e.results,
                                               .seconds = p->source->is_decoded ? e.seconds : NULL,
                                               .subject =
                                                   p->subjects ? p->subjects->of_recording[r->recording] : 0,
                                               .sleep = r->sleep};
    sp_status status = SP_OK;
    TRY(pieces_open(&e, err));
    sp_read_ahead_rest(&r->chunks);
    TRY(sp_consumers_begin(p, &recording, r->has_gap, read_labels, &e, err));
    TRY(put_pieces(&e, err));
    TRY(sp_consumers_end(p, err));
done:
    pieces_close(&e);
    return status;
}
