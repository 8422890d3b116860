/* statepath mask: masks of rows and of sequences, as commands. */
#include <stdio.h>
#include <string.h>

#include "mask/mask_commands.h"
#include "outputs.h"

#define RULES                                                                                                                    \
    OPTION_CODES, OPTION_MAP, OPTION_MODEL, OPTION_STRATEGY, OPTION_PREVIOUS, OPTION_PATHS, OPTION_MATRIX, OPTION_MASK,          \
        OPTION_HEADER, OPTION_NO_HEADER
enum { MOST_TAKEN = 13 };

/* `takes`: of the options that not all parts have, those that this one has; ends with OPTION_END. */
static const struct {
    const char *name;
    mask_part *run;
    option_id takes[MOST_TAKEN];
} parts[] = {
    {"leak", mask_leak, {RULES, OPTION_JSON}},
    {"softmax", mask_softmax, {RULES, OPTION_MULTIPLY, OPTION_OUTPUT}},
    {"apply", mask_apply, {RULES, OPTION_OUTPUT}},
    {"padding", mask_padding, {OPTION_MOST_STEPS, OPTION_FILL, OPTION_VALUES, OPTION_OUTPUT}},
    {"causal", mask_causal, {OPTION_MOST_STEPS, OPTION_OUTPUT}},
    {"attention", mask_attention, {OPTION_CAUSAL, OPTION_MOST_STEPS, OPTION_MASK, OPTION_VALUES, OPTION_OUTPUT}},
    {"loss", mask_loss, {OPTION_MASK, OPTION_WEIGHTS, OPTION_LOSSES, OPTION_OUTPUT}},
};
enum { N_PARTS = sizeof parts / sizeof *parts };

static bool takes(int part, option_id id)
{
    const option_id *taken = parts[part].takes;
    while (*taken != OPTION_END && *taken != id)
        taken++;
    return *taken == id;
}

/* An option that a part would pass over is an error: its result would be taken for another one. */
static sp_status check_options(const options *o, int part, sp_error *err)
{
    for (int i = 0; i < N_PARTS; i++)
        for (const option_id *id = parts[i].takes; *id != OPTION_END; id++)
            if (!takes(part, *id) && option_is_given(o, *id))
                return sp_fail(err, SP_EINVAL, "mask %s takes no --%s; `statepath mask --help` says what does", parts[part].name,
                               option_name(*id));
    if (o->masks.steps < 0)
        return sp_fail(err, SP_EINVAL, "--steps %d: at least 1", o->masks.steps);
    return SP_OK;
}

static sp_status work(options *o, const char **words, outcome *out, sp_error *err)
{
    const input_file inputs[] = {{"the input file", words[1]}, {NULL, NULL}};
    int i = 0;
    while (i < N_PARTS && strcmp(words[0], parts[i].name) != 0)
        i++;
    if (i == N_PARTS)
        return sp_fail(err, SP_EINVAL, "mask: \"%s\" is none of leak, softmax, apply, padding, causal, attention, loss",
                       words[0]);
    sp_status status = check_options(o, i, err);
    if (status == SP_OK)
        status = outputs_check(o, inputs, err);
    return status == SP_OK ? parts[i].run(words[1], o, out, err) : status;
}

static const option_choice mask_options[] = {
    OPTION_AS(OUTPUT, "write the result", "OUT.h5"),
    OPTION_AS(FORCE, "replace outputs that exist", NULL),
    OPTION_AS(JSON, "leak: write the figures as JSON; - is standard output", NULL),
    OPTION(MULTIPLY),
    HEADING("The mask of each row (leak, softmax, apply), if not dataset \"mask\":"),
    OPTION_AS(MASK, "dataset of the mask; loss: of what counts, attention: of what is real", NULL),
    OPTION_AS(MODEL, "what may follow what", NULL),
    OPTION(MATRIX),
    OPTION(PREVIOUS),
    OPTION_AS(PATHS, "dataset of a path: the class before is that of the step before", NULL),
    OPTION_AS(STRATEGY, "of a model alone: whose path says which class came before (viterbi)", NULL),
    HEADING("Sequences (padding, causal, attention, loss):"),
    OPTION(CAUSAL),
    OPTION(MOST_STEPS),
    OPTION(FILL),
    OPTION(VALUES),
    OPTION(LOSSES),
    OPTION_AS(WEIGHTS, "loss: dataset of the weights (/weights)", "PATH"),
    HEADING("Reading, where things are in the file:"),
    PLACE_OPTIONS,
    OPTION_AS(CODES, "what the numbers in --previous and --paths mean", NULL),
    OPTION(MAP),
    HEADING("Decoding (a model alone):"),
    DECODE_OPTIONS,
    MESSAGE_OPTIONS};

const command mask_command = {
    .name = "mask",
    .summary = "masks: leak, softmax, padding, attention, losses",
    .use = {.arguments = "leak|softmax|apply SCORES.h5 | padding|causal|attention FILE.h5|LENGTHS | loss FILE.h5",
            .summary = "what a mask forbids gets -inf, and so exactly no probability; without -o a table",
            .example = "  statepath mask leak moves.h5\n"
                       "      the file's own mask [S,K]: how much probability is on what it forbids\n"
                       "  statepath mask leak night.h5 --model sleep-aasm\n"
                       "      mass on classes that may not follow the one before (viterbi's path)\n"
                       "  statepath mask softmax moves.h5 -o masked.h5\n"
                       "      forbidden classes get exactly 0, the rest sum to 1\n"
                       "  statepath mask apply night.h5 --model sleep-aasm --previous /before\n"
                       "      logits, -inf where a class may not follow that of dataset before\n"
                       "  statepath mask padding 3,5,4\n"
                       "      [N,T]: which steps are real; last: the index of the last one\n"
                       "  statepath mask attention 3,5,4 --causal\n"
                       "      [N,T,T]: 0 or -inf, what each step may look at\n"
                       "  statepath mask loss losses.h5 --mask /real\n"
                       "      the mean of the losses that count\n",
            .min_words = 2,
            .max_words = 2},
    .options = mask_options,
    .work = work,
    .watches_signals = true,
};
