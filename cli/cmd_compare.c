/* statepath compare: decode with each strategy, evaluate, report. */
#include <stdio.h>

#include "outputs.h"
#include "running.h"

static const usage compare_usage = {.arguments = "SCORES.h5 --model M [OPTION...]",
                                    .summary = "decode with each strategy, evaluate against labels, report",
                                    .example = "  statepath compare night.h5 --model sleep-strict --report night.html\n"
                                               "      decodes with argmax, greedy and viterbi, prints a table, writes a page\n"
                                               "  statepath compare night.h5 --model sleep-strict --cv 5\n"
                                               "      says what learnt weights would add: each recording is decoded by a model\n"
                                               "      fitted to other recordings\n",
                                    .has_strategies = true,
                                    .min_words = 1,
                                    .max_words = 1};

int cmd_compare(int argc, const char **argv)
{
    options o;
    options_init(&o);
    struct poptOption fit[FIT_TABLE];
    fit_table(&o, fit);
    struct poptOption places[PLACE_TABLE], codes[CODES_TABLE], decode[DECODE_TABLE], results[RESULT_TABLE],
        statistics[STATISTICS_TABLE], talk[TALK_TABLE];
    place_table(&o, places);
    codes_table(&o, codes);
    decode_table(&o, decode);
    result_table(&o, results);
    statistics_table(&o, statistics);
    talk_table(&o, talk);
    struct poptOption learning[] = {
        {"cv", 0, POPT_ARG_INT, &o.run.n_folds, 0,
         "fit as `statepath fit` does, under the rules of M, and decode each recording with a model that never saw it; what "
         "follows is for --cv",
         "FOLDS"},
        {"rules", 0, POPT_ARG_STRING, &o.run.fit.rules, 0,
         "the rules of the fitted models, if not M; \"seen\": what the other folds' labels show", "M"},
        POPT_TABLEEND};
    struct poptOption table[] = {
        {"model", 'm', POPT_ARG_STRING, &o.run.model, 0, "the rules: a file, or a shipped model by name", "M"},
        {"strategies", 's', POPT_ARG_STRING, &o.run.strategies, 0, "what to compare (argmax,greedy,viterbi)", "LIST"},
        {"output", 'o', POPT_ARG_STRING, &o.run.output, 0, "write the paths", "PATHS.h5"},
        {"confidence", 0, POPT_ARG_NONE, &o.run.confidence, 0, "write how sure each step is, given the rules", NULL},
        {"nbest", 0, POPT_ARG_INT, &o.run.n_best, 0, "write the N best paths of viterbi", "N"},
        {"force", 'f', POPT_ARG_NONE, &o.run.force, 0, "replace outputs that exist", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, results, 0, "Results:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, statistics, 0, "Statistics:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, places, 0, "Reading, where things are in the file:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, codes, 0, NULL, NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, decode, 0, "Decoding:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, learning, 0, "Learning:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, fit, 0, NULL, NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, talk, 0, "Messages:", NULL},
        POPT_TABLEEND};
    const char *file;
    int exit_status = options_read(argc, argv, table, &compare_usage, &file);
    if (exit_status < 0) {
        running r;
        sp_error err = {.status = SP_OK};
        sp_comparison *comparison = NULL;
        sp_run_result result = {0};
        const input_file inputs[] = {{"the input file", file}, {"the rules", o.run.fit.rules}, {NULL, NULL}};
        running_start(&r, &o, argc, argv);
        o.run.trace_steps = o.report ? DRAWN_STEPS : 0;
        sp_status status = outputs_check(&o, inputs, &err);
        if (status == SP_OK)
            status = outputs_seed(&o, &err);
        if (status == SP_OK)
            status = sp_compare_file(file, &o.run, &comparison, &result, &err);
        if (status == SP_OK && o.run.output && !o.talk.quiet)
            fprintf(stderr, "wrote %s\n", o.run.output);
        if (status == SP_OK)
            status = outputs_write(&o, comparison, &err);
        exit_status = running_end(&r, status, &err, comparison, &result);
        sp_comparison_free(comparison);
    }
    options_clear(&o);
    return exit_status;
}
