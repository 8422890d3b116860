/* Made signals: recipes, what is in the signals, and the files they become. */
#include "check.h"
#include "failing_alloc.h"
#include "made_files.h"
#include "recipe_text.h"
#include "statepath/model_json.h"
#include "statepath/signals_file.h"

#include <hdf5.h>
#include <unistd.h>

static sp_recipe *recipe_of(const char *text)
{
    sp_error err;
    sp_recipe *recipe = NULL;
    assert_ok(recipe_from_text(text, &recipe, &err), &err);
    return recipe;
}

#define HEAD                                                                                                 \
    "{\"statepath_recipe\": 1, \"seed\": 5, \"classes\": [\"Wake\", \"N1\", \"N2\", \"N3\", \"REM\"], "      \
    "\"recordings\": 6, "                                                                                    \
    "\"steps\": 20, \"start\": {\"Wake\": 0.5, \"N1\": 0.25, \"N2\": 0.25},\n\"transitions\": [[0.95, "      \
    "0.05, 0, 0, 0], "                                                                                       \
    "[0.05, 0.9, 0.05, 0, 0], [0, 0.02, 0.9, 0.07, 0.01], [0, 0, 0.05, 0.95, 0], [0.02, 0, 0.03, 0, "        \
    "0.95]],\n"
#define TONES                                                                                                \
    "\"tones\": {\"Wake\": [[0.8, 12], [0.6, 20]], \"N1\": [[0.9, 10], [0.5, 18]], \"N2\": [[1, 8], [0.7, "  \
    "14]], "                                                                                                 \
    "\"N3\": [[1.1, 6], [0.8, 12]], \"REM\": [[0.7, 15], [0.4, 22]]}"
#define CHANNELS "\"channels\": [{\"noise\": 0.8}, {\"gain\": 0.7, \"noise\": 0.3}]"
#define SLEEP HEAD "\"signals\": {\"rate\": 100, \"samples\": 3000, " TONES ", " CHANNELS ", \"test\": 2"

typedef struct made {
    sp_recipe *recipe;
    sp_signal_maker *maker;
    sp_signal_nights nights;
    float *x; /* [S, C, samples] */
} made;

static made make(sp_recipe *recipe)
{
    sp_error err;
    made m = {.recipe = recipe};
    assert_ok(sp_signal_maker_new(recipe, &m.maker, &err), &err);
    m.nights = sp_signal_maker_nights(m.maker);
    m.x = malloc((size_t)m.nights.n_steps * (size_t)recipe->signals->n_channels *
                 (size_t)recipe->signals->n_samples * sizeof *m.x);
    sp_signal_maker_draw(m.maker, m.nights.n_steps / 3, m.x); /* in two parts: it goes on where it stopped */
    sp_signal_maker_draw(m.maker, m.nights.n_steps - m.nights.n_steps / 3,
                         m.x +
                             m.nights.n_steps / 3 * recipe->signals->n_channels * recipe->signals->n_samples);
    return m;
}

static void unmake(made *m)
{
    sp_signal_maker_free(m->maker);
    sp_recipe_free(m->recipe);
    free(m->x);
}

static const float *signal_of(const made *m, int64_t step, int32_t channel)
{
    const sp_signal_recipe *s = m->recipe->signals;
    return m->x + (step * s->n_channels + channel) * s->n_samples;
}

/* Amplitude and phase of the tone at f Hz: 2/n sum x exp(-i w t). For whole numbers of periods others do not leak in. */
static double amplitude_at(const float *x, int64_t n, double rate, double hertz, double *phase)
{
    double re = 0, im = 0;
    for (int64_t i = 0; i < n; i++) {
        re += x[i] * sin(2 * M_PI * hertz * (double)i / rate);
        im += x[i] * cos(2 * M_PI * hertz * (double)i / rate);
    }
    if (phase)
        *phase = atan2(im, re);
    return 2 * hypot(re, im) / (double)n;
}

static double deviation(const float *x, int64_t n)
{
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += x[i];
        squares += (double)x[i] * x[i];
    }
    return sqrt(squares / (double)n - sum / (double)n * (sum / (double)n));
}

