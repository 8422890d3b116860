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
        is_whole = sp_count_list_put_one(&kept->list, runs->n / 2) && sp_count_list_put(&kept->list, runs->at, runs->n);
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
            is_whole = add_step(&kept->runs[SP_KEPT_PATHS + S + s], views->results[s].status == SP_OK && views->broken[s][t]);
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

bool sp_kept_steps_find(const sp_count_list *list, int64_t n, int64_t *places)
{
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t size = at < list->n ? sp_count_at(list, at) : -1;
        if (size < 0 || size >= list->n - at)
            return false;
        places[i] = at;
        at += 1 + size;
    }
    return at == list->n;
}

/* Where the runs of a stream begin: [*n] pairs. -1: the list is not what it should be. */
static int64_t find_stream(const sp_count_list *list, int64_t place, int32_t stream, int64_t *n)
{
    int64_t at = place + 1;
    const int64_t end = at + sp_count_at(list, place);
    for (int32_t i = 0;; i++) {
        *n = at < end ? sp_count_at(list, at) : -1;
        if (*n < 0 || *n > (end - at - 1) / 2)
            return -1;
        at++;
        if (i == stream)
            return at;
        at += 2 * *n;
    }
}

bool sp_kept_steps_read(const sp_count_list *list, int64_t place, int32_t stream, int64_t n_steps, int32_t *out, int64_t *wide)
{
    int64_t n = 0, t = 0;
    const int64_t runs = find_stream(list, place, stream, &n);
    for (int64_t i = 0; runs >= 0 && i < n; i++) {
        const int64_t value = sp_count_at(list, runs + 2 * i), length = sp_count_at(list, runs + 2 * i + 1);
        if (length < 0 || length > n_steps - t || (out && (value < -1 || value > INT32_MAX)))
            return false;
        for (const int64_t end = t + length; t < end; t++)
            if (out)
                out[t] = (int32_t)value;
            else
                wide[t] = value;
    }
    return runs >= 0 && t == n_steps;
}
