/* For LD_PRELOAD: makes the allocation number $FAIL_ALLOC of a program fail (0 = the first), once, whoever asks: we, HDF5,
 * jansson, popt or the C library. At the end of the process the number of allocations is written to $FAIL_ALLOC_COUNT, when that
 * is set. With FAIL_ALLOC_TRACE set the calls that led to the failure are written to standard error (addr2line, or a build with
 * -rdynamic, makes names of them). */
#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_llong n_seen;
static long long fails_at = -1;
static atomic_int is_counting;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static int must_fail(void)
{
    if (!is_counting || atomic_fetch_add(&n_seen, 1) != fails_at)
        return 0;
    if (getenv("FAIL_ALLOC_TRACE")) {
        void *calls[40];
        is_counting = 0;
        backtrace_symbols_fd(calls, backtrace(calls, 40), 2);
        is_counting = 1;
    }
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return must_fail() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return must_fail() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return must_fail() ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return must_fail() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (must_fail())
        return ENOMEM;
    *out = __libc_memalign(alignment, size);
    return *out ? 0 : ENOMEM;
}

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("FAIL_ALLOC");
    fails_at = text ? atoll(text) : -1;
    is_counting = 1;
}

__attribute__((destructor)) static void end(void)
{
    const char *file = getenv("FAIL_ALLOC_COUNT");
    char text[32];
    is_counting = 0;
    int out = file ? open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (out < 0)
        return;
    int n = snprintf(text, sizeof text, "%lld\n", (long long)n_seen);
    if (write(out, text, (size_t)n) != n)
        _exit(99);
    close(out);
}
