/* Recordings in few bytes and without loss, as a page holds them; not installed.
 *
 * Scores are kept to the last bit, before temperature and prior, so that both can be changed where they are unpacked. They are
 * coded by an adaptive binary arithmetic coder, which knows nothing but integers, so the bytes are the same on every machine:
 *
 *     is the number one of those seen before?   then its place in a table of these (votes: a fraction of a byte)
 *     else its bytes, the highest first         four where all numbers of the recording are floats, else eight
 *
 * What has been packed foretells what follows: recordings are unpacked in the order in which they were packed.
 *
 * Source  Witten, Neal and Cleary 1987, doi:10.1145/214762.214771; bounds of 32 bits and no carry as in Mahoney's fpaq0.
 */
#ifndef STATEPATH_CORE_PACKED_SCORES_H
#define STATEPATH_CORE_PACKED_SCORES_H

#include <stddef.h>
#include <stdint.h>

#include "statepath/status.h"

/* What has been seen so far, 600 kB; NULL: no memory. One for packing, another for unpacking. */
typedef struct sp_packer sp_packer;
sp_packer *sp_packer_new(void);
void sp_packer_free(sp_packer *packer);

/* One recording. */
typedef struct sp_packed_steps {
    int64_t n_steps;
    int32_t n_classes;
    double
        *scores; /* [T,K] nats, -INFINITY allowed; NaN, of which there is only one: the step says nothing */
    int32_t *labels; /* [T] -1..254; or NULL */
    uint8_t *gaps;   /* [T] 0 or 1; or NULL */
} sp_packed_steps;

/* Packs a recording into *bytes [*n], which the caller frees. SP_OK; SP_EINVAL: it takes more than `most` bytes, and nothing has
 * happened; SP_ENOMEM. 0.3 us a number. */
sp_status sp_pack(sp_packer *packer, const sp_packed_steps *steps, size_t most, uint8_t **bytes, size_t *n);

/* Fills in the arrays of `steps`. Bytes that sp_pack() did not make give numbers all the same. */
void sp_unpack(sp_packer *packer, const uint8_t *bytes, size_t n, const sp_packed_steps *steps);

#endif
