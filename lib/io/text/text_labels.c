#include "io/text/text_labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/names.h"
#include "core/owned.h"
#include "core/try.h"
#include "io/holes.h"
#include "io/text/cells.h"
#include "io/text/label_file.h"
#include "io/text/label_words.h"
#include "io/text/table_columns.h"
#include "sleep/label_coding_use.h"

static const char by_blanks[] =
    "; of several cells commas, tabs or semicolons part them, not blanks, such as in R "
    "write.csv(x, \"FILE\", row.names = FALSE)";

/* A text that was read. */
typedef struct text_labels {
    sp_label_file of;
    const char **ids; /* [N] into text */
} text_labels;

static const char spreadsheets[] = ".csv .tsv";

/* The first line of what MS-TCN writes for each video, in a file without ending. */
static const char frames[] = "### Frame level recognition: ###";

/* What a row needs. Of several columns with a label the one that is called so is taken, then class, then stage. */
enum { RECORDING, STEP, LABEL, INDEX, N_COLUMNS, NO_RANK = 9 };

/* What is needed while reading. Ids and labels point into the text. */
typedef struct reading {
    text_labels *paths;
    const char *file;
    sp_word_meaning meaning; /* its model, which is there, and codes */
    const sp_source_options *options;
    sp_cells in;
    const char *chosen; /* the column of the labels that `labels` names; or NULL */
    bool is_path;       /* it is read for a path */
    bool is_list;       /* no table: one label a line */
    bool is_frames;     /* a list, its labels parted by blanks */
    int32_t n_fields, column[N_COLUMNS];
    sp_stepped_row *rows; /* [n_rows] */
    int32_t *labels;      /* [n_rows] */
    int64_t n_rows, row_room, id_room;
    sp_names known;       /* ids -> recordings */
    bool has_numbers;     /* among the labels */
    int64_t current;      /* recording of the last row, or -1 */
    int64_t n_of_current; /* rows of it that follow one another */
    int64_t index;        /* what the last of them is numbered */
    sp_error *err;
} reading;

/* ---- records ---- */

static sp_status next_field(reading *r, char **field, bool *is_last)
{
    const char *fault = sp_cells_next(&r->in, field, is_last);
    return fault ? sp_fail(r->err, SP_EDATA, "%s: line %lld: %s%s", r->file, (long long)r->in.line, fault,
                           r->is_list || r->n_fields == 1 ? by_blanks : "")
                 : SP_OK;
}

/* Reads one record; the fields of the known columns go to fields[]. */
static sp_status next_record(reading *r, char *fields[N_COLUMNS])
{
    bool is_last = false;
    const char *first = "", *last = "";
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
        first = n == 0 ? field : first;
        last = field;
        n++;
    }
    if (n != r->n_fields)
        return sp_fail(r->err, SP_EDATA, "%s: line %lld has %d fields, the header %d%s", r->file,
                       (long long)r->in.line, n, r->n_fields,
                       *sp_line_mend(first) ? sp_line_mend(first)
                       : r->n_rows == 0     ? sp_cells_mend(n, r->n_fields, first, last)
                                            : "");
    return SP_OK;
}

/* What a field of the header names, and how well: 0 best. N_COLUMNS: nothing that is read. The column that
 * `labels` FILE:/COLUMN chooses is the label, and no other. */
static int column_of(const reading *r, const char *field, int *rank)
{
    const sp_column_role role = sp_column_role_of(field);
    const bool is_label = role == SP_COLUMN_LABEL || role == SP_COLUMN_DECIDED;
    *rank = role != SP_COLUMN_DECIDED         ? 0
            : strcasecmp(field, "class") == 0 ? 1
            : strcasecmp(field, "stage") == 0 ? 2
                                              : NO_RANK;
    if (r->chosen && strcmp(field, r->chosen) == 0) {
        *rank = 0;
        return LABEL;
    }
    if (*rank == NO_RANK || (r->chosen && is_label))
        return N_COLUMNS;
    return role == SP_COLUMN_RECORDING ? RECORDING
           : role == SP_COLUMN_STEP    ? STEP
           : is_label                  ? LABEL
           : role == SP_COLUMN_INDEX   ? INDEX
                                       : N_COLUMNS;
}

