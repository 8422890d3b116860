/* Paths as .npz: members, then their directory. */
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/arrays/npy.h"
#include "io/arrays/npz.h"
#include "io/holes.h"
#include "io/paths_export.h"
#include "io/text/text_buffer.h"
#include "io/text/texts.h"

typedef struct archive {
    sp_output *output;
    int64_t at;               /* bytes so far */
    sp_text_buffer directory; /* entries so far */
    int n;
    /* Of the member that is being written. */
    int64_t begin, values;
    char name[200];
    uint32_t checksum;
} archive;

enum { LOCAL = 30, ENTRY = 46, END = 22 };
static const int64_t most_bytes = UINT32_MAX;

static void store(unsigned char *to, uint64_t value, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = (unsigned char)(value >> (8 * i));
}

static sp_status append(archive *a, const void *bytes, size_t n, sp_error *err)
{
    sp_status status = sp_output_write(a->output, bytes, n, a->at, err);
    a->at += (int64_t)n;
    return status;
}

static sp_status append_values(archive *a, const void *bytes, size_t n, sp_error *err)
{
    a->checksum = libdeflate_crc32(a->checksum, bytes, n);
    return append(a, bytes, n, err);
}

/* Begins a member: room for its local header, and numpy's header. type: "<i4"; count: of one dimension. */
static sp_status begin_member(archive *a, const char *name, const char *type, int64_t count, sp_error *err)
{
    char header[SP_NPY_HEADER];
    const size_t n = sp_npy_header_write(type, count, header);
    a->begin = a->at;
    a->checksum = 0;
    snprintf(a->name, sizeof a->name, "%s.npy", name);
    a->at += LOCAL + (int64_t)strlen(a->name);
    a->values = a->at;
    return append_values(a, header, n, err);
}

/* The header before the member, now that its checksum is known, and its entry of the directory. */
static sp_status end_member(archive *a, sp_error *err)
{
    unsigned char local[LOCAL + sizeof a->name] = "PK\3\4", entry[ENTRY] = "PK\1\2";
    const size_t n_name = strlen(a->name);
    const int64_t size = a->at - a->values;
    if (a->at > most_bytes)
        return sp_fail(err, SP_EFILE, "%s: an .npz of more than 4 GB is not written; write .h5",
                       a->output->file);
    store(local + 4, 20, 2);
    store(local + 12, 0x21, 2); /* 1 January 1980: the same paths give the same bytes */
    store(local + 14, a->checksum, 4);
    store(local + 18, (uint64_t)size, 4);
    store(local + 22, (uint64_t)size, 4);
    store(local + 26, n_name, 2);
    memcpy(local + LOCAL, a->name, n_name);
    store(entry + 4, 20, 2);
    memcpy(entry + 6, local + 4, 26);
    store(entry + 42, (uint64_t)a->begin, 4);
    sp_text_buffer_put(&a->directory, (const char *)entry, ENTRY);
    sp_text_buffer_put(&a->directory, a->name, n_name);
    a->n++;
    return sp_output_write(a->output, local, LOCAL + n_name, a->begin, err);
}

static sp_status write_array(archive *a, const char *name, const char *type, int64_t count, size_t size,
                             const void *values, sp_error *err)
{
    sp_status status = SP_OK;
    TRY(begin_member(a, name, type, count, err));
    TRY(append_values(a, values, (size_t)count * size, err));
    TRY(end_member(a, err));
done:
    return status;
}

/* Of all recordings a path, or (n_strategies) the labels, read block by block into `path`. */
static sp_status write_steps(archive *a, const char *name, const sp_paths_export *e, int32_t s, int32_t *path,
                             sp_error *err)
{
    const sp_paths_info *info = &e->kept.info;
    sp_status status = SP_OK;
    TRY(begin_member(a, name, "i4", info->n_steps, err));
    for (int64_t first = 0, n; first < info->n_recordings; first += n) {
        n = sp_kept_paths_fit(info, first);
        TRY(sp_kept_paths_read(&e->kept, s, first, n, path, err));
        TRY(append_values(a, path, (size_t)(info->offsets[first + n] - info->offsets[first]) * sizeof *path,
                          err));
    }
    TRY(end_member(a, err));
done:
    return status;
}

static sp_status write_segments(archive *a, const sp_paths_export *e, int64_t most, sp_error *err)
{
    const sp_paths_info *info = &e->kept.info;
    int64_t *segments = malloc(((size_t)most + 1) * sizeof *segments);
    sp_status status = SP_OK;
    if (!segments)
        return sp_no_memory(err);
    TRY(begin_member(a, "segments", "i8", info->n_steps, err));
    for (int64_t first = 0, n; first < info->n_recordings; first += n) {
        n = sp_kept_paths_fit(info, first);
        const int64_t n_steps = info->offsets[first + n] - info->offsets[first];
        TRY(sp_kept_paths_segments(&e->kept, first, n, segments, err));
        TRY(append_values(a, segments, (size_t)n_steps * sizeof *segments, err));
    }
    TRY(end_member(a, err));
done:
    free(segments);
    return status;
}

