#include "io/paths_kept.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/temporary.h"

enum { BLOCK_STEPS = 1 << 18 };

static sp_status failed(const sp_kept_paths *k, int reason, sp_error *err)
{
    return reason == ENOMEM
               ? sp_no_memory(err)
               : sp_fail(err, SP_EFILE,
                         "%s: cannot be written, nor a file beside it that keeps the paths meanwhile (%s)",
                         k->info.file, strerror(reason));
}

static sp_status write_at(const sp_kept_paths *k, const void *bytes, size_t left, off_t at, sp_error *err)
{
    for (const char *from = bytes; left > 0;) {
        const ssize_t done = pwrite(k->fd, from, left, at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return failed(k, done == 0 ? ENOSPC : errno, err);
        at += done;
        from += done;
        left -= (size_t)done;
    }
    return SP_OK;
}

static off_t place_of(const sp_kept_paths *k, int32_t row, int64_t first_step)
{
    return (off_t)((row * k->info.n_steps + first_step) * (int64_t)sizeof(int32_t));
}

static off_t value_place(const sp_kept_paths *k, int32_t row, int64_t first_step)
{
    return place_of(k, k->info.n_strategies + 1, 0) +
           (off_t)((row * k->info.n_steps + first_step) * (int64_t)sizeof(double));
}

/* All steps -1, until those that take part come. */
static sp_status fill_holes(const sp_kept_paths *k, sp_error *err)
{
    int32_t none[4096];
    sp_status status = SP_OK;
    const int64_t all = (k->info.n_strategies + 1) * k->info.n_steps,
                  most = (int64_t)(sizeof none / sizeof *none);
    memset(none, 0xff, sizeof none);
    for (int64_t i = 0; status == SP_OK && i < all; i += most)
        status = write_at(k, none, (size_t)(all - i < most ? all - i : most) * sizeof *none,
                          (off_t)(i * (int64_t)sizeof *none), err);
    return status;
}

sp_status sp_kept_paths_open(sp_kept_paths *k, const char *file, const sp_paths_header *header,
                             bool with_values, sp_error *err)
{
    char *name = NULL;
    k->fd = -1;
    k->info = (sp_paths_info){.file = file,
                              .n_recordings = header->n_recordings,
                              .n_steps = header->holes ? header->holes->n_steps : header->n_steps,
                              .offsets = header->holes ? header->holes->offsets : header->offsets,
                              .ids = header->ids,
                              .n_classes = header->n_classes,
                              .classes = header->classes,
                              .has_labels = header->with_labels,
                              .has_segments = header->with_segments,
                              .n_strategies = header->n_strategies};
    k->strategies = sp_texts_copy(header->strategies, header->n_strategies);
    k->info.strategies = (const char *const *)k->strategies;
    k->results = calloc((size_t)header->n_strategies * (size_t)header->n_recordings + 1, sizeof *k->results);
    if (!k->strategies || !k->results)
        return sp_no_memory(err);
    k->fd = sp_temporary_create(file, 0600, &name);
    if (k->fd < 0)
        return failed(k, errno, err);
    (void)unlink(name);
    free(name);
    k->holes = header->holes;
    k->gaps = header->gaps ? header->gaps : "join";
    k->n_kept = header->n_steps;
    k->n_values = with_values ? 1 + header->n_extras : 0;
    if (with_values && ftruncate(k->fd, value_place(k, k->n_values, 0)) != 0)
        return failed(k, errno, err);
    return k->holes ? fill_holes(k, err) : SP_OK;
}

void sp_kept_paths_close(sp_kept_paths *k)
{
    if (k->fd >= 0)
        (void)close(k->fd);
    free(k->strategies);
    free(k->results);
}

/* Values [n] of so many bytes, of a row that begins at `row`. Where steps have holes between them: run by run of those that stand
 * beside each other. */
static sp_status keep(const sp_kept_paths *k, off_t row, size_t size, int64_t first_step, int64_t n,
                      const void *values, sp_error *err)
{
    const off_t each = (off_t)size;
    if (!k->holes)
        return write_at(k, values, (size_t)n * size, row + first_step * each, err);
    const int64_t *step_at = k->holes->step_at + first_step;
    sp_status status = SP_OK;
    for (int64_t i = 0, run; status == SP_OK && i < n; i += run) {
        for (run = 1; i + run < n && step_at[i + run] == step_at[i] + run; run++)
            ;
        status = write_at(k, (const char *)values + (size_t)i * size, (size_t)run * size,
                          row + step_at[i] * each, err);
    }
    return status;
}

sp_status sp_kept_paths_add(sp_kept_paths *k, int32_t strategy, int64_t first, int64_t n_recordings,
                            int64_t first_step, int64_t n_steps, const sp_decode_output *output,
                            sp_error *err)
{
    memcpy(k->results + strategy * k->info.n_recordings + first, output->results,
           (size_t)n_recordings * sizeof *k->results);
    k->n_written += n_recordings + n_steps;
    return keep(k, place_of(k, strategy, 0), sizeof *output->paths, first_step, n_steps, output->paths, err);
}

sp_status sp_kept_paths_add_labels(sp_kept_paths *k, int64_t first_step, int64_t n_steps,
                                   const int32_t *labels, const int64_t *segments, sp_error *err)
{
    sp_status status = SP_OK;
    if (k->info.has_labels && labels)
        status =
            keep(k, place_of(k, k->info.n_strategies, 0), sizeof *labels, first_step, n_steps, labels, err);
    if (status == SP_OK && k->n_values && k->info.has_segments && segments)
        status = keep(k, value_place(k, 0, 0), sizeof *segments, first_step, n_steps, segments, err);
    return status;
}

sp_status sp_kept_paths_put(sp_kept_paths *k, int32_t extra, int64_t first_step, int64_t n_steps,
                            const double *values, sp_error *err)
{
    return keep(k, value_place(k, 1 + extra, 0), sizeof *values, first_step, n_steps, values, err);
}

sp_status sp_kept_paths_check(const sp_kept_paths *k, sp_error *err)
{
    const int64_t all = k->info.n_strategies * (k->info.n_recordings + k->n_kept);
    return k->n_written == all
               ? SP_OK
               : sp_fail(err, SP_EINVAL, "%s: %lld of %lld values were written; the file is given up",
                         k->info.file, (long long)k->n_written, (long long)all);
}

int64_t sp_kept_paths_fit(const sp_paths_info *info, int64_t first)
{
    int64_t n = 1;
    while (first + n < info->n_recordings &&
           info->offsets[first + n + 1] - info->offsets[first] <= BLOCK_STEPS)
        n++;
    return n;
}

static sp_status read_at(const sp_kept_paths *k, void *out, size_t left, off_t at, sp_error *err)
{
    for (char *to = out; left > 0;) {
        const ssize_t done = pread(k->fd, to, left, at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return failed(k, done == 0 ? EIO : errno, err);
        at += done;
        to += done;
        left -= (size_t)done;
    }
    return SP_OK;
}

static size_t steps_of(const sp_kept_paths *k, int64_t first, int64_t count)
{
    return (size_t)(k->info.offsets[first + count] - k->info.offsets[first]);
}

sp_status sp_kept_paths_read(const sp_kept_paths *k, int32_t row, int64_t first, int64_t count, int32_t *out,
                             sp_error *err)
{
    return read_at(k, out, steps_of(k, first, count) * sizeof *out, place_of(k, row, k->info.offsets[first]),
                   err);
}

sp_status sp_kept_paths_segments(const sp_kept_paths *k, int64_t first, int64_t count, int64_t *out,
                                 sp_error *err)
{
    return read_at(k, out, steps_of(k, first, count) * sizeof *out, value_place(k, 0, k->info.offsets[first]),
                   err);
}

sp_status sp_kept_paths_values(const sp_kept_paths *k, int32_t extra, int64_t first, int64_t count,
                               double *out, sp_error *err)
{
    return read_at(k, out, steps_of(k, first, count) * sizeof *out,
                   value_place(k, 1 + extra, k->info.offsets[first]), err);
}
