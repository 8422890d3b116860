/* How probable it is, given the rules and all steps, that a recording reads as having a span: an entity of one type that begins at
 * one step and ends at another. Not installed.
 *
 * What a span is, is told by pairs of neighbouring classes, so that all paths count that read alike there.
 */
#ifndef STATEPATH_DECODE_SPAN_POSTERIOR_H
#define STATEPATH_DECODE_SPAN_POSTERIOR_H

#include "core/scratch.h"
#include "statepath/decode.h"

typedef enum sp_span_pair {
    SP_SPAN_BEGINS,  /* with `now`, where `before` stands before it */
    SP_SPAN_GOES_ON, /* from `before` to `now` */
    SP_SPAN_ENDS     /* with `before`, where `now` follows */
} sp_span_pair;

/* Does a span of a type do that? A class of -1: the side of the recording or of a gap. */
typedef bool sp_span_reads(const void *arg, int32_t type, sp_span_pair pair, int32_t before, int32_t now);

typedef struct sp_span_place {
    int64_t first, last; /* steps, both in it */
    int32_t type;
} sp_span_place;

/* posteriors [n] of spans [n] that ascend, do not overlap, and have no gap inside. Each is the share of all paths' weight, as in
 * advanced.h, whose paths read so: exactly 0 where no allowed path does.
 * SP_OK, SP_ENOPATH, SP_EINVAL, SP_ENOMEM; untouched on failure.
 * Cost  forward and backward once, and an exponential for each transition of a step inside a span. Memory 2 n M doubles. */
sp_status sp_span_posteriors(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch,
                             sp_span_reads *reads, const void *arg, int64_t n, const sp_span_place *spans,
                             double *posteriors, sp_error *err);

#endif
