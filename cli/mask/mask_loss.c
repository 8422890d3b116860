/* statepath mask loss: the mean of the losses that count. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "mask/mask_arrays.h"
#include "mask/mask_commands.h"

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
    sp_status status = SP_OK;
    TRY(array_read(file, or_usual(o->losses, "/losses"), SP_ARRAY_F64, o,
                   "name the dataset of the losses with `losses`", &a->losses, err));
    if (!is_named || o->run.place.mask)
        TRY(array_read_optional(file, o->run.place.mask, "/mask", SP_ARRAY_BOOL, o, &a->mask, err));
    if (!is_named || o->weights)
        TRY(array_read_optional(file, o->weights, "/weights", SP_ARRAY_F64, o, &a->weights, err));
    if (!is_named || o->run.place.lengths)
        TRY(array_read_optional(file, o->run.place.lengths, "/lengths", SP_ARRAY_I64, o, &a->lengths, err));
done:
    return status;
}

static bool is_same_shape(const sp_array *a, const sp_array *b)
{
    bool is_same = a->rank == b->rank;
    for (int d = 0; is_same && d < a->rank; d++)
        is_same = a->dims[d] == b->dims[d];
    return is_same;
}

static sp_status make_weights(const char *file, const options *o, averaged *a, sp_error *err)
{
    const sp_array *losses = &a->losses;
    char wanted[100];
    shape_text(losses, wanted);
    if (a->mask.data && !is_same_shape(&a->mask, losses))
        return shape_wrong(file, or_usual(o->run.place.mask, "/mask"), &a->mask, wanted, err);
    if (a->weights.data && !is_same_shape(&a->weights, losses))
        return shape_wrong(file, or_usual(o->weights, "/weights"), &a->weights, wanted, err);
    if (a->lengths.data && (losses->rank != 2 || a->lengths.rank != 1 || a->lengths.count != losses->dims[0]))
        return sp_fail(err, SP_EDATA,
                       "%s: %lld lengths do not fit losses of shape %s, which must be [N,T] for N lengths",
                       file, (long long)a->lengths.count, wanted);
    a->w = room(losses->count, sizeof *a->w);
    uint8_t *padding = a->lengths.data ? room(losses->count, 1) : NULL;
    sp_status status = SP_OK;
    TRY(a->w && (padding || !a->lengths.data) ? SP_OK : sp_no_memory(err));
    for (int64_t i = 0; i < losses->count; i++)
        a->w[i] = a->weights.data ? ((const double *)a->weights.data)[i] : 1;
    if (a->mask.data)
        sp_loss_weights_from_mask(a->mask.data, a->w, losses->count, a->w);
    if (padding) {
        TRY(sp_padding_mask_from_lengths(a->lengths.data, losses->dims[0], losses->dims[1], padding, err));
        sp_loss_weights_from_mask(padding, a->w, losses->count, a->w);
    }
done:
    free(padding);
    return status;
}

static sp_status average(const char *file, averaged *a, sp_error *err)
{
    sp_error detail;
    sp_status status = sp_loss_mean(a->losses.data, a->w, a->losses.count, &a->mean, &detail);
    if (status == SP_OK)
        return SP_OK;
    const int64_t width =
        a->losses.rank > 1 ? a->losses.count / (a->losses.dims[0] ? a->losses.dims[0] : 1) : 1;
    return detail.step < 0 ? sp_fail(err, status, "%s: %s", file, detail.message)
                           : sp_fail_at(err, status, detail.step, "%s: row %lld: %s", file,
                                        (long long)(detail.step / width), detail.message);
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
    fprintf(t->to, "mean %.6g of %lld losses that count, of %lld; their weights sum to %.6g\n", a->mean,
            (long long)counted, (long long)a->losses.count, total);
}

sp_status mask_loss(const char *word, const options *o, outcome *out, sp_error *err)
{
    (void)out;
    averaged a = {.mean = 0};
    mask_table table;
    sp_status status = SP_OK;
    TRY(table_open(&table, err));
    TRY(read_averaged(word, o, &a, err));
    TRY(make_weights(word, o, &a, err));
    TRY(average(word, &a, err));
    if (o->run.output) {
        sp_tensor tensors[] = {{"/mean", SP_TENSOR_F64, 1, {1}, &a.mean},
                               {"/weights", SP_TENSOR_F64, a.losses.rank, {0}, a.w}};
        memcpy(tensors[1].dims, a.losses.dims, sizeof tensors[1].dims);
        TRY(tensors_write(o, tensors, a.losses.rank ? 2 : 1, err));
    } else {
        print_averaged(&table, &a);
    }
done:
    averaged_clear(&a);
    return table_close(&table, status, err);
}
