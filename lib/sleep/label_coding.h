/* Label codings from the inside; private to sleep/. label_coding_read.c makes them, label_coding.c looks up. */
#ifndef STATEPATH_SLEEP_LABEL_CODING_H
#define STATEPATH_SLEEP_LABEL_CODING_H

#include <stddef.h>

#include "sleep/stages.h"
#include "statepath/sleep.h"

/* What a code stands for, before there is a model: a stage, or NOTHING (unscored). */
typedef enum code_meaning {
    NOTHING = -1,
    WAKE = SP_STAGE_WAKE,
    N1 = SP_STAGE_N1,
    N2 = SP_STAGE_N2,
    N3 = SP_STAGE_N3,
    REM = SP_STAGE_REM
} code_meaning;

enum { MOST_CODE_NUMBERS = 10 };
typedef struct code_preset {
    const char *name;
    struct {
        int number;
        code_meaning means;
    } rows[MOST_CODE_NUMBERS];
    int n_rows;
    bool has_fewer_stages; /* 2 and 3 may be Light and Deep */
} code_preset;

typedef struct code_entry {
    char *text; /* of a word; NULL: a number */
    double number;
    int32_t means; /* class, SP_CODE_UNSCORED, or SP_CODE_FIRST_SET less the number of a set */
} code_entry;

/* The classes that a code of the map stands for, where they are several. */
typedef struct code_set {
    const char *code; /* entry's, or number */
    char number[32];
    char *classes; /* "N1|N2|N3" */
    uint8_t *has;  /* [n_classes] */
} code_set;

struct sp_codes {
    const code_preset *preset; /* or NULL */
    int32_t class_of[SP_N_STAGES];
    int32_t n_entries; /* of the map */
    code_entry *entries;
    int32_t n_sets; /* of those entries */
    code_set *sets;
    bool tells_sets; /* look-ups say which set; else that the step is unscored */
    int32_t n_names; /* the model's classes and aliases */
    code_entry *names;
    int32_t n_classes;
    bool is_sleep;   /* the classes are stages */
    char **classes;  /* [n_classes] */
    int32_t *column; /* [n_classes] what look-ups say for a class, or NULL: the class */
    char *name;
};

/* A whole number, however it is written. */
bool sp_code_number(const char *text, double *out);

/* text[n] without the blanks around it; false where it does not fit. */
bool sp_code_trimmed(const char *text, size_t n, char *out, size_t size);

/* Appends to a buffer of `size` bytes, as much as fits. */
void sp_code_add(char *buffer, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
