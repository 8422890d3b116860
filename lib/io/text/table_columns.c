#include "io/text/table_columns.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/try.h"
#include "io/text/cells.h"

const char sp_known_columns[] = "recording, step (or epoch), label (or labels), segment and weight";

sp_column_role sp_column_role_of(const char *name)
{
    static const struct {
        const char *name;
        sp_column_role role;
    } known[] = {{"recording", SP_COLUMN_RECORDING}, {"step", SP_COLUMN_STEP},
                 {"epoch", SP_COLUMN_STEP},          {"label", SP_COLUMN_LABEL},
                 {"labels", SP_COLUMN_LABEL},        {"segment", SP_COLUMN_SEGMENT},
                 {"segments", SP_COLUMN_SEGMENT},    {"weight", SP_COLUMN_WEIGHT},
                 {"weights", SP_COLUMN_WEIGHT},      {"", SP_COLUMN_INDEX},
                 {"Unnamed: 0", SP_COLUMN_INDEX},    {"index", SP_COLUMN_INDEX},
                 {"time", SP_COLUMN_TIME},           {"timestamp", SP_COLUMN_TIME},
                 {"class", SP_COLUMN_DECIDED},       {"stage", SP_COLUMN_DECIDED},
                 {"prediction", SP_COLUMN_DECIDED},  {"predicted", SP_COLUMN_DECIDED}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcasecmp(name, known[i].name) == 0)
            return known[i].role;
    return SP_COLUMN_OTHER;
}

/* Appends what fits. */
static size_t add(char *text, size_t used, const char *format, const char *what)
{
    const int n =
        used < SP_COLUMN_SENTENCE ? snprintf(text + used, SP_COLUMN_SENTENCE - used, format, what) : 0;
    return used + (size_t)(n > 0 ? n : 0);
}

/* Names that need no quotes in a shell, all together no longer than a line; else false. */
static bool are_short(const char *const *names, int32_t n)
{
    size_t length = 0;
    for (int32_t i = 0; i < n; i++) {
        length += strlen(names[i]) + 1;
        for (const char *at = names[i]; *at; at++)
            if (!isalnum((unsigned char)*at) && !strchr("_.-+", *at))
                return false;
    }
    return n > 0 && length < 200;
}

void sp_column_mend(const char *name, const char *cell, bool is_label, const char *const *classes, int32_t n,
                    char text[SP_COLUMN_SENTENCE])
{
    const bool is_number = strspn(cell, "0123456789.,+-eE%") == strlen(cell);
    const char *quote = strpbrk(name, " ()&;|<>$`\"'*?#") ? "'" : "";
    char chosen[80];
    size_t used = 0;
    snprintf(chosen, sizeof chosen, "%s%.60s%s", quote, name, quote);
    if (is_label)
        used = add(text, used, "`labels` %s reads it as labels, ", chosen);
    if (!is_number)
        used = add(text, used, "`ids` %s reads it as names of recordings, ", chosen);
    used = add(text, used, "%s", "`classes` ");
    for (int32_t k = 0; are_short(classes, n) && k < n; k++)
        used = add(text, used, k ? ",%s" : "%s", classes[k]);
    add(text, used, "%s leaves it out", are_short(classes, n) ? "" : "A,B,C, the columns that are scores,");
}

const char *sp_line_mend(const char *cell)
{
    static const char *const totals[] = {"total", "sum", "mean", "average", "median", "std", "count"};
    if (*cell == '#' || *cell == '%')
        return "; a comment? delete the line";
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++) {
        const size_t n = strlen(totals[i]);
        if (strncasecmp(cell, totals[i], n) == 0 && !isalpha((unsigned char)cell[n + (cell[n] == 's')]))
            return "; a line of totals? delete it";
    }
    return "";
}

const char *sp_cells_mend(int32_t n, int32_t n_names, const char *first, const char *last)
{
    int64_t ignored;
    return n != n_names + 1 ? ""
           : *last || sp_cell_whole(first, &ignored)
               ? "; names of rows, as R writes them? write them with write.csv(x, \"FILE\", row.names = "
                 "FALSE)"
               : "; the last one is empty: end the first line with a delimiter too, or no line";
}

