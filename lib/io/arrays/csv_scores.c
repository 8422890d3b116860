/* Tables of scores as text: a column a class; files.h says how they look. The whole table is read when it is opened. Messages name
 * line, column and cell. Memory: the text, and 8 bytes a number. A row of the table of formats. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/model.h"
#include "core/owned.h"
#include "core/try.h"
#include "io/arrays/array_source.h"
#include "io/foreign.h"
#include "io/text/cells.h"
#include "io/text/label_words.h"
#include "io/text/number_read.h"
#include "io/text/table_columns.h"
#include "io/text/text_read.h"
#include "statepath/model_json.h"

/* ---- the table as it is read ---- */

typedef struct column {
    sp_column_role role;
    char *name; /* in the text; NULL: the table has no header */
} column;

typedef struct table {
    const char *file;
    const sp_model *model; /* or NULL */
    const sp_source_options *options;
    bool
        are_numbered; /* the columns of classes are called 0 .. K-1, which the model's are not: they have no names */
    bool is_header_taken; /* the first line is such numbers alone, and was taken for a header */
    bool has_fraction;    /* a class has a number that is not whole */
    bool is_comment;      /* the first line begins with # */
    bool is_chosen;       /* `classes` said which columns are scores */
    char *text;
    sp_cells in;
    int32_t n_columns, n_classes;
    column *columns;               /* [n_columns] */
    const char **class_names;      /* [n_classes] of their columns, in the text; or NULL */
    char **cells;                  /* [n_columns] of a record, in the text */
    int32_t of[SP_N_COLUMN_ROLES]; /* the column of a role; -1 */
    /* What was read. */
    int64_t n_steps, room, n_recordings, recording_room;
    double *scores, *weights;   /* [S,K], [S] */
    int64_t *labels, *segments; /* [S] */
    sp_stepped_row *rows;       /* [S] */
    const char **ids;           /* [N] in the text */
    int64_t *offsets, *lines;   /* [N+1]; [N] of the first record */
    int64_t index;              /* of the record before, in the column of numbers of rows; -1: none */
    bool holds_scores; /* some record has numbers in two columns of classes, whatever is wrong with others */
    sp_error *err;
} table;

/* ---- cells ---- */

static sp_status fail_cell(const table *t, int32_t c, const char *what)
{
    const char *name = c < t->n_columns ? t->columns[c].name : NULL;
    if (name)
        return sp_fail(t->err, SP_EDATA, "%s: line %lld, column %d (%.60s): %s", t->file,
                       (long long)t->in.line, c + 1, name, what);
    return sp_fail(t->err, SP_EDATA, "%s: line %lld, column %d: %s", t->file, (long long)t->in.line, c + 1,
                   what);
}

static sp_status next_cell(table *t, int32_t c, char **cell, bool *is_last)
{
    const char *fault = sp_cells_next(&t->in, cell, is_last);
    return fault ? fail_cell(t, c, fault) : SP_OK;
}

/* ---- the first line ---- */

static sp_status count_columns(table *t)
{
    bool is_last = false;
    const char *p = t->in.at;
    int64_t n = 1;
    for (bool is_quoted = false; *p && (is_quoted || !sp_cells_is_end(p)); p++) {
        is_quoted ^= *p == '"';
        n += !is_quoted && *p == t->in.delimiter;
    }
    if (n > INT32_MAX / 2)
        return sp_fail(t->err, SP_EDATA, "%s: has too many columns", t->file);
    t->columns = calloc((size_t)n + 1, sizeof *t->columns);
    t->cells = calloc((size_t)n + 1, sizeof *t->cells);
    if (!t->columns || !t->cells)
        return sp_no_memory(t->err);
    sp_status status = SP_OK;
    t->in.line = t->in.next_line;
    while (status == SP_OK && !is_last) {
        if (t->n_columns > n)
            return fail_cell(t, t->n_columns, "more cells than the line has room for; a quote is not closed");
        status = next_cell(t, t->n_columns, &t->cells[t->n_columns], &is_last);
        t->n_columns++;
    }
    return status;
}

/* The column that an option names, or -1: none is called so. */
static int32_t column_called(const table *t, const char *name)
{
    int32_t c = 0;
    while (c < t->n_columns && strcmp(t->columns[c].name, name + (*name == '/')) != 0)
        c++;
    return c < t->n_columns ? c : -1;
}

