/* Which recordings are drawn step by step: they are chosen over all recordings, then their steps are fetched. */
#include "report/drawn.h"
#include "report/html/assets.h"
#include "report/html/steps/steps.h"
#include "statepath/report.h"

#include <stdint.h>
#include <stdlib.h>

/* What recordings are ranked by: accuracy of the focus, or without labels the illegal transitions of argmax, most first. */
typedef struct merit {
    double value;
    bool is_unranked; /* no step of it is scored, while others have some: after all others */
    int64_t recording;
} merit;

static int by_merit(const void *a, const void *b)
{
    const merit *x = a, *y = b;
    if (x->is_unranked != y->is_unranked)
        return x->is_unranked ? 1 : -1;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->recording > y->recording) - (x->recording < y->recording);
}

/* Fills `order` once the ranking is known. False: no memory. */
static bool fill_order(const sp_comparison *c, sp_ranking *ranking)
{
    const int64_t n = ranking->n, first[] = {0, n - 1, n / 2};
    bool *is_taken = calloc((size_t)c->n_recordings + 1, sizeof *is_taken);
    int64_t filled = 0;
    for (int64_t i = 0; is_taken && i < c->n_asked + 3 + c->n_recordings; i++) {
        const int64_t later = i - c->n_asked;
        if (later >= 0 && later < 3 && (n < 3 || later >= n))
            continue;
        const int64_t r = later < 0 ? c->asked[i] : ranking->recordings[later < 3 ? first[later] : later - 3];
        if (!is_taken[r])
            ranking->order[filled++] = r;
        is_taken[r] = true;
    }
    free(is_taken);
    return is_taken != NULL;
}

bool sp_ranking_fill(const sp_comparison *c, sp_ranking *ranking)
{
    int32_t argmax = sp_argmax_strategy(c), focus = sp_focus_strategy(c),
            plain = argmax >= 0 ? argmax : focus;
    bool by_accuracy = sp_has_agreement(c);
    size_t room = c->n_recordings > 0 ? (size_t)c->n_recordings : 1;
    merit *merits = malloc(room * sizeof *merits);
    *ranking = (sp_ranking){.recordings = malloc(room * sizeof *ranking->recordings),
                            .order = malloc(room * sizeof *ranking->order)};
    if (!merits || !ranking->recordings || !ranking->order) {
        free(merits);
        sp_ranking_free(ranking);
        return false;
    }
    for (int64_t r = 0; r < c->n_recordings; r++) {
        const sp_value *accuracy = &c->strategies[focus].recordings[r].accuracy;
        merits[r] = (merit){.recording = r, .is_unranked = by_accuracy && accuracy->undefined};
        if (!merits[r].is_unranked)
            merits[r].value =
                by_accuracy ? accuracy->value : -(double)c->strategies[plain].recordings[r].counts.illegal;
        ranking->n += !merits[r].is_unranked;
    }
    qsort(merits, (size_t)c->n_recordings, sizeof *merits, by_merit);
    for (int64_t r = 0; r < c->n_recordings; r++)
        ranking->recordings[r] = merits[r].recording;
    free(merits);
    if (fill_order(c, ranking))
        return true;
    sp_ranking_free(ranking);
    return false;
}

void sp_ranking_free(sp_ranking *ranking)
{
    free(ranking->recordings);
    free(ranking->order);
    *ranking = (sp_ranking){0};
}

const sp_trace *sp_trace_of(const sp_comparison *c, int64_t recording)
{
    int64_t from = 0, to = c->n_traces;
    while (from < to) {
        int64_t middle = from + (to - from) / 2;
        if (c->traces[middle].recording < recording)
            from = middle + 1;
        else
            to = middle;
    }
    return from < c->n_traces && c->traces[from].recording == recording ? &c->traces[from] : NULL;
}

