/* statepath mask padding | causal | attention | loss: masks of sequences, and what is computed under them. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mask_commands.h"
#include "mask_table.h"

/* Values of one result: 2 GB of float64. */
#define MOST_VALUES (INT64_C(1) << 28)

/* ---- what is read ---- */

/* "3,5,4" rather than the name of a file. */
static bool is_list(const char *word)
{
    return *word && word[strspn(word, "0123456789,")] == 0;
}

static sp_status parse_list(const char *word, sp_array *out, sp_error *err)
{
    int64_t n = 1;
    for (const char *c = word; *c; c++)
        n += *c == ',';
    int64_t *lengths = malloc((size_t)n * sizeof *lengths);
    if (!lengths)
        return sp_no_memory(err);
    *out = (sp_array){.rank = 1, .dims = {n}, .count = n, .data = lengths};
    const char *at = word;
    for (int64_t i = 0; i < n; i++) {
        char *end;
        errno = 0;
        const long long value = strtoll(at, &end, 10);
        if (end == at || errno || *end != (i + 1 < n ? ',' : 0))
            return sp_fail(err, SP_EINVAL, "lengths \"%s\": number %lld is missing or too large; write them as 3,5,4", word,
                           (long long)i + 1);
        lengths[i] = value;
        at = end + 1;
    }
    return SP_OK;
}

static sp_status read_array(const char *file, const char *path, sp_array_type type, const options *o, const char *mend,
                            sp_array *out, sp_error *err)
{
    const sp_file_access how = sp_run_access(&o->run);
    return sp_array_read(file, path, type, &how, mend, out, err);
}

/* The dataset that an option names, or else the one of the usual name where the file has it; else out stays without data. */
static sp_status read_optional(const char *file, const char *given, const char *usual, sp_array_type type, const options *o,
                               sp_array *out, sp_error *err)
{
    const sp_file_access how = sp_run_access(&o->run);
    bool exists = given != NULL;
    sp_status status = given ? SP_OK : sp_array_exists(file, usual, &how, &exists, err);
    return status == SP_OK && exists ? read_array(file, given ? given : usual, type, o, "name another dataset", out, err)
                                     : status;
}

static char *shape_text(const sp_array *a, char text[100])
{
    size_t used = (size_t)snprintf(text, 100, "[");
    for (int d = 0; d < a->rank && used < 100; d++)
        used += (size_t)snprintf(text + used, 100 - used, d ? ", %lld" : "%lld", (long long)a->dims[d]);
    if (used < 100)
        snprintf(text + used, 100 - used, "]");
    return text;
}

/* `wanted` is the shape in letters, for the message. */
static sp_status wrong_shape(const char *file, const char *path, const sp_array *a, const char *wanted, sp_error *err)
{
    char shape[100];
    return sp_fail(err, SP_EDATA, "%s: dataset %s has shape %s, but must have shape %s", file, path, shape_text(a, shape),
                   wanted);
}

static bool is_same_shape(const sp_array *a, const sp_array *b)
{
    bool is_same = a->rank == b->rank;
    for (int d = 0; is_same && d < a->rank; d++)
        is_same = a->dims[d] == b->dims[d];
    return is_same;
}

static const char *or_usual(const char *given, const char *usual)
{
    return given ? given : usual;
}

static sp_status check_lengths_array(const char *file, const options *o, const sp_array *lengths, sp_error *err)
{
    return lengths->rank == 1 ? SP_OK : wrong_shape(file, or_usual(o->run.place.lengths, "/lengths"), lengths, "[N]", err);
}

/* Lengths of the word, or of its file, which must have them. */
static sp_status read_lengths(const char *word, const options *o, sp_array *out, sp_error *err)
{
    if (is_list(word))
        return parse_list(word, out, err);
    sp_status status = read_array(word, or_usual(o->run.place.lengths, "/lengths"), SP_ARRAY_I64, o,
                                  "name the dataset of the sequences' lengths with `lengths`", out, err);
    return status == SP_OK ? check_lengths_array(word, o, out, err) : status;
}