/* The sentence for an option that names no column. Nobody looks then for another meaning of the file. */
static sp_status refuse_name(table *t, const char *option, const char *name)
{
    enum { MOST = 80 };
    char list[400] = "";
    size_t used = 0;
    t->holds_scores = true;
    for (int32_t c = 0; c < t->n_columns && used < sizeof list - MOST; c++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%.60s", c ? ", " : "",
                                 *t->columns[c].name ? t->columns[c].name : "(nothing)");
    return sp_fail(t->err, SP_EFILE, "%s: `%s`: no column is called %s; the first line names %s%s", t->file,
                   option, name, list, used < sizeof list - MOST ? "" : ", ...");
}

/* `labels` and `ids` name a column that has a role then; another of that role has none. `usual` is the name
 * that such a column has here whatever it is called. */
static sp_status choose_column(table *t, const char *option, const char *name, const char *usual,
                               sp_column_role role)
{
    if (!name || strstr(name, "{id}"))
        return SP_OK;
    const int32_t chosen = column_called(t, name);
    bool is_known = false;
    for (int32_t c = 0; c < t->n_columns; c++)
        is_known |= t->columns[c].role == role;
    if (chosen < 0)
        return is_known && strcmp(name + (*name == '/'), usual) == 0 ? SP_OK : refuse_name(t, option, name);
    for (int32_t c = 0; c < t->n_columns; c++)
        t->columns[c].role = c == chosen                  ? role
                             : t->columns[c].role == role ? SP_COLUMN_DECIDED
                                                          : t->columns[c].role;
    return SP_OK;
}

static bool are_numbers(const table *t, bool of_classes);

/* `classes` names the columns that are scores, unless they have but numbers, to which it gives names. */
static sp_status choose_classes(table *t)
{
    sp_model *chosen = NULL;
    sp_status status = SP_OK;
    if (!t->options->classes)
        return SP_OK;
    TRY(sp_classes_load(t->options->classes, &chosen, t->err));
    for (int32_t k = 0; k < chosen->n_classes; k++)
        if (column_called(t, chosen->classes[k]) < 0 && are_numbers(t, true))
            goto done;
        else if (column_called(t, chosen->classes[k]) < 0)
            TRY(refuse_name(t, "classes", chosen->classes[k]));
    for (int32_t c = 0; c < t->n_columns; c++) {
        sp_column_role *role = &t->columns[c].role;
        if (sp_model_class(chosen, t->columns[c].name, false) >= 0)
            *role = SP_COLUMN_OTHER;
        else if (*role == SP_COLUMN_OTHER)
            *role = SP_COLUMN_DECIDED;
    }
    t->is_chosen = true;
done:
    sp_model_free(chosen);
    return status;
}

static sp_status name_columns(table *t)
{
    const sp_source_options *o = t->options;
    sp_status status = SP_OK;
    for (int r = 0; r < SP_N_COLUMN_ROLES; r++)
        t->of[r] = -1;
    for (int32_t c = 0; c < t->n_columns; c++)
        t->columns[c] = (column){sp_column_role_of(t->cells[c]), t->cells[c]};
    TRY(choose_column(t, "labels", o->labels, "labels", SP_COLUMN_LABEL));
    TRY(choose_column(t, "ids", o->ids, "ids", SP_COLUMN_RECORDING));
    TRY(choose_classes(t));
    for (int32_t c = 0; c < t->n_columns; c++) {
        const column *one = &t->columns[c];
        t->n_classes += one->role == SP_COLUMN_OTHER;
        if (one->role > SP_COLUMN_OTHER && one->role < SP_COLUMN_DECIDED) {
            if (t->of[one->role] >= 0)
                TRY(sp_fail(t->err, SP_EDATA,
                            "%s: line %lld: columns %d (%s) and %d (%s) say the same thing; leave one out",
                            t->file, (long long)t->in.line, t->of[one->role] + 1,
                            t->columns[t->of[one->role]].name, c + 1, one->name));
            t->of[one->role] = c;
        } else if (one->role == SP_COLUMN_INDEX && t->of[one->role] < 0) {
            t->of[one->role] = c;
        }
    }
done:
    return status;
}

static bool has_words(const table *t)
{
    for (int32_t c = 0; c < t->n_columns; c++) {
        double ignored;
        if (!t->cells[c][strspn(t->cells[c], " ")] || !sp_number_read(t->cells[c], &ignored))
            return true;
    }
    return false;
}

