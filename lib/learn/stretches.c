/* Cutting recordings where labels cannot be followed. */
#include "learn/stretches.h"

#include "core/owned.h"
#include "learn/training.h"

#include <math.h>
#include <stdlib.h>

void sp_stretches_clear(sp_stretches *stretches)
{
    free(stretches->list);
    *stretches = (sp_stretches){0};
}

void sp_violations_clear(sp_violations *violations)
{
    free(violations->illegal_pairs);
    *violations = (sp_violations){0};
}

/* One recording being cut. */
typedef struct cutter {
    const sp_rules *rules;
    sp_violations *found;
    sp_stretches *stretches;
    int64_t capacity;
    bool is_whole;   /* memory has sufficed so far */
    sp_stretch open; /* n_steps 0: none */
    int64_t run;     /* length of the run of one class that the open stretch ends in */
    bool run_is_whole;
} cutter;

static void append(sp_stretches *stretches, int64_t *capacity, const sp_stretch *stretch, bool *is_whole)
{
    if (stretches->n == *capacity) {
        *capacity = 2 * *capacity + 64;
        stretches->list = sp_grown(stretches->list, *capacity, sizeof *stretches->list, is_whole);
    }
    if (*is_whole)
        stretches->list[stretches->n++] = *stretch;
}

/* Ends the open stretch. */
static void close_stretch(cutter *c)
{
    if (c->open.n_steps)
        append(c->stretches, &c->capacity, &c->open, &c->is_whole);
    c->open.n_steps = 0;
}

/* May the stretch's last class be left for class k here? Counts what stands against it. */
static bool may_follow(cutter *c, int32_t from, int32_t to)
{
    size_t pair = (size_t)from * (size_t)c->rules->n_classes + (size_t)to;
    c->found->transitions++;
    if (!c->rules->allow[pair]) {
        c->found->illegal++;
        c->found->illegal_pairs[pair]++;
        return false;
    }
    if (from != to && c->run_is_whole && c->run < c->rules->dwell[from]) {
        c->found->short_runs++;
        return false;
    }
    return true;
}

static void cut_recording(cutter *c, const sp_training *training, int64_t r)
{
    sp_scores scores = sp_batch_recording(&training->batch, r);
    int64_t first = training->batch.offsets[r], T = scores.n_steps, n_scored = 0;
    const int32_t *labels = training->labels + first;
    bool is_entry = true; /* is the beginning of the next run seen? */
    c->found->recordings++;
    for (int64_t t = 0; t < T; t++) {
        int32_t k = labels[t];
        bool is_gap = sp_scores_is_gap(&scores, t);
        if (is_gap) {
            is_entry = true;
            close_stretch(c);
        }
        bool is_impossible = k >= 0 && scores.data && sp_scores_at(&scores, t, k) == -INFINITY;
        n_scored += k >= 0;
        c->found->impossible += is_impossible;
        if (k < 0 || is_impossible) {
            close_stretch(c);
            is_entry = false;
            continue;
        }
        int32_t before = c->open.n_steps ? labels[t - 1] : -1;
        if (before >= 0 && !may_follow(c, before, k)) {
            close_stretch(c);
            is_entry = true;
        }
        if (c->open.n_steps == 0) {
            bool may_start = t == 0 && c->rules->start[k];
            c->found->illegal_start += t == 0 && !may_start;
            c->open =
                (sp_stretch){.first = first + t, .recording = r, .is_start = may_start, .is_entry = is_entry};
            c->run = 0;
            c->run_is_whole = is_entry;
        } else if (before != k) {
            c->run = 0;
            c->run_is_whole = true;
        }
        c->open.n_steps++;
        c->run++;
    }
    if (c->open.n_steps) {
        int32_t k = labels[T - 1];
        bool is_short = c->rules->dwell_at_end && c->run_is_whole && c->run < c->rules->dwell[k];
        c->found->short_runs += is_short;
        c->found->illegal_end += !c->rules->end[k];
        c->open.is_end = c->rules->end[k] && !is_short;
    }
    c->found->scored += n_scored;
    c->found->labelled += n_scored > 0;
    close_stretch(c);
}

sp_status sp_stretches_init(sp_stretches *stretches, const sp_training *training, const sp_rules *rules,
                            sp_violations *violations, sp_error *err)
{
    size_t n = (size_t)rules->n_classes;
    sp_violations found = {.illegal_pairs = calloc(n * n, sizeof *found.illegal_pairs)};
    sp_stretches made = {0};
    cutter c = {.rules = rules, .found = &found, .stretches = &made, .is_whole = found.illegal_pairs != NULL};
    for (int64_t r = 0; c.is_whole && training->labels && r < training->batch.n_recordings; r++)
        if (sp_training_uses(training, r))
            cut_recording(&c, training, r);
    if (!c.is_whole) {
        sp_stretches_clear(&made);
        sp_violations_clear(&found);
        return sp_no_memory(err);
    }
    *stretches = made;
    *violations = found;
    return SP_OK;
}

sp_status sp_stretches_unlabelled(sp_stretches *stretches, const sp_training *training, sp_error *err)
{
    sp_stretches made = {0};
    int64_t capacity = 0;
    bool is_whole = true;
    for (int64_t r = 0; r < training->batch.n_recordings; r++) {
        sp_scores scores = sp_batch_recording(&training->batch, r);
        int64_t from = 0;
        for (int64_t t = 1; t <= scores.n_steps && sp_training_uses(training, r); t++) {
            if (t < scores.n_steps && !sp_scores_is_gap(&scores, t))
                continue;
            sp_stretch stretch = {
                training->batch.offsets[r] + from, t - from, r, from == 0, t == scores.n_steps, true};
            append(&made, &capacity, &stretch, &is_whole);
            from = t;
        }
    }
    if (is_whole)
        *stretches = made;
    else
        sp_stretches_clear(&made);
    return is_whole ? SP_OK : sp_no_memory(err);
}