/* T: --steps, or the longest. */
static int64_t steps_of(const options *o, const sp_array *lengths)
{
    int64_t most = o->masks.steps;
    for (int64_t i = 0; !o->masks.steps && i < lengths->count; i++)
        most = ((const int64_t *)lengths->data)[i] > most ? ((const int64_t *)lengths->data)[i] : most;
    return most;
}

static sp_status check_size(int64_t a, int64_t b, int64_t c, sp_error *err)
{
    int64_t count;
    if (a >= 0 && b >= 0 && c >= 0 && !__builtin_mul_overflow(a, b, &count) && !__builtin_mul_overflow(count, c, &count) &&
        count <= MOST_VALUES)
        return SP_OK;
    return sp_fail(
        err, SP_EDATA,
        "%lld times %lld times %lld values are more than the %lld that are made at once; take fewer sequences or shorter ones",
        (long long)a, (long long)b, (long long)c, (long long)MOST_VALUES);
}

static void *room(int64_t count, size_t size)
{
    return malloc(((size_t)count + 1) * size);
}

static double *as_numbers(const uint8_t *mask, int64_t count)
{
    double *out = room(count, sizeof *out);
    for (int64_t i = 0; out && i < count; i++)
        out[i] = mask[i];
    return out;
}

/* ---- what is written ---- */

static sp_status write_tensors(const options *o, const sp_tensor *tensors, int32_t n, sp_error *err)
{
    const sp_tensor_text texts[] = {{"statepath_version", sp_version()}, {"command", o->run.command}};
    const sp_tensors all = {.n_tensors = n, .tensors = tensors, .n_texts = o->run.command ? 2 : 1, .texts = texts};
    sp_status status = sp_tensors_save(&all, o->run.output, o->run.force, err);
    if (status == SP_OK && !o->talk.quiet)
        fprintf(stderr, "wrote %s\n", o->run.output);
    return status;
}

/* Rows [n,width], the first column of words from 0. */
static void table_rows(mask_table *t, cell_form form, const char *what, const double *x, int64_t n, int64_t width)
{
    table_word(t, what);
    table_end(t);
    t->n_rows = 0;
    for (int64_t i = 0; i < n; i++) {
        char number[24];
        if (!table_has_room(t)) {
            t->n_rows = n;
            break;
        }
        snprintf(number, sizeof number, "%lld", (long long)i);
        table_word(t, number);
        fputc(' ', t->to);
        table_cells(t, form, x + i * width, width);
        table_end(t);
    }
    table_rest(t);
}

/* The same for [N,T,width]: a row of table_rows() is a query of an item. */
static void table_items(mask_table *t, cell_form form, const double *x, int64_t n, int64_t n_queries, int64_t width)
{
    table_word(t, "sequence");
    table_word(t, "step");
    table_end(t);
    t->n_rows = 0;
    for (int64_t i = 0; i < n * n_queries; i++) {
        char item[24], query[24];
        if (!table_has_room(t)) {
            t->n_rows = n * n_queries;
            break;
        }
        snprintf(item, sizeof item, "%lld", (long long)(i / n_queries));
        snprintf(query, sizeof query, "%lld", (long long)(i % n_queries));
        table_word(t, item);
        table_word(t, query);
        fputc(' ', t->to);
        table_cells(t, form, x + i * width, width);
        table_end(t);
    }
    table_rest(t);
}

/* ---- padding ---- */

typedef struct padded {
    sp_array lengths, ragged; /* ragged: [S] or [S,D], or without data */
    int64_t n, t, width;
    uint8_t *mask;
    double *additive, *batch, *shown;
    int64_t *last;
} padded;

static void padded_clear(padded *p)
{
    sp_array_clear(&p->lengths);
    sp_array_clear(&p->ragged);
    free(p->mask);
    free(p->additive);
    free(p->batch);
    free(p->shown);
    free(p->last);
}