/* Are the columns, or those of classes alone, called first, first + 1, ..? */
static bool are_counted(const table *t, bool of_classes, int32_t first)
{
    int32_t n = 0;
    for (int32_t c = 0; c < t->n_columns; c++) {
        char number[16];
        if (of_classes && t->columns[c].role != SP_COLUMN_OTHER)
            continue;
        snprintf(number, sizeof number, "%d", first + n++);
        if (strcmp(t->cells[c], number) != 0)
            return false;
    }
    return n > 1;
}

/* As pandas counts columns, from 0, or others from 1. */
static bool are_numbers(const table *t, bool of_classes)
{
    return are_counted(t, of_classes, 0) || are_counted(t, of_classes, 1);
}

/* Is the first line a header? Of numbers alone it is the first step, unless they count the columns, as pandas does: then the
 * lines below say. */
static bool is_header(table *t)
{
    const bool is_comment = t->is_comment;
    t->is_header_taken = t->options->header == SP_HEADER_AUTO && !is_comment && are_numbers(t, false);
    return is_comment || t->options->header == SP_HEADER_THERE || t->is_header_taken ||
           (t->options->header == SP_HEADER_AUTO && has_words(t));
}

static sp_status check_header(const table *t)
{
    if (!t->is_header_taken || t->has_fraction)
        return SP_OK;
    return sp_fail(t->err, SP_EDATA,
                   "%s: the first line, the numbers %s to %s, may be a header or a step: no line below has a "
                   "number that is not "
                   "whole; `header` yes says that it names the columns, `header` no that it is a step",
                   t->file, t->columns[0].name, t->columns[t->n_columns - 1].name);
}

static sp_status check_names(table *t)
{
    int64_t a = -1, b = -1;
    int32_t n = 0;
    t->class_names = malloc(((size_t)t->n_classes + 1) * sizeof *t->class_names);
    if (!t->class_names)
        return sp_no_memory(t->err);
    for (int32_t c = 0; c < t->n_columns; c++)
        if (t->columns[c].role == SP_COLUMN_OTHER)
            t->class_names[n++] = t->columns[c].name;
    if (sp_texts_duplicate(t->class_names, n, &a, &b))
        return sp_fail(t->err, SP_EDATA, "%s: line %lld: two columns are called %s", t->file,
                       (long long)t->in.line, t->class_names[a]);
    return a == -2 ? sp_no_memory(t->err) : SP_OK;
}

/* ---- records ---- */

static bool make_room(table *t)
{
    bool is_whole = true;
    const int64_t room = t->room ? 2 * t->room : 4096;
    t->scores = sp_grown(t->scores, room * t->n_classes, sizeof *t->scores, &is_whole);
    t->labels = sp_grown(t->labels, room, sizeof *t->labels, &is_whole);
    t->segments = sp_grown(t->segments, room, sizeof *t->segments, &is_whole);
    t->weights = sp_grown(t->weights, room, sizeof *t->weights, &is_whole);
    t->rows = sp_grown(t->rows, room, sizeof *t->rows, &is_whole);
    t->room = room;
    return is_whole;
}

static sp_status begin_recording(table *t, const char *id)
{
    if (t->n_recordings == t->recording_room) {
        bool is_whole = true;
        const int64_t room = t->recording_room ? 2 * t->recording_room : 16;
        t->ids = sp_grown(t->ids, room, sizeof *t->ids, &is_whole);
        t->offsets = sp_grown(t->offsets, room + 1, sizeof *t->offsets, &is_whole);
        t->lines = sp_grown(t->lines, room, sizeof *t->lines, &is_whole);
        if (!is_whole)
            return sp_no_memory(t->err);
        t->recording_room = room;
    }
    t->offsets[t->n_recordings] = t->n_steps;
    t->lines[t->n_recordings] = t->in.line;
    t->ids[t->n_recordings++] = id;
    t->index = -1;
    return SP_OK;
}

/* Of words for a number that is missing; else "". */
static const char *missing_mend(const char *cell)
{
    static const char *const missing[] = {"NA", "N/A", "null", "none", "-", "?"};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (strcasecmp(cell, missing[i]) == 0)
            return "; a number that is missing is nan, or nothing";
    return "";
}

