/* Files of paths that are not HDF5: the paths are kept in a file without name until all are there, and then written in the order
 * of the format. */
#include "io/paths_export.h"

#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/events/event_writer.h"
#include "io/file_list.h"
#include "io/output_file.h"
#include "io/paths_kept.h"
#include "io/text/conll.h"

struct sp_paths_export {
    const char *file;              /* the target, for sentences; borrowed */
    char delimiter;                /* of text; 0: .npz */
    const sp_event_writer *events; /* or NULL */
    bool is_conll;
    const char *const *tokens; /* of .conll, [S] or NULL; borrowed */
    sp_text_file *text;        /* or */
    sp_output output;          /* .npz */
    bool has_output;
    sp_kept_paths kept;
    double epoch_seconds;
};

bool sp_paths_export_is(const char *file)
{
    const char *ending = sp_file_ending(file);
    return strcasecmp(ending, ".csv") == 0 || strcasecmp(ending, ".tsv") == 0 || strcasecmp(ending, ".npz") == 0 ||
           sp_conll_has_ending(file) || sp_event_writer_find(file);
}

static sp_status check(const char *file, const sp_paths_header *header, sp_error *err)
{
    const sp_event_writer *events = sp_event_writer_find(file);
    if (!events)
        return SP_OK;
    if (header->n_recordings != 1 || header->n_strategies != 1)
        return sp_fail(err, SP_EINVAL,
                       "%s: holds one path of one recording, and there are %lld recordings and %d strateg%s; write .csv or .h5",
                       file, (long long)header->n_recordings, header->n_strategies, header->n_strategies == 1 ? "y" : "ies");
    const sp_event_night night = {
        .n_classes = header->n_classes, .classes = header->classes, .epoch_seconds = header->epoch_seconds};
    return sp_event_writer_check(events, file, &night, err);
}

/* ---- opening and closing ---- */

static void free_export(sp_paths_export *e)
{
    sp_kept_paths_close(&e->kept);
    free(e);
}

void sp_paths_export_abort(sp_paths_export *e)
{
    if (!e)
        return;
    sp_text_abort(e->text);
    if (e->has_output)
        sp_output_abort(&e->output);
    free_export(e);
}

sp_status sp_paths_export_open(const char *file, const sp_paths_header *header, sp_paths_export **out, sp_error *err)
{
    sp_status status = check(file, header, err);
    if (status != SP_OK)
        return status;
    sp_paths_export *e = calloc(1, sizeof *e);
    if (!e)
        return sp_no_memory(err);
    const char *ending = sp_file_ending(file);
    e->file = file;
    e->kept.fd = -1;
    e->epoch_seconds = header->epoch_seconds;
    e->events = sp_event_writer_find(file);
    e->is_conll = sp_conll_has_ending(file);
    e->tokens = header->tokens;
    e->delimiter = (char)(strcasecmp(ending, ".npz") == 0 ? '\0' : strcasecmp(ending, ".tsv") == 0 ? '\t' : ',');
    status = e->delimiter ? sp_text_open(file, header->force, header->together, &e->text, err)
                          : sp_output_begin(&e->output, file, header->force, header->input, err);
    e->has_output = status == SP_OK && !e->delimiter;
    e->output.together = header->together;
    if (status == SP_OK)
        status = sp_kept_paths_open(&e->kept, file, header, err);
    if (status == SP_OK)
        *out = e;
    else
        sp_paths_export_abort(e);
    return status;
}

/* ---- paths as they come ---- */

sp_status sp_paths_export_add(sp_paths_export *e, int32_t strategy, int64_t first, int64_t n_recordings, int64_t first_step,
                              int64_t n_steps, const sp_decode_output *output, sp_error *err)
{
    return sp_kept_paths_add(&e->kept, strategy, first, n_recordings, first_step, n_steps, output, err);
}

