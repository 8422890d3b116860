/* statepath decode: write the path of one strategy. */
#include <stdio.h>

#include "outputs.h"
#include "running.h"

static const usage decode_usage = {.arguments = "SCORES.h5 --model M -o PATHS.h5 [OPTION...]",
                                   .summary = "write the path of one strategy",
                                   .example = "  statepath decode night.h5 --model sleep-strict --strategy viterbi -o paths.h5\n"
                                              "      in Python: h5py.File(\"paths.h5\")[\"paths/viterbi\"][:]\n",
                                   .has_strategies = true,
                                   .min_words = 1,
                                   .max_words = 1};

int cmd_decode(int argc, const char **argv)
{
    options o;
    options_init(&o);
    struct poptOption places[PLACE_TABLE], codes[CODES_TABLE], how[DECODE_TABLE], talk[TALK_TABLE];
    place_table(&o, places);
    codes_table(&o, codes);
    decode_table(&o, how);
    talk_table(&o, talk);
    struct poptOption table[] = {
        {"model", 'm', POPT_ARG_STRING, &o.run.model, 0, "the rules: a file, or a shipped model by name", "M"},
        {"strategy", 's', POPT_ARG_STRING, &o.run.strategies, 0, "how to choose the path (viterbi)", "NAME"},
        {"output", 'o', POPT_ARG_STRING, &o.run.output, 0, "write the paths", "PATHS.h5"},
        {"confidence", 0, POPT_ARG_NONE, &o.run.confidence, 0, "write how sure each step is, given the rules", NULL},
        {"nbest", 0, POPT_ARG_INT, &o.run.n_best, 0, "write the N best paths of viterbi", "N"},
        {"force", 'f', POPT_ARG_NONE, &o.run.force, 0, "replace an output that exists", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, places, 0, "Reading, where things are in the file:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, codes, 0, NULL, NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, how, 0, "Decoding:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, talk, 0, "Messages:", NULL},
        POPT_TABLEEND};
    const char *file;
    int exit_status = options_read(argc, argv, table, &decode_usage, &file);
    if (exit_status < 0) {
        running r;
        sp_error err = {.status = SP_OK};
        sp_run_result result = {0};
        running_start(&r, &o, argc, argv);
        sp_status status = o.run.output ? outputs_check(&o, (const input_file[]){{"the input file", file}, {NULL, NULL}}, &err)
                                        : sp_fail(&err, SP_EINVAL, "decode: -o PATHS.h5 is missing: where to write the paths");
        if (status == SP_OK)
            status = sp_decode_file(file, &o.run, &result, &err);
        if (status == SP_OK && !o.talk.quiet)
            fprintf(stderr, "wrote %s\n", o.run.output);
        exit_status = running_end(&r, status, &err, NULL, &result);
    }
    options_clear(&o);
    return exit_status;
}
