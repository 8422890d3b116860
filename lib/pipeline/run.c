#include "pipeline/run.h"

#include <stdlib.h>

#include "core/prepare.h"
#include "core/try.h"
#include "pipeline/against.h"
#include "pipeline/block_viterbi.h"
#include "pipeline/memory.h"
#include "pipeline/path_source.h"
#include "pipeline/read_ahead.h"

/* Scores read at a time. Large enough that starting threads costs nothing, small enough that what was read is still near the
 * processor when it is decoded. */
enum { BLOCK_BYTES = 8 << 20, ROWS_BYTES = 64 << 20 };

/* Steps of a block: so many that its scores, and the N best paths and draws beside them, stay within these bytes. */
static int64_t block_steps(const sp_pipeline *p)
{
    const sp_wants wants = sp_consumers_want(p);
    const int64_t scores = BLOCK_BYTES / p->step_bytes;
    const int64_t rows = ROWS_BYTES / ((int64_t)sizeof(int32_t) * (1 + wants.n_best + wants.n_draws));
    return scores < rows ? scores : rows;
}

void sp_answers_clear(sp_answers *a)
{
    for (int s = 0; s < SP_RUN_STRATEGIES; s++) {
        free(a->paths[s]);
        free(a->results[s]);
        free(a->violations[s]);
    }
    *a = (sp_answers){.step_room = 0};
}

sp_status sp_answers_reserve(sp_answers *a, int n_strategies, const sp_block *block, sp_error *err)
{
    if (block->n_steps < a->step_room && block->n_recordings < a->recording_room)
        return SP_OK;
    int64_t steps = block->n_steps > a->step_room ? block->n_steps : a->step_room;
    int64_t recordings = block->n_recordings > a->recording_room ? block->n_recordings : a->recording_room;
    sp_answers_clear(a);
    a->step_room = steps + 1; /* never nothing */
    a->recording_room = recordings + 1;
    for (int s = 0; s < n_strategies; s++) {
        a->paths[s] = malloc((size_t)a->step_room * sizeof *a->paths[s]);
        a->results[s] = malloc((size_t)a->recording_room * sizeof *a->results[s]);
        a->violations[s] = malloc((size_t)a->step_room);
        if (!a->paths[s] || !a->results[s] || !a->violations[s])
            return sp_no_memory(err);
    }
    return SP_OK;
}

/* What a block needs of its files before anybody sees it: its scores prepared, its paths read where they are
 * there. Counts are noted when all of it is done. */
static sp_status make_ready(sp_pipeline *p, sp_block *block, sp_answers *a, sp_prepare_counts *counts,
                            sp_error *err)
{
    sp_status status = SP_OK;
    *counts = (sp_prepare_counts){0};
    if (block->scores)
        TRY(sp_prepare(block, &p->prepare, p->workers, counts, err));
    if (p->source->check_labels)
        TRY(p->source->check_labels(p, block, err));
    if (p->source->read)
        TRY(p->source->read(p, block, a, err));
done:
    return status;
}

static sp_status make_all_ready(sp_pipeline *p, const sp_slot *slot, sp_answers *a, sp_error *err)
{
    sp_prepare_counts counts[1 + SP_MOST_AGAINST];
    sp_status status = SP_OK;
    TRY(make_ready(p, slot->block, &a[0], &counts[0], err));
    for (int32_t i = 0; i < p->n_against; i++)
        TRY(make_ready(&p->against[i].p, slot->more[i], &a[1 + i], &counts[1 + i], err));
    for (int32_t i = 0; i <= p->n_against; i++) {
        sp_prepare_counts *all = i ? &p->against[i - 1].p.done.scores : &p->done.scores;
        all->floored += counts[i].floored;
        all->missing += counts[i].missing;
        all->masked += counts[i].masked;
    }
done:
    return status;
}

