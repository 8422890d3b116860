/* Files of weights: a network, and how it was trained.
 *
 *   /layer1 .. /layer3/weight f32 [kernel, channels in, channels out], /layer1 .. /layer3/bias f32 [channels out]
 *   /output/weight f32 [features, K], /output/bias f32 [K]
 *   /input/mean, /input/scale f32 [C]: a sample enters as (x - mean) * scale
 *   /shape int64: C, samples, K, then kernel, stride, channels out of each layer; /dropout f64 [1]; /classes names [K]
 *   /history/loss, /accuracy, /test_loss, /test_accuracy f64 [epochs]
 *   /options int64: batch, seed; /rate f64 [1]; attributes statepath_weights "network 1", masking, rules (JSON or "")
 */
#ifndef STATEPATH_NETWORK_WEIGHTS_H
#define STATEPATH_NETWORK_WEIGHTS_H

#include "statepath/files.h"
#include "train.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the weights came about. Texts are owned (malloc). */
typedef struct sp_weights_origin {
    int32_t batch;
    uint32_t seed;
    double rate;
    sp_masking masking;
    char *model; /* JSON of the model whose rules masked, "" without */
} sp_weights_origin;
void sp_weights_origin_clear(sp_weights_origin *origin);

/* Writes all of it, atomically. SP_OK, SP_EFILE, SP_ENOMEM. */
sp_status sp_weights_save(const sp_network *network, const sp_training_state *state,
                          const sp_weights_origin *origin, const char *file, bool force, sp_error *err);

/* Reads the network back, bit for bit. how: may be NULL.
 * SP_OK; SP_EFILE (no such file, no file of weights, damaged); SP_EDATA (weights that are no numbers); SP_ENOMEM. */
sp_status sp_weights_load(const char *file, const sp_file_access *how, sp_network **network, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
