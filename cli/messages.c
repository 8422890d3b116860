#include "cli.h"
#include "options.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the character of UTF-8 at c, or 0. */
static size_t length_at(const unsigned char *c)
{
    const size_t n = *c < 0x80 ? 1 : *c < 0xC2 || *c > 0xF4 ? 0 : *c < 0xE0 ? 2 : *c < 0xF0 ? 3 : 4;
    for (size_t i = 1; i < n; i++)
        if ((c[i] & 0xC0) != 0x80)
            return 0;
    return n;
}

/* Bytes that are no UTF-8, and control characters, of ASCII and (C2 80 to C2 9F in UTF-8) of Latin-1, as '?'; newlines and tabs as
 * `blank` when it is not 0, but for newlines before two blanks, below which a sentence shows a place in a text. */
static void disarm(char *text, char blank)
{
    size_t n = 1;
    for (unsigned char *c = (unsigned char *)text; *c; c += n ? n : 1) {
        n = length_at(c);
        if (*c == '\n' || *c == '\t')
            *c = blank && strncmp((char *)c, "\n  ", 3) != 0 ? (unsigned char)blank : *c;
        else if (n == 0 || *c < 0x20 || *c == 0x7F)
            *c = '?';
        else if (c[0] == 0xC2 && c[1] < 0xA0)
            c[0] = c[1] = '?';
    }
}

void name_options(char *text)
{
    for (char *at = text; (at = strchr(at, '`')); at++) {
        const size_t n = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz0123456789_-");
        if (n == 0 || at[1 + n] != '`' || !option_is_known(at + 1, n))
            continue;
        const bool is_output = n == 6 && strncmp(at + 1, "output", n) == 0; /* known by its letter */
        memmove(at + 2, at + 1, n);
        memcpy(at, "--", 2);
        for (char *c = at; c < at + n + 2; c++)
            *c = *c == '_' ? '-' : *c;
        if (is_output) {
            memcpy(at, "-o", 2);
            memmove(at + 2, at + n + 2, strlen(at + n + 2) + 1);
        }
    }
}

/* A sentence that says there is no memory needs none. False: the text is longer than that, and there is none. */
static bool print_disarmed(FILE *stream, char blank, const char *format, va_list arguments)
{
    va_list again;
    char usual[SP_ERROR_SIZE + 512], *text = usual;
    va_copy(again, arguments);
    int length = vsnprintf(usual, sizeof usual, format, arguments);
    bool is_long = length >= (int)sizeof usual;
    if (is_long && (text = malloc((size_t)length + 1)))
        length = vsnprintf(text, (size_t)length + 1, format, again);
    bool is_whole = text && length >= 0;
    if (is_whole) {
        if (blank)
            name_options(text);
        disarm(text, blank);
        fputs(text, stream);
    }
    va_end(again);
    if (is_long)
        free(text);
    return is_whole;
}

/* Why something of standard output was lost, or 0. */
static int lost;

int results_flush(void)
{
    if (fflush(stdout) != 0 && !lost)
        lost = errno;
    return lost;
}

void tell(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    results_flush();
    print_disarmed(stderr, 0, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    results_flush();
    fprintf(stderr, "%s: ", program_name);
    print_disarmed(stderr, ' ', format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!print_disarmed(stdout, 0, format, arguments) && !lost)
        lost = ENOMEM;
    va_end(arguments);
}

int fail_with(sp_status status, const sp_error *err)
{
    complain("%s", err->message);
    return status == SP_EINVAL ? EXIT_USAGE : EXIT_FAILED;
}

/* Letters that no shell takes for anything but themselves. */
static const char plain_letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=+@%";

/* A blank, and the word as the shell needs it. */
static char *add_word(char *end, const char *word)
{
    *end++ = ' ';
    if (*word && word[strspn(word, plain_letters)] == 0)
        return stpcpy(end, word);
    *end++ = '\'';
    for (; *word; word++)
        if (*word == '\'')
            end = stpcpy(end, "'\\''");
        else
            *end++ = *word;
    *end++ = '\'';
    *end = 0;
    return end;
}

static bool is_among(const char *word, const char *const *words)
{
    for (; words && *words; words++)
        if (*words == word)
            return true;
    return false;
}

/* The files in the order in which they are read; NULL: they stay as they are. */
static sp_file_list *in_order(const char *const *files)
{
    sp_file_list *list = NULL;
    if (files && files[0] && files[1] && sp_file_list_new(files[0], files + 1, &list, NULL) != SP_OK)
        return NULL;
    return list;
}

char *command_line(int argc, const char **argv, const char *const *files)
{
    size_t size = sizeof "statepath";
    for (int i = 0; i < argc; i++)
        size += 4 * strlen(argv[i]) + 3;
    char *text = malloc(size);
    if (!text) { /* nothing has been written yet */
        complain("no memory");
        exit(EXIT_FAILED);
    }
    char *end = stpcpy(text, "statepath");
    sp_file_list *list = in_order(files);
    int64_t n_files = 0;
    for (int i = 0, n; i < argc; i += n ? n : 1) {
        n = option_words_left_out(argv[i]);
        if (n)
            continue;
        const bool is_listed = is_among(argv[i], files) && list && n_files < list->n;
        end = add_word(end, is_listed ? list->names[n_files++] : argv[i]);
    }
    sp_file_list_free(list);
    return text;
}

/* ---- signals ---- */

static volatile sig_atomic_t interrupted;

static void note_signal(int number)
{
    interrupted = number;
}

void watch_signals(void)
{
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool is_interrupted(void)
{
    return interrupted != 0;
}
