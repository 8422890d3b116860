#include "mask/mask_table.h"

#include <stdarg.h>
#include <stdlib.h>

#include "cli.h"

enum { MOST_ROWS = 20, MOST_NUMBERS = 10, WORD_WIDTH = 9, NAME_MOST = 24 };

sp_status table_open(mask_table *table, sp_error *err)
{
    *table = (mask_table){.text = NULL};
    table->to = open_memstream(&table->text, &table->size);
    return table->to ? SP_OK : sp_no_memory(err);
}

sp_status table_close(mask_table *table, sp_status status, sp_error *err)
{
    if (table->to) {
        const bool is_lost = ferror(table->to);
        if ((fclose(table->to) != 0 || is_lost || !table->text) &&
            status == SP_OK) /* no text: memory was short at the end */
            status = sp_no_memory(err);
    }
    if (status == SP_OK && table->text)
        say("%s", table->text);
    free(table->text);
    return status;
}

void table_title(mask_table *table, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(table->to, format, arguments);
    va_end(arguments);
    fputc('\n', table->to);
    table->n_rows = 0;
}

bool table_has_room(const mask_table *table)
{
    return table->n_rows < MOST_ROWS;
}

void table_word(mask_table *table, const char *word)
{
    fprintf(table->to, " %*.*s", WORD_WIDTH, NAME_MOST, word);
}

void table_cell(mask_table *table, cell_form form, double x)
{
    char text[32];
    if (form == CELL_SHARE && x != 0)
        snprintf(text, sizeof text, "%.4f", x);
    else
        snprintf(text, sizeof text, "%.5g", x);
    table_word(table, text);
}

int64_t table_columns(int64_t n)
{
    return n < MOST_NUMBERS ? n : MOST_NUMBERS;
}

void table_cells(mask_table *table, cell_form form, const double *x, int64_t n)
{
    const int64_t shown = table_columns(n);
    for (int64_t i = 0; i < shown; i++)
        table_cell(table, form, x[i]);
    if (shown < n)
        fputs(" ...", table->to);
}

void table_end(mask_table *table)
{
    fputc('\n', table->to);
    table->n_rows++;
}

void table_rest(mask_table *table)
{
    if (table->n_rows > MOST_ROWS)
        fprintf(table->to, "... %lld more rows; -o writes all\n", (long long)(table->n_rows - MOST_ROWS));
}
