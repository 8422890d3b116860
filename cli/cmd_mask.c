/* statepath mask: masks of rows and of sequences, as commands. */
#include <stdio.h>
#include <string.h>

#include "mask/mask_commands.h"
#include "outputs.h"

#define OUTPUT_OPTIONS OPTION_AS(OUTPUT, "write the result", "OUT.h5"), OPTION_AS(FORCE, "replace outputs that exist", NULL)
#define ROW_OPTIONS                                                                                                              \
    OPTION(MASK), OPTION(MODEL), OPTION(MATRIX), OPTION(PREVIOUS), OPTION(PATHS), OPTION(STRATEGY), PLACE_OPTIONS,               \
        OPTION(CODES), OPTION(MAP), DECODE_OPTIONS, QUIET_OPTION
static const option_choice leak_takes[] = {OPTION(JSON), OPTION(FORCE), ROW_OPTIONS};
static const option_choice softmax_takes[] = {OUTPUT_OPTIONS, OPTION(MULTIPLY), ROW_OPTIONS};
static const option_choice apply_takes[] = {OUTPUT_OPTIONS, ROW_OPTIONS};
#define ARRAY_OPTIONS OUTPUT_OPTIONS, OPTION(ALLOW_EXTERNAL), QUIET_OPTION
static const option_choice padding_takes[] = {OPTION(MOST_STEPS), OPTION(FILL), OPTION(VALUES), OPTION(LENGTHS), ARRAY_OPTIONS};
static const option_choice causal_takes[] = {OPTION(MOST_STEPS), ARRAY_OPTIONS};
static const option_choice attention_takes[] = {OPTION(CAUSAL), OPTION(MOST_STEPS), OPTION(MASK), OPTION(VALUES),
                                                OPTION(SCORES), OPTION(LENGTHS),    ARRAY_OPTIONS};
static const option_choice loss_takes[] = {OPTION(MASK), OPTION(WEIGHTS), OPTION(LOSSES), OPTION(LENGTHS), ARRAY_OPTIONS};

static const command_verb verbs[] = {
    {"leak", leak_takes},     {"softmax", softmax_takes},     {"apply", apply_takes}, {"padding", padding_takes},
    {"causal", causal_takes}, {"attention", attention_takes}, {"loss", loss_takes},   {NULL, NULL}};
static mask_part *const parts[] = {mask_leak, mask_softmax, mask_apply, mask_padding, mask_causal, mask_attention, mask_loss};

static sp_status work(options *o, const char **words, outcome *out, sp_error *err)
{
    const input_file inputs[] = {{"the input file", words[1]}, {NULL, NULL}};
    int i = 0;
    while (verbs[i].name && strcmp(words[0], verbs[i].name) != 0)
        i++;
    if (!verbs[i].name)
        return sp_fail(err, SP_EINVAL, "mask: \"%s\" is none of leak, softmax, apply, padding, causal, attention, loss",
                       words[0]);
    if (o->masks.steps < 0)
        return sp_fail(err, SP_EINVAL, "--steps %d: at least 1", o->masks.steps);
    sp_status status = outputs_check(o, inputs, err);
    return status == SP_OK ? parts[i](words[1], o, out, err) : status;
}

static const option_choice mask_options[] = {
    OUTPUT_OPTIONS,
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
    QUIET_OPTION};

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
    .verbs = verbs,
    .work = work,
    .watches_signals = true,
};
