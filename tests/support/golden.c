#include "golden.h"

#include "check.h"

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    if (!text || fread(text, 1, (size_t)size, file) != (size_t)size)
        fail_msg("%s: cannot be read", path);
    text[size] = '\0';
    fclose(file);
    return text;
}

void assert_golden(const char *name, const char *text)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/report/golden/%s", SOURCE_DIR, name);
    const char *update = getenv("STATEPATH_UPDATE_GOLDEN");
    if (update && !strcmp(update, "1")) {
        FILE *file = fopen(path, "wb");
        if (!file || fputs(text, file) < 0 || fclose(file) != 0)
            fail_msg("%s: cannot be written", path);
        return;
    }
    char *expected = read_file(path);
    if (!expected)
        fail_msg("%s: missing", path);
    int line = 1;
    const char *a = expected, *b = text, *start_a = a, *start_b = b;
    while (*a && *a == *b) {
        if (*a == '\n') {
            line++;
            start_a = a + 1;
            start_b = b + 1;
        }
        a++;
        b++;
    }
    if (*a != *b)
        fail_msg("%s, line %d:\n  expected |%.*s|\n  got      |%.*s|", name, line,
                 (int)strcspn(start_a, "\n"), start_a, (int)strcspn(start_b, "\n"), start_b);
    free(expected);
}