/* The number in a cell; `what` it should be where it is none. */
static sp_status read_number(const table *t, int32_t c, double *out)
{
    const char *text = t->cells[c], *mend = *sp_line_mend(t->cells[0]) ? sp_line_mend(t->cells[0])
                                            : *text && text[strlen(text) - 1] == '%' ? "; write 50% as 0.5"
                                            : t->in.delimiter != ',' && strchr(text, ',')
                                                ? "; decimals follow a point, as in 0.5: tr , . < OLD > NEW"
                                            : strchr(text, ',') ? "; decimals follow a point, as in 0.5"
                                                                : missing_mend(text);
    char what[200];
    if (sp_number_read(text, out))
        return SP_OK;
    snprintf(what, sizeof what, "\"%.60s\" is not a number%s", text, mend);
    return fail_cell(t, c, what);
}

static sp_status read_whole(const table *t, int32_t c, int64_t *out)
{
    char what[160];
    if (sp_cell_whole(t->cells[c], out))
        return SP_OK;
    snprintf(what, sizeof what, "\"%.60s\" is not a whole number", t->cells[c]);
    return fail_cell(t, c, what);
}

static sp_status read_label(const table *t, int32_t c, int64_t *out)
{
    const char *text = t->cells[c];
    char what[200];
    const sp_word_meaning meaning = {
        .classes = t->are_numbered ? NULL : t->class_names, .n_classes = t->n_classes, .model = t->model};
    *out = sp_word_class(text, &meaning);
    if (*out >= SP_CODE_UNSCORED || sp_cell_whole(text, out))
        return SP_OK;
    snprintf(what, sizeof what,
             "\"%.60s\" is no class; write the name of a column, its number from 0, or -1 for none", text);
    return fail_cell(t, c, what);
}

static sp_status read_step(const table *t, int32_t c, int64_t *out)
{
    sp_status status = SP_OK;
    TRY(read_whole(t, c, out));
    if (*out < 0)
        status = fail_cell(t, c, "a step below 0; steps count from 0 or 1");
done:
    return status;
}

static sp_status check_index(table *t, int32_t c)
{
    char what[SP_INDEX_SENTENCE];
    return t->of[SP_COLUMN_STEP] >= 0 || sp_index_goes_on(t->cells[c], &t->index, what)
               ? SP_OK
               : fail_cell(t, c, what);
}

/* Has the record numbers in two columns of classes? Then the table holds scores. */
static void look_for_scores(table *t)
{
    int n = 0;
    for (int32_t c = 0; !t->holds_scores && c < t->n_columns; c++) {
        double ignored;
        char *comma = t->in.delimiter == ',' ? NULL : strchr(t->cells[c], ',');
        if (comma) /* a decimal comma: a number all the same, at fault */
            *comma = '.';
        n += t->columns[c].role == SP_COLUMN_OTHER && sp_number_read(t->cells[c], &ignored);
        if (comma)
            *comma = ',';
    }
    t->holds_scores |= n > 1;
}

/* Is a column called as a class of the model, or counted? */
static bool names_class(const table *t, int32_t c)
{
    int64_t number;
    const char *name = t->columns[c].name;
    return sp_model_class(t->model, name, true) >= 0 ||
           (sp_cell_whole(name, &number) && number >= 0 && number <= t->model->n_classes);
}

/* The sentence for a column that is none of a class: what it holds in this record, and how it is read or left
 * out. */
static sp_status refuse_column(const table *t, int32_t other)
{
    const char **classes = malloc(((size_t)t->n_columns + 1) * sizeof *classes);
    const sp_word_meaning meaning = {
        .classes = t->model ? NULL : t->class_names, .n_classes = t->n_classes, .model = t->model};
    const char *cell = t->cells[other];
    char what[SP_COLUMN_SENTENCE + 300], mend[SP_COLUMN_SENTENCE], of_model[100] = "";
    double ignored;
    int64_t number;
    int32_t n = 0;
    for (int by_name = t->model != NULL; classes && n == 0 && by_name >= 0; by_name--)
        for (int32_t c = 0; c < t->n_columns; c++)
            if (t->columns[c].role == SP_COLUMN_OTHER && c != other &&
                (by_name ? names_class(t, c) : sp_number_read(t->cells[c], &ignored)))
                classes[n++] = t->columns[c].name;
    const bool is_label = (*cell && sp_word_class(cell, &meaning) >= 0) ||
                          (sp_cell_whole(cell, &number) && number >= 0 && number < n);
    sp_column_mend(t->columns[other].name, cell, is_label, classes, n, mend);
    free(classes);
    if (t->model)
        snprintf(of_model, sizeof of_model, "it is no class of model %.60s and ", t->model->name);
    snprintf(what, sizeof what, "%sholds \"%.40s\"; known beside classes are %s; %s", of_model, cell,
             sp_known_columns, mend);
    return fail_cell(t, other, what);
}

