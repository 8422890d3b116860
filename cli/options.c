#include "options.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ---- */

/* VALUE_GIVEN: popt stops at each option that takes a value, so that one whose value it had no memory for is seen. */
enum { VALUE_HELP = 1000, VALUE_VERSION, VALUE_GIVEN, VALUE_NUMBER };

#define TEXT POPT_ARG_STRING, VALUE_GIVEN
#define TEXTS POPT_ARG_ARGV, VALUE_GIVEN /* may be given again */
#define FLAG POPT_ARG_NONE, 0
#define INTEGER POPT_ARG_INT, VALUE_GIVEN
#define LONG_INTEGER POPT_ARG_LONG, VALUE_GIVEN
#define REAL POPT_ARG_DOUBLE, VALUE_GIVEN
#define NUMBER POPT_ARG_DOUBLE, VALUE_NUMBER /* NaN is no number, but that none was given */
#define CODES_LIST                                                                                                               \
    "yasa|utime|sleep-edf|pops|sleepecg|nsrr|profusion|rk|cap|dreem|elan|sleeptrip|physip|deltamed|dreams|fasst|respironics|"    \
    "words"

static const struct option_row {
    const char *name;
    char letter;
    unsigned kind;
    int value;
    size_t place;
    const char *help, *argument;
} known[N_OPTIONS] = {
#define OPTION_ROW(id, name, letter, kind, place, help, argument)                                                                \
    [OPTION_##id] = {name, letter, kind, offsetof(options, place), help, argument},
#include "option_rows.h"
#undef OPTION_ROW
};

static void *place_of(options *o, option_id id)
{
    return (char *)o + known[id].place;
}

void options_init(options *o)
{
    *o = (options){.run = sp_run_options_default(), .lag = INT_MIN, .what_if_bytes = -1, .step = 1, .rate = NAN};
}

/* Some options share a place: what was freed is NULL from then on. */
void options_clear(options *o)
{
    for (option_id id = OPTION_HEADING + 1; id < N_OPTIONS; id++) {
        if (known[id].kind == POPT_ARG_STRING) {
            char **text = place_of(o, id);
            free(*text);
            *text = NULL;
        } else if (known[id].kind == POPT_ARG_ARGV) {
            char ***list = place_of(o, id);
            for (int i = 0; *list && (*list)[i]; i++)
                free((*list)[i]);
            free(*list);
            *list = NULL;
        }
    }
}

const char *option_name(option_id id)
{
    return known[id].name;
}

bool option_is_given(const options *o, option_id id)
{
    options none;
    options_init(&none);
    const char *now = (const char *)o + known[id].place, *before = (const char *)&none + known[id].place;
    const unsigned kind = known[id].kind;
    const size_t size = kind == POPT_ARG_STRING   ? sizeof(char *)
                        : kind == POPT_ARG_ARGV   ? sizeof(char **)
                        : kind == POPT_ARG_LONG   ? sizeof(long)
                        : kind == POPT_ARG_DOUBLE ? sizeof(double)
                                                  : sizeof(int);
    return memcmp(now, before, size) != 0;
}

static struct poptOption help_options[] = {{"help", 'h', POPT_ARG_NONE, NULL, VALUE_HELP, "print this", NULL},
                                           {"version", 0, POPT_ARG_NONE, NULL, VALUE_VERSION, "print the version", NULL},
                                           POPT_TABLEEND};

void options_fill(option_table *table, options *o, const option_choice *choices)
{
    struct poptOption *row = table->rows, *group = table->groups;
    *group++ = (struct poptOption){NULL, 0, POPT_ARG_INCLUDE_TABLE, row, 0, NULL, NULL};
    for (const option_choice *c = choices; c->id != OPTION_END; c++) {
        const struct option_row *option = &known[c->id];
        if (c->id == OPTION_HEADING) {
            *row++ = (struct poptOption)POPT_TABLEEND;
            *group++ = (struct poptOption){NULL, 0, POPT_ARG_INCLUDE_TABLE, row, 0, c->help, NULL};
        } else {
            *row++ = (struct poptOption){option->name,
                                         option->letter,
                                         option->kind,
                                         place_of(o, c->id),
                                         option->value,
                                         c->help ? c->help : option->help,
                                         c->argument ? c->argument : option->argument};
        }
    }
    *row = (struct poptOption)POPT_TABLEEND;
    *group++ = (struct poptOption){NULL, 0, POPT_ARG_INCLUDE_TABLE, help_options, 0, "Help:", NULL};
    *group = (struct poptOption)POPT_TABLEEND;
}

/* ---- reading ---- */

typedef struct name_list {
    int32_t n;
    const char *names[N_OPTIONS];
} name_list;

static void list_name(const struct poptOption *option, void *arg)
{
    name_list *list = arg;
    if (option->longName)
        list->names[list->n++] = option->longName;
}

static int refuse_memory(const char *name)
{
    complain("%s: no memory for the value of an option", name);
    return EXIT_FAILED;
}

static int refuse(int argc, const char **argv, poptContext context, const struct poptOption *table, int code)
{
    const char *name = argv[0], *word = poptBadOption(context, POPT_BADOPTION_NOALIAS), *option = "an option";
    for (int i = 1; i + 1 < argc; i++) /* the word may be an option's value */
        if (strcmp(argv[i + 1], word) == 0)
            option = argv[i];
    if (code == POPT_ERROR_BADOPT) {
        name_list list = {.n = 0};
        options_visit(table, list_name, &list);
        const int32_t nearest = sp_name_nearest(word + strspn(word, "-"), list.n, list.names);
        const char *near = nearest < 0 ? NULL : list.names[nearest];
        if (near)
            complain("%s: there is no option %s; did you mean --%s?", name, word, near);
        else
            complain("%s: there is no option %s; `%s %s --help` lists them", name, word, program_name, name);
    } else if (code == POPT_ERROR_BADNUMBER || code == POPT_ERROR_OVERFLOW) {
        complain("%s: %s needs a number, not \"%s\"", name, option, word);
    } else if (code == POPT_ERROR_NULLARG || code == POPT_ERROR_MALLOC) { /* of a list: a value that popt could not copy */
        return refuse_memory(name);
    } else if (code == POPT_ERROR_NOARG) {
        complain("%s: %s needs a value", name, word);
    } else {
        complain("%s: %s: %s", name, word, poptStrerror(code));
    }
    return EXIT_USAGE;
}

/* What the option was given that popt stands at; code: its value. Returns -1 to go on, else an exit status. */
static int check_given(poptContext context, const char *name, int code)
{
    char *text = poptGetOptArg(context);
    int result = text ? -1 : refuse_memory(name); /* popt reads 0 or nothing from a value that it could not copy */
    if (text && code == VALUE_NUMBER && isnan(strtod(text, NULL))) { /* in the options NaN means that none was given */
        complain("%s: a number is needed, not \"%s\"", name, text);
        result = EXIT_USAGE;
    }
    free(text);
    return result;
}

int options_read(int argc, const char **argv, const struct poptOption *table, const usage *use, const char **words)
{
    char program[64];
    snprintf(program, sizeof program, "%s %s", program_name, argv[0]);
    const char **copy = malloc(((size_t)argc + 1) * sizeof *copy);
    if (!copy) {
        complain("no memory");
        return EXIT_FAILED;
    }
    memcpy(copy, argv, ((size_t)argc + 1) * sizeof *copy);
    copy[0] = program;
    poptContext context = poptGetContext(NULL, argc, copy, table, 0);
    int result = -1, code;
    if (!context) {
        complain("no memory");
        free(copy);
        return EXIT_FAILED;
    }
    while (result < 0 && (code = poptGetNextOpt(context)) != -1) {
        if (code == VALUE_HELP) {
            help_print(argv[0], use, table);
            result = EXIT_DONE;
        } else if (code == VALUE_VERSION) {
            printf("%s %s\n", program_name, sp_version());
            result = EXIT_DONE;
        } else if (code == VALUE_GIVEN || code == VALUE_NUMBER) {
            result = check_given(context, argv[0], code);
        } else if (code < -1) {
            result = refuse(argc, argv, context, table, code);
        }
    }
    int n = 0, at = 0;
    const char *word;
    while (result < 0 && (word = poptGetArg(context)) != NULL) {
        if (n == use->max_words) {
            complain("%s: \"%s\" is one word too many; usage: %s %s", argv[0], word, program, use->arguments);
            result = EXIT_USAGE;
            break;
        }
        do /* the context's copy goes with it; words come in order */
            at++;
        while (at < argc - 1 && strcmp(argv[at], word) != 0);
        words[n++] = argv[at];
    }
    if (result < 0 && n < use->min_words) {
        complain("%s: a word is missing; usage: %s %s", argv[0], program, use->arguments);
        result = EXIT_USAGE;
    }
    for (; result < 0 && n < (use->max_words < argc ? use->max_words : argc) + 1; n++)
        words[n] = NULL;
    poptFreeContext(context);
    free(copy);
    return result;
}
