/* Arrays as a file stores them: at a place in the file, or in memory (unpacked, or read from text). A format of arrays (.npy,
 * .npz, CSV) opens a file of them; array_source.h makes recordings of it. Private to io/.
 */
#ifndef STATEPATH_IO_STORED_H
#define STATEPATH_IO_STORED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/element.h"
#include "io/text/label_words.h"
#include "io/text/texts.h"
#include "statepath/status.h"

enum { SP_STORED_RANK = 4, SP_STORED_TYPE = 32, SP_STORED_SHAPE = 120 };

typedef enum sp_stored_form {
    SP_STORED_NUMBERS,
    SP_STORED_BYTES,  /* texts of `size` bytes, padded with 0 */
    SP_STORED_LETTERS /* texts of size / 4 letters in UTF-32, padded with 0 */
} sp_stored_form;

typedef struct sp_stored {
    char *name; /* "probs", owned; NULL: the file is this array */
    bool is_known;
    /* What follows is filled in once it is looked at. */
    sp_stored_form form;
    sp_element element; /* of numbers; of letters their byte order */
    int64_t size;       /* bytes of a value */
    char type[SP_STORED_TYPE];
    bool is_columns; /* the first index runs fastest (Fortran's order) */
    int rank;
    int64_t dims[SP_STORED_RANK], count;
    int64_t place;         /* of the first value in the file */
    unsigned char *bytes;  /* [count * size] owned, in place of that; or NULL */
    sp_label_words *words; /* the values are numbers of these, after sp_stored_use_words(); owned, or NULL */
    /* Of an archive: where the member is. */
    int64_t packed_place, packed_size, unpacked_size;
    uint32_t checksum;
    bool is_packed;
    bool is_checked; /* stored as they are, the bytes were compared with the checksum */
    bool is_used;    /* recordings are read from it */
} sp_stored;

typedef struct sp_stored_file sp_stored_file;
struct sp_stored_file {
    const char *file;    /* borrowed, for messages */
    const char *storage; /* how its arrays are stored, for people */
    int fd;              /* -1: all is in memory */
    int64_t file_size;
    bool counts_from_1; /* the tool that wrote it counts so (MATLAB) */
    int64_t n;
    sp_stored *arrays;   /* [n] */
    sp_stored **by_name; /* [n] sorted; or NULL: there is one without name */
    char **passed_over;  /* columns of text that were not read, NULL after the last (CSV); or NULL */
    char **classes;      /* names of the columns of the scores that the file itself gives (CSV); or NULL */
    /* Fills in what stands at an array, from its header; NULL where all are known. */
    sp_status (*look)(sp_stored_file *f, sp_stored *array, sp_error *err);
    /* Makes the values of one ready that has no `bytes`: unpacks them into these, or compares them with their checksum
     * (is_checked); NULL: they always are. */
    sp_status (*load)(const sp_stored_file *f, sp_stored *array, sp_error *err);
};

/* The most bytes that n bytes of a file can hold: deflate packs no better. */
static inline int64_t sp_stored_most(int64_t n)
{
    enum { RATIO = 1032 };
    return RATIO * (n + 1);
}

/* Opens a file for reading; -1 with the sentence in err. */
int sp_stored_open(const char *file, int64_t *size, sp_error *err);
void sp_stored_close(sp_stored_file *f); /* closes and frees what it holds, not f */
/* Takes the "/" before names off, and sorts by_name; one without a name, or two of one name: SP_EDATA. */
sp_status sp_stored_index(sp_stored_file *f, sp_error *err);

/* The array of that name ("/probs" and "probs" are the same), or NULL. */
sp_stored *sp_stored_find(const sp_stored_file *f, const char *name);
sp_status sp_stored_look(sp_stored_file *f, sp_stored *array, sp_error *err);
void sp_stored_forget(sp_stored *array); /* what was unpacked of it: it has to be looked at again */
/* Its values are there and as they were written. Those that read values call it themselves. */
sp_status sp_stored_load(const sp_stored_file *f, sp_stored *array, sp_error *err);

/* The place for a sentence: "scores.npy", "scores.npz: array probs", of text "scores.csv: labels". Into text [size]; returns
 * text. */
char *sp_stored_where(const sp_stored_file *f, const sp_stored *array, char *text, size_t size);
/* "[950, 5]" */
char *sp_stored_shape(const sp_stored *array, char text[SP_STORED_SHAPE]);

/* All n bytes at a place of the file, into out. A file that ends before: SP_EFILE with the byte. */
sp_status sp_stored_bytes(const sp_stored_file *f, int64_t place, int64_t n, void *out, sp_error *err);

/* Values first .. first+n-1 (in the order in which they lie) as `target`. A value that cannot be one: SP_OK and *bad_at its index
 * from `first`, *bad the value; else *bad_at is -1. */
sp_status sp_stored_read(const sp_stored_file *f, sp_stored *array, int64_t first, int64_t n, sp_target target, int64_t limit,
                         void *out, int64_t *bad_at, double *bad, sp_error *err);

/* All of it: texts of a one-dimensional array of texts or of whole numbers. The caller frees *out. SP_OK; SP_EDATA, SP_EFILE,
 * SP_ENOMEM. */
sp_status sp_stored_texts(const sp_stored_file *f, sp_stored *array, sp_texts *out, sp_error *err);

/* From here on an array of texts, of any shape, is one of numbers: of its words. SP_OK, SP_EDATA (too many), SP_EFILE, SP_ENOMEM.
 */
sp_status sp_stored_use_words(const sp_stored_file *f, sp_stored *array, sp_error *err);

/* All of it as int64, one-dimensional; the caller frees *out. */
sp_status sp_stored_integers(const sp_stored_file *f, sp_stored *array, int64_t **out, sp_error *err);

#endif
