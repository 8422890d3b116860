/* statepath decode: write the paths of strategies. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "outputs.h"

/* A file of paths for each input. */
static sp_status decode_each(const options *o, const char *file, outcome *out, sp_error *err)
{
    char written[SP_COUNT_TEXT], skipped[SP_COUNT_TEXT];
    sp_decoded_files done = {.n_written = 0};
    sp_status status = sp_decode_files(file, &o->run, o->skip_existing, &done, &out->result, err);
    sp_count_text(done.n_written, written);
    sp_count_text(done.n_skipped, skipped);
    if (status == SP_OK && !o->quiet && o->skip_existing)
        tell("wrote %s: %s files, and %s were there", o->run.output, written, skipped);
    else if (status == SP_OK && !o->quiet)
        tell("wrote %s: %s files", o->run.output, written);
    return status;
}

/* Each shard has an output of its own. */
static sp_status name_output(options *o, sp_error *err)
{
    char *name = NULL;
    if (strstr(o->run.output, "{id}"))
        return sp_fail(
            err, SP_EINVAL,
            "--shard divides recordings, and an output with {id} is one for each input: -o 'paths-%%i.h5'");
    const sp_status status = sp_shard_output(&o->run, &name, err);
    if (status != SP_OK)
        return status;
    free(o->run.output);
    o->run.output = name;
    return SP_OK;
}

static sp_status work(options *o, const char **words, outcome *out, sp_error *err)
{
    const input_file inputs[] = {{"the input file", words[0]}, {NULL, NULL}};
    sp_status status =
        o->run.output ? SP_OK
                      : sp_fail(err, SP_EINVAL, "decode: -o PATHS.h5 is missing: where to write the paths");
    if (status == SP_OK && o->run.shard)
        status = name_output(o, err);
    const bool is_each = status == SP_OK && strstr(o->run.output, "{id}");
    if (status == SP_OK)
        status = outputs_check(o, inputs, err);
    if (status == SP_OK)
        status = seed_read(o, err);
    if (status == SP_OK && o->skip_existing && !is_each)
        status =
            sp_fail(err, SP_EINVAL, "--skip-existing is for an output of each input: -o 'paths/{id}.h5'");
    if (status == SP_OK && is_each)
        return decode_each(o, words[0], out, err);
    if (status == SP_OK)
        status = sp_decode_file(words[0], &o->run, &out->result, err);
    if (status == SP_OK && !o->quiet)
        tell("wrote %s", o->run.output);
    return status;
}

const command decode_command = {
    .name = "decode",
    .summary = "write the paths of strategies",
    .use = {.arguments = "SCORES... --model M -o PATHS.h5 [OPTION...]",
            .summary = "write the paths of strategies, of one unless more are named",
            .example = "  statepath decode night.h5 --model sleep-aasm --strategies viterbi -o paths.h5\n"
                       "      in Python: h5py.File(\"paths.h5\")[\"paths/viterbi\"][:]\n"
                       "  statepath decode nights/*.npy -m sleep-aasm -o 'out/{id}.csv' --skip-existing\n"
                       "      a file for each; the same command goes on where it was stopped\n"
                       "  statepath decode nights/ -m sleep-aasm --shard 3/16 -o 'paths-%i.h5'\n"
                       "      a share for each task of a cluster; then statepath evaluate paths-*.h5\n"
                       "  statepath decode logits.npy -m bioes --classes config.json --text text.txt \\\n"
                       "      -o spans.jsonl\n"
                       "      entities: type, place and words in the text, score, posterior\n",
            .has_strategies = true,
            .min_words = 1,
            .max_words = MANY_WORDS},
    .takes = C_DECODE,
    .work = work,
    .also_writes = "paths",
    .watches_signals = true,
};
