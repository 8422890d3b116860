#include "options.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ---- */

/* What popt says of an option: its id and 1, so that it stops at each of them. */
enum { VALUE_HELP = 1000, VALUE_VERSION };

#define SP_SHARED(id, at, kind, text, argument, about, ...)                                                  \
    {.name = text,                                                                                           \
     .type = SP_OPTION_##kind,                                                                               \
     .place = offsetof(options, at),                                                                         \
     .value = argument,                                                                                      \
     .help = about,                                                                                          \
     __VA_ARGS__},
#define SP_PROGRAM(...) SP_SHARED(__VA_ARGS__)
#define SP_OPTION(id, at, ...) SP_SHARED(id, run.at, __VA_ARGS__)
#define SP_HEADING(id, text, set) {.help = text, .commands = set},
const sp_option_row option_rows[N_OPTIONS + 1] = {
#include "statepath/options.def"
    {.name = NULL}};

/* What commands say in place of the table. */
static const struct {
    option_id id;
    uint32_t commands;
    const char *value, *help;
} said_as[] = {
#define SP_OPTION_AS(id, set, argument, about) {OPTION_##id, set, argument, about},
#define SP_OPTION(...)
#include "statepath/options.def"
};

static bool is_named(const char *name, const char *key, size_t length)
{
    size_t i = 0;
    while (i < length && name[i] && (name[i] == key[i] || (name[i] == '-' && key[i] == '_')))
        i++;
    return i == length && !name[i];
}

bool option_is_known(const char *key, size_t length)
{
    for (int id = 0; id < N_OPTIONS; id++)
        if (option_rows[id].name && option_rows[id].commands && is_named(option_rows[id].name, key, length))
            return true;
    return false;
}

/* Are all letters those of flags that no result depends on? */
static bool are_left_out(const char *letters)
{
    for (; *letters; letters++) {
        int id = 0;
        while (id < N_OPTIONS &&
               (option_rows[id].letter != *letters || option_rows[id].type != SP_OPTION_FLAG ||
                !(option_rows[id].uses & SP_OPTION_IN_NO_RESULT)))
            id++;
        if (id == N_OPTIONS)
            return false;
    }
    return true;
}

int option_words_left_out(const char *word)
{
    if (word[0] != '-' || !word[1])
        return 0;
    if (word[1] != '-' && are_left_out(word + 1))
        return 1;
    for (const sp_option_row *row = option_rows; row < option_rows + N_OPTIONS; row++) {
        if (!row->name || !(row->uses & SP_OPTION_IN_NO_RESULT))
            continue;
        const size_t n = strcspn(word, "=");
        if (word[1] == '-' && is_named(row->name, word + 2, n - 2) && (!word[n] || row->value))
            return row->value && !word[n] ? 2 : 1;
        if (word[1] == row->letter && row->letter && row->value)
            return word[2] ? 1 : 2;
    }
    return 0;
}

static void *place_of(options *o, int id)
{
    return (char *)o + option_rows[id].place;
}

void options_init(options *o)
{
    *o = (options){.run = sp_run_options_default()};
    sp_options_init(option_rows, o);
}

/* Some options share a place: what was freed is NULL from then on. */
void options_clear(options *o)
{
    for (int id = 0; id < N_OPTIONS; id++) {
        if (option_rows[id].name && option_rows[id].type == SP_OPTION_TEXT) {
            char **text = place_of(o, id);
            free(*text);
            *text = NULL;
        } else if (option_rows[id].type == SP_OPTION_TEXTS) {
            char ***list = place_of(o, id);
            for (int i = 0; *list && (*list)[i]; i++)
                free((*list)[i]);
            free(*list);
            *list = NULL;
        }
    }
}

static struct poptOption help_options[] = {
    {"help", 'h', POPT_ARG_NONE, NULL, VALUE_HELP, "print this", NULL},
    {"version", 0, POPT_ARG_NONE, NULL, VALUE_VERSION, "print the version", NULL},
    POPT_TABLEEND};

