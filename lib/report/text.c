#include "report/tables.h"
#include "statepath/report.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_WIDTH = 100, LEAST_WIDTH = 40, MATRIX_CLASSES = 12, PAIRS = 12, CLASSES = 30 };

typedef struct writer {
    const sp_comparison *comparison;
    sp_text_style style;
    bool is_verbose;
    sp_buffer out;
} writer;

static void add_name(sp_buffer *out, const writer *w, const char *text, int width)
{
    sp_buffer name = {0};
    sp_buffer_name(&name, text, width);
    sp_text_plain(out, name.data ? name.data : "", w->style.ascii);
    out->failed |= name.failed;
    sp_buffer_free(&name);
}

static void heading(writer *w, const char *text)
{
    sp_buffer_text(&w->out, w->style.colour ? "\n\033[1m" : "\n");
    sp_buffer_text(&w->out, text);
    sp_buffer_text(&w->out, w->style.colour ? "\033[0m\n" : "\n");
}

/* Adds a sentence broken at spaces, the following lines indented. */
static void wrapped(writer *w, const char *text, int indent)
{
    sp_buffer plain = {0};
    add_name(&plain, w, text, 0);
    int column = 0;
    for (char *word = plain.data; word && *word;) {
        size_t n = strcspn(word, " ");
        char end = word[n];
        word[n] = '\0';
        int width = sp_text_width(word);
        if (column > indent && column + 1 + width > w->style.width) {
            sp_buffer_text(&w->out, "\n");
            sp_buffer_repeat(&w->out, ' ', indent);
            column = indent;
        } else if (column) {
            sp_buffer_text(&w->out, " ");
            column++;
        }
        sp_buffer_text(&w->out, word);
        column += width;
        word += n + (end != '\0');
    }
    sp_buffer_text(&w->out, "\n");
    w->out.failed |= plain.failed;
    sp_buffer_free(&plain);
}

static void title(writer *w)
{
    const sp_comparison *c = w->comparison;
    sp_buffer line = {0};
    sp_buffer_format(&line, "%s: ", c->file ? c->file : "scores");
    sp_buffer_sizes(&line, c);
    wrapped(w, line.data ? line.data : "", 2);
    w->out.failed |= line.failed;
    sp_buffer_free(&line);
    sp_buffer_format(&line, "model %s: %d class%s, ", c->model_name ? c->model_name : "?", (int)c->n_classes,
                     c->n_classes == 1 ? "" : "es");
    sp_buffer_count(&line, c->forbidden_count);
    sp_buffer_format(&line, " forbidden transition%s", c->forbidden_count == 1 ? "" : "s");
    wrapped(w, line.data ? line.data : "", 2);
    w->out.failed |= line.failed;
    sp_buffer_free(&line);
}

static void table_with_heading(writer *w, const char *text, const sp_table *table)
{
    if (sp_table_rows(table) == 0 && !table->failed && !table->text.failed)
        return;
    if (text)
        heading(w, text);
    sp_table_text(table, &w->style, &w->out);
}

/* ---- confusion matrices, side by side ---- */

static size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* Width of a line in columns; ANSI codes take none. */
static int line_width(const char *line, size_t n)
{
    int width = 0;
    for (size_t i = 0; i < n;) {
        if (line[i] == '\033') {
            while (i < n && line[i] != 'm')
                i++;
            i++;
            continue;
        }
        char one[8] = {0};
        size_t bytes = 1;
        while (i + bytes < n && ((unsigned char)line[i + bytes] & 0xC0) == 0x80 && bytes < 4)
            bytes++;
        memcpy(one, line + i, bytes);
        width += sp_text_width(one);
        i += bytes;
    }
    return width;
}

static const char *line_at(const char *text, size_t index, size_t *length)
{
    while (index--)
        text += strcspn(text, "\n") + 1;
    *length = strcspn(text, "\n");
    return text;
}

static void beside(writer *w, const sp_buffer *blocks, const int *widths, int32_t n)
{
    size_t lines = count_lines(blocks[0].data);
    for (size_t i = 0; i < lines; i++) {
        for (int32_t b = 0; b < n; b++) {
            size_t length;
            const char *line = line_at(blocks[b].data, i, &length);
            sp_buffer_add(&w->out, line, length);
            if (b + 1 < n)
                sp_buffer_repeat(&w->out, ' ', widths[b] - line_width(line, length) + 4);
        }
        sp_buffer_text(&w->out, "\n");
    }
}

