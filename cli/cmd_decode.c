/* statepath decode: write the path of one strategy. */
#include <stdio.h>

#include "command.h"
#include "outputs.h"

static sp_status work(options *o, const char **words, outcome *out, sp_error *err)
{
    const input_file inputs[] = {{"the input file", words[0]}, {NULL, NULL}};
    sp_status status = o->run.output ? outputs_check(o, inputs, err)
                                     : sp_fail(err, SP_EINVAL, "decode: -o PATHS.h5 is missing: where to write the paths");
    if (status == SP_OK)
        status = sp_decode_file(words[0], &o->run, &out->result, err);
    if (status == SP_OK && !o->talk.quiet)
        fprintf(stderr, "wrote %s\n", o->run.output);
    return status;
}

static const option_choice decode_options[] = {OPTION(MODEL),  OPTION(STRATEGY),
                                               OPTION(OUTPUT), OPTION(CONFIDENCE),
                                               OPTION(NBEST),  OPTION(EPOCH_SECONDS),
                                               OPTION(FORCE),  HEADING("Reading, where things are in the file:"),
                                               PLACE_OPTIONS,  OPTION(CODES),
                                               OPTION(MAP),    HEADING("Decoding:"),
                                               DECODE_OPTIONS, OPTION(LABEL_CONFIDENCE),
                                               MESSAGE_OPTIONS};

const command decode_command = {
    .name = "decode",
    .summary = "write the path of one strategy",
    .use = {.arguments = "SCORES... --model M -o PATHS.h5 [OPTION...]",
            .summary = "write the path of one strategy",
            .example = "  statepath decode night.h5 --model sleep-aasm --strategy viterbi -o paths.h5\n"
                       "      in Python: h5py.File(\"paths.h5\")[\"paths/viterbi\"][:]\n",
            .has_strategies = true,
            .min_words = 1,
            .max_words = MANY_WORDS},
    .options = decode_options,
    .work = work,
    .watches_signals = true,
};