/* ---- what is in the signals ---- */

static void each_stage_has_its_tones(void **state)
{
    (void)state;
    made m = make(recipe_of(SLEEP "}}"));
    const sp_signal_recipe *s = m.recipe->signals;
    assert_int_equal(s->n_test, 2);
    int seen[5] = {0};
    for (int64_t t = 0; t < m.nights.n_steps; t++) {
        int32_t k = m.nights.labels[t];
        double tones = 0;
        seen[k]++;
        for (int hertz = 1; hertz < 50; hertz++) {
            double want = 0, phase;
            for (int32_t j = s->first_tone[k]; j < s->first_tone[k + 1]; j++)
                want += s->tones[j].hertz == hertz ? s->tones[j].amplitude : 0;
            double a = amplitude_at(signal_of(&m, t, 0), 3000, 100, hertz, &phase);
            /* what noise of 0.8 adds is Rayleigh: 0.8 sqrt(2/3000) = 0.021, 5 of them */
            assert_close(a, want, 0.105, 0);
            if (want > 0)
                assert_close(phase, 0, 0.3, 0);
            assert_close(amplitude_at(signal_of(&m, t, 1), 3000, 100, hertz, NULL), 0.7 * want, 0.105, 0);
            tones += want * want / 2;
        }
        double first = sqrt(tones + 0.64), second = sqrt(0.49 * first * first + 0.09);
        assert_close(deviation(signal_of(&m, t, 0), 3000), first, 0, 0.07);
        assert_close(deviation(signal_of(&m, t, 1), 3000), second, 0, 0.07);
    }
    assert_true(seen[0] > 0 && seen[1] > 0 && seen[2] > 0 && seen[3] > 0);
    unmake(&m);
}

static void without_noise_it_is_the_formula(void **state)
{
    (void)state;
    sp_recipe *r = recipe_of(SLEEP "}}");
    r->signals->channels[0].noise = r->signals->channels[1].noise = 0;
    made m = make(r);
    for (int64_t t = 0; t < 5; t++) {
        int32_t first = r->signals->first_tone[m.nights.labels[t]];
        const sp_tone *a = &r->signals->tones[first], *b = a + 1;
        for (int64_t i = 0; i < 3000; i++) {
            double x = a->amplitude * sin(2 * M_PI * a->hertz * (double)i / 100) +
                       b->amplitude * sin(2 * M_PI * b->hertz * (double)i / 100);
            assert_close(signal_of(&m, t, 0)[i], x, 2e-7, 0);
            assert_close(signal_of(&m, t, 1)[i], 0.7 * x, 2e-7, 0);
        }
    }
    unmake(&m);
}

static void jitter_drift_and_overlap(void **state)
{
    (void)state;
    sp_recipe *r =
        recipe_of(HEAD "\"signals\": {\"rate\": 100, \"samples\": 1000, " TONES ", \"channels\": [{}], "
                       "\"phase_jitter\": 1, \"amplitude_drift\": 0.5, \"overlap\": 0.4}}");
    r->n_recordings = 200;
    made m = make(r);
    double phases = 0, square = 0, gains = 0, product = 0, n_pairs = 0, share = 0, n = 0, before = 0;
    for (int64_t t = 0; t < m.nights.n_steps; t++) {
        int32_t k = m.nights.labels[t];
        const sp_tone *tone =
            &r->signals->tones[r->signals->first_tone[k] + 1]; /* the faster one is nobody else's but N3's */
        if (k == 3) {
            before = NAN;
            continue;
        }
        double phase, a = amplitude_at(signal_of(&m, t, 0), 1000, 100, tone->hertz, &phase), total = 0;
        phases += fabs(phase) > M_PI / 2;
        for (int hertz = 1; hertz < 30; hertz++) /* the share of foreign tones, by power */
            if (hertz != tone[0].hertz && hertz != tone[-1].hertz)
                total += pow(amplitude_at(signal_of(&m, t, 0), 1000, 100, hertz, NULL), 2);
        share += total > 1e-9;
        double log_gain =
            log(a / tone->amplitude); /* minus -log(1-w) of 0 .. 0.51, of mean 0.234 and deviation 0.147 */
        gains += log_gain;
        square += log_gain * log_gain;
        n++;
        bool is_first = t % 20 == 0;
        if (!is_first && !isnan(before)) {
            product += (log_gain + 0.234) * (before + 0.234);
            n_pairs++;
        }
        before = log_gain;
    }
    assert_close(phases / n, 0.5, 0.05, 0);
    assert_true(share / n > 0.97);
    assert_close(gains / n, -0.234, 0.12, 0);
    double variance = square / n - gains / n * gains / n;
    assert_close(variance, 0.25 + 0.0216, 0.05, 0);
    assert_close(product / n_pairs, 0.25 * exp(-1.0 / 20), 0.05,
                 0); /* neighbours: rho times the variance of the drift */
    unmake(&m);
}

