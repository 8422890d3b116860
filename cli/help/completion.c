#include "help/completion.h"
#include "statepath/comparison.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the functions ---- */

static const struct shell {
    const char *name, *function;
} shells[] = {
    {"bash", "# Completion of bash for statepath, which says itself what may stand where. Needs bash 4.\n"
             "_statepath() {\n"
             "  local piece=${COMP_WORDS[COMP_CWORD]} word='' line i\n"
             "  local -a given\n"
             "  COMPREPLY=()\n"
             "  for ((i = 1; i <= COMP_CWORD; i++)); do # bash cuts words at = and at colons: --model=M, argmax,beam:8,viterbi\n"
             "    case ${COMP_WORDS[i]} in\n"
             "    = | :) word+=${COMP_WORDS[i]} ;;\n"
             "    *) [[ $word = *[=:] ]] || { [ $i = 1 ] || given+=(\"$word\"); word=''; }\n"
             "      word+=${COMP_WORDS[i]} ;;\n"
             "    esac\n"
             "  done\n"
             "  [[ $piece = [=:] ]] && piece=''\n"
             "  local cut=$((${#word} - ${#piece}))\n"
             "  while IFS= read -r line; do\n"
             "    case $line in\n"
             "    $'\\t'nospace) compopt -o nospace 2>/dev/null ;;\n"
             "    $'\\t'files*)\n"
             "      compopt -o filenames 2>/dev/null\n"
             "      mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(\n"
             "        compgen -d -- \"$piece\"\n"
             "        compgen -f -X \"!${line#*files }\" -- \"$piece\" | while IFS= read -r line; do\n"
             "          [ -d \"$line\" ] || printf '%s\\n' \"$line\"\n"
             "        done) ;;\n"
             "    *) line=${line%%$'\\t'*} && COMPREPLY+=(\"${line:cut}\") ;;\n"
             "    esac\n"
             "  done < <(command \"${COMP_WORDS[0]}\" help complete \"${given[@]}\" \"$word\" 2>/dev/null)\n"
             "  [[ ${#COMPREPLY[@]} = 1 && ${COMPREPLY[0]} = *: ]] && compopt -o nospace 2>/dev/null\n"
             "  return 0\n"
             "}\n"
             "complete -F _statepath statepath\n"},
    {"zsh",
     "#compdef statepath\n"
     "# Completion of zsh for statepath, which says itself what may stand where. The file is the body of the function when it\n"
     "# is loaded from $fpath, and may be sourced.\n"
     "_statepath() {\n"
     "  local line ret=1\n"
     "  local -a words_offered open_words space\n"
     "  for line in \"${(@f)$(command ${(Q)words[1]} help complete \"${(@Q)words[2,CURRENT-1]}\" \"$PREFIX\" 2>/dev/null)}\"; "
     "do\n"
     "    case $line in\n"
     "    '') ;;\n"
     "    $'\\t'nospace) space=(-S '') ;;\n"
     "    $'\\t'files*) _files -g \"${line#*files }\" && ret=0 ;;\n"
     "    *:$'\\t'*) open_words+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\") ;;\n"
     "    *) words_offered+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\") ;;\n"
     "    esac\n"
     "  done\n"
     "  (( $#words_offered )) && _describe -t words word words_offered \"${space[@]}\" && ret=0\n"
     "  (( $#open_words )) && _describe -t words word open_words -S '' && ret=0\n"
     "  return ret\n"
     "}\n\n"
     "if [[ $funcstack[1] = _statepath ]]; then\n"
     "  _statepath \"$@\"\n"
     "else\n"
     "  compdef _statepath statepath\n"
     "fi\n"},
    {"fish", "# Completion of fish for statepath, which says itself what may stand where.\n"
             "function __statepath_complete\n"
             "    set -l words (commandline -opc)\n"
             "    set -l word (commandline -ct)\n"
             "    for line in (command $words[1] help complete $words[2..-1] \"$word\" 2>/dev/null)\n"
             "        switch $line\n"
             "            case \\t'files \\*'\n"
             "                __fish_complete_path $word\n"
             "            case \\t'files *'\n"
             "                __fish_complete_suffix (string replace -r '.*\\*' '' -- $line)\n"
             "            case \\t'*'\n"
             "            case '*'\n"
             "                printf '%s\\n' $line\n"
             "        end\n"
             "    end\n"
             "end\n"
             "complete -c statepath -f -a '(__statepath_complete)'\n"},
};

int completion_print(const char *shell)
{
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++)
        if (strcmp(shell, shells[i].name) == 0) {
            fputs(shells[i].function, stdout);
            return EXIT_DONE;
        }
    complain("there is no completion for \"%s\"; the shells are bash, zsh and fish", shell);
    return EXIT_USAGE;
}

