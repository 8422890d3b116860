/* The limit that memory sets: all bytes of an array, read and added up. */
#ifndef BENCH_STREAM_H
#define BENCH_STREAM_H

#include <stddef.h>
#include <stdint.h>

/* The sum of `bytes` (a multiple of 8) as whole numbers, by one thread or by two, a half each. In a file of
 * its own, so that compilers do not find out when nobody looks at the sum. */
uint64_t stream_read(const void *data, size_t bytes, int threads);

#endif