static void the_nights_are_those_of_the_chain(void **state)
{
    (void)state;
    sp_error err;
    made a = make(recipe_of(SLEEP "}}")), b = make(recipe_of(SLEEP "}}"));
    size_t bytes = (size_t)a.nights.n_steps * 2 * 3000 * sizeof(float);
    assert_memory_equal(a.x, b.x, bytes);
    b.recipe->signals->overlap = 0.3; /* other signals, the same nights */
    sp_signal_maker_free(b.maker);
    free(b.x);
    b = make(b.recipe);
    assert_memory_equal(a.nights.labels, b.nights.labels, (size_t)a.nights.n_steps * sizeof(int32_t));
    assert_memory_not_equal(a.x, b.x, bytes);
    unmake(&b);
    sp_simulated *s = NULL;
    assert_int_equal(sp_simulate(a.recipe, &s, &err), SP_EINVAL);
    assert_string_equal(err.message, "the recipe is one of signals, not of scores");
    unmake(&a);
}

static void a_model_takes_its_transitions_away(void **state)
{
    (void)state;
    sp_error err;
    sp_recipe *r = recipe_of(
        "{\"statepath_recipe\": 1, \"seed\": 1, \"classes\": [\"W\", \"N1\", \"N2\", \"N3\", \"R\"], "
        "\"recordings\": 2, \"steps\": 9, \"start\": {\"W\": 1}, \"model\": \"sleep-strict\",\n"
        "\"transitions\": [[0.5, 0.2, 0.2, 0.1, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0], "
        "[0, 0, 0, 0, 1]], \"signals\": {\"rate\": 1, \"samples\": 1, \"tones\": {}, \"channels\": [{}]}}");
    assert_close(r->transitions[0], 0.5 / 0.7, 1e-15, 0);
    assert_close(r->transitions[1], 0.2 / 0.7, 1e-15, 0);
    assert_true(r->transitions[2] == 0 && r->transitions[3] == 0 && r->transitions[4] == 0);
    char *text = NULL, *again = NULL;
    assert_ok(sp_recipe_to_json(r, &text, &err), &err);
    sp_recipe *back = recipe_of(text);
    assert_ok(sp_recipe_to_json(back, &again, &err), &err);
    assert_string_equal(again, text);
    assert_memory_equal(back->transitions, r->transitions, 25 * sizeof(double));
    free(text);
    free(again);
    sp_recipe_free(back);
    sp_recipe_free(r);
}

static void the_shipped_recipe_is_that_of_the_story(void **state)
{
    (void)state;
    sp_error err;
    sp_recipe *r = NULL;
    assert_ok(sp_recipe_load(SOURCE_DIR "/datasets/sleep-signals.recipe.json", &r, &err), &err);
    assert_int_equal(r->n_recordings, 25);
    assert_int_equal(r->signals->n_test, 5);
    assert_int_equal(r->signals->n_samples, 3000);
    assert_true(r->transitions[0] == 0.95 && r->transitions[24] == 0.95 && r->transitions[13] == 0.07);
    assert_true(r->start[0] > 0.33 && r->start[3] == 0);
    sp_recipe_free(r);
}

