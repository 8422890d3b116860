/* Tables for a paper. The leaderboard of a page is too wide for a column of print: it is split into what the rules say and how
 * well the reference is met, and the means over recordings stand with their SD. */
#include "report/tables.h"
#include "statepath/report.h"

#include <math.h>
#include <stdio.h>

enum { MATRIX_CLASSES = 12, CLASSES = 40, PAIRS = 20 };

static void fill_legality(const sp_comparison *c, sp_table *table)
{
    bool has_undecoded = sp_has_undecoded(c);
    table->title = "Transitions that the model forbids";
    sp_table_column(table, SP_LEFT, "strategy");
    sp_table_column(table, SP_RIGHT, "illegal");
    sp_table_column(table, SP_RIGHT, "of transitions");
    sp_table_column(table, SP_RIGHT, "recordings");
    sp_table_column(table, SP_RIGHT, "changes");
    if (has_undecoded)
        sp_table_column(table, SP_RIGHT, "undecoded");
    for (int32_t s = 0; s < c->n_strategies; s++) {
        const sp_strategy_result *one = &c->strategies[s];
        sp_table_cell_text(table, SP_TONE_PLAIN, one->name);
        sp_table_cell_count(table, SP_TONE_PLAIN, one->counts.illegal);
        sp_buffer_percent(sp_table_cell(table, SP_TONE_PLAIN), one->counts.illegal, one->counts.transitions);
        sp_table_cell_count(table, SP_TONE_PLAIN, one->recordings_with_illegal);
        sp_table_cell_count(table, SP_TONE_PLAIN, one->counts.changes);
        if (has_undecoded)
            sp_table_cell_count(table, SP_TONE_PLAIN, one->n_undecoded);
    }
    if (!c->has_labels)
        return;
    sp_table_cell_text(table, SP_TONE_PLAIN, "reference");
    sp_table_cell_count(table, SP_TONE_PLAIN, c->reference.illegal);
    sp_buffer_percent(sp_table_cell(table, SP_TONE_PLAIN), c->reference.illegal, c->reference.transitions);
    sp_table_cell_text(table, SP_TONE_MUTED, "–");
    sp_table_cell_count(table, SP_TONE_PLAIN, c->reference.changes);
    if (has_undecoded)
        sp_table_cell_text(table, SP_TONE_MUTED, "–");
}

/* ---- agreement, the best of each column marked ---- */

enum { N_FIGURES = 7, FIRST_MEAN = 5 };

static const sp_value *figure_of(const sp_strategy_result *s, int i)
{
    const sp_value *figures[N_FIGURES] = {&s->agreement.accuracy, &s->agreement.kappa,       &s->agreement.mcc,
                                          &s->agreement.macro_f1, &s->agreement.weighted_f1, &s->mean_accuracy,
                                          &s->mean_kappa};
    return figures[i];
}

/* The greatest value as shown where not all are the same, else NaN. */
static double best_of(const sp_comparison *c, int i)
{
    double best = NAN, worst = NAN;
    for (int32_t s = 0; s < c->n_strategies; s++) {
        const sp_value *value = figure_of(&c->strategies[s], i);
        if (!c->strategies[s].has_agreement || value->undefined)
            continue;
        double shown = sp_as_shown(value->value, 3);
        best = isnan(best) || shown > best ? shown : best;
        worst = isnan(worst) || shown < worst ? shown : worst;
    }
    return best > worst ? best : NAN;
}