void sp_paths_export_forget(sp_paths_export *e, int64_t n_steps)
{
    e->kept.n_written -= n_steps;
}

sp_status sp_paths_export_add_labels(sp_paths_export *e, int64_t first_step, int64_t n_steps, const int32_t *labels,
                                     sp_error *err)
{
    return sp_kept_paths_add_labels(&e->kept, first_step, n_steps, labels, err);
}

/* ---- text ---- */

typedef struct line {
    char *text;
    size_t n, room;
    bool failed;
} line;

static void put_text(line *out, const char *text, size_t n)
{
    if (n == 0)
        return;
    if (!out->text || out->n + n > out->room) {
        const size_t room = 2 * (out->n + n) + 256;
        char *more = realloc(out->text, room);
        out->failed |= !more;
        if (!more)
            return;
        out->text = more;
        out->room = room;
    }
    memcpy(out->text + out->n, text, n);
    out->n += n;
}

/* A cell: quoted where it has to be, with an apostrophe before what spreadsheets take for a formula (files.h). */
static void put_cell(line *out, const char *text, char delimiter)
{
    const char *first = text + strspn(text, "'");
    const bool is_formula = *first && strchr("=+-@\t\r", *first) && strcmp(text, "-1") != 0;
    const char special[] = {delimiter, '"', '\n', '\r', '\0'};
    if (!strpbrk(text, special) && !is_formula) {
        put_text(out, text, strlen(text));
        return;
    }
    put_text(out, is_formula ? "\"'" : "\"", is_formula ? 2 : 1);
    for (; *text; text++)
        put_text(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    put_text(out, "\"", 1);
}

/* The steps of one recording, all strategies side by side. */
static void put_steps(line *out, const sp_paths_export *e, int64_t n, int32_t *const *paths, int64_t at)
{
    const sp_paths_info *info = &e->kept.info;
    char number[32];
    for (int64_t t = 0; t < info->offsets[n + 1] - info->offsets[n]; t++) {
        put_cell(out, info->ids[n], e->delimiter);
        put_text(out, number, (size_t)snprintf(number, sizeof number, "%c%lld", e->delimiter, (long long)t));
        for (int32_t s = 0; s < info->n_strategies; s++) {
            put_text(out, &e->delimiter, 1);
            put_cell(out, paths[s][at + t] < 0 ? "-1" : info->classes[paths[s][at + t]], e->delimiter);
        }
        put_text(out, "\n", 1);
    }
}

/* A column of CoNLL: what would part columns becomes "_". */
static void put_column(line *out, const char *text)
{
    const size_t n = strlen(text), at = out->n;
    put_text(out, n ? text : "_", n ? n : 1);
    for (size_t i = at; i < out->n; i++)
        if (strchr(" \t\r\n", out->text[i]))
            out->text[i] = '_';
}

static void put_class(line *out, int32_t k, const char *const *classes)
{
    put_column(out, k < 0 ? "-1" : classes[k]);
}

/* The steps of one recording as a sentence of CoNLL. labels NULL: none. */
static void put_sentence(line *out, const sp_paths_export *e, int64_t n, int32_t *const *paths, const int32_t *labels, int64_t at)
{
    const sp_paths_info *info = &e->kept.info;
    for (int64_t t = 0; t < info->offsets[n + 1] - info->offsets[n]; t++) {
        if (e->tokens) {
            put_column(out, e->tokens[info->offsets[n] + t]);
            put_text(out, " ", 1);
        }
        if (labels) {
            put_class(out, labels[at + t], info->classes);
            put_text(out, " ", 1);
        }
        for (int32_t s = 0; s < info->n_strategies; s++) {
            put_text(out, " ", s > 0);
            put_class(out, paths[s][at + t], info->classes);
        }
        put_text(out, "\n", 1);
    }
    put_text(out, "\n", 1);
}

/* paths: room of `most` steps for each strategy */
static sp_status write_conll(sp_paths_export *e, int32_t **paths, int64_t most, sp_error *err)
{
    const sp_paths_info *info = &e->kept.info;
    line out = {.text = NULL};
    int32_t *labels = info->has_labels ? malloc(((size_t)most + 1) * sizeof *labels) : NULL;
    sp_status status = labels || !info->has_labels ? SP_OK : sp_no_memory(err);
    for (int64_t first = 0, n; status == SP_OK && first < info->n_recordings; first += n) {
        n = sp_kept_paths_fit(info, first);
        out.n = 0;
        for (int32_t s = 0; status == SP_OK && s < info->n_strategies; s++)
            status = sp_kept_paths_read(&e->kept, s, first, n, paths[s], err);
        if (status == SP_OK && labels)
            status = sp_kept_paths_read(&e->kept, info->n_strategies, first, n, labels, err);
        for (int64_t i = first; status == SP_OK && i < first + n; i++)
            put_sentence(&out, e, i, paths, labels, info->offsets[i] - info->offsets[first]);
        if (status == SP_OK)
            status = out.failed ? sp_no_memory(err) : sp_text_put(e->text, out.text, out.n, err);
    }
    free(labels);
    free(out.text);
    return status;
}

static sp_status write_text(sp_paths_export *e, int32_t **paths, sp_error *err)
{
    const sp_paths_info *info = &e->kept.info;
    line out = {.text = NULL};
    put_cell(&out, "recording", e->delimiter);
    put_text(&out, &e->delimiter, 1);
    put_cell(&out, "step", e->delimiter);
    for (int32_t s = 0; s < info->n_strategies; s++) {
        put_text(&out, &e->delimiter, 1);
        put_cell(&out, info->n_strategies == 1 ? "label" : info->strategies[s], e->delimiter);
    }
    put_text(&out, "\n", 1);
    sp_status status = SP_OK;
    for (int64_t first = 0, n; status == SP_OK && first < info->n_recordings; first += n) {
        n = sp_kept_paths_fit(info, first);
        for (int32_t s = 0; status == SP_OK && s < info->n_strategies; s++)
            status = sp_kept_paths_read(&e->kept, s, first, n, paths[s], err);
        for (int64_t i = first; status == SP_OK && i < first + n; i++)
            put_steps(&out, e, i, paths, info->offsets[i] - info->offsets[first]);
        if (status == SP_OK)
            status = out.failed ? sp_no_memory(err) : sp_text_put(e->text, out.text, out.n, err);
        out.n = 0;
    }
    if (status == SP_OK && out.n)
        status = out.failed ? sp_no_memory(err) : sp_text_put(e->text, out.text, out.n, err);
    free(out.text);
    return status;
}

/* ---- .npz: members, then their directory ---- */

typedef struct archive {
    sp_output *output;
    int64_t at;     /* bytes so far */
    line directory; /* entries so far */
    int n;
    /* Of the member that is being written. */
    int64_t begin, values;
    char name[200];
    uint32_t checksum;
} archive;

enum { LOCAL = 30, ENTRY = 46, END = 22, HEADER_STEP = 64 };
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
    char header[256] = "\x93NUMPY\x01";
    const uint16_t one = 1;
    const bool is_big = *(const unsigned char *)&one == 0;
    a->begin = a->at;
    a->checksum = 0;
    snprintf(a->name, sizeof a->name, "%s.npy", name);
    int n = 10 + snprintf(header + 10, sizeof header - 10, "{'descr': '%c%s', 'fortran_order': False, 'shape': (%lld,), }",
                          strcmp(type, "u1") == 0 || *type == 'S' ? '|'
                          : is_big                                ? '>'
                                                                  : '<',
                          type, (long long)count);
    while ((n + 1) % HEADER_STEP)
        header[n++] = ' ';
    header[n++] = '\n';
    store((unsigned char *)header + 8, (uint64_t)n - 10, 2);
    a->at += LOCAL + (int64_t)strlen(a->name);
    a->values = a->at;
    return append_values(a, header, (size_t)n, err);
}