static sp_status read_ragged(const char *word, const options *o, padded *p, sp_error *err)
{
    const char *path = or_usual(o->masks.values, "/values");
    int64_t total = 0;
    sp_status status = read_optional(word, o->masks.values, "/values", SP_ARRAY_F64, o, &p->ragged, err);
    if (status != SP_OK || !p->ragged.data)
        return status;
    if (p->ragged.rank != 1 && p->ragged.rank != 2)
        return wrong_shape(word, path, &p->ragged, "[S] or [S,D], the sequences one after the other", err);
    for (int64_t i = 0; i < p->n; i++)
        total += ((const int64_t *)p->lengths.data)[i];
    if (total != p->ragged.dims[0])
        return sp_fail(err, SP_EDATA, "%s: dataset %s has %lld rows, but the lengths add up to %lld", word, path,
                       (long long)p->ragged.dims[0], (long long)total);
    p->width = p->ragged.rank == 2 ? p->ragged.dims[1] : 1;
    return check_size(p->n, p->t, p->width, err);
}

static sp_status make_padded(const char *word, const options *o, padded *p, sp_error *err)
{
    sp_status status = read_lengths(word, o, &p->lengths, err);
    if (status != SP_OK)
        return status;
    p->n = p->lengths.count;
    p->t = steps_of(o, &p->lengths);
    if ((status = check_size(p->n, p->t, 1, err)) != SP_OK)
        return status;
    const int64_t count = p->n * p->t;
    p->mask = room(count, 1);
    p->additive = room(count, sizeof *p->additive);
    p->last = room(p->n, sizeof *p->last);
    if (!p->mask || !p->additive || !p->last)
        return sp_no_memory(err);
    status = sp_padding_mask_from_lengths(p->lengths.data, p->n, p->t, p->mask, err);
    if (status != SP_OK)
        return status;
    sp_mask_to_additive(p->mask, count, SP_F64, p->additive);
    sp_last_real_steps(p->mask, p->n, p->t, p->last);
    if (!is_list(word))
        status = read_ragged(word, o, p, err);
    if (status == SP_OK && p->ragged.data) {
        p->batch = room(count * p->width, sizeof *p->batch);
        status = !p->batch
                     ? sp_no_memory(err)
                     : sp_sequences_pad(p->ragged.data, p->lengths.data, p->n, p->t, p->width, o->masks.fill, p->batch, err);
    }
    return status;
}

static sp_status write_padded(const options *o, const padded *p, sp_error *err)
{
    const sp_tensor tensors[] = {
        {"/mask", SP_TENSOR_BOOL, 2, {p->n, p->t}, p->mask},
        {"/additive", SP_TENSOR_F64, 2, {p->n, p->t}, p->additive},
        {"/lengths", SP_TENSOR_I64, 1, {p->n}, p->lengths.data},
        {"/last", SP_TENSOR_I64, 1, {p->n}, p->last},
        {"/values", SP_TENSOR_F64, p->ragged.rank + 1, {p->n, p->t, p->width}, p->batch},
    };
    return write_tensors(o, tensors, p->batch ? 5 : 4, err);
}

static void print_padded(mask_table *t, const padded *p)
{
    table_word(t, "sequence");
    table_word(t, "length");
    table_word(t, "last");
    fputs("  real steps\n", t->to);
    for (int64_t i = 0; i < p->n; i++) {
        if (!table_has_room(t)) {
            t->n_rows = p->n;
            break;
        }
        const int64_t numbers[] = {i, ((const int64_t *)p->lengths.data)[i], p->last[i]};
        for (int j = 0; j < 3; j++) {
            char text[24];
            snprintf(text, sizeof text, "%lld", (long long)numbers[j]);
            table_word(t, text);
        }
        fputc(' ', t->to);
        table_cells(t, CELL_FLAG, p->shown + i * p->t, p->t);
        table_end(t);
    }
    table_rest(t);
    if (p->batch && p->width == 1)
        table_rows(t, CELL_NUMBER, "values", p->batch, p->n, p->t);
    else if (p->batch)
        fputs("the values are padded too; -o writes them\n", t->to);
}

sp_status mask_padding(const char *word, const options *o, outcome *out, sp_error *err)
{
    (void)out;
    padded p = {.n = 0};
    mask_table table;
    sp_status status = table_open(&table, err);
    if (status == SP_OK)
        status = make_padded(word, o, &p, err);
    if (status == SP_OK && o->run.output)
        status = write_padded(o, &p, err);
    else if (status == SP_OK && !(p.shown = as_numbers(p.mask, p.n * p.t)))
        status = sp_no_memory(err);
    else if (status == SP_OK)
        print_padded(&table, &p);
    padded_clear(&p);
    return table_close(&table, status, err);
}