static struct poptOption row_of(options *o, int id, uint32_t takes)
{
    static const unsigned kinds[] = {
        [SP_OPTION_TEXT] = POPT_ARG_STRING, [SP_OPTION_TEXTS] = POPT_ARG_ARGV,
        [SP_OPTION_FLAG] = POPT_ARG_NONE,   [SP_OPTION_INTEGER] = POPT_ARG_INT,
        [SP_OPTION_LONG] = POPT_ARG_LONG,   [SP_OPTION_NUMBER] = POPT_ARG_DOUBLE};
    const sp_option_row *row = &option_rows[id];
    struct poptOption out = {row->name, row->letter, kinds[row->type], place_of(o, id),
                             id + 1,    row->help,   row->value};
    for (size_t i = 0; i < sizeof said_as / sizeof said_as[0]; i++)
        if ((int)said_as[i].id == id && said_as[i].commands & takes) {
            out.descrip = said_as[i].help;
            out.argDescrip = said_as[i].value ? said_as[i].value : row->value;
        }
    return out;
}

void options_fill(option_table *table, options *o, uint32_t takes, uint32_t lacks)
{
    struct poptOption *row = table->rows, *group = table->groups;
    const char *heading = NULL;
    *group++ = (struct poptOption){NULL, 0, POPT_ARG_INCLUDE_TABLE, row, 0, NULL, NULL};
    for (int id = 0; id < N_OPTIONS; id++) {
        const sp_option_row *option = &option_rows[id];
        if (!(option->commands & takes) || option->commands & lacks)
            continue;
        if (!option->name) {
            heading = option->help;
            continue;
        }
        if (heading) {
            *row++ = (struct poptOption)POPT_TABLEEND;
            *group++ = (struct poptOption){NULL, 0, POPT_ARG_INCLUDE_TABLE, row, 0, heading, NULL};
            heading = NULL;
        }
        *row++ = row_of(o, id, takes);
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
    } else if (code == POPT_ERROR_NULLARG ||
               code == POPT_ERROR_MALLOC) { /* of a list: a value that popt could not copy */
        return refuse_memory(name);
    } else if (code == POPT_ERROR_NOARG) {
        complain("%s: %s needs a value", name, word);
    } else {
        complain("%s: %s: %s", name, word, poptStrerror(code));
    }
    return EXIT_USAGE;
}

/* Frees the text that stood in the place of a new one, which popt overwrites; texts [N_OPTIONS] that were
 * given. */
static void take_text(options *o, int id, char *texts[])
{
    char **const place = place_of(o, id), *const now = *place;
    for (int i = 0; i < N_OPTIONS; i++)
        if (texts[i] && texts[i] != now && place_of(o, i) == place) {
            free(texts[i]);
            texts[i] = NULL;
        }
    texts[id] = now;
}

/* Notes what popt stands at. Returns -1 to go on, else an exit status. */
static int note_given(poptContext context, const char *name, int id, char *texts[], options *o)
{
    o->given[id] = true;
    if (option_rows[id].type == SP_OPTION_FLAG)
        return -1;
    if (option_rows[id].type == SP_OPTION_TEXT)
        take_text(o, id, texts);
    char *text = poptGetOptArg(context);
    int result =
        text ? -1 : refuse_memory(name); /* popt reads 0 or nothing from a value that it could not copy */
    if (text && option_rows[id].type == SP_OPTION_NUMBER &&
        isnan(strtod(text, NULL))) { /* NaN means that none was given */
        complain("%s: a number is needed, not \"%s\"", name, text);
        result = EXIT_USAGE;
    }
    free(text);
    return result;
}

int options_read(int argc, const char **argv, const struct poptOption *table, const usage *use, options *o,
                 const char **words)
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
    char *texts[N_OPTIONS] = {NULL};
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
        } else if (code > 0) {
            result = note_given(context, argv[0], code - 1, texts, o);
        } else {
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

sp_status options_check(const options *o, const char *command, uint32_t takes, const char *verb,
                        sp_error *err)
{
    for (int id = 0; verb && id < N_OPTIONS; id++)
        if (o->given[id] && !(option_rows[id].commands & takes))
            return sp_fail(err, SP_EINVAL, "%s %s takes no --%s; `%s %s --help` says what does", command,
                           verb, option_rows[id].name, program_name, command);
    return sp_options_check_table(option_rows, o, o->given, takes, err);
}
