/* Evaluating a recording that is too long for memory: it comes in pieces, each counted like a whole recording (evaluation.h). */
#include "evaluate/evaluation.h"
#include "statepath/long.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct sp_long_evaluation {
    sp_evaluation_recording recording; /* id is a copy */
    char *id;
    bool has_begun; /* a piece has come */
    int64_t at;     /* steps so far */
    int64_t scored, trimmed;
};

void sp_long_evaluation_free(sp_long_evaluation *at_hand)
{
    if (at_hand)
        free(at_hand->id);
    free(at_hand);
}

sp_status sp_evaluation_begin(sp_evaluation *e, const sp_evaluation_recording *recording, sp_error *err)
{
    if (e->at_hand)
        return sp_fail(err, SP_EINVAL, "a recording is still being evaluated in pieces");
    if (e->result->n_subjects && (recording->subject < 0 || recording->subject >= e->result->n_subjects))
        return sp_fail(err, SP_EINVAL, "subject %d, but %d subjects were announced", recording->subject, e->result->n_subjects);
    sp_status status = sp_evaluation_reserve_recordings(e, 1, err);
    if (status != SP_OK)
        return status;
    sp_long_evaluation *at_hand = calloc(1, sizeof *at_hand);
    size_t length = recording->id ? strlen(recording->id) + 1 : 0;
    char *id = length ? malloc(length) : NULL;
    if (!at_hand || (length && !id)) {
        free(id);
        free(at_hand);
        return sp_fail(err, SP_ENOMEM, "no memory to evaluate a recording in pieces");
    }
    if (id)
        at_hand->id = memcpy(id, recording->id, length);
    at_hand->recording = *recording;
    at_hand->recording.id = at_hand->id;
    e->at_hand = at_hand;
    sp_begin_recording(e);
    return SP_OK;
}

static sp_status check_piece(const sp_evaluation *e, const sp_evaluation_piece *piece, sp_error *err)
{
    const sp_long_evaluation *h = e->at_hand;
    if (!h)
        return sp_fail(err, SP_EINVAL, "a piece of a recording that was not begun");
    int64_t rest = h->recording.n_steps - h->at - piece->n_steps;
    int64_t before = h->at < SP_AROUND ? h->at : SP_AROUND, after = rest < SP_AROUND ? rest : SP_AROUND;
    if (rest < 0 || (rest > 0 && piece->n_steps < SP_AROUND) || piece->before < before || piece->after < after ||
        piece->before > h->at || piece->after > rest)
        return sp_fail(err, SP_EINVAL,
                       "a piece of %" PRId64 " steps with %" PRId64 " before and %" PRId64 " after, at step %" PRId64
                       " of %" PRId64 ": at least %d are needed of each where there are so many",
                       piece->n_steps, piece->before, piece->after, h->at, h->recording.n_steps, SP_AROUND);
    if (e->options.has_labels && !piece->labels)
        return sp_fail(err, SP_EINVAL, "labels were announced, but a piece has none");
    if (e->options.n_scorers && !piece->scorers)
        return sp_fail(err, SP_EINVAL, "scorers were announced, but a piece has none");
    const char *id = h->id ? h->id : "?";
    sp_status status =
        e->options.has_labels ? sp_evaluation_check(e, id, h->at, piece->n_steps, piece->labels, "the label", err) : SP_OK;
    char what[96];
    for (int32_t s = 0; status == SP_OK && s < e->result->n_strategies; s++) {
        snprintf(what, sizeof what, "the class chosen by %.64s", e->result->strategies[s].name);
        if (h->recording.results[s].status == SP_OK)
            status = sp_evaluation_check(e, id, h->at, piece->n_steps, piece->paths[s], what, err);
    }
    for (int32_t i = 0; status == SP_OK && i < e->options.n_scorers; i++) {
        snprintf(what, sizeof what, "the label of %.64s", e->result->scorers->names[i]);
        status = sp_evaluation_check(e, id, h->at, piece->n_steps, piece->scorers[i], what, err);
    }
    return status;
}

