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
               : sp_fail(err, SP_EFILE, "%s: cannot be written, nor a file beside it that keeps the paths meanwhile (%s)",
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

/* All steps -1, until those that take part come. */
static sp_status fill_holes(const sp_kept_paths *k, sp_error *err)
{
    int32_t none[4096];
    sp_status status = SP_OK;
    const int64_t all = (k->info.n_strategies + 1) * k->info.n_steps, most = (int64_t)(sizeof none / sizeof *none);
    memset(none, 0xff, sizeof none);
    for (int64_t i = 0; status == SP_OK && i < all; i += most)
        status =
            write_at(k, none, (size_t)(all - i < most ? all - i : most) * sizeof *none, (off_t)(i * (int64_t)sizeof *none), err);
    return status;
}

sp_status sp_kept_paths_open(sp_kept_paths *k, const char *file, const sp_paths_header *header, sp_error *err)
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
    return k->holes ? fill_holes(k, err) : SP_OK;
}

void sp_kept_paths_close(sp_kept_paths *k)
{
    if (k->fd >= 0)
        (void)close(k->fd);
    free(k->strategies);
    free(k->results);
}

static off_t place_of(const sp_kept_paths *k, int32_t row, int64_t first_step)
{
    return (off_t)((row * k->info.n_steps + first_step) * (int64_t)sizeof(int32_t));
}

/* Where steps have holes between them: run by run of those that stand beside each other. */
static sp_status keep(sp_kept_paths *k, int32_t row, int64_t first_step, int64_t n, const int32_t *values, sp_error *err)
{
    if (!k->holes)
        return write_at(k, values, (size_t)n * sizeof *values, place_of(k, row, first_step), err);
    const int64_t *step_at = k->holes->step_at + first_step;
    sp_status status = SP_OK;
    for (int64_t i = 0, run; status == SP_OK && i < n; i += run) {
        for (run = 1; i + run < n && step_at[i + run] == step_at[i] + run; run++)
            ;
        status = write_at(k, values + i, (size_t)run * sizeof *values, place_of(k, row, step_at[i]), err);
    }
    return status;
}

sp_status sp_kept_paths_add(sp_kept_paths *k, int32_t strategy, int64_t first, int64_t n_recordings, int64_t first_step,
                            int64_t n_steps, const sp_decode_output *output, sp_error *err)
{
    if (n_recordings > 0)
        memcpy(k->results + strategy * k->info.n_recordings + first, output->results, (size_t)n_recordings * sizeof *k->results);
    k->n_written += n_recordings + n_steps;
    return keep(k, strategy, first_step, n_steps, output->paths, err);
}

sp_status sp_kept_paths_add_labels(sp_kept_paths *k, int64_t first_step, int64_t n_steps, const int32_t *labels, sp_error *err)
{
    return k->info.has_labels && labels ? keep(k, k->info.n_strategies, first_step, n_steps, labels, err) : SP_OK;
}

sp_status sp_kept_paths_check(const sp_kept_paths *k, sp_error *err)
{
    const int64_t all = k->info.n_strategies * (k->info.n_recordings + k->n_kept);
    return k->n_written == all ? SP_OK
                               : sp_fail(err, SP_EINVAL, "%s: %lld of %lld values were written; the file is given up",
                                         k->info.file, (long long)k->n_written, (long long)all);
}

int64_t sp_kept_paths_fit(const sp_paths_info *info, int64_t first)
{
    int64_t n = 1;
    while (first + n < info->n_recordings && info->offsets[first + n + 1] - info->offsets[first] <= BLOCK_STEPS)
        n++;
    return n;
}

sp_status sp_kept_paths_read(const sp_kept_paths *k, int32_t row, int64_t first, int64_t count, int32_t *out, sp_error *err)
{
    const int64_t *offsets = k->info.offsets;
    char *to = (char *)out;
    off_t at = place_of(k, row, offsets[first]);
    for (size_t left = (size_t)(offsets[first + count] - offsets[first]) * sizeof *out; left > 0;) {
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
