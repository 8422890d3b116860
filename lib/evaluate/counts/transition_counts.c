/* All transitions by pair of classes, the allowed ones too: of a path, and of the reference, across unscored steps where that is
 * asked for. */
#include "evaluate/evaluate.h"
#include "evaluate/evaluation.h"

bool sp_count_transitions(const sp_evaluation *e, const sp_recording *r, const int32_t *path, sp_tally *pairs)
{
    int64_t stays = 0; /* of path[t - 1], not yet counted */
    bool is_whole = true;
    for (int64_t t = r->before ? 0 : 1; is_whole && t <= r->n_steps; t++) {
        bool is_pair = t < r->n_steps && sp_is_joined(r, t) && path[t - 1] >= 0 && path[t] >= 0;
        if (is_pair && path[t - 1] == path[t]) {
            stays++;
            continue;
        }
        if (stays)
            is_whole = sp_tally_add(pairs, (int64_t)path[t - 1] * e->K + path[t - 1], stays);
        stays = 0;
        if (is_whole && is_pair)
            is_whole = sp_tally_add(pairs, (int64_t)path[t - 1] * e->K + path[t], 1);
    }
    return is_whole;
}

bool sp_add_bridged(sp_evaluation *e, const sp_recording *r)
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
            c->reference.illegal += !sp_chain_is_legal(e->chain, from, to);
            if (!sp_tally_add(&e->reference_transitions, (int64_t)from * e->K + to, 1))
                return false;
        }
        *b = (sp_bridge){.has_begun = true, .from = r->labels[t]};
    }
    return true;
}