/* The header before the member, now that its checksum is known, and its entry of the directory. */
static sp_status end_member(archive *a, sp_error *err)
{
    unsigned char local[LOCAL + sizeof a->name] = "PK\3\4", entry[ENTRY] = "PK\1\2";
    const size_t n_name = strlen(a->name);
    const int64_t size = a->at - a->values;
    if (a->at > most_bytes)
        return sp_fail(err, SP_EFILE, "%s: an .npz of more than 4 GB is not written; write .h5", a->output->file);
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
    put_text(&a->directory, (const char *)entry, ENTRY);
    put_text(&a->directory, a->name, n_name);
    a->n++;
    return sp_output_write(a->output, local, LOCAL + n_name, a->begin, err);
}

static sp_status write_array(archive *a, const char *name, const char *type, int64_t count, size_t size, const void *values,
                             sp_error *err)
{
    sp_status status = begin_member(a, name, type, count, err);
    if (status == SP_OK)
        status = append_values(a, values, (size_t)count * size, err);
    return status == SP_OK ? end_member(a, err) : status;
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

static sp_status write_texts(archive *a, const char *name, int64_t count, const char *const *texts, sp_error *err)
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
    static const sp_status statuses[] = {SP_OK, SP_ENOPATH, SP_EDEADEND, SP_EBUG}; /* as they are numbered in HDF5 */
    const sp_paths_info *info = &e->kept.info;
    const sp_decoded *results = e->kept.results + (size_t)s * (size_t)info->n_recordings;
    char name[160];
    double *scores = malloc(((size_t)info->n_recordings + 1) * sizeof *scores);
    uint8_t *status_of = calloc((size_t)info->n_recordings + 1, 1);
    snprintf(name, sizeof name, "paths/%.100s", info->strategies[s]);
    sp_status status = scores && status_of ? begin_member(a, name, "i4", info->n_steps, err) : sp_no_memory(err);
    for (int64_t first = 0, n; status == SP_OK && first < info->n_recordings; first += n) {
        n = sp_kept_paths_fit(info, first);
        status = sp_kept_paths_read(&e->kept, s, first, n, path, err);
        if (status == SP_OK)
            status = append_values(a, path, (size_t)(info->offsets[first + n] - info->offsets[first]) * sizeof *path, err);
    }
    if (status == SP_OK)
        status = end_member(a, err);
    for (int64_t n = 0; status == SP_OK && n < info->n_recordings; n++) {
        scores[n] = results[n].score;
        for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
            status_of[n] = results[n].status == statuses[i] ? (uint8_t)i : status_of[n];
    }
    snprintf(name, sizeof name, "path_scores/%.100s", info->strategies[s]);
    if (status == SP_OK)
        status = write_array(a, name, "f8", info->n_recordings, sizeof *scores, scores, err);
    snprintf(name, sizeof name, "status/%.100s", info->strategies[s]);
    if (status == SP_OK)
        status = write_array(a, name, "u1", info->n_recordings, 1, status_of, err);
    free(scores);
    free(status_of);
    return status;
}

