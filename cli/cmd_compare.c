/* statepath compare: decode with each strategy, evaluate, report. */
#include "command.h"
#include "outputs.h"

static sp_status work(options *o, const char **words, outcome *out, sp_error *err)
{
    const input_file inputs[] = {{"the input file", words[0]}, {"the rules", o->run.fit.rules}, {NULL, NULL}};
    return outputs_make(o, inputs, sp_compare_file, out, err);
}

static const option_choice compare_options[] = {OPTION(MODEL),  OPTION(STRATEGIES),
                                                OPTION(OUTPUT), OPTION(CONFIDENCE),
                                                OPTION(NBEST),  OPTION_AS(FORCE, "replace outputs that exist", NULL),
                                                RESULT_OPTIONS, HEADING("Reading, where things are in the file:"),
                                                PLACE_OPTIONS,  OPTION(CODES),
                                                OPTION(MAP),    HEADING("Decoding:"),
                                                DECODE_OPTIONS, HEADING("Learning:"),
                                                OPTION(CV),     OPTION(RULES_OF_FOLDS),
                                                FIT_OPTIONS,    MESSAGE_OPTIONS};

const command compare_command = {
    .name = "compare",
    .summary = "decode with each strategy, evaluate against the labels, report",
    .use = {.arguments = "SCORES... --model M [OPTION...]",
            .summary = "decode with each strategy, evaluate against labels, report",
            .example = "  statepath compare night.h5 --model sleep-aasm --report night.html\n"
                       "      decodes with argmax, greedy and viterbi, prints a table, writes a page\n"
                       "  statepath compare night.h5 --model sleep-aasm --cv 5\n"
                       "      says what learnt weights would add: each recording is decoded by a model\n"
                       "      fitted to other recordings\n",
            .has_strategies = true,
            .min_words = 1,
            .max_words = MANY_WORDS},
    .options = compare_options,
    .work = work,
    .watches_signals = true,
};
