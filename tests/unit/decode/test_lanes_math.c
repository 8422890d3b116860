/* exp and log in lanes against the C library's in long double (whose own rounding is up to 0.2 ulp here). */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "random_model.h"

#include "decode/kernels/lanes/lanes.h"

#define LANE_W 2
#include "decode/kernels/lanes/lanes_vector.h"

#include "core/exp_log.h"

/* Units in the last place of `expected` that x is off. */
static double ulps(double x, long double expected)
{
    double nearest = (double)expected, ulp = nextafter(fabs(nearest), INFINITY) - fabs(nearest);
    return (double)(fabsl(x - expected) / ulp);
}

static void exp_is_exact_to_its_last_digit(void **state)
{
    (void)state;
    static const long double high = 0x1.62e42feep-1L,
                             low = 0x1.a39ef35793c7673007e5ed5e81e69p-33L; /* ln 2, high times n is exact */
    random_source random = {1};
    for (int i = 0; i < 300000; i++) {
        double span = i % 3 == 0 ? 1 : i % 3 == 1 ? 100 : 690;
        double best = (i % 2 ? 300000 : 20) * (2 * random_unit(&random) - 1), x = best - span * random_unit(&random);
        vd power = nearest_power(spread(best));
        double shift = (power - spread(integer_at))[0], found = scaled_exp(spread(x), power)[0];
        assert_true(ulps(found, expl((x - shift * high) - shift * low)) < 1.25);
    }
    assert_true(scaled_exp(spread(0), nearest_power(spread(0)))[0] == 1);
}

static void log_is_exact_to_its_last_digit(void **state)
{
    (void)state;
    random_source random = {2};
    for (int i = 0; i < 300000; i++) {
        double x = i % 2 ? exp(-600 * random_unit(&random)) : 0.5 + random_unit(&random);
        assert_true(ulps(normal_log(spread(x))[0], logl(x)) < 1);
    }
    assert_true(normal_log(spread(1))[0] == 0);
    assert_close(normal_log(spread(0x1p-800))[0], -800 * log(2), 0, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_is_exact_to_its_last_digit),
        cmocka_unit_test(log_is_exact_to_its_last_digit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