/* The paths of all strategies of this classifier. */
static sp_status answer(sp_pipeline *p, sp_block *block, int32_t *const *raters, sp_answers *a, sp_error *err)
{
    sp_status status = SP_OK;
    TRY(sp_answers_reserve(a, p->n_strategies, block, err));
    TRY(sp_consumers_prepared(p, block, err));
    TRY(p->source->block(p, block, raters, a, err));
done:
    return status;
}

/* The answers of all strategies on all classifiers. */
typedef struct all_answers {
    int32_t n;
    const int32_t *paths[SP_EVALUATION_MAX_STRATEGIES];
    const sp_decoded *results[SP_EVALUATION_MAX_STRATEGIES];
    double seconds[SP_EVALUATION_MAX_STRATEGIES];
    sp_scores against[SP_MOST_AGAINST];
} all_answers;

static void collect(all_answers *all, const sp_pipeline *p, const sp_answers *a)
{
    for (int s = 0; s < p->n_strategies; s++, all->n++) {
        all->paths[all->n] = a->paths[s];
        all->results[all->n] = a->results[s];
        all->seconds[all->n] = a->seconds[s];
    }
}

/* The other classifiers decode their own scores; what comes out is told in the first's columns. a [n_against] */
static sp_status answer_against(sp_pipeline *p, sp_block *const *blocks, sp_answers *a, all_answers *all,
                                sp_error *err)
{
    sp_status status = SP_OK;
    for (int32_t i = 0; i < p->n_against; i++) {
        sp_rival *one = &p->against[i];
        TRY(answer(&one->p, blocks[i], NULL, &a[i], err));
        const sp_scores scores = sp_block_batch(blocks[i]).scores;
        TRY(sp_against_tell_scores(one, &scores, &all->against[i], err));
        for (int s = 0; s < one->p.n_strategies; s++)
            sp_against_tell_path(one, blocks[i]->n_steps, a[i].paths[s]);
        collect(all, &one->p, &a[i]);
    }
done:
    return status;
}

/* a  [1 + n_against] */
static sp_status run_block(sp_pipeline *p, const sp_slot *slot, sp_answers *a, sp_error *err)
{
    sp_block *block = slot->block;
    const sp_input_about *about = &p->about;
    const bool is_decoded = p->source->is_decoded;
    const int64_t first = block->first;
    all_answers all = {.n = 0};
    sp_status status = SP_OK;
    TRY(answer(p, block, slot->raters.labels, a, err));
    collect(&all, p, a);
    TRY(answer_against(p, slot->more, a + 1, &all, err));
    const sp_batch batch = sp_block_batch(block);
    const sp_evaluation_block answered = {
        .n_recordings = block->n_recordings,
        .offsets = block->offsets,
        .ids = block->ids,
        .labels = block->labels,
        .segments = block->segments,
        .scores = is_decoded ? &batch.scores : NULL,
        .against = p->n_against ? all.against : NULL,
        .paths = all.paths,
        .results = all.results,
        .seconds = is_decoded ? all.seconds : NULL,
        .raters = (const int32_t *const *)slot->raters.labels,
        .subject = p->subjects ? p->subjects->of_recording + first : NULL,
        .cut_path_steps = about->cut_path_steps ? about->cut_path_steps + first : NULL,
        .cut_label_steps = about->cut_label_steps ? about->cut_label_steps + first : NULL};
    TRY(sp_consumers_block(p, &answered, err));
done:
    return status;
}

/* The next part of recordings from `first` on that are not unread; a unit that is longer than a block is
 * looked through first.
 *   part  out: no recordings where there are no more */
static sp_status next_part(sp_pipeline *p, sp_read_ahead *ahead, int64_t first, int64_t end, int64_t most,
                           sp_part *part, sp_error *err)
{
    sp_status status = SP_OK;
    int64_t n_new;
    for (;;) {
        first = sp_unread_next(p->unread, false, first, end);
        if (first == end || !sp_unread_is_to_check(p, first, most))
            break;
        sp_read_ahead_rest(ahead);
        TRY(sp_unread_check(p, first, first + 1, most, &n_new, err));
    }
    *part = first < end ? sp_unread_fit(p, first, end, most) : (sp_part){.recording = end};
done:
    return status;
}

