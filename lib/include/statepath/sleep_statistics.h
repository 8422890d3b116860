/* Statistics of a night of sleep, and how those of a decoded night agree with the reference's.
 *
 * Definitions are the AASM's (Manual for the Scoring of Sleep, reports of PSG) for steps of one length; all in minutes unless
 * said: time in bed    TIB    from the first to the last step that counts (lights off and on are not in a file of scores) sleep
 * time     TST    N1 + N2 + N3 + REM efficiency     SE     100 TST / TIB, per cent sleep latency  SOL    from the beginning to
 * the first step of any sleep wake after onset WASO all wake after that step, that after the last sleep included (AASM: TIB - SOL
 * - TST) wake within sleep     of it what lies before the last step of sleep (what YASA and others call WASO) REM latency from
 * the first step of any sleep to the first of REM Wake, N1, N2, N3, REM minutes in each fragmentation  SFI    changes from sleep
 * to wake per hour of TST
 *
 * A step counts where the reference has a class (all steps without a reference). Inside TIB, steps of no class are time in bed
 * and nothing else; a change across such a step, or across a gap between segments, is no change. Gaps take no time: only steps
 * do.
 */
#ifndef STATEPATH_SLEEP_STATISTICS_H
#define STATEPATH_SLEEP_STATISTICS_H

#include <stdint.h>

#include "statepath/agreement.h"
#include "statepath/sleep_stage.h"

#ifdef __cplusplus
extern "C" {
#endif

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
    sp_value values[SP_N_SLEEP_MEASURES]; /* undefined "no sleep", "no REM", "no scored steps", "not decoded" */
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
} sp_sleep_agreement;
void sp_sleep_agreement_of(int64_t n, const sp_sleep_statistics *reference, const sp_sleep_statistics *decoded,
                           sp_sleep_measure measure, sp_sleep_agreement *out);

/* Mean and standard deviation (n - 1) of a measure over the nights where it is defined. */
typedef struct sp_sleep_mean {
    int64_t n;
    sp_value mean, sd;
} sp_sleep_mean;
void sp_sleep_mean_of(int64_t n, const sp_sleep_statistics *nights, sp_sleep_measure measure, sp_sleep_mean *out);

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

void sp_sleep_free(sp_sleep *sleep); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