/* The labels of a piece, and of the steps around it, without the wake that does not count. */
static sp_status trim(sp_evaluation *e, const sp_evaluation_piece *piece, const int32_t **labels, sp_error *err)
{
    sp_long_evaluation *h = e->at_hand;
    sp_evaluation_scratch *scratch = &e->scratch;
    int64_t n = piece->before + piece->n_steps + piece->after;
    if (n + 1 > scratch->kept_capacity) {
        int32_t *more = realloc(scratch->kept, (size_t)(n + 1) * sizeof *more);
        if (!more)
            return sp_fail(err, SP_ENOMEM, "no memory for the labels of %" PRId64 " steps", n);
        scratch->kept = more;
        scratch->kept_capacity = n + 1;
    }
    int32_t *kept = scratch->kept;
    memcpy(kept, piece->labels - piece->before, (size_t)n * sizeof *kept);
    const sp_wake_bounds *sleep = &h->recording.sleep;
    sp_wake_trim_piece(sleep, e->wake_margin, h->at - piece->before, piece->before, kept);
    kept += piece->before;
    h->trimmed += sp_wake_trim_piece(sleep, e->wake_margin, h->at, piece->n_steps, kept);
    sp_wake_trim_piece(sleep, e->wake_margin, h->at + piece->n_steps, piece->after, kept + piece->n_steps);
    *labels = kept;
    return SP_OK;
}

sp_status sp_evaluation_add_piece(sp_evaluation *e, const sp_evaluation_piece *piece, sp_error *err)
{
    sp_status status = check_piece(e, piece, err);
    if (status == SP_OK)
        status = sp_evaluation_reserve_steps(e, piece->n_steps, err);
    if (status != SP_OK)
        return status;
    sp_long_evaluation *h = e->at_hand;
    sp_recording r = {.index = e->result->n_recordings,
                      .n_steps = piece->n_steps,
                      .labels = e->options.has_labels ? piece->labels : NULL,
                      .segments = piece->segments,
                      .first = h->at,
                      .rest = h->recording.n_steps - h->at - piece->n_steps,
                      .before = piece->before,
                      .after = piece->after};
    r.whole = r.labels;
    if (r.labels && e->result->has_wake_trim)
        status = trim(e, piece, &r.labels, err);
    const int32_t *paths[SP_EVALUATION_MAX_STRATEGIES];
    const sp_decoded *results[SP_EVALUATION_MAX_STRATEGIES];
    for (int32_t s = 0; s < e->result->n_strategies; s++) {
        results[s] = &h->recording.results[s];
        paths[s] = results[s]->status == SP_OK ? piece->paths[s] : e->scratch.nothing;
    }
    sp_views views = {paths, results, piece->scores, piece->scorers};
    if (status == SP_OK)
        status = sp_add_piece(e, &r, &views, &h->scored, err);
    h->at += piece->n_steps;
    h->has_begun = true;
    return status;
}

sp_status sp_evaluation_end(sp_evaluation *e, sp_error *err)
{
    sp_long_evaluation *h = e->at_hand;
    sp_comparison *c = e->result;
    if (!h || !h->has_begun || h->at != h->recording.n_steps)
        return sp_fail(err, SP_EINVAL, "a recording was ended before all its pieces were there");
    sp_recording r = {.index = c->n_recordings, .first = h->at};
    if (c->has_wake_trim) {
        c->trimmed_steps[r.index] = h->trimmed;
        c->n_trimmed_steps += h->trimmed;
    }
    sp_add_cut(c, r.index, h->recording.cut_path_steps, h->recording.cut_label_steps);
    for (int32_t s = 0; h->recording.seconds && s < c->n_strategies; s++)
        c->strategies[s].seconds += h->recording.seconds[s];
    sp_status status = sp_end_recording(e, &r, h->id, h->scored, h->recording.subject, err);
    sp_long_evaluation_free(h);
    e->at_hand = NULL;
    return status;
}

/* ---- the mask ceiling, see ceiling.c ---- */