/* ---- causal ---- */

sp_status mask_causal(const char *word, const options *o, outcome *out, sp_error *err)
{
    (void)out;
    sp_array lengths = {.rank = 0};
    mask_table table;
    uint8_t *mask = NULL;
    double *additive = NULL, *shown = NULL;
    int64_t t = 0;
    sp_status status = table_open(&table, err);
    if (status == SP_OK)
        status = read_lengths(word, o, &lengths, err);
    if (status == SP_OK) {
        t = steps_of(o, &lengths);
        status = check_size(t, t, 1, err);
    }
    if (status == SP_OK) {
        mask = room(t * t, 1);
        additive = room(t * t, sizeof *additive);
        status = mask && additive ? SP_OK : sp_no_memory(err);
    }
    if (status == SP_OK) {
        sp_causal_mask(t, mask);
        sp_mask_to_additive(mask, t * t, SP_F64, additive);
        const sp_tensor tensors[] = {{"/mask", SP_TENSOR_BOOL, 2, {t, t}, mask},
                                     {"/additive", SP_TENSOR_F64, 2, {t, t}, additive}};
        if (o->run.output)
            status = write_tensors(o, tensors, 2, err);
        else if ((shown = as_numbers(mask, t * t)))
            table_rows(&table, CELL_FLAG, "step", shown, t, t);
        else
            status = sp_no_memory(err);
    }
    sp_array_clear(&lengths);
    free(mask);
    free(additive);
    free(shown);
    return table_close(&table, status, err);
}

/* ---- attention ---- */

typedef struct attended {
    sp_array lengths, real, scores, values; /* without data where they are not given */
    int64_t n, t, width;                    /* N, T, D */
    uint8_t *padding, *mask;                /* padding: [N,T] or NULL */
    double *additive, *weights, *mixed;     /* weights, mixed: or NULL */
} attended;

static void attended_clear(attended *a)
{
    sp_array *const arrays[] = {&a->lengths, &a->real, &a->scores, &a->values};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        sp_array_clear(arrays[i]);
    free(a->padding);
    free(a->mask);
    free(a->additive);
    free(a->weights);
    free(a->mixed);
}

/* Scores, values and what is padding, as the file has them; N and T are the scores', else the mask's, else the lengths'. */
static sp_status read_attended(const char *word, const options *o, attended *a, sp_error *err)
{
    sp_status status = SP_OK;
    if (is_list(word)) {
        if ((status = parse_list(word, &a->lengths, err)) != SP_OK)
            return status;
    } else {
        const bool wants_mask = o->run.place.mask != NULL, wants_lengths = o->run.place.lengths != NULL;
        if (wants_mask && wants_lengths)
            return sp_fail(err, SP_EINVAL, "--mask and --lengths both say which steps are real; give one");
        status = read_optional(word, o->run.place.scores, "/scores", SP_ARRAY_F64, o, &a->scores, err);
        if (status == SP_OK && a->scores.data)
            status = read_optional(word, o->masks.values, "/values", SP_ARRAY_F64, o, &a->values, err);
        if (status == SP_OK && !wants_mask)
            status = read_optional(word, o->run.place.lengths, "/lengths", SP_ARRAY_I64, o, &a->lengths, err);
        if (status == SP_OK && !wants_lengths && !a->lengths.data)
            status = read_optional(word, o->run.place.mask, "/mask", SP_ARRAY_BOOL, o, &a->real, err);
        if (status == SP_OK && a->lengths.data)
            status = check_lengths_array(word, o, &a->lengths, err);
        if (status == SP_OK && !a->lengths.data && !a->real.data && !a->scores.data)
            status = sp_fail(
                err, SP_EFILE,
                "%s: has neither scores [N,T,T] nor lengths [N] nor a mask [N,T]; name them with --scores, --lengths or --mask",
                word);
    }
    return status;
}

/* One sequence may stand without its axis. */
static void add_axis(sp_array *a, int rank)
{
    if (!a->data || a->rank != rank - 1)
        return;
    memmove(a->dims + 1, a->dims, (size_t)a->rank * sizeof a->dims[0]);
    a->dims[0] = 1;
    a->rank = rank;
}

