/* Label codings for the rooms that read labels: names, columns, sentences. Not installed. */
#ifndef STATEPATH_SLEEP_LABEL_CODING_USE_H
#define STATEPATH_SLEEP_LABEL_CODING_USE_H

#include "statepath/sleep.h"

/* "utime", "utime with 9=Wake", "0=Wake, 5=REM": for reports; borrowed. */
const char *sp_codes_name(const sp_codes *codes);

/* From here on look-ups say columns instead of classes of the model: class_of_column [K], each class once. SP_OK, SP_ENOMEM. */
sp_status sp_codes_use_columns(sp_codes *codes, const int32_t *class_of_column, sp_error *err);

/* Do the codes 0..K-1 name each class once, but in another order than class_of_column [K]? Then columns without names may well be
 * in the order of the codes, too. K up to SP_CODES_COLUMNS, else false. */
enum { SP_CODES_COLUMNS = 256 };
bool sp_codes_differ_from(const sp_codes *codes, const int32_t *class_of_column);

/* Is it a word of the field for an unscored step: "?", "unscored", "MT", "Sleep stage ?" ...? In labels of sleep, whose classes
 * are stages (sp_classes_are_stages()), such words mean that. */
bool sp_is_unscored_word(const char *text);

/* The end of a sentence about a code that means nothing here: "label "7" is no code of utime, which has 0 Wake, ...; `map` ...".
 * Returns the buffer. */
enum { SP_CODES_SENTENCE = 640 };
const char *sp_codes_explain(const sp_codes *codes, const char *code, char buffer[SP_CODES_SENTENCE]);

/* What a code means: a class 0..K-1 of the model (or its column), SP_CODE_UNSCORED, or one of the two that are errors. */
enum {
    SP_CODE_UNSCORED = -1,
    SP_CODE_UNKNOWN = -2,
    SP_CODE_NO_CLASS = -3, /* a stage that the model has no class for */
    SP_CODE_FIRST_SET =
        -4 /* and below, after sp_codes_tell_sets(): one of several classes, of set SP_CODE_FIRST_SET - code */
};
static inline bool sp_code_is_known(int32_t means)
{
    return means >= SP_CODE_UNSCORED || means <= SP_CODE_FIRST_SET;
}
int32_t sp_codes_number(const sp_codes *codes, double code);
int32_t sp_codes_text(const sp_codes *codes,
                      const char *code); /* blanks around it do not matter; "" is unscored */

/* ---- codes that stand for several classes ---- */

int32_t sp_codes_n_sets(const sp_codes *codes);
/* From here on look-ups say which set a code stands for; before that such steps are unscored. */
void sp_codes_tell_sets(sp_codes *codes);
/* The classes of each set, as look-ups say classes: out [n_sets,K]. */
void sp_codes_sets(const sp_codes *codes, uint8_t *out);
/* "NREM (N1|N2|N3), S (N1|N2)": the codes. Returns the buffer. */
const char *sp_codes_set_names(const sp_codes *codes, char buffer[SP_CODES_SENTENCE]);
/* SP_OK; SP_EINVAL where there are sets: "`map`: NREM (N1|N2|N3) is several classes, and <why>". */
sp_status sp_codes_refuse_sets(const sp_codes *codes, const char *why, sp_error *err);

#endif
