/* The manual page and the completion of the shell, from the same tables as the help. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "help.h"

/* ---- roff ---- */

/* Text in which roff sees nothing but letters: minus signs stay ASCII, so that options can be copied. */
static void put_roff(const char *text)
{
    bool starts_line = true;
    for (; *text; text++) {
        if (starts_line && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        starts_line = *text == '\n';
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else if (*text == '\'')
            fputs("\\(aq", stdout);
        else if (*text == '`')
            fputs("\\(ga", stdout);
        else if (*text == '^')
            fputs("\\(ha", stdout);
        else if (*text == '~')
            fputs("\\(ti", stdout);
        else
            putchar(*text);
    }
}

static void put_lines(const char *request, const char *text)
{
    printf("%s\n", request);
    put_roff(text);
    putchar('\n');
}

void manual_head(void)
{
    printf(".\\\" Made by `statepath help --man' from the tables of options.\n"
           ".TH STATEPATH 1 \"\" \"statepath %s\" \"User commands\"\n",
           sp_version());
    put_lines(".SH NAME", "statepath - sequences that obey the rules, from any classifier's scores");
    printf(".SH SYNOPSIS\n.B statepath\n.I COMMAND\n\\&... [\\fIOPTION\\fP...]\n.SH DESCRIPTION\n");
    put_roff("A classifier emits a score for each class at each step; taken one by one, the best classes break the rules of "
             "their field. "
             "statepath decodes such scores into sequences that obey the rules, exactly, and shows side by side what each "
             "strategy does "
             "to accuracy, to the confusion matrix and to the number of illegal transitions.\n");
    put_lines(".PP", "Results go to standard output, everything else to standard error. Outputs are written beside their place "
                     "and renamed when "
                     "whole; what exists is replaced only with --force. Inputs are never opened for writing.");
    printf(".SH COMMANDS\n");
}

static void put_option(const struct poptOption *option, void *arg)
{
    char choices[CHOICES_TEXT];
    (void)arg;
    if (!option->longName) {
        printf(".PP\n\\fI%s\\fP\n", option->descrip);
        return;
    }
    const char *value = option_value(option);
    printf(".TP\n\\fB");
    if (option->shortName)
        printf("\\-%c\\fP, \\fB", option->shortName);
    put_roff("--");
    put_roff(option->longName);
    printf("\\fP");
    if (value)
        printf(" \\fI%s\\fP", value);
    putchar('\n');
    if (*option_choices(option, choices)) {
        put_roff(choices);
        printf(": ");
    }
    put_roff(option->descrip);
    putchar('\n');
}

void manual_command(const char *name, const usage *use, const struct poptOption *table)
{
    printf(".SS \"statepath %s\"\n.nf\nstatepath \\fB%s\\fP ", name, name);
    put_roff(use->arguments);
    printf("\n.fi\n.PP\n%c", toupper((unsigned char)use->summary[0]));
    put_roff(use->summary + 1);
    printf(".\n");
    options_visit(table, put_option, NULL);
    printf(".PP\n\\fIExample:\\fP\n.PP\n.nf\n");
    put_roff(use->example);
    printf(".fi\n");
}

void manual_foot(void)
{
    printf(".SH STRATEGIES\n");
    for (int kind = 0; kind < sp_strategy_count(); kind++) {
        const char *parameter = sp_strategy_about((sp_strategy_kind)kind)->parameter;
        printf(".TP\n\\fB");
        put_roff(sp_strategy_about((sp_strategy_kind)kind)->name);
        printf("\\fP%s%s\n", parameter ? ":" : "", parameter ? parameter : "");
        put_roff(sp_strategy_about((sp_strategy_kind)kind)->summary);
        putchar('\n');
    }
    printf(".SH \"EXIT STATUS\"\n");
    static const char *const meaning[] = {[EXIT_DONE] = "done",
                                          [EXIT_FAILED] =
                                              "could not; one sentence on standard error says what, where and how to mend it",
                                          [EXIT_USAGE] = "wrong usage",
                                          [EXIT_UNDECODED] = "done, but some recordings could not be decoded",
                                          [EXIT_GATE] = "done, but a condition of --fail-if holds"};
    for (size_t i = 0; i < sizeof meaning / sizeof meaning[0]; i++) {
        printf(".TP\n.B %zu\n", i);
        put_roff(meaning[i]);
        putchar('\n');
    }
    printf(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nno progress line, no colour\n.TP\n.B STATEPATH_ISA\n");
    put_roff("the instruction set: base, avx2 or avx512; otherwise the best that the processor has. It changes the time, never a "
             "result. An unknown value gives exit status 2, one that the processor lacks 1. statepath --version --verbose names "
             "the one in use.\n");
}

/* ---- completion ---- */

void completion_head(void)
{
    fputs("# Completion of bash for statepath; made by `statepath help --completion` from the tables of options.\n"
          "_statepath() {\n"
          "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options values=\n"
          "  case ${COMP_WORDS[1]} in\n",
          stdout);
}

static void print_name(const struct poptOption *option, void *arg)
{
    (void)arg;
    if (option->longName)
        printf(" --%s", option->longName);
}

static void print_choices(const struct poptOption *option, void *arg)
{
    (void)arg;
    if (!option->longName || !option->argDescrip || !strchr(option->argDescrip, '|'))
        return;
    printf("    --%s) values='", option->longName);
    for (const char *c = option->argDescrip; *c; c++)
        putchar(*c == '|' ? ' ' : *c);
    printf("' ;;\n");
}

void completion_command(const char *name, const struct poptOption *table)
{
    printf("  %s)\n    options='", name);
    options_visit(table, print_name, NULL);
    printf("'\n    case $before in\n");
    options_visit(table, print_choices, NULL);
    printf("    esac ;;\n");
}

void completion_foot(const char *commands)
{
    printf("  *) options='--help --version' ;;\n"
           "  esac\n"
           "  case $before in\n"
           "  -m | --model | --rules) values=$(\"${COMP_WORDS[0]}\" model list 2>/dev/null | cut -d ' ' -f 1) ;;\n"
           "  -s | --strategy | --strategies | --for) values='");
    for (int kind = 0; kind < sp_strategy_count(); kind++)
        printf("%s%s", kind ? " " : "", sp_strategy_about((sp_strategy_kind)kind)->name);
    printf("' ;;\n"
           "  esac\n"
           "  if [ \"$COMP_CWORD\" = 1 ] || { [ \"$COMP_CWORD\" = 2 ] && [ \"$before\" = help ]; }; then\n"
           "    COMPREPLY=($(compgen -W '%s help --help --version' -- \"$word\"))\n"
           "  elif [ \"$values\" ]; then\n"
           "    COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
           "    case $before in -m | --model | --rules) COMPREPLY+=($(compgen -f -X '!*.json' -- \"$word\")) ;; esac\n"
           "  elif [ \"${COMP_WORDS[1]} $COMP_CWORD\" = 'model 2' ]; then\n"
           "    COMPREPLY=($(compgen -W 'list show check new' -- \"$word\"))\n"
           "  elif [ \"${COMP_WORDS[1]} $COMP_CWORD\" = 'mask 2' ]; then\n"
           "    COMPREPLY=($(compgen -W 'leak softmax' -- \"$word\"))\n"
           "  elif [ \"${word#-}\" != \"$word\" ]; then\n"
           "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
           "  fi\n"
           "}\n"
           "complete -o default -F _statepath statepath\n",
           commands);
}
