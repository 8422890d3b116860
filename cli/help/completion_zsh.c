/* Completion of zsh: a file _statepath for a folder of $fpath. */
#include <stdio.h>
#include <string.h>

#include "help/completion.h"

static void head(const vocabulary *v)
{
    const values strategies = {.kind = VALUES_STRATEGY};
    printf("#compdef statepath\n"
           "# Completion of zsh for statepath; made by `statepath help completion zsh` from the tables of options.\n"
           "_statepath_models() {\n"
           "  _alternative 'models:model:(");
    words_print(v, (values){.kind = VALUES_MODEL}, " ");
    printf(")' 'files:file:_files -g \"*.json\"'\n"
           "}\n\n"
           "_statepath_rules() {\n"
           "  _alternative 'rules:what labels show:(seen)' 'models:model:_statepath_models'\n"
           "}\n\n"
           "_statepath_strategy() {\n"
           "  local -a names=(");
    words_print(v, strategies, " ");
    printf(")\n"
           "  compadd -S '' -- ${(M)names:#*:}\n"
           "  compadd -- ${names:#*:}\n"
           "}\n\n"
           "_statepath_strategies() {\n"
           "  local -a names=(");
    words_print(v, strategies, " ");
    printf(")\n"
           "  compset -P '*,'\n"
           "  compadd -S '' -- ${(M)names:#*:}\n"
           "  compadd -qS , -- ${names:#*:}\n"
           "}\n\n"
           "_statepath_condition() {\n"
           "  local -a figures=(");
    figures_print();
    printf(")\n"
           "  compset -P '*[ ;]'\n"
           "  compadd -S '' -- $figures\n"
           "}\n\n"
           "_statepath() {\n"
           "  local curcontext=$curcontext state line ret=1\n"
           "  local -A opt_args\n"
           "  if (( CURRENT == 2 )); then\n"
           "    local -a commands=(");
    for (int i = 0; i < v->n_commands; i++) {
        printf("\n      %s:", v->commands[i]->name);
        quoted_print(v->commands[i]->summary, "'\\''");
    }
    printf("\n      help:'what an option, a figure or a strategy is')\n"
           "    _describe -t commands command commands\n"
           "    return\n"
           "  fi\n"
           "  local command=$words[2]\n"
           "  shift words\n"
           "  (( CURRENT-- ))\n"
           "  case $command in\n");
}

static void print_action(const vocabulary *v, values of)
{
    static const char *const functions[N_VALUE_KINDS] = {
        [VALUES_MODEL] = "_statepath_models",        [VALUES_RULES] = "_statepath_rules",
        [VALUES_STRATEGY] = "_statepath_strategy",   [VALUES_STRATEGIES] = "_statepath_strategies",
        [VALUES_CONDITION] = "_statepath_condition", [VALUES_FILE] = "_files",
    };
    if (of.kind == VALUES_WORDS || of.kind == VALUES_COMMAND) {
        printf("(");
        words_print(v, of, " ");
        printf(")");
    } else {
        fputs(functions[of.kind] ? functions[of.kind] : " ", stdout);
    }
    if (of.kind == VALUES_FILE && of.length)
        printf(" -g \"*.%.*s\"", of.length, of.text);
}

/* A description in brackets, in single quotes. */
static void print_description(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr("[]:\\", *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

typedef struct branch {
    const vocabulary *v;
    const usage *use;
} branch;

static void print_option(const struct poptOption *option, void *arg)
{
    const branch *b = arg;
    const char *name = option->longName, *value = option_value(option), letter = option->shortName;
    if (!name)
        return;
    const bool is_repeated = (option->argInfo & POPT_ARG_MASK) == POPT_ARG_ARGV;
    printf(" \\\n      ");
    if (letter)
        printf("'(-%c --%s)'{-%c%s,--%s%s}'", letter, name, letter, value ? "+" : "", name, value ? "=" : "");
    else
        printf("'%s--%s%s", is_repeated ? "*" : "", name, value ? "=" : "");
    printf("[");
    print_description(option->descrip);
    printf("]");
    if (value) {
        printf(":%s:", value);
        print_action(b->v, values_of(option->argDescrip, (int)strlen(option->argDescrip), b->use));
    }
    printf("'");
}

static void print_first(values first, values second, void *arg)
{
    const branch *b = arg;
    (void)second;
    putchar(' ');
    words_print(b->v, first, " ");
}

static void print_second(values first, values second, void *arg)
{
    const branch *b = arg;
    if (first.kind != VALUES_WORDS || second.kind == VALUES_ANY)
        return;
    printf("      (");
    words_print(b->v, first, "|");
    printf(") ");
    if (second.kind == VALUES_WORDS || second.kind == VALUES_COMMAND) {
        printf("compadd -- ");
        words_print(b->v, second, " ");
    } else {
        print_action(b->v, second);
    }
    printf(" && ret=0 ;;\n");
}

static void print_branch(const char *name, const branch *b, const struct poptOption *table)
{
    printf("  (%s)\n    _arguments -C -s -S", name);
    if (table)
        options_visit(table, print_option, (void *)b);
    if (!usage_has_verbs(b->use)) {
        printf(" \\\n      '*: :_files' && ret=0 ;;\n");
        return;
    }
    printf(" \\\n      '1: :(");
    usage_visit(b->use, print_first, (void *)b);
    printf(")' '2: :->second' '*: :_files' && ret=0\n    if [[ $state = second ]]; then\n      case $line[1] in\n");
    usage_visit(b->use, print_second, (void *)b);
    printf("      esac\n    fi ;;\n");
}

static void print_command(const command *c, const struct poptOption *table, void *v)
{
    print_branch(c->name, &(branch){.v = v, .use = &c->use}, table);
}

/* The file is the body of the function when it is loaded from $fpath, and may be sourced. */
static void foot(const vocabulary *v)
{
    print_branch("help", &(branch){.v = v, .use = &help_usage}, NULL);
    printf("  esac\n"
           "  return ret\n"
           "}\n\n"
           "if [[ $funcstack[1] = _statepath ]]; then\n"
           "  _statepath \"$@\"\n"
           "else\n"
           "  compdef _statepath statepath\n"
           "fi\n");
}

const shell shell_zsh = {"zsh", head, print_command, foot};
