/* Every allocation made to fail once.
 *
 * The test programs are linked so that malloc, calloc, realloc, aligned_alloc, posix_memalign, strdup and strndup of our own code
 * pass through here (the C library's, HDF5's and jansson's own calls do not). Counting is safe with threads.
 */
#ifndef TEST_FAILING_ALLOC_H
#define TEST_FAILING_ALLOC_H

#include <stdbool.h>
#include <stdint.h>

#include "statepath/status.h"

/* From now on allocation n (0 = the next one) fails, once. */
void failing_alloc_arm(int64_t n);

/* No allocation fails any more. Returns whether one did since failing_alloc_arm(). */
bool failing_alloc_disarm(void);

/* Calls attempt(arg) with its allocation 0, 1, 2, ... failing until it gets by without one. Each failed attempt must return
 * SP_ENOMEM, the last one SP_OK, else the test fails. attempt() frees what it made and, when it returns SP_ENOMEM, has checked
 * that its outputs are untouched. Returns the number of allocations that were made to fail. */
int64_t assert_each_alloc_may_fail(sp_status (*attempt)(void *arg), void *arg);

/* The same where work can be done without some of the memory: a failed attempt returns SP_ENOMEM, or SP_OK, and then attempt()
 * has checked that the answer is the right one. */
int64_t assert_each_alloc_may_fail_or_not_matter(sp_status (*attempt)(void *arg), void *arg);

#endif