bool sp_index_goes_on(const char *cell, int64_t *last, char sentence[SP_INDEX_SENTENCE])
{
    int64_t index;
    const bool is_number = sp_cell_whole(cell, &index), is_total = *sp_line_mend(cell) && *last >= 0,
               goes_on = is_number ? index > *last : !is_total;
    if (is_total)
        snprintf(sentence, SP_INDEX_SENTENCE, "\"%.60s\" follows row %lld%s", cell, (long long)*last,
                 sp_line_mend(cell));
    else if (!goes_on)
        snprintf(sentence, SP_INDEX_SENTENCE,
                 "row %lld follows row %lld: the rows are out of order, or of several recordings; call the "
                 "column step to have them "
                 "put in order, name recordings in a column recording, or leave it out",
                 (long long)index, (long long)*last);
    *last = is_number ? index : *last;
    return goes_on;
}

/* "recording n1", or "the table". Returns text. */
static const char *say_recording(const char *const *ids, int64_t n, char text[100])
{
    snprintf(text, 100, ids && ids[n] && *ids[n] ? "recording %.80s" : "the table", ids ? ids[n] : "");
    return text;
}

/* The first step of each recording, 0 or 1. */
static sp_status find_bases(const char *file, const sp_stepped_row *rows, int64_t n_rows,
                            const char *const *ids, int64_t *base, int64_t *line, sp_error *err)
{
    char name[100];
    for (int64_t i = 0; i < n_rows; i++)
        if (rows[i].step >= 0 && (line[rows[i].recording] == 0 || rows[i].step < base[rows[i].recording])) {
            base[rows[i].recording] = rows[i].step;
            line[rows[i].recording] = rows[i].line;
        }
    for (int64_t i = 0; i < n_rows; i++)
        if (base[rows[i].recording] > 1)
            return sp_fail(err, SP_EDATA,
                           "%s: line %lld: the first step of %s is %lld; steps count from 0 or 1", file,
                           (long long)line[rows[i].recording], say_recording(ids, rows[i].recording, name),
                           (long long)base[rows[i].recording]);
    return SP_OK;
}

sp_status sp_rows_in_order(const char *file, const sp_stepped_row *rows, int64_t n_rows,
                           const char *const *ids, const int64_t *offsets, int64_t n_recordings,
                           int64_t *place, bool *is_sorted, sp_error *err)
{
    sp_owned own = {0};
    int64_t *base = sp_zeros(&own, (size_t)n_recordings + 1, sizeof *base),
            *line = sp_zeros(&own, (size_t)n_recordings + 1, sizeof *line),
            *next = sp_zeros(&own, (size_t)n_recordings + 1, sizeof *next),
            *line_of = sp_zeros(&own, (size_t)n_rows + 1, sizeof *line_of);
    char name[100];
    sp_status status = SP_OK;
    *is_sorted = true;
    TRY(sp_owned_status(&own, err));
    TRY(find_bases(file, rows, n_rows, ids, base, line, err));
    for (int64_t i = 0; i < n_rows; i++) {
        const int64_t n = rows[i].recording, length = offsets[n + 1] - offsets[n];
        const int64_t step = rows[i].step < 0 ? next[n]++ : rows[i].step - base[n], at = offsets[n] + step;
        if (step >= length)
            TRY(sp_fail(
                err, SP_EDATA,
                "%s: line %lld: %s has step %lld, but only %lld lines; it needs each step from %lld on once",
                file, (long long)rows[i].line, say_recording(ids, n, name), (long long)rows[i].step,
                (long long)length, (long long)base[n]));
        if (line_of[at])
            TRY(sp_fail(err, SP_EDATA, "%s: line %lld: %s has step %lld on line %lld already", file,
                        (long long)rows[i].line, say_recording(ids, n, name), (long long)rows[i].step,
                        (long long)line_of[at]));
        line_of[at] = rows[i].line;
        place[i] = at;
        *is_sorted &= at == i;
    }
done:
    sp_owned_free(&own);
    return status;
}
