#include "io/text/conll.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/model.h"
#include "core/names.h"
#include "core/owned.h"
#include "core/try.h"
#include "io/holes.h"
#include "io/text/cells.h"
#include "io/text/label_file.h"
#include "io/text/texts.h"
#include "sleep/label_coding_use.h"
#include "tags/tags.h"

/* ---- which files ---- */

/* Blanks part columns; a carriage return belongs to the end of a line. */
static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Begins a document: neither a token nor the end of a sentence. */
static bool is_document(const char *line)
{
    return strncmp(line, "-DOCSTART-", 10) == 0;
}

/* As a step without a class is written; of -100 the options say whether it may be read. */
static bool is_unscored(const char *text)
{
    return strcmp(text, "-1") == 0 || strcmp(text, "-100") == 0;
}

/* Has the line at least two columns, of which the last is a tag, or where they are taken -1 or -100? */
static bool ends_with_tag(const char *line, size_t n, bool takes_unscored)
{
    while (n > 0 && is_blank(line[n - 1]))
        n--;
    size_t at = n;
    while (at > 0 && !is_blank(line[at - 1]))
        at--;
    if (at == 0 || n - at > 200)
        return false;
    sp_tag_kind kind;
    const char *type;
    char last[201];
    memcpy(last, line + at, n - at);
    last[n - at] = '\0';
    return (takes_unscored && is_unscored(last)) ||
           (sp_tag_parse(last, &kind, &type) && (kind == SP_TAG_OUTSIDE || last[1] == '-'));
}

/* Do all whole lines of the first bytes [n], which end with NUL, look like tokens with tags? */
static bool are_tagged(const char *head, bool is_whole)
{
    bool has_line = false;
    while (*head) {
        const size_t n = strcspn(head, "\n");
        if (!head[n] && !is_whole)
            return has_line;
        if (strspn(head, " \t\r") < n && head[0] != '#' && !is_document(head)) {
            if (!ends_with_tag(head, n, false))
                return false;
            has_line = true;
        }
        head += n + (head[n] == '\n');
    }
    return has_line;
}

bool sp_conll_is_file(const char *file)
{
    enum { HEAD = 1024 };
    char head[HEAD + 1] = "";
    if (sp_file_has_ending(file, SP_CONLL_ENDINGS))
        return true;
    FILE *stream = sp_file_has_ending(file, ".txt") ? fopen(file, "rb") : NULL;
    if (!stream)
        return false;
    const size_t n = fread(head, 1, HEAD, stream);
    fclose(stream);
    head[n] = '\0';
    return are_tagged(head, n < HEAD);
}

static bool is_conll(const sp_file_look *look)
{
    return !look->request->options->needs_scores && look->n > 0 && sp_conll_is_file(look->file);
}

/* ---- lines ---- */

typedef struct conll {
    sp_label_file of;
    char remark[160];
    sp_comments comments;
    int64_t n_comments;
    int32_t n_columns;
    bool has_tags, has_tabs; /* the first line of a token ends with a tag; has tabs */
    int64_t *line_of;        /* [S] */
    const char **cells;      /* [S * n_columns] into text */
    int64_t room;            /* steps that have room */
    int64_t sentence_room;
    sp_texts ids;
    int32_t token;       /* column, or -1 */
    const char **tokens; /* [S] or NULL */
} conll;

static sp_status grow(conll *c, sp_error *err)
{
    bool is_whole = true;
    const int64_t room = c->room ? 2 * c->room : 1024;
    c->cells = sp_grown(c->cells, room * c->n_columns, sizeof *c->cells, &is_whole);
    c->line_of = sp_grown(c->line_of, room, sizeof *c->line_of, &is_whole);
    c->room = is_whole ? room : c->room;
    return is_whole ? SP_OK : sp_no_memory(err);
}

static bool is_line_end(char c)
{
    return c == '\0' || c == '\n';
}

/* Counts the columns of a line; where cells is not NULL they are ended with NUL and go there, as many as the file has. */
static int32_t read_columns(char *line, const char **cells, int32_t n_cells)
{
    int32_t n = 0;
    for (char *at = line; !is_line_end(*at);) {
        while (is_blank(*at))
            at++;
        if (is_line_end(*at))
            break;
        char *from = at;
        while (!is_line_end(*at) && !is_blank(*at))
            at++;
        const bool is_last = is_line_end(*at);
        if (cells && n < n_cells) {
            *at = '\0';
            cells[n] = from;
        }
        n++;
        at += !is_last;
    }
    return n;
}

/* May a line be a comment? In auto it begins as those of CoNLL-U do; so does a token "#". */
static bool may_be_comment(const conll *c, const char *line)
{
    const bool is_hash = line[0] == '#' && c->comments != SP_COMMENTS_NONE;
    return is_hash && (c->comments == SP_COMMENTS_HASH || is_blank(line[1]) || is_line_end(line[1]));
}

