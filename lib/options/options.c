#include "options/options.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { IN_PART = SP_OPTION_IN_PART, IN_PAGE = SP_OPTION_IN_PAGE };

/* Each letter, help and value is the program's. */
#define OPTION_ROW(id, name, letter, type, place, uses, apart, help, value)                                                      \
    {name, SP_OPTION_##type, offsetof(sp_run_options, place), uses, apart},
#define LIBRARY_ROW(id, name, type, place, uses) {name, SP_OPTION_##type, offsetof(sp_run_options, place), uses, NULL},
const sp_option_row sp_option_rows[] = {
#include "options/option_rows.h"
    {.name = NULL}};

char *sp_option_key(const sp_option_row *row, char key[SP_OPTION_KEY])
{
    snprintf(key, SP_OPTION_KEY, "%s", row->name);
    for (char *dash; (dash = strchr(key, '-'));)
        *dash = '_';
    return key;
}

bool sp_option_is_given(const sp_option_row *row, const sp_run_options *o)
{
    const void *at = (const char *)o + row->place;
    switch (row->type) {
    case SP_OPTION_TEXT:
        return *(char *const *)at != NULL;
    case SP_OPTION_TEXTS:
        return *(char *const *const *)at != NULL;
    case SP_OPTION_FLAG:
    case SP_OPTION_INTEGER:
        return *(const int *)at != 0;
    case SP_OPTION_NUMBER:
        return !isnan(*(const double *)at);
    case SP_OPTION_COUNT:
        return *(const int64_t *)at != 0;
    case SP_OPTION_SEED:
        return true;
    }
    return false;
}

sp_status sp_options_check_part(const sp_run_options *o, sp_error *err)
{
    char key[SP_OPTION_KEY];
    for (const sp_option_row *row = sp_option_rows; row->name; row++)
        if (row->apart && sp_option_is_given(row, o))
            return sp_fail(err, SP_EINVAL, "`%s` does not go with `part`: %s", sp_option_key(row, key), row->apart);
    return SP_OK;
}
