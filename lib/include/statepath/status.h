/* Statuses, error sentences, and values that may be undefined.
 *
 * A function that can fail returns an sp_status. The sentence for a person goes into a caller-owned sp_error, always the last
 * argument, which may be NULL. On failure outputs are untouched unless a header says otherwise. The user's mistakes are
 * statuses; our own are assert().
 *
 * Sentences name fields of options in backquotes, as the structs do: "`temperature` 0: scores are divided by it". A program
 * writes its own options for them, such as --temperature.
 */
#ifndef STATEPATH_STATUS_H
#define STATEPATH_STATUS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sp_status {
    SP_OK = 0,
    SP_EINVAL, /* an option or argument that cannot be used */
    SP_EDATA, /* scores or labels that break a promise: NaN, +inf, rows that do not sum to one, unknown label */
    SP_EMODEL,   /* a model that contradicts itself, or does not fit the classes of the scores */
    SP_EFILE,    /* a file that cannot be opened, read or written, or is not what it should be */
    SP_ENOPATH,  /* no allowed path has a finite score: a result of decoding, not a crash */
    SP_EDEADEND, /* greedy met a step where no allowed class has a finite score, though a path exists */
    SP_ENOMEM,   /* memory */
    SP_EBUG, /* our fault: a path that does not add up to what the search that found it says, or an illegal one */
    SP_EUNREAD, /* of a recording: its file cannot be read; it has no path and stands in no figure */
    SP_N_STATUS
} sp_status;

enum { SP_ERROR_SIZE = 2048 };

/* One error: what, where (file, dataset, recording, step, class), what to do. */
typedef struct sp_error {
    sp_status status;
    int64_t step; /* step the error speaks of, from 0; -1 when it speaks of none */
    double
        recurrence; /* SP_EBUG: the value by the recurrence, NaN where an illegal path has none; else NaN */
    double along_path; /* SP_EBUG: what the path adds up to; else NaN */
    /* One sentence, always terminated; cut with "..." when too long. No newline, but where the text of a rule is wrong: that line and a
     * caret follow, each behind two blanks. */
    char message[SP_ERROR_SIZE];
} sp_error;

/* Short name of a status for machines: "ok", "invalid", "data", "model", "file", "no_path", "dead_end",
 * "memory", "bug", "unread". Never NULL. */
const char *sp_status_name(sp_status status);

/* Fills *err (when not NULL) with a printf-style sentence, step -1, and returns `status`:
 *     return sp_fail(err, SP_EINVAL, "beam width %d: must be at least 1", width);
 * The arguments may point into err->message itself. */
sp_status sp_fail(sp_error *err, sp_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* The same for an error that speaks of one step. */
sp_status sp_fail_at(sp_error *err, sp_status status, int64_t step, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

/* SP_ENOMEM, with the one sentence about it. */
sp_status sp_no_memory(sp_error *err);

/* "statepath" version, e.g. "1.0.0". */
const char *sp_version(void);

/* A value or, where it cannot be computed, the reason: never a NaN that walks on. */
typedef struct sp_value {
    double value; /* meaningful only when undefined is NULL */
    const char
        *undefined; /* NULL, or a static reason: "one class only", "never predicted", "no scored steps" */
} sp_value;

/* ---- help with names that are not known ----
 *
 * The nearest one. Allocates nothing.
 */

/* Index of the name most like `word` (edit distance with neighbours swapped counting once, case ignored), or -1 when none is
 * near: more than a third of the letters would have to change. Ties go to the first. */
int32_t sp_name_nearest(const char *word, int32_t n, const char *const *names);

/* `; did you mean "Wake"?` when a name is near, else the empty string. Returns out. */
char *sp_name_hint(char *out, size_t size, const char *word, int32_t n, const char *const *names);

#ifdef __cplusplus
}
#endif
#endif