/* What the first line of a token that can be nothing else looks like. */
static void look_at_first(conll *c, char *at)
{
    for (size_t n; *at; at += n + (at[n] == '\n')) {
        n = strcspn(at, "\n");
        if (strspn(at, " \t\r") == n || is_document(at) || may_be_comment(c, at))
            continue;
        c->n_columns = read_columns(at, NULL, 0);
        c->has_tags = ends_with_tag(at, n, false);
        c->has_tabs = memchr(at, '\t', n) != NULL;
        return;
    }
}

/* A line that looks like the others is none: it has as many columns, and the last is a tag as theirs are, or it is parted as they
 * are. "# id 5f domain=en" among four columns is one, "# O" among two is none. */
static bool is_comment(const conll *c, char *line)
{
    if (!may_be_comment(c, line) || c->comments == SP_COMMENTS_HASH)
        return may_be_comment(c, line);
    return read_columns(line, NULL, 0) != c->n_columns ||
           (c->has_tags ? !ends_with_tag(line, strlen(line), true)
                        : c->has_tabs != (strchr(line, '\t') != NULL));
}

static sp_status end_sentence(conll *c, sp_error *err)
{
    if (c->of.n_steps == 0 || (c->of.n_recordings > 0 && c->of.offsets[c->of.n_recordings] == c->of.n_steps))
        return SP_OK;
    if (c->of.n_recordings + 2 > c->sentence_room) {
        bool is_whole = true;
        c->sentence_room = c->sentence_room ? 2 * c->sentence_room : 256;
        c->of.offsets = sp_grown(c->of.offsets, c->sentence_room, sizeof *c->of.offsets, &is_whole);
        if (!is_whole)
            return sp_no_memory(err);
    }
    c->of.offsets[0] = 0;
    c->of.offsets[++c->of.n_recordings] = c->of.n_steps;
    return SP_OK;
}

static sp_status read_token(conll *c, char *line, int64_t number, sp_error *err)
{
    const int32_t n = read_columns(line, NULL, 0);
    if (n != c->n_columns)
        return sp_fail(err, SP_EDATA,
                       "%s: line %lld has %d column%s, the lines before have %d; columns are parted by "
                       "blanks or tabs, sentences "
                       "by an empty line%s",
                       c->of.file, (long long)number, n, n == 1 ? "" : "s", c->n_columns,
                       line[0] == '#' ? "; `comments` hash passes over what begins with #" : "");
    if (c->of.n_steps == c->room && grow(c, err) != SP_OK)
        return SP_ENOMEM;
    read_columns(line, c->cells + c->of.n_steps * c->n_columns, n);
    c->line_of[c->of.n_steps++] = number;
    return SP_OK;
}

static sp_status read_lines(conll *c, sp_error *err)
{
    sp_status status = SP_OK;
    char *at = c->of.text + sp_text_mark(c->of.text, strnlen(c->of.text, 3));
    look_at_first(c, at);
    for (int64_t number = 1; *at; number++) {
        char *line = at;
        at += strcspn(at, "\n");
        if (*at)
            *at++ = '\0';
        if (line[strspn(line, " \t\r")] == '\0')
            TRY(end_sentence(c, err));
        else if (is_comment(c, line))
            c->n_comments++;
        else if (!is_document(line))
            TRY(read_token(c, line, number, err));
    }
    TRY(end_sentence(c, err));
    if (c->of.n_steps == 0)
        return sp_fail(
            err, SP_EDATA,
            "%s: holds no token; write a token and its tag a line, an empty line after each sentence",
            c->of.file);
done:
    return status;
}

/* ---- columns ---- */

/* The column that an option names by its number, from 0. */
static sp_status find_column(const conll *c, const char *given, const char *option, int32_t *out,
                             sp_error *err)
{
    char *end = NULL;
    const long n = strtol(given, &end, 10);
    if (end == given || *end || n == 0 || n > c->n_columns || n < -c->n_columns)
        return sp_fail(
            err, SP_EINVAL,
            "%s: `%s` %.60s: it is the number of a column, 1 to %d, or from the last one -1 to -%d",
            c->of.file, option, given, c->n_columns, c->n_columns);
    *out = (int32_t)(n > 0 ? n - 1 : c->n_columns + n);
    return SP_OK;
}

static const char *cell(const conll *c, int64_t step, int32_t column)
{
    return c->cells[step * c->n_columns + column];
}

