#include "pipeline/files/review_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/block.h"
#include "core/numbers.h"
#include "core/random_mix.h"
#include "core/try.h"
#include "evaluate/work.h"
#include "io/text/cells.h"
#include "io/text/texts.h"
#include "pipeline/path_source.h"
#include "pipeline/run.h"
#include "statepath/advanced.h"
#include "statepath/files.h"
#include "statepath/pipeline_file.h"

/* ---- the run ---- */

static sp_status reserve(void *arg, int s, const sp_block *block, sp_decode_output *output, sp_error *err)
{
    sp_review_list *l = arg;
    (void)s;
    (void)output;
    (void)err;
    l->block = block;
    return SP_OK;
}

static sp_listed_step listed(const sp_review_list *l, int64_t n, int64_t step, double gain,
                             const int32_t *path)
{
    const int64_t at = l->block->offsets[n] + step;
    return (sp_listed_step){.gain = gain,
                            .recording = l->block->first + n,
                            .step = step,
                            .rank = step,
                            .decoded = path[at],
                            .likeliest = -1,
                            .label = l->block->labels ? l->block->labels[at] : -1};
}

/* For comparison: the steps whose likeliest class is the least likely, and any. */
static void keep_plain(sp_review_list *l, int64_t n, const int32_t *path)
{
    const int64_t at = l->block->offsets[n];
    const uint64_t start = sp_random_start(0, (uint64_t)(l->p->done.n_recordings + n));
    for (int64_t t = 0; t < l->block->offsets[n + 1] - at; t++) {
        sp_listed_step step = listed(l, n, t, 1 - l->room.probability[at + t], path);
        sp_review_best_add(&l->lists[SP_LISTED_UNSURE], &step);
        step.gain = sp_random_unit_at(start, (uint64_t)t);
        sp_review_best_add(&l->lists[SP_LISTED_ANY], &step);
    }
}

static sp_status take_paths(void *arg, int32_t s, int64_t first, int64_t n_recordings, int64_t first_step,
                            int64_t n_steps, const sp_decode_output *output, sp_error *err)
{
    sp_review_list *l = arg;
    (void)first;
    (void)first_step;
    (void)n_steps;
    if (s != l->strategy)
        return SP_OK;
    const sp_batch batch = sp_block_batch(l->block);
    sp_review_best *best = &l->lists[SP_LISTED_WORTH];
    sp_status status = SP_OK;
    TRY(sp_review_batch(&batch, l->p->chain, best->most, sp_review_best_least(best), l->p->workers, &l->room,
                        err));
    for (int64_t n = 0; n < n_recordings; n++) {
        for (int64_t i = 0; i < l->room.n_found[n]; i++) {
            const sp_review_step *found = &l->room.found[batch.offsets[n] + i];
            sp_listed_step step = listed(l, n, found->step, found->gain, output->paths);
            step.rank = i;
            step.likeliest = found->likeliest;
            step.probability = found->probability;
            sp_review_best_add(best, &step);
        }
        if (l->block->labels && l->room.status[n] == SP_OK)
            keep_plain(l, n, output->paths);
    }
done:
    return status;
}

/* ---- what it brings ---- */

typedef struct measuring {
    const sp_review_list *list;
    sp_run_options quiet;
    sp_pipeline p;          /* decodes what is corrected: quiet, and failures are not counted once more */
    int64_t next[SP_LISTS]; /* of each list, which is in the order of the run */
    int64_t n, right,
        better[SP_LISTS]; /* labelled steps, right ones as decoded, and with each list corrected */
    const sp_block *block;
    void *scores; /* [S,K] corrected */
    int32_t *paths;
    sp_decoded *results;
    int64_t step_room, recording_room;
} measuring;

static sp_status lend(void *arg, int s, const sp_block *block, sp_decode_output *output, sp_error *err)
{
    measuring *m = arg;
    (void)s;
    (void)output;
    m->block = block;
    if (block->n_steps < m->step_room && block->n_recordings < m->recording_room)
        return SP_OK;
    m->step_room = block->n_steps >= m->step_room ? block->n_steps + 1 : m->step_room;
    m->recording_room =
        block->n_recordings >= m->recording_room ? block->n_recordings + 1 : m->recording_room;
    free(m->scores);
    free(m->paths);
    free(m->results);
    m->scores = malloc((size_t)m->step_room * (size_t)block->n_classes * sizeof(double));
    m->paths = malloc((size_t)m->step_room * sizeof *m->paths);
    m->results = malloc((size_t)m->recording_room * sizeof *m->results);
    return m->scores && m->paths && m->results ? SP_OK : sp_no_memory(err);
}