/* A column beside those of all classes of the model. */
static sp_status check_columns(const table *t)
{
    int32_t n_known = 0, other = -1;
    for (int32_t c = 0; t->model && t->columns[0].name && c < t->n_columns; c++) {
        if (t->columns[c].role != SP_COLUMN_OTHER)
            continue;
        if (names_class(t, c))
            n_known++;
        else if (other < 0)
            other = c;
    }
    return other < 0 || n_known < t->model->n_classes ? SP_OK : refuse_column(t, other);
}

static bool is_word(const char *cell)
{
    double ignored;
    return isalpha((unsigned char)*cell) && !sp_number_read(cell, &ignored) && !*missing_mend(cell);
}

/* Of the first record: words in the columns of classes are in columns of another kind, or in a second line of
 * names. */
static sp_status check_words(const table *t)
{
    int32_t n_words = 0, n_full = 0, word = -1;
    for (int32_t c = 0; t->columns[0].name && c < t->n_columns; c++) {
        n_full += *t->cells[c] != '\0';
        n_words += is_word(t->cells[c]);
        if (word < 0 && t->columns[c].role == SP_COLUMN_OTHER && is_word(t->cells[c]) &&
            !(t->model && names_class(t, c)))
            word = c;
    }
    if (n_words == n_full && n_words > 1)
        return sp_fail(
            t->err, SP_EDATA,
            "%s: line %lld holds words and no scores, below the line that names the columns; one of "
            "the two is a title, or units: delete it",
            t->file, (long long)t->in.line);
    return word >= 0 ? refuse_column(t, word) : SP_OK;
}

/* Puts the cells of a record where they belong. */
static sp_status add_record(table *t)
{
    const int32_t recording = t->of[SP_COLUMN_RECORDING];
    const int64_t s = t->n_steps;
    sp_status status = SP_OK;
    if (recording >= 0 && !*t->cells[recording])
        return fail_cell(t, recording, "a recording without a name");
    if (t->n_recordings == 0 ||
        (recording >= 0 && strcmp(t->ids[t->n_recordings - 1], t->cells[recording]) != 0))
        TRY(begin_recording(t, recording >= 0 ? t->cells[recording] : ""));
    if (s == t->room && !make_room(t))
        TRY(sp_no_memory(t->err));
    look_for_scores(t);
    if (s == 0) {
        TRY(check_words(t));
        TRY(check_columns(t));
    }
    double *row = t->scores + (size_t)s * (size_t)t->n_classes;
    t->rows[s] = (sp_stepped_row){t->n_recordings - 1, -1, t->in.line};
    for (int32_t c = 0; c < t->n_columns; c++)
        switch (t->columns[c].role) {
        case SP_COLUMN_OTHER:
            TRY(read_number(t, c, row));
            t->has_fraction |= (isinf(*row) || *row != floor(*row)) && !isnan(*row);
            row++;
            break;
        case SP_COLUMN_STEP:
            TRY(read_step(t, c, &t->rows[s].step));
            break;
        case SP_COLUMN_LABEL:
            TRY(read_label(t, c, &t->labels[s]));
            break;
        case SP_COLUMN_SEGMENT:
            TRY(read_whole(t, c, &t->segments[s]));
            break;
        case SP_COLUMN_WEIGHT:
            TRY(read_number(t, c, &t->weights[s]));
            break;
        case SP_COLUMN_INDEX:
            TRY(c == t->of[SP_COLUMN_INDEX] ? check_index(t, c) : SP_OK);
            break;
        default:
            break;
        }
    t->n_steps++;
done:
    return status;
}

static sp_status read_record(table *t)
{
    int32_t n = 0;
    bool is_last = false;
    char *one_more = NULL;
    t->in.line = t->in.next_line;
    sp_status status = SP_OK;
    for (; !is_last; n++)
        TRY(next_cell(t, n, n < t->n_columns ? &t->cells[n] : &one_more, &is_last));
    if (n != t->n_columns) {
        const char *mend = t->in.delimiter == ',' && n == 2 * t->n_columns
                               ? "; decimals follow a point, as in 0.5, not a comma"
                           : t->n_steps == 0 && t->is_comment
                               ? "; a comment before the names of the columns? delete it"
                           : *sp_line_mend(t->cells[0]) ? sp_line_mend(t->cells[0])
                           : t->n_steps == 0 ? sp_cells_mend(n, t->n_columns, t->cells[0], one_more)
                                             : "";
        TRY(sp_fail(t->err, SP_EDATA, "%s: line %lld has %d cells, the first line %d%s", t->file,
                    (long long)t->in.line, n, t->n_columns, mend));
    }
    TRY(add_record(t));
done:
    return status;
}

