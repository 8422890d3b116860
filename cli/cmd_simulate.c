/* statepath simulate: make data from a recipe. */
#include <stdlib.h>

#include "command.h"
#include "core/try.h"
#include "outputs.h"
#include "progress.h"
#include "statepath/signals_file.h"

enum { BLOCK_BYTES = 16 << 20 };

/* ---- signals ---- */

static sp_status open_writer(const sp_recipe *recipe, const sp_signal_nights *nights, const options *o,
                             sp_signals_writer **out, sp_error *err)
{
    char *text = NULL;
    uint8_t *split = malloc((size_t)nights->n_recordings);
    sp_status status = split ? sp_recipe_to_json(recipe, &text, err) : sp_no_memory(err);
    const sp_signal_recipe *s = recipe->signals;
    for (int64_t n = 0; status == SP_OK && n < nights->n_recordings; n++)
        split[n] = n >= nights->n_recordings - s->n_test;
    const sp_signals_header header = {.n_recordings = nights->n_recordings,
                                      .n_steps = nights->n_steps,
                                      .n_channels = s->n_channels,
                                      .n_classes = recipe->n_classes,
                                      .n_samples = s->n_samples,
                                      .offsets = nights->offsets,
                                      .classes = (const char *const *)recipe->classes,
                                      .labels = nights->labels,
                                      .split = s->n_test > 0 ? split : NULL,
                                      .rate = s->rate,
                                      .recipe = text,
                                      .seed = recipe->seed,
                                      .force = o->run.force};
    if (status == SP_OK)
        status = sp_signals_writer_open(o->run.output, &header, out, err);
    free(text);
    free(split);
    return status;
}

/* Draws and writes block by block. */
static sp_status write_signals(const sp_recipe *recipe, sp_signal_maker *maker, sp_signals_writer *writer,
                               const options *o, sp_error *err)
{
    const sp_signal_recipe *s = recipe->signals;
    int64_t n_steps = sp_signal_maker_nights(maker).n_steps, width = s->n_channels * s->n_samples;
    int64_t room = BLOCK_BYTES / (width * (int64_t)sizeof(float)) + 1;
    float *block = malloc((size_t)room * (size_t)width * sizeof *block);
    sp_status status = block ? SP_OK : sp_no_memory(err);
    progress bar;
    progress_start(&bar, "steps", n_steps, o->quiet);
    for (int64_t t = 0; status == SP_OK && t < n_steps; t += room) {
        int64_t count = n_steps - t < room ? n_steps - t : room;
        sp_signal_maker_draw(maker, count, block);
        status = sp_signals_writer_add(writer, count, block, err);
        progress_show(&bar, t + count);
    }
    progress_end(&bar);
    free(block);
    return status;
}

static sp_status simulate_signals(const sp_recipe *recipe, const options *o, sp_error *err)
{
    sp_signal_maker *maker = NULL;
    sp_signals_writer *writer = NULL;
    sp_status status = SP_OK;
    TRY(sp_signal_maker_new(recipe, &maker, err));
    const sp_signal_nights nights = sp_signal_maker_nights(maker);
    TRY(open_writer(recipe, &nights, o, &writer, err));
    TRY(write_signals(recipe, maker, writer, o, err));
    sp_signals_writer *whole = writer;
    writer = NULL;
    TRY(sp_signals_writer_commit(whole, err));
    if (!o->quiet) {
        char a[SP_COUNT_TEXT], b[SP_COUNT_TEXT], c[SP_COUNT_TEXT];
        tell("wrote %s: %s recordings, %s steps of %d x %s samples", o->run.output,
             sp_count_text(nights.n_recordings, a), sp_count_text(nights.n_steps, b),
             recipe->signals->n_channels, sp_count_text(recipe->signals->n_samples, c));
    }
done:
    sp_signals_writer_abort(writer);
    sp_signal_maker_free(maker);
    return status;
}

/* ---- a policy ---- */

static sp_status simulate_policy(const sp_policy_recipe *recipe, const options *o, sp_error *err)
{
    sp_policy *policy = NULL;
    sp_status status = SP_OK;
    TRY(sp_policy_simulate(recipe, &policy, err));
    TRY(sp_policy_save(policy, recipe, o->run.output, o->run.force, err));
    if (!o->quiet) {
        char a[SP_COUNT_TEXT], b[SP_COUNT_TEXT];
        tell("wrote %s: %s positions, %s moves", o->run.output, sp_count_text(policy->n_positions, a),
             sp_count_text(policy->n_moves, b));
    }
done:
    sp_policy_free(policy);
    return status;
}

/* ---- scores ---- */

static sp_status simulate_scores(const sp_recipe *recipe, const options *o, sp_error *err)
{
    sp_simulated *simulated = NULL;
    sp_status status = SP_OK;
    TRY(sp_simulate(recipe, &simulated, err));
    TRY(sp_simulated_save(simulated, recipe, o->run.output, o->run.force, err));
    if (!o->quiet) {
        char a[SP_COUNT_TEXT], b[SP_COUNT_TEXT];
        tell("wrote %s: %s recordings, %s steps", o->run.output, sp_count_text(simulated->n_recordings, a),
             sp_count_text(simulated->n_steps, b));
    }
done:
    sp_simulated_free(simulated);
    return status;
}

static sp_status work(options *o, const char **words, outcome *out, sp_error *err)
{
    const input_file inputs[] = {{"the recipe", words[0]}, {NULL, NULL}};
    sp_recipe *recipe = NULL;
    sp_policy_recipe *policy = NULL;
    sp_status status = SP_OK;
    (void)out;
    if (!o->run.output)
        return sp_fail(err, SP_EINVAL, "simulate: -o DATA.h5 is missing: where to write the data");
    TRY(outputs_check(o, inputs, err));
    TRY(sp_policy_recipe_load(words[0], &policy, err));
    if (!policy)
        TRY(sp_recipe_load(words[0], &recipe, err));
    TRY(policy            ? simulate_policy(policy, o, err)
        : recipe->signals ? simulate_signals(recipe, o, err)
                          : simulate_scores(recipe, o, err));
done:
    sp_policy_recipe_free(policy);
    sp_recipe_free(recipe);
    return status;
}

const command simulate_command = {
    .name = "simulate",
    .summary = "make data from a recipe: scores, signals, or a policy",
    .use = {.arguments = "RECIPE.json -o DATA.h5 [OPTION...]",
            .summary = "make label sequences, and the scores of a classifier that errs or the signals of a "
                       "sensor, from a recipe "
                       "with a seed",
            .example = "  statepath simulate datasets/sleep-demo.recipe.json -o demo.h5\n"
                       "  statepath compare demo.h5 --model sleep-strict\n",
            .min_words = 1,
            .max_words = 1},
    .takes = C_SIMULATE,
    .work = work,
};