static int64_t count_right(const sp_block *block, int64_t n, const int32_t *path)
{
    int64_t right = 0;
    for (int64_t t = block->offsets[n]; t < block->offsets[n + 1]; t++)
        right += block->labels[t] >= 0 && block->labels[t] == path[t];
    return right;
}

/* The place in the block of the next step of the list, if it lies in it; -1. */
static int64_t take_next(measuring *m, int list)
{
    const sp_review_best *g = &m->list->lists[list];
    if (m->next[list] >= g->n)
        return -1;
    const sp_listed_step *step = &g->steps[m->next[list]];
    const int64_t n = step->recording - m->block->first;
    if (n >= m->block->n_recordings)
        return -1;
    m->next[list]++;
    return m->block->offsets[n] + step->step;
}

/* The block decoded with the labels of the listed steps held fast. Where the rules then allow no path: as it was decoded, but for these
 * steps. */
static sp_status decode_corrected(measuring *m, int list, const int32_t *plain, sp_error *err)
{
    const size_t K = (size_t)m->block->n_classes;
    const size_t size = m->block->dtype == SP_F32 ? sizeof(float) : sizeof(double);
    const int64_t from = m->next[list];
    sp_block corrected = *m->block;
    double seconds;
    memcpy(m->scores, m->block->scores, (size_t)m->block->n_steps * K * size);
    corrected.scores = m->scores;
    for (int64_t at; (at = take_next(m, list)) >= 0;)
        if (m->block->labels[at] >= 0)
            number_clamp((char *)m->scores + (size_t)at * K * size, m->block->dtype, (int32_t)K,
                         m->block->labels[at]);
    const sp_decode_output output = {.paths = m->paths, .results = m->results};
    sp_status status = sp_pipeline_decode(&m->p, m->list->strategy, &corrected, &output, &seconds, err);
    for (int64_t n = 0; status == SP_OK && n < corrected.n_recordings; n++)
        for (int64_t t = corrected.offsets[n]; m->results[n].status != SP_OK && t < corrected.offsets[n + 1];
             t++)
            m->paths[t] = plain[t];
    m->next[list] = from;
    for (int64_t at; (at = take_next(m, list)) >= 0;)
        if (m->block->labels[at] >= 0)
            m->paths[at] = m->block->labels[at];
    return status;
}

static sp_status measure_block(void *arg, int32_t s, int64_t first, int64_t n_recordings, int64_t first_step,
                               int64_t n_steps, const sp_decode_output *output, sp_error *err)
{
    measuring *m = arg;
    sp_status status = SP_OK;
    (void)first;
    (void)first_step;
    if (s != m->list->strategy)
        return SP_OK;
    for (int64_t t = 0; t < n_steps; t++)
        m->n += m->block->labels[t] >= 0;
    for (int64_t n = 0; n < n_recordings; n++)
        m->right += count_right(m->block, n, output->paths);
    for (int list = 0; list < SP_LISTS; list++) {
        TRY(decode_corrected(m, list, output->paths, err));
        for (int64_t n = 0; n < n_recordings; n++)
            m->better[list] += count_right(m->block, n, m->paths);
    }
done:
    return status;
}

static sp_status measure(const sp_review_list *l, measuring *m, sp_error *err)
{
    const sp_consumer consumer = {.arg = m, .reserve = lend, .paths = measure_block};
    const int64_t N = l->p->info->n_recordings - sp_unread_count(l->p->unread);
    int64_t *all = malloc((size_t)(N + 1) * sizeof *all);
    if (!all)
        return sp_no_memory(err);
    for (int64_t n = 0; n < N; n++)
        all[n] = sp_unread_recording(l->p->unread, n);
    *m = (measuring){.list = l, .quiet = *l->p->opt, .p = *l->p};
    m->quiet.hooks = (sp_run_hooks){.arg = NULL};
    m->p.opt = &m->quiet;
    const sp_status status = sp_pipeline_run_again(l->p, N, all, &consumer, err);
    free(all);
    free(m->scores);
    free(m->paths);
    free(m->results);
    return status;
}

/* ---- how many steps ---- */

