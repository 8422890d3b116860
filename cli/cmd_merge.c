/* statepath merge: parts that compare, decode and evaluate wrote, put together as one run. */
#include "command.h"
#include "outputs.h"

#include <stdlib.h>
#include <string.h>

static sp_status make(const char *file, const sp_run_options *o, sp_comparison **out, sp_run_result *result,
                      sp_error *err)
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

/* ---- what is read: the parts, and what the runs read that made them ---- */

typedef struct merge_inputs {
    size_t n;
    input_file *list; /* [n], then {NULL, NULL} */
    size_t n_named;
    char ***named; /* [n_named] of a part; shards of one run name the same */
} merge_inputs;

static bool are_equal(char *const *a, char *const *b)
{
    while (*a && *b && strcmp(*a, *b) == 0) {
        a++;
        b++;
    }
    return !*a && !*b;
}

static sp_status add_inputs(merge_inputs *inputs, const char *part, sp_error *err)
{
    char **names = NULL;
    sp_status status = sp_part_inputs(part, &names, err);
    if (status != SP_OK)
        return status;
    if (inputs->n_named && are_equal(inputs->named[inputs->n_named - 1], names)) {
        free(names);
        return SP_OK;
    }
    size_t n = 0;
    while (names[n])
        n++;
    inputs->named[inputs->n_named++] = names;
    input_file *list = realloc(inputs->list, (inputs->n + n + 1) * sizeof *list);
    if (!list)
        return sp_fail(err, SP_ENOMEM, "no memory for the list of inputs");
    inputs->list = list;
    for (size_t i = 0; i < n; i++)
        list[inputs->n++] = (input_file){"an input of the parts", names[i]};
    list[inputs->n] = (input_file){NULL, NULL};
    return SP_OK;
}

static sp_status list_inputs(merge_inputs *inputs, const char *first, const char *const *more, sp_error *err)
{
    size_t n = 1;
    while (more && more[n - 1])
        n++;
    inputs->list = calloc(2, sizeof *inputs->list);
    inputs->named = calloc(n, sizeof *inputs->named);
    if (!inputs->list || !inputs->named)
        return sp_fail(err, SP_ENOMEM, "no memory for the list of inputs");
    inputs->list[inputs->n++] = (input_file){"a part", first};
    sp_status status = add_inputs(inputs, first, err);
    for (size_t i = 0; status == SP_OK && i < n - 1; i++)
        status = add_inputs(inputs, more[i], err);
    return status;
}

static sp_status work(options *o, const char **words, outcome *out, sp_error *err)
{
    merge_inputs inputs = {.n = 0};
    sp_status status = list_inputs(&inputs, words[0], (const char *const *)o->run.place.more, err);
    if (status == SP_OK)
        status = outputs_make(o, inputs.list, make, out, err);
    for (size_t i = 0; i < inputs.n_named; i++)
        free(inputs.named[i]);
    free(inputs.named);
    free(inputs.list);
    return status;
}

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
    .takes = C_MERGE,
    .work = work,
    .watches_signals = true,
    .also_writes = "paths",
};