/* ---- recipes that are none ---- */

#define S2                                                                                                   \
    "{\"statepath_recipe\": 1, \"seed\": 1, \"classes\": [\"a\", \"b\"], \"recordings\": 2, \"steps\": 5, "  \
    "\"start\": {\"a\": "                                                                                    \
    "1}, "
#define S S2 "\"transitions\": [[1, 0], [0, 1]],\n"
#define G S "\"signals\": {\"rate\": 10, \"samples\": 8, "
#define T G "\"tones\": {\"a\": [[1, 2]]}, "

static const struct broken {
    const char *text, *message;
} broken[] = {
    {S "\"signals\": 1}", "r.json:2:1: key \"signals\": needs an object; this is a number"},
    {S "\"signals\": {},\n\"classifier\": {}}", "r.json:3:1: key \"classifier\": a recipe makes scores or "
                                                "signals, not both; remove this or \"signals\""},
    {S "\"signals\": {\"tone\": 1}}",
     "r.json:2:13: key \"tone\" is not known in signals (known: rate, samples, tones, channels, "
     "phase_jitter, amplitude_drift, overlap, test, both_ends); did you mean \"tones\"?"},
    {S "\"signals\": {}}", "r.json:2:1: key \"rate\" is missing in signals; as \"rate\": 100"},
    {S "\"signals\": {\"rate\": \"fast\"}}", "r.json:2:13: key \"rate\": needs a number; this is a string"},
    {S "\"signals\": {\"rate\": 10}}",
     "r.json:2:1: key \"samples\" is missing in signals; as \"samples\": 3000"},
    {S "\"signals\": {\"rate\": 10, \"samples\": 1.5}}",
     "r.json:2:25: key \"samples\": needs a whole number; this is a fraction"},
    {G "\"tones\": []}}",
     "r.json:2:39: key \"tones\": needs class -> tones, as {\"a\": [[0.8, 12]]}; this is a list"},
    {G "\"tones\": {\"A\": []}}}", "r.json:2:49: key \"tones\", class \"A\": the recipe has no such class "
                                   "(it has a, b); did you mean \"a\"?"},
    {G "\"tones\": {\"a\": 3}}}",
     "r.json:2:49: key \"tones\", class \"a\": needs a list of at most 1000 tones, as [[0.8, 12], [0.6, "
     "20]]; this is a number"},
    {G "\"tones\": {\"a\": [[1, 2], 3]}}}",
     "r.json:2:63: key \"tones\", class \"a\": a tone is [amplitude, Hz], as [0.8, 12]; this is a number"},
    {G "\"tones\": {\"a\": [[1, \"c\"]]}}}", "r.json:2:59: key \"tones\": needs a number; this is a string"},
    {T "\"test\": 1}}",
     "r.json:2:1: key \"channels\" is missing in signals; as \"channels\": [{\"noise\": 0.8}]"},
    {T "\"channels\": []}}", "r.json:2:65: key \"channels\": needs a list of 1 to 10000 channels, as "
                             "[{\"noise\": 0.8}]; this is empty"},
    {T "\"channels\": [1]}}", "r.json:2:78: key \"channels\": a channel is an object, as {\"gain\": 0.7, "
                              "\"noise\": 0.3}; this is a number"},
    {T "\"channels\": [{\"nois\": 1}]}}",
     "r.json:2:79: key \"nois\" is not known (known: gain, noise); did you mean \"noise\"?"},
    {T "\"channels\": [{\"noise\": null}]}}", "r.json:2:79: key \"noise\": needs a number; this is null"},
    /* ranges, found by sp_recipe_check() */
    {T "\"channels\": [{},\n{\"noise\": -1}]}}",
     "r.json:3:1: key \"channels\", channel 1: noise -1 is not a standard deviation from 0 to 1e6"},
    {T "\"channels\": [{\"gain\": 1e9}]}}",
     "r.json:2:78: key \"channels\", channel 0: gain 1e+09 is beyond 1e6"},
    {G "\"tones\": {\"b\": [[1, 2], [1, 6]]}, \"channels\": [{}]}}",
     "r.json:2:49: key \"tones\", class \"b\": 6 Hz is not from 0 to 5, half the sampling rate; faster tones "
     "would come back as "
     "slower ones"},
    {T "\"channels\": [{}], \"test\": 3}}",
     "r.json:2:83: key \"test\": needs a number of recordings from 0 to 2, as many as there are"},
    {T "\"channels\": [{}], \"overlap\": 1.5}}",
     "r.json:2:83: key \"overlap\": 1.5 is not a share from 0 to 1"},
    {T "\"channels\": [{}], \"phase_jitter\": -1}}",
     "r.json:2:83: key \"phase_jitter\": -1 is not from 0 (every step begins alike) to 1 (any phase)"},
    {T "\"channels\": [{}], \"amplitude_drift\": 11}}",
     "r.json:2:83: key \"amplitude_drift\": 11 is not a standard deviation of log amplitudes from 0 to 10"},
    {S "\"signals\": {\"rate\": 0, \"samples\": 8, \"tones\": {}, \"channels\": [{}]}}",
     "r.json:2:13: key \"rate\": 0 is not a number of samples per second, above 0"},
    {S "\"signals\": {\"rate\": 1, \"samples\": 0, \"tones\": {}, \"channels\": [{}]}}",
     "r.json:2:24: key \"samples\": needs the number of samples of one step, from 1 to 100000000"},
    {S "\"model\": 1, \"signals\": {}}",
     "r.json:2:1: key \"model\": needs a string in double quotes; this is a number"},
    {S "\"model\": \"sleep-strict\", "
       "\"signals\": {\"rate\": 1, \"samples\": 1, \"tones\": {}, \"channels\": [{}]}}",
     "r.json:2:1: key \"model\": *"},
    {"{\"statepath_recipe\": 1, \"seed\": 1, \"classes\": [\"Wake\", \"N1\", \"N2\", \"N3\", \"REM\"], "
     "\"recordings\": 2, "
     "\"steps\": 9, "
     "\"start\": {\"Wake\": 1}, \"model\": \"sleep-strict\",\n\"transitions\": [[0, 0, 0, 1, 0], [0, 1, 0, "
     "0, 0], [0, 0, 1, 0, "
     "0], "
     "[0, 0, 0, 1, 0], [0, 0, 0, 0, 1]], \"signals\": {\"rate\": 1, \"samples\": 1, \"tones\": {}, "
     "\"channels\": [{}]}}",
     "r.json:2:17: key \"transitions\", row \"Wake\": model sleep-strict forbids all of it; leave out "
     "\"model\" or give it a "
     "class "
     "that may follow"},
};

