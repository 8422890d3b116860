/* statepath compare: decode with each strategy, evaluate, report. */
#include "command.h"
#include "outputs.h"

#include <stdlib.h>

#include "core/try.h"

/* Files that are read, and must not be written: the first, the rules, the labels, other classifiers. */
enum { MOST_FIXED = 2 };

static sp_status list_inputs(const options *o, const char *file, size_t n, sp_against_words *words,
                             input_file *inputs, sp_error *err)
{
    sp_status status = SP_OK;
    size_t at = 0;
    inputs[at++] = (input_file){"the input file", file};
    inputs[at++] = (input_file){"the rules", o->run.fit.rules};
    for (size_t i = 0; status == SP_OK && i < n; i++) {
        status = sp_against_read(o->run.against[i], &words[i], err);
        inputs[at++] = (input_file){"another classifier's file", words[i].file};
    }
    inputs[at] = (input_file){NULL, NULL};
    return status;
}

static sp_status work(options *o, const char **words, outcome *out, sp_error *err)
{
    size_t n = 0;
    while (o->run.against && o->run.against[n])
        n++;
    sp_status status = SP_OK;
    sp_against_words *others = calloc(n + 1, sizeof *others);
    input_file *inputs = calloc(MOST_FIXED + n + 1, sizeof *inputs);
    if (!others || !inputs) {
        status = sp_fail(err, SP_ENOMEM, "no memory for the list of files");
        goto done;
    }
    TRY(list_inputs(o, words[0], n, others, inputs, err));
    TRY(outputs_make(o, inputs, sp_compare_file, out, err));
done:
    for (size_t i = 0; others && i < n; i++)
        sp_against_clear(&others[i]);
    free(others);
    free(inputs);
    return status;
}

const command compare_command = {
    .name = "compare",
    .summary = "decode with each strategy, evaluate against the labels, report",
    .use = {.arguments = "SCORES... --model M [OPTION...]",
            .summary = "decode with each strategy, evaluate against labels, report",
            .example = "  statepath compare night.h5 --model sleep-aasm --report night.html\n"
                       "      decodes with argmax, greedy and viterbi, prints a table, writes a page\n"
                       "  statepath compare nights/ --labels 'labels/{id}.txt' --model sleep-aasm\n"
                       "      a file of scores and one of labels for each recording\n"
                       "  statepath compare predictions.npz --classes config.json --model bio.json\n"
                       "      tags: the network's config.json says which column is which tag\n"
                       "  statepath compare night.h5 --model sleep-aasm --cv 5\n"
                       "      says what learnt weights would add: each recording is decoded by a model\n"
                       "      fitted to other recordings\n"
                       "  statepath compare new.h5 --against old=old.h5 --model sleep-aasm\n"
                       "      two classifiers: viterbi is the new one's, old.viterbi the old one's\n",
            .has_strategies = true,
            .min_words = 1,
            .max_words = MANY_WORDS},
    .takes = C_COMPARE,
    .work = work,
    .also_writes = "paths",
    .watches_signals = true,
};
