#include "decode/kernels/lanes/argmax_long.h"

#include "core/best_class.h"
#include "decode/kernels/isa_kernels.h"
#include "decode/recording.h"

/* Not a power of two: lanes at such distances would meet in a few lines of the cache. */
enum { CHUNK = 1024 + 2 * SP_LANES_TILE };

typedef struct long_argmax {
    sp_isa isa;
    sp_lane_rules rules; /* none */
    const sp_scores *scores;
    int32_t *path;
    bool *is_left; /* [n_chunks] a step of it allows no class */
    int64_t n_chunks;
} long_argmax;

/* As many chunks as there are lanes. */
static void choose_bands(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    const long_argmax *c = arg;
    const int32_t lanes = sp_lanes_count(c->isa);
    const size_t chunk_bytes = (size_t)CHUNK * (size_t)c->scores->n_classes * (size_t)c->scores->dtype;
    (void)scratch;
    for (int64_t begin = first * lanes; begin < last * lanes && begin < c->n_chunks; begin += lanes) {
        const int32_t n = (int32_t)(c->n_chunks - begin < lanes ? c->n_chunks - begin : lanes);
        sp_lane_group group = {.rules = &c->rules, .dtype = c->scores->dtype, .n_lanes = n};
        for (int32_t lane = 0; lane < lanes; lane++) {
            const int64_t chunk = begin + (lane < n ? lane : 0);
            group.rows[lane] = (const char *)c->scores->data + (size_t)chunk * chunk_bytes;
            group.length[lane] = lane < n ? CHUNK : 0;
            group.path[lane] = lane < n ? c->path + chunk * CHUNK : NULL;
        }
        sp_isa_kernels_of(c->isa)->argmax(&group);
        for (int32_t lane = 0; lane < n; lane++)
            c->is_left[begin + lane] = group.is_left[lane];
    }
}

sp_status sp_argmax_long(sp_isa isa, const sp_chain *chain, const sp_scores *scores, sp_workers *workers,
                         int32_t *path, double *score)
{
    long_argmax c = {.isa = isa, .scores = scores, .path = path, .n_chunks = scores->n_steps / CHUNK};
    sp_verifier verifier;
    double row[SP_LANES_MOST_CLASSES];
    const int32_t lanes = sp_lanes_count(isa);
    c.is_left = sp_scratch_get(sp_workers_scratch(workers), (size_t)c.n_chunks, sizeof *c.is_left);
    if (!c.is_left)
        return SP_ENOMEM;
    sp_lane_rules_free(&c.rules, chain->n_classes);
    sp_workers_share(workers, (c.n_chunks + lanes - 1) / lanes, choose_bands, &c);
    for (int64_t chunk = 0; chunk < c.n_chunks; chunk++)
        if (c.is_left[chunk])
            return SP_ENOPATH;
    for (int64_t t = c.n_chunks * CHUNK; t < scores->n_steps; t++)
        if ((path[t] = sp_best_class(scores, t, sp_row(scores, t, row), NULL)) < 0)
            return SP_ENOPATH;
    sp_verifier_init(&verifier, chain);
    *score = sp_verifier_score(&verifier, scores, path);
    return SP_OK;
}