/* Values of `size` bytes a row to the places of their rows. */
static bool move_rows(void *values, size_t size, int64_t n, const int64_t *place)
{
    char *old = malloc((size_t)n * size + 1);
    if (!old)
        return false;
    memcpy(old, values, (size_t)n * size);
    for (int64_t i = 0; i < n; i++)
        memcpy((char *)values + (size_t)place[i] * size, old + (size_t)i * size, size);
    free(old);
    return true;
}

/* Rows that say their steps are put in order. */
static sp_status order_rows(table *t)
{
    const int64_t n = t->n_steps;
    bool is_sorted = true;
    int64_t *place = malloc(((size_t)n + 1) * sizeof *place);
    sp_status status = SP_OK;
    TRY(place ? SP_OK : sp_no_memory(t->err));
    TRY(sp_rows_in_order(t->file, t->rows, n, t->ids, t->offsets, t->n_recordings, place, &is_sorted,
                         t->err));
    if (is_sorted)
        goto done;
    const bool is_whole = move_rows(t->scores, (size_t)t->n_classes * sizeof *t->scores, n, place) &&
                          move_rows(t->labels, sizeof *t->labels, n, place) &&
                          move_rows(t->segments, sizeof *t->segments, n, place) &&
                          move_rows(t->weights, sizeof *t->weights, n, place);
    TRY(is_whole ? SP_OK : sp_no_memory(t->err));
done:
    free(place);
    return status;
}

static sp_status read_table(table *t)
{
    const char *turn = strchr(t->in.at, '\r');
    if (turn && turn[1] && !strchr(t->in.at, '\n'))
        return sp_fail(t->err, SP_EDATA,
                       "%s: its lines end with CR alone, as no tool of today writes them; end them with LF",
                       t->file);
    sp_cells_skip_empty_lines(&t->in);
    t->is_comment =
        *t->in.at == '#' && t->options->header != SP_HEADER_NONE; /* as numpy.savetxt writes names */
    if (t->is_comment)
        t->in.at += 1 + strspn(t->in.at + 1, " ");
    if (!*t->in.at)
        return sp_fail(t->err, SP_EDATA,
                       "%s: is empty; the first line names the classes, a line a step follows", t->file);
    t->in.delimiter = sp_cells_delimiter(t->in.at);
    sp_status status = SP_OK;
    TRY(count_columns(t));
    const bool is_named = is_header(t);
    if (is_named)
        TRY(name_columns(t));
    else { /* all columns are classes, without names */
        t->n_classes = t->n_columns;
        for (int r = 0; r < SP_N_COLUMN_ROLES; r++)
            t->of[r] = -1;
        for (int32_t c = 0; c < t->n_columns; c++)
            t->columns[c] = (column){SP_COLUMN_OTHER, NULL};
    }
    t->are_numbered =
        is_named && are_numbers(t, true) && !(t->model && sp_model_class(t->model, "0", true) >= 0);
    if (t->n_classes == 0)
        return sp_fail(t->err, SP_EDATA,
                       "%s: line %lld names no columns of classes; scores are a column a class, labels are "
                       "given with `labels`",
                       t->file, (long long)t->in.line);
    TRY(is_named ? check_names(t) : add_record(t));
    for (sp_cells_skip_empty_lines(&t->in); *t->in.at; sp_cells_skip_empty_lines(&t->in))
        TRY(read_record(t));
    TRY(check_header(t));
    if (t->n_recordings == 0)
        TRY(sp_fail(t->err, SP_EDATA, "%s: names its columns, but holds no line below them", t->file));
    t->offsets[t->n_recordings] = t->n_steps;
    if (t->of[SP_COLUMN_STEP] >= 0)
        TRY(order_rows(t));
done:
    return status;
}

/* ---- as arrays ---- */