static void confusions(writer *w)
{
    const sp_comparison *c = w->comparison;
    if (!c->has_labels || c->n_scored_steps == 0 || c->n_strategies == 0)
        return;
    if (c->n_classes > MATRIX_CLASSES) {
        heading(w, "Confusion matrices");
        sp_buffer_format(&w->out,
                         "%d classes are too many for a terminal; the JSON holds them, with up to 60 classes the page too\n",
                         c->n_classes);
        return;
    }
    size_t n = (size_t)c->n_strategies;
    sp_buffer *blocks = calloc(n, sizeof *blocks);
    int *widths = calloc(n, sizeof *widths);
    if (!blocks || !widths) {
        w->out.failed = true;
    } else {
        heading(w, "Confusion (rows: reference, columns: decoded)");
        for (int32_t s = 0; s < c->n_strategies; s++) {
            sp_table table = {0};
            sp_fill_confusion(c, s, &table);
            sp_table_text(&table, &w->style, &blocks[s]);
            sp_table_free(&table);
            w->out.failed |= blocks[s].failed || !blocks[s].data;
            for (size_t i = 0; !w->out.failed && i < count_lines(blocks[s].data); i++) {
                size_t length;
                const char *line = line_at(blocks[s].data, i, &length);
                int width = line_width(line, length);
                widths[s] = width > widths[s] ? width : widths[s];
            }
        }
        for (int32_t s = 0; !w->out.failed && s < c->n_strategies;) {
            int32_t m = 1;
            int width = widths[s];
            while (s + m < c->n_strategies && width + 4 + widths[s + m] <= w->style.width)
                width += 4 + widths[s + m++];
            if (s)
                sp_buffer_text(&w->out, "\n");
            beside(w, blocks + s, widths + s, m);
            s += m;
        }
        for (size_t s = 0; s < n; s++)
            sp_buffer_free(&blocks[s]);
    }
    free(blocks);
    free(widths);
}

/* ---- sections ---- */

static void notes(writer *w)
{
    sp_table lines = {0};
    sp_fill_notes(w->comparison, &lines);
    w->out.failed |= lines.failed || lines.text.failed;
    if (!w->out.failed && sp_table_rows(&lines))
        sp_buffer_text(&w->out, "\n");
    for (size_t i = 1; !w->out.failed && i <= sp_table_rows(&lines); i++)
        wrapped(w, sp_table_get(&lines, i, 0), 2);
    sp_table_free(&lines);
}

static void illegal_pairs(writer *w)
{
    sp_table table = {0};
    int64_t limit = w->is_verbose ? 0 : PAIRS;
    int64_t n = sp_fill_illegal_pairs(w->comparison, limit, &table);
    table_with_heading(w, "Illegal transitions, by pair", &table);
    if (limit && n > limit)
        sp_buffer_format(&w->out, "and %lld more pairs (--verbose lists them, the JSON holds all)\n", (long long)(n - limit));
    sp_table_free(&table);
}

/* Sleep statistics and scorers, where there are any. */
static void people(writer *w)
{
    const sp_comparison *c = w->comparison;
    sp_table means = {0}, agreement = {0}, scorers = {0}, notes_ = {0};
    sp_fill_sleep_agreement(c, &agreement);
    if (w->is_verbose || sp_table_rows(&agreement) == 0)
        sp_fill_sleep_means(c, &means);
    table_with_heading(w, means.title, &means);
    table_with_heading(w, "Sleep: difference from the reference over recordings, bias ± 1.96 SD", &agreement);
    if (c->sleep && sp_table_rows(&means) + sp_table_rows(&agreement)) {
        sp_buffer line = {0};
        sp_fill_sleep_note(c, &line);
        wrapped(w, line.data ? line.data : "", 1);
        w->out.failed |= line.failed;
        sp_buffer_free(&line);
    }
    sp_fill_scorers(c, w->is_verbose, &scorers);
    table_with_heading(w, scorers.title, &scorers);
    sp_fill_scorer_notes(c, &notes_);
    w->out.failed |= notes_.failed || notes_.text.failed;
    for (size_t i = 1; !w->out.failed && i <= sp_table_rows(&notes_); i++)
        wrapped(w, sp_table_get(&notes_, i, 0), 2);
    sp_table_free(&means);
    sp_table_free(&agreement);
    sp_table_free(&scorers);
    sp_table_free(&notes_);
}

static void seconds(writer *w)
{
    const sp_comparison *c = w->comparison;
    heading(w, "Time spent decoding");
    for (int32_t s = 0; s < c->n_strategies; s++) {
        add_name(&w->out, w, c->strategies[s].name, 0);
        sp_buffer_text(&w->out, "  ");
        sp_buffer_fixed(&w->out, c->strategies[s].seconds, 3);
        sp_buffer_text(&w->out, " s\n");
    }
}

static bool has_star(const sp_table *table)
{
    for (size_t i = 0; i < table->n_cells; i++)
        if (table->cells[i].tone == SP_TONE_BEST)
            return true;
    return false;
}

