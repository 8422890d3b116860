/* Steps at which a rule is broken, each with what everybody says there. */
#include "evaluate/evaluation.h"

/* What a path says at step t. */
static sp_illegal_said said_at(const sp_chain *chain, const sp_recording *r, const int32_t *path, int64_t t)
{
    const bool is_first = t == 0, follows = !is_first && sp_is_joined(r, t);
    sp_illegal_said said = {.from = path && follows ? path[t - 1] : -1, .to = path ? path[t] : -1};
    if (said.to >= 0)
        said.is_illegal = is_first         ? !sp_chain_is_legal_start(chain, said.to)
                          : said.from >= 0 ? !sp_chain_is_legal(chain, said.from, said.to)
                                           : false;
    return said;
}

/* One more place at the end of the list: [n_strategies + 1] what is said there, to be filled. NULL: no memory. */
static sp_illegal_said *new_place(sp_evaluation *e, int64_t recording, int64_t step, sp_error *err)
{
    sp_comparison *c = e->result;
    const int64_t n = c->n_illegal_places;
    bool is_whole = true;
    c->illegal_places = sp_room_for_one(c->illegal_places, n, sizeof *c->illegal_places, &is_whole);
    sp_illegal_said *said = is_whole ? malloc(((size_t)c->n_strategies + 1) * sizeof *said) : NULL;
    if (!said) {
        sp_no_memory(err);
        return NULL;
    }
    c->illegal_places[c->n_illegal_places++] = (sp_illegal_place){recording, step, said};
    return said;
}

static sp_status add_place(sp_evaluation *e, const sp_recording *r, const int32_t *const *paths, int64_t t,
                           sp_error *err)
{
    const int32_t S = e->result->n_strategies;
    sp_illegal_said *said = new_place(e, r->index, t, err);
    for (int32_t s = 0; said && s <= S; s++)
        said[s] = said_at(e->chain, r, s < S ? paths[s] : r->labels, t);
    return said ? SP_OK : SP_ENOMEM;
}

sp_status sp_add_illegal_places(sp_evaluation *e, const sp_recording *r, const int32_t *const *paths,
                                const bool *broke, sp_error *err)
{
    sp_comparison *c = e->result;
    const int32_t S = c->n_strategies;
    const int32_t *breaking[SP_EVALUATION_MAX_STRATEGIES + 1];
    int32_t n = 0;
    for (int32_t s = 0; s <= S; s++)
        if (broke[s])
            breaking[n++] = s < S ? paths[s] : r->labels;
    if (n == 0 || c->illegal_places_cut)
        return SP_OK;
    sp_status status = SP_OK;
    for (int64_t t = 0; status == SP_OK && t < r->n_steps; t++) {
        bool is_illegal = false;
        for (int32_t i = 0; i < n && !is_illegal; i++)
            is_illegal = said_at(e->chain, r, breaking[i], t).is_illegal;
        if (!is_illegal)
            continue;
        c->illegal_places_cut = c->n_illegal_places == SP_MOST_ILLEGAL_PLACES;
        if (c->illegal_places_cut)
            return SP_OK;
        status = add_place(e, r, paths, t, err);
    }
    return status;
}