/* Adds an array of numbers that are in memory, which it takes over. */
static sp_status add_array(sp_stored_file *f, const char *name, sp_element_kind kind, int64_t steps,
                           int64_t n_classes, void **values, sp_error *err)
{
    const uint16_t one = 1;
    sp_stored *array = &f->arrays[f->n];
    if (!(array->name = strdup(name)))
        return sp_no_memory(err);
    f->n++;
    array->is_known = true;
    array->element = (sp_element){.kind = kind, .size = 8, .is_big = *(const unsigned char *)&one == 0};
    array->size = 8;
    snprintf(array->type, sizeof array->type, "numbers");
    array->rank = n_classes ? 2 : 1;
    array->dims[0] = steps;
    array->dims[1] = n_classes;
    array->count = steps * (n_classes ? n_classes : 1);
    array->bytes = *values;
    *values = NULL;
    return SP_OK;
}

/* What the array of a column is called: as the option that chooses it. */
static const char *chosen_name(const char *given, const char *usual)
{
    return !given || strstr(given, "{id}") ? usual : given + (*given == '/');
}

/* Names of recordings as an array of texts. */
static sp_status add_ids(sp_stored_file *f, const table *t, sp_error *err)
{
    size_t size = 1;
    for (int64_t n = 0; n < t->n_recordings; n++)
        size = strlen(t->ids[n]) > size ? strlen(t->ids[n]) : size;
    unsigned char *texts = calloc((size_t)t->n_recordings + 1, size);
    if (!texts)
        return sp_no_memory(err);
    for (int64_t n = 0; n < t->n_recordings; n++)
        memcpy(texts + (size_t)n * size, t->ids[n], strlen(t->ids[n]));
    void *values = texts;
    sp_status status =
        add_array(f, chosen_name(t->options->ids, "ids"), SP_ELEMENT_UINT, t->n_recordings, 0, &values, err);
    if (status != SP_OK) {
        free(values);
        return status;
    }
    f->arrays[f->n - 1].form = SP_STORED_BYTES;
    f->arrays[f->n - 1].size = (int64_t)size;
    return SP_OK;
}

/* Recordings that come back after another: each must be lines that follow one another. */
static sp_status check_recordings(const table *t, sp_error *err)
{
    int64_t a = -1, b = -1;
    if (sp_texts_duplicate(t->ids, t->n_recordings, &a, &b))
        return sp_fail(
            err, SP_EDATA,
            "%s: line %lld: recording %s comes back after another; its lines must follow one another",
            t->file, (long long)t->lines[b], t->ids[b]);
    return a == -2 ? sp_no_memory(err) : SP_OK;
}

/* Names of the columns of classes, or of those that are passed over. NULL: no memory. */
static sp_texts names_of(const table *t, bool of_classes)
{
    sp_text_span *names = malloc(((size_t)t->n_columns + 1) * sizeof *names);
    int32_t n = 0;
    for (int32_t c = 0; names && c < t->n_columns; c++)
        if (of_classes ? t->columns[c].role == SP_COLUMN_OTHER : t->columns[c].role >= SP_COLUMN_DECIDED)
            names[n++] = (sp_text_span){t->columns[c].name, strlen(t->columns[c].name)};
    sp_texts out = names ? sp_texts_pack(names, n) : NULL;
    free(names);
    return out;
}

static sp_status fill_arrays(sp_stored_file *f, table *t, const char *name, sp_error *err)
{
    enum { MOST_ARRAYS = 6 };
    f->arrays = calloc(MOST_ARRAYS, sizeof *f->arrays);
    if (!f->arrays)
        return sp_no_memory(err);
    sp_status status = SP_OK;
    TRY(add_array(f, name, SP_ELEMENT_FLOAT, t->n_steps, t->n_classes, (void **)&t->scores, err));
    if (t->of[SP_COLUMN_LABEL] >= 0)
        TRY(add_array(f, chosen_name(t->options->labels, "labels"), SP_ELEMENT_INT, t->n_steps, 0,
                      (void **)&t->labels, err));
    if (t->of[SP_COLUMN_SEGMENT] >= 0)
        TRY(add_array(f, "segments", SP_ELEMENT_INT, t->n_steps, 0, (void **)&t->segments, err));
    if (t->of[SP_COLUMN_WEIGHT] >= 0)
        TRY(add_array(f, "weights", SP_ELEMENT_FLOAT, t->n_steps, 0, (void **)&t->weights, err));
    if (t->of[SP_COLUMN_RECORDING] >= 0) {
        TRY(check_recordings(t, err));
        TRY(add_ids(f, t, err));
        TRY(add_array(f, "offsets", SP_ELEMENT_INT, t->n_recordings + 1, 0, (void **)&t->offsets, err));
    }
    if (t->columns[0].name) {
        f->classes = t->are_numbered ? NULL : names_of(t, true);
        f->passed_over = names_of(t, false);
        TRY((f->classes || t->are_numbered) && f->passed_over ? SP_OK : sp_no_memory(err));
    }
    TRY(sp_stored_index(f, err));
done:
    return status;
}

