/* statepath evaluate: judge paths that already exist, ours or others'. */
#include "command.h"
#include "outputs.h"

static sp_status work(options *o, const char **words, outcome *out, sp_error *err)
{
    const input_file inputs[] = {{"the input file", words[0]}, {NULL, NULL}};
    return outputs_make(o, inputs, sp_evaluate_file, out, err);
}

const command evaluate_command = {
    .name = "evaluate",
    .summary = "judge paths that already exist, ours or others'",
    .use = {.arguments = "PATHS... [--labels LABELS] [--model M] [OPTION...]",
            .summary = "judge paths that already exist",
            .example = "  statepath evaluate paths.h5 --labels night.h5 --model sleep-aasm\n"
                       "  statepath evaluate others.h5 --paths '/nights/{id}/pred' --labels night.h5 \\\n"
                       "      -m sleep-aasm\n"
                       "  statepath evaluate others.csv --labels night.h5 --model sleep-aasm\n"
                       "      the CSV has the columns recording,step,label (step may be left out);\n"
                       "      labels are names of classes or their numbers\n"
                       "  statepath evaluate ours.txt --codes utime --labels true.txt -m sleep-aasm\n"
                       "      a text of one label a line is one recording\n",
            .min_words = 1,
            .max_words = MANY_WORDS},
    .takes = C_EVALUATE,
    .work = work,
    .watches_signals = true,
};
