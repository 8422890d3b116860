/* Workers in a forked child: it has none of the parent's threads, decodes to the same bytes with its own, and frees them. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "random_batch.h"
#include "statepath/decode.h"

#if defined(__SANITIZE_THREAD__)
#define HAS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAS_TSAN 1
#endif
#endif
#ifdef HAS_TSAN
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0"; /* a child that starts threads is what is tested */
}
#endif

enum { MOST_SECONDS = 60 }; /* a child that hangs is ended, and fails the test */

static const uint64_t seed = 20240611;

static answer decode(const random_batch *f, sp_workers *workers)
{
    answer a = answer_new(&f->batch);
    sp_decode_options options = sp_decode_options_default();
    options.relax = true;
    sp_decode_output output = answer_output(&a);
    sp_error err;
    assert_ok(sp_decode_batch(f->c.chain, &f->batch, &options, workers, &output, &err), &err);
    return a;
}

/* As assert_same_answer(), in a child, where cmocka cannot tell. */
static bool is_same(const sp_batch *batch, const answer *a, const answer *b)
{
    for (int64_t n = 0; n < batch->n_recordings; n++)
        if (a->results[n].status != b->results[n].status || a->results[n].score != b->results[n].score)
            return false;
    return memcmp(a->paths, b->paths, (size_t)batch->scores.n_steps * sizeof *a->paths) == 0;
}

static int child_exit_status(pid_t child)
{
    int how = 0;
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &how, 0), child);
    if (WIFSIGNALED(how))
        fail_msg("the child ended by signal %d (%d: it hung)", WTERMSIG(how), SIGALRM);
    return WEXITSTATUS(how);
}

static void check_children(int n_threads, bool is_used_before)
{
    random_batch f = random_batch_new(seed, 3000, 40, 1);
    sp_workers *workers = sp_workers_new(n_threads);
    assert_non_null(workers);
    answer expected = answer_decode(1, f.c.chain, &f.batch,
                                    &(sp_decode_options){.strategy = {SP_VITERBI, 0}, .relax = true});
    for (int round = 0; round < 20; round++) {
        if (is_used_before) {
            answer mine = decode(&f, workers);
            assert_true(is_same(&f.batch, &mine, &expected));
            answer_free(&mine);
        }
        /* Now and then the child frees at once, or forks again. */
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            alarm(MOST_SECONDS);
            bool is_good = true;
            pid_t grandchild = round % 3 == 1 ? fork() : 0;
            if (round % 3 != 2) {
                answer a = decode(&f, workers);
                is_good = is_same(&f.batch, &a, &expected);
                answer_free(&a);
            }
            sp_workers_free(workers);
            if (grandchild > 0) {
                int how = 0;
                is_good = waitpid(grandchild, &how, 0) == grandchild && WIFEXITED(how) &&
                          WEXITSTATUS(how) == 0 && is_good;
            }
            _exit(is_good ? 0 : 1);
        }
        assert_int_equal(child_exit_status(child), 0);
    }
    answer after = decode(&f, workers); /* the parent's threads are as they were */
    assert_true(is_same(&f.batch, &after, &expected));
    answer_free(&after);
    answer_free(&expected);
    sp_workers_free(workers);
    random_batch_free(&f);
}

static void test_fork_after_a_call(void **state)
{
    (void)state;
    check_children(2, true);
    check_children(7, true);
}

static void test_fork_before_any_call(void **state)
{
    (void)state;
    check_children(2, false);
    check_children(7, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fork_after_a_call),
                                       cmocka_unit_test(test_fork_before_any_call)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