/* ---- offering words ---- */

/* The word that is being written, and how many of its letters stay as they are: "--model=", "argmax,", "viterbi.kappa < ". */
typedef struct place {
    const char *written;
    size_t n_begun;
    const command *const *commands;
    int n_commands;
} place;

/* A word, where it goes on with what is written. */
static void offer(const place *p, const char *word, int length, const char *end, const char *about)
{
    const char *rest = p->written + p->n_begun;
    if (strlen(rest) <= (size_t)length + strlen(end) && strncmp(rest, word, strlen(rest)) == 0)
        printf("%.*s%.*s%s\t%s\n", (int)p->n_begun, p->written, length, word, end, about);
}

/* What was written up to the last of some letters stays. */
static void keep_to(place *p, const char *letters)
{
    for (size_t i = p->n_begun; p->written[i]; i++)
        p->n_begun = strchr(letters, p->written[i]) ? i + 1 : p->n_begun;
}

static void offer_words(const place *p, const char *words, int length)
{
    for (const char *word = words, *end = words + length; word <= end;) {
        const char *bar = memchr(word, '|', (size_t)(end - word));
        const int n = (int)((bar ? bar : end) - word);
        offer(p, word, n, "", "");
        word += n + 1;
    }
}

static void offer_commands(const place *p)
{
    for (int i = 0; i < p->n_commands; i++)
        offer(p, p->commands[i]->name, (int)strlen(p->commands[i]->name), "", p->commands[i]->summary);
}

static void offer_models(const place *p)
{
    char **names = NULL;
    int32_t n = 0;
    if (sp_model_list(&names, &n, NULL) != SP_OK)
        return;
    for (int32_t i = 0; i < n; i++) {
        offer(p, names[i], (int)strlen(names[i]), "", "shipped model");
        free(names[i]);
    }
    free(names);
    printf("\tfiles *.json\n");
}

static void offer_strategies(const place *p)
{
    for (int kind = 0; kind < sp_strategy_count(); kind++) {
        const sp_strategy_info *about = sp_strategy_about((sp_strategy_kind)kind);
        offer(p, about->name, (int)strlen(about->name), about->parameter ? ":" : "", about->summary);
    }
}

static void offer_figures(const place *p, const char *of, sp_figure_scope scope)
{
    char key[128];
    sp_figure_description f;
    for (size_t i = 0; sp_figure_describe(scope, i, &f); i++)
        offer(p, key, snprintf(key, sizeof key, "%s%s%s", of, *of ? "." : "", f.key), "", f.label);
}

static void offer_condition(place *p)
{
    keep_to(p, " ;");
    printf("\tnospace\n");
    offer_figures(p, "", SP_OF_COMPARISON);
    offer_figures(p, "reference", SP_OF_REFERENCE);
    for (int kind = 0; kind < sp_strategy_count(); kind++) {
        const sp_strategy_info *about = sp_strategy_about((sp_strategy_kind)kind);
        if (!about->parameter) /* it would be part of the name */
            offer_figures(p, about->name, SP_OF_STRATEGY);
    }
}

static bool is_same(const char *text, int length, const char *word)
{
    return (size_t)length == strlen(word) && strncmp(text, word, (size_t)length) == 0;
}

/* What a value of that name may be, of an option or of a word in a command's usage; `use` says what KIND is. */
static void offer_value(place *p, const char *name, int length, const usage *use)
{
    const char *dot = memchr(name, '.', (size_t)length);
    if (is_same(name, length, "RULES"))
        offer(p, "seen", 4, "", "what the labels show");
    if (is_same(name, length, "M") || is_same(name, length, "RULES")) {
        offer_models(p);
    } else if (is_same(name, length, "STRATEGY")) {
        offer_strategies(p);
    } else if (is_same(name, length, "LIST")) {
        keep_to(p, ",");
        printf("\tnospace\n");
        offer_strategies(p);
    } else if (is_same(name, length, "CONDITION")) {
        offer_condition(p);
    } else if (is_same(name, length, "COMMAND")) {
        offer_commands(p);
    } else if (is_same(name, length, "KIND") && use->kinds) {
        offer_words(p, use->kinds, (int)strlen(use->kinds));
    } else if (is_same(name, length, "SHELL")) {
        offer_words(p, "bash|zsh|fish", 13);
    } else if (is_same(name, length, "MAP") || is_same(name, length, "FILE.h5|LENGTHS")) {
        printf("\tfiles *\n");
    } else if (memchr(name, '|', (size_t)length)) {
        offer_words(p, name, length);
    } else if (dot) { /* files of .h5 are called .hdf5, .mat, .nc, ... too */
        const int ending = length - (int)(dot + 1 - name);
        printf("\tfiles *%.*s\n", is_same(dot + 1, ending, "h5") ? 0 : ending + 1, dot);
    }
}

