#include "options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void options_init(options *o)
{
    *o = (options){.run = sp_run_options_default()};
}

static void free_list(char **list)
{
    for (int i = 0; list && list[i]; i++)
        free(list[i]);
    free(list);
}

void options_clear(options *o)
{
    sp_run_options *r = &o->run;
    char *owned[] = {r->place.scores, r->place.labels,   r->place.offsets, r->place.lengths,  r->place.ids,
                     r->place.kind,   r->labels_dataset, r->paths_dataset, r->decode.missing, r->decode.on_infeasible,
                     r->model,        r->strategies,     r->output,        r->groups,         r->weighted_kappa,
                     r->absent_class, r->interval,       r->zeros,         r->codes,          r->map,
                     r->label_codes,  r->label_map,      r->fit.method,    r->fit.tune,       r->fit.strategy,
                     r->fit.name,     r->fit.rules,      o->report,        o->json,           o->csv,
                     o->markdown,     o->latex,          o->seed};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    for (size_t i = 0; i < sizeof o->extra / sizeof o->extra[0]; i++)
        free(o->extra[i]);
    free_list(o->fail_if);
    free_list(r->collapse);
}

/* ---- tables ---- */

enum { VALUE_HELP = 1000, VALUE_VERSION, VALUE_NUMBER, VALUE_MANUAL, VALUE_COMPLETION };

void place_table(options *o, struct poptOption table[PLACE_TABLE])
{
    sp_run_options *r = &o->run;
    struct poptOption rows[PLACE_TABLE] = {
        {"scores", 0, POPT_ARG_STRING, &r->place.scores, 0, "dataset of the scores; {id} stands for the recording", "PATH"},
        {"labels", 0, POPT_ARG_STRING, &r->place.labels, 0, "dataset of the labels", "PATH"},
        {"offsets", 0, POPT_ARG_STRING, &r->place.offsets, 0, "dataset of the offsets (packed)", "PATH"},
        {"lengths", 0, POPT_ARG_STRING, &r->place.lengths, 0, "dataset of the lengths (padded)", "PATH"},
        {"ids", 0, POPT_ARG_STRING, &r->place.ids, 0, "dataset of the recordings' names", "PATH"},
        {"kind", 0, POPT_ARG_STRING, &r->place.kind, 0, "what the scores are, when their name does not say",
         "log_probs|probs|logits|scores"},
        ALLOW_EXTERNAL_ROW(o),
        POPT_TABLEEND};
    memcpy(table, rows, sizeof rows);
}

void codes_table(options *o, struct poptOption table[CODES_TABLE])
{
    struct poptOption rows[CODES_TABLE] = {{"codes", 0, POPT_ARG_STRING, &o->run.codes, 0, CODES_HELP, CODES_LIST},
                                           {"map", 0, POPT_ARG_STRING, &o->run.map, 0, MAP_HELP, "MAP"},
                                           POPT_TABLEEND};
    memcpy(table, rows, sizeof rows);
}

void decode_table(options *o, struct poptOption table[DECODE_TABLE])
{
    sp_run_options *r = &o->run;
    struct poptOption rows[DECODE_TABLE] = {
        {"threads", 0, POPT_ARG_INT, &r->decode.threads, 0, THREADS_HELP, "N"},
        {"missing", 0, POPT_ARG_STRING, &r->decode.missing, 0, "a NaN is an error, or its step says nothing", "error|uniform"},
        {"floor", 0, POPT_ARG_DOUBLE, &r->decode.floor, VALUE_NUMBER, "raise smaller probabilities to P", "P"},
        {"on-infeasible", 0, POPT_ARG_STRING, &r->decode.on_infeasible, 0,
         "a recording without allowed path: report it, break the fewest rules, or stop", "report|relax|error"},
        {"temperature", 0, POPT_ARG_DOUBLE, &r->decode.temperature, VALUE_NUMBER, "divide scores by X", "X"},
        {"transition-weight", 0, POPT_ARG_DOUBLE, &r->decode.transition_weight, VALUE_NUMBER,
         "multiply the model's log weights by X", "X"},
        {"prior-weight", 0, POPT_ARG_DOUBLE, &r->decode.prior_weight, VALUE_NUMBER,
         "subtract X times the log of the model's prior", "X"},
        {"clamp", 0, POPT_ARG_NONE, &r->decode.clamp, 0, "labels that are there are certain", NULL},
        POPT_TABLEEND};
    memcpy(table, rows, sizeof rows);
}

