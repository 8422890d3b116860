/* statepath merge: parts that compare, decode and evaluate wrote, put together as one run. */
#include "command.h"
#include "outputs.h"

#include <stdlib.h>

static sp_status make(const char *file, const sp_run_options *o, sp_comparison **out, sp_run_result *result, sp_error *err)
{
    int64_t n = 1;
    while (o->place.more && o->place.more[n - 1])
        n++;
    const char **files = calloc((size_t)n, sizeof *files);
    if (!files)
        return sp_fail(err, SP_ENOMEM, "no memory for the list of files");
    files[0] = file;
    for (int64_t i = 1; i < n; i++)
        files[i] = o->place.more[i - 1];
    sp_status status = sp_merge_files(n, files, o, out, result, err);
    free(files);
    return status;
}

static sp_status work(options *o, const char **words, outcome *out, sp_error *err)
{
    const input_file inputs[] = {{"a part", words[0]}, {NULL, NULL}};
    return outputs_make(o, inputs, make, out, err);
}

static const option_choice merge_options[] = {OPTION(OUTPUT),        OPTION_AS(FORCE, "replace outputs that exist", NULL),
                                              OPTION(ALLOW_MISSING), OPTION(THREADS),
                                              HEADING("Results:"),   OPTION(REPORT),
                                              OPTION(FIGURES),       OPTION(DRAW),
                                              OPTION(WHAT_IF),       OPTION(WHAT_IF_BYTES),
                                              OPTION(JSON),          OPTION(CSV),
                                              OPTION(MARKDOWN),      OPTION(LATEX),
                                              OPTION(FAIL_IF),       MESSAGE_OPTIONS};

const command merge_command = {
    .name = "merge",
    .summary = "put parts together that compare, decode and evaluate wrote",
    .use = {.arguments = "PART... [OPTION...]",
            .summary = "put parts together: the bytes that one run gives",
            .example = "  for i in 1 2 3; do statepath compare nights/ -m sleep-aasm --shard $i/3 \\\n"
                       "      -q --part 'P%i.h5'; done\n"
                       "      three tasks, each on a machine of its own if you like: the second counts\n"
                       "      its third of the recordings and writes P2.h5\n"
                       "  statepath merge P*.h5 --report nights.html --json nights.json\n",
            .min_words = 1,
            .max_words = MANY_WORDS},
    .options = merge_options,
    .work = work,
    .watches_signals = true,
};
