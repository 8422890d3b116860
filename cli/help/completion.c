#include "help/completion.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what may stand where ---- */

const usage help_usage = {.arguments = "COMMAND | figures | man COMMAND | completion SHELL", .kinds = NULL};

static const struct value_name {
    const char *name;
    value_kind kind;
} value_names[] = {
    {"M", VALUES_MODEL},  {"RULES", VALUES_RULES},         {"STRATEGY", VALUES_STRATEGY}, {"LIST", VALUES_STRATEGIES},
    {"MAP", VALUES_FILE}, {"CONDITION", VALUES_CONDITION}, {"COMMAND", VALUES_COMMAND},   {"FILE.h5|LENGTHS", VALUES_FILE},
};

static bool is_same(const char *text, int length, const char *word)
{
    return (size_t)length == strlen(word) && strncmp(text, word, (size_t)length) == 0;
}

values values_of(const char *name, int length, const usage *use)
{
    if (!name)
        return (values){VALUES_ANY, "", 0};
    for (size_t i = 0; i < sizeof value_names / sizeof value_names[0]; i++)
        if (is_same(name, length, value_names[i].name))
            return (values){value_names[i].kind, "", 0};
    if (is_same(name, length, "KIND") && use && use->kinds)
        return (values){VALUES_WORDS, use->kinds, (int)strlen(use->kinds)};
    if (is_same(name, length, "SHELL"))
        return (values){VALUES_WORDS, "bash|zsh|fish", (int)strlen("bash|zsh|fish")};
    if (memchr(name, '|', (size_t)length))
        return (values){VALUES_WORDS, name, length};
    const char *dot = memchr(name, '.', (size_t)length);
    if (!dot)
        return (values){VALUES_ANY, "", 0};
    const int ending = length - (int)(dot + 1 - name);
    if (is_same(dot + 1, ending, "h5")) /* such files are called .hdf5, .mat, .nc, ... too */
        return (values){VALUES_FILE, "", 0};
    return (values){VALUES_FILE, dot + 1, ending};
}

bool usage_has_verbs(const usage *use)
{
    return strstr(use->arguments, " | ") != NULL;
}

void usage_visit(const usage *use, words_visit *visit, void *arg)
{
    const values any_file = {VALUES_FILE, "", 0};
    for (const char *next, *a = use->arguments; a; a = next) {
        const char *end = strstr(a, " | ");
        next = end ? end + 3 : NULL;
        end = end ? end : a + strlen(a);
        const int first = (int)strcspn(a, " ") < (int)(end - a) ? (int)strcspn(a, " ") : (int)(end - a);
        if (!islower((unsigned char)*a)) {
            values of = values_of(a, first, use);
            visit(of.kind == VALUES_COMMAND ? of : any_file, any_file, arg);
            continue;
        }
        const char *second = a + first + (a + first < end);
        int length = (int)strcspn(second, " ");
        length = length < (int)(end - second) ? length : (int)(end - second);
        visit((values){VALUES_WORDS, a, first}, length ? values_of(second, length, use) : (values){VALUES_ANY, "", 0}, arg);
    }
}

/* ---- printing ---- */

void words_print(const vocabulary *v, values of, const char *between)
{
    if (of.kind == VALUES_COMMAND) {
        for (int i = 0; i < v->n_commands; i++)
            printf("%s%s", i ? between : "", v->commands[i]->name);
    } else if (of.kind == VALUES_MODEL) {
        for (int32_t i = 0; i < v->n_models; i++)
            printf("%s%s", i ? between : "", v->models[i]);
    } else if (of.kind == VALUES_STRATEGY) {
        for (int kind = 0; kind < sp_strategy_count(); kind++) {
            const sp_strategy_info *about = sp_strategy_about((sp_strategy_kind)kind);
            printf("%s%s%s", kind ? between : "", about->name, about->parameter ? ":" : "");
        }
    } else if (of.kind == VALUES_WORDS) {
        for (int i = 0; i < of.length; i++) {
            if (of.text[i] == '|')
                fputs(between, stdout);
            else
                putchar(of.text[i]);
        }
    }
}

static void print_keys(sp_figure_scope scope, const char *between)
{
    sp_figure_description f;
    for (size_t i = 0; sp_figure_describe(scope, i, &f); i++)
        printf("%s%s", i ? between : "", f.key);
}

void figures_print(void)
{
    print_keys(SP_OF_COMPARISON, " ");
    printf(" reference.{");
    print_keys(SP_OF_REFERENCE, ",");
    printf("} {");
    const char *between = "";
    for (int kind = 0; kind < sp_strategy_count(); kind++) {
        const sp_strategy_info *about = sp_strategy_about((sp_strategy_kind)kind);
        if (!about->parameter) { /* it would be part of the name */
            printf("%s%s", between, about->name);
            between = ",";
        }
    }
    printf("}.{");
    print_keys(SP_OF_STRATEGY, ",");
    printf("}");
}

void quoted_print(const char *text, const char *escaped_quote)
{
    putchar('\'');
    for (; *text; text++) {
        if (*text == '\'')
            fputs(escaped_quote, stdout);
        else
            putchar(*text);
    }
    putchar('\'');
}

int completion_print(const char *name, const command *const *commands, int n)
{
    static const shell *const shells[] = {&shell_bash, &shell_zsh, &shell_fish};
    const shell *s = NULL;
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++)
        s = strcmp(name, shells[i]->name) == 0 ? shells[i] : s;
    if (!s) {
        complain("there is no completion for \"%s\"; the shells are bash, zsh and fish", name);
        return EXIT_USAGE;
    }
    sp_error err;
    vocabulary v = {.commands = commands, .n_commands = n};
    const sp_status status = sp_model_list(&v.models, &v.n_models, &err);
    if (status == SP_OK) {
        s->head(&v);
        commands_visit(commands, n, s->command, &v);
        s->foot(&v);
    }
    for (int32_t i = 0; i < v.n_models; i++)
        free(v.models[i]);
    free(v.models);
    return status == SP_OK ? EXIT_DONE : fail_with(status, &err);
}
