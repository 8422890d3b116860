#include "sleep/stages.h"

#include <stddef.h>
#include <strings.h>

const sp_stage_name sp_stage_names[SP_N_STAGE_NAMES] = {
    {"Wake", SP_STAGE_WAKE, SP_STAGE_WAKE, false}, {"W", SP_STAGE_WAKE, SP_STAGE_WAKE, false},
    {"N1", SP_STAGE_N1, SP_STAGE_N1, false},       {"N2", SP_STAGE_N2, SP_STAGE_N2, false},
    {"N3", SP_STAGE_N3, SP_STAGE_N3, false},       {"REM", SP_STAGE_REM, SP_STAGE_REM, false},
    {"R", SP_STAGE_REM, SP_STAGE_REM, false},      {"Light", SP_STAGE_N2, SP_STAGE_N1, true},
    {"LIGHT", SP_STAGE_N2, SP_STAGE_N1, true},     {"NREM", SP_STAGE_N2, SP_STAGE_N2, true},
    {"Deep", SP_STAGE_N3, SP_STAGE_N3, true},      {"DEEP", SP_STAGE_N3, SP_STAGE_N3, true},
};

const sp_stage_name *sp_stage_name_find(const char *name)
{
    for (int i = 0; i < SP_N_STAGE_NAMES; i++)
        if (strcasecmp(name, sp_stage_names[i].name) == 0)
            return &sp_stage_names[i];
    return NULL;
}

bool sp_classes_are_stages(int32_t n, const char *const *classes)
{
    bool are = n > 1, has_wake = false;
    for (int32_t k = 0; are && k < n; k++) {
        const sp_stage_name *found = sp_stage_name_find(classes[k]);
        are = found != NULL;
        has_wake |= found && found->stage == SP_STAGE_WAKE;
    }
    return are && has_wake;
}

const char *sp_sleep_stage_name(sp_sleep_stage stage)
{
    int i = 0;
    while (sp_stage_names[i].stage != stage)
        i++;
    return sp_stage_names[i].name;
}
