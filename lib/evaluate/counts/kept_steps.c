/* The steps of all recordings as runs of equal numbers: what a part keeps of labels, gaps and paths, and of what relaxed paths
 * break. */
#include "evaluate/counts/kept_steps.h"
#include "evaluate/evaluation.h"

/* ---- writing ---- */

static bool end_run(sp_kept_runs *runs)
{
    const int64_t run[] = {runs->value, runs->length};
    const bool is_whole = runs->length == 0 || sp_count_list_put(&runs->list, run, 2);
    runs->length = 0;
    return is_whole;
}

static bool add_step(sp_kept_runs *runs, int64_t value)
{
    if (runs->length && runs->value == value) {
        runs->length++;
        return true;
    }
    const bool is_whole = end_run(runs);
    runs->value = value;
    runs->length = 1;
    return is_whole;
}

/* The runs of the recording that has ended go into the list: how many numbers follow; for labels, segments and each path how many
 * runs, then value and length of each. */
static bool end_recording(sp_kept_steps *kept, int32_t n)
{
    int64_t size = n;
    bool is_whole = true;
    for (int32_t i = 0; i < n; i++) {
        is_whole = is_whole && end_run(&kept->runs[i]);
        size += kept->runs[i].list.n;
    }
    is_whole = is_whole && sp_count_list_put_one(&kept->list, size);
    for (int32_t i = 0; is_whole && i < n; i++) {
        sp_count_list *runs = &kept->runs[i].list;
        is_whole = sp_count_list_put_one(&kept->list, runs->n / 2) &&
                   sp_count_list_put(&kept->list, runs->at, runs->n);
        runs->n = 0;
    }
    return is_whole;
}

sp_status sp_keep_steps(sp_evaluation *e, const sp_recording *r, const sp_views *views, sp_error *err)
{
    sp_kept_steps *kept = &e->kept_steps;
    const int32_t S = e->result->n_strategies, n = SP_KEPT_PATHS + (views->broken ? 2 * S : S);
    bool is_whole = true;
    if (!kept->is_wanted)
        return SP_OK;
    for (int64_t t = 0; is_whole && t < r->n_steps; t++) {
        if (r->whole)
            is_whole = add_step(&kept->runs[SP_KEPT_LABELS], r->whole[t]);
        if (is_whole && r->segments)
            is_whole = add_step(&kept->runs[SP_KEPT_SEGMENTS], r->segments[t]);
        for (int32_t s = 0; is_whole && s < S; s++)
            is_whole = add_step(&kept->runs[SP_KEPT_PATHS + s], views->paths[s][t]);
        for (int32_t s = 0; is_whole && views->broken && s < S; s++)
            is_whole = add_step(&kept->runs[SP_KEPT_PATHS + S + s],
                                views->results[s].status == SP_OK && views->broken[s][t]);
    }
    if (is_whole && r->rest == 0)
        is_whole = end_recording(kept, n);
    return is_whole ? SP_OK : sp_no_memory(err);
}

void sp_kept_steps_free(sp_kept_steps *kept)
{
    for (int32_t i = 0; i < SP_KEPT_PATHS + 2 * SP_EVALUATION_MAX_STRATEGIES; i++)
        sp_count_list_free(&kept->runs[i].list);
    sp_count_list_free(&kept->list);
}

/* ---- reading ---- */

/* Are the runs of a stream from `at` on those of n_steps steps with numbers below `most`? Then *at is where the next begins. */
static bool check_stream(const sp_count_list *list, int64_t *at, int64_t end, int64_t n_steps, int64_t most)
{
    const int64_t n = *at < end ? sp_count_at(list, *at) : -1;
    if (n < 0 || n > (end - *at - 1) / 2)
        return false;
    for (int64_t i = 0; i < n; i++) {
        const int64_t value = sp_count_at(list, *at + 1 + 2 * i), length = sp_count_at(list, *at + 2 + 2 * i);
        if (length < 1 || length > n_steps || value >= most || (value < -1 && most != INT64_MAX))
            return false;
        n_steps -= length;
    }
    *at += 1 + 2 * n;
    return n_steps == 0;
}

static bool check_recording(const sp_count_list *list, int64_t at, int64_t end, const sp_kept_form *form,
                            int64_t n_steps)
{
    bool is_right = check_stream(list, &at, end, form->has_labels ? n_steps : 0, form->n_classes) &&
                    check_stream(list, &at, end, form->has_segments ? n_steps : 0, INT64_MAX);
    for (int32_t s = 0; is_right && s < form->n_strategies; s++)
        is_right = check_stream(list, &at, end, n_steps, form->n_classes);
    for (int32_t s = 0; is_right && form->is_relaxed && s < form->n_strategies; s++)
        is_right = check_stream(list, &at, end, n_steps, 2);
    return is_right && at == end;
}

bool sp_kept_steps_check(const sp_count_list *list, const sp_kept_form *form, int64_t n,
                         const int64_t *n_steps, int64_t *places)
{
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t size = at < list->n ? sp_count_at(list, at) : -1;
        if (size < 0 || size >= list->n - at ||
            !check_recording(list, at + 1, at + 1 + size, form, n_steps[i]))
            return false;
        places[i] = at;
        at += 1 + size;
    }
    return at == list->n;
}

void sp_kept_steps_read(const sp_count_list *list, int64_t place, int32_t stream, int64_t first, int64_t n,
                        int32_t *out, int64_t *wide)
{
    int64_t at = place + 1, t = 0;
    while (stream-- > 0)
        at += 1 + 2 * sp_count_at(list, at);
    const int64_t end = first + n, last = at + 2 * sp_count_at(list, at);
    for (; t < end && at < last; at += 2) {
        const int64_t value = sp_count_at(list, at + 1), from = t;
        t += sp_count_at(list, at + 2);
        for (int64_t i = from < first ? first : from; i < t && i < end; i++)
            if (out)
                out[i - first] = (int32_t)value;
            else
                wide[i - first] = value;
    }
}