static sp_status check_attended(const char *word, const options *o, attended *a, sp_error *err)
{
    char wanted[100];
    const bool is_single = a->scores.data && a->scores.rank == 2;
    add_axis(&a->scores, 3);
    if (is_single) {
        add_axis(&a->real, 2);
        add_axis(&a->values, 3);
    }
    if (a->scores.data && (a->scores.rank != 3 || a->scores.dims[1] != a->scores.dims[2]))
        return wrong_shape(word, or_usual(o->run.place.scores, "/scores"), &a->scores, "[N,T,T], query by key", err);
    if (a->real.data && a->real.rank != 2)
        return wrong_shape(word, or_usual(o->run.place.mask, "/mask"), &a->real, "[N,T]", err);
    a->n = a->scores.data ? a->scores.dims[0] : a->real.data ? a->real.dims[0] : a->lengths.count;
    a->t = a->scores.data ? a->scores.dims[1] : a->real.data ? a->real.dims[1] : steps_of(o, &a->lengths);
    snprintf(wanted, sizeof wanted, "[%lld, %lld]", (long long)a->n, (long long)a->t);
    if (a->real.data && (a->real.dims[0] != a->n || a->real.dims[1] != a->t))
        return wrong_shape(word, or_usual(o->run.place.mask, "/mask"), &a->real, wanted, err);
    if (a->lengths.data && a->lengths.count != a->n)
        return sp_fail(err, SP_EDATA, "%s: there are %lld lengths for %lld sequences of scores", word,
                       (long long)a->lengths.count, (long long)a->n);
    snprintf(wanted, sizeof wanted, "[%lld, %lld, D]", (long long)a->n, (long long)a->t);
    if (a->values.data && (a->values.rank != 3 || a->values.dims[0] != a->n || a->values.dims[1] != a->t))
        return wrong_shape(word, or_usual(o->masks.values, "/values"), &a->values, wanted, err);
    a->width = a->values.data ? a->values.dims[2] : 0;
    sp_status status = check_size(a->n, a->t, a->t, err);
    return status == SP_OK && a->t > INT32_MAX ? sp_fail(err, SP_EDATA, "%s: too many steps", word) : status;
}

static sp_status make_masks(const options *o, attended *a, sp_error *err)
{
    const int64_t count = a->n * a->t * a->t;
    const bool is_causal = o->masks.causal;
    sp_status status = SP_OK;
    a->mask = room(count, 1);
    a->additive = room(count, sizeof *a->additive);
    if (a->lengths.data || a->real.data)
        a->padding = room(a->n * a->t, 1);
    if (!a->mask || !a->additive || ((a->lengths.data || a->real.data) && !a->padding))
        return sp_no_memory(err);
    if (a->lengths.data)
        status = sp_padding_mask_from_lengths(a->lengths.data, a->n, a->t, a->padding, err);
    else if (a->real.data)
        memcpy(a->padding, a->real.data, (size_t)a->real.count);
    if (status == SP_OK) {
        sp_attention_mask(a->padding, is_causal, a->n, a->t, a->mask);
        sp_attention_mask_additive(a->padding, is_causal, a->n, a->t, SP_F64, a->additive);
    }
    return status;
}

static sp_status attend(const char *word, attended *a, sp_error *err)
{
    sp_error detail;
    const sp_attention attention = {.scores = a->scores.data,
                                    .dtype = SP_F64,
                                    .n_items = a->n,
                                    .n_queries = a->t,
                                    .n_keys = (int32_t)a->t,
                                    .additive = a->additive};
    a->weights = room(a->scores.count, sizeof *a->weights);
    if (a->values.data)
        a->mixed = room(a->values.count, sizeof *a->mixed);
    if (!a->weights || (a->values.data && !a->mixed))
        return sp_no_memory(err);
    sp_status status = sp_attention_softmax(&attention, a->weights, &detail);
    if (status != SP_OK)
        return sp_fail_at(err, status, detail.step, "%s: %s", word, detail.message);
    if (a->mixed)
        sp_attention_mix(a->weights, a->values.data, a->n, a->t, a->t, a->width, a->mixed);
    return SP_OK;
}