static void free_table(table *t)
{
    void *const owned[] = {t->class_names, t->text,     t->columns, t->cells,   t->scores, t->weights,
                           t->labels,      t->segments, t->ids,     t->offsets, t->lines,  t->rows};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
}

/* The array of scores is called as the file where that says what it holds. */
static sp_status name_scores(const char *file, char name[16], sp_error *err)
{
    char *stem = sp_file_stem(file);
    snprintf(name, 16, "table");
    if (!stem)
        return sp_no_memory(err);
    for (int k = 0; k < SP_N_KINDS; k++)
        if (strcmp(stem, sp_kind_name((sp_kind)k)) == 0)
            snprintf(name, 16, "%s", stem);
    free(stem);
    return SP_OK;
}

static sp_status open_csv(sp_source *source, const sp_request *request, sp_error *err)
{
    sp_stored_file *f = NULL;
    char name[16];
    if (request->options->transpose)
        return sp_fail(err, SP_EINVAL,
                       "%s: `transpose` is for arrays of .npy and .npz, and this is a table of text",
                       source->file_name);
    table t = {.file = source->file_name,
               .model = request->options->model,
               .options = request->options,
               .in.next_line = 1,
               .err = err};
    sp_status status = SP_OK;
    TRY(sp_array_source_new(source, "a table in text", &f, err));
    TRY(name_scores(t.file, name, err));
    TRY(sp_text_read(t.file, "a table of scores", &t.text, err));
    t.in.at = t.text;
    f->file_size = (int64_t)strlen(t.text);
    f->is_table = true;
    status = read_table(&t);
    if (request->options->holds_scores)
        *request->options->holds_scores |= t.holds_scores;
    TRY(status);
    TRY(fill_arrays(f, &t, name, err));
    TRY(sp_array_source_fill(source, request, err));
    source->has_chosen_columns = t.is_chosen;
    if (t.is_header_taken)
        source->info.remark = "its first line, the numbers of the columns, is taken for a header; "
                              "`header` no reads it as a step";
done:
    free_table(&t);
    return status;
}

/* ---- recognising ---- */

/* Several numbers with blanks between, as numpy.savetxt writes them. */
static bool is_numbers(const sp_file_look *look)
{
    char line[sizeof look->head + 1];
    int n = 0;
    memcpy(line, look->head, look->n);
    line[look->n] = '\0';
    line[strcspn(line, "\r\n")] = '\0';
    for (char *rest = line, *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        double ignored;
        const bool is_cut = rest && !*rest && look->n == sizeof look->head;
        if (!is_cut && !sp_number_read(word, &ignored))
            return false;
        n++;
    }
    return n > 1;
}

/* Names that blanks part, above a line of as many numbers (with names of rows, one more), as R and numpy
 * write. */
static bool is_named_by_blanks(const sp_file_look *look)
{
    char text[sizeof look->head + 1], *cell;
    int n_names = 0, n_cells = 0, n_numbers = 0, n_words = 0;
    bool is_last = false;
    double ignored;
    memcpy(text, look->head, look->n);
    text[look->n] = '\0';
    sp_cells in = {.at = text, .delimiter = ' ', .next_line = 1};
    sp_cells_skip_empty_lines(&in);
    in.at += *in.at == '#';
    for (; !is_last && !sp_cells_next(&in, &cell, &is_last); n_names++)
        n_words += !sp_number_read(cell, &ignored);
    for (is_last = !is_last; !is_last && !sp_cells_next(&in, &cell, &is_last); n_cells++)
        n_numbers += sp_number_read(cell, &ignored);
    return n_words > 1 && n_numbers > 1 && (n_cells == n_names || n_cells == n_names + 1);
}

static bool is_csv(const sp_file_look *look)
{
    const sp_request *request = look->request;
    const bool is_wanted = request->options->needs_scores || request->options->takes_scores;
    return is_wanted && !request->is_paths && look->n > 0 && !sp_is_json(look) &&
           (sp_is_table(look) || (sp_is_text(look) && (is_numbers(look) || is_named_by_blanks(look))));
}

const sp_format sp_csv_format = {
    .name = "a table in text (CSV or the like)", .recognise = is_csv, .open = open_csv, SP_ARRAY_SOURCE_ROW};
