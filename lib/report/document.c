#include "report/document.h"

#include <stdlib.h>
#include <string.h>

#define TERMINAL SP_TERMINAL
#define VERBOSE SP_VERBOSE
#define MARKDOWN SP_MARKDOWN
#define LATEX SP_LATEX
#define ALL SP_VERBOSE | SP_MARKDOWN
#define COLUMNS(table) .columns = SP_IN_##table
#define PAGE(classes_) SP_PAGE, .classes = classes_

/* clang-format off */
static const sp_document_row rows[] = {
    {"strategies", "", NULL, .where = TERMINAL, COLUMNS(NARROW)},
    {"strategies-wide", "", NULL, .where = MARKDOWN, COLUMNS(WIDE)},
    {"legality", "Transitions that the model forbids", NULL, .where = LATEX, COLUMNS(LEGALITY), .reference = SP_REFERENCE_LAST},
    {"agreement", "Agreement with the reference, pooled over all scored {steps}; means over {recordings} ± SD", NULL, .where = LATEX, COLUMNS(AGREEMENT), .is_scored = true},
    {"notes", "", sp_fill_notes, .where = TERMINAL | MARKDOWN, .kind = SP_SENTENCES},
    {"differences-entity-f1", NULL, sp_fill_differences, .where = TERMINAL | MARKDOWN | LATEX, .metric = "entity_f1"},
    {"differences-f1-at-50", NULL, sp_fill_differences, .where = TERMINAL | MARKDOWN | LATEX, .metric = "f1_at_50"},
    {"differences-f1-at-25", NULL, sp_fill_differences, .where = ALL, .metric = "f1_at_25"},
    {"differences-f1-at-10", NULL, sp_fill_differences, .where = ALL, .metric = "f1_at_10"},
    {"differences-edit", NULL, sp_fill_differences, .where = TERMINAL | MARKDOWN | LATEX, .metric = "edit_score"},
    {"differences", NULL, sp_fill_differences, .where = TERMINAL | MARKDOWN | LATEX, .metric = "accuracy", .note = sp_note_interval},
    {"margins", NULL, sp_fill_margins, .where = TERMINAL | MARKDOWN | LATEX | PAGE("wide")},
    {"differences-kappa", NULL, sp_fill_differences, .where = ALL, .metric = "kappa"},
    {"differences-macro-f1", NULL, sp_fill_differences, .where = ALL, .metric = "macro_f1"},
    {"differences-illegal", NULL, sp_fill_differences, .where = ALL, .metric = "illegal_rate"},
    {"ranks", NULL, sp_fill_several, .where = ALL | LATEX | PAGE(""), .note = sp_note_several},
    {"step-tests", NULL, sp_fill_step_tests, .where = ALL | LATEX | PAGE("")},
    {"rates", "Illegal transitions: how often, and the {recording} with the most", NULL, .where = ALL, COLUMNS(RATES), .reference = SP_REFERENCE_FIRST},
    {"counts", "Illegal transitions: how often, and the {recording} with the most", NULL, .where = PAGE("wide"), COLUMNS(COUNTS), .reference = SP_REFERENCE_FIRST},
    {"change-rates", NULL, sp_fill_change_rates, .where = ALL | PAGE("wide")},
    {"illegal-pairs", "Illegal transitions, by pair", sp_fill_illegal_pairs, .where = TERMINAL | MARKDOWN | LATEX, .most_rows = {12, 30, 20}},
    {"violations", NULL, sp_fill_violations, .where = TERMINAL | MARKDOWN | LATEX | PAGE("wide")},
    {"rule-costs", NULL, sp_fill_rule_costs, .where = TERMINAL | MARKDOWN | LATEX | PAGE("sortable wide"), .note = sp_note_rule_costs},
    {"rule-proposals", NULL, sp_fill_rule_proposals, .where = TERMINAL | MARKDOWN | LATEX | PAGE("sortable"), .most_rows = {12, 50, 20}, .note = sp_note_rule_proposals},
    {"confusion", "Confusion (rows: reference, columns: decoded)", sp_fill_confusion, .where = TERMINAL | MARKDOWN | LATEX, .kind = SP_MATRICES},
    {"confusion-left-out", "", sp_fill_confusion_left_out, .where = TERMINAL, .kind = SP_SENTENCES},
    {"classes", NULL, sp_fill_class_f1, .where = TERMINAL | MARKDOWN | LATEX},
    {"class-detail", "each class against the rest", sp_fill_class_detail, .where = ALL | PAGE("sortable"), .kind = SP_A_TABLE_EACH},
    {"collapsed", NULL, sp_fill_collapsed, .where = TERMINAL | MARKDOWN | LATEX | PAGE("sortable wide")},
    {"entities", "Entities: right when first {step}, last {step} and type are", NULL, .where = TERMINAL | MARKDOWN | PAGE(""), COLUMNS(ENTITIES), .is_scored = true},
    {"changes", NULL, sp_fill_changes, .where = ALL | PAGE("")},
    {"contexts", NULL, sp_fill_contexts, .where = ALL | PAGE("")},
    {"error-runs", "{Steps} that argmax has right and the strategy breaks, and how far such an error runs on", NULL, .where = ALL | LATEX | PAGE("wide"), COLUMNS(ERROR_RUNS)},
    {"runs", NULL, sp_fill_runs, .where = ALL | PAGE("sortable wide")},
    {"durations", NULL, sp_fill_durations, .where = TERMINAL | MARKDOWN | LATEX | PAGE("sortable wide")},
    {"run-places", NULL, sp_fill_run_places, .where = VERBOSE | MARKDOWN, .most_rows = {12, 30}},
    {"boundaries", "Changes of class found; edit score and F1@10, 25, 50 of the segments", NULL, .where = ALL | PAGE("wide"), COLUMNS(BOUNDARIES), .is_scored = true},
    {"undecoded", NULL, sp_fill_undecoded, .where = VERBOSE | PAGE("sortable"), .most_rows = {0, 100}},
    {"recordings", NULL, sp_fill_recordings, .where = VERBOSE},
    {"sleep", NULL, sp_fill_sleep_means, .where = TERMINAL | MARKDOWN | LATEX | PAGE("wide"), .note = sp_note_sleep_alone},
    {"sleep-agreement", "Sleep: difference from the reference over {recordings}, bias ± 1.96 SD", sp_fill_sleep_agreement, .where = TERMINAL | MARKDOWN | LATEX | PAGE("wide"), .note = sp_note_sleep},
    {"scorers", NULL, sp_fill_raters, .where = TERMINAL | MARKDOWN | LATEX},
    {"scorers-notes", NULL, sp_fill_rater_notes, .where = TERMINAL | MARKDOWN, .kind = SP_SENTENCES},
    {"calibrations", NULL, sp_fill_calibrations, .where = MARKDOWN | PAGE("wide")},
    {"probabilities", NULL, sp_fill_probabilities, .where = ALL | PAGE("prose wide")},
};
/* clang-format on */
enum { N_ROWS = sizeof rows / sizeof *rows };