int sp_by_number(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

bool sp_is_among(const int64_t *list, int64_t n, int64_t recording)
{
    for (int64_t i = 0; i < n; i++)
        if (list[i] == recording)
            return true;
    return false;
}

/* All where they fit, as an evaluation that meets their steps keeps them. Else those asked for, worst, best and median, as far as
 * each has few enough steps; then, in turn and as long as they fit, those next to the worst and some spread over the ranking. */
static int64_t choose(const sp_comparison *c, const sp_ranking *ranking, int64_t most_steps, int64_t *chosen)
{
    int64_t n = 0;
    for (; c->n_steps <= most_steps && n < c->n_recordings; n++)
        chosen[n] = n;
    if (n > 0)
        return n;
    const int64_t n_first = c->n_asked + 3, every = 2 * c->n_recordings / SP_REPORT_DRAWN + 1;
    int64_t next = 0, spread = 0; /* places in the order of drawing, and in the ranking */
    for (int64_t i = 0; next < c->n_recordings && n < SP_REPORT_DRAWN; i++) {
        const bool is_spread = i >= n_first && i % 2 && spread < c->n_recordings;
        const int64_t recording = is_spread ? ranking->recordings[spread] : ranking->order[next];
        spread += is_spread ? every : 0;
        next += !is_spread;
        if (sp_is_among(chosen, n, recording))
            continue;
        if (c->steps[recording] <= most_steps) {
            most_steps -= c->steps[recording];
            chosen[n++] = recording;
        } else if (i >= n_first) {
            break;
        }
    }
    return n;
}

sp_status sp_report_drawn(const sp_comparison *comparison, int64_t most_steps, int64_t **recordings,
                          int64_t *n, sp_error *err)
{
    *recordings = NULL;
    *n = 0;
    if (comparison->n_strategies == 0 || comparison->n_traces == comparison->n_recordings)
        return SP_OK;
    sp_ranking ranking;
    int64_t *chosen = malloc(((size_t)comparison->n_recordings + 1) * sizeof *chosen);
    if (!chosen || !sp_ranking_fill(comparison, &ranking)) {
        free(chosen);
        return sp_fail(err, SP_ENOMEM, "no memory to choose among the recordings");
    }
    *n = choose(comparison, &ranking, most_steps, chosen);
    qsort(chosen, (size_t)*n, sizeof *chosen, sp_by_number);
    *recordings = chosen;
    sp_ranking_free(&ranking);
    return SP_OK;
}

/* The bits of i in reverse order, as a fraction of 2^32: 0, 1/2, 1/4, 3/4, ...: any first few of them are spread evenly. */
static uint32_t reversed(uint32_t i)
{
    uint32_t out = 0;
    for (int bit = 0; bit < 32; bit++)
        out |= (i >> bit & 1U) << (31 - bit);
    return out;
}

sp_status sp_report_spread(const sp_comparison *c, int64_t **recordings, int64_t *n, sp_error *err)
{
    sp_ranking ranking;
    int64_t *ranked = malloc(((size_t)c->n_recordings + 1) * sizeof *ranked),
            *spread = malloc(((size_t)c->n_recordings + 1) * sizeof *spread);
    bool *is_taken = calloc((size_t)c->n_recordings + 1, sizeof *is_taken);
    int64_t n_ranked = 0;
    *n = 0;
    if (!ranked || !spread || !is_taken || !sp_ranking_fill(c, &ranking)) {
        free(ranked);
        free(spread);
        free(is_taken);
        return sp_no_memory(err);
    }
    for (int64_t i = 0; i < c->n_asked; i++)
        if (sp_trace_of(c, c->asked[i]) && !is_taken[c->asked[i]]) {
            spread[(*n)++] = c->asked[i];
            is_taken[c->asked[i]] = true;
        }
    for (int64_t i = 0; i < c->n_recordings; i++)
        if (sp_trace_of(c, ranking.recordings[i]) && !is_taken[ranking.recordings[i]])
            ranked[n_ranked++] = ranking.recordings[i];
    for (uint32_t i = 0, found = 0; found < n_ranked; i++) {
        const int64_t place = (int64_t)(((uint64_t)reversed(i) * (uint64_t)n_ranked) >> 32);
        if (!is_taken[ranked[place]]) {
            spread[(*n)++] = ranked[place];
            is_taken[ranked[place]] = true;
            found++;
        }
    }
    sp_ranking_free(&ranking);
    free(ranked);
    free(is_taken);
    *recordings = spread;
    return SP_OK;
}

bool sp_report_decodes(void)
{
    return sp_page_module_size > 0;
}
