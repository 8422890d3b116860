/* statepath mask padding: which steps of padded sequences are real, and the sequences padded. */
#include <stdio.h>
#include <stdlib.h>

#include "core/try.h"
#include "mask/mask_arrays.h"
#include "mask/mask_commands.h"

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
    const char *path = or_usual(o->values, "/values");
    int64_t total = 0;
    sp_status status = array_read_optional(word, o->values, "/values", SP_ARRAY_F64, o, &p->ragged, err);
    if (status != SP_OK || !p->ragged.data)
        return status;
    if (p->ragged.rank != 1 && p->ragged.rank != 2)
        return shape_wrong(word, path, &p->ragged, "[S] or [S,D], the sequences one after the other", err);
    for (int64_t i = 0; i < p->n; i++)
        total += ((const int64_t *)p->lengths.data)[i];
    if (total != p->ragged.dims[0])
        return sp_fail(err, SP_EDATA, "%s: dataset %s has %lld rows, but the lengths add up to %lld", word,
                       path, (long long)p->ragged.dims[0], (long long)total);
    p->width = p->ragged.rank == 2 ? p->ragged.dims[1] : 1;
    return size_check(p->n, p->t, p->width, err);
}

static sp_status make_padded(const char *word, const options *o, padded *p, sp_error *err)
{
    sp_status status = SP_OK;
    int64_t count = 0;
    TRY(lengths_read(word, o, &p->lengths, err));
    p->n = p->lengths.count;
    p->t = steps_of(o, &p->lengths);
    TRY(size_check(p->n, p->t, 1, err));
    count = p->n * p->t;
    p->mask = room(count, 1);
    p->additive = room(count, sizeof *p->additive);
    p->last = room(p->n, sizeof *p->last);
    if (!p->mask || !p->additive || !p->last)
        return sp_no_memory(err);
    TRY(sp_padding_mask_from_lengths(p->lengths.data, p->n, p->t, p->mask, err));
    sp_mask_to_additive(p->mask, count, SP_F64, p->additive);
    sp_last_real_steps(p->mask, p->n, p->t, p->last);
    if (!word_is_list(word))
        TRY(read_ragged(word, o, p, err));
    if (p->ragged.data) {
        p->batch = room(count * p->width, sizeof *p->batch);
        TRY(!p->batch ? sp_no_memory(err)
                      : sp_sequences_pad(p->ragged.data, p->lengths.data, p->n, p->t, p->width, o->fill,
                                         p->batch, err));
    }
done:
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
    return tensors_write(o, tensors, p->batch ? 5 : 4, err);
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
    sp_status status = SP_OK;
    TRY(table_open(&table, err));
    TRY(make_padded(word, o, &p, err));
    if (o->run.output) {
        TRY(write_padded(o, &p, err));
    } else {
        p.shown = as_numbers(p.mask, p.n * p.t);
        TRY(p.shown ? SP_OK : sp_no_memory(err));
        print_padded(&table, &p);
    }
done:
    padded_clear(&p);
    return table_close(&table, status, err);
}
