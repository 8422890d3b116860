#include "decode/own_chains.h"

#include <stdlib.h>

/* Recordings first .. first+n-1 as a batch, whose offsets [n+1] are filled in. */
static sp_batch part_of(const sp_batch *all, int64_t first, int64_t n, int64_t *offsets)
{
    const int64_t from = all->offsets[first];
    sp_batch part = *all;
    for (int64_t i = 0; i <= n; i++)
        offsets[i] = all->offsets[first + i] - from;
    part.n_recordings = n;
    part.offsets = offsets;
    part.scores.n_steps = offsets[n];
    part.scores.data = (const char *)all->scores.data +
                       (size_t)from * (size_t)all->scores.n_classes * (size_t)all->scores.dtype;
    if (part.scores.given)
        part.scores.given += from * all->scores.n_classes;
    part.scores.segments = all->scores.segments ? all->scores.segments + from : NULL;
    return part;
}

/* Where the answers of recordings from `first` on go, whose first step is `from`. N best paths and draws cannot be shifted: they lie path
 * by path over all steps. */
static sp_decode_output output_of(const sp_decode_output *all, int64_t first, int64_t from)
{
    return (sp_decode_output){.paths = all->paths + from,
                              .results = all->results + first,
                              .broken = all->broken ? all->broken + from : NULL,
                              .confidence = all->confidence ? all->confidence + from : NULL,
                              .log_partition = all->log_partition ? all->log_partition + first : NULL,
                              .margins = all->margins ? all->margins + first : NULL};
}

sp_status sp_decode_batch_by(const sp_chain *const *chains, const int32_t *of, const sp_batch *batch,
                             const sp_decode_options *options, sp_workers *workers,
                             const sp_decode_output *output, sp_error *err)
{
    const int64_t N = batch->n_recordings;
    if (output->n_best > 0 || output->draw.n > 0)
        return sp_fail(err, SP_EINVAL,
                       "%s of recordings that have rules of their own are not given; ask for one path",
                       output->n_best > 0 ? "N best paths" : "draws");
    int64_t *offsets = malloc(((size_t)N + 1) * sizeof *offsets);
    sp_status status = offsets ? SP_OK : sp_no_memory(err);
    for (int64_t first = 0, end; status == SP_OK && first < N; first = end) {
        for (end = first + 1; end < N && of[end] == of[first]; end++)
            ;
        const sp_batch part = part_of(batch, first, end - first, offsets);
        const sp_decode_output to = output_of(output, first, batch->offsets[first]);
        status = sp_decode_batch(chains[of[first]], &part, options, workers, &to, err);
    }
    free(offsets);
    return status;
}
