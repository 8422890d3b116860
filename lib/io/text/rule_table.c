#include "io/text/rule_table.h"

#include <stdlib.h>
#include <string.h>

#include "core/names.h"
#include "core/try.h"
#include "io/text/cells.h"
#include "io/text/text_read.h"
#include "io/text/texts.h"

enum { ID = -1, MOST_COLUMNS = 1000 };

static const struct {
    const char *name, *before, *after;
} kinds[] = {{"rule", "", ""},
             {"allowed", "[", "]*"},
             {"first", "first [", "]"},
             {"last", "last [", "]"},
             {"order", "order [", "]"}};

enum { N_KINDS = sizeof kinds / sizeof *kinds, OTHER = N_KINDS };

typedef struct table {
    const char *file;
    sp_cells cells;
    int n_columns, columns[MOST_COLUMNS]; /* ID, a kind, or OTHER */
    int64_t n_found, n_others;
    sp_names ids; /* of the recordings, to their places */
    char **texts;
} table;

bool sp_rule_table_has_ending(const char *name)
{
    return sp_file_has_ending(name, ".csv .tsv");
}

static int column_of(const char *name)
{
    if (!strcmp(name, "id") || !strcmp(name, "recording"))
        return ID;
    for (int k = 0; k < N_KINDS; k++)
        if (!strcmp(name, kinds[k].name))
            return k;
    return OTHER;
}

static sp_status read_head(table *t, sp_error *err)
{
    bool is_last = false, has_id = false, has_rule = false;
    while (!is_last) {
        char *cell;
        const char *wrong = sp_cells_next(&t->cells, &cell, &is_last);
        if (wrong)
            return sp_fail(err, SP_EFILE, "%s, line %lld: %s", t->file, (long long)t->cells.line, wrong);
        if (t->n_columns == MOST_COLUMNS)
            return sp_fail(err, SP_EFILE, "%s has more than %d columns", t->file, MOST_COLUMNS);
        const int column = t->columns[t->n_columns++] = column_of(cell);
        has_id |= column == ID;
        has_rule |= column >= 0 && column < N_KINDS;
    }
    return has_id && has_rule ? SP_OK
                              : sp_fail(err, SP_EFILE,
                                        "%s: the first line of a table of rules names its columns: id, and "
                                        "one or more of rule, allowed, first, "
                                        "last, order",
                                        t->file);
}

/* Adds what a cell says to a text of rules. */
static bool add(char **text, int kind, const char *cell)
{
    const size_t length = *text ? strlen(*text) : 0;
    char *longer =
        realloc(*text, length + strlen(kinds[kind].before) + strlen(cell) + strlen(kinds[kind].after) + 3);
    if (!longer)
        return false;
    *text = longer;
    longer += length;
    longer = stpcpy(longer, length ? "; " : "");
    longer = stpcpy(longer, kinds[kind].before);
    longer = stpcpy(longer, cell);
    strcpy(longer, kinds[kind].after);
    return true;
}

static sp_status take_row(table *t, const char *id, char *text, sp_error *err)
{
    const int32_t r = sp_names_find(&t->ids, id);
    t->n_others += r < 0;
    if (r < 0)
        return SP_OK;
    if (t->texts[r])
        return sp_fail(err, SP_EFILE, "%s, line %lld: recording %s stands in the table twice", t->file,
                       (long long)t->cells.line, id);
    t->texts[r] = strdup(text ? text : "");
    t->n_found++;
    return t->texts[r] ? SP_OK : sp_no_memory(err);
}

static sp_status read_row(table *t, sp_error *err)
{
    bool is_last = false;
    char *text = NULL;
    const char *id = NULL;
    int c = 0;
    sp_status status = SP_OK;
    for (; !is_last; c++) {
        char *cell;
        const char *wrong = sp_cells_next(&t->cells, &cell, &is_last);
        if (wrong)
            TRY(sp_fail(err, SP_EFILE, "%s, line %lld: %s", t->file, (long long)t->cells.line, wrong));
        const int column = c < t->n_columns ? t->columns[c] : OTHER;
        if (column == ID)
            id = cell;
        else if (column < N_KINDS && *cell && !add(&text, column, cell))
            TRY(sp_no_memory(err));
    }
    if (c != t->n_columns)
        TRY(sp_fail(err, SP_EFILE,
                    "%s, line %lld: %d cells, but the first line names %d columns; a cell with a comma in it "
                    "stands between quotes",
                    t->file, (long long)t->cells.line, c, t->n_columns));
    TRY(take_row(t, id, text, err));
done:
    free(text);
    return status;
}

sp_status sp_rule_table_read(const char *file, int64_t n, const char *const *ids, int64_t *n_others,
                             char **texts, sp_error *err)
{
    char *all = NULL;
    table t = {.file = file, .texts = texts};
    memset(texts, 0, (size_t)n * sizeof *texts);
    sp_status status = SP_OK;
    TRY(sp_names_init(&t.ids, n) == SP_OK ? SP_OK : sp_no_memory(err));
    for (int64_t r = 0; r < n; r++)
        sp_names_add(&t.ids, ids[r], (int32_t)r);
    TRY(sp_text_read(file, "a table of rules", &all, err));
    t.cells = (sp_cells){.at = all, .next_line = 1};
    sp_cells_skip_empty_lines(&t.cells);
    t.cells.line = t.cells.next_line;
    t.cells.delimiter = sp_cells_delimiter(t.cells.at);
    TRY(read_head(&t, err));
    for (sp_cells_skip_empty_lines(&t.cells); *t.cells.at; sp_cells_skip_empty_lines(&t.cells)) {
        t.cells.line = t.cells.next_line;
        TRY(read_row(&t, err));
    }
    if (t.n_found == 0)
        TRY(sp_fail(err, SP_EFILE, "%s names none of the recordings, whose ids are such as %s", file,
                    n > 0 ? ids[0] : "none"));
    *n_others = t.n_others;
    for (int64_t r = 0; r < n; r++)
        if (!texts[r] && !(texts[r] = strdup("")))
            TRY(sp_no_memory(err));
done:
    sp_names_clear(&t.ids);
    free(all);
    return status;
}
