/* What a reader should take home, in words. Never "significant": the difference, its interval, the count of recordings and the
 * p-value stand side by side, and the reader judges. */
#include "evaluate/compared.h"
#include "evaluate/work.h"
#include "report/tables/tables.h"

#include <ctype.h>
#include <string.h>

/* " (3.93 % of all, in 20 of 20 recordings)" */
static void add_rate(const sp_comparison *c, const sp_strategy_result *one, sp_buffer *line)
{
    sp_buffer_text(line, " (");
    sp_buffer_percent(line, one->counts.illegal, one->counts.transitions);
    sp_buffer_say(line, " of all, in %jd of %jd {recording(s)})", one->recordings_with_illegal,
                  c->n_recordings);
}

static void add_legality(const sp_comparison *c, const sp_strategy_result *strategy, sp_buffer *line)
{
    const sp_transition_counts *counts = &strategy->counts;
    sp_buffer_say(line, "%s: ", strategy->name);
    if (counts->illegal == 0) {
        sp_buffer_say(line, "no illegal transition%s",
                      strategy->is_legal_by_construction && !strategy->n_broken ? " (by construction)" : "");
        return;
    }
    sp_buffer_say(line, "%jd illegal transition%s", counts->illegal, sp_plural(counts->illegal));
    add_rate(c, strategy, line);
}

static const sp_pair_comparison *pair_of(sp_pairs pairs, int32_t a, int32_t b)
{
    for (int32_t i = 0; i < pairs.n; i++)
        if (pairs.list[i].a == a && pairs.list[i].b == b)
            return pairs.list + i;
    return NULL;
}

/* ---- headline ---- */

static int32_t strategy_named(const sp_comparison *c, const char *name)
{
    for (int32_t s = 0; s < c->n_strategies; s++)
        if (!strcmp(c->strategies[s].name, name))
            return s;
    return -1;
}

int32_t sp_argmax_strategy(const sp_comparison *c)
{
    return c->n_strategies ? c->strategies[0].argmax : -1;
}

/* The first that is legal, by construction or as it came out; -1: none is. */
static int32_t first_legal(const sp_comparison *c, int32_t n, bool by_construction)
{
    const int32_t argmax = sp_argmax_strategy(c), greedy = strategy_named(c, "greedy");
    int32_t first = -1;
    for (int32_t s = 0; s < n && (first < 0 || first == greedy); s++) {
        const sp_strategy_result *one = &c->strategies[s];
        const bool is_legal = by_construction ? one->is_legal_by_construction : !one->counts.illegal;
        if (s != argmax && is_legal && one->n_undecoded < c->n_recordings && (first < 0 || s != greedy))
            first = s;
    }
    return first;
}

int32_t sp_focus_strategy(const sp_comparison *c)
{
    const int32_t n = c->n_against ? c->against[0].first : c->n_strategies;
    int32_t focus = first_legal(c, n, true);
    if (focus < 0)
        focus = first_legal(c, n, false);
    return focus >= 0 ? focus : n - 1;
}

int32_t sp_same_strategy(const sp_comparison *c, int32_t strategy, int32_t i)
{
    const sp_against *against = &c->against[i];
    for (int32_t s = against->first; s < against->first + against->n_strategies; s++)
        if (!strcmp(c->strategies[s].name + strlen(against->name) + 1, c->strategies[strategy].name))
            return s;
    return -1;
}

/* Words for a difference that is surely above 0, surely below, neither, and not known. */
typedef const char *const sureness[4];

static const char *word_for(const sp_difference *d, sureness words)
{
    return !d || d->low.undefined || d->high.undefined ? words[3]
           : sp_as_shown(d->low.value, 4) > 0          ? words[0]
           : sp_as_shown(d->high.value, 4) < 0         ? words[1]
                                                       : words[2];
}

/* "viterbi is more accurate: 0.8180 against 0.8169, +0.11 percentage points (95 % interval -0.10 to +0.30, 20 recordings).", after
 * what leads to it where there is an interval, and where there is none. False, and nothing is added, where an accuracy is not known. */
static bool add_accuracies(const sp_comparison *c, int32_t focus, int32_t other, sureness words,
                           const char *const leads_to[2], sp_buffer *line)
{
    const sp_value *a = &c->strategies[focus].agreement.accuracy,
                   *b = &c->strategies[other].agreement.accuracy;
    const sp_pair_comparison *pair = pair_of(sp_tested_pairs(c), focus, other);
    const sp_difference *d = pair ? &pair->difference : NULL;
    const bool has_interval = d && !d->low.undefined && !d->high.undefined;
    if (!c->strategies[focus].has_agreement || a->undefined || b->undefined)
        return false;
    sp_buffer_say(line, "%s%s", leads_to[!has_interval], c->strategies[focus].name);
    sp_buffer_say(line, "%s%.4f against %.4f, %+.2f percentage points", word_for(d, words), a->value,
                  b->value, 100 * (a->value - b->value));
    if (has_interval)
        sp_buffer_say(line, " (%g %% interval %+.2f to %+.2f, %jd %s)", 100 * c->level, 100 * d->low.value,
                      100 * d->high.value, d->n, sp_unit_name(c, line->words, d->n));
    sp_buffer_text(line, ".");
    return true;
}