/* Reads a part and makes it ready. Where that fails of several files, these are looked at one by one.
 *   again  out: some of its recordings are unread, which was not known before */
static sp_status get_part(sp_pipeline *p, sp_read_ahead *ahead, const sp_part *part, int64_t most,
                          sp_answers *a, bool *again, sp_error *err)
{
    bool is_new;
    int64_t n_new = 0;
    sp_error fault;
    *again = false;
    sp_status status = sp_read_ahead_get(ahead, part, SP_BLOCK_ALL, &is_new, &fault);
    if (status == SP_OK)
        status = make_all_ready(p, &ahead->now, a, &fault);
    if (status == SP_OK)
        return SP_OK;
    ahead->now.is_there = false; /* it may be half prepared */
    const int64_t first = part->recording, end = first + part->count;
    const bool has_units = p->unread && !sp_unread_was_checked(p->unread, first);
    if (!has_units || (status != SP_EDATA && status != SP_EFILE))
        return sp_fail_at(err, status, fault.step, "%s", fault.message);
    sp_read_ahead_rest(ahead);
    status = sp_unread_check(p, first, end, most, &n_new, err);
    *again = status == SP_OK && n_new > 0;
    return status == SP_OK && n_new == 0 ? sp_fail_at(err, fault.status, fault.step, "%s", fault.message)
                                         : status;
}

/* Recordings first .. end-1 in blocks as the reader brings them. */
static sp_status run_blocks(sp_pipeline *p, int64_t first, int64_t end, sp_error *err)
{
    const int64_t most = block_steps(p);
    const sp_recordings *more[SP_MOST_AGAINST];
    sp_read_ahead ahead;
    sp_answers a[1 + SP_MOST_AGAINST] = {{.step_room = 0}};
    sp_status status = SP_OK;
    for (int32_t i = 0; i < p->n_against; i++)
        more[i] = &p->against[i].p.from;
    TRY(sp_read_ahead_open(&ahead, &p->from, &p->raters.found, p->n_against, more) ? SP_OK
                                                                                   : sp_no_memory(err));
    for (sp_part part; first < end;) {
        bool again;
        TRY(next_part(p, &ahead, first, end, most, &part, err));
        first = part.recording;
        if (part.count == 0)
            break;
        TRY(get_part(p, &ahead, &part, most, a, &again, err));
        if (again)
            continue;
        first += part.count;
        const int64_t next = sp_unread_next(p->unread, false, first, end);
        if (p->source->is_decoded && next < end) { /* else paths are read from a file too */
            sp_part following = sp_unread_fit(p, next, end, most);
            sp_read_ahead_start(&ahead, &following, SP_BLOCK_ALL);
        }
        TRY(run_block(p, &ahead.now, a, err));
        p->done.n_recordings += part.count;
        sp_run_progress(p->opt, "steps", p->info->offsets[first], p->info->n_steps);
        TRY(sp_run_go_on(p->opt, err));
    }
done:
    for (int32_t i = 0; i <= p->n_against; i++)
        sp_answers_clear(&a[i]);
    sp_read_ahead_close(&ahead);
    return status;
}

/* The first recording from `first` on of more than so many steps; `end`: there is none. */
static int64_t next_large(const sp_pipeline *p, int64_t first, int64_t end, double most)
{
    const int64_t *offsets = p->info->offsets;
    while (first < end && (double)(offsets[first + 1] - offsets[first]) <= most)
        first++;
    return first;
}

/* All recordings: those that fit into so many bytes of memory in blocks, larger ones one by one. */
static sp_status run_all(sp_pipeline *p, double there, sp_error *err)
{
    const int64_t N = p->info->n_recordings;
    const double most = there / sp_memory_needed(p, 1);
    sp_status status = SP_OK;
    for (int64_t first = 0, next; first < N; first = next) {
        next = next_large(p, first, N, most);
        if (next > first)
            TRY(run_blocks(p, first, next, err));
        if (next < N)
            TRY(sp_block_viterbi_run(p, next++, there, err));
    }
done:
    return status;
}

