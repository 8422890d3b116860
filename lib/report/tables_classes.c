#include "report/tables.h"

#include <math.h>
#include <stdlib.h>

void sp_fill_class_f1(const sp_comparison *comparison, sp_table *table)
{
    if (!comparison->has_labels)
        return;
    table->title = "F1 by class";
    sp_table_column(table, SP_LEFT, "class");
    sp_table_column(table, SP_RIGHT, "support");
    for (int32_t s = 0; s < comparison->n_strategies; s++)
        sp_table_column(table, SP_RIGHT, comparison->strategies[s].name);
    for (int32_t k = 0; k < comparison->n_classes && comparison->n_strategies; k++) {
        double best = -INFINITY, worst = INFINITY;
        for (int32_t s = 0; s < comparison->n_strategies; s++) {
            const sp_value *f1 = &comparison->strategies[s].classes[k].f1;
            if (f1->undefined)
                continue;
            best = fmax(best, sp_as_shown(f1->value, 3));
            worst = fmin(worst, sp_as_shown(f1->value, 3));
        }
        sp_table_cell_text(table, SP_TONE_PLAIN, comparison->classes[k]);
        sp_table_cell_count(table, SP_TONE_PLAIN, comparison->strategies[0].classes[k].support);
        for (int32_t s = 0; s < comparison->n_strategies; s++) {
            const sp_value *f1 = &comparison->strategies[s].classes[k].f1;
            sp_cell_value(table, f1, 3, best > worst && sp_as_shown(f1->value, 3) == best ? SP_TONE_BEST : SP_TONE_PLAIN);
        }
    }
}

void sp_fill_class_detail(const sp_comparison *comparison, int32_t strategy, sp_table *table)
{
    const sp_strategy_result *result = &comparison->strategies[strategy];
    if (!comparison->has_labels || !result->has_agreement)
        return;
    table->title = "Each class against the rest";
    sp_table_column(table, SP_LEFT, "class");
    sp_table_column(table, SP_RIGHT, "support");
    sp_table_column(table, SP_RIGHT, "predicted");
    sp_table_column(table, SP_RIGHT, "precision");
    sp_table_column(table, SP_RIGHT, "recall");
    sp_table_column(table, SP_RIGHT, "F1");
    sp_table_column(table, SP_RIGHT, "specificity");
    sp_table_column(table, SP_RIGHT, "NPV");
    sp_table_column(table, SP_RIGHT, "kappa");
    sp_table_column(table, SP_RIGHT, "PABAK");
    sp_table_column(table, SP_RIGHT, "bias");
    for (int32_t k = 0; k < comparison->n_classes; k++) {
        const sp_class_agreement *class = &result->classes[k];
        sp_table_cell_text(table, SP_TONE_PLAIN, comparison->classes[k]);
        sp_table_cell_count(table, SP_TONE_PLAIN, class->support);
        sp_table_cell_count(table, SP_TONE_PLAIN, class->predicted);
        sp_cell_value(table, &class->precision, 3, SP_TONE_PLAIN);
        sp_cell_value(table, &class->recall, 3, SP_TONE_PLAIN);
        sp_cell_value(table, &class->f1, 3, SP_TONE_PLAIN);
        sp_cell_value(table, &class->specificity, 3, SP_TONE_PLAIN);
        sp_cell_value(table, &class->npv, 3, SP_TONE_PLAIN);
        sp_cell_value(table, &class->kappa, 3, SP_TONE_PLAIN);
        sp_cell_value(table, &class->pabak, 3, SP_TONE_PLAIN);
        sp_cell_value(table, &class->bias, 3, SP_TONE_PLAIN);
    }
}

void sp_add_detail_title(const sp_comparison *comparison, int32_t strategy, sp_buffer *out)
{
    sp_buffer_text(out, comparison->strategies[strategy].name);
    sp_buffer_text(out, ": each class against the rest");
}