/* The same strategy on another classifier's scores: "Against old (old.h5), viterbi is more accurate: ..." */
static void add_against(const sp_comparison *c, int32_t focus, int32_t i, sp_buffer *line)
{
    static sureness words = {
        " is more accurate: ", " is less accurate: ", " is about as accurate: ", " has accuracy "};
    const sp_against *against = &c->against[i];
    const int32_t other = sp_same_strategy(c, focus, i);
    const sp_strategy_result *ours = &c->strategies[focus], *theirs = &c->strategies[other];
    sp_buffer_say(line, "Against %s", against->name);
    if (against->file)
        sp_buffer_say(line, " (%s)", against->file);
    if (!add_accuracies(c, focus, other, words, (const char *const[]){", ", ": "}, line))
        sp_buffer_text(line, ":");
    sp_buffer_say(line,
                  theirs->counts.illegal ? " With its scores %s makes %jd illegal transition%s"
                                         : " With its scores %s makes no illegal transition",
                  ours->name, theirs->counts.illegal, sp_plural(theirs->counts.illegal));
    if (theirs->argmax >= 0 && theirs->argmax != other)
        sp_buffer_say(line, ", argmax %jd", c->strategies[theirs->argmax].counts.illegal);
    sp_buffer_text(line, ".");
}

/* " (viterbi − argmax +0.0388, 95 % interval +0.0102 to +0.0655)", where there is one. */
static void add_lead_interval(const sp_comparison *c, int32_t focus, const char *key, sp_buffer *line)
{
    const int32_t argmax = sp_argmax_strategy(c);
    const sp_pair_comparison *pair = pair_of(sp_pairs_by(c, key), focus, argmax);
    if (!pair || pair->difference.low.undefined || pair->difference.high.undefined)
        return;
    sp_buffer_say(line, " (%s − argmax %+.4f, %g %% interval %+.4f to %+.4f)", c->strategies[focus].name,
                  pair->difference.difference.value, 100 * c->level, pair->difference.low.value,
                  pair->difference.high.value);
}

/* What the kind of work reads first: "Entity F1: viterbi 0.5210, argmax 0.4822, greedy 0.5013. ", the focus first. */
static void add_lead(const sp_comparison *c, int32_t focus, const char *lead, sp_buffer *line)
{
    const sp_figure *figure = sp_figure_find(SP_OF_STRATEGY, lead, strlen(lead));
    sp_buffer_format(line, "%s: ", sp_compared_by(lead)->heading);
    for (int32_t i = -1, n = 0; i < c->n_strategies; i++) {
        const sp_strategy_result *one = &c->strategies[i < 0 ? focus : i];
        if (i == focus || one->classifier)
            continue;
        const sp_value value = sp_figure_value(figure, &(sp_figure_owner){one, one, c});
        sp_buffer_say(line, "%s%s ", n++ ? ", " : "", one->name);
        if (value.undefined)
            sp_buffer_text(line, "undefined");
        else
            sp_buffer_fixed(line, value.value, 4);
    }
    add_lead_interval(c, focus, lead, line);
    sp_buffer_text(line, ". ");
}

/* "argmax makes 695 (3.93 % of all, in 20 of 20 recordings)" */
static void add_makes(const sp_comparison *c, const sp_strategy_result *one, sp_buffer *line)
{
    sp_buffer_say(line, "%s makes ", one->name);
    if (one->counts.illegal == 0) {
        sp_buffer_text(line, "none either");
        return;
    }
    sp_buffer_count(line, one->counts.illegal);
    add_rate(c, one, line);
}

static void add_headline(const sp_comparison *c, int32_t focus, int32_t argmax, sp_buffer *line)
{
    static sureness against_argmax = {" is more accurate than argmax: ", " is less accurate than argmax: ",
                                      " is about as accurate as argmax: ", " against argmax: accuracy "};
    static sureness against_greedy = {" is more accurate than greedy: ", " is less accurate than greedy: ",
                                      " is about as accurate as greedy: ", " against greedy: accuracy "};
    static const char *const next[] = {" ", " "};
    const sp_strategy_result *strategy = &c->strategies[focus];
    const int32_t greedy = strategy_named(c, "greedy");
    for (const char *const *lead = sp_work_about(c->work)->leads; c->n_scored_steps && *lead; lead++)
        add_lead(c, focus, *lead, line);
    if (argmax < 0 || argmax == focus) {
        add_legality(c, strategy, line);
        sp_buffer_text(line, ".");
        return;
    }
    int64_t n = strategy->counts.illegal;
    sp_buffer_say(line, "%s%s", strategy->name, n ? " makes " : " makes no");
    if (n)
        sp_buffer_count(line, n);
    sp_buffer_format(line, " illegal transition%s; ", sp_plural(n == 0 ? 1 : n));
    add_makes(c, &c->strategies[argmax], line);
    if (greedy >= 0 && greedy != focus) {
        sp_buffer_text(line, ", ");
        if (c->strategies[greedy].counts.illegal)
            add_makes(c, &c->strategies[greedy], line);
        else
            sp_buffer_text(line, "greedy none");
    }
    sp_buffer_text(line, ".");
    add_accuracies(c, focus, argmax, against_argmax, next, line);
    if (greedy >= 0 && greedy != focus)
        add_accuracies(c, focus, greedy, against_greedy, next, line);
    sp_add_prices(c, line);
}

void sp_fill_headline(const sp_comparison *c, const sp_fill_options *options, sp_table *lines)
{
    (void)options;
    int32_t focus = sp_focus_strategy(c);
    sp_table_columns(lines, "headline");
    if (focus < 0)
        return;
    add_headline(c, focus, sp_argmax_strategy(c), sp_table_cell(lines, SP_TONE_PLAIN));
    for (int32_t i = 0; i < c->n_against; i++)
        if (sp_same_strategy(c, focus, i) >= 0)
            add_against(c, focus, i, sp_table_cell(lines, SP_TONE_PLAIN));
}
