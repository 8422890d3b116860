/* The names of the stages of sleep: the one table of them. Not installed. */
#ifndef STATEPATH_SLEEP_STAGES_H
#define STATEPATH_SLEEP_STAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "statepath/sleep.h"

typedef struct sp_stage_name {
    const char *name;
    sp_sleep_stage stage;
    sp_sleep_stage drawn; /* the stage in whose place and colour it is drawn */
    bool is_coarse;       /* of schemes with fewer stages: it means `stage` and others with it */
} sp_stage_name;

enum { SP_N_STAGE_NAMES = 12 };
extern const sp_stage_name
    sp_stage_names[SP_N_STAGE_NAMES]; /* of a stage: its own name first, coarse ones last */

/* The row of a name, whatever its case; NULL where there is none. */
const sp_stage_name *sp_stage_name_find(const char *name);

/* Are these classes the stages of sleep, wake among them? */
bool sp_classes_are_stages(int32_t n, const char *const *classes);

/* "Wake", "N1", "N2", "N3", "REM" */
const char *sp_sleep_stage_name(sp_sleep_stage stage);

#endif
