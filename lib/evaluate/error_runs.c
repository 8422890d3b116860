/* How far an error runs on that a strategy makes against argmax. */
#include "evaluate/evaluation.h"
#include "evaluate/value.h"

/* Did the rules forbid the right class at step t, given what the strategy chose before it? */
static bool was_forbidden(const sp_evaluation *e, const sp_recording *r, const int32_t *path, int64_t t)
{
    if (t == 0 && r->first == 0)
        return !sp_chain_is_legal_start(e->chain, r->labels[0]);
    return sp_is_joined(r, t) && path[t - 1] >= 0 && !sp_chain_is_legal(e->chain, path[t - 1], r->labels[t]);
}

static sp_status end_run(sp_error_runs *runs, sp_tally *lengths, const sp_recording *r, int64_t first, int64_t end, sp_error *err)
{
    if (end - first > runs->longest) {
        runs->longest = end - first;
        runs->longest_recording = r->index;
        runs->longest_step = first;
    }
    return sp_tally_add(lengths, sp_run_key(0, end - first), 1) ? SP_OK : sp_no_memory(err);
}

/* A stretch is where path and argmax differ, step by step; its run goes from its first broken step to its end. */
sp_status sp_add_error_runs(sp_evaluation *e, int32_t strategy, const sp_recording *r, const int32_t *path, const int32_t *argmax,
                            sp_error *err)
{
    sp_error_runs *runs = &e->result->strategies[strategy].error_runs;
    sp_tally *lengths = &e->sums[strategy].error_lengths;
    sp_track *track = &e->tracks[strategy];
    for (int64_t t = 0; t < r->n_steps; t++) {
        bool differs = path[t] >= 0 && argmax[t] >= 0 && path[t] != argmax[t];
        if (track->in_error && (!differs || !sp_is_joined(r, t))) {
            sp_status status = end_run(runs, lengths, r, track->error_first, r->first + t, err);
            if (status != SP_OK)
                return status;
            track->in_error = false;
        }
        if (!differs || argmax[t] != r->labels[t])
            continue;
        runs->worsened++;
        if (!track->in_error) {
            track->in_error = true;
            track->error_first = r->first + t;
            runs->forbidden += was_forbidden(e, r, path, t);
        }
    }
    return track->in_error && r->rest == 0 ? end_run(runs, lengths, r, track->error_first, r->first + r->n_steps, err) : SP_OK;
}

sp_status sp_error_runs_finish(sp_evaluation *e, int32_t strategy, sp_error *err)
{
    sp_comparison *c = e->result;
    sp_error_runs *runs = &c->strategies[strategy].error_runs;
    if (!c->strategies[strategy].has_changes || strategy == e->argmax)
        return SP_OK;
    sp_status status = sp_class_runs_fill(1, &e->sums[strategy].error_lengths, NULL, &runs->runs, err);
    if (status != SP_OK)
        return status;
    runs->consequences = runs->worsened - runs->runs->count;
    runs->consequence_share = value_ratio((double)runs->consequences, (double)runs->worsened, "no step broken");
    for (int64_t i = 0; i < c->n_recordings; i++)
        runs->dead_ends += c->strategies[strategy].recordings[i].decoded.status == SP_EDEADEND;
    return SP_OK;
}
