/* statepath decode: write the path of one strategy. */
#include <stdio.h>
#include <stdlib.h>

#include "beside.h"
#include "long_recording.h"
#include "outputs.h"
#include "pipeline.h"
#include "run.h"

static const usage decode_usage = {.arguments = "SCORES.h5 --model M -o PATHS.h5 [OPTION...]",
                                   .summary = "write the path of one strategy",
                                   .example = "  statepath decode night.h5 --model sleep-strict --strategy viterbi -o paths.h5\n"
                                              "      in Python: h5py.File(\"paths.h5\")[\"paths/viterbi\"][:]\n",
                                   .has_strategies = true,
                                   .min_words = 1,
                                   .max_words = 1};

/* Written beside the paths, so that `evaluate` of them alone knows whose they are. Decoding does not need them. */
static sp_status find_subjects(pipeline *p, sp_subjects **subjects, sp_error *err)
{
    sp_error own = {.status = SP_OK};
    sp_status status = sp_source_subjects(p->source, NULL, subjects, &own);
    if (status == SP_OK)
        return SP_OK;
    if (status == SP_ENOMEM)
        return sp_fail(err, status, "%s", own.message);
    if (!p->opt->talk.quiet)
        complain("subjects are not passed on to the paths: %s", own.message);
    return SP_OK;
}

static sp_status decode(pipeline *p, const char *command, sp_error *err)
{
    sp_paths_writer *writer = NULL;
    beside extras;
    sp_subjects *subjects = NULL;
    sp_status status = beside_plan(&extras, p, err);
    if (status == SP_OK)
        status = long_recording_warn(p, &extras, err);
    if (status == SP_OK)
        status = find_subjects(p, &subjects, err);
    p->subjects = subjects;
    if (status == SP_OK)
        status = pipeline_open_writer(p, &extras, command, &writer, err);
    if (status == SP_OK)
        status = run_pipeline(p, NULL, writer, &extras, err);
    beside_clear(&extras);
    p->subjects = NULL;
    sp_subjects_free(subjects);
    if (status == SP_OK)
        return sp_paths_writer_commit(writer, err);
    sp_paths_writer_abort(writer);
    return status;
}

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
        {"model", 'm', POPT_ARG_STRING, &o.model, 0, "the rules: a file, or a shipped model by name", "M"},
        {"strategy", 's', POPT_ARG_STRING, &o.strategies, 0, "how to choose the path (viterbi)", "NAME"},
        {"output", 'o', POPT_ARG_STRING, &o.output, 0, "write the paths", "PATHS.h5"},
        {"confidence", 0, POPT_ARG_NONE, &o.confidence, 0, "write how sure each step is, given the rules", NULL},
        {"nbest", 0, POPT_ARG_INT, &o.n_best, 0, "write the N best paths of viterbi", "N"},
        {"force", 'f', POPT_ARG_NONE, &o.force, 0, "replace an output that exists", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, places, 0, "Reading, where things are in the file:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, codes, 0, NULL, NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, how, 0, "Decoding:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, talk, 0, "Messages:", NULL},
        POPT_TABLEEND};
    const char *file;
    int exit_status = options_read(argc, argv, table, &decode_usage, &file);
    if (exit_status >= 0) {
        options_clear(&o);
        return exit_status;
    }
    sp_error err = {.status = SP_OK};
    pipeline p = {.opt = &o};
    char *command = command_line(argc, argv);
    sp_status status = o.output ? outputs_check(&o, (const input_file[]){{"the input file", file}, {NULL, NULL}}, &err)
                                : sp_fail(&err, SP_EINVAL, "decode: -o PATHS.h5 is missing: where to write the paths");
    if (status == SP_OK)
        status = pipeline_open(&p, file, &o, o.strategies ? o.strategies : "viterbi", &err);
    if (status == SP_OK)
        status = decode(&p, command, &err);
    if (status == SP_OK && !o.talk.quiet)
        fprintf(stderr, "wrote %s\n", o.output);
    exit_status = status == SP_OK ? pipeline_exit_status(&p) : fail_with(status, &err);
    pipeline_close(&p);
    free(command);
    options_clear(&o);
    return exit_status;
}