/* So many of n steps: "2%" or "500". */
static sp_status read_share(const char *text, int64_t n, int64_t *out, sp_error *err)
{
    char *end;
    const double number = strtod(text, &end);
    const bool is_share = strcmp(end, "%") == 0 || strcmp(end, " %") == 0;
    const bool is_count = *end == 0 && number == floor(number) && number >= 1 && number <= 1e15;
    if (end == text || !(is_share || is_count) || !(number > 0) || (is_share && number > 100))
        return sp_fail(err, SP_EINVAL, "`review` %s: a share of the steps, 2%%, or so many steps, 500", text);
    *out = is_share ? (int64_t)ceil(number / 100 * (double)n) : (int64_t)number;
    *out = *out < n ? *out : n;
    return SP_OK;
}

/* Steps of recordings that could be read. */
static int64_t steps_read(const sp_pipeline *p)
{
    const int64_t N = p->info->n_recordings, *offsets = p->info->offsets;
    int64_t steps = p->info->n_steps;
    for (int64_t n = sp_unread_next(p->unread, true, 0, N); n < N;
         n = sp_unread_next(p->unread, true, n + 1, N))
        steps -= offsets[n + 1] - offsets[n];
    return steps;
}

/* ---- the table ---- */

static void put_number(sp_text_buffer *out, const char *format, double value)
{
    char text[40];
    sp_text_buffer_put(out, text, (size_t)snprintf(text, sizeof text, format, value));
}

static void put_class(const sp_review_list *l, sp_text_buffer *out, int32_t k, const char *none)
{
    sp_text_buffer_put(out, ",", 1);
    sp_cells_put(out, k < 0 ? none : sp_pipeline_columns(l->p)[k], ',');
}

static void put_step(const sp_review_list *l, sp_text_buffer *out, const sp_listed_step *step)
{
    sp_cells_put(out, l->p->info->ids[step->recording], ',');
    put_number(out, ",%.0f", (double)step->step);
    put_class(l, out, step->decoded, "-1");
    put_class(l, out, step->likeliest, "-1");
    put_number(out, ",%.6g", step->probability);
    put_number(out, ",%.6g", step->gain);
    if (l->p->info->has_labels)
        put_class(l, out, step->label, "");
    sp_text_buffer_put(out, "\n", 1);
}

static sp_status write_table(sp_review_list *l, sp_error *err)
{
    static const char heading[] = "recording,step,decoded,likeliest,probability,gain",
                      with_reference[] = ",reference";
    const sp_review_best *g = &l->lists[SP_LISTED_WORTH];
    sp_text_buffer out = {.text = NULL};
    sp_text_file *file = l->table;
    sp_status status = SP_OK;
    sp_text_buffer_put(&out, heading, sizeof heading - 1);
    if (l->p->info->has_labels)
        sp_text_buffer_put(&out, with_reference, sizeof with_reference - 1);
    sp_text_buffer_put(&out, "\n", 1);
    for (int64_t i = 0; i < g->n; i++)
        put_step(l, &out, &g->steps[i]);
    TRY(out.failed ? sp_no_memory(err) : sp_text_put(file, out.text, out.n, err));
    l->table = NULL;
    TRY(sp_text_close(file, err));
done:
    free(out.text);
    return status;
}

static sp_value share(int64_t part, int64_t whole)
{
    return whole ? (sp_value){(double)part / (double)whole, NULL} : (sp_value){0, "no scored steps"};
}

/* All but the steps. */
static sp_review_result result_of(const sp_review_list *l, const measuring *m)
{
    const int64_t n = l->lists[SP_LISTED_WORTH].n;
    return (sp_review_result){.strategy = l->strategy,
                              .n_chosen = n,
                              .n = n < SP_MOST_REVIEW_PLACES ? n : SP_MOST_REVIEW_PLACES,
                              .accuracy = share(m->right, m->n),
                              .corrected = share(m->better[SP_LISTED_WORTH], m->n),
                              .least_probable = share(m->better[SP_LISTED_UNSURE], m->n),
                              .random = share(m->better[SP_LISTED_ANY], m->n)};
}

