/* Tables with a row a recording. */
#include "evaluate/work.h"
#include "report/tables/tables.h"

static void recording_columns(const sp_comparison *c, bool compact, sp_table *table)
{
    sp_table_columns(table, "{recording}");
    sp_table_holds(table, SP_HOLDS_RECORDING);
    sp_table_columns(table, "{steps}");
    if (c->has_labels)
        sp_table_column(table, SP_RIGHT, "scored");
    if (c->trimmed_steps)
        sp_table_column(table, SP_RIGHT, "wake left out");
    for (int pass = compact || !c->has_labels; pass < 2; pass++)
        for (int32_t s = 0; s < c->n_strategies; s++)
            sp_buffer_say(sp_table_head(table, SP_RIGHT), "%s%s", c->strategies[s].name,
                          compact ? ""
                          : pass  ? " illegal"
                                  : " accuracy");
}

static void compact_cell(const sp_comparison *c, const sp_recording_result *recording, sp_table *table)
{
    sp_buffer *cell = sp_table_cell(table, recording->counts.illegal ? SP_TONE_BAD : SP_TONE_PLAIN);
    if (!c->has_labels) {
        sp_buffer_count(cell, recording->counts.illegal);
        return;
    }
    if (recording->accuracy.undefined)
        sp_buffer_text(cell, "–");
    else
        sp_buffer_fixed(cell, recording->accuracy.value, 3);
    sp_buffer_say(cell, " (%jd)", recording->counts.illegal);
}

void sp_fill_recordings(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    const bool compact = options->is_compact;
    table->title = !compact        ? "{Recordings}"
                   : c->has_labels ? "{Recordings}: accuracy (illegal transitions)"
                                   : "{Recordings}: illegal transitions";
    recording_columns(c, compact, table);
    for (int64_t i = 0; i < (options->recordings ? options->n_recordings : c->n_recordings); i++) {
        const int64_t r = options->recordings ? options->recordings[i] : i;
        sp_table_cell_text(table, SP_TONE_PLAIN, c->ids[r]);
        sp_table_cell_count(table, SP_TONE_PLAIN, c->steps[r]);
        if (c->has_labels)
            sp_table_cell_count(table, SP_TONE_PLAIN, sp_scored_of(c, r));
        if (c->trimmed_steps)
            sp_table_cell_count(table, SP_TONE_PLAIN, c->trimmed_steps[r]);
        for (int32_t s = 0; s < c->n_strategies && c->has_labels && !compact; s++)
            sp_cell_value(table, &c->strategies[s].recordings[r].accuracy, 3, SP_TONE_PLAIN);
        for (int32_t s = 0; s < c->n_strategies; s++) {
            const sp_recording_result *recording = &c->strategies[s].recordings[r];
            if (recording->decoded.status != SP_OK)
                sp_table_cell_text(table, SP_TONE_BAD, sp_undecoded_reason(recording->decoded.status));
            else if (compact)
                compact_cell(c, recording, table);
            else
                sp_table_cell_count(table, recording->counts.illegal ? SP_TONE_BAD : SP_TONE_MUTED,
                                    recording->counts.illegal);
        }
    }
}

void sp_fill_undecoded(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    int64_t n = 0, limit = options->most_rows;
    table->title = "{Recordings} that could not be decoded";
    sp_table_columns(table, "{recording}");
    sp_table_holds(table, SP_HOLDS_RECORDING);
    sp_table_columns(table, "<strategy|<why|{step}");
    for (int64_t r = 0; r < c->n_recordings; r++) {
        for (int32_t s = 0; s < c->n_strategies; s++) {
            const sp_decoded *decoded = &c->strategies[s].recordings[r].decoded;
            if (decoded->status == SP_OK || (++n > limit && limit))
                continue;
            sp_table_cell_text(table, SP_TONE_PLAIN, c->ids[r]);
            sp_table_cell_text(table, SP_TONE_PLAIN, c->strategies[s].name);
            sp_table_cell_text(table, SP_TONE_PLAIN, sp_undecoded_reason(decoded->status));
            if (decoded->step >= 0)
                sp_table_cell_count(table, SP_TONE_PLAIN, sp_step_number(c->work, decoded->step));
            else
                sp_cell_none(table);
        }
    }
    table->n_left_out = limit && n > limit ? n - limit : 0;
}
