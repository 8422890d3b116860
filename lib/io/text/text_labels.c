#include "io/text/text_labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/model.h"
#include "io/source.h"
#include "io/text/cells.h"
#include "io/text/text_read.h"
#include "io/text/texts.h"
#include "sleep/label_coding_use.h"
#include "sleep/stages.h"

typedef struct row {
    int64_t recording, step, line;
    int32_t label;
} row;

/* A text that was read. */
typedef struct text_labels {
    const char *file; /* borrowed */
    char *name, *text;
    size_t text_size;
    const char *names[1];
    bool has_scores[1], has_ids;
    const char **ids; /* [N] into text */
    int64_t n_recordings;
    int64_t *offsets; /* [N+1] */
    int32_t *labels;  /* [S] */
    sp_texts classes; /* [K] */
} text_labels;

/* The first line of what MS-TCN writes for each video, in a file without ending. */
static const char frames[] = "### Frame level recognition: ###";

enum { RECORDING, STEP, LABEL, N_COLUMNS, N_NAMES = 3 };
/* The first name of a column is ours, the others are taken where nobody has it. */
static const char *const column_names[N_COLUMNS][N_NAMES] = {{"recording"}, {"step"}, {"label", "class", "stage"}};

/* What is needed while reading. Ids and labels point into the text. */
typedef struct reading {
    text_labels *paths;
    const sp_model *model;
    const sp_codes *codes; /* or NULL */
    sp_cells in;
    bool is_list;   /* no table: one label a line */
    bool is_frames; /* a list, its labels parted by blanks */
    int32_t n_fields, column[N_COLUMNS];
    row *rows;
    int64_t n_rows, row_room, id_room;
    int64_t *slots;       /* ids by hash; -1: empty */
    size_t n_slots;       /* power of two */
    int64_t current;      /* recording of the last row, or -1 */
    int64_t n_of_current; /* rows of it that follow one another */
    sp_error *err;
} reading;

/* ---- records ---- */

static sp_status next_field(reading *r, char **field, bool *is_last)
{
    const char *fault = sp_cells_next(&r->in, field, is_last);
    return fault ? sp_fail(r->err, SP_EDATA, "%s: line %lld: %s", r->paths->file, (long long)r->in.line, fault) : SP_OK;
}

/* Reads one record; the fields of the known columns go to fields[]. */
static sp_status next_record(reading *r, char *fields[N_COLUMNS])
{
    bool is_last = false;
    int32_t n = 0;
    r->in.line = r->in.next_line;
    while (!is_last) {
        char *field;
        sp_status status = next_field(r, &field, &is_last);
        if (status != SP_OK)
            return status;
        for (int c = 0; c < N_COLUMNS; c++)
            if (r->column[c] == n)
                fields[c] = field;
        n++;
    }
    if (n != r->n_fields)
        return sp_fail(r->err, SP_EDATA, "%s: line %lld has %d fields, the header %d", r->paths->file, (long long)r->in.line, n,
                       r->n_fields);
    return SP_OK;
}

/* Which name of column c a field is; -1: none. */
static int name_of_column(int c, const char *field)
{
    for (int i = 0; i < N_NAMES && column_names[c][i]; i++)
        if (strcasecmp(field, column_names[c][i]) == 0)
            return i;
    return -1;
}

/* What parts the fields of the first line, and whether that names columns at all. */
static void look_at_first_line(reading *r)
{
    const size_t n = strcspn(r->in.at, "\r\n");
    char first[32];
    const char *delimiter = ",\t;";
    while (*delimiter && !memchr(r->in.at, *delimiter, n))
        delimiter++;
    r->in.delimiter = ',';
    if (*delimiter)
        r->in.delimiter = *delimiter;
    snprintf(first, sizeof first, "%.*s", (int)(n < 31 ? n : 31), r->in.at);
    size_t length = strlen(first);
    bool is_quoted = length > 1 && first[0] == '"' && first[length - 1] == '"';
    if (is_quoted)
        first[length - 1] = '\0';
    bool is_name = false;
    for (int c = 0; c < N_COLUMNS; c++)
        is_name |= name_of_column(c, first + is_quoted) >= 0;
    r->is_list = !memchr(r->in.at, r->in.delimiter, n) && !is_name;
}