/* The letters of UTF-8 text as UTF-32, in this machine's order. Returns how many. */
static size_t letters_of(const char *text, uint32_t *out)
{
    size_t n = 0;
    for (const unsigned char *p = (const unsigned char *)text; *p; n++) {
        const int more = *p < 0x80 ? 0 : *p < 0xe0 ? 1 : *p < 0xf0 ? 2 : 3;
        uint32_t letter = more == 0 ? *p : *p & (0x3fu >> more);
        p++;
        for (int i = 0; i < more && (*p & 0xc0) == 0x80; i++)
            letter = letter << 6 | (*p++ & 0x3fu);
        if (out)
            out[n] = letter;
    }
    return n;
}

static sp_status write_texts(archive *a, const char *name, int64_t count, const char *const *texts,
                             sp_error *err)
{
    size_t longest = 1;
    char type[32];
    for (int64_t i = 0; i < count; i++) {
        const size_t n = letters_of(texts[i], NULL);
        longest = n > longest ? n : longest;
    }
    uint32_t *letters = calloc((size_t)count * longest + 1, sizeof *letters);
    if (!letters)
        return sp_no_memory(err);
    for (int64_t i = 0; i < count; i++)
        letters_of(texts[i], letters + (size_t)i * longest);
    snprintf(type, sizeof type, "U%zu", longest);
    sp_status status = write_array(a, name, type, count, longest * sizeof *letters, letters, err);
    free(letters);
    return status;
}

/* A path of all recordings, and what became of them. */
static sp_status write_strategy(archive *a, const sp_paths_export *e, int32_t s, int32_t *path, sp_error *err)
{
    static const sp_status statuses[] = {SP_OK, SP_ENOPATH, SP_EDEADEND, SP_EBUG,
                                         SP_EUNREAD}; /* as they are numbered in HDF5 */
    const sp_paths_info *info = &e->kept.info;
    const sp_decoded *results = e->kept.results + (size_t)s * (size_t)info->n_recordings;
    char name[160];
    double *scores = malloc(((size_t)info->n_recordings + 1) * sizeof *scores);
    int64_t *broken = malloc(((size_t)info->n_recordings + 1) * sizeof *broken);
    bool is_relaxed = false;
    uint8_t *status_of = calloc((size_t)info->n_recordings + 1, 1);
    sp_status status = SP_OK;
    if (!scores || !status_of || !broken)
        TRY(sp_no_memory(err));
    snprintf(name, sizeof name, "paths/%.100s", info->strategies[s]);
    TRY(write_steps(a, name, e, s, path, err));
    for (int64_t n = 0; n < info->n_recordings; n++) {
        scores[n] = results[n].score;
        broken[n] = results[n].n_broken;
        is_relaxed |= broken[n] > 0;
        for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
            status_of[n] = results[n].status == statuses[i] ? (uint8_t)i : status_of[n];
    }
    snprintf(name, sizeof name, "path_scores/%.100s", info->strategies[s]);
    TRY(write_array(a, name, "f8", info->n_recordings, sizeof *scores, scores, err));
    snprintf(name, sizeof name, "status/%.100s", info->strategies[s]);
    TRY(write_array(a, name, "u1", info->n_recordings, 1, status_of, err));
    snprintf(name, sizeof name, "broken/%.100s", info->strategies[s]);
    if (is_relaxed)
        TRY(write_array(a, name, "i8", info->n_recordings, sizeof *broken, broken, err));
done:
    free(scores);
    free(broken);
    free(status_of);
    return status;
}

/* Which steps take part, and what became of the others. */
static sp_status write_holes(archive *a, const sp_paths_export *e, sp_error *err)
{
    uint8_t *flags = sp_holes_flags(e->kept.holes, e->kept.n_kept);
    sp_status status =
        flags ? write_array(a, "valid", "u1", e->kept.holes->n_steps, 1, flags, err) : sp_no_memory(err);
    free(flags);
    return status == SP_OK ? write_texts(a, "gaps", 1, &e->kept.gaps, err) : status;
}

static sp_status write_npz(sp_paths_export *e, int32_t **paths, int64_t most, sp_error *err)
{
    int32_t *path = paths[0];
    const sp_paths_info *info = &e->kept.info;
    archive a = {.output = &e->output};
    unsigned char end[END] = "PK\5\6";
    sp_status status = SP_OK;
    for (int32_t s = 0; s < info->n_strategies; s++)
        TRY(write_strategy(&a, e, s, path, err));
    TRY(write_array(&a, "offsets", "i8", info->n_recordings + 1, sizeof *info->offsets, info->offsets, err));
    TRY(write_texts(&a, "ids", info->n_recordings, info->ids, err));
    TRY(write_texts(&a, "classes", info->n_classes, info->classes, err));
    if (info->has_labels)
        TRY(write_steps(&a, "labels", e, info->n_strategies, path, err));
    if (info->has_segments)
        TRY(write_segments(&a, e, most, err));
    if (e->kept.holes)
        TRY(write_holes(&a, e, err));
    store(end + 8, (uint64_t)a.n, 2);
    store(end + 10, (uint64_t)a.n, 2);
    store(end + 12, a.directory.n, 4);
    store(end + 16, (uint64_t)a.at, 4);
    sp_text_buffer_put(&a.directory, (const char *)end, END);
    TRY(a.directory.failed ? sp_no_memory(err) : append(&a, a.directory.text, a.directory.n, err));
done:
    free(a.directory.text);
    return status;
}

const sp_path_format sp_npz_paths = {
    .endings = ".npz", .takes_labels = true, .takes_segments = true, .write = write_npz};