static void interval_note(writer *w)
{
    sp_buffer note = {0};
    sp_buffer_text(&note, "(interval: ");
    sp_add_level(&note, w->comparison->level);
    sp_buffer_format(&note, " %s, bootstrap over %s; p: ", sp_interval_name(w->comparison->interval),
                     sp_unit_name(w->comparison, 2));
    sp_add_test_name(w->comparison, &note);
    sp_buffer least = {0};
    if (sp_note_least_p(w->comparison, &least))
        sp_buffer_format(&note, "; %s", least.data ? least.data : "");
    note.failed |= least.failed;
    sp_buffer_free(&least);
    sp_buffer_text(&note, ")");
    wrapped(w, note.data ? note.data : "", 1);
    w->out.failed |= note.failed;
    sp_buffer_free(&note);
}

static void further(writer *w, void (*fill)(const sp_comparison *, sp_table *))
{
    sp_table table = {0};
    fill(w->comparison, &table);
    table_with_heading(w, table.title, &table);
    sp_table_free(&table);
}

/* What only --verbose shows: differences of the other metrics, illegal rates, probabilities. */
static void more_figures(writer *w)
{
    static const char *const metrics[] = {"kappa", "macro_f1", "illegal_rate"};
    sp_table probabilities = {0};
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        sp_table table = {0};
        sp_fill_metric_differences(w->comparison, metrics[i], false, &table);
        table_with_heading(w, table.title, &table);
        sp_table_free(&table);
    }
    further(w, sp_fill_several);
    if (w->comparison->mean_ranks) {
        sp_buffer line = {0};
        sp_note_several(w->comparison, &line);
        wrapped(w, line.data ? line.data : "", 1);
        w->out.failed |= line.failed;
        sp_buffer_free(&line);
    }
    further(w, sp_fill_step_tests);
    if (w->comparison->n_scored_steps) {
        for (int32_t s = 0; s < w->comparison->n_strategies; s++) {
            sp_table detail = {0};
            sp_buffer title = {0}, plain = {0};
            sp_fill_class_detail(w->comparison, s, &detail);
            sp_add_detail_title(w->comparison, s, &title);
            add_name(&plain, w, title.failed ? "" : title.data, 0);
            table_with_heading(w, plain.data, &detail);
            w->out.failed |= title.failed || plain.failed;
            sp_buffer_free(&title);
            sp_buffer_free(&plain);
            sp_table_free(&detail);
        }
        further(w, sp_fill_changes);
        further(w, sp_fill_contexts);
        further(w, sp_fill_boundaries);
    }
    if (w->comparison->n_classes <= CLASSES)
        further(w, sp_fill_bouts);
    further(w, sp_fill_error_runs);
    further(w, sp_fill_illegal_rates);
    further(w, sp_fill_change_rates);
    sp_fill_probabilities(w->comparison, &probabilities);
    table_with_heading(w, probabilities.title, &probabilities);
    sp_table_free(&probabilities);
}

sp_status sp_report_text(const sp_comparison *comparison, const sp_text_options *options, char **out, sp_error *err)
{
    int width = options && options->width > 0 ? options->width : DEFAULT_WIDTH;
    writer w = {.comparison = comparison, .style = {.width = width < LEAST_WIDTH ? LEAST_WIDTH : width}};
    if (options) {
        w.style.colour = options->colour;
        w.style.ascii = options->ascii;
        w.is_verbose = options->verbose;
    }
    sp_table leaderboard = {0}, differences = {0}, classes = {0}, undecoded = {0}, recordings = {0};
    title(&w);
    sp_fill_leaderboard(comparison, false, &leaderboard);
    sp_buffer_text(&w.out, "\n");
    sp_table_text(&leaderboard, &w.style, &w.out);
    if (has_star(&leaderboard))
        sp_buffer_text(&w.out, "* best of its column\n");
    notes(&w);
    sp_fill_differences(comparison, &differences);
    table_with_heading(&w, differences.title, &differences);
    if (comparison->n_comparisons)
        interval_note(&w);
    if (comparison->n_scored_steps)
        further(&w, sp_fill_entities);
    further(&w, sp_fill_margins);
    if (w.is_verbose)
        more_figures(&w);
    if (w.is_verbose || comparison->n_collapsed_asked)
        further(&w, sp_fill_collapsed);
    confusions(&w);
    if (comparison->n_scored_steps && (comparison->n_classes <= CLASSES || w.is_verbose))
        sp_fill_class_f1(comparison, &classes);
    table_with_heading(&w, "F1 by class", &classes);
    illegal_pairs(&w);
    people(&w);
    if (w.is_verbose) {
        sp_fill_undecoded(comparison, 0, &undecoded);
        table_with_heading(&w, "Recordings that could not be decoded", &undecoded);
        sp_fill_recordings(comparison, true, &recordings);
        table_with_heading(&w, recordings.title, &recordings);
        seconds(&w);
    }
    sp_table_free(&leaderboard);
    sp_table_free(&differences);
    sp_table_free(&classes);
    sp_table_free(&undecoded);
    sp_table_free(&recordings);
    return sp_buffer_finish(&w.out, out, err);
}