/* ---- which word it is ---- */

/* Is a word one of "leak|softmax"? */
static bool is_one_of(const char *word, const char *words, int length)
{
    const size_t n = strlen(word);
    for (const char *w = words; w < words + length; w += strcspn(w, "| ") + 1)
        if (strcspn(w, "| ") == n && strncmp(w, word, n) == 0)
            return true;
    return false;
}

/* One word of those after a command. Usages are alternatives with " | " between: "list | show M | leak|softmax FILE.h5". */
static void offer_argument(place *p, const usage *use, int at, const char *verb)
{
    if (!strstr(use->arguments, " | ")) {
        printf("\tfiles *\n");
        return;
    }
    bool is_known = at == 0;
    for (const char *next, *a = use->arguments; a; a = next) {
        const char *bar = strstr(a, " | "), *end = bar ? bar : a + strlen(a), *second = a + strcspn(a, " ");
        next = bar ? bar + 3 : NULL;
        const int first = (int)(second - a);
        if (at == 0 && islower((unsigned char)*a))
            offer_words(p, a, first);
        else if (at == 0)
            offer_value(p, a, first, use);
        if (at != 1 || !is_one_of(verb, a, first))
            continue;
        is_known = true;
        if (second < end)
            offer_value(p, second + 1, (int)strcspn(second + 1, " "), use);
    }
    if (!is_known)
        printf("\tfiles *\n");
}

typedef struct search {
    place *p;
    const char *command;
    int n;
    const char *const *words; /* after the command, the last is written */
} search;

typedef struct lookup {
    const char *name; /* --NAME or -L */
    const struct poptOption *found;
    place *p; /* or NULL */
} lookup;

static void look_at_option(const struct poptOption *option, void *arg)
{
    lookup *l = arg;
    if (!option->longName)
        return;
    char name[80];
    const int n = snprintf(name, sizeof name, "--%s", option->longName);
    if (l->p)
        offer(l->p, name, n, "", option->descrip);
    else if (strcmp(l->name, name) == 0 ||
             (option->shortName && l->name[0] == '-' && l->name[1] == option->shortName && !l->name[2]))
        l->found = option;
}

static const char *value_of(const struct poptOption *table, const char *name)
{
    lookup l = {.name = name};
    options_visit(table, look_at_option, &l);
    return l.found ? l.found->argDescrip : NULL;
}

static void offer_in_command(const command *c, const struct poptOption *table, void *arg)
{
    const search *s = arg;
    place *p = s->p;
    if (strcmp(c->name, s->command) != 0)
        return;
    const int at = s->n - 1;
    char name[80];
    const char *equals = strncmp(p->written, "--", 2) == 0 ? strchr(p->written, '=') : NULL;
    const char *value = at > 0 ? value_of(table, s->words[at - 1]) : NULL;
    if (!value && equals && (size_t)snprintf(name, sizeof name, "%.*s", (int)(equals - p->written), p->written) < sizeof name) {
        value = value_of(table, name);
        p->n_begun = (int)(equals + 1 - p->written);
    }
    if (value)
        offer_value(p, value, (int)strlen(value), &c->use);
    else if (*p->written == '-')
        options_visit(table, look_at_option, &(lookup){.p = p});
    else
        offer_argument(p, &c->use, at, at > 0 ? s->words[0] : "");
}

int completion_offer(int n, const char *const *words, const command *const *commands, int n_commands)
{
    const char *word = n > 0 ? words[n - 1] : "";
    const bool is_quoted = *word == '\'' || *word == '"';
    place p = {.written = word + is_quoted, .commands = commands, .n_commands = n_commands};
    static const usage help = {.arguments = "COMMAND | figures | man COMMAND | completion SHELL", .max_words = 2};
    if (n > 1 && strcmp(words[0], "help") == 0)
        offer_argument(&p, &help, n - 2, words[1]);
    if (n > 1) {
        commands_visit(commands, n_commands, offer_in_command, &(search){&p, words[0], n - 1, words + 1});
        return EXIT_DONE;
    }
    offer_commands(&p);
    offer(&p, "help", 4, "", "what an option, a figure or a strategy is");
    offer(&p, "--help", 6, "", "list the commands");
    offer(&p, "--version", 9, "", "print the version");
    return EXIT_DONE;
}