static sp_status read_header(reading *r)
{
    const char *file = r->paths->file;
    int rank[N_COLUMNS];
    sp_cells_skip_empty_lines(&r->in);
    if (!*r->in.at)
        return sp_fail(r->err, SP_EDATA,
                       "%s: is empty; the first line names the columns: recording,step,label or recording,label", file);
    bool is_last = false;
    r->in.line = r->in.next_line;
    for (int c = 0; c < N_COLUMNS; c++) {
        r->column[c] = -1;
        rank[c] = N_NAMES;
    }
    r->is_frames = strncmp(r->in.at, frames, strlen(frames)) == 0;
    r->is_list = r->is_frames;
    if (r->is_frames) {
        r->in.at += strcspn(r->in.at, "\n");
        return SP_OK;
    }
    look_at_first_line(r);
    for (; !r->is_list && !is_last; r->n_fields++) {
        char *field;
        sp_status status = next_field(r, &field, &is_last);
        if (status != SP_OK)
            return status;
        for (int c = 0; c < N_COLUMNS; c++) {
            int found = name_of_column(c, field);
            if (found < 0 || found > rank[c])
                continue;
            if (found == rank[c])
                return sp_fail(r->err, SP_EDATA, "%s: line %lld names column %s twice", file, (long long)r->in.line,
                               column_names[c][found]);
            rank[c] = found;
            r->column[c] = r->n_fields;
        }
    }
    if (!r->is_list && r->column[LABEL] < 0)
        return sp_fail(r->err, SP_EDATA,
                       "%s: line %lld names no column label; the first line is recording,step,label or recording,label", file,
                       (long long)r->in.line);
    return SP_OK;
}

/* ---- recordings ---- */

static size_t hash_of(const char *text)
{
    uint64_t h = 14695981039346656037u; /* FNV-1a */
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 1099511628211u;
    return (size_t)(h ^ h >> 32);
}

static size_t slot_of(const reading *r, const char *id)
{
    size_t slot = hash_of(id) & (r->n_slots - 1);
    while (r->slots[slot] >= 0 && strcmp(r->paths->ids[r->slots[slot]], id) != 0)
        slot = (slot + 1) & (r->n_slots - 1);
    return slot;
}

/* Twice the room for ids and, with it, for their hashes. */
static bool grow_ids(reading *r)
{
    int64_t room = r->id_room ? 2 * r->id_room : 64;
    const char **ids = realloc(r->paths->ids, (size_t)room * sizeof *ids);
    if (ids)
        r->paths->ids = ids;
    size_t n_slots = 4 * (size_t)room;
    int64_t *slots = ids ? malloc(n_slots * sizeof *slots) : NULL;
    if (!slots)
        return false;
    for (size_t i = 0; i < n_slots; i++)
        slots[i] = -1;
    free(r->slots);
    r->slots = slots;
    r->n_slots = n_slots;
    r->id_room = room;
    for (int64_t n = 0; n < r->paths->n_recordings; n++)
        r->slots[slot_of(r, ids[n])] = n;
    return true;
}

static sp_status find_recording(reading *r, const char *id, int64_t *out)
{
    text_labels *p = r->paths;
    if (r->current >= 0 && strcmp(p->ids[r->current], id) == 0) {
        *out = r->current;
        return SP_OK;
    }
    r->n_of_current = 0;
    if (!*id)
        return sp_fail(r->err, SP_EDATA, "%s: line %lld has no name of a recording", p->file, (long long)r->in.line);
    if (p->n_recordings == r->id_room && !grow_ids(r))
        return sp_no_memory(r->err);
    size_t slot = slot_of(r, id);
    if (r->slots[slot] >= 0 && r->column[STEP] < 0)
        return sp_fail(
            r->err, SP_EDATA,
            "%s: line %lld: recording %s comes back after another; without a column step its lines must follow one another",
            p->file, (long long)r->in.line, id);
    if (r->slots[slot] < 0) {
        p->ids[p->n_recordings] = id;
        r->slots[slot] = p->n_recordings++;
    }
    *out = r->current = r->slots[slot];
    return SP_OK;
}