void sp_fill_confusion(const sp_comparison *comparison, int32_t strategy, sp_table *table)
{
    const sp_strategy_result *result = &comparison->strategies[strategy];
    int32_t n_classes = comparison->n_classes;
    if (!comparison->has_labels || !result->has_agreement)
        return;
    table->title = "Confusion matrix: rows reference, columns decoded";
    sp_table_column(table, SP_LEFT, result->name);
    for (int32_t j = 0; j < n_classes; j++)
        sp_table_column(table, SP_RIGHT, comparison->classes[j]);
    if (result->n_undecoded)
        sp_table_column(table, SP_RIGHT, "undecoded");
    for (int32_t i = 0; i < n_classes; i++) {
        sp_table_cell_text(table, SP_TONE_PLAIN, comparison->classes[i]);
        for (int32_t j = 0; j < n_classes; j++) {
            int64_t count = result->confusion[(size_t)i * (size_t)n_classes + (size_t)j];
            sp_table_cell_count(table, i == j ? SP_TONE_PLAIN : SP_TONE_MUTED, count);
        }
        if (result->n_undecoded)
            sp_table_cell_count(table, SP_TONE_BAD, result->undecoded_steps[i]);
    }
}

/* ---- illegal pairs ---- */

static int by_index(const void *a, const void *b)
{
    const sp_pair_count *x = a, *y = b;
    return x->from != y->from ? (x->from < y->from ? -1 : 1) : x->to != y->to ? (x->to < y->to ? -1 : 1) : 0;
}

static int by_count(const void *a, const void *b)
{
    const sp_pair_count *x = a, *y = b;
    return x->count != y->count ? (x->count > y->count ? -1 : 1) : by_index(a, b);
}

/* Count of a pair in a list that is sorted by count: searched through, the lists are short. */
static int64_t count_in(const sp_pair_count *pairs, int64_t n, const sp_pair_count *pair)
{
    for (int64_t i = 0; i < n; i++)
        if (pairs[i].from == pair->from && pairs[i].to == pair->to)
            return pairs[i].count;
    return 0;
}

/* All pairs of the reference and the strategies, each once, with the sum of its counts, most frequent first. */
static sp_pair_count *union_of_pairs(const sp_comparison *comparison, int64_t *n_out)
{
    int64_t n = comparison->n_reference_illegal_pairs;
    for (int32_t s = 0; s < comparison->n_strategies; s++)
        n += comparison->strategies[s].n_illegal_pairs;
    sp_pair_count *all = malloc((size_t)(n ? n : 1) * sizeof *all);
    if (!all)
        return NULL;
    n = 0;
    for (int64_t i = 0; i < comparison->n_reference_illegal_pairs; i++)
        all[n++] = comparison->reference_illegal_pairs[i];
    for (int32_t s = 0; s < comparison->n_strategies; s++)
        for (int64_t i = 0; i < comparison->strategies[s].n_illegal_pairs; i++)
            all[n++] = comparison->strategies[s].illegal_pairs[i];
    qsort(all, (size_t)n, sizeof *all, by_index);
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        if (kept && by_index(&all[kept - 1], &all[i]) == 0)
            all[kept - 1].count += all[i].count;
        else
            all[kept++] = all[i];
    }
    qsort(all, (size_t)kept, sizeof *all, by_count);
    *n_out = kept;
    return all;
}

int64_t sp_fill_illegal_pairs(const sp_comparison *comparison, int64_t limit, sp_table *table)
{
    int64_t n;
    sp_pair_count *pairs = union_of_pairs(comparison, &n);
    if (!pairs) {
        table->failed = true;
        return 0;
    }
    table->title = "Illegal transitions by pair";
    sp_table_column(table, SP_LEFT, "illegal transition");
    if (comparison->has_labels)
        sp_table_column(table, SP_RIGHT, "reference");
    for (int32_t s = 0; s < comparison->n_strategies; s++)
        sp_table_column(table, SP_RIGHT, comparison->strategies[s].name);
    for (int64_t i = 0; i < n && (limit == 0 || i < limit); i++) {
        sp_buffer *cell = sp_table_cell(table, SP_TONE_PLAIN);
        sp_buffer_text(cell, comparison->classes[pairs[i].from]);
        sp_buffer_text(cell, " -> ");
        sp_buffer_text(cell, comparison->classes[pairs[i].to]);
        if (comparison->has_labels) {
            int64_t count = count_in(comparison->reference_illegal_pairs, comparison->n_reference_illegal_pairs, &pairs[i]);
            sp_table_cell_count(table, count ? SP_TONE_PLAIN : SP_TONE_MUTED, count);
        }
        for (int32_t s = 0; s < comparison->n_strategies; s++) {
            const sp_strategy_result *strategy = &comparison->strategies[s];
            int64_t count = count_in(strategy->illegal_pairs, strategy->n_illegal_pairs, &pairs[i]);
            sp_table_cell_count(table, count ? SP_TONE_BAD : SP_TONE_MUTED, count);
        }
    }
    free(pairs);
    return n;
}

/* ---- recordings ---- */