static sp_status write_labels(archive *a, const sp_paths_export *e, int32_t *labels, sp_error *err)
{
    const sp_paths_info *info = &e->kept.info;
    sp_status status = begin_member(a, "labels", "i4", info->n_steps, err);
    for (int64_t first = 0, n; status == SP_OK && first < info->n_recordings; first += n) {
        n = sp_kept_paths_fit(info, first);
        status = sp_kept_paths_read(&e->kept, info->n_strategies, first, n, labels, err);
        if (status == SP_OK)
            status = append_values(a, labels, (size_t)(info->offsets[first + n] - info->offsets[first]) * sizeof *labels, err);
    }
    return status == SP_OK ? end_member(a, err) : status;
}

static sp_status write_npz(sp_paths_export *e, int32_t *path, sp_error *err)
{
    const sp_paths_info *info = &e->kept.info;
    archive a = {.output = &e->output};
    sp_status status = SP_OK;
    for (int32_t s = 0; status == SP_OK && s < info->n_strategies; s++)
        status = write_strategy(&a, e, s, path, err);
    if (status == SP_OK)
        status = write_array(&a, "offsets", "i8", info->n_recordings + 1, sizeof *info->offsets, info->offsets, err);
    if (status == SP_OK)
        status = write_texts(&a, "ids", info->n_recordings, info->ids, err);
    if (status == SP_OK)
        status = write_texts(&a, "classes", info->n_classes, info->classes, err);
    if (status == SP_OK && info->has_labels)
        status = write_labels(&a, e, path, err);
    if (status == SP_OK && a.directory.failed)
        status = sp_no_memory(err);
    if (status == SP_OK) {
        unsigned char end[END] = "PK\5\6";
        store(end + 8, (uint64_t)a.n, 2);
        store(end + 10, (uint64_t)a.n, 2);
        store(end + 12, a.directory.n, 4);
        store(end + 16, (uint64_t)a.at, 4);
        put_text(&a.directory, (const char *)end, END);
        status = a.directory.failed ? sp_no_memory(err) : append(&a, a.directory.text, a.directory.n, err);
    }
    free(a.directory.text);
    return status;
}