void fit_table(options *o, struct poptOption table[FIT_TABLE])
{
    sp_fit_words *w = &o->run.fit;
    struct poptOption rows[FIT_TABLE] = {
        {"method", 0, POPT_ARG_STRING, &w->method, 0,
         "counts of the labels, weighed against the scores; weights that make the labels most likely given the scores (default); "
         "or learnt from the scores alone",
         "counts|crf|em"},
        {"tune", 0, POPT_ARG_STRING, &w->tune, 0,
         "what settings are chosen by, on recordings held out (accuracy; for tags entity_f1)",
         "accuracy|kappa|macro_f1|entity_f1|edit|nll|none"},
        {"for", 0, POPT_ARG_STRING, &w->strategy, 0, "the strategy that settings are chosen for (viterbi)", "NAME"},
        {"smoothing", 0, POPT_ARG_DOUBLE, &w->smoothing, 0, "counts: added to every count (0.5)", "X"},
        {"penalty", 0, POPT_ARG_DOUBLE, &w->penalty, 0, "crf: weight of the penalty (by cross-validation)", "X"},
        {"memory", 0, POPT_ARG_INT, &w->memory, 0, "crf: staying depends on how long a class has lasted, up to N steps (1)", "N"},
        {"folds", 0, POPT_ARG_INT, &w->folds, 0, "folds for choosing settings (5)", "N"},
        POPT_TABLEEND};
    memcpy(table, rows, sizeof rows);
}

void result_table(options *o, struct poptOption table[RESULT_TABLE])
{
    struct poptOption rows[RESULT_TABLE] = {
        {"report", 0, POPT_ARG_STRING, &o->report, 0, "write a page for the browser", "R.html"},
        {"json", 0, POPT_ARG_STRING, &o->json, 0, "write results as JSON; - is standard output", "R.json"},
        {"csv", 0, POPT_ARG_STRING, &o->csv, 0, "write results as long CSV", "R.csv"},
        {"markdown", 0, POPT_ARG_STRING, &o->markdown, 0, "write results as Markdown", "R.md"},
        {"latex", 0, POPT_ARG_STRING, &o->latex, 0, "write tables for LaTeX (booktabs)", "R.tex"},
        {"fail-if", 0, POPT_ARG_ARGV, &o->fail_if, 0,
         "exit with status 4 when this holds, such as 'viterbi.kappa < argmax.kappa - 0.01' (`statepath help figures` lists what "
         "can be named); may be given again",
         "CONDITION"},
        POPT_TABLEEND};
    memcpy(table, rows, sizeof rows);
}

