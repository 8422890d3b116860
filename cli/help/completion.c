#include "help/completion.h"
#include "statepath/comparison.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int completion_print(const char *shell)
{
    for (const completion_function *one = completion_functions; one->shell; one++)
        if (strcmp(shell, one->shell) == 0) {
            fputs(one->text, stdout);
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
    const char *kinds; /* what the usage line calls KIND; or NULL */
} place;

/* A word, where it goes on with what is written. */
__attribute__((format(printf, 3, 4))) static void offer(const place *p, const char *about, const char *format,
                                                        ...)
{
    char word[160];
    const char *rest = p->written + p->n_begun;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(word, sizeof word, format, arguments);
    va_end(arguments);
    if (strncmp(rest, word, strlen(rest)) == 0)
        printf("%.*s%s\t%s\n", (int)p->n_begun, p->written, word, about);
}

/* The word goes on after the last of some letters in what is written, and after itself. */
static void go_on(place *p, const char *letters)
{
    for (size_t i = p->n_begun; p->written[i]; i++)
        p->n_begun = strchr(letters, p->written[i]) ? i + 1 : p->n_begun;
    printf("\tnospace\n");
}

static void offer_files(place *p)
{
    (void)p;
    printf("\tfiles *\n");
}

static void offer_words(const place *p, const char *words, size_t length)
{
    for (const char *word = words, *end = words + length; word <= end;) {
        const char *bar = memchr(word, '|', (size_t)(end - word));
        const int n = (int)((bar ? bar : end) - word);
        offer(p, "", "%.*s", n, word);
        word += n + 1;
    }
}

static void offer_commands(place *p)
{
    for (int i = 0; i < p->n_commands; i++)
        offer(p, p->commands[i]->summary, "%s", p->commands[i]->name);
}

static void offer_kinds(place *p)
{
    if (p->kinds)
        offer_words(p, p->kinds, strlen(p->kinds));
}

static void offer_models(place *p)
{
    char **names = NULL;
    int32_t n = 0;
    if (sp_model_list(&names, &n, NULL) != SP_OK)
        return;
    for (int32_t i = 0; i < n; i++) {
        offer(p, "shipped model", "%s", names[i]);
        free(names[i]);
    }
    free(names);
    printf("\tfiles *.json\n");
}

static void offer_rules(place *p)
{
    offer(p, "what the labels show", "seen");
    offer_models(p);
}

static void offer_strategies(place *p)
{
    for (int kind = 0; kind < sp_strategy_count(); kind++) {
        const sp_strategy_info *about = sp_strategy_about((sp_strategy_kind)kind);
        offer(p, about->summary, "%s%s", about->name, about->parameter ? ":" : "");
    }
}

static void offer_list(place *p)
{
    go_on(p, ",");
    offer_strategies(p);
}

static void offer_figures(const place *p, const char *of, const char *dot, sp_figure_scope scope)
{
    sp_figure_description f;
    for (size_t i = 0; sp_figure_describe(scope, i, &f); i++)
        offer(p, f.label, "%s%s%s", of, dot, f.key);
}

static void offer_condition(place *p)
{
    go_on(p, " ;");
    offer_figures(p, "", "", SP_OF_COMPARISON);
    offer_figures(p, "reference", ".", SP_OF_REFERENCE);
    for (int kind = 0; kind < sp_strategy_count(); kind++) {
        const sp_strategy_info *about = sp_strategy_about((sp_strategy_kind)kind);
        if (!about->parameter) /* it would be part of the name */
            offer_figures(p, about->name, ".", SP_OF_STRATEGY);
    }
}

static bool is_same(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && strncmp(text, word, length) == 0;
}

/* Values by their names, of options and of words in a command's usage. */
static const struct {
    const char *name;
    void (*offer)(place *p);
} values[] = {{"M", offer_models},
              {"RULES", offer_rules},
              {"STRATEGY", offer_strategies},
              {"LIST", offer_list},
              {"CONDITION", offer_condition},
              {"COMMAND", offer_commands},
              {"KIND", offer_kinds},
              {"MAP", offer_files}};

/* What a value of that name may be: such a one, else a choice, else a file with an ending. */
static void offer_value(place *p, const char *name, size_t length)
{
    const char *dot = memchr(name, '.', length);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (is_same(name, length, values[i].name)) {
            values[i].offer(p);
            return;
        }
    if (memchr(name, '|', length))
        offer_words(p, name, length);
    else if (dot && is_same(dot, (size_t)(name + length - dot),
                            ".h5")) /* they are called .hdf5, .mat, .nc, ... too */
        offer_files(p);
    else if (dot)
        printf("\tfiles *%.*s\n", (int)(name + length - dot), dot);
}

/* ---- which word it is ---- */

/* Is a word one of "leak|softmax"? */
static bool is_one_of(const char *word, const char *words, size_t length)
{
    for (const char *w = words; w < words + length; w += strcspn(w, "| ") + 1)
        if (is_same(w, strcspn(w, "| "), word))
            return true;
    return false;
}

/* The word number `at` of those after a command. Usages are alternatives with " | " between: "list | show M | leak|softmax FILE.h5". */
static void offer_argument(place *p, const char *arguments, int at, const char *verb)
{
    bool is_known = at == 0 && strstr(arguments, " | ");
    for (const char *next, *a = strstr(arguments, " | ") ? arguments : NULL; a; a = next) {
        const char *bar = strstr(a, " | "), *end = bar ? bar : a + strlen(a);
        const size_t first = strcspn(a, " ");
        next = bar ? bar + 3 : NULL;
        if (at == 0 && islower((unsigned char)*a))
            offer_words(p, a, first);
        else if (at == 0)
            offer_value(p, a, first);
        if (at != 1 || !is_one_of(verb, a, first))
            continue;
        is_known = true;
        if (a + first < end)
            offer_value(p, a + first + 1, strcspn(a + first + 1, " "));
    }
    if (!is_known)
        offer_files(p);
}

typedef struct lookup {
    const char *name; /* --NAME or -L */
    size_t length;
    const char *value; /* out: what its value is called */
} lookup;

static void find_value(const struct poptOption *option, void *arg)
{
    lookup *l = arg;
    if (!option->longName || l->length < 2 || l->name[0] != '-')
        return;
    const bool is_letter = l->length == 2 && l->name[1] == option->shortName;
    if (is_letter || (l->name[1] == '-' && is_same(l->name + 2, l->length - 2, option->longName)))
        l->value = option->argDescrip;
}

static const char *value_of(const struct poptOption *table, const char *name, size_t length)
{
    lookup l = {name, length, NULL};
    options_visit(table, find_value, &l);
    return l.value;
}

static void offer_option(const struct poptOption *option, void *arg)
{
    char about[ABOUT_TEXT];
    if (option->longName)
        offer(arg, option_about(option, about), "--%s", option->longName);
}

/* The last of n words after a command. */
static void offer_in_command(place *p, const command *c, int n, const char *const *words)
{
    const char *before = n > 1 ? words[n - 2] : "",
               *equals = strncmp(p->written, "--", 2) == 0 ? strchr(p->written, '=') : NULL;
    options o;
    option_table table;
    options_init(&o);
    options_fill(&table, &o, c->takes, c->lacks);
    const char *value = value_of(table.groups, before, strlen(before));
    if (!value && equals) {
        p->n_begun = (size_t)(equals + 1 - p->written);
        value = value_of(table.groups, p->written, p->n_begun - 1);
    }
    p->kinds = c->use.kinds;
    if (value)
        offer_value(p, value, strlen(value));
    else if (*p->written == '-')
        options_visit(table.groups, offer_option, p);
    else
        offer_argument(p, c->use.arguments, n - 1, words[0]);
    options_clear(&o);
}

int completion_offer(int n, const char *const *words, const command *const *commands, int n_commands)
{
    const char *word = n > 0 ? words[n - 1] : "";
    const bool is_quoted = *word == '\'' || *word == '"';
    place p = {.written = word + is_quoted, .commands = commands, .n_commands = n_commands};
    if (n > 1 && strcmp(words[0], "help") == 0)
        offer_argument(&p, "COMMAND | figures | schema | man COMMAND | completion bash|zsh|fish", n - 2,
                       words[1]);
    for (int i = 0; n > 1 && i < n_commands; i++)
        if (strcmp(commands[i]->name, words[0]) == 0)
            offer_in_command(&p, commands[i], n - 1, words + 1);
    if (n > 1)
        return EXIT_DONE;
    offer_commands(&p);
    offer(&p, "what an option, a figure or a strategy is", "help");
    offer(&p, "list the commands", "--help");
    offer(&p, "print the version", "--version");
    return EXIT_DONE;
}
