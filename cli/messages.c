#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Control characters, of ASCII and (C2 80 to C2 9F in UTF-8) of Latin-1, as '?'; newlines and tabs as `blank` when it is not 0.
 */
static void disarm(char *text, char blank)
{
    for (unsigned char *c = (unsigned char *)text; *c; c++) {
        if (*c == '\n' || *c == '\t')
            *c = blank ? (unsigned char)blank : *c;
        else if (*c < 0x20 || *c == 0x7F)
            *c = '?';
        else if (c[0] == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0)
            c[0] = c[1] = '?';
    }
}

/* What the library may name: fields of its options. */
static const char fields[] =
    " absent_class against allow_external background batch bridge_unscored clamp codes collapse confidence cv draw epoch_seconds "
    "floor "
    "force "
    "gaps groups ids "
    "interval kind labels label_codes label_confidence labels_dataset label_map lengths level losses map margin mask masking "
    "matrix method min_count "
    "missing "
    "model nbest nll_clip offsets on_infeasible only output paths preset previous prior_weight rate reference rule_costs rules "
    "scheme scores skip_existing "
    "signals strategies temperature threads transition_weight transpose "
    "trim_to_shortest unscored wake_trim weighted_kappa zeros ";

/* Writes fields that a sentence names, `temperature`, as options, --temperature; the text gets no longer. */
static void name_options(char *text)
{
    for (char *at = text; (at = strchr(at, '`')); at++) {
        char field[32];
        const size_t n = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz_-");
        snprintf(field, sizeof field, " %.*s ", (int)n, at + 1);
        for (char *c = field; *c; c++)
            *c = *c == '-' ? '_' : *c;
        if (n == 0 || at[1 + n] != '`' || n + 3 > sizeof field || !strstr(fields, field))
            continue;
        memmove(at + 2, at + 1, n);
        memcpy(at, "--", 2);
        for (char *c = at; c < at + n + 2; c++)
            *c = *c == '_' ? '-' : *c;
        if (strcmp(field, " output ") == 0) { /* known by its letter */
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
    fputs("statepath: ", stderr);
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
static const char plain_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=+@%";

char *command_line(int argc, const char **argv)
{
    size_t size = sizeof "statepath";
    for (int i = 0; i < argc; i++)
        size += 4 * strlen(argv[i]) + 3;
    char *text = malloc(size), *end = text;
    if (!text) { /* nothing has been written yet */
        complain("no memory");
        exit(EXIT_FAILED);
    }
    end = stpcpy(end, "statepath");
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (strcmp(word, "--threads") == 0 || strncmp(word, "--threads=", 10) == 0) {
            i += word[9] == 0; /* and its number */
            continue;
        }
        *end++ = ' ';
        if (*word && word[strspn(word, plain_letters)] == 0) {
            end = stpcpy(end, word);
            continue;
        }
        *end++ = '\'';
        for (; *word; word++)
            if (*word == '\'')
                end = stpcpy(end, "'\\''");
            else
                *end++ = *word;
        *end++ = '\'';
    }
    *end = 0;
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
