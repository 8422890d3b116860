#include "drawn.h"

#include "check.h"
#include "oracle.h"

enum { DRAWS = 400, LEAST_EXPECTED = 5 };

/* The path of a number: its digits to base K. */
static void path_of(int64_t number, const sp_scores *scores, int32_t *path)
{
    for (int64_t t = 0; t < scores->n_steps; t++, number /= scores->n_classes)
        path[t] = (int32_t)(number % scores->n_classes);
}

static int64_t number_of(const sp_scores *scores, const int32_t *path)
{
    int64_t number = 0;
    for (int64_t t = scores->n_steps - 1; t >= 0; t--)
        number = number * scores->n_classes + path[t];
    return number;
}

/* Adds the chi-square of the counts to the tally. Paths that are too rare for it count as one; they are left out where they are too
 * rare all together. */
static void add_chi_square(const double *probability, const int *count, int64_t n, uint64_t seed,
                           drawn_tally *tally)
{
    double rare = 0, chi_square = 0;
    int n_rare = 0, n_cells = 0;
    for (int64_t i = 0; i < n; i++) {
        const double expected = probability[i] * DRAWS, off = count[i] - expected;
        if (expected >= LEAST_EXPECTED) {
            chi_square += off * off / expected;
            n_cells++;
        } else {
            rare += expected;
            n_rare += count[i];
        }
    }
    if (rare >= LEAST_EXPECTED) {
        chi_square += (n_rare - rare) * (n_rare - rare) / rare;
        n_cells++;
    } else if (n_rare > 4 * LEAST_EXPECTED) {
        fail_msg("seed %llu: %d draws of paths of which %.3g are expected", (unsigned long long)seed, n_rare,
                 rare);
    }
    if (n_cells < 2)
        return;
    const double freedom = n_cells - 1;
    if (chi_square > freedom + 7 * sqrt(2 * freedom) + 7)
        fail_msg("seed %llu: chi-square %.4g of %g degrees of freedom", (unsigned long long)seed, chi_square,
                 freedom);
    tally->excess += chi_square - freedom;
    tally->variance += 2 * freedom;
    tally->n_cases++;
}

void check_drawn(const sp_chain *chain, const sp_scores *scores, uint64_t seed, path_weight *weight,
                 void *arg, sp_scratch *scratch, drawn_tally *tally)
{
    const int64_t n = llround(pow(scores->n_classes, (double)scores->n_steps));
    const sp_draw_options options = {.n = DRAWS, .seed = seed};
    double *probability = calloc((size_t)n, sizeof *probability), z = 0;
    int *count = calloc((size_t)n, sizeof *count);
    int32_t *draws = malloc(DRAWS * ORACLE_STEPS * sizeof *draws), path[ORACLE_STEPS];
    sp_error err;
    assert_true(probability && count && draws);
    for (int64_t i = 0; i < n; i++) {
        path_of(i, scores, path);
        z += probability[i] = weight(arg, path);
    }
    for (int64_t i = 0; i < n; i++)
        probability[i] /= z;
    assert_ok(sp_draws(chain, scores, &options, scratch, draws, ORACLE_STEPS, &err), &err);
    for (int r = 0; r < DRAWS; r++) {
        const int64_t i = number_of(scores, draws + r * ORACLE_STEPS);
        if (probability[i] == 0)
            fail_msg("seed %llu: draw %d is not allowed", (unsigned long long)seed, r);
        count[i]++;
    }
    add_chi_square(probability, count, n, seed, tally);
    free(probability);
    free(count);
    free(draws);
}

void assert_drawn(const drawn_tally *tally)
{
    if (fabs(tally->excess) > 5 * sqrt(tally->variance))
        fail_msg("chi-squares of %d cases are %.4g above their degrees of freedom, %.3g standard deviations",
                 tally->n_cases, tally->excess, tally->excess / sqrt(tally->variance));
}
