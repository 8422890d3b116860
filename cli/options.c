#include "options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void options_init(options *o)
{
    *o = (options){0};
    o->epoch_seconds = o->decode.floor = o->decode.temperature = o->decode.transition_weight = o->decode.prior_weight = o->level =
        o->margin = o->wake_trim = o->nll_clip = NAN;
}

void options_clear(options *o)
{
    char *owned[] = {o->place.scores,   o->place.labels,
                     o->place.offsets,  o->place.lengths,
                     o->place.ids,      o->place.kind,
                     o->model,          o->strategies,
                     o->decode.missing, o->decode.on_infeasible,
                     o->output,         o->report,
                     o->json,           o->csv,
                     o->markdown,       o->seed,
                     o->latex,          o->groups,
                     o->weighted_kappa, o->absent_class,
                     o->codes,          o->map,
                     o->label_codes,    o->label_map,
                     o->interval,       o->zeros};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    for (size_t i = 0; i < sizeof o->extra / sizeof o->extra[0]; i++)
        free(o->extra[i]);
    for (int i = 0; o->fail_if && o->fail_if[i]; i++)
        free(o->fail_if[i]);
    free(o->fail_if);
    for (int i = 0; o->collapse && o->collapse[i]; i++)
        free(o->collapse[i]);
    free(o->collapse);
}

/* ---- tables ---- */

enum { VALUE_HELP = 1000, VALUE_VERSION, VALUE_NUMBER, VALUE_MANUAL, VALUE_COMPLETION };

void place_table(options *o, struct poptOption table[PLACE_TABLE])
{
    place_options *p = &o->place;
    struct poptOption rows[PLACE_TABLE] = {
        {"scores", 0, POPT_ARG_STRING, &p->scores, 0, "dataset of the scores; {id} stands for the recording", "PATH"},
        {"labels", 0, POPT_ARG_STRING, &p->labels, 0, "dataset of the labels", "PATH"},
        {"offsets", 0, POPT_ARG_STRING, &p->offsets, 0, "dataset of the offsets (packed)", "PATH"},
        {"lengths", 0, POPT_ARG_STRING, &p->lengths, 0, "dataset of the lengths (padded)", "PATH"},
        {"ids", 0, POPT_ARG_STRING, &p->ids, 0, "dataset of the recordings' names", "PATH"},
        {"kind", 0, POPT_ARG_STRING, &p->kind, 0, "what the scores are, when their name does not say",
         "log_probs|probs|logits|scores"},
        ALLOW_EXTERNAL_ROW(o),
        POPT_TABLEEND};
    memcpy(table, rows, sizeof rows);
}

void codes_table(options *o, struct poptOption table[CODES_TABLE])
{
    struct poptOption rows[CODES_TABLE] = {{"codes", 0, POPT_ARG_STRING, &o->codes, 0, CODES_HELP, CODES_LIST},
                                           {"map", 0, POPT_ARG_STRING, &o->map, 0, MAP_HELP, "MAP"},
                                           POPT_TABLEEND};
    memcpy(table, rows, sizeof rows);
}

