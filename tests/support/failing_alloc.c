#include "failing_alloc.h"

#include <errno.h>
#include <stdatomic.h>

#include "check.h"

static atomic_llong countdown = -1; /* allocations to go until one fails; below 0: none */
static atomic_bool has_failed;

void failing_alloc_arm(int64_t n)
{
    has_failed = false;
    countdown = n;
}

bool failing_alloc_disarm(void)
{
    countdown = -1;
    return has_failed;
}

static bool must_fail(void)
{
    if (countdown < 0 || atomic_fetch_sub(&countdown, 1) != 0)
        return false;
    has_failed = true;
    errno = ENOMEM;
    return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **out, size_t alignment, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **out, size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);

void *__wrap_malloc(size_t size)
{
    return must_fail() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return must_fail() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return must_fail() ? NULL : __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return must_fail() ? NULL : __real_aligned_alloc(alignment, size);
}

int __wrap_posix_memalign(void **out, size_t alignment, size_t size)
{
    return must_fail() ? ENOMEM : __real_posix_memalign(out, alignment, size);
}

char *__wrap_strdup(const char *text)
{
    return must_fail() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t size)
{
    return must_fail() ? NULL : __real_strndup(text, size);
}

static int64_t fail_each(sp_status (*attempt)(void *arg), void *arg, bool may_succeed)
{
    enum {
        FIRST = 200,
        EACH = 7
    }; /* with sanitizers, which are slow, a share of the later ones; the release has all */
    const bool is_light = getenv("STATEPATH_LIGHT") != NULL;
    for (int64_t n = 0;; n += is_light && n >= FIRST ? EACH : 1) {
        failing_alloc_arm(n);
        sp_status status = attempt(arg);
        if (!failing_alloc_disarm()) {
            if (status != SP_OK)
                fail_msg("nothing was made to fail after %lld allocations, yet: %s", (long long)n,
                         sp_status_name(status));
            return n;
        }
        if (status != SP_ENOMEM && !(may_succeed && status == SP_OK))
            fail_msg("allocation %lld failed and the status was: %s", (long long)n, sp_status_name(status));
    }
}

int64_t assert_each_alloc_may_fail(sp_status (*attempt)(void *arg), void *arg)
{
    return fail_each(attempt, arg, false);
}

int64_t assert_each_alloc_may_fail_or_not_matter(sp_status (*attempt)(void *arg), void *arg)
{
    return fail_each(attempt, arg, true);
}
