/* statepath evaluate: judge paths that already exist, ours or others'. */
#include "outputs.h"
#include "running.h"

static const usage evaluate_usage = {.arguments = "PATHS.h5|STEPS.csv [--labels LABELS.h5] [--model M] [OPTION...]",
                                     .summary = "judge paths that already exist",
                                     .example =
                                         "  statepath evaluate paths.h5 --labels night.h5 --model sleep-strict\n"
                                         "  statepath evaluate others.h5 --paths '/recordings/{id}/pred' --labels night.h5\n"
                                         "  statepath evaluate others.csv --labels night.h5 --model sleep-strict\n"
                                         "      the CSV has the columns recording,step,label (step may be left out);\n"
                                         "      labels are names of classes or their numbers\n"
                                         "  statepath evaluate others.txt --codes utime --labels true.txt --label-codes rk\n"
                                         "      a text of one label a line is one recording\n",
                                     .min_words = 1,
                                     .max_words = 1};

int cmd_evaluate(int argc, const char **argv)
{
    options o;
    options_init(&o);
    struct poptOption results[RESULT_TABLE], statistics[STATISTICS_TABLE], talk[TALK_TABLE];
    result_table(&o, results);
    statistics_table(&o, statistics);
    talk_table(&o, talk);
    struct poptOption places[] = {
        {"paths", 0, POPT_ARG_STRING, &o.run.paths_dataset, 0,
         "dataset of the paths in another's file; {id} stands for the recording", "PATH"},
        {"codes", 0, POPT_ARG_STRING, &o.run.codes, 0, CODES_HELP ", and in paths", CODES_LIST},
        {"map", 0, POPT_ARG_STRING, &o.run.map, 0, MAP_HELP, "MAP"},
        {"label-codes", 0, POPT_ARG_STRING, &o.run.label_codes, 0, "what those of the labels mean, where they are others",
         CODES_LIST},
        {"label-map", 0, POPT_ARG_STRING, &o.run.label_map, 0, "the map of the labels, where it is another", "MAP"},
        {"trim-to-shortest", 0, POPT_ARG_NONE, &o.run.trim_to_shortest, 0,
         "where a recording has more steps in one of both files, leave out the last ones", NULL},
        {"labels-dataset", 0, POPT_ARG_STRING, &o.run.labels_dataset, 0, "dataset of the labels in LABELS.h5", "PATH"},
        {"offsets", 0, POPT_ARG_STRING, &o.run.place.offsets, 0, "dataset of the offsets in PATHS.h5", "PATH"},
        {"ids", 0, POPT_ARG_STRING, &o.run.place.ids, 0, "dataset of the recordings' names in PATHS.h5", "PATH"},
        ALLOW_EXTERNAL_ROW(&o),
        POPT_TABLEEND};
    struct poptOption table[] = {
        {"model", 'm', POPT_ARG_STRING, &o.run.model, 0, "the rules: a file, or a shipped model (the one inside PATHS.h5)", "M"},
        {"labels", 0, POPT_ARG_STRING, &o.run.place.labels, 0,
         "file with the reference, HDF5 or text (the labels inside PATHS.h5)", "LABELS.h5"},
        {"strategies", 's', POPT_ARG_STRING, &o.run.strategies, 0, "which of the paths to judge (all)", "LIST"},
        {"force", 'f', POPT_ARG_NONE, &o.run.force, 0, "replace outputs that exist", NULL},
        {"threads", 0, POPT_ARG_INT, &o.run.decode.threads, 0, THREADS_HELP, "N"},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, results, 0, "Results:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, statistics, 0, "Statistics:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, places, 0, "Reading:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, talk, 0, "Messages:", NULL},
        POPT_TABLEEND};
    const char *file;
    int exit_status = options_read(argc, argv, table, &evaluate_usage, &file);
    if (exit_status < 0) {
        running r;
        sp_error err = {.status = SP_OK};
        sp_comparison *comparison = NULL;
        sp_run_result result = {0};
        const input_file inputs[] = {{"the input file", file}, {"the file of labels", o.run.place.labels}, {NULL, NULL}};
        running_start(&r, &o, argc, argv);
        o.run.trace_steps = o.report ? DRAWN_STEPS : 0;
        sp_status status = outputs_check(&o, inputs, &err);
        if (status == SP_OK)
            status = outputs_seed(&o, &err);
        if (status == SP_OK)
            status = sp_evaluate_file(file, &o.run, &comparison, &result, &err);
        if (status == SP_OK)
            status = outputs_write(&o, comparison, &err);
        exit_status = running_end(&r, status, &err, comparison, &result);
        sp_comparison_free(comparison);
    }
    options_clear(&o);
    return exit_status;
}
