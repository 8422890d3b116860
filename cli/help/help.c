#include "help/help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "statepath/comparison.h"
#include "statepath/report.h"
#include "statepath/sleep.h"

enum { WIDTH = 80, LEFT_MOST = 28, LEFT_TEXT = 80 };

void options_visit(const struct poptOption *table, option_visit *visit, void *arg)
{
    for (; table->longName || table->shortName || table->arg; table++) {
        const bool is_table = (table->argInfo & POPT_ARG_MASK) == POPT_ARG_INCLUDE_TABLE;
        if (!is_table || table->descrip)
            visit(table, arg);
        if (is_table)
            options_visit(table->arg, visit, arg);
    }
}

const char *option_value(const struct poptOption *option)
{
    return option->argDescrip && strchr(option->argDescrip, '|') ? "WHAT" : option->argDescrip;
}

char *choices_text(const char *choices, char text[CHOICES_TEXT])
{
    size_t used = 0;
    text[0] = 0;
    if (!choices || !strchr(choices, '|'))
        return text;
    for (const char *word = choices; used < CHOICES_TEXT;) {
        int length = (int)strcspn(word, "|");
        const char *rest = word + length, *after = !*rest ? "" : strchr(rest + 1, '|') ? ", " : " or ";
        used += (size_t)snprintf(text + used, CHOICES_TEXT - used, "%.*s%s", length, word, after);
        if (!*rest)
            break;
        word = rest + 1;
    }
    return text;
}

char *option_about(const struct poptOption *option, char text[ABOUT_TEXT])
{
    char choices[CHOICES_TEXT];
    choices_text(option->argDescrip, choices);
    snprintf(text, ABOUT_TEXT, "%s%s%s", choices, *choices ? ": " : "", option->descrip);
    name_options(text);
    return text;
}

/* Letters, not bytes: descriptions are UTF-8. */
static int columns(const char *text, size_t n)
{
    int width = 0;
    for (size_t i = 0; i < n; i++)
        width += ((unsigned char)text[i] & 0xC0) != 0x80;
    return width;
}

/* Prints words from column `at` on, what does not fit from column `indent` of the next line on; ends the line. */
static void print_wrapped(const char *text, int at, int indent)
{
    bool is_first = true;
    while (*(text += strspn(text, " "))) {
        size_t length = strcspn(text, " ");
        int width = columns(text, length);
        if (!is_first && at + 1 + width > WIDTH) {
            printf("\n%*s", indent, "");
            at = indent;
            is_first = true;
        }
        printf("%s%.*s", is_first ? "" : " ", (int)length, text);
        at += width + !is_first;
        is_first = false;
        text += length;
    }
    putchar('\n');
}

/* "  -m, --model M" */
static int left_column(const struct poptOption *option, char text[LEFT_TEXT])
{
    const char *value = option_value(option);
    char letter[8] = "    ";
    if (option->shortName)
        snprintf(letter, sizeof letter, "-%c, ", option->shortName);
    return snprintf(text, LEFT_TEXT, "  %s--%s%s%s", letter, option->longName, value ? " " : "",
                    value ? value : "");
}

static void widen(const struct poptOption *option, void *arg)
{
    char text[LEFT_TEXT];
    int *most = arg, width = option->longName ? left_column(option, text) : 0;
    *most = width > *most && width <= LEFT_MOST ? width : *most;
}

typedef struct listing {
    int left;
    bool has_begun;
} listing;

/* An empty line stands before the first option and before each group. */
static void print_option(const struct poptOption *option, void *arg)
{
    listing *l = arg;
    char text[LEFT_TEXT], about[ABOUT_TEXT];
    if (!l->has_begun || !option->longName)
        putchar('\n');
    l->has_begun = true;
    if (!option->longName) {
        printf("%s\n", option->descrip);
        return;
    }
    if (left_column(option, text) <= l->left)
        printf("%-*s", l->left + 2, text);
    else
        printf("%s\n%*s", text, l->left + 2, "");
    print_wrapped(option_about(option, about), l->left + 2, l->left + 2);
}

static void print_strategies(int left)
{
    printf("\nStrategies:\n");
    for (int kind = 0; kind < sp_strategy_count(); kind++) {
        const char *parameter = sp_strategy_about((sp_strategy_kind)kind)->parameter;
        char text[LEFT_TEXT];
        snprintf(text, sizeof text, "  %s%s%s", sp_strategy_about((sp_strategy_kind)kind)->name,
                 parameter ? ":" : "", parameter ? parameter : "");
        printf("%-*s", left + 2, text);
        print_wrapped(sp_strategy_about((sp_strategy_kind)kind)->summary, left + 2, left + 2);
    }
}

void help_print(const char *name, const usage *use, const struct poptOption *table)
{
    int at = printf("%s %s: ", program_name, name);
    listing l = {.left = 0};
    options_visit(table, widen, &l.left);
    print_wrapped(use->summary, at, 2);
    at = printf("\nUsage: %s %s ", program_name, name);
    print_wrapped(use->arguments, at - 1, 9);
    options_visit(table, print_option, &l);
    if (use->has_strategies)
        print_strategies(l.left);
    printf("\nExample:\n%s", use->example);
}

void help_figures(void)
{
    enum { LEFT = 28 };
    print_wrapped(
        "The figures of `compare` and `evaluate`: keys of the JSON and the CSV. Those of the comparison, the "
        "reference, a "
        "strategy and a class can stand in --fail-if: mask_ceiling, reference.illegal, viterbi.accuracy, "
        "viterbi.classes.N1.f1.",
        0, 0);
    for (int scope = 0; scope < SP_N_FIGURE_SCOPES; scope++) {
        const char *path = sp_figure_scope_path((sp_figure_scope)scope);
        sp_figure_description f;
        printf("\nOf the %s%s%s\n", sp_figure_scope_name((sp_figure_scope)scope), *path ? ": " : "", path);
        for (size_t i = 0; sp_figure_describe((sp_figure_scope)scope, i, &f); i++) {
            char words[512];
            int at = printf("  %-*s ", LEFT - 3, f.key);
            snprintf(words, sizeof words, "%s: %s%s", f.label, f.definition,
                     f.decimals < 0 ? " (per cent)" : "");
            print_wrapped(words, at, LEFT);
        }
    }
    printf("\nMeasures of sleep, of each night and in the places of MEASURE\n");
    for (int m = 0; m < SP_N_SLEEP_MEASURES; m++) {
        printf("  %-*s %s (%s)\n", LEFT - 3, sp_sleep_measure_key((sp_sleep_measure)m),
               sp_sleep_measure_name((sp_sleep_measure)m), sp_sleep_measure_unit((sp_sleep_measure)m));
    }
}

int help_schema(void)
{
    sp_error err;
    char *text = NULL;
    const sp_status status = sp_report_schema(&text, &err);
    if (status != SP_OK)
        return fail_with(status, &err);
    fputs(text, stdout);
    free(text);
    return EXIT_DONE;
}