static void fill_agreement(const sp_comparison *c, sp_table *table)
{
    static const char *const names[N_FIGURES] = {"accuracy",    "kappa",         "MCC",       "macro F1",
                                                 "weighted F1", "mean accuracy", "mean kappa"};
    if (!c->has_labels || c->n_scored_steps == 0)
        return;
    table->title = "Agreement with the reference, pooled over all scored steps; means over recordings ± SD";
    sp_table_column(table, SP_LEFT, "strategy");
    for (int i = 0; i < N_FIGURES; i++)
        sp_table_column(table, SP_RIGHT, names[i]);
    for (int32_t s = 0; s < c->n_strategies; s++) {
        const sp_strategy_result *one = &c->strategies[s];
        sp_table_cell_text(table, SP_TONE_PLAIN, one->name);
        for (int i = 0; i < N_FIGURES; i++) {
            const sp_value *value = figure_of(one, i), *sd = i == FIRST_MEAN ? &one->sd_accuracy : &one->sd_kappa;
            bool is_best = !value->undefined && sp_as_shown(value->value, 3) == best_of(c, i);
            sp_cell_value(table, value, 3, is_best ? SP_TONE_BEST : SP_TONE_PLAIN);
            if (i >= FIRST_MEAN && !value->undefined && !sd->undefined) {
                sp_buffer_text(&table->text, " ± "); /* the cell that was just begun */
                sp_buffer_fixed(&table->text, sd->value, 3);
            }
        }
    }
}

/* ---- the document ---- */

static void add(sp_table *table, const char *label, const char *scope, sp_buffer *out)
{
    sp_table_latex(table, label, scope, out);
    sp_table_free(table);
}

/* A comment ends with its line: names must not begin a new one. */
static void comment(sp_buffer *out, const char *before, const char *text, const char *after)
{
    sp_buffer_format(out, "%% %s", before);
    sp_buffer_name(out, text, 0);
    sp_buffer_format(out, "%s\n", after);
}

sp_status sp_report_latex(const sp_comparison *comparison, char **out, sp_error *err)
{
    const sp_comparison *c = comparison;
    sp_buffer text = {0};
    sp_table table = {0};
    const char *scope = c->file;
    sp_buffer_format(
        &text,
        "%% Made by statepath %s; needs \\usepackage{booktabs} and \\usepackage[T1]{fontenc}, and \\usepackage{textcomp} "
        "in LaTeX before 2020.\n",
        sp_version());
    comment(&text, "Input ", c->file ? c->file : "scores", "");
    comment(&text, "Model ", c->model_name ? c->model_name : "without a name", "");
    if (c->command)
        comment(&text, "Command ", c->command, "");
    sp_buffer_text(&text,
                   "% Letters that pdfLaTeX does not know; XeLaTeX and LuaLaTeX set them, if the font has them.\n"
                   "\\ifdefined\\Umathchar\\providecommand{\\spchar}[2]{#1}\\else\\providecommand{\\spchar}[2]{[U+#2]}\\fi\n");
    fill_legality(c, &table);
    add(&table, "legality", scope, &text);
    fill_agreement(c, &table);
    add(&table, "agreement", scope, &text);
    sp_fill_differences(c, &table);
    add(&table, "differences", scope, &text);
    if (c->n_scored_steps && c->n_classes <= CLASSES)
        sp_fill_class_f1(c, &table);
    add(&table, "classes", scope, &text);
    for (int32_t s = 0; c->n_scored_steps && c->n_classes <= MATRIX_CLASSES && s < c->n_strategies; s++) {
        char label[32];
        snprintf(label, sizeof label, "confusion-%d", (int)s + 1);
        sp_fill_confusion(c, s, &table);
        add(&table, label, scope, &text);
    }
    int64_t n_pairs = sp_fill_illegal_pairs(c, PAIRS, &table);
    if (n_pairs > PAIRS)
        sp_buffer_format(&text, "%% The %d most frequent of %lld illegal transitions:\n", PAIRS, (long long)n_pairs);
    add(&table, "illegal-pairs", scope, &text);
    sp_fill_margins(c, &table);
    add(&table, "margins", scope, &text);
    sp_fill_several(c, &table);
    add(&table, "ranks", scope, &text);
    sp_fill_step_tests(c, &table);
    add(&table, "step-tests", scope, &text);
    sp_fill_error_runs(c, &table);
    add(&table, "error-runs", scope, &text);
    sp_fill_collapsed(c, &table);
    add(&table, "collapsed", scope, &text);
    sp_fill_sleep_means(c, &table);
    add(&table, "sleep", scope, &text);
    sp_fill_sleep_agreement(c, &table);
    add(&table, "sleep-agreement", scope, &text);
    sp_fill_scorers(c, false, &table);
    add(&table, "scorers", scope, &text);
    return sp_buffer_finish(&text, out, err);
}
