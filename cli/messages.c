#include "cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("statepath: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
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
    if (!text)
        return NULL;
    end = stpcpy(end, "statepath");
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
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

char *count_text(int64_t n, char buffer[COUNT_TEXT])
{
    char digits[COUNT_TEXT];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)n), out = 0;
    for (int i = 0; i < length; i++) {
        if (i && digits[i - 1] != '-' && (length - i) % 3 == 0)
            buffer[out++] = ',';
        buffer[out++] = digits[i];
    }
    buffer[out] = 0;
    return buffer;
}
