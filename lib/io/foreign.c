#include "io/foreign.h"

#include <stdio.h>
#include <string.h>

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
    return length >= strlen(ending) && memcmp(head + 30 + length - strlen(ending), ending, strlen(ending)) == 0;
}

bool sp_is_npz(const sp_file_look *look)
{
    return is_zip_of(look, ".npy");
}

bool sp_is_torch(const sp_file_look *look)
{
    return is_zip_of(look, "/data.pkl");
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
    const bool is_sized =
        head[0] <= 1051 && head[0] % 1000 <= 51 && head[1] && head[1] < 1u << 24 && head[2] && head[2] < 1u << 24;
    return is_sized && head[3] <= 1 && head[4] > 1 && head[4] < 64 && look->n >= sizeof head + head[4] &&
           look->head[sizeof head + head[4] - 1] == 0 && memchr(look->head + sizeof head, 0, head[4] - 1) == NULL;
}

bool sp_is_text(const sp_file_look *look)
{
    for (size_t i = 0; i < look->n; i++)
        if ((look->head[i] < 0x20 && !(look->head[i] && strchr("\t\n\r", look->head[i]))) || look->head[i] == 0x7f)
            return false;
    return look->n > 0;
}

bool sp_is_json(const sp_file_look *look)
{
    const unsigned char *head = look->head;
    size_t i = begins_with(head, look->n, "\xef\xbb\xbf") ? 3 : 0;
    while (i < look->n && strchr(" \n\r\t", head[i]) && head[i])
        i++;
    return sp_is_text(look) && i < look->n && (head[i] == '{' || head[i] == '[');
}

bool sp_is_xml(const sp_file_look *look)
{
    const size_t mark = begins_with(look->head, look->n, "\xef\xbb\xbf") ? 3 : 0;
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
    return sp_is_text(look) && (memchr(head, ',', line) || memchr(head, ';', line) || memchr(head, '\t', line));
}

/* ---- commands that convert ---- */

enum { NAME = 100 };
static const char names[] = "the dataset's name says what it holds: log_probs, probs, logits, scores or labels";

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

/* The first array of an .npz archive: "probs" of the member "probs.npy". */
static void first_array(const unsigned char *head, size_t n, char array[NAME])
{
    enum { LONGEST = 64 };
    size_t length = n > 30 ? (size_t)head[26] | (size_t)head[27] << 8 : 0;
    snprintf(array, NAME, "arr_0");
    if (length > 4 && length - 4 < LONGEST && length <= n - 30) {
        char found[LONGEST];
        memcpy(found, head + 30, length - 4);
        found[length - 4] = '\0';
        if (is_plain(found))
            snprintf(array, NAME, "%s", found);
    }
}

void sp_mend_npz(const sp_file_look *look, char *out, size_t size)
{
    static const char *const known[] = {"log_probs", "probs", "logits", "scores", "labels"};
    char name[NAME], stem[NAME], array[NAME];
    const char *dataset = known[0]; /* what the array is called where that says what it holds */
    name_of(look->file, name, stem);
    first_array(look->head, look->n, array);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(array, known[i]) == 0)
            dataset = known[i];
    snprintf(out, size,
             "convert it with python3 -c \"import h5py, numpy; h5py.File('%s.h5', 'w')['%s'] = numpy.load('%s')['%s']\"; %s",
             stem, dataset, name, array, names);
}

void sp_mend_npy(const sp_file_look *look, char *out, size_t size)
{
    char name[NAME], stem[NAME];
    name_of(look->file, name, stem);
    snprintf(out, size,
             "convert it with python3 -c \"import h5py, numpy; h5py.File('%s.h5', 'w')['log_probs'] = numpy.load('%s')\"; %s",
             stem, name, names);
}

void sp_mend_text(const sp_file_look *look, char *out, size_t size)
{
    (void)look;
    snprintf(
        out, size,
        "labels, one a line, are read where a model names their classes (`model` or `rules` M) and the name ends in .txt, .csv, "
        ".tsv, .hyp or .eannot; scores are a table with a column a class");
}

void sp_mend_torch(const sp_file_look *look, char *out, size_t size)
{
    char name[NAME], stem[NAME];
    name_of(look->file, name, stem);
    snprintf(
        out, size,
        "convert it with python3 -c \"import numpy, torch; x = torch.load('%s', map_location='cpu'); numpy.savez('%s.npz', **{k: "
        "v.numpy() for k, v in (x if isinstance(x, dict) else {'logits': x}).items()})\"; an array's name says what it holds: "
        "log_probs, probs, logits, scores or labels",
        name, stem);
}

void sp_mend_safetensors(const sp_file_look *look, char *out, size_t size)
{
    char name[NAME], stem[NAME];
    name_of(look->file, name, stem);
    snprintf(
        out, size,
        "convert it with python3 -c \"import numpy, safetensors.numpy; numpy.savez('%s.npz', "
        "**safetensors.numpy.load_file('%s'))\"; an array's name says what it holds: log_probs, probs, logits, scores or labels",
        stem, name);
}

void sp_mend_matlab(const sp_file_look *look, char *out, size_t size)
{
    char name[NAME], stem[NAME];
    name_of(look->file, name, stem);
    snprintf(out, size,
             "convert it with python3 -c \"import h5py, scipy.io; h5py.File('%s.h5', 'w')['log_probs'] = "
             "scipy.io.loadmat('%s')['NAME OF THE MATRIX']\", steps in rows; %s",
             stem, name, names);
}
