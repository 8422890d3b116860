#include "core/block.h"
#include "statepath/scores.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Places in `memory` and `capacity`. */
enum { OFFSETS, SCORES, LABELS, SEGMENTS, WEIGHTS, MASK, TAKEN_OFF, GIVEN, N_ARRAYS };

sp_block *sp_block_new(void)
{
    sp_block *block = calloc(1, sizeof *block);
    if (block)
        block->dtype = SP_F32;
    return block;
}

void sp_block_free(sp_block *block)
{
    if (!block)
        return;
    for (int i = 0; i < N_ARRAYS; i++)
        free(block->memory[i]);
    free(block);
}

static void block_clear(sp_block *block)
{
    block->n_recordings = block->n_steps = 0;
    block->n_classes = 0;
    block->first_step = 0;
    block->offsets = NULL;
    block->scores = NULL;
    block->labels = NULL;
    block->segments = NULL;
    block->weights = NULL;
    block->mask = NULL;
    block->taken_off = NULL;
    block->given = NULL;
}

/* Memory for a * b items of `size` bytes in place i, NULL when there is none. What was there is lost, so that the old and the
 * new array never stand in memory together. */
static void *block_room(sp_block *block, int i, uint64_t a, uint64_t b, size_t size)
{
    if (b && a > (SIZE_MAX / 2) / b / size)
        return NULL;
    size_t need = (size_t)(a * b) * size;
    if (need == 0)
        need = size; /* an array that was asked for is never NULL */
    if (need > block->capacity[i]) {
        free(block->memory[i]);
        block->memory[i] = malloc(need);
        block->capacity[i] = block->memory[i] ? need : 0;
    }
    return block->memory[i];
}

sp_status sp_block_reserve(sp_block *block, int64_t n_recordings, int64_t n_steps, int32_t n_classes,
                           sp_dtype dtype, unsigned parts, sp_error *err)
{
    assert(n_recordings >= 0 && n_steps >= 0 && n_classes >= 0 && (dtype == SP_F32 || dtype == SP_F64));
    block_clear(block);
    block->n_recordings = n_recordings;
    block->n_steps = n_steps;
    block->n_classes = n_classes;
    block->dtype = dtype;
    block->offsets = block_room(block, OFFSETS, (uint64_t)n_recordings + 1, 1, sizeof *block->offsets);
    if (block->offsets && sp_block_add_parts(block, parts, err) == SP_OK)
        return SP_OK;
    block_clear(block);
    return sp_no_memory(err);
}

sp_status sp_block_add_parts(sp_block *block, unsigned parts, sp_error *err)
{
    const uint64_t steps = (uint64_t)block->n_steps, classes = (uint64_t)block->n_classes;
    const bool adds_scores = parts & SP_BLOCK_SCORES && !block->scores,
               adds_labels = parts & SP_BLOCK_LABELS && !block->labels;
    const bool adds_segments = parts & SP_BLOCK_SEGMENTS && !block->segments;
    const bool adds_weights = parts & SP_BLOCK_WEIGHTS && !block->weights,
               adds_mask = parts & SP_BLOCK_MASK && !block->mask;
    if (adds_scores)
        block->scores = block_room(block, SCORES, steps, classes, (size_t)block->dtype);
    if (adds_labels)
        block->labels = block_room(block, LABELS, steps, 1, sizeof *block->labels);
    if (adds_segments)
        block->segments = block_room(block, SEGMENTS, steps, 1, sizeof *block->segments);
    if (adds_weights)
        block->weights = block_room(block, WEIGHTS, steps, 1, sizeof *block->weights);
    if (adds_mask)
        block->mask = block_room(block, MASK, steps, classes, 1);
    const bool is_whole = (block->scores || !adds_scores) && (block->labels || !adds_labels) &&
                          (block->segments || !adds_segments) && (block->weights || !adds_weights) &&
                          (block->mask || !adds_mask);
    return is_whole ? SP_OK : sp_no_memory(err);
}

sp_status sp_block_take_off(sp_block *block, double weight, const double *log_prior, sp_error *err)
{
    block->taken_off = NULL;
    if (weight == 0)
        return SP_OK;
    block->taken_off = block_room(block, TAKEN_OFF, (uint64_t)block->n_classes, 1, sizeof *block->taken_off);
    if (!block->taken_off)
        return sp_no_memory(err);
    for (int32_t k = 0; k < block->n_classes; k++)
        block->taken_off[k] = weight * log_prior[k];
    return SP_OK;
}

