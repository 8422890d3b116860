#include "report/tables.h"
#include "statepath/report.h"

enum { MATRIX_CLASSES = 20, CLASSES = 60, PAIRS = 30 };

static void heading(sp_buffer *out, const char *text)
{
    sp_buffer_format(out, "\n### %s\n\n", text);
}

static void section(sp_buffer *out, const char *text, const sp_table *table)
{
    if (sp_table_rows(table) == 0 && !table->failed && !table->text.failed)
        return;
    heading(out, text);
    sp_table_markdown(table, out);
}

static void list(sp_buffer *out, const sp_table *lines)
{
    out->failed |= lines->failed || lines->text.failed;
    if (!out->failed && sp_table_rows(lines))
        sp_buffer_text(out, "\n");
    for (size_t i = 1; !out->failed && i <= sp_table_rows(lines); i++) {
        sp_buffer_text(out, "- ");
        sp_buffer_markdown(out, sp_table_get(lines, i, 0));
        sp_buffer_text(out, "\n");
    }
}

static void title(const sp_comparison *c, sp_buffer *out)
{
    sp_buffer_text(out, "## ");
    sp_buffer_markdown(out, c->file ? c->file : "scores");
    sp_buffer_text(out, "\n\n");
    sp_buffer_sizes(out, c);
    sp_buffer_text(out, "; model ");
    sp_buffer_markdown(out, c->model_name ? c->model_name : "without a name");
    sp_buffer_text(out, ", ");
    sp_buffer_count(out, c->forbidden_count);
    sp_buffer_format(out, " forbidden transition%s.\n\n", c->forbidden_count == 1 ? "" : "s");
}

/* Tables under their own titles. */
static void further(const sp_comparison *c, sp_buffer *out)
{
    static void (*const fillers[])(const sp_comparison *, sp_table *) = {
        sp_fill_illegal_rates, sp_fill_change_rates, sp_fill_margins,  sp_fill_several,   sp_fill_step_tests,
        sp_fill_error_runs,    sp_fill_collapsed,    sp_fill_contexts, sp_fill_boundaries};
    for (size_t i = 0; i < sizeof fillers / sizeof *fillers; i++) {
        sp_table table = {0};
        fillers[i](c, &table);
        section(out, table.title, &table);
        if (fillers[i] == sp_fill_several && sp_table_rows(&table)) {
            sp_buffer_text(out, "\n");
            sp_note_several(c, out);
            sp_buffer_text(out, "\n");
        }
        sp_table_free(&table);
    }
}

static void confusions(const sp_comparison *c, sp_buffer *out)
{
    if (!c->n_scored_steps || c->n_classes > MATRIX_CLASSES)
        return;
    heading(out, "Confusion (rows: reference, columns: decoded)");
    for (int32_t s = 0; s < c->n_strategies; s++) {
        sp_table table = {0};
        sp_fill_confusion(c, s, &table);
        sp_buffer_text(out, s ? "\n" : "");
        sp_table_markdown(&table, out);
        sp_table_free(&table);
    }
}

/* Each class under each strategy; entities; runs. */
static void class_details(const sp_comparison *c, sp_buffer *out)
{
    if (c->n_classes > CLASSES)
        return;
    for (int32_t s = 0; c->n_scored_steps && s < c->n_strategies; s++) {
        sp_table detail = {0};
        sp_buffer title = {0}, escaped = {0};
        sp_fill_class_detail(c, s, &detail);
        sp_add_detail_title(c, s, &title);
        sp_buffer_markdown(&escaped, title.failed ? "" : title.data);
        section(out, escaped.failed ? "" : escaped.data, &detail);
        out->failed |= title.failed || escaped.failed;
        sp_buffer_free(&title);
        sp_buffer_free(&escaped);
        sp_table_free(&detail);
    }
    sp_table bouts = {0};
    sp_fill_bouts(c, &bouts);
    section(out, bouts.title, &bouts);
    sp_table_free(&bouts);
}

