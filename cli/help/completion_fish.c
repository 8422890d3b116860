/* Completion of fish. */
#include <stdio.h>
#include <string.h>

#include "help/completion.h"

/* `__statepath_at PLACE COMMAND [WORD...]`: is the word in that place being written, after one of the WORDs? */
static void head(const vocabulary *v)
{
    printf("# Completion of fish for statepath; made by `statepath help completion fish` from the tables of options.\n"
           "function __statepath_in\n"
           "    set -l words (commandline -opc)\n"
           "    test (count $words) -ge 2; and test $words[2] = $argv[1]\n"
           "end\n\n"
           "function __statepath_at\n"
           "    set -l words (commandline -opc)\n"
           "    test (count $words) -eq $argv[1]; and test $words[2] = $argv[2]; or return 1\n"
           "    test (count $argv) -eq 2; or contains -- $words[3] $argv[3..-1]\n"
           "end\n\n"
           "function __statepath_models\n"
           "    printf '%%s\\n' ");
    words_print(v, (values){.kind = VALUES_MODEL}, " ");
    printf("\n    __fish_complete_suffix .json\n"
           "end\n\n"
           "function __statepath_strategies\n"
           "    set -l begun (commandline -ct | string replace -r '[^,]*$' '')\n"
           "    printf '%%s\\n' $begun");
    printf("{");
    words_print(v, (values){.kind = VALUES_STRATEGY}, ",");
    printf("}\n"
           "end\n\n"
           "function __statepath_condition\n"
           "    set -l begun (commandline -ct | string trim -l -c '\"\\'' | string replace -r '[^ ;]*$' '')\n"
           "    set -l figures ");
    figures_print();
    printf("\n    printf '%%s\\n' $begun$figures\n"
           "end\n\n"
           "complete -c statepath -f\n");
    const char *const is_first = "test (count (commandline -opc)) -eq 1";
    for (int i = 0; i < v->n_commands; i++) {
        printf("complete -c statepath -n '%s' -a %s -d ", is_first, v->commands[i]->name);
        quoted_print(v->commands[i]->summary, "\\'");
        putchar('\n');
    }
    printf("complete -c statepath -n '%s' -a help -d 'what an option, a figure or a strategy is'\n"
           "complete -c statepath -n '%s' -l help -s h -d 'list the commands'\n"
           "complete -c statepath -n '%s' -l version -d 'print the version'\n",
           is_first, is_first, is_first);
}

static void print_values(const vocabulary *v, values of)
{
    static const char *const functions[N_VALUE_KINDS] = {
        [VALUES_MODEL] = "(__statepath_models)",
        [VALUES_RULES] = "seen (__statepath_models)",
        [VALUES_STRATEGIES] = "(__statepath_strategies)",
        [VALUES_CONDITION] = "(__statepath_condition)",
    };
    if (of.kind == VALUES_FILE && !of.length) {
        printf(" -F");
        return;
    }
    if (of.kind == VALUES_ANY)
        return;
    printf(" -a '");
    if (of.kind == VALUES_FILE)
        printf("(__fish_complete_suffix .%.*s)", of.length, of.text);
    else if (functions[of.kind])
        fputs(functions[of.kind], stdout);
    else
        words_print(v, of, " ");
    printf("'");
}

typedef struct branch {
    const vocabulary *v;
    const usage *use;
    const char *name;
} branch;

static void print_option(const struct poptOption *option, void *arg)
{
    const branch *b = arg;
    if (!option->longName)
        return;
    printf("complete -c statepath -n '__statepath_in %s' -l %s", b->name, option->longName);
    if (option->shortName)
        printf(" -s %c", option->shortName);
    if (option->argDescrip) {
        const values of = values_of(option->argDescrip, (int)strlen(option->argDescrip), b->use);
        printf(of.kind == VALUES_FILE && !of.length ? " -r" : " -x");
        print_values(b->v, of);
    }
    printf(" -d ");
    quoted_print(option->descrip, "\\'");
    putchar('\n');
}

static void print_alternative(values first, values second, void *arg)
{
    const branch *b = arg;
    printf("complete -c statepath -n '__statepath_at 2 %s' -a '", b->name);
    words_print(b->v, first, " ");
    printf("'\n");
    if (first.kind != VALUES_WORDS || second.kind == VALUES_ANY)
        return;
    printf("complete -c statepath -n '__statepath_at 3 %s ", b->name);
    words_print(b->v, first, " ");
    printf("'");
    print_values(b->v, second);
    putchar('\n');
}

static void print_branch(const branch *b)
{
    if (usage_has_verbs(b->use))
        usage_visit(b->use, print_alternative, (void *)b);
    else
        printf("complete -c statepath -n '__statepath_in %s' -F\n", b->name);
}

static void print_command(const command *c, const struct poptOption *table, void *v)
{
    branch b = {.v = v, .use = &c->use, .name = c->name};
    printf("\n");
    print_branch(&b);
    options_visit(table, print_option, &b);
}

static void foot(const vocabulary *v)
{
    printf("\n");
    print_branch(&(branch){.v = v, .use = &help_usage, .name = "help"});
}

const shell shell_fish = {"fish", head, print_command, foot};