static void every_fault_has_its_sentence(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        sp_error err = {0};
        sp_recipe *recipe = NULL;
        sp_status status = recipe_from_text(broken[i].text, &recipe, &err);
        if (status != SP_EINVAL || recipe)
            fail_msg("%s gave %s: %s", broken[i].text, sp_status_name(status), err.message);
        assert_sentence(err.message, broken[i].message, "r.json");
    }
}

/* ---- files ---- */

static void save(const made *m, const char *file)
{
    sp_error err;
    sp_signals_writer *writer = NULL;
    const uint8_t split[6] = {0, 0, 0, 0, 1, 1};
    const sp_signals_header header = {.n_recordings = m->nights.n_recordings,
                                      .n_steps = m->nights.n_steps,
                                      .n_channels = 2,
                                      .n_classes = 5,
                                      .n_samples = m->recipe->signals->n_samples,
                                      .offsets = m->nights.offsets,
                                      .classes = (const char *const *)m->recipe->classes,
                                      .labels = m->nights.labels,
                                      .split = split,
                                      .rate = 100};
    assert_ok(sp_signals_writer_open(file, &header, &writer, &err), &err);
    assert_ok(sp_signals_writer_add(writer, 7, m->x, &err), &err);
    assert_ok(sp_signals_writer_add(writer, m->nights.n_steps - 7,
                                    m->x + 7 * 2 * m->recipe->signals->n_samples, &err),
              &err);
    assert_ok(sp_signals_writer_commit(writer, &err), &err);
    assert_int_equal(sp_signals_writer_open(file, &header, &writer, &err), SP_EFILE);
    assert_sentence(err.message, "FILE: exists already; use `force` to replace it", file);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    sp_error err;
    sp_recipe *r = recipe_of(SLEEP "}}");
    r->signals->n_samples = 40;
    made m = make(r);
    made_folder();
    const char *file = made_path("signals.h5");
    save(&m, file);
    sp_signals *signals = NULL;
    assert_ok(sp_signals_open(file, NULL, NULL, &signals, &err), &err);
    const sp_signals_info *info = sp_signals_info_of(signals);
    assert_int_equal(info->n_recordings, 6);
    assert_int_equal(info->n_steps, m.nights.n_steps);
    assert_int_equal(info->n_channels, 2);
    assert_int_equal(info->n_samples, 40);
    assert_int_equal(info->n_classes, 5);
    assert_true(info->rate == 100);
    assert_string_equal(info->classes[3], "N3");
    assert_string_equal(info->ids[5], "r6");
    assert_memory_equal(info->offsets, m.nights.offsets, 7 * sizeof(int64_t));
    assert_memory_equal(info->labels, m.nights.labels, (size_t)info->n_steps * sizeof(int32_t));
    assert_true(info->split[3] == 0 && info->split[4] == 1);
    float *x = malloc((size_t)info->n_steps * 80 * sizeof *x);
    assert_ok(sp_signals_read(signals, 0, info->n_steps, x, &err), &err);
    assert_memory_equal(x, m.x, (size_t)info->n_steps * 80 * sizeof *x);
    assert_ok(sp_signals_read(signals, 11, 2, x, &err), &err);
    assert_memory_equal(x, m.x + 11 * 80, 160 * sizeof *x);
    free(x);
    sp_signals_close(signals);
    unmake(&m);
    assert_h5_closed();
    made_folder_remove();
}

