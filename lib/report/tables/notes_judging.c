/* What was judged in an unusual way, or looks wrong about it: sentences for the notes. */
#include "evaluate/compared.h"
#include "report/tables/tables.h"

#include <string.h>

/* Strategies that are suspected of the same names are told of together. */
static bool has_same_names(const sp_comparison *c, const sp_label_permutation *a,
                           const sp_label_permutation *b)
{
    return a->is_suspect && b->is_suspect &&
           memcmp(a->name_of, b->name_of, (size_t)c->n_classes * sizeof *a->name_of) == 0;
}

static void note_names(const sp_comparison *c, int32_t strategy, sp_buffer *line)
{
    enum { SHOWN = 6 };
    const sp_strategy_result *one = &c->strategies[strategy];
    const sp_label_permutation *p = &one->label_permutation;
    sp_buffer_say(line, "The classes may be named in another order than the labels: %s", one->name);
    for (int32_t s = strategy + 1; s < c->n_strategies; s++)
        if (has_same_names(c, p, &c->strategies[s].label_permutation))
            sp_buffer_say(line, ", %s", c->strategies[s].name);
    sp_buffer_text(line, " would agree far better");
    int shown = 0;
    for (int32_t k = 0; k < c->n_classes; k++)
        if (p->name_of[k] != k && shown++ < SHOWN)
            sp_buffer_say(line, "%s%s%s%s", shown == 1 ? " if " : ", ", c->classes[k],
                          shown == 1 ? " were called " : " ", c->classes[p->name_of[k]]);
    sp_buffer_say(line,
                  "%s%.4f instead of %.4f). Check the order of the columns (attribute classes) and what the "
                  "labels' numbers mean "
                  "({=codes}, {=map}).",
                  shown > SHOWN ? ", ... (accuracy " : " (accuracy ", p->accuracy.value,
                  one->agreement.accuracy.value);
}

void sp_note_permutation(const sp_comparison *c, sp_table *lines)
{
    for (int32_t s = 0; s < c->n_strategies; s++) {
        bool is_told = !c->strategies[s].label_permutation.is_suspect;
        for (int32_t before = 0; before < s; before++)
            is_told |= has_same_names(c, &c->strategies[before].label_permutation,
                                      &c->strategies[s].label_permutation);
        if (!is_told)
            note_names(c, s, sp_table_cell(lines, SP_TONE_BAD));
    }
}

void sp_note_shift(const sp_comparison *c, sp_table *lines)
{
    for (int32_t s = 0; s < c->n_strategies; s++) {
        const sp_label_shift *shift = &c->strategies[s].label_shift;
        const int64_t n = shift->steps < 0 ? -shift->steps : shift->steps;
        if (shift->is_suspect)
            sp_table_say(
                lines, SP_TONE_BAD,
                "The labels may stand %jd {step(s)} too %s: so much %s %s would agree better "
                "(accuracy %.4f instead of %.4f; in %jd of %jd stretches of %d {steps} that differ). "
                "Check that both begin at the same {step}.",
                n, shift->steps < 0 ? "late" : "early", shift->steps < 0 ? "earlier" : "later",
                c->strategies[s].name, shift->accuracy.value, shift->accuracy_here.value, shift->better,
                shift->better + shift->worse, SP_SHIFT_STRETCH);
    }
}

static void add_steps(sp_buffer *line, int64_t n)
{
    sp_buffer_say(line, "%jd {step(s)}", n);
}

static void note_cut(const sp_comparison *c, sp_table *lines)
{
    sp_buffer *line = sp_table_cell(lines, SP_TONE_PLAIN);
    sp_buffer_words(line, "Cut to the shorter of paths and labels ({=trim-to-shortest}): ");
    if (c->n_cut_recordings == 0) {
        sp_buffer_words(line, "all {recordings} are of the same length in both.");
        return;
    }
    sp_buffer_text(line, "the last ");
    add_steps(line, c->n_cut_path_steps);
    sp_buffer_say(line,
                  " of the paths and %jd of the labels are left out, in %jd {recording(s)}; nothing says "
                  "that they begin at the same time.",
                  c->n_cut_label_steps, c->n_cut_recordings);
}

