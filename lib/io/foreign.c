#include "io/foreign.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "io/text/cells.h"
#include "io/text/text_labels.h"
#include "io/text/texts.h"

/* ---- recognising ---- */

static bool begins_with(const unsigned char *head, size_t n, const char *text)
{
    const size_t length = strlen(text);
    return n >= length && memcmp(head, text, length) == 0;
}

/* A zip archive names its first member 30 bytes in: numpy's members end in .npy, torch's first one is <name>/data.pkl. */
static bool is_zip_of(const sp_file_look *look, const char *ending)
{
    const unsigned char *head = look->head;
    const size_t n = look->n;
    if (!begins_with(head, n, "PK\x03\x04") || n <= 30)
        return false;
    size_t length = (size_t)head[26] | (size_t)head[27] << 8;
    if (length > n - 30)
        length = n - 30;
    return length >= strlen(ending) &&
           memcmp(head + 30 + length - strlen(ending), ending, strlen(ending)) == 0;
}

bool sp_is_npz(const sp_file_look *look)
{
    return is_zip_of(look, ".npy") ||
           (begins_with(look->head, look->n, "PK\x03\x04") && sp_file_has_ending(look->file, ".npz"));
}

/* Since version 1.6 an archive; before that several pickles, the first one a number. */
bool sp_is_torch(const sp_file_look *look)
{
    return is_zip_of(look, "/data.pkl") ||
           begins_with(look->head, look->n, "\x80\x02\x8a\x0al\xfc\x9c\x46\xf9 j\xa8P\x19.");
}

bool sp_is_excel(const sp_file_look *look)
{
    return is_zip_of(look, "[Content_Types].xml") ||
           (is_zip_of(look, ".xml") && sp_file_has_ending(look->file, ".xlsx")) ||
           (begins_with(look->head, look->n, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") &&
            sp_file_has_ending(look->file, ".xls"));
}

/* Most are compressed; then the ending says it. */
bool sp_is_rds(const sp_file_look *look)
{
    return sp_file_has_ending(look->file, ".rds");
}

bool sp_is_r(const sp_file_look *look)
{
    return sp_file_has_ending(look->file, ".rdata .rda") || begins_with(look->head, look->n, "RDX2\n") ||
           begins_with(look->head, look->n, "RDX3\n");
}

bool sp_is_tar(const sp_file_look *look)
{
    enum { MAGIC = 257 };
    return look->n > MAGIC && begins_with(look->head + MAGIC, look->n - MAGIC, "ustar");
}

bool sp_is_utf16(const sp_file_look *look)
{
    return begins_with(look->head, look->n, "\xff\xfe") || begins_with(look->head, look->n, "\xfe\xff");
}

bool sp_is_html(const sp_file_look *look)
{
    const char *head = (const char *)look->head;
    return look->n >= 14 &&
           (strncasecmp(head, "<!doctype html", 14) == 0 || strncasecmp(head, "<html", 5) == 0);
}

/* How long its JSON is, in eight bytes, then the JSON. */
bool sp_is_safetensors(const sp_file_look *look)
{
    const unsigned char *head = look->head;
    return look->n > 10 && head[4] == 0 && head[5] == 0 && head[6] == 0 && head[7] == 0 &&
           (head[0] | head[1] | head[2] | head[3]) && head[8] == '{' && head[9] == '"';
}

bool sp_is_pickle(const sp_file_look *look)
{
    return look->n >= 2 && look->head[0] == 0x80 && look->head[1] >= 2 && look->head[1] <= 5;
}

/* No text, but five small numbers: type, rows, columns, 0 or 1, length of the name, which then ends in 0. */
bool sp_is_mat4(const sp_file_look *look)
{
    uint32_t head[5];
    if (look->n <= sizeof head)
        return false;
    memcpy(head, look->head, sizeof head);
    const bool is_sized = head[0] <= 1051 && head[0] % 1000 <= 51 && head[1] && head[1] < 1u << 24 &&
                          head[2] && head[2] < 1u << 24;
    return is_sized && head[3] <= 1 && head[4] > 1 && head[4] < 64 && look->n >= sizeof head + head[4] &&
           look->head[sizeof head + head[4] - 1] == 0 &&
           memchr(look->head + sizeof head, 0, head[4] - 1) == NULL;
}

bool sp_is_text(const sp_file_look *look)
{
    for (size_t i = 0; i < look->n; i++)
        if ((look->head[i] < 0x20 && !(look->head[i] && strchr("\t\n\r", look->head[i]))) ||
            look->head[i] == 0x7f)
            return false;
    return look->n > 0;
}

bool sp_is_json(const sp_file_look *look)
{
    const unsigned char *head = look->head;
    size_t i = sp_text_mark(head, look->n);
    while (i < look->n && strchr(" \n\r\t", head[i]) && head[i])
        i++;
    return sp_is_text(look) && i < look->n && (head[i] == '{' || head[i] == '[');
}

bool sp_is_xml(const sp_file_look *look)
{
    const size_t mark = sp_text_mark(look->head, look->n);
    return begins_with(look->head + mark, look->n - mark, "<");
}

bool sp_is_model(const sp_file_look *look)
{
    static const char key[] = "\"statepath_model\"";
    bool has_key = false;
    for (size_t i = 0; i < look->n && !has_key; i++)
        has_key = begins_with(look->head + i, look->n - i, key);
    return has_key && sp_is_json(look);
}

bool sp_is_table(const sp_file_look *look)
{
    const unsigned char *head = look->head, *end = memchr(head, '\n', look->n);
    const size_t line = end ? (size_t)(end - head) : look->n;
    return sp_is_text(look) &&
           (memchr(head, ',', line) || memchr(head, ';', line) || memchr(head, '\t', line));
}

/* The first line, from 1, in which cells are parted; 0: none of those that were read is so. */
static int line_of_table(const sp_file_look *look)
{
    const unsigned char *at = look->head, *end = at + look->n;
    for (int line = 1; sp_is_text(look) && at < end; line++) {
        const unsigned char *next = memchr(at, '\n', (size_t)(end - at));
        const size_t n = (size_t)((next ? next : end) - at);
        if (memchr(at, ',', n) || memchr(at, ';', n) || memchr(at, '\t', n))
            return line;
        at += n + 1;
    }
    return 0;
}

bool sp_is_titled_table(const sp_file_look *look)
{
    return line_of_table(look) > 1;
}

/* ---- commands that convert ---- */

enum { NAME = 100 };

/* A name that may stand between single quotes inside double ones of a shell. */
static bool is_plain(const char *name)
{
    return *name && strpbrk(name, "'\"\\$`!\n\r") == NULL;
}

/* The base name, quoted in a command: as it is where that is safe, else FILE. `stem` without its ending. */
static void name_of(const char *file, char name[NAME], char stem[NAME])
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    snprintf(name, NAME, "%s", is_plain(base) && strlen(base) < NAME ? base : "FILE");
    snprintf(stem, NAME, "%s", name);
    char *dot = strrchr(stem, '.');
    if (dot && dot > stem)
        *dot = '\0';
}