sp_status sp_block_keep_given(sp_block *block, sp_error *err)
{
    const size_t n = (size_t)block->n_steps * (size_t)block->n_classes;
    block->given =
        block_room(block, GIVEN, (uint64_t)block->n_steps, (uint64_t)block->n_classes, sizeof *block->given);
    if (!block->given)
        return sp_no_memory(err);
    memcpy(block->given, block->scores, n * sizeof *block->given);
    return SP_OK;
}

/* n floats to n doubles at the same place. From the end, piece by piece: the doubles of a piece end where floats are that have
 * been read. The piece between is what keeps loads and stores of two types at one address in order. */
static void widen(void *items, size_t n)
{
    enum { PIECE = 512 };
    float piece[PIECE];
    while (n) {
        size_t count = n < PIECE ? n : PIECE;
        n -= count;
        memcpy(piece, (const char *)items + n * sizeof(float), count * sizeof(float));
        double *to = (double *)items + n;
        for (size_t i = 0; i < count; i++)
            to[i] = (double)piece[i];
    }
}

sp_status sp_block_widen(sp_block *block, const float **narrow, sp_error *err)
{
    *narrow = NULL;
    if (block->dtype == SP_F64)
        return SP_OK;
    if (block->scores) {
        size_t n = (size_t)block->n_steps * (size_t)block->n_classes, need = (n ? n : 1) * sizeof(double);
        const bool owns = block->scores == block->memory[SCORES];
        if (need > block->capacity[SCORES]) {
            void *room = n > SIZE_MAX / 2 / sizeof(double) ? NULL : realloc(block->memory[SCORES], need);
            if (!room)
                return sp_no_memory(err);
            block->memory[SCORES] = room;
            block->capacity[SCORES] = need;
        }
        if (owns)
            widen(block->memory[SCORES], n);
        else
            *narrow = block->scores;
        block->scores = block->memory[SCORES];
    }
    block->dtype = SP_F64;
    return SP_OK;
}

sp_batch sp_block_batch(const sp_block *block)
{
    sp_batch batch = {.scores = {.data = block->scores,
                                 .dtype = block->dtype,
                                 .n_classes = block->n_classes,
                                 .n_steps = block->n_steps,
                                 .segments = block->segments,
                                 .taken_off = block->taken_off,
                                 .given = block->given},
                      .n_recordings = block->n_recordings,
                      .offsets = block->offsets};
    return batch;
}

/* Appends to text[*used ..], cut where it is full, always terminated. */
__attribute__((format(printf, 4, 5))) static void append(char *text, size_t size, size_t *used,
                                                         const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text + *used, size - *used, format, arguments);
    va_end(arguments);
    if (n > 0)
        *used = (size_t)n < size - *used ? *used + (size_t)n : size - 1;
}

/* The dataset's path with each {id} replaced by the recording's id. */
static void append_dataset(char *text, size_t size, size_t *used, const char *dataset, const char *id)
{
    const char *hole;
    while (id && (hole = strstr(dataset, "{id}")) != NULL) {
        append(text, size, used, "%.*s%s", (int)(hole - dataset), dataset, id);
        dataset = hole + 4;
    }
    append(text, size, used, "%s, ", dataset);
}

int64_t sp_recording_at(const int64_t *offsets, int64_t n_recordings, int64_t t)
{
    int64_t low = 0, high = n_recordings; /* offsets[low] <= t < offsets[high] */
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (offsets[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int64_t sp_block_where(const sp_block *block, int64_t row, int32_t k, char *text, size_t size)
{
    assert(size > 0 && row >= 0 && row < block->n_steps);
    int64_t n = block->offsets ? sp_recording_at(block->offsets, block->n_recordings, row) : 0;
    int64_t step = (block->offsets ? row - block->offsets[n] : row) + (n == 0 ? block->first_step : 0);
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)block->first + n);
    const char *id = block->ids && block->ids[n] ? block->ids[n] : number;

    size_t used = 0;
    text[0] = '\0';
    if (block->file)
        append(text, size, &used, "%s: ", block->file);
    if (block->dataset)
        append_dataset(text, size, &used, block->dataset, block->ids ? id : NULL);
    append(text, size, &used, "recording %s, step %lld", id, (long long)step);
    if (k >= 0 && block->classes)
        append(text, size, &used, ", class %s", block->classes[k]);
    else if (k >= 0)
        append(text, size, &used, ", class %d", (int)k);
    return step;
}
