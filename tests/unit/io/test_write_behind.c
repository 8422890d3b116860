/* Writing behind: the file ends up as an image in memory on which the same was put at once. */
#include "check.h"
#include "failing_alloc.h"
#include "made_files.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Behind the writers of HDF5, which give up a file at the first error. */
#include "io/write_behind.h"

enum { MOST = 9 << 20 };

static int setup(void **state)
{
    (void)state;
    made_folder();
    signal(SIGXFSZ, SIG_IGN);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    made_folder_remove();
    return 0;
}

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state >> 11;
}

static void check_image(const char *file, const unsigned char *image, size_t n)
{
    struct stat info;
    assert_int_equal(stat(file, &info), 0);
    assert_int_equal(info.st_size, n);
    unsigned char *found = malloc(n + 1);
    int fd = open(file, O_RDONLY);
    size_t at = 0;
    for (ssize_t got; at < n && (got = read(fd, found + at, n - at)) > 0;)
        at += (size_t)got;
    close(fd);
    assert_int_equal(at, n);
    assert_memory_equal(found, image, n);
    free(found);
}

/* Puts `n_pieces` pieces of up to `longest` bytes, some right after the one before, some over what was put already. */
static void check_pieces(int n_pieces, size_t longest, uint64_t seed)
{
    unsigned char *image = calloc(1, MOST), *bytes = malloc(longest);
    size_t end = 0, next = 0;
    sp_output output;
    sp_error err;
    const char *file = made_path("x.bin");
    assert_ok(sp_output_begin(&output, file, true, NULL, &err), &err);
    sp_write_behind *behind = sp_write_behind_new(&output);
    assert_non_null(behind);
    for (int i = 0; i < n_pieces; i++) {
        const size_t n = 1 + draw(&seed) % longest;
        const size_t at = draw(&seed) % 3 && next + n <= MOST ? next : draw(&seed) % (MOST - n);
        for (size_t k = 0; k < n; k++)
            bytes[k] = (unsigned char)(draw(&seed) & 0xff);
        memcpy(image + at, bytes, n);
        assert_ok(sp_write_behind_put(behind, bytes, n, (int64_t)at, &err), &err);
        memset(bytes, 0xee, n); /* it was copied */
        next = at + n;
        end = next > end ? next : end;
    }
    assert_ok(sp_write_behind_finish(behind, &err), &err);
    sp_write_behind_free(behind);
    assert_ok(sp_output_commit(&output, &err), &err);
    check_image(file, image, end);
    free(image);
    free(bytes);
}

static void test_pieces(void **state)
{
    (void)state;
    check_pieces(1, 10, 1);
    check_pieces(300, 100, 2);   /* more runs than a buffer has places for, in little */
    check_pieces(40, 400000, 3); /* several buffers */
    check_pieces(6, 3 << 20, 4); /* pieces longer than a buffer */
    check_pieces(5000, 2000, 5);
}

/* The file may not grow beyond 2 MiB: said by one of the calls that follow, at the latest when it is finished; and by each after.
 */
static void test_no_room(void **state)
{
    (void)state;
    static unsigned char bytes[1 << 16];
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    for (int n = 31; n <= 200; n += 169) {
        sp_output output;
        sp_error err = {.status = SP_OK};
        assert_ok(sp_output_begin(&output, made_path("full.bin"), true, NULL, &err), &err);
        sp_write_behind *behind = sp_write_behind_new(&output);
        limit = before;
        limit.rlim_cur = n < 100 ? 1 << 20 : 2 << 20;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        sp_status status = SP_OK;
        int put = 0;
        for (; status == SP_OK && put < n; put++)
            status = sp_write_behind_put(behind, bytes, sizeof bytes, put * (int64_t)sizeof bytes, &err);
        if (n > 100)
            assert_in_range(put, 32, 120); /* it does not go on for long */
        sp_error last = {.status = SP_OK};
        const sp_status finished = sp_write_behind_finish(behind, &last);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(finished, SP_EFILE);
        const char *sentence =
            "FILE: cannot be written, the file would be larger than allowed here (File too large); nothing "
            "was written; see ulimit -f";
        assert_sentence(last.message, sentence, made_path("full.bin"));
        if (status != SP_OK)
            assert_sentence(err.message, sentence, made_path("full.bin"));
        sp_write_behind_free(behind);
        sp_output_abort(&output);
        assert_int_equal(access(made_path("full.bin"), F_OK), -1);
    }
}

/* Given up with buffers on their way. */
static void test_given_up(void **state)
{
    (void)state;
    static unsigned char bytes[1 << 16];
    for (int n = 0; n < 100; n += 33) {
        sp_output output;
        sp_error err;
        assert_ok(sp_output_begin(&output, made_path("gone.bin"), false, NULL, &err), &err);
        sp_write_behind *behind = sp_write_behind_new(&output);
        for (int i = 0; i < n; i++)
            assert_ok(sp_write_behind_put(behind, bytes, sizeof bytes, i * (int64_t)sizeof bytes, &err),
                      &err);
        sp_write_behind_free(behind);
        sp_output_abort(&output);
        assert_int_equal(access(made_path("gone.bin"), F_OK), -1);
    }
    sp_write_behind_free(NULL);
}

static sp_status attempt(void *arg)
{
    static unsigned char bytes[3 << 20];
    sp_output output;
    sp_error err;
    sp_status status = sp_output_begin(&output, arg, true, NULL, &err);
    if (status != SP_OK)
        return status;
    sp_write_behind *behind = sp_write_behind_new(&output);
    status = behind ? sp_write_behind_put(behind, bytes, sizeof bytes, 0, &err) : SP_ENOMEM;
    if (status == SP_OK)
        status = sp_write_behind_finish(behind, &err);
    sp_write_behind_free(behind);
    sp_output_abort(&output);
    return status;
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(assert_each_alloc_may_fail(attempt, (void *)(intptr_t)made_path("alloc.bin")) >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pieces), cmocka_unit_test(test_no_room),
                                       cmocka_unit_test(test_given_up),
                                       cmocka_unit_test(test_each_allocation_may_fail)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
