/* statepath mask attention: what each step may look at, the weights of attention under it, and what they mix. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "mask/mask_arrays.h"
#include "mask/mask_commands.h"

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
    const bool wants_mask = o->run.place.mask != NULL, wants_lengths = o->run.place.lengths != NULL;
    sp_status status = SP_OK;
    if (word_is_list(word))
        return lengths_parse(word, &a->lengths, err);
    if (wants_mask && wants_lengths)
        return sp_fail(err, SP_EINVAL, "`mask` and `lengths` both say which steps are real; give one");
    TRY(array_read_optional(word, o->run.place.scores, "/scores", SP_ARRAY_F64, o, &a->scores, err));
    if (a->scores.data)
        TRY(array_read_optional(word, o->values, "/values", SP_ARRAY_F64, o, &a->values, err));
    if (!wants_mask)
        TRY(array_read_optional(word, o->run.place.lengths, "/lengths", SP_ARRAY_I64, o, &a->lengths, err));
    if (!wants_lengths && !a->lengths.data)
        TRY(array_read_optional(word, o->run.place.mask, "/mask", SP_ARRAY_BOOL, o, &a->real, err));
    if (a->lengths.data)
        TRY(lengths_check(word, o, &a->lengths, err));
    else if (!a->real.data && !a->scores.data)
        status = sp_fail(err, SP_EFILE,
                         "%s: has neither scores [N,T,T] nor lengths [N] nor a mask [N,T]; name them with "
                         "`scores`, `lengths` or `mask`",
                         word);
done:
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
        return shape_wrong(word, or_usual(o->run.place.scores, "/scores"), &a->scores,
                           "[N,T,T], query by key", err);
    if (a->real.data && a->real.rank != 2)
        return shape_wrong(word, or_usual(o->run.place.mask, "/mask"), &a->real, "[N,T]", err);
    a->n = a->scores.data ? a->scores.dims[0] : a->real.data ? a->real.dims[0] : a->lengths.count;
    a->t = a->scores.data ? a->scores.dims[1] : a->real.data ? a->real.dims[1] : steps_of(o, &a->lengths);
    snprintf(wanted, sizeof wanted, "[%lld, %lld]", (long long)a->n, (long long)a->t);
    if (a->real.data && (a->real.dims[0] != a->n || a->real.dims[1] != a->t))
        return shape_wrong(word, or_usual(o->run.place.mask, "/mask"), &a->real, wanted, err);
    if (a->lengths.data && a->lengths.count != a->n)
        return sp_fail(err, SP_EDATA, "%s: there are %lld lengths for %lld sequences of scores", word,
                       (long long)a->lengths.count, (long long)a->n);
    snprintf(wanted, sizeof wanted, "[%lld, %lld, D]", (long long)a->n, (long long)a->t);
    if (a->values.data && (a->values.rank != 3 || a->values.dims[0] != a->n || a->values.dims[1] != a->t))
        return shape_wrong(word, or_usual(o->values, "/values"), &a->values, wanted, err);
    a->width = a->values.data ? a->values.dims[2] : 0;
    sp_status status = size_check(a->n, a->t, a->t, err);
    return status == SP_OK && a->t > INT32_MAX ? sp_fail(err, SP_EDATA, "%s: too many steps", word) : status;
}

static sp_status make_masks(const options *o, attended *a, sp_error *err)
{
    const int64_t count = a->n * a->t * a->t;
    const bool is_causal = o->causal;
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
    return tensors_write(o, tensors, a->mixed ? 4 : a->weights ? 3 : 2, err);
}

/* The same for [N,T,width]: a row of table_rows() is a query of an item. */
static void table_items(mask_table *t, cell_form form, const double *x, int64_t n, int64_t n_queries,
                        int64_t width)
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
    sp_status status = SP_OK;
    TRY(table_open(&table, err));
    TRY(read_attended(word, o, &a, err));
    TRY(check_attended(word, o, &a, err));
    TRY(make_masks(o, &a, err));
    if (a.scores.data)
        TRY(attend(word, &a, err));
    if (o->run.output)
        TRY(write_attended(o, &a, err));
    else
        print_attended(&table, &a);
done:
    attended_clear(&a);
    return table_close(&table, status, err);
}
