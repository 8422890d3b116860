/* All transitions by pair of classes, the allowed ones too: of a path, and of the reference, across unscored steps where that is
 * asked for. */
#include "evaluate/evaluation.h"

sp_status sp_count_transition(const sp_evaluation *e, int32_t from, int32_t to, int64_t count, int64_t **transition_counts,
                              sp_tally *pairs, sp_error *err)
{
    size_t K = (size_t)e->K;
    if (K > SP_TRANSITION_CLASSES) {
        if (sp_tally_add(pairs, (int64_t)from * e->K + to, count))
            return SP_OK;
    } else if (*transition_counts || (*transition_counts = calloc(K * K, sizeof **transition_counts))) {
        (*transition_counts)[(size_t)from * K + (size_t)to] += count;
        return SP_OK;
    }
    return sp_no_memory(err);
}

sp_status sp_count_transitions(const sp_evaluation *e, const sp_recording *r, const int32_t *path, int64_t **transition_counts,
                               sp_tally *pairs, sp_error *err)
{
    int64_t stays = 0; /* of path[t - 1], not yet counted */
    sp_status status = SP_OK;
    for (int64_t t = r->before ? 0 : 1; status == SP_OK && t <= r->n_steps; t++) {
        bool is_pair = t < r->n_steps && sp_is_joined(r, t) && path[t - 1] >= 0 && path[t] >= 0;
        if (is_pair && path[t - 1] == path[t]) {
            stays++;
            continue;
        }
        if (stays)
            status = sp_count_transition(e, path[t - 1], path[t - 1], stays, transition_counts, pairs, err);
        stays = 0;
        if (status == SP_OK && is_pair)
            status = sp_count_transition(e, path[t - 1], path[t], 1, transition_counts, pairs, err);
    }
    return status;
}

sp_status sp_add_bridged(sp_evaluation *e, const sp_recording *r, sp_error *err)
{
    sp_comparison *c = e->result;
    sp_bridge *b = &e->reference.bridge;
    for (int64_t t = 0; t < r->n_steps; t++) {
        if ((t > 0 || r->before) && !sp_is_joined(r, t))
            *b = (sp_bridge){.has_begun = false};
        if (r->labels[t] < 0) {
            b->has_gone_over = true;
            continue;
        }
        if (b->has_begun && b->has_gone_over) {
            int32_t from = b->from, to = r->labels[t];
            c->bridged_transitions++;
            c->reference.transitions++;
            c->reference.changes += from != to;
            if (!sp_chain_is_legal(e->chain, from, to)) {
                c->reference.illegal++;
                if (!sp_tally_add(&e->reference_illegal, (int64_t)from * e->K + to, 1))
                    return sp_no_memory(err);
            }
            sp_status status =
                sp_count_transition(e, from, to, 1, &c->reference_transition_counts, &e->reference_transition_pairs, err);
            if (status != SP_OK)
                return status;
        }
        *b = (sp_bridge){.has_begun = true, .from = r->labels[t]};
    }
    return SP_OK;
}
