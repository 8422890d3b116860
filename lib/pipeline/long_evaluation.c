#include "pipeline/long_evaluation.h"

#include <stdlib.h>
#include <string.h>

#include "pipeline/likelihood.h"

enum { AROUND = 4 /* steps of the neighbours that an evaluation looks at */ };

typedef struct evaluating {
    long_steps *steps;
    const long_evaluation *how;
    unsigned parts;
    sp_long_score *sums[SP_RUN_STRATEGIES]; /* of decoded recordings */
    int32_t *paths[SP_RUN_STRATEGIES];      /* [piece and around] */
    int32_t *columns;                       /* [piece and around] labels as given paths number them */
    sp_block *labels;                       /* of the mask ceiling */
} evaluating;

/* ---- the mask ceiling ---- */

static sp_status read_labels(void *arg, int64_t first, int64_t n, const int32_t **labels, const int64_t **segments, sp_error *err)
{
    evaluating *j = arg;
    const long_steps *s = j->steps;
    if (sp_run_go_on(s->p->opt, err) != SP_OK)
        return SP_EFILE;
    unsigned parts = SP_BLOCK_LABELS | (s->has_gap ? SP_BLOCK_SEGMENTS : 0u);
    sp_part part = {.recording = s->recording, .first = first, .n = n};
    sp_status status = s->p->from.read(s->p->from.arg, &part, parts, j->labels, err);
    if (status == SP_OK && s->p->given)
        status = sp_pipeline_to_columns(s->p, n, j->labels->labels, j->labels->labels, err);
    *labels = j->labels->labels;
    *segments = j->labels->segments;
    return status;
}

/* ---- pieces ---- */

static bool evaluate_open(evaluating *j)
{
    const sp_pipeline *p = j->steps->p;
    size_t room = (size_t)(j->how->piece_steps + INT64_C(2) * AROUND);
    j->parts = SP_BLOCK_SCORES | SP_BLOCK_MASK | SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS | SP_BLOCK_WEIGHTS;
    j->labels = sp_block_new();
    j->columns = malloc(room * sizeof *j->columns);
    bool is_whole = j->labels && j->columns;
    for (int s = 0; is_whole && s < p->n_strategies; s++) {
        j->paths[s] = malloc(room * sizeof *j->paths[s]);
        j->sums[s] = sp_long_score_new(p->chain);
        is_whole = j->paths[s] && j->sums[s];
    }
    return is_whole;
}

static void evaluate_close(evaluating *j)
{
    for (int s = 0; s < SP_RUN_STRATEGIES; s++) {
        free(j->paths[s]);
        sp_long_score_free(j->sums[s]);
    }
    sp_block_free(j->labels);
    free(j->columns);
}

/* Paths that are there already, and the labels as these number them. */
static sp_status read_paths(evaluating *j, const sp_block *block, sp_error *err)
{
    const sp_pipeline *p = j->steps->p;
    const sp_part around = {.recording = j->steps->recording, .first = block->first_step, .n = block->n_steps};
    sp_status status = block->labels ? sp_pipeline_to_columns(p, block->n_steps, block->labels, j->columns, err) : SP_OK;
    for (int32_t i = 0; status == SP_OK && i < p->scorers.found.n_scorers; i++)
        status = sp_pipeline_to_columns(p, block->n_steps, p->scorers.labels[i], p->scorers.labels[i], err);
    for (int s = 0; status == SP_OK && s < p->n_strategies; s++)
        status = p->given->read(p->given->arg, s, &around, j->paths[s], NULL, err);
    return status;
}

/* The paths of the block, and what they score in the part that begins `before` steps later. */
static sp_status add_paths(evaluating *j, const sp_block *block, const sp_block *part, int64_t before, sp_error *err)
{
    const sp_pipeline *p = j->steps->p;
    const sp_scores scores = sp_block_batch(part).scores;
    bool is_last = part->first_step + part->n_steps == j->steps->n_steps;
    sp_status status = SP_OK;
    for (int s = 0; status == SP_OK && s < p->n_strategies; s++) {
        if (j->how->results[s].status != SP_OK)
            continue;
        status = sp_path_spill_get(j->how->paths[s], block->first_step, block->n_steps, j->paths[s], err);
        if (status == SP_OK)
            status = sp_long_score_add(j->sums[s], &scores, j->paths[s] + before, err);
        if (is_last)
            j->how->results[s].score = sp_long_score_end(j->sums[s]);
    }
    return status;
}