static sp_status explain(const conll *c, int64_t step, int32_t column, const sp_source_options *options,
                         sp_error *err)
{
    const sp_codes *codes = options->codes;
    char sentence[SP_CODES_SENTENCE];
    const char *text = cell(c, step, column);
    if (!codes && is_unscored(text))
        return sp_fail_at(err, SP_EDATA, step, "%s: line %lld, column %d: %s", c->of.file,
                          (long long)c->line_of[step], column + 1,
                          options->ignores_100
                              ? SP_GAPS_OF_TEXT
                              : "-100 is no class; unscored steps are -1, and -100 with `unscored` -100");
    if (codes)
        return sp_fail_at(err, SP_EDATA, step, "%s: line %lld, column %d: %s", c->of.file,
                          (long long)c->line_of[step], column + 1, sp_codes_explain(codes, text, sentence));
    return sp_fail_at(err, SP_EDATA, step,
                      "%s: line %lld, column %d: \"%.60s\" is no %s%s; another column is named by "
                      "its number",
                      c->of.file, (long long)c->line_of[step], column + 1, text,
                      options->model ? "class of model " : "tag", options->model ? options->model->name : "");
}

/* Are labels what a column that nobody names holds: tags, classes of the model, or what the codes know, but for fewer other texts?
 * *other: the first step of such a text, or -1. */
static bool are_labels(const conll *c, int32_t column, const sp_source_options *options, int64_t *other)
{
    int64_t n_labels = 0, n_others = 0;
    *other = -1;
    for (int64_t t = 0; t < c->of.n_steps; t++) {
        sp_tag_kind kind;
        const char *type, *text = cell(c, t, column);
        if (is_unscored(text))
            continue;
        if ((sp_tag_parse(text, &kind, &type) && (kind == SP_TAG_OUTSIDE || text[1])) ||
            (options->model && sp_model_class(options->model, text, true) >= 0) ||
            (options->codes && sp_codes_text(options->codes, text) != SP_CODE_UNKNOWN))
            n_labels++;
        else if (n_others++ == 0)
            *other = t;
    }
    return n_labels > n_others || n_others == 0;
}

/* The classes [S] in a column: of the model, or of those found in the file. */
static sp_status read_classes(const conll *c, int32_t column, const sp_request *request,
                              const sp_names *found, int32_t **out, sp_error *err)
{
    const sp_model *model = request->options->model;
    const sp_codes *codes = request->options->codes;
    const bool takes_100 = request->options->ignores_100 && request->options->gaps == SP_GAPS_ERROR;
    int32_t *classes = malloc(((size_t)c->of.n_steps + 1) * sizeof *classes);
    if (!classes)
        return sp_no_memory(err);
    for (int64_t t = 0; t < c->of.n_steps; t++) {
        const char *text = cell(c, t, column);
        const bool is_none = strcmp(text, "-1") == 0 || (takes_100 && is_unscored(text));
        classes[t] = is_none ? -1
                     : codes ? sp_codes_text(codes, text)
                     : model ? sp_model_class(model, text, true)
                             : sp_names_find(found, text);
        if (is_none || (codes ? sp_code_is_known(classes[t]) : classes[t] >= 0))
            continue;
        free(classes);
        return explain(c, t, column, request->options, err);
    }
    *out = classes;
    return SP_OK;
}

static int compare_tags(const void *a, const void *b)
{
    const sp_text_span *x = a, *y = b;
    const bool is_o[] = {strcmp(x->text, "O") == 0, strcmp(y->text, "O") == 0};
    return is_o[0] != is_o[1] ? (is_o[0] ? -1 : 1) : strcmp(x->text, y->text);
}

/* The tags that two columns hold (-1: there is none), O first, then in the order of letters: classes where no model names them.
 */
static sp_status find_classes(conll *c, const int32_t columns[2], sp_names *found, sp_error *err)
{
    const int64_t most = 2 * c->of.n_steps;
    sp_text_span *spans = malloc(((size_t)most + 1) * sizeof *spans);
    int32_t n = 0;
    if (!spans)
        return sp_no_memory(err);
    if (most >= INT32_MAX || sp_names_init(found, most) != SP_OK) {
        free(spans);
        return sp_no_memory(err);
    }
    for (int64_t i = 0; i < most; i++) {
        const int32_t column = columns[i % 2];
        const char *text = column >= 0 ? cell(c, i / 2, column) : "-1";
        if (!is_unscored(text) && sp_names_add(found, text, n) == n)
            spans[n++] = (sp_text_span){text, strlen(text)};
    }
    sp_names_clear(found);
    qsort(spans, (size_t)n, sizeof *spans, compare_tags);
    c->of.classes = sp_texts_pack(spans, n);
    c->of.n_classes = n;
    const bool has_memory = c->of.classes && sp_names_init(found, n + 1) == SP_OK;
    for (int32_t k = 0; has_memory && k < n; k++)
        sp_names_add(found, spans[k].text, k); /* as the file spells them, which need not be UTF-8 */
    free(spans);
    return has_memory ? SP_OK : sp_no_memory(err);
}