static void note_codes(const sp_comparison *c, sp_table *lines)
{
    if (!c->path_codes && !c->label_codes)
        return;
    sp_buffer *line = sp_table_cell(lines, SP_TONE_PLAIN);
    bool is_one = c->path_codes && c->label_codes && strcmp(c->path_codes, c->label_codes) == 0;
    sp_buffer_say(line, "%s are read by the codes %s",
                  is_one          ? "Paths and labels"
                  : c->path_codes ? "Paths"
                                  : "Labels",
                  c->path_codes ? c->path_codes : c->label_codes);
    if (c->path_codes && c->label_codes && !is_one)
        sp_buffer_say(line, ", labels by %s", c->label_codes);
    sp_buffer_text(line, ".");
}

static void note_margin(const sp_comparison *c, sp_table *lines)
{
    const sp_pairs pairs = sp_tested_pairs(c);
    for (int32_t i = 0; i < pairs.n; i++) {
        const sp_pair_comparison *pair = &pairs.list[i];
        const char *answer = sp_margin_answer(c, pair);
        const sp_strategy_result *a = &c->strategies[pair->a], *b = &c->strategies[pair->b];
        const bool is_shown =
            a->classifier == b->classifier
                ? pair->b == a->argmax
                : a->classifier == 0 && sp_same_strategy(c, pair->a, b->classifier - 1) == pair->b;
        if (!answer || !is_shown)
            continue;
        sp_table_say(lines, SP_TONE_PLAIN,
                     "%s%s%.2f percentage points of accuracy against %s%s: the interval begins at %+.2f "
                     "({=margin}, to be "
                     "set before looking).",
                     c->strategies[pair->a].name,
                     strcmp(answer, "yes") ? ": that it loses no more than " : " loses no more than ",
                     100 * c->margin, b->name, strcmp(answer, "yes") ? " is not shown" : "",
                     100 * pair->difference.low.value);
    }
}

static void note_trim(const sp_comparison *c, sp_table *lines)
{
    int64_t n = 0;
    for (int64_t r = 0; r < c->n_recordings; r++)
        n += c->trimmed_steps[r] > 0;
    sp_table_say(lines, SP_TONE_PLAIN,
                 "Wake more than %g min before or after the reference's sleep is left out of agreement: %jd "
                 "{step(s)} of %jd "
                 "{recording(s)} ({=wake-trim}). Sleep statistics are of whole {recordings}.",
                 c->wake_trim_minutes, c->n_trimmed_steps, n);
}

void sp_note_judging(const sp_comparison *c, sp_table *lines)
{
    if (c->has_wake_trim && c->trimmed_steps)
        note_trim(c, lines);
    for (int32_t s = 0; s < c->n_strategies; s++)
        if (c->strategies[s].zero_steps)
            sp_table_say(lines, SP_TONE_PLAIN,
                         "%s takes a class of probability 0 at %jd {step(s)}; regret is over the others.",
                         c->strategies[s].name, c->strategies[s].zero_steps);
    if (c->has_margin)
        note_margin(c, lines);
    note_codes(c, lines);
    if (c->has_length_trim)
        note_cut(c, lines);
    if (c->has_ties && c->tie_steps) {
        sp_buffer *line = sp_table_cell(lines, SP_TONE_PLAIN);
        sp_buffer_format(line, "The greatest score%s of ", c->n_against ? " of the first classifier" : "");
        add_steps(line, c->tie_steps);
        sp_buffer_text(line, " is that of several classes");
        if (c->has_labels)
            sp_buffer_say(line, " (%jd with a reference)", c->tie_scored_steps);
        sp_buffer_text(line, ": argmax takes the first of them.");
    }
}
