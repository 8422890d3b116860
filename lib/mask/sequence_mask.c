#include "statepath/mask.h"

#include <math.h>

#include "core/numbers.h"

static sp_status check_lengths(const int64_t *lengths, int64_t n, int64_t t, sp_error *err)
{
    for (int64_t i = 0; i < n; i++)
        if (lengths[i] < 0 || lengths[i] > t)
            return sp_fail(err, SP_EINVAL,
                           "sequence %lld has length %lld, which does not fit into %lld steps", (long long)i,
                           (long long)lengths[i], (long long)t);
    return SP_OK;
}

sp_status sp_padding_mask_from_lengths(const int64_t *lengths, int64_t n, int64_t t, uint8_t *mask,
                                       sp_error *err)
{
    sp_status status = check_lengths(lengths, n, t, err);
    for (int64_t i = 0; status == SP_OK && i < n; i++)
        for (int64_t j = 0; j < t; j++)
            mask[i * t + j] = j < lengths[i];
    return status;
}

void sp_last_real_steps(const uint8_t *mask, int64_t n, int64_t t, int64_t *last)
{
    for (int64_t i = 0; i < n; i++) {
        last[i] = t - 1;
        while (last[i] >= 0 && !mask[i * t + last[i]])
            last[i]--;
    }
}

sp_status sp_sequences_pad(const double *values, const int64_t *lengths, int64_t n, int64_t t, int64_t width,
                           double padding, double *out, sp_error *err)
{
    sp_status status = check_lengths(lengths, n, t, err);
    for (int64_t i = 0; status == SP_OK && i < n; i++) {
        const int64_t real = lengths[i] * width;
        for (int64_t j = 0; j < t * width; j++)
            out[i * t * width + j] = j < real ? values[j] : padding;
        values += real;
    }
    return status;
}

void sp_causal_mask(int64_t t, uint8_t *mask)
{
    sp_attention_mask(NULL, true, 1, t, mask);
}

void sp_mask_to_additive(const uint8_t *mask, int64_t count, sp_dtype dtype, void *out)
{
    for (int64_t i = 0; i < count; i++)
        number_put(out, dtype, (size_t)i, mask[i] ? 0 : -INFINITY);
}

/* May query i of sequence n look at key j? The one rule of both forms. */
static inline bool may_look(const uint8_t *padding, bool is_causal, int64_t n, int64_t t, int64_t i,
                            int64_t j)
{
    return (!padding || padding[n * t + j]) && (!is_causal || j <= i);
}

void sp_attention_mask(const uint8_t *padding, bool is_causal, int64_t n, int64_t t, uint8_t *mask)
{
    for (int64_t s = 0; s < n; s++)
        for (int64_t i = 0; i < t; i++)
            for (int64_t j = 0; j < t; j++)
                mask[(s * t + i) * t + j] = may_look(padding, is_causal, s, t, i, j);
}

void sp_attention_mask_additive(const uint8_t *padding, bool is_causal, int64_t n, int64_t t, sp_dtype dtype,
                                void *out)
{
    for (int64_t s = 0; s < n; s++)
        for (int64_t i = 0; i < t; i++)
            for (int64_t j = 0; j < t; j++)
                number_put(out, dtype, (size_t)((s * t + i) * t + j),
                           may_look(padding, is_causal, s, t, i, j) ? 0 : -INFINITY);
}

/* scores + additive at key j of a row; -INFINITY where masked, whatever the score is. */
static inline double attention_at(const sp_attention *a, int64_t row, int32_t j)
{
    size_t at = (size_t)row * (size_t)a->n_keys + (size_t)j;
    double bias = a->additive ? number_get(a->additive, a->dtype, at) : 0;
    return bias == -INFINITY ? bias : number_get(a->scores, a->dtype, at) + bias;
}

static bool is_real(const sp_attention *a, int64_t row)
{
    return !a->real_queries || a->real_queries[row];
}

static sp_status check_attention_row(const sp_attention *a, int64_t row, sp_error *err)
{
    long long item = (long long)(row / a->n_queries), query = (long long)(row % a->n_queries);
    bool sees = false;
    for (int32_t j = 0; j < a->n_keys; j++) {
        double x = attention_at(a, row, j);
        if (!number_is_score(x))
            return sp_fail_at(err, SP_EDATA, row,
                              "item %lld, query %lld, key %d: the score with its mask is %s", item, query,
                              (int)j, isnan(x) ? "NaN" : "+infinity");
        sees = sees || x > -INFINITY;
    }
    if (!sees)
        return sp_fail_at(err, SP_EDATA, row,
                          "item %lld, query %lld: every key is masked, so there is nothing to look at; let "
                          "it see a key, or mark the "
                          "query as padding (real_queries)",
                          item, query);
    return SP_OK;
}

static void softmax_attention_row(const sp_attention *a, int64_t row, void *out)
{
    size_t first = (size_t)row * (size_t)a->n_keys;
    if (!is_real(a, row)) {
        for (int32_t j = 0; j < a->n_keys; j++)
            number_put(out, a->dtype, first + (size_t)j, 0);
        return;
    }
    double max = -INFINITY, total = 0;
    for (int32_t j = 0; j < a->n_keys; j++) { /* not fmax(): gcc 12 for aarch64 fails over it */
        double x = attention_at(a, row, j);
        max = x > max ? x : max;
    }
    for (int32_t j = 0; j < a->n_keys; j++)
        total += exp(attention_at(a, row, j) - max); /* exp(-INFINITY) is 0, exactly */
    for (int32_t j = 0; j < a->n_keys; j++)
        number_put(out, a->dtype, first + (size_t)j, exp(attention_at(a, row, j) - max) / total);
}

sp_status sp_attention_softmax(const sp_attention *attention, void *out, sp_error *err)
{
    int64_t n_rows = attention->n_items * attention->n_queries;
    for (int64_t row = 0; row < n_rows; row++) {
        sp_status status = is_real(attention, row) ? check_attention_row(attention, row, err) : SP_OK;
        if (status != SP_OK)
            return status;
    }
    for (int64_t row = 0; row < n_rows; row++)
        softmax_attention_row(attention, row, out);
    return SP_OK;
}

void sp_attention_mix(const double *weights, const double *values, int64_t n, int64_t n_queries,
                      int64_t n_keys, int64_t width, double *out)
{
    for (int64_t row = 0; row < n * n_queries; row++) {
        const double *p = weights + row * n_keys, *v = values + row / n_queries * n_keys * width;
        for (int64_t d = 0; d < width; d++) {
            double sum = 0;
            for (int64_t j = 0; j < n_keys; j++)
                sum += p[j] == 0 ? 0 : p[j] * v[j * width + d];
            out[row * width + d] = sum;
        }
    }
}
