/* statepath: the table of commands. */
#include "cli.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct command {
    const char *name;
    command_run *run;
    const char *arguments; /* "SCORES.h5 --model M" */
    const char *summary;   /* "decode with each strategy, evaluate, report" */
} command;

static const command commands[] = {
    {"compare", cmd_compare, "SCORES.h5 --model M", "decode with each strategy, evaluate, report"},
    {"decode", cmd_decode, "SCORES.h5 --model M -o PATHS.h5", "write the path of one strategy"},
    {"evaluate", cmd_evaluate, "PATHS.h5 --model M", "judge paths that already exist"},
    {"inspect", cmd_inspect, "FILE.h5", "say what is in a file and how it would be read"},
    {"model", cmd_model, "list | show M | check M | new KIND", "look at, validate and build models"},
    {"mask", cmd_mask, "leak | softmax SCORES.h5", "mass on what cannot occur; masked softmax"},
    {"stream", cmd_stream, "--model M --lag L < SCORES", "decide each step while the recording goes on"},
    {"fit", cmd_fit, "DATA.h5 -o MODEL.json", "learn a model from labels, or from scores alone"},
    {"simulate", cmd_simulate, "RECIPE.json -o DATA.h5", "make data from a recipe"},
    {"train", cmd_train, "SIGNALS.h5 -o WEIGHTS.h5", "train the reference classifier on signals"},
    {"predict", cmd_predict, "SIGNALS.h5 --weights W.h5 -o SCORES.h5", "scores of signals"},
};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static void complain_unknown(const char *name)
{
    char list[256] = "", *end = list;
    for (int i = 0; i < N_COMMANDS; i++)
        end += snprintf(end, sizeof list - (size_t)(end - list), "%s%s", i ? ", " : "", commands[i].name);
    complain("\"%s\" is not a command; the commands are %s", name, list);
}

static void print_usage(FILE *out)
{
    fprintf(out, "statepath %s: sequences that obey the rules, from any classifier's scores\n\n", sp_version());
    fprintf(out, "Usage: statepath COMMAND ...\n\n");
    for (int i = 0; i < N_COMMANDS; i++)
        fprintf(out, "  %-9s %-36s %s\n", commands[i].name, commands[i].arguments, commands[i].summary);
    fprintf(out, "\nStart with:  statepath inspect SCORES.h5\n"
                 "             statepath compare SCORES.h5 --model sleep-strict --report report.html\n"
                 "`statepath COMMAND --help` lists a command's options with an example.\n");
}

/* A standard stream that was closed by the caller leaves its number free, and the next file opened gets it: messages would then
 * go into that file. /dev/null stands in, opened so that using it still fails. A file that may grow no further (ulimit -f) shall
 * be an error of write(), not the end of the process with half a file left behind. */
static void prepare_process(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) == -1)
            exit(EXIT_FAILED);
    signal(SIGXFSZ, SIG_IGN);
}

static int run(int argc, const char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    const char *help_words[] = {argc > 2 ? argv[2] : "", "--help", NULL};
    if (strcmp(name, "help") == 0 && argc > 2) { /* "help compare" is "compare --help" */
        for (int i = 0; i < N_COMMANDS; i++)
            if (strcmp(argv[2], commands[i].name) == 0)
                return commands[i].run(2, help_words);
        complain_unknown(argv[2]);
        return EXIT_USAGE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_usage(stdout);
        return EXIT_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        printf("statepath %s\n", sp_version());
        return EXIT_DONE;
    }
    for (int i = 0; i < N_COMMANDS; i++)
        if (strcmp(name, commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    complain_unknown(name);
    return EXIT_USAGE;
}

int main(int argc, const char **argv)
{
    prepare_process();
    int status = run(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        complain("standard output could not be written");
        return EXIT_FAILED;
    }
    return status;
}
