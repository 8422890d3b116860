#include "io/text/texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- UTF-8 ---- */

static bool is_utf8(const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t more = p[i] < 0x80                   ? 0
                      : p[i] >= 0xc2 && p[i] < 0xe0 ? 1
                      : p[i] >= 0xe0 && p[i] < 0xf0 ? 2
                      : p[i] >= 0xf0 && p[i] < 0xf5 ? 3
                                                    : 4;
        if (more == 4 || i + more >= n)
            return false;
        for (size_t j = 1; j <= more; j++)
            if ((p[i + j] & 0xc0) != 0x80)
                return false;
        if ((p[i] == 0xe0 && p[i + 1] < 0xa0) || (p[i] == 0xed && p[i + 1] > 0x9f) ||
            (p[i] == 0xf0 && p[i + 1] < 0x90) || (p[i] == 0xf4 && p[i + 1] > 0x8f))
            return false;
        i += more + 1;
    }
    return true;
}

/* Writes the text to `out` (2 n + 1 bytes) and returns its length. */
static size_t text_clean(const char *text, size_t n, char *out)
{
    if (is_utf8((const unsigned char *)text, n)) {
        memcpy(out, text, n);
        out[n] = '\0';
        return n;
    }
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < 0x80) {
            out[used++] = (char)c;
        } else {
            out[used++] = (char)(0xc0 | c >> 6);
            out[used++] = (char)(0x80 | (c & 0x3f));
        }
    }
    out[used] = '\0';
    return used;
}

/* ---- packing ---- */

sp_texts sp_texts_pack(const sp_text_span *spans, int64_t n)
{
    size_t bytes = ((size_t)n + 1) * sizeof(char *);
    for (int64_t i = 0; i < n; i++)
        bytes += 2 * spans[i].length + 1;
    sp_texts out = malloc(bytes);
    if (!out)
        return NULL;
    char *to = (char *)(out + n + 1);
    for (int64_t i = 0; i < n; i++) {
        out[i] = to;
        to += text_clean(spans[i].text, spans[i].length, to) + 1;
    }
    out[n] = NULL;
    return out;
}

sp_texts sp_texts_copy(const char *const *texts, int64_t n)
{
    sp_text_span *spans = calloc((size_t)n + 1, sizeof *spans);
    if (!spans)
        return NULL;
    for (int64_t i = 0; i < n; i++)
        spans[i] = (sp_text_span){texts[i], strlen(texts[i])};
    sp_texts out = sp_texts_pack(spans, n);
    free(spans);
    return out;
}

sp_texts sp_texts_of_numbers(const int64_t *values, int64_t n)
{
    enum { DIGITS = 24 };
    sp_text_span *spans = calloc((size_t)n + 1, sizeof *spans);
    char *digits = malloc(((size_t)n + 1) * DIGITS);
    sp_texts out = NULL;
    if (spans && digits) {
        for (int64_t i = 0; i < n; i++) {
            char *to = digits + (size_t)i * DIGITS;
            spans[i] =
                (sp_text_span){to, (size_t)snprintf(to, DIGITS, "%lld", (long long)(values ? values[i] : i))};
        }
        out = sp_texts_pack(spans, n);
    }
    free(spans);
    free(digits);
    return out;
}

/* ---- duplicates ---- */

typedef struct entry {
    const char *text;
    int64_t index;
} entry;

static int compare_entries(const void *a, const void *b)
{
    const entry *p = a, *q = b;
    int order = strcmp(p->text, q->text);
    return order ? order : (p->index > q->index) - (p->index < q->index);
}

bool sp_texts_duplicate(const char *const *texts, int64_t n, int64_t *a, int64_t *b)
{
    entry *sorted = malloc(((size_t)n + 1) * sizeof *sorted);
    *a = -1;
    if (!sorted) {
        *a = -2;
        return false;
    }
    for (int64_t i = 0; i < n; i++)
        sorted[i] = (entry){texts[i], i};
    qsort(sorted, (size_t)n, sizeof *sorted, compare_entries);
    bool found = false;
    for (int64_t i = 1; i < n && !found; i++)
        if (strcmp(sorted[i - 1].text, sorted[i].text) == 0) {
            found = true;
            *a = sorted[i - 1].index;
            *b = sorted[i].index;
        }
    free(sorted);
    return found;
}

const char *sp_file_ending(const char *file)
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file, *dot = strrchr(name, '.');
    return dot && dot != name ? dot : "";
}

bool sp_file_has_ending(const char *file, const char *endings)
{
    const char *ending = sp_file_ending(file);
    const size_t n = strlen(ending);
    for (const char *at = endings; n && *at;) {
        const size_t length = strcspn(at, " ");
        if (length == n && strncasecmp(at, ending, n) == 0)
            return true;
        at += length + strspn(at + length, " ");
    }
    return false;
}

char *sp_file_stem(const char *file)
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file, *dot = strrchr(name, '.');
    return dot && dot != name ? strndup(name, (size_t)(dot - name)) : strdup(name);
}

char *sp_endings_say(const char *endings, char *text, size_t size)
{
    size_t n = 0;
    text[0] = '\0';
    for (const char *at = endings, *next; *at && n < size; at = next) {
        const size_t length = strcspn(at, " ");
        next = at + length + strspn(at + length, " ");
        n += (size_t)snprintf(text + n, size - n, "%s%.*s",
                              at == endings ? ""
                              : *next       ? ", "
                                            : " or ",
                              (int)length, at);
    }
    return text;
}