static sp_status write_attended(const options *o, const attended *a, sp_error *err)
{
    const sp_tensor tensors[] = {
        {"/mask", SP_TENSOR_BOOL, 3, {a->n, a->t, a->t}, a->mask},
        {"/additive", SP_TENSOR_F64, 3, {a->n, a->t, a->t}, a->additive},
        {"/weights", SP_TENSOR_F64, 3, {a->n, a->t, a->t}, a->weights},
        {"/output", SP_TENSOR_F64, 3, {a->n, a->t, a->width}, a->mixed},
    };
    return write_tensors(o, tensors, a->mixed ? 4 : a->weights ? 3 : 2, err);
}

static void print_attended(mask_table *t, const attended *a)
{
    if (!a->weights) {
        table_title(t, "what is added to the scores of each key");
        table_items(t, CELL_NUMBER, a->additive, a->n, a->t, a->t);
        return;
    }
    table_title(t, "weights of the keys");
    table_items(t, CELL_SHARE, a->weights, a->n, a->t, a->t);
    if (a->mixed) {
        table_title(t, "weights times values");
        table_items(t, CELL_NUMBER, a->mixed, a->n, a->t, a->width);
    }
}

sp_status mask_attention(const char *word, const options *o, outcome *out, sp_error *err)
{
    (void)out;
    attended a = {.n = 0};
    mask_table table;
    sp_status status = table_open(&table, err);
    if (status == SP_OK)
        status = read_attended(word, o, &a, err);
    if (status == SP_OK)
        status = check_attended(word, o, &a, err);
    if (status == SP_OK)
        status = make_masks(o, &a, err);
    if (status == SP_OK && a.scores.data)
        status = attend(word, &a, err);
    if (status == SP_OK && o->run.output)
        status = write_attended(o, &a, err);
    else if (status == SP_OK)
        print_attended(&table, &a);
    attended_clear(&a);
    return table_close(&table, status, err);
}

/* ---- loss ---- */

typedef struct averaged {
    sp_array losses, mask, weights, lengths; /* the last three without data where they are not given */
    double *w;                               /* [as losses] */
    double mean;
} averaged;

static void averaged_clear(averaged *a)
{
    sp_array *const arrays[] = {&a->losses, &a->mask, &a->weights, &a->lengths};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        sp_array_clear(arrays[i]);
    free(a->w);
}

/* What is named counts; where nothing is named, what the file has. */
static sp_status read_averaged(const char *file, const options *o, averaged *a, sp_error *err)
{
    const bool is_named = o->run.place.mask || o->weights || o->run.place.lengths;
    sp_status status = read_array(file, or_usual(o->masks.losses, "/losses"), SP_ARRAY_F64, o,
                                  "name the dataset of the losses with `losses`", &a->losses, err);
    if (status == SP_OK && (!is_named || o->run.place.mask))
        status = read_optional(file, o->run.place.mask, "/mask", SP_ARRAY_BOOL, o, &a->mask, err);
    if (status == SP_OK && (!is_named || o->weights))
        status = read_optional(file, o->weights, "/weights", SP_ARRAY_F64, o, &a->weights, err);
    if (status == SP_OK && (!is_named || o->run.place.lengths))
        status = read_optional(file, o->run.place.lengths, "/lengths", SP_ARRAY_I64, o, &a->lengths, err);
    return status;
}