/* ---- values ---- */

static sp_status read_whole(const reading *r, const char *text, const char *column, int64_t *out)
{
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 15 || text[digits])
        return sp_fail(r->err, SP_EDATA, "%s: line %lld: %s \"%.60s\" is not a whole number from 0 on", r->paths->file,
                       (long long)r->in.line, column, text);
    *out = strtoll(text, NULL, 10);
    return SP_OK;
}

static sp_status read_code(const reading *r, const row *where, const char *text, int32_t *out)
{
    char sentence[SP_CODES_SENTENCE];
    *out = sp_codes_text(r->codes, text);
    if (*out >= SP_CODE_UNSCORED)
        return SP_OK;
    return sp_fail_at(r->err, SP_EDATA, where->step, "%s: line %lld, recording %s, step %lld: %s", r->paths->file,
                      (long long)r->in.line, r->paths->ids[where->recording],
                      (long long)(where->step >= 0 ? where->step : r->n_of_current), sp_codes_explain(r->codes, text, sentence));
}

static sp_status read_label(const reading *r, const char *text, int32_t *out)
{
    const sp_model *model = r->model;
    if (!*text || strcmp(text, "-1") == 0) {
        *out = -1;
        return SP_OK;
    }
    *out = sp_model_class(model, text, true);
    if (*out >= 0)
        return SP_OK;
    size_t digits = strspn(text, "0123456789");
    const char *rest = text + digits;
    rest += *rest == '.' ? 1 + strspn(rest + 1, "0") : 0; /* "2.0" */
    if (digits && digits < 10 && !*rest) {
        *out = (int32_t)strtol(text, NULL, 10);
        if (*out < model->n_classes)
            return SP_OK;
    }
    const bool is_minus_1 = strspn(text, "-0123456789.") == strlen(text) && strtod(text, NULL) == -1;
    if (is_minus_1 ||
        (sp_is_unscored_word(text) && sp_classes_are_stages(model->n_classes, (const char *const *)model->classes))) {
        *out = -1;
        return SP_OK;
    }
    char list[512] = "";
    for (int32_t k = 0, used = 0; k < model->n_classes && used < 300; k++)
        used += snprintf(list + used, sizeof list - (size_t)used, "%s%.60s", k ? ", " : "", k < 12 ? model->classes[k] : "...");
    return sp_fail(
        r->err, SP_EDATA,
        "%s: line %lld: label \"%.60s\" is no class of model %s: write one of %s, a number from 0 to %d in this order, or "
        "-1 for none; `codes` or `map` reads the numbers and words of others",
        r->paths->file, (long long)r->in.line, text, model->name, list, model->n_classes - 1);
}

static sp_status add_row(reading *r, char *fields[N_COLUMNS])
{
    if (r->n_rows == r->row_room) {
        int64_t room = r->row_room ? 2 * r->row_room : 1024;
        row *rows = realloc(r->rows, (size_t)room * sizeof *rows);
        if (!rows)
            return sp_no_memory(r->err);
        r->rows = rows;
        r->row_room = room;
    }
    row one = {.step = -1, .line = r->in.line};
    sp_status status = find_recording(r, r->column[RECORDING] < 0 ? r->paths->name : fields[RECORDING], &one.recording);
    if (status == SP_OK && r->column[STEP] >= 0)
        status = read_whole(r, fields[STEP], "step", &one.step);
    if (status == SP_OK)
        status = r->codes ? read_code(r, &one, fields[LABEL], &one.label) : read_label(r, fields[LABEL], &one.label);
    if (status == SP_OK)
        r->rows[r->n_rows++] = one;
    r->n_of_current++;
    return status;
}

/* A line that is nothing but a label, in place and without the blanks around it. An empty one between others says nothing clear.
 */