const sp_document_row *sp_document_find(const char *key)
{
    for (size_t i = 0; i < N_ROWS; i++)
        if (rows[i].where & SP_PAGE && !strcmp(rows[i].key, key))
            return &rows[i];
    return NULL;
}

const char *sp_document_title(const sp_document_row *row, const sp_table *table)
{
    return row->title ? row->title : table->title;
}

void sp_document_fill(const sp_document_row *row, const sp_comparison *c, const sp_fill_options *options,
                      sp_table *table)
{
    table->text.words = &c->words;
    if (row->is_scored && c->n_scored_steps == 0)
        return;
    if (row->columns) {
        table->title = row->title;
        sp_fill_columns(c, row->columns, row->reference, table);
    } else {
        row->fill(c, options, table);
    }
}

/* ---- walking ---- */

static bool write_note(const sp_comparison *c, const sp_document_writer *w, const sp_document_row *row)
{
    sp_buffer line = {.words = &c->words};
    row->note(c, &line);
    if (line.length)
        w->note(w->arg, line.failed ? "" : line.data);
    const bool failed = line.failed;
    sp_buffer_free(&line);
    return !failed;
}

/* One table, or one for strategy `options->strategy`; its note after it. */
static bool write_one(const sp_comparison *c, const sp_document_writer *w, const sp_document_row *row,
                      const sp_fill_options *options)
{
    sp_table table = {0};
    bool ok = true;
    sp_document_fill(row, c, options, &table);
    if (!sp_table_failed(&table) && sp_table_rows(&table)) {
        if (row->kind == SP_SENTENCES)
            w->sentences(w->arg, row, &table);
        else
            w->table(w->arg, row, row->kind == SP_A_TABLE_EACH ? options->strategy : -1, &table);
        ok = !row->note || !w->note || write_note(c, w, row);
    }
    ok = ok && !sp_table_failed(&table);
    sp_table_free(&table);
    return ok;
}

static bool write_matrices(const sp_comparison *c, const sp_document_writer *w, const sp_document_row *row,
                           sp_fill_options options)
{
    sp_table *tables = calloc((size_t)c->n_strategies + 1, sizeof *tables);
    bool ok = tables;
    for (int32_t s = 0; ok && s < c->n_strategies; s++) {
        options.strategy = s;
        sp_document_fill(row, c, &options, &tables[s]);
        ok = !sp_table_failed(&tables[s]);
    }
    if (ok && c->n_strategies && sp_table_rows(&tables[0]))
        w->matrices(w->arg, row, tables, c->n_strategies);
    for (int32_t s = 0; tables && s < c->n_strategies; s++)
        sp_table_free(&tables[s]);
    free(tables);
    return ok;
}

bool sp_document_write(const sp_comparison *c, const sp_document_writer *writer)
{
    bool ok = true;
    for (size_t i = 0; ok && i < N_ROWS; i++) {
        const sp_document_row *row = &rows[i];
        sp_fill_options options = writer->options;
        if (!(row->where & writer->where))
            continue;
        options.metric = row->metric;
        options.most_rows = writer->rows_index < 0 ? 0 : row->most_rows[writer->rows_index];
        if (row->kind == SP_MATRICES)
            ok = write_matrices(c, writer, row, options);
        for (int32_t s = 0; ok && row->kind == SP_A_TABLE_EACH && s < c->n_strategies; s++) {
            options.strategy = s;
            ok = write_one(c, writer, row, &options);
        }
        if (ok && (row->kind == SP_A_TABLE || row->kind == SP_SENTENCES))
            ok = write_one(c, writer, row, &options);
    }
    return ok;
}