void decode_table(options *o, struct poptOption table[DECODE_TABLE])
{
    decode_options *d = &o->decode;
    struct poptOption rows[DECODE_TABLE] = {
        {"threads", 0, POPT_ARG_INT, &d->threads, 0, THREADS_HELP, "N"},
        {"missing", 0, POPT_ARG_STRING, &d->missing, 0, "a NaN is an error, or its step says nothing", "error|uniform"},
        {"floor", 0, POPT_ARG_DOUBLE, &d->floor, VALUE_NUMBER, "raise smaller probabilities to P", "P"},
        {"on-infeasible", 0, POPT_ARG_STRING, &d->on_infeasible, 0,
         "a recording without allowed path: report it, break the fewest rules, or stop", "report|relax|error"},
        {"temperature", 0, POPT_ARG_DOUBLE, &d->temperature, VALUE_NUMBER, "divide scores by X", "X"},
        {"transition-weight", 0, POPT_ARG_DOUBLE, &d->transition_weight, VALUE_NUMBER, "multiply the model's log weights by X",
         "X"},
        {"prior-weight", 0, POPT_ARG_DOUBLE, &d->prior_weight, VALUE_NUMBER, "subtract X times the log of the model's prior",
         "X"},
        {"clamp", 0, POPT_ARG_NONE, &d->clamp, 0, "labels that are there are certain", NULL},
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
        {"groups", 0, POPT_ARG_STRING, &o->groups, 0, GROUPS_HELP, "GROUPS"},
        {"level", 0, POPT_ARG_DOUBLE, &o->level, VALUE_NUMBER, "level of the intervals (0.95)", "X"},
        {"interval", 0, POPT_ARG_STRING, &o->interval, 0, "which bootstrap interval differences are shown with (bca)",
         "bca|percentile"},
        {"zeros", 0, POPT_ARG_STRING, &o->zeros, 0,
         "recordings without difference are dropped from Wilcoxon's test, or ranked (wilcox)", "wilcox|pratt"},
        {"seed", 0, POPT_ARG_STRING, &o->seed, 0, "seed of the bootstrap intervals (1)", "N"},
        {"margin", 0, POPT_ARG_DOUBLE, &o->margin, VALUE_NUMBER,
         "say whether a strategy loses no more than X against another (accuracy, kappa, macro F1)", "X"},
        {"weighted-kappa", 0, POPT_ARG_STRING, &o->weighted_kappa, 0, "also kappa weighted by how far classes lie apart",
         "linear|quadratic"},
        {"absent-class", 0, POPT_ARG_STRING, &o->absent_class, 0,
         "a class without precision, recall or F1 in the means over classes (exclude)", "exclude|zero|one"},
        {"collapse", 0, POPT_ARG_ARGV, &o->collapse, 0,
         "score again with classes put together, such as 'Light=N1,N2; Deep=N3'; may be given again", "CLASSES"},
        {"wake-trim", 0, POPT_ARG_DOUBLE, &o->wake_trim, VALUE_NUMBER,
         "leave wake out that lies more than MIN minutes before or after the sleep of the labels", "MIN"},
        {"epoch-seconds", 0, POPT_ARG_DOUBLE, &o->epoch_seconds, VALUE_NUMBER,
         "length of a step, for rates per hour and sleep statistics (what the file says, else 30 for sleep stages)", "X"},
        {"nll-clip", 0, POPT_ARG_DOUBLE, &o->nll_clip, VALUE_NUMBER,
         "also the likelihood with probabilities of the reference below P taken for P, where some are 0", "P"},
        {"bridge-unscored", 0, POPT_ARG_NONE, &o->bridge_unscored, 0,
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

sp_file_access file_access_from(const options *o)
{
    return (sp_file_access){.allow_external = o->place.allow_external};
}

sp_status source_options_from(const options *o, sp_source_options *out, sp_error *err)
{
    *out = sp_source_options_default();
    out->scores = o->place.scores;
    out->labels = o->place.labels;
    out->offsets = o->place.offsets;
    out->lengths = o->place.lengths;
    out->ids = o->place.ids;
    out->access = file_access_from(o);
    out->has_kind = o->place.kind != NULL;
    return out->has_kind ? sp_kind_parse(o->place.kind, &out->kind, err) : SP_OK;
}

static sp_status choose(const char *option, const char *value, int n, const char *const *choices, int *out, sp_error *err)
{
    *out = 0;
    for (int i = 0; value && i < n; i++)
        if (strcmp(value, choices[i]) == 0) {
            *out = i;
            return SP_OK;
        }
    if (!value)
        return SP_OK;
    return n == 2 ? sp_fail(err, SP_EINVAL, "--%s %s: it is %s or %s", option, value, choices[0], choices[1])
                  : sp_fail(err, SP_EINVAL, "--%s %s: it is %s, %s or %s", option, value, choices[0], choices[1], choices[2]);
}

double first_given(double option, double model, double usual)
{
    return !isnan(option) ? option : !isnan(model) ? model : usual;
}

sp_status infeasible_from(const options *o, int *rule, sp_error *err)
{
    static const char *const rules[] = {"report", "relax", "error"};
    return choose("on-infeasible", o->decode.on_infeasible, 3, rules, rule, err);
}

sp_status prepare_options_from(const options *o, const sp_model *model, const int32_t *class_of_column, double *log_prior,
                               sp_prepare_options *out, sp_error *err)
{
    const decode_options *d = &o->decode;
    static const char *const missing[] = {"error", "uniform"};
    int is_uniform;
    sp_status status = choose("missing", d->missing, 2, missing, &is_uniform, err);
    if (status != SP_OK)
        return status;
    if (d->threads < 0 || d->threads > 4096)
        return sp_fail(err, SP_EINVAL, "--threads %d: a number from 0 (all processors) to 4096", d->threads);
    if (d->floor == 0)
        return sp_fail(err, SP_EINVAL, "--floor 0: it is a probability above 0, or is left out");
    *out = sp_prepare_options_default();
    out->missing_uniform = is_uniform;
    out->clamp = d->clamp;
    out->floor = isnan(d->floor) ? 0 : d->floor;
    out->temperature = first_given(d->temperature, model->temperature, 1);
    out->prior_weight = first_given(d->prior_weight, model->prior_weight, 0);
    if (out->prior_weight == 0)
        return SP_OK;
    if (!model->prior)
        return sp_fail(err, SP_EINVAL, "--prior-weight needs class frequencies: model %s has no \"prior\"", model->name);
    for (int32_t c = 0; c < model->n_classes; c++)
        log_prior[c] = log(model->prior[class_of_column[c]]);
    out->log_prior = log_prior;
    return SP_OK;
}

const char **names_in_columns(const sp_model *model, const int32_t *class_of_column)
{
    const char **names = malloc((size_t)model->n_classes * sizeof *names);
    for (int32_t c = 0; names && c < model->n_classes; c++)
        names[c] = model->classes[class_of_column[c]];
    return names;
}

int split_list(char *text, int max_parts, char **parts)
{
    int n = 0;
    char *rest = NULL;
    for (char *part = strtok_r(text, ",", &rest); part && n < max_parts; part = strtok_r(NULL, ",", &rest))
        parts[n++] = part;
    return n;
}