static sp_status next_label(reading *r, char *fields[N_COLUMNS])
{
    r->in.line = r->in.next_line++;
    char *from = r->in.at + strspn(r->in.at, " \t"), *end = r->in.at + strcspn(r->in.at, "\n"), *to = end;
    r->in.at = *end ? end + 1 : end;
    while (to > from && strchr(" \t\r", to[-1]))
        to--;
    if (from >= to)
        return sp_fail(r->err, SP_EDATA, "%s: line %lld is empty; it needs a label a line, -1 where there is none",
                       r->paths->file, (long long)r->in.line);
    *to = '\0';
    fields[LABEL] = from;
    return SP_OK;
}

/* The next label of a result of MS-TCN. */
static void next_frame(reading *r, char *fields[N_COLUMNS])
{
    for (; strchr(" \t\r\n", *r->in.at); r->in.at++)
        r->in.next_line += *r->in.at == '\n';
    r->in.line = r->in.next_line;
    fields[LABEL] = r->in.at;
    r->in.at += strcspn(r->in.at, " \t\r\n");
    r->in.next_line += *r->in.at == '\n';
    if (*r->in.at)
        *r->in.at++ = '\0';
}

/* Does nothing more follow than empty lines, or in a list blanks? */
static bool is_over(reading *r)
{
    if (!r->is_list)
        sp_cells_skip_empty_lines(&r->in);
    return r->in.at[r->is_list ? strspn(r->in.at, " \t\r\n") : 0] == '\0';
}

/* Rows to their places. */
static sp_status place_rows(reading *r)
{
    text_labels *p = r->paths;
    size_t N = (size_t)p->n_recordings, S = (size_t)r->n_rows;
    p->offsets = calloc(N + 1, sizeof *p->offsets);
    p->labels = malloc((S + 1) * sizeof *p->labels);
    int64_t *line_of = calloc(S + 1, sizeof *line_of), *next = calloc(N + 1, sizeof *next);
    sp_status status = p->offsets && p->labels && line_of && next ? SP_OK : sp_no_memory(r->err);
    for (int64_t i = 0; status == SP_OK && i < r->n_rows; i++)
        p->offsets[r->rows[i].recording + 1]++;
    for (int64_t n = 0; status == SP_OK && n < p->n_recordings; n++)
        p->offsets[n + 1] += p->offsets[n];
    for (int64_t i = 0; status == SP_OK && i < r->n_rows; i++) {
        const row *one = &r->rows[i];
        int64_t n = one->recording, length = p->offsets[n + 1] - p->offsets[n];
        int64_t step = one->step < 0 ? next[n]++ : one->step;
        if (step >= length) {
            status = sp_fail(r->err, SP_EDATA,
                             "%s: line %lld: recording %s has step %lld, but only %lld lines; it needs each step from 0 on once",
                             p->file, (long long)one->line, p->ids[n], (long long)step, (long long)length);
            break;
        }
        int64_t at = p->offsets[n] + step;
        if (line_of[at])
            status = sp_fail(r->err, SP_EDATA, "%s: line %lld: recording %s has step %lld on line %lld already", p->file,
                             (long long)one->line, p->ids[n], (long long)step, (long long)line_of[at]);
        line_of[at] = one->line;
        p->labels[at] = one->label;
    }
    free(line_of);
    free(next);
    return status;
}

/* ---- all of it ---- */

static void close_text(void *opened)
{
    text_labels *p = opened;
    free(p->classes);
    free(p->ids);
    free(p->offsets);
    free(p->labels);
    free(p->text);
    free(p->name);
    free(p);
}