/* Is it a list of labels: does the line that begins at `at` name no columns? */
static bool is_list(const reading *r, const char *at)
{
    const int n = (int)strcspn(at, "\r\n");
    char first[32], *name;
    int rank;
    bool is_last;
    if (sp_cells_delimiter(at) != ' ')
        return false;
    snprintf(first, sizeof first, "%.*s", n < 31 ? n : 31, at);
    sp_cells cell = {.at = first, .delimiter = '\n', .is_free = true};
    sp_cells_next(&cell, &name, &is_last);
    const int column = column_of(r, name, &rank);
    return column == N_COLUMNS || column == INDEX;
}

/* What parts the fields of the first line, and whether that names columns at all. # before them is passed
 * over, as numpy.savetxt writes it. */
static void look_at_first_line(reading *r)
{
    char *after = r->in.at + (*r->in.at == '#');
    after += after > r->in.at ? strspn(after, " ") : 0;
    r->is_list = is_list(r, after);
    if (!r->is_list)
        r->in.at = after;
    r->in.delimiter = sp_cells_delimiter(r->in.at);
    if (r->in.delimiter == ' ')
        r->in.delimiter = ',';
}

/* The sentence for a first line that names no column of labels, or not the one that was chosen; `names`: all
 * that it names. */
static sp_status refuse_header(const reading *r, bool is_comment, const char *names, const char *last)
{
    int64_t number;
    char way[300];
    if (r->chosen)
        return sp_fail(r->err, SP_EFILE, "%s: `labels`: no column is called %s; the first line names %s",
                       r->file, r->chosen, names);
    snprintf(way, sizeof way, "`labels` '%.80s:/%.40s' reads it, and fit and new read it by `labels` '%.40s'",
             r->file, last, last);
    const bool is_label = sp_cell_whole(last, &number) || sp_code_is_known(sp_word_class(last, &r->meaning));
    return sp_fail(r->err, SP_EDATA,
                   "%s: line %lld names no column label, but %s; %s%sa first line recording,step,label or "
                   "recording,label is known",
                   r->file, (long long)r->in.line, names,
                   is_comment               ? "a comment? delete the line"
                   : r->is_path || is_label ? ""
                                            : way,
                   is_comment || !(r->is_path || is_label) ? ", and " : "");
}

static sp_status read_header(reading *r)
{
    const char *file = r->file;
    char names[300] = "", last[64] = "";
    int rank[N_COLUMNS];
    sp_cells_skip_empty_lines(&r->in);
    const bool is_comment = *r->in.at == '#';
    if (!*r->in.at)
        return sp_fail(
            r->err, SP_EDATA,
            "%s: is empty; the first line names the columns: recording,step,label or recording,label", file);
    bool is_last = false;
    r->in.line = r->in.next_line;
    for (int c = 0; c < N_COLUMNS; c++) {
        r->column[c] = -1;
        rank[c] = NO_RANK;
    }
    r->is_frames = strncmp(r->in.at, frames, strlen(frames)) == 0;
    r->is_list = r->is_frames;
    if (r->is_frames) {
        r->in.at += strcspn(r->in.at, "\n");
        r->in.delimiter = ' ';
        r->in.is_plain = true;
        return SP_OK;
    }
    look_at_first_line(r);
    if (r->is_list) {
        r->in.delimiter = '\n';
        r->in.is_plain = !sp_file_has_ending(file, spreadsheets);
    }
    for (; !r->is_list && !is_last; r->n_fields++) {
        char *field;
        sp_status status = next_field(r, &field, &is_last);
        if (status != SP_OK)
            return status;
        int found;
        const int c = column_of(r, field, &found);
        const size_t n = strlen(names);
        snprintf(names + n, sizeof names - n, "%s%.40s", n ? ", " : "", field);
        if (c == N_COLUMNS)
            snprintf(last, sizeof last, "%s", field);
        if (c == N_COLUMNS || found > rank[c])
            continue;
        if (found == rank[c] && c == INDEX)
            continue;
        if (found == rank[c])
            return sp_fail(r->err, SP_EDATA, "%s: line %lld names column %s twice", file,
                           (long long)r->in.line, field);
        rank[c] = found;
        r->column[c] = r->n_fields;
    }
    if (r->chosen ? r->column[LABEL] < 0 : !r->is_list && r->column[LABEL] < 0)
        return refuse_header(r, is_comment, r->is_list ? "no columns" : names, *last ? last : names);
    return SP_OK;
}