static sp_status hand_over(const sp_review_list *l, const sp_review_result *made, sp_review_result **out,
                           sp_error *err)
{
    const sp_listed_step *steps = l->lists[SP_LISTED_WORTH].steps;
    sp_review_result *r = calloc(1, sizeof *r);
    if (!r)
        return sp_no_memory(err);
    *r = *made;
    *out = r;
    if (!(r->list = malloc(((size_t)r->n + 1) * sizeof *r->list)))
        return sp_no_memory(err);
    for (int64_t i = 0; i < r->n; i++)
        r->list[i] = (sp_review_place){sp_unread_place(l->p->unread, steps[i].recording),
                                       steps[i].step,
                                       steps[i].decoded,
                                       steps[i].likeliest,
                                       steps[i].label,
                                       steps[i].probability,
                                       steps[i].gain};
    return SP_OK;
}

static void say(const sp_review_list *l, const sp_review_result *r)
{
    const sp_pipeline *p = l->p;
    char n[SP_COUNT_TEXT], all[SP_COUNT_TEXT];
    sp_run_notice(p->opt, SP_NOTICE_DATA, "%s%s%s of %s %s to review, the best first", l->name ? l->name : "",
                  l->name ? ": " : "", sp_count_text(r->n_chosen, n), sp_count_text(steps_read(p), all),
                  sp_word_of(&sp_work_about(p->work)->words, SP_STEPS));
    if (!r->accuracy.undefined)
        sp_run_notice(p->opt, SP_NOTICE_DATA,
                      "with these corrected and decoded anew accuracy is %.4f, was %.4f; with as many of the "
                      "least probable %.4f, taken "
                      "at random %.4f",
                      r->corrected.value, r->accuracy.value, r->least_probable.value, r->random.value);
}

sp_status sp_review_list_write(sp_review_list *l, sp_review_result **out, sp_error *err)
{
    const sp_pipeline *p = l->p;
    measuring m = {.n = 0};
    int64_t most = 0;
    sp_status status = SP_OK;
    if (!p || !p->opt->review)
        return SP_OK;
    TRY(read_share(p->opt->review, steps_read(p), &most, err));
    for (int list = 0; list < SP_LISTS; list++) {
        sp_review_best *best = &l->lists[list];
        sp_review_best_by_gain(best);
        best->n = best->n < most ? best->n : most; /* of a share, where recordings are unread */
        sp_review_best_by_place(best);
    }
    if (p->info->has_labels)
        TRY(measure(l, &m, err));
    sp_review_best_by_gain(&l->lists[SP_LISTED_WORTH]);
    const sp_review_result made = result_of(l, &m);
    if (l->table)
        TRY(write_table(l, err));
    if (out)
        TRY(hand_over(l, &made, out, err));
    say(l, &made);
done:
    return status;
}

/* ---- opening and closing ---- */

char *sp_review_file_name(const char *output)
{
    static const char ending[] = ".review.csv";
    const size_t stem = strlen(output) - strlen(sp_file_ending(output)), size = stem + sizeof ending;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%.*s%s", (int)stem, output, ending);
    return name;
}

sp_status sp_review_list_open(sp_review_list *l, sp_pipeline *p, sp_error *err)
{
    sp_status status = SP_OK;
    *l = (sp_review_list){.p = p};
    l->consumer = (sp_consumer){.arg = l, .reserve = reserve, .paths = take_paths};
    if (!p->opt->review)
        return SP_OK;
    int64_t most = 0;
    if ((l->strategy = sp_pipeline_lawful(p)) < 0)
        TRY(sp_fail(err, SP_EINVAL,
                    "`review` lists steps of paths that obey the rules, and no strategy makes such; "
                    "`strategies` viterbi does"));
    if (p->opt->output)
        TRY((l->name = sp_review_file_name(p->opt->output)) ? SP_OK : sp_no_memory(err));
    TRY(read_share(p->opt->review, p->info->n_steps, &most, err));
    for (int list = 0; list < (p->info->has_labels ? SP_LISTS : 1); list++)
        TRY(sp_review_best_init(&l->lists[list], most) ? SP_OK : sp_no_memory(err));
    if (l->name)
        TRY(sp_text_open(l->name, p->opt->force, p->opt->together, &l->table, err));
    sp_pipeline_add_consumer(p, &l->consumer);
done:
    return status;
}

void sp_review_list_close(sp_review_list *l)
{
    sp_text_abort(l->table);
    free(l->name);
    for (int list = 0; list < SP_LISTS; list++)
        sp_review_best_clear(&l->lists[list]);
    sp_review_room_clear(&l->room);
}