/* ---- events ---- */

/* path: room for the steps of the only recording. */
static sp_status write_events(sp_paths_export *e, int32_t *path, sp_error *err)
{
    const sp_event_night night = {.n_steps = e->kept.info.n_steps,
                                  .labels = path,
                                  .n_classes = e->kept.info.n_classes,
                                  .classes = e->kept.info.classes,
                                  .epoch_seconds = e->epoch_seconds};
    char *bytes = NULL;
    size_t n = 0;
    sp_status status = sp_kept_paths_read(&e->kept, 0, 0, 1, path, err);
    if (status == SP_OK)
        status = sp_event_writer_bytes(e->events, e->file, &night, &bytes, &n, err);
    if (status == SP_OK)
        status = sp_text_put(e->text, bytes, n, err);
    free(bytes);
    return status;
}

/* ---- all of them ---- */

static sp_status write_all(sp_paths_export *e, sp_error *err)
{
    const sp_paths_info *info = &e->kept.info;
    sp_status status = SP_OK;
    int64_t most = 0;
    for (int64_t first = 0, n; first < info->n_recordings; first += n) {
        n = sp_kept_paths_fit(info, first);
        const int64_t steps = info->offsets[first + n] - info->offsets[first];
        most = steps > most ? steps : most;
    }
    int32_t **paths = calloc((size_t)info->n_strategies + 1, sizeof *paths);
    for (int32_t s = 0; paths && s < info->n_strategies; s++)
        if (!(paths[s] = malloc(((size_t)most + 1) * sizeof **paths)))
            status = sp_no_memory(err);
    if (!paths)
        status = sp_no_memory(err);
    if (status == SP_OK)
        status = e->is_conll    ? write_conll(e, paths, most, err)
                 : e->events    ? write_events(e, paths[0], err)
                 : e->delimiter ? write_text(e, paths, err)
                                : write_npz(e, paths[0], err);
    for (int32_t s = 0; paths && s < info->n_strategies; s++)
        free(paths[s]);
    free(paths);
    return status;
}

sp_status sp_paths_export_commit(sp_paths_export *e, sp_error *err)
{
    sp_status status = sp_kept_paths_check(&e->kept, err);
    if (status == SP_OK)
        status = write_all(e, err);
    if (status != SP_OK) {
        sp_paths_export_abort(e);
        return status;
    }
    status = e->delimiter ? sp_text_close(e->text, err) : sp_output_commit(&e->output, err);
    free_export(e);
    return status;
}
