/* Recordings in parts, whose borders do not depend on the number of threads; each part has sums of its own, added in order. */
#include "decode/kernels/field.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/workers.h"
#include "decode/kernels/isa_kernels.h"

typedef struct field_run {
    const sp_field *field;
    sp_field_kernel *kernel;
    sp_field_part shared; /* its matrices */
    int64_t n_parts, n_sums;
    double *sums; /* [n_parts, n_sums] */
    atomic_bool has_failed;
} field_run;

static void run_parts(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    field_run *run = arg;
    const int64_t N = run->field->n_recordings, matrix = run->field->n_classes * run->shared.n_row;
    for (int64_t p = first; p < last; p++) {
        sp_field_part part = run->shared;
        part.moves = run->sums + p * run->n_sums;
        part.moves_in_logs = part.moves + matrix;
        part.starts = part.moves_in_logs + matrix;
        part.ends = part.starts + part.n_row;
        for (int64_t n = N * p / run->n_parts; n < N * (p + 1) / run->n_parts && !run->has_failed; n++)
            if (!run->kernel(&part, n, scratch))
                run->has_failed = true;
    }
}

/* linear, turned [K,n_row]: 1 behind the classes, where a sum that is 0 would be looked at. */
static void make_matrices(const sp_field *field, sp_field_part *part, double *linear, double *turned)
{
    const int64_t K = field->n_classes, R = part->n_row;
    part->greatest = -INFINITY;
    for (int64_t i = 0; i < K * K; i++)
        part->greatest = field->move[i] > part->greatest ? field->move[i] : part->greatest;
    if (part->greatest == -INFINITY)
        part->greatest = 0;
    for (int64_t i = 0; i < K * R; i++)
        linear[i] = turned[i] = 1;
    for (int64_t i = 0; i < K; i++)
        for (int64_t j = 0; j < K; j++)
            linear[i * R + j] = turned[j * R + i] = exp(field->move[i * K + j] - part->greatest);
    part->linear = linear;
    part->turned = turned;
}

static void add_parts(const field_run *run)
{
    const sp_field *f = run->field;
    const int64_t K = f->n_classes, R = run->shared.n_row;
    double *sum = run->sums;
    for (int64_t i = run->n_sums; i < run->n_parts * run->n_sums; i++)
        sum[i % run->n_sums] += sum[i];
    for (int64_t i = 0; i < K; i++)
        for (int64_t j = 0; j < K; j++)
            f->by_move[i * K + j] = sum[i * R + j] * run->shared.linear[i * R + j] + sum[(K + i) * R + j];
    memcpy(f->by_start, sum + 2 * K * R, (size_t)K * sizeof *sum);
    memcpy(f->by_end, sum + (2 * K + 1) * R, (size_t)K * sizeof *sum);
}

/* Zeros, aligned for vectors. count: a multiple of SP_FIELD_ROUND. */
static double *zeros(int64_t count)
{
    double *x = aligned_alloc(64, (size_t)(count + SP_FIELD_ROUND) * sizeof *x);
    if (x)
        memset(x, 0, (size_t)count * sizeof *x);
    return x;
}

sp_status sp_field_run(const sp_field *field, sp_workers *workers, sp_error *err)
{
    enum { MOST_PARTS = 32, MOST_SUMS = 1 << 22 };
    const int64_t K = field->n_classes, R = (K + SP_FIELD_ROUND - 1) / SP_FIELD_ROUND * SP_FIELD_ROUND;
    field_run run = {.field = field,
                     .kernel = sp_isa_kernels_of(sp_isa_current())->field,
                     .shared = {.field = field, .n_row = R},
                     .n_sums = 2 * (K + 1) * R};
    const int64_t fit = MOST_SUMS / run.n_sums, most = fit < 1 ? 1 : fit < MOST_PARTS ? fit : MOST_PARTS;
    run.n_parts = field->n_recordings < most ? field->n_recordings : most;
    sp_scratch *own = workers ? NULL : sp_scratch_new();
    double *matrices = zeros(2 * K * R);
    run.sums = zeros((run.n_parts + 1) * run.n_sums);
    const bool has_room = (workers || own) && matrices && run.sums;
    if (has_room) {
        make_matrices(field, &run.shared, matrices, matrices + K * R);
        if (workers)
            sp_workers_share(workers, run.n_parts, run_parts, &run);
        else
            run_parts(&run, own, 0, run.n_parts);
        if (field->by_move)
            add_parts(&run);
    }
    free(run.sums);
    free(matrices);
    sp_scratch_free(own);
    return has_room && !run.has_failed ? SP_OK : sp_no_memory(err);
}
