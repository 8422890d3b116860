/* statepath: the table of commands. */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "help/completion.h"
#include "help/manual.h"

static const command *const commands[] = {
    &inspect_command, &compare_command, &decode_command,   &evaluate_command, &merge_command,   &model_command,  &fit_command,
    &stream_command,  &mask_command,    &simulate_command, &train_command,    &predict_command, &convert_command};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

/* "compare, decode, ..." into text. */
enum { LIST_TEXT = 256 };
static char *list_commands(char text[LIST_TEXT])
{
    char *end = text;
    *end = 0;
    for (int i = 0; i < N_COMMANDS; i++)
        end += snprintf(end, LIST_TEXT - (size_t)(end - text), "%s%s", i ? ", " : "", commands[i]->name);
    return text;
}

static int complain_unknown(const char *name)
{
    const char *names[N_COMMANDS];
    for (int i = 0; i < N_COMMANDS; i++)
        names[i] = commands[i]->name;
    char list[LIST_TEXT], hint[64];
    if (*name == '-')
        complain("there is no option %s before a command, but --help and --version; what follows a command belongs to it", name);
    else if (sp_name_nearest(name, N_COMMANDS, names) >= 0)
        complain("\"%s\" is not a command%s", name, sp_name_hint(hint, sizeof hint, name, N_COMMANDS, names));
    else
        complain("\"%s\" is not a command; the commands are %s", name, list_commands(list));
    return EXIT_USAGE;
}

static void print_usage(FILE *out)
{
    fprintf(out, "statepath %s: sequences that obey the rules, from any classifier's scores\n\n", sp_version());
    fprintf(out, "Usage: statepath COMMAND ... [OPTION...]\n\n");
    for (int i = 0; i < N_COMMANDS; i++)
        fprintf(out, "  %-9s  %s\n", commands[i]->name, commands[i]->summary);
    fprintf(out, "\nStart with:\n"
                 "  statepath inspect SCORES.h5\n"
                 "  statepath compare SCORES.h5 --model sleep-aasm --report report.html\n\n"
                 "`statepath COMMAND --help` lists a command's options, with an example;\n`statepath help figures` says what "
                 "each figure of a result is.\n"
                 "The environment variable STATEPATH_ISA=base|avx2|avx512 chooses the instruction\n"
                 "set; `statepath --version --verbose` names the one in use.\n");
}

static const command *command_find(const char *name)
{
    for (int i = 0; i < N_COMMANDS; i++)
        if (strcmp(name, commands[i]->name) == 0)
            return commands[i];
    return NULL;
}

/* statepath help TOPIC [WORD] */
static int help(const char *topic, const char *word)
{
    const command *about = command_find(word ? word : topic);
    if (strcmp(topic, "man") == 0) {
        if (word && !about)
            return complain_unknown(word);
        if (about)
            manual_command(about);
        else
            manual_program(commands, N_COMMANDS);
        return EXIT_DONE;
    }
    if (strcmp(topic, "completion") == 0)
        return completion_print(word ? word : "", commands, N_COMMANDS);
    if (strcmp(topic, "figures") == 0) {
        help_figures();
        return EXIT_DONE;
    }
    about = command_find(topic);
    if (about) { /* "help compare" is "compare --help" */
        const char *words[] = {topic, "--help", NULL};
        return command_main(about, 2, words);
    }
    return complain_unknown(topic);
}

/* A standard stream that was closed by the caller leaves its number free, and the next file opened gets it: messages would then
 * go into that file. /dev/null stands in, opened so that using it still fails. A file that may grow no further (ulimit -f) shall
 * be an error of write(), not the end of the process with half a file left behind; so shall a pipe whose reader is gone, be it
 * that of messages. Returns whether such a pipe would have ended the process. */
static bool prepare_process(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) == -1)
            exit(EXIT_FAILED);
    signal(SIGXFSZ, SIG_IGN);
    /* HDF5 would look there first for files that a file links to; they are beside it, or nowhere. */
    unsetenv("HDF5_EXT_PREFIX");
    unsetenv("HDF5_VDS_PREFIX");
    return signal(SIGPIPE, SIG_IGN) != SIG_IGN;
}

/* Did the reader of standard output go away? */
static bool is_reader_gone(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    return poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP));
}

/* Something of the standard output was lost. Where the reader did not want more, as `head`, nothing needs to be said: the program
 * ends by SIGPIPE as any other would, only that its files were written first. A sentence or an exit status of the work stands. */
static int lose_output(int status, int reason, bool dies_of_pipes)
{
    if (dies_of_pipes && is_reader_gone()) {
        if (status != EXIT_DONE)
            return status;
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    if (status == EXIT_FAILED || status == EXIT_USAGE)
        return status;
    complain("standard output could not be written%s%s%s", reason ? " (" : "", reason ? strerror(reason) : "", reason ? ")" : "");
    return EXIT_FAILED;
}

/* The instruction set that STATEPATH_ISA names, for the whole program; an empty value is none. Returns an exit status. */
static int choose_isa(void)
{
    const char *name = getenv("STATEPATH_ISA");
    sp_isa isa;
    sp_error err;
    if (!name || !*name)
        return EXIT_DONE;
    if (sp_isa_parse(name, &isa, &err) != SP_OK) {
        complain("STATEPATH_ISA: %s", err.message);
        return EXIT_USAGE;
    }
    if (sp_isa_set(isa, &err) != SP_OK) {
        complain("STATEPATH_ISA: %s", err.message);
        return EXIT_FAILED;
    }
    return EXIT_DONE;
}

static void print_version(bool is_verbose)
{
    printf("statepath %s\n", sp_version());
    if (!is_verbose)
        return;
    printf("instruction set: %s (this processor has", sp_isa_name(sp_isa_current()));
    for (sp_isa isa = SP_ISA_BASE; isa <= sp_isa_best(); isa++)
        printf("%s %s", isa == SP_ISA_BASE ? "" : ",", sp_isa_name(isa));
    printf(")\n");
}

static int run(int argc, const char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "help") == 0 && argc > 2)
        return help(argv[2], argc > 3 ? argv[3] : NULL);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_usage(stdout);
        return EXIT_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        print_version(argc > 2 && (strcmp(argv[2], "--verbose") == 0 || strcmp(argv[2], "-v") == 0));
        return EXIT_DONE;
    }
    const command *c = command_find(name);
    if (c)
        return command_main(c, argc - 1, argv + 1);
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    return complain_unknown(name);
}

int main(int argc, const char **argv)
{
    const bool dies_of_pipes = prepare_process();
    int status = choose_isa();
    if (status == EXIT_DONE)
        status = run(argc, argv);
    const int reason = results_flush();
    return reason || ferror(stdout) ? lose_output(status, reason, dies_of_pipes) : status;
}
