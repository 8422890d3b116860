/* What more accuracy was bought with, in words. */
#include "evaluate/compared.h"
#include "report/tables/tables.h"

#include <string.h>

static const double least_loss = 0.01;

static sp_value figure_of(const sp_comparison *c, int32_t s, const char *key)
{
    const sp_strategy_result *one = &c->strategies[s];
    return sp_figure_value(sp_figure_find(SP_OF_STRATEGY, key, strlen(key)), &(sp_figure_owner){one, one, c});
}

static void add_price(const sp_comparison *c, int32_t s, sp_buffer *line)
{
    static const struct {
        const char *key, *bought_with, *tune;
    } figures[] = {{"edit_score", "segments", "edit"},
                   {"kappa", "classes", "kappa"},
                   {"macro_f1", "classes", "macro_f1"}};
    const int32_t argmax = sp_argmax_strategy(c);
    const char *said = NULL, *tune = NULL;
    if (s < 0 || argmax < 0 || c->n_scored_steps == 0)
        return;
    const sp_value accuracy = figure_of(c, s, "accuracy"), plain = figure_of(c, argmax, "accuracy");
    if (accuracy.undefined || plain.undefined ||
        sp_as_shown(accuracy.value, 4) <= sp_as_shown(plain.value, 4))
        return;
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const sp_value now = figure_of(c, s, figures[i].key), then = figure_of(c, argmax, figures[i].key);
        if (now.undefined || then.undefined || then.value - now.value <= least_loss)
            continue;
        if (!said)
            sp_buffer_say(line, "%s%s's accuracy of %.4f (argmax %.4f) is bought", line->length ? " " : "",
                          c->strategies[s].name, accuracy.value, plain.value);
        if (!said || strcmp(said, figures[i].bought_with) != 0)
            sp_buffer_say(line, "%s with %s: ", said ? ", and" : "", figures[i].bought_with);
        else
            sp_buffer_text(line, ", ");
        sp_buffer_say(line, "%s %.4f (argmax %.4f)", sp_compared_by(figures[i].key)->name, now.value,
                      then.value);
        said = figures[i].bought_with;
        tune = tune ? tune : figures[i].tune;
    }
    if (said && c->n_folds)
        sp_buffer_say(line, "; fit with tune=%s to keep that figure", tune);
    if (said)
        sp_buffer_text(line, ".");
}

static int32_t most_accurate(const sp_comparison *c)
{
    const int32_t n = c->n_against ? c->against[0].first : c->n_strategies;
    int32_t best = -1;
    for (int32_t s = 0; s < n; s++) {
        const sp_strategy_result *one = &c->strategies[s];
        if (one->has_agreement && !one->agreement.accuracy.undefined &&
            (best < 0 || one->agreement.accuracy.value > c->strategies[best].agreement.accuracy.value))
            best = s;
    }
    return best;
}

void sp_add_prices(const sp_comparison *c, sp_buffer *line)
{
    const int32_t focus = sp_focus_strategy(c), best = most_accurate(c);
    add_price(c, focus, line);
    if (best != focus)
        add_price(c, best, line);
}