typedef struct ceiling {
    sp_evaluation *e;
    sp_labels_read *read;
    void *arg;
    int32_t *labels; /* of the piece at hand, [n]; owned */
    float *scores;   /* [n,K]; owned */
    int64_t first, n, room, correct;
} ceiling;

static sp_status read_labels(ceiling *c, int64_t first, int64_t n, const int64_t **segments, sp_error *err)
{
    if (n > c->room) {
        free(c->labels);
        free(c->scores);
        c->room = 0;
        c->labels = malloc((size_t)n * sizeof *c->labels);
        c->scores = malloc((size_t)n * (size_t)c->e->K * sizeof *c->scores);
        if (!c->labels || !c->scores)
            return sp_fail(err, SP_ENOMEM, "no memory for the mask ceiling of %" PRId64 " steps", n);
        c->room = n;
    }
    const int32_t *labels;
    sp_status status = c->read(c->arg, first, n, &labels, segments, err);
    if (status != SP_OK)
        return status;
    memcpy(c->labels, labels, (size_t)n * sizeof *labels);
    if (c->e->result->has_wake_trim)
        sp_wake_trim_piece(&c->e->at_hand->recording.sleep, c->e->wake_margin, first, n, c->labels);
    c->first = first;
    c->n = n;
    return sp_evaluation_check(c->e, c->e->at_hand->id ? c->e->at_hand->id : "?", first, n, c->labels, "the label", err);
}

static sp_status read_ceiling(void *arg, int64_t first, int64_t n, sp_scores *scores, sp_error *err)
{
    ceiling *c = arg;
    const int64_t *segments = NULL;
    sp_status status = read_labels(c, first, n, &segments, err);
    if (status != SP_OK)
        return status;
    size_t K = (size_t)c->e->K;
    memset(c->scores, 0, (size_t)n * K * sizeof *c->scores);
    for (int64_t t = 0; t < n; t++)
        if (c->labels[t] >= 0)
            c->scores[(size_t)t * K + (size_t)c->labels[t]] = 1;
    *scores = (sp_scores){.data = c->scores, .dtype = SP_F32, .n_classes = c->e->K, .n_steps = n, .segments = segments};
    return SP_OK;
}

static sp_status write_ceiling(void *arg, int64_t first, int64_t n, const int32_t *path, const uint8_t *broken, sp_error *err)
{
    ceiling *c = arg;
    (void)broken;
    const int64_t *segments;
    if (!path) {
        c->correct = 0;
        return SP_OK;
    }
    sp_status status = c->first == first && c->n == n ? SP_OK : read_labels(c, first, n, &segments, err);
    for (int64_t t = 0; status == SP_OK && t < n; t++)
        c->correct += c->labels[t] >= 0 && path[t] == c->labels[t];
    return status;
}

sp_status sp_evaluation_ceiling(sp_evaluation *e, bool has_gap, sp_labels_read *read, void *arg, sp_workers *workers,
                                sp_error *err)
{
    if (!e->at_hand)
        return sp_fail(err, SP_EINVAL, "the mask ceiling of a recording that was not begun");
    e->workers = workers;
    if (!e->options.has_labels || !e->options.with_ceiling)
        return SP_OK;
    ceiling c = {.e = e, .read = read, .arg = arg};
    sp_workers *own = workers ? NULL : sp_workers_new(1);
    if (!workers && !own)
        return sp_fail(err, SP_ENOMEM, "no memory for the mask ceiling");
    sp_long_recording recording = {
        .n_steps = e->at_hand->recording.n_steps, .has_gap = has_gap, .read = read_ceiling, .write = write_ceiling, .arg = &c};
    sp_decode_options viterbi = sp_decode_options_default();
    sp_decoded result;
    sp_status status = sp_decode_long(e->rules, &recording, &viterbi, workers ? workers : own, &result, err);
    if (status == SP_OK) {
        e->ceiling_correct += c.correct;
        e->result->ceiling_infeasible += result.status != SP_OK;
    }
    free(c.labels);
    free(c.scores);
    sp_workers_free(own);
    return status;
}