void sp_mend(const char *how, const sp_file_look *look, char *out, size_t size)
{
    char name[NAME], stem[NAME], texts[64], line[16];
    const struct {
        const char *word, *means;
    } words[] = {{"{name}", name}, {"{stem}", stem}, {"{texts}", texts}, {"{line}", line}};
    snprintf(line, sizeof line, "%d", line_of_table(look));
    name_of(look->file, name, stem);
    sp_endings_say(SP_TEXT_ENDINGS, texts, sizeof texts);
    out[0] = '\0';
    for (size_t n = 0, length; *how && n + 1 < size; how += length) {
        const char *means = how;
        int width = 1;
        length = 1;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strncmp(how, words[i].word, strlen(words[i].word)) == 0) {
                means = words[i].means;
                width = (int)strlen(means);
                length = strlen(words[i].word);
            }
        n += (size_t)snprintf(out + n, size - n, "%.*s", width, means);
    }
}

void sp_mend_as_h5(const sp_file_look *look, const char *python, const char *dataset, char *out, size_t size)
{
    char name[NAME], stem[NAME];
    const char *modules = python && strncmp(python, "scipy", 5) == 0 ? "h5py, scipy.io" : "h5py, numpy";
    const char *at = python ? strstr(python, "FILE") : NULL;
    name_of(look->file, name, stem);
    if (at)
        snprintf(out, size,
                 "convert it with python3 -c \"import %s; h5py.File('%s.h5', 'w')['%s'] = %.*s%s%s\"",
                 modules, stem, dataset, (int)(at - python), python, name, at + strlen("FILE"));
    else
        snprintf(out, size, "write its numbers as dataset %s of an HDF5 file, for example with h5py",
                 dataset);
}