static sp_status make_weights(const char *file, const options *o, averaged *a, sp_error *err)
{
    const sp_array *losses = &a->losses;
    char wanted[100];
    shape_text(losses, wanted);
    if (a->mask.data && !is_same_shape(&a->mask, losses))
        return wrong_shape(file, or_usual(o->run.place.mask, "/mask"), &a->mask, wanted, err);
    if (a->weights.data && !is_same_shape(&a->weights, losses))
        return wrong_shape(file, or_usual(o->weights, "/weights"), &a->weights, wanted, err);
    if (a->lengths.data && (losses->rank != 2 || a->lengths.rank != 1 || a->lengths.count != losses->dims[0]))
        return sp_fail(err, SP_EDATA, "%s: %lld lengths do not fit losses of shape %s, which must be [N,T] for N lengths", file,
                       (long long)a->lengths.count, wanted);
    a->w = room(losses->count, sizeof *a->w);
    uint8_t *padding = a->lengths.data ? room(losses->count, 1) : NULL;
    sp_status status = a->w && (padding || !a->lengths.data) ? SP_OK : sp_no_memory(err);
    for (int64_t i = 0; status == SP_OK && i < losses->count; i++)
        a->w[i] = a->weights.data ? ((const double *)a->weights.data)[i] : 1;
    if (status == SP_OK && a->mask.data)
        sp_loss_weights_from_mask(a->mask.data, a->w, losses->count, a->w);
    if (status == SP_OK && padding)
        status = sp_padding_mask_from_lengths(a->lengths.data, losses->dims[0], losses->dims[1], padding, err);
    if (status == SP_OK && padding)
        sp_loss_weights_from_mask(padding, a->w, losses->count, a->w);
    free(padding);
    return status;
}

static sp_status average(const char *file, averaged *a, sp_error *err)
{
    sp_error detail;
    sp_status status = sp_loss_mean(a->losses.data, a->w, a->losses.count, &a->mean, &detail);
    if (status == SP_OK)
        return SP_OK;
    const int64_t width = a->losses.rank > 1 ? a->losses.count / (a->losses.dims[0] ? a->losses.dims[0] : 1) : 1;
    return detail.step < 0
               ? sp_fail(err, status, "%s: %s", file, detail.message)
               : sp_fail_at(err, status, detail.step, "%s: row %lld: %s", file, (long long)(detail.step / width), detail.message);
}

/* Each sequence, where there are several, and all. */
static void print_averaged(mask_table *t, const averaged *a)
{
    const int64_t n = a->losses.rank > 1 ? a->losses.dims[0] : 0, width = n ? a->losses.count / n : 0;
    const double *losses = a->losses.data;
    int64_t counted = 0;
    double total = 0;
    for (int64_t i = 0; i < a->losses.count; i++) {
        counted += a->w[i] > 0;
        total += a->w[i];
    }
    if (n) {
        table_word(t, "row");
        table_word(t, "weight");
        table_word(t, "mean");
        table_end(t);
        t->n_rows = 0;
    }
    for (int64_t i = 0; i < n; i++) {
        double sum = 0, mean;
        char number[24];
        if (!table_has_room(t)) {
            t->n_rows = n;
            break;
        }
        for (int64_t j = i * width; j < (i + 1) * width; j++)
            sum += a->w[j];
        snprintf(number, sizeof number, "%lld", (long long)i);
        table_word(t, number);
        table_cell(t, CELL_NUMBER, sum);
        if (sp_loss_mean(losses + i * width, a->w + i * width, width, &mean, NULL) == SP_OK)
            table_cell(t, CELL_NUMBER, mean);
        else
            table_word(t, "-");
        table_end(t);
    }
    table_rest(t);
    fprintf(t->to, "mean %.6g of %lld losses that count, of %lld; their weights sum to %.6g\n", a->mean, (long long)counted,
            (long long)a->losses.count, total);
}

sp_status mask_loss(const char *word, const options *o, outcome *out, sp_error *err)
{
    (void)out;
    averaged a = {.mean = 0};
    mask_table table;
    sp_status status = table_open(&table, err);
    if (status == SP_OK)
        status = read_averaged(word, o, &a, err);
    if (status == SP_OK)
        status = make_weights(word, o, &a, err);
    if (status == SP_OK)
        status = average(word, &a, err);
    if (status == SP_OK && o->run.output) {
        sp_tensor tensors[] = {{"/mean", SP_TENSOR_F64, 1, {1}, &a.mean}, {"/weights", SP_TENSOR_F64, a.losses.rank, {0}, a.w}};
        memcpy(tensors[1].dims, a.losses.dims, sizeof tensors[1].dims);
        status = write_tensors(o, tensors, a.losses.rank ? 2 : 1, err);
    } else if (status == SP_OK) {
        print_averaged(&table, &a);
    }
    averaged_clear(&a);
    return table_close(&table, status, err);
}
