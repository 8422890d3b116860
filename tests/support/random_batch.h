/* Random batches, and the answers of sp_decode_batch() on them. */
#ifndef TEST_RANDOM_BATCH_H
#define TEST_RANDOM_BATCH_H

#include "random_model.h"
#include "statepath/decode.h"

/* Many recordings of one random model with whole-number scores, some of which cannot be decoded. */
typedef struct random_batch {
    random_case c; /* its scores are those of all recordings, one after the other */
    sp_batch batch;
    int64_t *offsets; /* [N+1] */
} random_batch;

/* Up to 6 classes; max_states also bounds the minimum dwell. Recordings are 0 .. longest steps long. */
random_batch random_batch_new(uint64_t seed, int64_t n_recordings, int32_t longest,
                              int32_t max_states_per_class);
void random_batch_free(random_batch *f);

/* What sp_decode_batch() writes; filled with 0x55 before. */
typedef struct answer {
    int32_t *paths;
    sp_decoded *results;
    uint8_t *broken;
} answer;

answer answer_new(const sp_batch *batch);
void answer_free(answer *a);
sp_decode_output answer_output(const answer *a);

/* The answer on so many threads; the call must succeed. */
answer answer_decode(int n_threads, const sp_chain *chain, const sp_batch *batch,
                     const sp_decode_options *options);

/* By the instruction set `isa`, which the machine must have; sp_isa_best() is in use afterwards. */
answer answer_by(sp_isa isa, sp_workers *workers, const sp_chain *chain, const sp_batch *batch,
                 const sp_decode_options *options);

/* The same bytes, padding aside. */
void assert_same_result(const sp_decoded *a, const sp_decoded *b);
void assert_same_answer(const sp_batch *batch, const answer *a, const answer *b);

/* Fails with the seed, what was decoded and the first step that differs. */
void assert_same_path(uint64_t seed, const char *what, const int32_t *path, const int32_t *expected,
                      int64_t n_steps);

#endif
