/* Pairs of strategies, and tests over all of them, as JSON. */
#include "evaluate/compared.h"
#include "report/tables/tables.h"
#include "report/write/json_tree.h"

#include <string.h>

static const char descriptive[] = "descriptive: takes steps as independent, which they are not";

/* How p was found, how small it could be, and which tests are descriptive only. */
static void add_test_notes(sp_json object, const sp_comparison *c, const sp_pair_comparison *pair)
{
    static const char *const takes_steps[] = {"mcnemar", "bowker", "stuart_maxwell"};
    sp_buffer note = {0};
    if (!pair->test.p.undefined)
        sp_json_text(object, "p_method", pair->test.is_exact ? "exact" : "normal approximation");
    sp_add_least_p(c, pair, &note);
    if (note.length)
        sp_json_text(object, "p_least_note", note.data);
    *object.failed |= note.failed;
    sp_buffer_free(&note);
    for (size_t i = 0; i < sizeof takes_steps / sizeof *takes_steps; i++)
        sp_json_text(sp_json_get(object, takes_steps[i]), "note", descriptive);
}

void sp_json_comparison(sp_json list, const sp_comparison *c, const sp_pair_comparison *pair)
{
    const sp_difference *d = &pair->difference;
    const sp_json object = sp_json_object(list, NULL);
    sp_json_text(object, "a", c->strategies[pair->a].name);
    sp_json_text(object, "b", c->strategies[pair->b].name);
    sp_json_text(object, "metric", pair->metric);
    sp_json_figures(object, SP_OF_PAIR, pair, NULL, c);
    sp_json_interval(object, "ci", d->low, d->high);
    if (sp_compared_by(pair->metric)->tests == SP_ALL_TESTS)
        add_test_notes(object, c, pair);
    if (sp_json_get(object, "p_sign_flip").at && !pair->permutation.p.undefined)
        sp_json_text(object, "p_sign_flip_method", pair->permutation.is_exact ? "exact" : "sampled");
    if (c->has_margin && sp_is_judged(pair)) {
        const char *answer = sp_margin_answer(c, pair);
        if (answer)
            sp_json_flag(object, "non_inferior", strcmp(answer, "yes") == 0);
        else
            sp_json_value(object, "non_inferior", &(sp_value){.undefined = "no interval"});
    }
    sp_json_text(object, "unit", sp_unit_name(c, NULL, 1));
}

static sp_json add_chi2(sp_json root, const char *key, const sp_chi2 *test)
{
    const sp_json object = sp_json_object(root, key);
    sp_json_value(object, "chi2", &test->chi2);
    sp_json_count(object, "df", test->df);
    sp_json_value(object, "p", &test->p);
    return object;
}

void sp_json_several(sp_json root, const sp_comparison *c)
{
    if (!c->mean_ranks)
        return;
    const sp_json friedman = add_chi2(root, "friedman", &c->friedman);
    sp_json_text(friedman, "unit", sp_unit_name(c, NULL, 1));
    const sp_json ranks = sp_json_object(friedman, "mean_ranks");
    for (int32_t s = 0; s < c->n_strategies; s++)
        sp_json_set_named(ranks, c->strategies[s].name, json_real(c->mean_ranks[s]));
    sp_json_text(add_chi2(root, "cochran", &c->cochran), "note", descriptive);
}