/* Does every text of the column name one of the classes that labels and path are read in, not all of them the same? */
static bool holds_classes(const conll *c, int32_t column, const sp_model *model, const sp_names *found)
{
    int32_t first = -1;
    bool are_various = false;
    for (int64_t t = 0; t < c->of.n_steps; t++) {
        const char *text = cell(c, t, column);
        if (is_unscored(text))
            continue;
        const int32_t k = model ? sp_model_class(model, text, true) : sp_names_find(found, text);
        if (k < 0)
            return false;
        are_various = are_various || (first >= 0 && k != first);
        first = k;
    }
    return are_various;
}

static sp_status read_all_columns(conll *c, const sp_request *request, sp_names *found, sp_error *err)
{
    const sp_source_options *o = request->options;
    int32_t label = c->n_columns - 1 - request->is_paths, path = c->n_columns - 1;
    int64_t other = -1;
    sp_status status = SP_OK;
    if (o->labels)
        TRY(find_column(c, o->labels, "labels", &label, err));
    if (request->paths)
        TRY(find_column(c, request->paths, "paths", &path, err));
    if (request->is_paths && !o->labels && (label < 0 || label == path || !are_labels(c, label, o, &other)))
        label = -1;
    if (label >= 0 && other >= 0)
        return explain(c, other, label, o, err);
    if (o->model) {
        c->of.classes = sp_texts_copy((const char *const *)o->model->classes, o->model->n_classes);
        c->of.n_classes = o->model->n_classes;
        if (!c->of.classes)
            return sp_no_memory(err);
    } else
        TRY(find_classes(c, (const int32_t[2]){label, request->is_paths ? path : -1}, found, err));
    if (label > 0 && !o->labels && request->is_paths && !request->paths &&
        holds_classes(c, label - 1, o->model, found))
        return sp_fail(err, SP_EDATA,
                       "%s: columns %d, %d and %d all hold classes, so nothing says which are the labels and "
                       "which the path; "
                       "`labels` N and `paths` N name their columns",
                       c->of.file, (int)label, (int)label + 1, (int)path + 1);
    if (request->is_paths)
        TRY(read_classes(c, path, request, found, &c->of.path, err));
    if (label >= 0)
        TRY(read_classes(c, label, request, found, &c->of.labels, err));
    c->token = c->n_columns > 1 + (request->is_paths && c->of.labels) ? 0 : -1;
done:
    return status;
}

/* ---- as a format ---- */

static void close_conll(void *opened)
{
    conll *c = opened;
    void *const owned[] = {c->line_of, c->cells, c->ids, c->tokens};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    sp_label_file_free(&c->of);
}

static sp_status list_tokens(conll *c, sp_error *err)
{
    if (c->token < 0)
        return SP_OK;
    c->tokens = malloc(((size_t)c->of.n_steps + 1) * sizeof *c->tokens);
    for (int64_t t = 0; c->tokens && t < c->of.n_steps; t++)
        c->tokens[t] = cell(c, t, c->token);
    return c->tokens ? SP_OK : sp_no_memory(err);
}

static const char *describe_comments(conll *c)
{
    const bool is_one = c->n_comments == 1;
    if (!c->n_comments)
        return NULL;
    snprintf(c->remark, sizeof c->remark, "%lld line%s with # %s passed over as %s; `comments` none reads %s",
             (long long)c->n_comments, is_one ? " that begins" : "s that begin", is_one ? "is" : "are",
             is_one ? "a comment" : "comments", is_one ? "it as a token" : "them as tokens");
    return c->remark;
}

static sp_status open_conll(sp_source *source, const sp_request *request, sp_error *err)
{
    sp_label_file *f = NULL;
    sp_names found = {0};
    sp_source_info *info = &source->info;
    sp_status status = SP_OK;
    TRY(sp_label_file_new(source, sizeof(conll), "columns of CoNLL", &f, err));
    conll *c = source->opened;
    c->comments = request->options->comments;
    info->file_size = (int64_t)strlen(f->text);
    TRY(read_lines(c, err));
    TRY(read_all_columns(c, request, &found, err));
    TRY(list_tokens(c, err));
    if (!(c->ids = sp_texts_of_numbers(NULL, f->n_recordings)))
        TRY(sp_no_memory(err));
    sp_label_file_fill(f, (const char *const *)c->ids, request->is_paths, source);
    info->remark = describe_comments(c);
    info->classes_place = "the tags in the file";
    source->tokens = c->tokens;
    source->token_lines = c->tokens ? c->line_of : NULL;
done:
    sp_names_clear(&found);
    return status;
}

const sp_format sp_conll_format = {.name = "columns of CoNLL",
                                   .endings = SP_CONLL_ENDINGS,
                                   .recognise = is_conll,
                                   .open = open_conll,
                                   .close = close_conll,
                                   .read = sp_label_file_read,
                                   .read_path = sp_label_file_read_path,
                                   .paths = &sp_conll_paths};
