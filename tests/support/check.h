/* What every test includes: cmocka and its required headers, and macros for what the library returns. */
#ifndef TEST_CHECK_H
#define TEST_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statepath/status.h"

/* The call succeeds, else the test fails with the library's sentence. */
#define assert_ok(call, err)                                                                                 \
    do {                                                                                                     \
        sp_status assert_ok_status = (call);                                                                 \
        if (assert_ok_status != SP_OK)                                                                       \
            fail_msg("%s: %s: %s", #call, sp_status_name(assert_ok_status), (err)->message);                 \
    } while (0)

/* |a - b| <= abs_tol + rel_tol * |b|; infinities must be equal; NaN never passes. */
#define assert_close(a, b, abs_tol, rel_tol)                                                                 \
    do {                                                                                                     \
        double assert_a = (a), assert_b = (b);                                                               \
        if (!(assert_a == assert_b || fabs(assert_a - assert_b) <= (abs_tol) + (rel_tol)*fabs(assert_b)))    \
            fail_msg("%s = %.17g, expected %.17g", #a, assert_a, assert_b);                                  \
    } while (0)

/* A figure (sp_value) that is defined, and close to `expected`; one that is not, for this reason. */
#define assert_value(v, expected)                                                                            \
    do {                                                                                                     \
        if ((v).undefined)                                                                                   \
            fail_msg("%s is undefined: %s", #v, (v).undefined);                                              \
        assert_close((v).value, expected, 1e-12, 0);                                                         \
    } while (0)
#define assert_undefined(v, reason)                                                                          \
    do {                                                                                                     \
        assert_non_null((v).undefined);                                                                      \
        assert_string_equal((v).undefined, reason);                                                          \
    } while (0)

/* With STATEPATH_LIGHT, which is set under sanitizers, case i is left out unless it is one of `share`: a fault of memory
 * shows in the first of many. */
static inline bool is_left_out(int64_t i, int64_t share)
{
    return getenv("STATEPATH_LIGHT") && i % share != 0;
}

/* A file of the shared folder, or NULL (the test then calls skip()). Static buffer. */
const char *shared_file(const char *relative);

#endif