static sp_status evaluate_piece(evaluating *j, const sp_block *block, int64_t before, int64_t n, sp_error *err)
{
    sp_pipeline *p = j->steps->p;
    int64_t offsets[2];
    sp_block part = sp_long_part(block, before, n, offsets);
    sp_status status = p->has_nll ? sp_likelihood_add(p, &part, &j->steps->sleep, err) : SP_OK;
    sp_part around = {.recording = j->steps->recording, .first = block->first_step, .n = block->n_steps};
    if (status == SP_OK)
        status = sp_raters_read(&p->scorers, &p->from, &around, block->n_steps, err);
    if (status == SP_OK)
        status = p->given ? read_paths(j, block, err) : add_paths(j, block, &part, before, err);
    const int32_t *paths[SP_RUN_STRATEGIES], *others[SP_SOURCE_MAX_SCORERS];
    for (int s = 0; s < p->n_strategies; s++)
        paths[s] = j->paths[s] + before;
    for (int32_t i = 0; status == SP_OK && i < p->scorers.found.n_scorers; i++)
        others[i] = p->scorers.labels[i] + before;
    const sp_scores scores = sp_block_batch(&part).scores;
    sp_evaluation_piece piece = {.n_steps = n,
                                 .before = before,
                                 .after = block->n_steps - before - n,
                                 .labels = p->given && part.labels ? j->columns + before : part.labels,
                                 .segments = part.segments,
                                 .scores = p->given ? NULL : &scores,
                                 .paths = paths,
                                 .scorers = others};
    return status == SP_OK ? sp_evaluation_add_piece(j->how->evaluation, &piece, err) : status;
}

/* The piece that begins at `first`, with the steps around it: *begin to *end. Returns its steps: of the rest too few are never
 * left over. */
static int64_t piece_at(const evaluating *j, int64_t first, int64_t *begin, int64_t *end)
{
    int64_t rest = j->steps->n_steps - first, n = rest < j->how->piece_steps ? rest : j->how->piece_steps;
    *begin = first < AROUND ? 0 : first - AROUND;
    *end = first + n + AROUND < j->steps->n_steps ? first + n + AROUND : j->steps->n_steps;
    return n;
}

static sp_status evaluate_pieces(evaluating *j, sp_error *err)
{
    long_steps *s = j->steps;
    sp_status status = SP_OK;
    for (int64_t first = 0, n; status == SP_OK && first < s->n_steps; first += n) {
        int64_t begin, end;
        const sp_block *block;
        n = piece_at(j, first, &begin, &end);
        status = sp_long_steps_read(s, begin, end - begin, j->parts, &block, err);
        if (status == SP_OK && first + n < s->n_steps && s->p->scorers.found.n_scorers == 0 && !s->p->given) {
            int64_t next_begin, next_end;
            piece_at(j, first + n, &next_begin, &next_end);
            sp_long_steps_ahead(s, next_begin, next_end - next_begin, j->parts);
        }
        if (status == SP_OK)
            status = evaluate_piece(j, block, first - begin, n, err);
    }
    return status;
}

sp_status sp_long_evaluate(long_steps *steps, const long_evaluation *how, sp_error *err)
{
    const sp_pipeline *p = steps->p;
    evaluating j = {.steps = steps, .how = how};
    sp_evaluation_recording recording = {.n_steps = steps->n_steps,
                                         .id = p->info->ids ? p->info->ids[steps->recording] : NULL,
                                         .results = how->results,
                                         .seconds = p->given ? NULL : how->seconds,
                                         .subject = p->subjects ? p->subjects->of_recording[steps->recording] : 0,
                                         .sleep = steps->sleep};
    sp_status status = evaluate_open(&j) ? SP_OK : sp_fail(err, SP_ENOMEM, "no memory to evaluate a long recording");
    if (status == SP_OK)
        status = sp_evaluation_begin(how->evaluation, &recording, err);
    sp_read_ahead_rest(&steps->pieces);
    if (status == SP_OK)
        status = sp_evaluation_ceiling(how->evaluation, steps->has_gap, read_labels, &j, p->workers, err);
    if (status == SP_OK)
        status = evaluate_pieces(&j, err);
    if (status == SP_OK)
        status = sp_evaluation_end(how->evaluation, err);
    evaluate_close(&j);
    return status;
}
