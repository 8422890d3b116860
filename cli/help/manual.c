/* The manual pages. */
#include "help/manual.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- roff ---- */

enum { LINE = 79 };

/* How roff wants a letter that means something to it, or NULL. Minus signs stay ASCII, so that options can be copied. */
static const char *escape_of(char c)
{
    switch (c) {
    case '\\':
        return "\\e";
    case '-':
        return "\\-";
    case '\'':
        return "\\(aq";
    case '`':
        return "\\(ga";
    case '^':
        return "\\(ha";
    case '~':
        return "\\(ti";
    default:
        return NULL;
    }
}

static void put_letter(char c)
{
    const char *escape = escape_of(c);
    if (escape)
        fputs(escape, stdout);
    else
        putchar(c);
}

/* Text in which roff sees nothing but letters, as it stands; a line that begins like a request is none. */
static void put_roff(const char *text)
{
    for (bool starts_line = true; *text; text++) {
        if (starts_line && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        starts_line = *text == '\n';
        put_letter(*text);
    }
}

/* The same as a paragraph: lines end between words, where the source would get wide. */
static void put_words(const char *text)
{
    size_t at = 0;
    while (*(text += strspn(text, " "))) {
        const size_t length = strcspn(text, " ");
        size_t width = 0;
        for (size_t i = 0; i < length; i++)
            width += escape_of(text[i]) ? strlen(escape_of(text[i])) : 1;
        const bool starts_line = at == 0 || at + 1 + width > LINE;
        if (at)
            putchar(starts_line ? '\n' : ' ');
        at = starts_line ? width : at + 1 + width;
        if (starts_line && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        for (size_t i = 0; i < length; i++)
            put_letter(text[i]);
        text += length;
    }
    putchar('\n');
}

static void put_sentence(const char *text)
{
    char words[512];
    snprintf(words, sizeof words, "%c%s.", toupper((unsigned char)text[0]), text + 1);
    put_words(words);
}

/* A comment that says where the page comes from, the title, the name. `name` is "statepath-decode". */
static void put_head(const char *name, const char *summary)
{
    printf(".\\\" Made by `statepath help man' from the tables of options.\n.TH ");
    for (const char *c = name; *c; c++)
        put_letter((char)toupper((unsigned char)*c));
    printf(" 1 \"\" \"statepath %s\" \"User commands\"\n.SH NAME\n", sp_version());
    put_roff(name);
    printf(" \\-\n");
    put_words(summary);
}

static void put_strategies(void)
{
    printf(".SH STRATEGIES\n");
    for (int kind = 0; kind < sp_strategy_count(); kind++) {
        const sp_strategy_info *about = sp_strategy_about((sp_strategy_kind)kind);
        printf(".TP\n\\fB");
        put_roff(about->name);
        printf("\\fP%s%s\n", about->parameter ? ":" : "", about->parameter ? about->parameter : "");
        put_words(about->summary);
    }
}

/* ---- a command ---- */

/* A group's heading, or an option. */
static void put_option(const struct poptOption *option, void *arg)
{
    char about[ABOUT_TEXT];
    (void)arg;
    if (!option->longName) {
        printf(".SS \"");
        for (const char *c = option->descrip; *c && strcmp(c, ":") != 0; c++) {
            if (*c == '"') /* ends a request's argument */
                fputs("\\(dq", stdout);
            else
                put_letter(*c);
        }
        printf("\"\n");
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
    put_words(option_about(option, about));
}

static void put_command(const command *c, const struct poptOption *table)
{
    char name[64];
    snprintf(name, sizeof name, "statepath-%s", c->name);
    put_head(name, c->summary);
    printf(".SH SYNOPSIS\n.nf\n\\fBstatepath %s\\fP ", c->name);
    for (const char *a = c->use.arguments; *a; a++) {
        const bool is_between = strncmp(a, " | ", 3) == 0; /* one line for each alternative */
        if (is_between)
            printf("\n\\fBstatepath %s\\fP ", c->name);
        else
            put_letter(*a);
        a += is_between ? 2 : 0;
    }
    printf("\n.fi\n.SH DESCRIPTION\n");
    put_sentence(c->use.summary);
    if (c->use.kinds) {
        char words[CHOICES_TEXT + 16], choices[CHOICES_TEXT];
        snprintf(words, sizeof words, "KIND is %s.", choices_text(c->use.kinds, choices));
        printf(".PP\n");
        put_words(words);
    }
    printf(".SH OPTIONS\n");
    options_visit(table, put_option, NULL);
    if (c->use.has_strategies)
        put_strategies();
    printf(".SH \"EXIT STATUS\"\nAs in\n.BR statepath (1).\n.SH EXAMPLES\n.nf\n");
    put_roff(c->use.example);
    printf(".fi\n.SH \"SEE ALSO\"\n.BR statepath (1)\n");
}

void manual_command(const command *c)
{
    options o;
    option_table table;
    options_init(&o);
    options_fill(&table, &o, c->takes, c->lacks);
    put_command(c, table.groups);
    options_clear(&o);
}

/* ---- the program ---- */

void manual_program(const program *p)
{
    put_head(program_name, p->summary);
    printf(".SH SYNOPSIS\n.B %s\n.I COMMAND\n\\&... [\\fIOPTION\\fP...]\n.br\n.B %s help\n"
           "[\\fICOMMAND\\fP | \\fBfigures\\fP | \\fBschema\\fP |\n\\fBman\\fP [\\fICOMMAND\\fP] | "
           "\\fBcompletion\\fP \\fISHELL\\fP]\n.SH DESCRIPTION\n",
           program_name, program_name);
    for (int i = 0; p->description[i]; i++) {
        if (i)
            printf(".PP\n");
        put_words(p->description[i]);
    }
    printf(".SH COMMANDS\n");
    for (int i = 0; i < p->n_commands; i++) {
        printf(".TP\n.BR statepath\\-%s (1)\n", p->commands[i]->name);
        put_sentence(p->commands[i]->use.summary);
    }
    put_strategies();
    printf(".SH \"EXIT STATUS\"\n");
    static const char *const meaning[] = {
        [EXIT_DONE] = "done",
        [EXIT_FAILED] = "could not; one sentence on standard error says what, where and how to mend it",
        [EXIT_USAGE] = "wrong usage",
        [EXIT_UNDECODED] = "done, but some recordings could not be read or decoded",
        [EXIT_GATE] = "done, but a condition of --fail-if holds"};
    for (size_t i = 0; i < sizeof meaning / sizeof meaning[0]; i++) {
        printf(".TP\n.B %zu\n", i);
        put_words(meaning[i]);
    }
    printf(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nno progress line, no colour\n.TP\n.B STATEPATH_ISA\n");
    put_words("the instruction set: base, avx2 or avx512; otherwise the best that the processor has. It "
              "changes the time, never a "
              "result. An unknown value gives exit status 2, one that the processor lacks 1. statepath "
              "--version --verbose names "
              "the one in use.");
    printf(".SH \"SEE ALSO\"\n");
    for (int i = 0; i < p->n_commands; i++)
        printf(".BR statepath\\-%s (1)%s\n", p->commands[i]->name, i + 1 < p->n_commands ? "," : "");
}
