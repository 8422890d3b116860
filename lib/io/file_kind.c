#include "io/file_kind.h"

#include <stdbool.h>
#include <string.h>

/* A zip archive names its first member 30 bytes in: numpy's members end in .npy, torch's first one is <name>/data.pkl. */
static const char *zip_kind(const unsigned char *head, size_t n)
{
    if (n > 30) {
        size_t length = (size_t)head[26] | (size_t)head[27] << 8;
        if (length > n - 30)
            length = n - 30;
        const char *name = (const char *)head + 30;
        if (length >= 4 && memcmp(name + length - 4, ".npy", 4) == 0)
            return "a numpy .npz archive";
        if (length >= 9 && memcmp(name + length - 9, "/data.pkl", 9) == 0)
            return "a PyTorch file";
    }
    return "a zip archive";
}

static bool is_text(const unsigned char *head, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((head[i] < 0x20 && head[i] != '\t' && head[i] != '\n' && head[i] != '\r') || head[i] == 0x7f)
            return false;
    return n > 0;
}

static bool has_key(const unsigned char *head, size_t n, const char *key)
{
    size_t length = strlen(key);
    for (size_t i = 0; i + length <= n; i++)
        if (memcmp(head + i, key, length) == 0)
            return true;
    return false;
}

static const char *text_kind(const unsigned char *head, size_t n)
{
    size_t i = 0;
    if (n >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0)
        i = 3;
    while (i < n && (head[i] == ' ' || head[i] == '\n' || head[i] == '\r' || head[i] == '\t'))
        i++;
    if (i < n && (head[i] == '{' || head[i] == '[')) {
        if (has_key(head, n, "\"statepath_model\""))
            return "a model; look at it with statepath model show, and give it to other commands as --model";
        return "a JSON text";
    }
    const unsigned char *end = memchr(head, '\n', n);
    size_t line = end ? (size_t)(end - head) : n;
    if (memchr(head, ',', line) || memchr(head, ';', line) || memchr(head, '\t', line))
        return "a table in text (CSV or the like)";
    return "a text file";
}

const char *sp_file_kind(const unsigned char *head, size_t n)
{
    static const struct {
        const char *magic;
        size_t length;
        const char *kind;
    } known[] = {
        {"\x93NUMPY", 6, "a numpy .npy file"},
        {"CDF\x01", 4, "a NetCDF 3 file"},
        {"CDF\x02", 4, "a NetCDF 3 file"},
        {"CDF\x05", 4, "a NetCDF 3 file"},
        {"\x0e\x03\x13\x01", 4, "an HDF4 file"},
        {"\x1f\x8b", 2, "gzip-compressed; unpack it with gunzip"},
        {"\x28\xb5\x2f\xfd", 4, "zstd-compressed; unpack it with unzstd"},
        {"\xfd\x37zXZ", 5, "xz-compressed; unpack it with unxz"},
        {"BZh", 3, "bzip2-compressed; unpack it with bunzip2"},
        {"MATLAB 5.0", 10, "a MATLAB file before version 7.3"},
        {"PAR1", 4, "a Parquet file"},
        {"ARROW1", 6, "an Arrow file"},
        {"0       ", 8, "an EDF recording"},
        {"%PDF", 4, "a PDF"},
        {"SQLite format 3", 15, "an SQLite file"},
        {"version https://git-lfs", 23, "a Git LFS pointer; run git lfs pull"},
    };
    if (n >= 4 && memcmp(head, "PK\x03\x04", 4) == 0)
        return zip_kind(head, n);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (n >= known[i].length && memcmp(head, known[i].magic, known[i].length) == 0)
            return known[i].kind;
    if (n >= 2 && head[0] == 0x80 && head[1] >= 2 && head[1] <= 5)
        return "a Python pickle";
    if (is_text(head, n))
        return text_kind(head, n);
    return NULL;
}