void statistics_table(options *o, struct poptOption table[STATISTICS_TABLE])
{
    struct poptOption rows[STATISTICS_TABLE] = {
        {"groups", 0, POPT_ARG_STRING, &o->run.groups, 0, GROUPS_HELP, "GROUPS"},
        {"level", 0, POPT_ARG_DOUBLE, &o->run.level, VALUE_NUMBER, "level of the intervals (0.95)", "X"},
        {"interval", 0, POPT_ARG_STRING, &o->run.interval, 0, "which bootstrap interval differences are shown with (bca)",
         "bca|percentile"},
        {"zeros", 0, POPT_ARG_STRING, &o->run.zeros, 0,
         "recordings without difference are dropped from Wilcoxon's test, or ranked (wilcox)", "wilcox|pratt"},
        {"seed", 0, POPT_ARG_STRING, &o->seed, 0, "seed of the bootstrap intervals (1)", "N"},
        {"margin", 0, POPT_ARG_DOUBLE, &o->run.margin, VALUE_NUMBER,
         "say whether a strategy loses no more than X against another (accuracy, kappa, macro F1)", "X"},
        {"weighted-kappa", 0, POPT_ARG_STRING, &o->run.weighted_kappa, 0, "also kappa weighted by how far classes lie apart",
         "linear|quadratic"},
        {"absent-class", 0, POPT_ARG_STRING, &o->run.absent_class, 0,
         "a class without precision, recall or F1 in the means over classes (exclude)", "exclude|zero|one"},
        {"collapse", 0, POPT_ARG_ARGV, &o->run.collapse, 0,
         "score again with classes put together, such as 'Light=N1,N2; Deep=N3'; may be given again", "CLASSES"},
        {"wake-trim", 0, POPT_ARG_DOUBLE, &o->run.wake_trim, VALUE_NUMBER,
         "leave wake out that lies more than MIN minutes before or after the sleep of the labels", "MIN"},
        {"epoch-seconds", 0, POPT_ARG_DOUBLE, &o->run.epoch_seconds, VALUE_NUMBER,
         "length of a step, for rates per hour and sleep statistics (what the file says, else 30 for sleep stages)", "X"},
        {"nll-clip", 0, POPT_ARG_DOUBLE, &o->run.nll_clip, VALUE_NUMBER,
         "also the likelihood with probabilities of the reference below P taken for P, where some are 0", "P"},
        {"bridge-unscored", 0, POPT_ARG_NONE, &o->run.bridge_unscored, 0,
         "count the reference's transitions across its unscored steps too", NULL},
        POPT_TABLEEND};
    memcpy(table, rows, sizeof rows);
}

void talk_table(options *o, struct poptOption table[TALK_TABLE])
{
    struct poptOption rows[TALK_TABLE] = {
        {"quiet", 'q', POPT_ARG_NONE, &o->talk.quiet, 0, "say nothing but errors on stderr", NULL},
        {"verbose", 'v', POPT_ARG_NONE, &o->talk.verbose, 0, "say more", NULL},
        POPT_TABLEEND};
    memcpy(table, rows, sizeof rows);
}

/* ---- reading ---- */

/* The long options of a table and those inside it, from names[n] on; returns how many there are then. */
static int32_t list_options(const struct poptOption *table, const char **names, int32_t n, int32_t most)
{
    for (; table->longName || table->shortName || table->arg; table++)
        if ((table->argInfo & POPT_ARG_MASK) == POPT_ARG_INCLUDE_TABLE)
            n = list_options(table->arg, names, n, most);
        else if (table->longName && n < most)
            names[n++] = table->longName;
    return n;
}

static int refuse(int argc, const char **argv, poptContext context, const struct poptOption *table, int code)
{
    const char *name = argv[0], *word = poptBadOption(context, POPT_BADOPTION_NOALIAS), *option = "an option";
    for (int i = 1; i + 1 < argc; i++) /* the word may be an option's value */
        if (strcmp(argv[i + 1], word) == 0)
            option = argv[i];
    if (code == POPT_ERROR_BADOPT) {
        enum { MOST_OPTIONS = 128 };
        const char *names[MOST_OPTIONS];
        int32_t n = list_options(table, names, 0, MOST_OPTIONS), nearest = sp_name_nearest(word + strspn(word, "-"), n, names);
        const char *near = nearest < 0 ? NULL : names[nearest];
        if (near)
            complain("%s: there is no option %s; did you mean --%s?", name, word, near);
        else
            complain("%s: there is no option %s; `statepath %s --help` lists them", name, word, name);
    } else if (code == POPT_ERROR_BADNUMBER || code == POPT_ERROR_OVERFLOW) {
        complain("%s: %s needs a number, not \"%s\"", name, option, word);
    } else if (code == POPT_ERROR_NOARG) {
        complain("%s: %s needs a value", name, word);
    } else {
        complain("%s: %s: %s", name, word, poptStrerror(code));
    }
    return EXIT_USAGE;
}

/* What a text option holds until it is given: popt leaves NULL where it has no memory for the text. */
static char not_given[] = "";

/* Puts `not_given` into text options that hold nothing, or takes it away again; returns whether one of them lost its text. */
static bool mark_texts(const struct poptOption *table, bool is_begin)
{
    bool is_lost = false;
    for (; table->longName || table->shortName || table->arg; table++) {
        const unsigned kind = table->argInfo & POPT_ARG_MASK;
        char **text = table->arg;
        if (kind == POPT_ARG_INCLUDE_TABLE) {
            is_lost = mark_texts(table->arg, is_begin) || is_lost;
        } else if (kind == POPT_ARG_STRING && text && is_begin) {
            *text = *text ? *text : not_given;
        } else if (kind == POPT_ARG_STRING && text) {
            is_lost = is_lost || !*text;
            *text = *text == not_given ? NULL : *text;
        }
    }
    return is_lost;
}

