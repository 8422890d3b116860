/* The table of options as JSON, for tests and whoever makes pages or wrappers of it. */
#include "help/table.h"

#include <stdio.h>

static void put_text(const char *text)
{
    putchar('"');
    for (; *text; text++)
        printf(*text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    putchar('"');
}

static void put_member(const char *key, const char *text)
{
    if (!text)
        return;
    printf(", \"%s\": ", key);
    put_text(text);
}

/* "compare", "model new": what takes the option. */
static void put_commands(const sp_option_row *row, const command *const *commands, int n)
{
    const char *between = "";
    printf(", \"commands\": [");
    for (int i = 0; i < n; i++) {
        const command *c = commands[i];
        if (!c->verbs && row->commands & c->takes && !(row->commands & c->lacks)) {
            printf("%s\"%s\"", between, c->name);
            between = ", ";
        }
        for (const command_verb *verb = c->verbs; verb && verb->name; verb++)
            if (row->commands & verb->takes) {
                printf("%s\"%s %s\"", between, c->name, verb->name);
                between = ", ";
            }
    }
    printf("]");
}

static void put_row(const sp_option_row *row, const command *const *commands, int n)
{
    static const char *const types[] = {
        [SP_OPTION_TEXT] = "text",       [SP_OPTION_TEXTS] = "texts",  [SP_OPTION_FLAG] = "flag",
        [SP_OPTION_INTEGER] = "integer", [SP_OPTION_LONG] = "integer", [SP_OPTION_NUMBER] = "number",
        [SP_OPTION_COUNT] = "integer",   [SP_OPTION_SEED] = "integer"};
    const char letter[2] = {row->letter, 0};
    printf("{\"name\": \"%s\", \"type\": \"%s\"", row->name, types[row->type]);
    put_member("letter", row->letter ? letter : NULL);
    put_member("value", row->value);
    put_member("help", row->help);
    put_member("range", row->range);
    put_member("must", row->must);
    put_member("default", row->usual);
    put_member("needs", row->needs.with);
    for (int i = 0; i < SP_OPTION_EXCLUDES && row->excludes[i].with; i++)
        put_member(i ? "excludes_too" : "excludes", row->excludes[i].with);
    put_member("sample", row->sample);
    put_member("python", row->python);
    printf(", \"in_python\": %s, \"more_words\": %s", row->uses & SP_OPTION_IN_PYTHON ? "true" : "false",
           row->uses & SP_OPTION_MORE_WORDS ? "true" : "false");
    put_commands(row, commands, n);
    printf("}");
}

void table_print(const command *const *commands, int n_commands)
{
    const char *between = "[\n";
    for (const sp_option_row *row = option_rows; row < option_rows + N_OPTIONS; row++) {
        if (!row->name)
            continue;
        printf("%s", between);
        put_row(row, commands, n_commands);
        between = ",\n";
    }
    printf("]\n");
}
