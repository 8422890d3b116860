/* statepath: the table of commands. */
#include "program.h"

const char program_name[] = "statepath";

static const command *const commands[] = {&inspect_command,  &compare_command, &decode_command,
                                          &evaluate_command, &model_command,   &fit_command,
                                          &stream_command,   &mask_command,    &simulate_command,
                                          &train_command,    &predict_command, &convert_command};

static const char *const description[] = {
    "A classifier emits a score for each class at each step; taken one by one, the best classes break the "
    "rules of their "
    "field. statepath decodes such scores into sequences that obey the rules, exactly, and shows side by "
    "side what each "
    "strategy does to accuracy, to the confusion matrix and to the number of illegal transitions.",
    "Results go to standard output, everything else to standard error. Outputs are written beside their "
    "place and renamed "
    "when whole; what exists is replaced only with --force. Inputs are never opened for writing.",
    NULL};

int main(int argc, const char **argv)
{
    const program statepath = {
        .summary = "sequences that obey the rules, from any classifier's scores",
        .start = "Start with:\n"
                 "  statepath inspect SCORES.h5\n"
                 "  statepath compare SCORES.h5 --model sleep-aasm --report report.html\n"
                 "  statepath compare nights/ --labels 'labels/{id}.txt' --model sleep-aasm\n"
                 "  statepath compare predictions.npz --classes config.json --model bio.json\n\n"
                 "`statepath COMMAND --help` lists a command's options, with an example;\n`statepath help "
                 "figures` says what "
                 "each figure of a result is.\n"
                 "The environment variable STATEPATH_ISA=base|avx2|avx512 chooses the instruction\n"
                 "set; `statepath --version --verbose` names the one in use.\n",
        .n_commands = sizeof commands / sizeof commands[0],
        .commands = commands,
        .description = description,
    };
    return program_main(&statepath, argc, argv);
}
