/* statepath convert: recordings from any files, packed into one HDF5 file. */

#include "command.h"
#include "outputs.h"

/* What was taken for what. */
static void show(void *arg, const sp_source_info *info)
{
    static const char *const meaning[SP_N_KINDS] = {"natural logs of probabilities", "probabilities",
                                                    "logits", "scores that add up"};
    const bool *is_quiet = arg;
    char a[SP_COUNT_TEXT], b[SP_COUNT_TEXT];
    if (*is_quiet)
        return;
    say("scores      %s, %s, as /%s (%s%s)\n", info->scores_path ? info->scores_path : info->file,
        info->stored_type, sp_kind_name(info->kind), meaning[info->kind],
        info->kind_from_name ? "" : ", as the rows or --kind say");
    say("recordings  %s of %s steps", sp_count_text(info->n_recordings, a), sp_count_text(info->n_steps, b));
    if (info->n_files)
        say(" in %s files, from %s to %s", sp_count_text(info->n_files, a), info->files[0].name,
            info->files[info->n_files - 1].name);
    say("\nids         %s\n", info->n_files   ? "the files' names"
                              : info->has_ids ? "the file's own"
                                              : "numbers, or the file's name");
    say("classes     %d, %s\n", info->n_classes,
        info->classes ? "named" : "without names: a model's are taken in order");
    say("beside      %s%s%s%s%s\n", info->has_labels ? "labels " : "", info->has_segments ? "segments " : "",
        info->has_weights ? "weights " : "", info->has_mask ? "mask " : "",
        info->has_labels || info->has_segments || info->has_weights || info->has_mask ? "" : "nothing");
    if (info->n_unlabelled)
        say("            %s recordings have no labels: their steps are unscored\n",
            sp_count_text(info->n_unlabelled, a));
}

static sp_status work(options *o, const char **words, outcome *out, sp_error *err)
{
    const input_file inputs[] = {{"the input file", words[0]}, {NULL, NULL}};
    bool is_quiet = o->quiet;
    (void)out;
    sp_status status = outputs_check(o, inputs, err);
    if (status == SP_OK)
        status = sp_convert_file(words[0], &o->run, show, &is_quiet, err);
    if (status == SP_OK && !o->quiet)
        tell("wrote %s", o->run.output);
    return status;
}

const command convert_command = {
    .name = "convert",
    .summary = "pack recordings from any files into one HDF5 file",
    .use = {.arguments = "FILE... -o OUT.h5 [OPTION...]",
            .summary = "pack recordings from any files into one HDF5 file",
            .example = "  statepath convert nights/ -o nights.h5\n"
                       "      a folder of .npy, .npz, .csv or .h5 files, one recording in each or more\n"
                       "  statepath convert nights/ --labels stages/ --model sleep-aasm -o nights.h5\n"
                       "  statepath convert export.npz --scores softmax --labels stage -o night.h5\n"
                       "  statepath convert train.conll --scheme BIOES -o train-bioes.conll\n",
            .min_words = 1,
            .max_words = MANY_WORDS},
    .takes = C_CONVERT,
    .work = work,
    .also_writes = ".conll",
    .watches_signals = true,
};