/* A file of one dataset of a type and shape, and no more. */
static void put(const char *file, const char *path, hid_t type, int rank, const hsize_t *dims,
                const void *data)
{
    hid_t h5 = access(file, F_OK) == 0 ? H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT)
                                       : H5Fcreate(file, H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(rank, dims, NULL),
          set = H5Dcreate2(h5, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(h5);
}

static void others_write_other_files(void **state)
{
    (void)state;
    sp_error err;
    sp_signals *s = NULL;
    float out[12];
    made_folder();
    const double real[12] = {0, 1.5, -2, 3, 4, 5, 6, 7, 8, 9, 10, 1e30};
    const int16_t whole[12] = {-32768, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 32767};
    const hsize_t flat[2] = {3, 4}, cube[3] = {2, 3, 2}, one = 3;
    const int64_t labels[3] = {2, -1, 0};
    put(made_path("a.h5"), "/eeg", H5T_NATIVE_DOUBLE, 2, flat, real);
    put(made_path("a.h5"), "/labels", H5T_NATIVE_INT64, 1, &one, labels);
    assert_ok(sp_signals_open(made_path("a.h5"), "eeg", NULL, &s, &err), &err);
    const sp_signals_info *info = sp_signals_info_of(s);
    assert_true(info->n_channels == 1 && info->n_samples == 4 && info->n_steps == 3 &&
                info->n_recordings == 1);
    assert_true(info->n_classes == 3 && !info->classes && info->labels[0] == 2 && !info->split &&
                info->rate == 0);
    assert_string_equal(info->ids[0], "0");
    assert_ok(sp_signals_read(s, 1, 2, out, &err), &err);
    for (int i = 0; i < 8; i++)
        assert_true(out[i] == (float)real[4 + i]);
    sp_signals_close(s);
    put(made_path("b.h5"), "/signals", H5T_NATIVE_INT16, 3, cube, whole);
    assert_ok(sp_signals_open(made_path("b.h5"), NULL, NULL, &s, &err), &err);
    assert_int_equal(sp_signals_info_of(s)->n_channels, 3);
    assert_ok(sp_signals_read(s, 0, 2, out, &err), &err);
    for (int i = 0; i < 12; i++)
        assert_true(out[i] == whole[i]);
    sp_signals_close(s);
    made_folder_remove();
}

/* What training asks of the steps: weights of any type of number, flags for each step and class. */
static void weights_and_masks_stand_beside(void **state)
{
    (void)state;
    sp_error err;
    sp_signals *s = NULL;
    made_folder();
    const float x[12] = {0};
    const hsize_t cube[3] = {2, 3, 2}, two = 2, flat[2] = {2, 3};
    const float weights[2] = {0.25F, 3};
    const int32_t flags[6] = {1, 0, 1, 0, 1, 1}, odd[6] = {1, 0, 1, 0, 7, 1};
    const int64_t labels[2] = {2, 1};
    put(made_path("a.h5"), "/signals", H5T_NATIVE_FLOAT, 3, cube, x);
    put(made_path("a.h5"), "/labels", H5T_NATIVE_INT64, 1, &two, labels);
    assert_ok(sp_signals_open(made_path("a.h5"), NULL, NULL, &s, &err), &err);
    assert_true(!sp_signals_info_of(s)->weights && !sp_signals_info_of(s)->mask);
    sp_signals_close(s);
    put(made_path("a.h5"), "/weights", H5T_NATIVE_FLOAT, 1, &two, weights);
    put(made_path("a.h5"), "/mask", H5T_NATIVE_INT32, 2, flat, flags);
    assert_ok(sp_signals_open(made_path("a.h5"), NULL, NULL, &s, &err), &err);
    const sp_signals_info *info = sp_signals_info_of(s);
    assert_true(info->weights[0] == 0.25 && info->weights[1] == 3);
    for (int i = 0; i < 6; i++)
        assert_int_equal(info->mask[i], flags[i]);
    sp_signals_close(s);
    const char *b = made_path("b.h5");
    put(b, "/signals", H5T_NATIVE_FLOAT, 3, cube, x);
    put(b, "/labels", H5T_NATIVE_INT64, 1, &two, labels);
    put(b, "/mask", H5T_NATIVE_INT32, 2, flat, odd);
    assert_int_equal(sp_signals_open(b, NULL, NULL, &s, &err), SP_EDATA);
    assert_int_equal(err.step, 1);
    assert_sentence(err.message, "FILE: dataset /mask, recording 0, step 1, class 1: 7 is not 0 or 1", b);
    assert_h5_closed();
    made_folder_remove();
}

static void broken_files_have_their_sentence(void **state)
{
    (void)state;
    sp_error err;
    sp_signals *s = NULL;
    float out[12];
    made_folder();
    const float hole[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, NAN, 10, 11};
    const hsize_t cube[3] = {2, 3, 2}, two = 2, three = 3;
    const int64_t labels[3] = {0, 7, 0}, offsets[2] = {0, 3}, split[2] = {0, 2};
    const char *a = made_path("a.h5");
    put(a, "/signals", H5T_NATIVE_FLOAT, 3, cube, hole);
    assert_ok(sp_signals_open(a, NULL, NULL, &s, &err), &err);
    assert_ok(sp_signals_read(s, 0, 1, out, &err), &err);
    assert_int_equal(sp_signals_read(s, 0, 2, out, &err), SP_EDATA);
    assert_int_equal(err.step, 1);
    assert_sentence(
        err.message,
        "FILE: /signals, recording 0, step 1, channel 1, sample 1 is nan; signals must be finite numbers of "
        "float32: fill the gap (0 says nothing), or leave the step out",
        a);
    sp_signals_close(s);
    assert_int_equal(sp_signals_open(a, "eeg", NULL, &s, &err), SP_EFILE);
    put(a, "/labels", H5T_NATIVE_INT64, 1, &three, labels);
    assert_int_equal(sp_signals_open(a, NULL, NULL, &s, &err), SP_EDATA);
    assert_sentence(
        err.message,
        "FILE: dataset /labels has 3 values, but must have 2 to go with /signals; write one for each step, "
        "-1 where it has none",
        a);
    const char *b = made_path("b.h5");
    put(b, "/signals", H5T_NATIVE_FLOAT, 3, cube, hole);
    put(b, "/split", H5T_NATIVE_INT64, 1, &two, split);
    assert_int_equal(sp_signals_open(b, NULL, NULL, &s, &err), SP_EDATA);
    assert_sentence(
        err.message,
        "FILE: dataset /split has 2 values, but must have 1 to go with /signals; write one for each "
        "recording, 0 = training, 1 = testing",
        b);
    const char *c = made_path("c.h5");
    put(c, "/signals", H5T_NATIVE_FLOAT, 3, cube, hole);
    put(c, "/offsets", H5T_NATIVE_INT64, 1, &two, offsets);
    assert_int_equal(sp_signals_open(c, NULL, NULL, &s, &err), SP_EDATA);
    assert_sentence(err.message, "FILE: the offsets must go from 0 to 2, the rows of /signals", c);
    const char *d = made_path("d.h5");
    put(d, "/signals", H5T_NATIVE_FLOAT, 1, &two, hole);
    assert_int_equal(sp_signals_open(d, NULL, NULL, &s, &err), SP_EDATA);
    assert_sentence(err.message,
                    "FILE: dataset /signals has shape [2], but signals are [steps, channels, samples], or "
                    "[steps, samples] "
                    "of one channel",
                    d);
    assert_h5_closed();
    made_folder_remove();
}

static sp_status attempt_recipe(void *arg)
{
    sp_recipe *r = NULL;
    char *text = NULL;
    sp_status status = recipe_from_text(arg, &r, NULL);
    assert_int_equal(status == SP_OK, r != NULL);
    if (status == SP_OK)
        status = sp_recipe_to_json(r, &text, NULL);
    free(text);
    sp_recipe_free(r);
    return status;
}

static sp_status attempt_maker(void *arg)
{
    sp_signal_maker *maker = NULL;
    sp_status status = sp_signal_maker_new(arg, &maker, NULL);
    sp_signal_maker_free(maker);
    return status;
}

static sp_status attempt_open(void *arg)
{
    sp_signals *s = NULL;
    float out[160];
    sp_status status = sp_signals_open(arg, NULL, NULL, &s, NULL);
    if (status == SP_OK)
        status = sp_signals_read(s, 0, 2, out, NULL);
    sp_signals_close(s);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    char text[] = SLEEP ", \"overlap\": 0.1}, \"model\": \"sleep-strict\"}";
    assert_true(assert_each_alloc_may_fail(attempt_recipe, text) > 10);
    sp_recipe *r = recipe_of(SLEEP "}}");
    r->signals->n_samples = 40;
    assert_true(assert_each_alloc_may_fail(attempt_maker, r) > 4);
    made m = make(r);
    made_folder();
    save(&m, made_path("signals.h5"));
    const hsize_t steps[2] = {(hsize_t)m.nights.n_steps, 5};
    uint8_t *mask = calloc(steps[0], 5);
    put(made_path("signals.h5"), "/weights", H5T_NATIVE_UINT8, 1, steps, mask);
    put(made_path("signals.h5"), "/mask", H5T_NATIVE_UINT8, 2, steps, mask);
    free(mask);
    assert_true(assert_each_alloc_may_fail(attempt_open, (void *)made_path("signals.h5")) > 8);
    assert_h5_closed();
    made_folder_remove();
    unmake(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_stage_has_its_tones),
        cmocka_unit_test(without_noise_it_is_the_formula),
        cmocka_unit_test(jitter_drift_and_overlap),
        cmocka_unit_test(the_nights_are_those_of_the_chain),
        cmocka_unit_test(a_model_takes_its_transitions_away),
        cmocka_unit_test(the_shipped_recipe_is_that_of_the_story),
        cmocka_unit_test(every_fault_has_its_sentence),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(others_write_other_files),
        cmocka_unit_test(weights_and_masks_stand_beside),
        cmocka_unit_test(broken_files_have_their_sentence),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