/* Before anything is read or written: a recording that does not fit in memory, and cannot be decoded block by
 * block. */
static sp_status check_memory(const sp_pipeline *p, double there, sp_error *err)
{
    const int64_t N = p->info->n_recordings, *offsets = p->info->offsets,
                  n = next_large(p, 0, N, there / sp_memory_needed(p, 1));
    return n == N || sp_block_viterbi_can(p)
               ? SP_OK
               : sp_memory_lacks(p, n, sp_memory_needed(p, offsets[n + 1] - offsets[n]), there, err);
}

/* Which recordings are unread. */
static sp_status hand_on_unread(const sp_pipeline *p, sp_error *err)
{
    const int64_t N = p->info->n_recordings;
    sp_status status = SP_OK;
    for (int64_t n = sp_unread_next(p->unread, true, 0, N); n < N;
         n = sp_unread_next(p->unread, true, n + 1, N))
        TRY(sp_consumers_unread(p, n, err));
done:
    return status;
}

sp_status sp_pipeline_run(sp_pipeline *p, sp_error *err)
{
    const double there = sp_memory_there();
    sp_status status = check_memory(p, there, err);
    if (status == SP_OK)
        status = sp_consumers_open(p, err);
    if (status == SP_OK)
        status = run_all(p, there, err);
    sp_run_progress(p->opt, NULL, 0, 0);
    if (status == SP_OK)
        status = sp_unread_end(p, err);
    if (status == SP_OK)
        status = hand_on_unread(p, err);
    if (status == SP_OK && p->source->summarise)
        p->source->summarise(p);
    for (int32_t i = 0; status == SP_OK && i < p->n_against; i++)
        p->against[i].p.source->summarise(&p->against[i].p);
    return status;
}

/* The pipeline as it runs once more: quiet, for one consumer alone (of another classifier: for none). */
static sp_pipeline again_of(const sp_pipeline *p, const sp_consumer *consumer, sp_run_options *quiet)
{
    *quiet = *p->opt;
    quiet->hooks = (sp_run_hooks){.arg = quiet->hooks.arg, .is_stopped = quiet->hooks.is_stopped};
    sp_pipeline again = *p;
    again.opt = quiet;
    again.n_consumers = 0;
    if (consumer)
        sp_pipeline_add_consumer(&again, consumer);
    again.raters = (sp_rater_labels){.found = {.n_raters = 0}};
    again.subjects = NULL;
    again.unread = NULL; /* all that is asked for could be read */
    again.wake.stages = NULL;
    return again;
}

sp_status sp_pipeline_run_again(const sp_pipeline *p, int64_t n, const int64_t *recordings,
                                const sp_consumer *consumer, sp_error *err)
{
    sp_run_options quiet;
    sp_pipeline again = again_of(p, consumer, &quiet);
    sp_status status = SP_OK;
    again.against = p->n_against ? malloc((size_t)p->n_against * sizeof *again.against) : NULL;
    if (p->n_against && !again.against)
        return sp_no_memory(err);
    for (int32_t i = 0; i < p->n_against; i++) {
        sp_rival *one = &again.against[i];
        *one = p->against[i];
        one->p = again_of(&p->against[i].p, NULL, &one->options);
        one->room = NULL;
        one->room_bytes = 0;
    }
    for (int64_t i = 0, next; status == SP_OK && i < n; i = next) {
        for (next = i + 1; next < n && recordings[next] == recordings[next - 1] + 1;)
            next++;
        status = run_blocks(&again, recordings[i], recordings[next - 1] + 1, err);
    }
    for (int32_t i = 0; i < p->n_against; i++)
        free(again.against[i].room);
    free(again.against);
    return status;
}
