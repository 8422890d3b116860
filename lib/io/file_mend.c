#include "io/file_mend.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 64, COMMAND = 400 };

/* A name that may stand between single quotes inside double ones of a shell. */
static bool is_plain(const char *name)
{
    return *name && strpbrk(name, "'\"\\$`!\n\r") == NULL;
}

/* The base name, quoted in a command: as it is where that is safe, else FILE. `stem` without its ending. */
static void name_of(const char *file, char name[COMMAND / 4], char stem[COMMAND / 4])
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    snprintf(name, COMMAND / 4, "%s", is_plain(base) && strlen(base) < COMMAND / 4 ? base : "FILE");
    snprintf(stem, COMMAND / 4, "%s", name);
    char *dot = strrchr(stem, '.');
    if (dot && dot > stem)
        *dot = '\0';
}

/* The first array of an .npz archive: "probs" of the member "probs.npy". */
static void first_array(const unsigned char *head, size_t n, char array[NAME])
{
    size_t length = n > 30 ? (size_t)head[26] | (size_t)head[27] << 8 : 0;
    snprintf(array, NAME, "arr_0");
    if (length > 4 && length - 4 < NAME && length <= n - 30) {
        char found[NAME];
        memcpy(found, head + 30, length - 4);
        found[length - 4] = '\0';
        if (is_plain(found))
            snprintf(array, NAME, "%s", found);
    }
}

/* What the dataset is to be called: what the array is called where that says what it holds. */
static const char *dataset_for(const char *array)
{
    static const char *const known[] = {"log_probs", "probs", "logits", "scores", "labels"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(array, known[i]) == 0)
            return known[i];
    return "log_probs";
}

bool sp_file_mend(const unsigned char *head, size_t n, const char *file, char *out, size_t size)
{
    static const char *const names = "the dataset's name says what it holds: log_probs, probs, logits, scores or labels";
    char name[COMMAND / 4], stem[COMMAND / 4], array[NAME] = "";
    name_of(file, name, stem);
    if (n >= 4 && memcmp(head, "PK\x03\x04", 4) == 0) {
        first_array(head, n, array);
        snprintf(out, size,
                 "convert it with python3 -c \"import h5py, numpy; h5py.File('%s.h5', 'w')['%s'] = numpy.load('%s')['%s']\"; %s",
                 stem, dataset_for(array), name, array, names);
        return true;
    }
    if (n >= 6 && memcmp(head, "\x93NUMPY", 6) == 0) {
        snprintf(out, size,
                 "convert it with python3 -c \"import h5py, numpy; h5py.File('%s.h5', 'w')['log_probs'] = numpy.load('%s')\"; %s",
                 stem, name, names);
        return true;
    }
    if (n >= 10 && memcmp(head, "MATLAB 5.0", 10) == 0) {
        snprintf(out, size,
                 "convert it with python3 -c \"import h5py, scipy.io; h5py.File('%s.h5', 'w')['log_probs'] = "
                 "scipy.io.loadmat('%s')['NAME OF THE MATRIX']\", steps in rows; %s",
                 stem, name, names);
        return true;
    }
    return false;
}
