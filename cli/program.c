/* What a program does around its commands. */
#include "program.h"

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
#include "help/table.h"

/* "compare, decode, ..." into text. */
enum { LIST_TEXT = 256 };
static char *list_commands(const program *p, char text[LIST_TEXT])
{
    char *end = text;
    *end = 0;
    for (int i = 0; i < p->n_commands; i++)
        end += snprintf(end, LIST_TEXT - (size_t)(end - text), "%s%s", i ? ", " : "", p->commands[i]->name);
    return text;
}

static int complain_unknown(const program *p, const char *name)
{
    const char *names[MOST_COMMANDS];
    for (int i = 0; i < p->n_commands; i++)
        names[i] = p->commands[i]->name;
    char list[LIST_TEXT], hint[64];
    if (*name == '-')
        complain("there is no option %s before a command, but --help and --version; what follows a command "
                 "belongs to it",
                 name);
    else if (sp_name_nearest(name, p->n_commands, names) >= 0)
        complain("\"%s\" is not a command%s", name,
                 sp_name_hint(hint, sizeof hint, name, p->n_commands, names));
    else
        complain("\"%s\" is not a command; the commands are %s", name, list_commands(p, list));
    return EXIT_USAGE;
}

static void print_usage(const program *p, FILE *out)
{
    fprintf(out, "%s %s: %s\n\n", program_name, sp_version(), p->summary);
    fprintf(out, "Usage: %s COMMAND ... [OPTION...]\n\n", program_name);
    for (int i = 0; i < p->n_commands; i++)
        fprintf(out, "  %-9s  %s\n", p->commands[i]->name, p->commands[i]->summary);
    fprintf(out, "\n%s", p->start);
}

static const command *command_find(const program *p, const char *name)
{
    for (int i = 0; i < p->n_commands; i++)
        if (strcmp(name, p->commands[i]->name) == 0)
            return p->commands[i];
    return NULL;
}

/* help TOPIC [WORD] */
static int help(const program *p, const char *topic, const char *word)
{
    const command *about = command_find(p, word ? word : topic);
    if (strcmp(topic, "man") == 0) {
        if (word && !about)
            return complain_unknown(p, word);
        if (about)
            manual_command(about);
        else
            manual_program(p);
        return EXIT_DONE;
    }
    if (strcmp(topic, "completion") == 0)
        return completion_print(word ? word : "");
    if (strcmp(topic, "options") == 0) {
        table_print(p->commands, p->n_commands);
        return EXIT_DONE;
    }
    if (strcmp(topic, "figures") == 0) {
        help_figures();
        return EXIT_DONE;
    }
    if (strcmp(topic, "schema") == 0)
        return help_schema();
    about = command_find(p, topic);
    if (about) { /* "help compare" is "compare --help" */
        const char *words[] = {topic, "--help", NULL};
        return command_main(about, 2, words);
    }
    return complain_unknown(p, topic);
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
    /* The write that failed was an earlier one, whose reason is lost: the next one says it again. */
    if (!reason && write(STDOUT_FILENO, "\n", 1) < 0)
        reason = errno;
    complain("standard output could not be written%s%s%s", reason ? " (" : "", reason ? strerror(reason) : "",
             reason ? ")" : "");
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
    printf("%s %s\n", program_name, sp_version());
    if (!is_verbose)
        return;
    printf("instruction set: %s (this processor has", sp_isa_name(sp_isa_current()));
    for (sp_isa isa = SP_ISA_BASE; isa <= sp_isa_best(); isa++)
        printf("%s %s", isa == SP_ISA_BASE ? "" : ",", sp_isa_name(isa));
    printf(")\n");
}

static int run(const program *p, int argc, const char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "help") == 0 && argc > 3 && strcmp(argv[2], "complete") == 0)
        return completion_offer(argc - 3, argv + 3, p->commands, p->n_commands);
    if (strcmp(name, "help") == 0 && argc > 2)
        return help(p, argv[2], argc > 3 ? argv[3] : NULL);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_usage(p, stdout);
        return EXIT_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        print_version(argc > 2 && (strcmp(argv[2], "--verbose") == 0 || strcmp(argv[2], "-v") == 0));
        return EXIT_DONE;
    }
    const command *c = command_find(p, name);
    if (c)
        return command_main(c, argc - 1, argv + 1);
    if (argc < 2) {
        print_usage(p, stderr);
        return EXIT_USAGE;
    }
    return complain_unknown(p, name);
}

int program_main(const program *p, int argc, const char **argv)
{
    const bool dies_of_pipes = prepare_process();
    int status = choose_isa();
    if (status == EXIT_DONE)
        status = run(p, argc, argv);
    const int reason = results_flush();
    return reason || ferror(stdout) ? lose_output(status, reason, dies_of_pipes) : status;
}