static void entities(const sp_comparison *c, sp_buffer *out)
{
    sp_table table = {0};
    if (!c->has_entities || !c->n_scored_steps)
        return;
    sp_fill_entities(c, &table);
    section(out, table.title, &table);
    sp_table_free(&table);
}

static void people(const sp_comparison *c, sp_buffer *out)
{
    sp_table means = {0}, agreement = {0}, scorers = {0}, lines = {0};
    sp_fill_sleep_means(c, &means);
    section(out, means.title, &means);
    if (c->sleep && sp_table_rows(&means)) {
        sp_buffer_text(out, "\n");
        sp_fill_sleep_note(c, out);
        sp_buffer_text(out, "\n");
    }
    sp_fill_sleep_agreement(c, &agreement);
    section(out, agreement.title, &agreement);
    sp_fill_scorers(c, true, &scorers);
    section(out, scorers.title, &scorers);
    sp_fill_scorer_notes(c, &lines);
    list(out, &lines);
    sp_table_free(&means);
    sp_table_free(&agreement);
    sp_table_free(&scorers);
    sp_table_free(&lines);
}

/* The metrics that are compared but not tested. */
static void more_differences(const sp_comparison *c, sp_buffer *out)
{
    static const char *const metrics[] = {"kappa", "macro_f1", "illegal_rate"};
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        sp_table table = {0};
        sp_fill_metric_differences(c, metrics[i], false, &table);
        section(out, table.title, &table);
        sp_table_free(&table);
    }
}

sp_status sp_report_markdown(const sp_comparison *comparison, char **out, sp_error *err)
{
    sp_buffer text = {0};
    sp_table leaderboard = {0}, notes = {0}, differences = {0}, changes = {0}, classes = {0}, pairs = {0}, probabilities = {0},
             calibrations = {0};
    title(comparison, &text);
    sp_fill_leaderboard(comparison, true, &leaderboard);
    sp_table_markdown(&leaderboard, &text);
    sp_fill_notes(comparison, &notes);
    list(&text, &notes);
    entities(comparison, &text);
    sp_fill_differences(comparison, &differences);
    section(&text, differences.title, &differences);
    if (comparison->n_comparisons) {
        sp_buffer_text(&text, "\nInterval: ");
        sp_add_level(&text, comparison->level);
        sp_buffer_format(&text, " %s, bootstrap over %s. p: ", sp_interval_name(comparison->interval),
                         sp_unit_name(comparison, 2));
        sp_add_test_name(comparison, &text);
        size_t before = text.length;
        sp_buffer_text(&text, "; ");
        if (!sp_note_least_p(comparison, &text))
            text.length = before;
        sp_buffer_text(&text, ".\n");
    }
    more_differences(comparison, &text);
    sp_fill_probabilities(comparison, &probabilities);
    section(&text, probabilities.title, &probabilities);
    sp_fill_calibrations(comparison, &calibrations);
    section(&text, calibrations.title, &calibrations);
    sp_fill_changes(comparison, &changes);
    section(&text, "Steps that differ from argmax", &changes);
    confusions(comparison, &text);
    if (comparison->n_scored_steps && comparison->n_classes <= CLASSES)
        sp_fill_class_f1(comparison, &classes);
    section(&text, "F1 by class", &classes);
    class_details(comparison, &text);
    int64_t n = sp_fill_illegal_pairs(comparison, PAIRS, &pairs);
    section(&text, "Illegal transitions, by pair", &pairs);
    if (n > PAIRS)
        sp_buffer_format(&text, "\nand %lld more pairs.\n", (long long)(n - PAIRS));
    further(comparison, &text);
    people(comparison, &text);
    sp_table_free(&leaderboard);
    sp_table_free(&notes);
    sp_table_free(&differences);
    sp_table_free(&changes);
    sp_table_free(&classes);
    sp_table_free(&pairs);
    sp_table_free(&probabilities);
    sp_table_free(&calibrations);
    return sp_buffer_finish(&text, out, err);
}
