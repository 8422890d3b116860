/* statepath mask: masks of the rows of a file of scores. */
#include <string.h>

#include "mask/mask_commands.h"
#include "outputs.h"

static const command_verb verbs[] = {{"leak", C_LEAK}, {"softmax", C_SOFTMAX}, {"apply", C_APPLY}, {NULL, 0}};
static mask_part *const parts[] = {mask_leak, mask_softmax, mask_apply};

static sp_status work(options *o, const char **words, outcome *out, sp_error *err)
{
    const input_file inputs[] = {{"the input file", words[1]}, {NULL, NULL}};
    int i = 0;
    while (verbs[i].name && strcmp(words[0], verbs[i].name) != 0)
        i++;
    if (!verbs[i].name)
        return sp_fail(err, SP_EINVAL, "mask: \"%s\" is none of leak, softmax, apply", words[0]);
    sp_status status = outputs_check(o, inputs, err);
    return status == SP_OK ? parts[i](words[1], o, out, err) : status;
}

const command mask_command = {
    .name = "mask",
    .summary = "masks of scores: leak, masked softmax, masked logits",
    .use = {.arguments = "leak SCORES.h5 [--json R.json] | softmax|apply SCORES.h5 [-o OUT.h5]",
            .summary = "what a mask forbids gets -inf, and so exactly no probability; without -o a table",
            .example = "  statepath mask leak moves.h5\n"
                       "      the file's own mask [S,K]: how much probability is on what it forbids\n"
                       "  statepath mask leak night.h5 --model sleep-aasm\n"
                       "      mass on classes that may not follow the one before (viterbi's path)\n"
                       "  statepath mask softmax moves.h5 -o masked.h5\n"
                       "      forbidden classes get exactly 0, the rest sum to 1\n"
                       "  statepath mask apply night.h5 --model sleep-aasm --previous /before\n"
                       "      logits, -inf where a class may not follow that of dataset before\n",
            .min_words = 2,
            .max_words = 2},
    .takes = C_MASK,
    .verbs = verbs,
    .work = work,
    .watches_signals = true,
};
