/* The stages of sleep (AASM). */
#ifndef STATEPATH_SLEEP_STAGE_H
#define STATEPATH_SLEEP_STAGE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sp_sleep_stage { SP_STAGE_WAKE, SP_STAGE_N1, SP_STAGE_N2, SP_STAGE_N3, SP_STAGE_REM, SP_N_STAGES } sp_sleep_stage;
/* "Wake", "N1", "N2", "N3", "REM" */
const char *sp_sleep_stage_name(sp_sleep_stage stage);

#ifdef __cplusplus
}
#endif
#endif