/* ---- recordings ---- */

/* Twice the room for ids, with their map made anew. */
static sp_status grow_ids(reading *r)
{
    const int64_t room = r->id_room ? 2 * r->id_room : 64;
    bool is_whole = room <= INT32_MAX;
    r->paths->ids = sp_grown(r->paths->ids, room, sizeof *r->paths->ids, &is_whole);
    sp_names_clear(&r->known);
    if (!is_whole || sp_names_init(&r->known, room) != SP_OK)
        return sp_no_memory(r->err);
    r->id_room = room;
    for (int32_t n = 0; n < r->paths->of.n_recordings; n++)
        sp_names_add(&r->known, r->paths->ids[n], n);
    return SP_OK;
}

static sp_status find_recording(reading *r, const char *id, int64_t *out)
{
    sp_label_file *f = &r->paths->of;
    sp_status status = SP_OK;
    if (r->current >= 0 && strcmp(r->paths->ids[r->current], id) == 0) {
        *out = r->current;
        return SP_OK;
    }
    r->n_of_current = 0;
    if (!*id)
        return sp_fail(r->err, SP_EDATA, "%s: line %lld has no name of a recording", r->file,
                       (long long)r->in.line);
    if (f->n_recordings == r->id_room)
        TRY(grow_ids(r));
    const int32_t found = sp_names_add(&r->known, id, (int32_t)f->n_recordings);
    if (found < f->n_recordings && r->column[STEP] < 0)
        return sp_fail(r->err, SP_EDATA,
                       "%s: line %lld: recording %s comes back after another; without a column step its "
                       "lines must follow one another",
                       r->file, (long long)r->in.line, id);
    if (found == f->n_recordings)
        r->paths->ids[f->n_recordings++] = id;
    *out = r->current = found;
done:
    return status;
}

/* ---- values ---- */

static sp_status read_step(const reading *r, const char *text, int64_t *out)
{
    if (sp_cell_whole(text, out) && *out >= 0)
        return SP_OK;
    return sp_fail(r->err, SP_EDATA, "%s: line %lld: step \"%.60s\" is not a whole number from 0 on%s",
                   r->file, (long long)r->in.line, text, sp_line_mend(text));
}

/* In the table, or in a recording of it. */
static sp_status check_index(reading *r, const char *cell)
{
    char what[SP_INDEX_SENTENCE];
    if (r->n_of_current == 0)
        r->index = -1;
    return sp_index_goes_on(cell, &r->index, what)
               ? SP_OK
               : sp_fail(r->err, SP_EDATA, "%s: line %lld: %s", r->file, (long long)r->in.line, what);
}

/* What a line of a list may be that is no label: the end of a sentence. */
static const char *list_mend(const reading *r, const char *text, char mend[300])
{
    const char *blank = strpbrk(text, " \t");
    const bool is_alone = r->is_list || r->n_fields == 1;
    snprintf(mend, 300, "%s", sp_line_mend(text));
    if (*mend || !is_alone)
        return mend;
    const bool is_first = r->is_list && r->n_rows == 0,
               is_counted = blank && strspn(text, "\"0123456789") == (size_t)(blank - text);
    if (is_counted || (is_first && blank))
        snprintf(mend, 300, "%s", by_blanks);
    else if (is_first && r->is_path)
        snprintf(mend, 300, "; the name of a column? call it label");
    else if (is_first)
        snprintf(mend, 300,
                 "; the name of a column? `labels` '%.80s:/%.40s' reads it, and fit and new read it by "
                 "`labels` '%.40s'",
                 r->file, text, text);
    return mend;
}