static void recording_columns(const sp_comparison *comparison, bool compact, sp_table *table)
{
    sp_table_column(table, SP_LEFT, "recording");
    sp_table_column(table, SP_RIGHT, "steps");
    if (comparison->has_labels)
        sp_table_column(table, SP_RIGHT, "scored");
    if (comparison->trimmed_steps)
        sp_table_column(table, SP_RIGHT, "wake left out");
    for (int pass = compact || !comparison->has_labels; pass < 2; pass++) {
        for (int32_t s = 0; s < comparison->n_strategies; s++) {
            sp_buffer name = {0};
            sp_buffer_format(&name, "%s%s", comparison->strategies[s].name, compact ? "" : pass ? " illegal" : " accuracy");
            sp_table_column(table, SP_RIGHT, name.data);
            table->failed |= name.failed;
            sp_buffer_free(&name);
        }
    }
}

static void compact_cell(const sp_comparison *comparison, const sp_recording_result *recording, sp_table *table)
{
    sp_buffer *cell = sp_table_cell(table, recording->counts.illegal ? SP_TONE_BAD : SP_TONE_PLAIN);
    if (!comparison->has_labels) {
        sp_buffer_count(cell, recording->counts.illegal);
        return;
    }
    if (recording->accuracy.undefined)
        sp_buffer_text(cell, "–");
    else
        sp_buffer_fixed(cell, recording->accuracy.value, 3);
    sp_buffer_text(cell, " (");
    sp_buffer_count(cell, recording->counts.illegal);
    sp_buffer_text(cell, ")");
}

void sp_fill_recordings(const sp_comparison *comparison, bool compact, sp_table *table)
{
    table->title = !compact                 ? "Recordings"
                   : comparison->has_labels ? "Recordings: accuracy (illegal transitions)"
                                            : "Recordings: illegal transitions";
    recording_columns(comparison, compact, table);
    for (int64_t r = 0; r < comparison->n_recordings; r++) {
        sp_table_cell_text(table, SP_TONE_PLAIN, comparison->ids[r]);
        sp_table_cell_count(table, SP_TONE_PLAIN, comparison->steps[r]);
        if (comparison->has_labels)
            sp_table_cell_count(table, SP_TONE_PLAIN, sp_scored_of(comparison, r));
        if (comparison->trimmed_steps)
            sp_table_cell_count(table, SP_TONE_PLAIN, comparison->trimmed_steps[r]);
        for (int32_t s = 0; s < comparison->n_strategies && comparison->has_labels && !compact; s++)
            sp_cell_value(table, &comparison->strategies[s].recordings[r].accuracy, 3, SP_TONE_PLAIN);
        for (int32_t s = 0; s < comparison->n_strategies; s++) {
            const sp_recording_result *recording = &comparison->strategies[s].recordings[r];
            if (recording->decoded.status != SP_OK)
                sp_table_cell_text(table, SP_TONE_BAD, sp_undecoded_reason(recording->decoded.status));
            else if (compact)
                compact_cell(comparison, recording, table);
            else
                sp_table_cell_count(table, recording->counts.illegal ? SP_TONE_BAD : SP_TONE_MUTED, recording->counts.illegal);
        }
    }
}

int64_t sp_fill_undecoded(const sp_comparison *comparison, int64_t limit, sp_table *table)
{
    int64_t n = 0;
    table->title = "Recordings that could not be decoded";
    sp_table_column(table, SP_LEFT, "recording");
    sp_table_column(table, SP_LEFT, "strategy");
    sp_table_column(table, SP_LEFT, "why");
    sp_table_column(table, SP_RIGHT, "step");
    for (int64_t r = 0; r < comparison->n_recordings; r++) {
        for (int32_t s = 0; s < comparison->n_strategies; s++) {
            const sp_decoded *decoded = &comparison->strategies[s].recordings[r].decoded;
            if (decoded->status == SP_OK || (++n > limit && limit))
                continue;
            sp_table_cell_text(table, SP_TONE_PLAIN, comparison->ids[r]);
            sp_table_cell_text(table, SP_TONE_PLAIN, comparison->strategies[s].name);
            sp_table_cell_text(table, SP_TONE_PLAIN, sp_undecoded_reason(decoded->status));
            if (decoded->step >= 0)
                sp_table_cell_count(table, SP_TONE_PLAIN, decoded->step);
            else
                sp_table_cell_text(table, SP_TONE_MUTED, "–");
        }
    }
    return n;
}
