/* statepath simulate: make data from a recipe. */
#include <stdio.h>

#include "outputs.h"

static const usage simulate_usage = {
    .arguments = "RECIPE.json -o DATA.h5 [OPTION...]",
    .summary = "make label sequences and the scores of a classifier that errs, from a recipe with a seed",
    .example = "  statepath simulate datasets/sleep-demo.recipe.json -o demo.h5\n"
               "  statepath compare demo.h5 --model sleep-strict\n",
    .min_words = 1,
    .max_words = 1};

static sp_status simulate(const char *recipe_file, const options *o, sp_error *err)
{
    sp_recipe *recipe = NULL;
    sp_simulated *simulated = NULL;
    sp_status status = outputs_check(o, recipe_file, NULL, err);
    if (status == SP_OK)
        status = sp_recipe_load(recipe_file, &recipe, err);
    if (status == SP_OK)
        status = sp_simulate(recipe, &simulated, err);
    if (status == SP_OK)
        status = sp_simulated_save(simulated, recipe, o->output, o->force, err);
    if (status == SP_OK && !o->talk.quiet) {
        char a[COUNT_TEXT], b[COUNT_TEXT];
        fprintf(stderr, "wrote %s: %s recordings, %s steps\n", o->output, count_text(simulated->n_recordings, a),
                count_text(simulated->n_steps, b));
    }
    sp_simulated_free(simulated);
    sp_recipe_free(recipe);
    return status;
}

int cmd_simulate(int argc, const char **argv)
{
    options o;
    options_init(&o);
    struct poptOption talk[TALK_TABLE];
    talk_table(&o, talk);
    struct poptOption table[] = {{"output", 'o', POPT_ARG_STRING, &o.output, 0, "write the data", "DATA.h5"},
                                 {"force", 'f', POPT_ARG_NONE, &o.force, 0, "replace an output that exists", NULL},
                                 {NULL, 0, POPT_ARG_INCLUDE_TABLE, talk, 0, "Messages:", NULL},
                                 POPT_TABLEEND};
    const char *file;
    int exit_status = options_read(argc, argv, table, &simulate_usage, &file);
    if (exit_status < 0) {
        sp_error err = {.status = SP_OK};
        sp_status status = o.output ? simulate(file, &o, &err)
                                    : sp_fail(&err, SP_EINVAL, "simulate: -o DATA.h5 is missing: where to write the data");
        exit_status = status == SP_OK ? EXIT_DONE : fail_with(status, &err);
    }
    options_clear(&o);
    return exit_status;
}
