/* The table of options that runs take (option_rows.h), for whoever reads, writes or checks them all. */
#ifndef STATEPATH_OPTIONS_H
#define STATEPATH_OPTIONS_H

#include "statepath/pipeline.h"

typedef enum sp_option_type {
    SP_OPTION_TEXT,
    SP_OPTION_TEXTS, /* ends with NULL */
    SP_OPTION_FLAG,
    SP_OPTION_INTEGER,
    SP_OPTION_NUMBER,
    SP_OPTION_COUNT,
    SP_OPTION_SEED
} sp_option_type;

enum { SP_OPTION_IN_PART = 1, SP_OPTION_IN_PAGE = 2, SP_OPTION_KEY = 32 };

typedef struct sp_option_row {
    const char *name; /* "absent-class" */
    sp_option_type type;
    size_t place; /* in sp_run_options */
    unsigned uses;
    const char *apart; /* why it does not go with a part; or NULL */
} sp_option_row;

/* All of them; one without a name ends them. */
extern const sp_option_row sp_option_rows[];

/* "absent_class". Returns key. */
char *sp_option_key(const sp_option_row *row, char key[SP_OPTION_KEY]);

/* Is it given? A flag is set, a text or list is there, an integer is not 0, a number is one. */
bool sp_option_is_given(const sp_option_row *row, const sp_run_options *o);

/* What does not go with a part is not given. SP_OK, SP_EINVAL. */
sp_status sp_options_check_part(const sp_run_options *o, sp_error *err);

#endif