int options_read(int argc, const char **argv, const struct poptOption *table, const usage *use, const char **words)
{
    struct poptOption help[] = {{"help", 'h', POPT_ARG_NONE, NULL, VALUE_HELP, "print this", NULL},
                                {"version", 0, POPT_ARG_NONE, NULL, VALUE_VERSION, "print the version", NULL},
                                POPT_TABLEEND};
    struct poptOption whole[] = {{"help-man", 0, POPT_ARG_NONE, NULL, VALUE_MANUAL, NULL, NULL},
                                 {"help-completion", 0, POPT_ARG_NONE, NULL, VALUE_COMPLETION, NULL, NULL},
                                 POPT_TABLEEND}; /* asked by main() alone */
    struct poptOption shown[] = {{NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)table, 0, NULL, NULL},
                                 {NULL, 0, POPT_ARG_INCLUDE_TABLE, help, 0, "Help:", NULL},
                                 POPT_TABLEEND};
    struct poptOption all[] = {{NULL, 0, POPT_ARG_INCLUDE_TABLE, shown, 0, NULL, NULL},
                               {NULL, 0, POPT_ARG_INCLUDE_TABLE, whole, 0, NULL, NULL},
                               POPT_TABLEEND};
    char program[64];
    snprintf(program, sizeof program, "statepath %s", argv[0]);
    const char **copy = malloc(((size_t)argc + 1) * sizeof *copy);
    if (!copy) {
        complain("no memory");
        return EXIT_FAILED;
    }
    memcpy(copy, argv, ((size_t)argc + 1) * sizeof *copy);
    copy[0] = program;
    poptContext context = poptGetContext(NULL, argc, copy, all, 0);
    int result = -1, code;
    if (!context) {
        complain("no memory");
        free(copy);
        return EXIT_FAILED;
    }
    mark_texts(table, true);
    while (result < 0 && (code = poptGetNextOpt(context)) != -1) {
        if (code == VALUE_HELP) {
            help_print(argv[0], use, shown);
            result = EXIT_DONE;
        } else if (code == VALUE_MANUAL) {
            manual_command(argv[0], use, table);
            result = EXIT_DONE;
        } else if (code == VALUE_COMPLETION) {
            completion_command(argv[0], shown);
            result = EXIT_DONE;
        } else if (code == VALUE_VERSION) {
            printf("statepath %s\n", sp_version());
            result = EXIT_DONE;
        } else if (code == VALUE_NUMBER) {
            char *text = poptGetOptArg(context);
            if (text && isnan(strtod(text, NULL))) { /* in the options NaN means that none was given */
                complain("%s: a number is needed, not \"%s\"", argv[0], text);
                result = EXIT_USAGE;
            }
            free(text);
        } else if (code < -1) {
            result = refuse(argc, argv, context, table, code);
        }
    }
    if (mark_texts(table, false) && result < 0) {
        complain("%s: no memory for the text of an option", argv[0]);
        result = EXIT_FAILED;
    }
    int n = 0;
    const char *word;
    while (result < 0 && (word = poptGetArg(context)) != NULL) {
        if (n == use->max_words) {
            complain("%s: \"%s\" is one word too many; usage: %s %s", argv[0], word, program, use->arguments);
            result = EXIT_USAGE;
            break;
        }
        for (int i = 1; i < argc; i++) /* the context's copy goes with it */
            if (strcmp(argv[i], word) == 0)
                words[n] = argv[i];
        n++;
    }
    if (result < 0 && n < use->min_words) {
        complain("%s: a word is missing; usage: %s %s", argv[0], program, use->arguments);
        result = EXIT_USAGE;
    }
    for (; result < 0 && n < use->max_words; n++)
        words[n] = NULL;
    poptFreeContext(context);
    free(copy);
    return result;
}