static sp_status read_all(text_labels *p, const sp_model *model, const sp_codes *codes, sp_error *err)
{
    reading r = {.paths = p, .model = model, .codes = codes, .in = {.at = p->text, .next_line = 1}, .current = -1, .err = err};
    sp_status status = read_header(&r);
    while (status == SP_OK && !is_over(&r)) {
        char *fields[N_COLUMNS] = {NULL};
        if (r.is_frames)
            next_frame(&r, fields);
        else
            status = r.is_list ? next_label(&r, fields) : next_record(&r, fields);
        if (status == SP_OK)
            status = add_row(&r, fields);
    }
    p->has_ids = r.column[RECORDING] >= 0;
    if (status == SP_OK && r.n_rows == 0)
        status = sp_fail(err, SP_EDATA, "%s: %s, but holds no %s", p->file,
                         r.is_frames ? "begins as a result of MS-TCN" : "names its columns",
                         r.is_frames ? "label after that line" : "line below them");
    if (status == SP_OK)
        status = place_rows(&r);
    free(r.rows);
    free(r.slots);
    return status;
}

bool sp_text_has_ending(const char *file)
{
    return sp_file_has_ending(file, sp_text_format.endings);
}

bool sp_text_is_frames(const char *file)
{
    char head[sizeof frames - 1];
    FILE *in = *sp_file_ending(file) ? NULL : fopen(file, "rb");
    const bool is = in && fread(head, 1, sizeof head, in) == sizeof head && memcmp(head, frames, sizeof head) == 0;
    if (in)
        fclose(in);
    return is;
}

/* ---- as a format ---- */

/* A text has classes only where a model names them, and no scores. */
static bool is_text_of_labels(const sp_file_look *look)
{
    const sp_source_options *options = look->request->options;
    return !options->needs_scores && options->model && (sp_text_has_ending(look->file) || sp_text_is_frames(look->file));
}

static void fill_info(const text_labels *p, int32_t n_classes, bool is_paths, sp_source *source)
{
    sp_source_info *info = &source->info;
    info->file_size = (int64_t)p->text_size;
    info->layout = SP_LAYOUT_PACKED;
    info->dtype = SP_F32;
    info->n_recordings = p->n_recordings;
    info->n_steps = p->offsets[p->n_recordings];
    info->n_classes = n_classes;
    info->ids = p->ids;
    info->has_ids = p->has_ids;
    info->offsets = p->offsets;
    info->classes = (const char *const *)p->classes;
    info->has_labels = !is_paths;
    if (is_paths) {
        source->paths.n_strategies = 1;
        source->paths.strategies = p->names;
        source->paths.has_path_scores = p->has_scores;
    }
}

static sp_status open_text(sp_source *source, const sp_request *request, sp_error *err)
{
    const sp_model *model = request->options->model;
    text_labels *p = source->opened = calloc(1, sizeof *p);
    if (!p)
        return sp_no_memory(err);
    p->file = source->file_name;
    p->names[0] = p->name = sp_file_stem(source->file_name);
    p->classes = sp_texts_copy((const char *const *)model->classes, model->n_classes);
    if (!p->name || !p->classes)
        return sp_no_memory(err);
    sp_status status = sp_text_read(p->file, "a text file of steps", &p->text, err);
    if (status == SP_OK) {
        p->text_size = strlen(p->text);
        status = read_all(p, model, request->options->codes, err);
    }
    if (status == SP_OK)
        fill_info(p, model->n_classes, request->is_paths, source);
    return status;
}

static void copy_steps(const text_labels *p, const sp_wanted *wanted, int32_t *out)
{
    memcpy(out, p->labels + p->offsets[wanted->first] + wanted->first_step, (size_t)wanted->n_steps * sizeof *out);
}

static sp_status read_labels(sp_source *source, const sp_wanted *wanted, sp_block *block, sp_error *err)
{
    (void)err;
    if (block->labels)
        copy_steps(source->opened, wanted, block->labels);
    return SP_OK;
}

static sp_status read_path(sp_source *source, int32_t strategy, const sp_wanted *wanted, int32_t *out, sp_error *err)
{
    (void)strategy, (void)err;
    copy_steps(source->opened, wanted, out);
    return SP_OK;
}

const sp_format sp_text_format = {.name = "a text of labels",
                                  .endings = ".csv .tsv .txt .hyp .eannot",
                                  .recognise = is_text_of_labels,
                                  .open = open_text,
                                  .close = close_text,
                                  .read = read_labels,
                                  .read_path = read_path,
                                  .paths = &sp_text_paths};