/* By the codes where there are any, else a class of the model, or its number. */
static sp_status read_label(reading *r, const sp_stepped_row *where, const char *text, int32_t *out)
{
    const sp_model *model = r->meaning.model;
    char sentence[SP_CODES_SENTENCE], list[512] = "", mend[300];
    int64_t number;
    *out = sp_word_class(text, &r->meaning);
    if (sp_code_is_known(*out))
        return SP_OK;
    if (r->meaning.codes)
        return sp_fail_at(r->err, SP_EDATA, where->step, "%s: line %lld, recording %s, step %lld: %s",
                          r->file, (long long)r->in.line, r->paths->ids[where->recording],
                          (long long)(where->step >= 0 ? where->step : r->n_of_current),
                          sp_codes_explain(r->meaning.codes, text, sentence));
    if (sp_cell_whole(text, &number) && number >= -1 && number < model->n_classes) {
        const int32_t *class_of_number = r->options->class_of_number;
        r->has_numbers |= number >= 0;
        *out = class_of_number && number >= 0 ? class_of_number[number] : (int32_t)number;
        return SP_OK;
    }
    const bool is_100 = strcmp(text, "-100") == 0;
    if (is_100 && r->options->ignores_100) {
        *out = SP_CODE_UNSCORED;
        return r->options->gaps == SP_GAPS_ERROR
                   ? SP_OK
                   : sp_fail(r->err, SP_EDATA, "%s: line %lld: " SP_GAPS_OF_TEXT, r->file,
                             (long long)r->in.line);
    }
    for (int32_t k = 0, used = 0; k < model->n_classes && used < 300; k++)
        used += snprintf(list + used, sizeof list - (size_t)used, "%s%.60s", k ? ", " : "",
                         k < 12 ? model->classes[k] : "...");
    return sp_fail(r->err, SP_EDATA,
                   "%s: line %lld: label \"%.60s\" is no class of model %s: write one of %s, a number from 0 "
                   "to %d in this order, or "
                   "-1 for none%s; `codes` or `map` reads the numbers and words of others%s",
                   r->file, (long long)r->in.line, text, model->name, list, model->n_classes - 1,
                   is_100 ? ", and -100 with `unscored` -100" : "", list_mend(r, text, mend));
}

static sp_status add_row(reading *r, char *fields[N_COLUMNS])
{
    sp_status status = SP_OK;
    sp_stepped_row one = {.step = -1, .line = r->in.line};
    bool is_whole = true;
    if (r->n_rows == r->row_room) {
        r->row_room = r->row_room ? 2 * r->row_room : 1024;
        r->rows = sp_grown(r->rows, r->row_room, sizeof *r->rows, &is_whole);
        r->labels = sp_grown(r->labels, r->row_room, sizeof *r->labels, &is_whole);
        if (!is_whole)
            return sp_no_memory(r->err);
    }
    TRY(find_recording(r, r->column[RECORDING] < 0 ? r->paths->of.name : fields[RECORDING], &one.recording));
    if (r->column[STEP] >= 0)
        TRY(read_step(r, fields[STEP], &one.step));
    else if (r->column[INDEX] >= 0)
        TRY(check_index(r, fields[INDEX]));
    TRY(read_label(r, &one, fields[LABEL], &r->labels[r->n_rows]));
    r->rows[r->n_rows++] = one;
    r->n_of_current++;
done:
    return status;
}

/* A line that is nothing but a label, a cell only in files of spreadsheets. An empty one between others says nothing clear. */
static sp_status next_label(reading *r, char *fields[N_COLUMNS])
{
    bool is_last;
    r->in.line = r->in.next_line;
    sp_status status = next_field(r, &fields[LABEL], &is_last);
    if (status == SP_OK && !*fields[LABEL])
        return sp_fail(r->err, SP_EDATA,
                       "%s: line %lld is empty; it needs a label a line, -1 where there is none", r->file,
                       (long long)r->in.line);
    return status;
}

/* The next label of a result of MS-TCN. */
static sp_status next_frame(reading *r, char *fields[N_COLUMNS])
{
    bool is_last;
    sp_cells_skip_empty_lines(&r->in);
    r->in.line = r->in.next_line;
    return next_field(r, &fields[LABEL], &is_last);
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
    sp_label_file *f = &r->paths->of;
    const size_t N = (size_t)f->n_recordings, S = (size_t)r->n_rows;
    bool is_sorted;
    sp_status status = SP_OK;
    f->n_steps = r->n_rows;
    f->offsets = calloc(N + 1, sizeof *f->offsets);
    f->path = malloc((S + 1) * sizeof *f->path);
    int64_t *place = malloc((S + 1) * sizeof *place);
    TRY(f->offsets && f->path && place ? SP_OK : sp_no_memory(r->err));
    for (int64_t i = 0; i < r->n_rows; i++)
        f->offsets[r->rows[i].recording + 1]++;
    for (int64_t n = 0; n < f->n_recordings; n++)
        f->offsets[n + 1] += f->offsets[n];
    TRY(sp_rows_in_order(r->file, r->rows, r->n_rows, r->paths->ids, f->offsets, f->n_recordings, place,
                         &is_sorted, r->err));
    for (int64_t i = 0; i < r->n_rows; i++)
        f->path[place[i]] = r->labels[i];
done:
    free(place);
    return status;
}

/* ---- all of it ---- */

static void close_text(void *opened)
{
    text_labels *p = opened;
    free(p->ids);
    sp_label_file_free(&p->of);
}

static sp_status read_all(text_labels *p, const sp_request *request, sp_source *source, sp_error *err)
{
    const sp_source_options *options = request->options;
    reading r = {
        .paths = p,
        .file = p->of.file,
        .meaning = {.model = options->model, .codes = options->codes},
        .options = options,
        .is_path = request->is_paths,
        .chosen = request->is_paths || !options->labels ? NULL : options->labels + (*options->labels == '/'),
        .in = {.at = p->of.text, .next_line = 1},
        .current = -1,
        .err = err};
    sp_status status = SP_OK;
    TRY(read_header(&r));
    while (!is_over(&r)) {
        char *fields[N_COLUMNS] = {NULL};
        TRY(r.is_frames ? next_frame(&r, fields)
            : r.is_list ? next_label(&r, fields)
                        : next_record(&r, fields));
        source->may_have_header |= r.is_list && r.n_rows == 0 && strcmp(fields[LABEL], "0") == 0;
        TRY(add_row(&r, fields));
    }
    p->of.has_ids = r.column[RECORDING] >= 0;
    if (r.n_rows == 0)
        TRY(sp_fail(err, SP_EDATA, "%s: %s, but holds no %s", r.file,
                    r.is_frames ? "begins as a result of MS-TCN" : "names its columns",
                    r.is_frames ? "label after that line" : "line below them"));
    TRY(place_rows(&r));
    source->has_numbers = r.has_numbers;
done:
    free(r.rows);
    free(r.labels);
    sp_names_clear(&r.known);
    return status;
}

bool sp_text_has_ending(const char *file)
{
    return sp_file_has_ending(file, SP_TEXT_ENDINGS);
}

bool sp_text_is_frames(const char *file)
{
    char head[sizeof frames - 1];
    FILE *in = *sp_file_ending(file) ? NULL : fopen(file, "rb");
    const bool is =
        in && fread(head, 1, sizeof head, in) == sizeof head && memcmp(head, frames, sizeof head) == 0;
    if (in)
        fclose(in);
    return is;
}

/* ---- as a format ---- */

/* A text has classes only where a model names them, and no scores. */
static bool is_text_of_labels(const sp_file_look *look)
{
    const sp_source_options *options = look->request->options;
    return !options->needs_scores && options->model &&
           (sp_text_has_ending(look->file) || sp_text_is_frames(look->file));
}

static sp_status open_text(sp_source *source, const sp_request *request, sp_error *err)
{
    const sp_model *model = request->options->model;
    sp_label_file *f = NULL;
    sp_status status = SP_OK;
    TRY(sp_label_file_new(source, sizeof(text_labels), "a text file of steps", &f, err));
    f->n_classes = model->n_classes;
    source->info.file_size = (int64_t)strlen(f->text);
    if (!(f->classes = sp_texts_copy((const char *const *)model->classes, model->n_classes)))
        return sp_no_memory(err);
    TRY(read_all(source->opened, request, source, err));
    if (!request->is_paths) {
        f->labels = f->path;
        f->path = NULL;
    }
    sp_label_file_fill(f, ((text_labels *)source->opened)->ids, request->is_paths, source);
done:
    return status;
}

const sp_format sp_text_format = {.name = "a text of labels",
                                  .endings = SP_TEXT_ENDINGS,
                                  .recognise = is_text_of_labels,
                                  .open = open_text,
                                  .close = close_text,
                                  .read = sp_label_file_read,
                                  .read_path = sp_label_file_read_path,
                                  .paths = &sp_text_paths};
