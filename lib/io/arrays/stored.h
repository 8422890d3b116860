/* Arrays as a file stores them: at a place in the file, in memory (unpacked, or read from text), or in a store that finds and
 * reads them as they are asked for (HDF5). A format of arrays (.npy, .npz, CSV, HDF5) opens a file of them; array_source.h makes
 * recordings of it. Private to io/.
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

enum { SP_STORED_RANK = 4, SP_STORED_TYPE = 48, SP_STORED_SHAPE = 120 };

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
    void *own;       /* the store's, or NULL */
} sp_stored;

typedef struct sp_stored_file sp_stored_file;

/* What stands at a name. BROKEN: a link that leads nowhere. */
typedef enum sp_stored_what {
    SP_STORED_ABSENT,
    SP_STORED_ARRAY,
    SP_STORED_GROUP,
    SP_STORED_OTHER,
    SP_STORED_BROKEN
} sp_stored_what;

/* Values of recordings first .. first+count-1, of one array each, on their way to `out`. */
typedef struct sp_each_reading {
    const char *pattern;    /* "/recordings/{id}/probs" */
    char *const *ids;       /* [N] */
    const int64_t *offsets; /* [N+1] steps */
    const uint8_t *absent;  /* [N] recordings that have no such array: filled with -1; NULL: all have */
    int64_t width;          /* values a step */
    sp_target target;
    int64_t limit; /* as of sp_element_convert() */
    int64_t first, count;
    void *out;
    /* Reads all of recording n's array, which is looked at, and finds the words for what is wrong with it. */
    sp_status (*one)(void *arg, sp_stored *array, int64_t n, void *out, sp_error *err);
    void *arg;
} sp_each_reading;

/* The functions of a store. Lack of memory where none of them can say so is noted, and found by whoever opened the file. */
typedef struct sp_store {
    sp_stored_what (*what)(const sp_stored_file *f, const char *name);
    /* The array of a name, which stays until the file is closed; NULL: nothing is called so. What is no array says so when it is
     * looked at. */
    sp_stored *(*find)(const sp_stored_file *f, const char *name);
    /* The names in a group, sorted naturally. The caller frees them. */
    sp_status (*links)(const sp_stored_file *f, const char *group, sp_texts *names, int64_t *n,
                       sp_error *err);
    /* Raw values start[] .. start[]+count[] of each dimension; NULL: f->load() brings all of an array to memory. */
    sp_status (*read)(const sp_stored_file *f, sp_stored *array, const int64_t *start, const int64_t *count,
                      void *raw, sp_error *err);
    void *(*room)(const sp_stored_file *f,
                  size_t size); /* scratch, which the next call may take; NULL on lack of memory */
    sp_status (*texts)(const sp_stored_file *f, sp_stored *array, sp_texts *out,
                       sp_error *err); /* [count]; as `read` */
    /* The sentence for what is missing, or no array; `mend` ends it. */
    sp_status (*explain)(const sp_stored_file *f, const char *name, const char *mend, sp_error *err);
    /* What the file holds, and a place that may be that of scores, for a sentence. */
    void (*list)(const sp_stored_file *f, char *text, size_t size, char *example, size_t n_example);
    /* Attribute of what stands at `place`, as texts; *out NULL where there is none. is_number: they were whole numbers. */
    sp_status (*attribute)(const sp_stored_file *f, const char *place, const char *name, sp_texts *out,
                           int64_t *n, bool *is_number, sp_error *err);
    /* The same as a number, NaN where it is not one. False: there is none. */
    bool (*number)(const sp_stored_file *f, const char *place, const char *name, double *value);
    /* Notes how the first array of the recordings is stored, in f->storage. */
    sp_status (*describe)(sp_stored_file *f, const sp_stored *first, sp_error *err);
    /* Recordings of an array each. `take` opens one for a while; `each` all that fit a pattern, in natural order: ids and
     * n become those of the recordings so far, and check() looks at the array of the last; `find_each` flags those that have no
     * array of another pattern. */
    sp_status (*take)(const sp_stored_file *f, const char *name, sp_stored *array, sp_error *err);
    void (*drop)(sp_stored *array);
    sp_status (*each)(sp_stored_file *f, const char *pattern, const char *mend, sp_texts *ids, int64_t *n,
                      sp_status (*check)(void *arg, sp_stored *array, sp_error *err), void *arg,
                      sp_error *err);
    int64_t (*find_each)(const sp_stored_file *f, const char *pattern, char *const *ids, int64_t n,
                         uint8_t *absent);
    sp_status (*read_each)(const sp_stored_file *f, const sp_each_reading *r, sp_error *err);
    void (*close)(sp_stored_file *f);
} sp_store;

struct sp_stored_file {
    const char *file;    /* borrowed, for messages */
    const char *storage; /* how its arrays are stored, for people */
    int fd;              /* -1: all is in memory */
    int64_t file_size;
    bool counts_from_1; /* the tool that wrote it counts so (MATLAB) */
    int64_t n;
    sp_stored *arrays;   /* [n] */
    sp_stored **by_name; /* [n] sorted; or NULL: there is one without name */
    const char *labels;  /* where an option says that labels are; borrowed, or NULL */
    bool is_table;       /* of text */
    char **passed_over;  /* columns of text that were not read, NULL after the last (CSV); or NULL */
    char **classes;      /* names of the columns of the scores that the file itself gives (CSV); or NULL */
    const sp_store
        *store; /* finds and reads the arrays, whose names begin with "/"; NULL: all are in `arrays` */
    void *own;  /* the store's */
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

/* A path in a store: "/a/b" of "a//b/", "/" of "". The caller frees it; NULL on lack of memory. */
char *sp_stored_path(const char *name);

/* The array of that name ("/probs" and "probs" are the same), or NULL. */
sp_stored *sp_stored_find(const sp_stored_file *f, const char *name);
/* What stands at a name; what is in a group (NULL: the root): "probs" of "night/probs". The caller frees *names. */
sp_stored_what sp_stored_what_is(const sp_stored_file *f, const char *name);
sp_status sp_stored_links(const sp_stored_file *f, const char *group, sp_texts *names, int64_t *n,
                          sp_error *err);
sp_status sp_stored_look(sp_stored_file *f, sp_stored *array, sp_error *err);
void sp_stored_forget(sp_stored *array); /* what was unpacked of it: it has to be looked at again */
/* Its values are there and as they were written. Those that read values call it themselves. */
sp_status sp_stored_load(const sp_stored_file *f, sp_stored *array, sp_error *err);

/* The place for a sentence: "scores.npy", "scores.npz: array probs", of text "scores.csv: labels", of HDF5 "scores.h5: dataset
 * /probs". Into text [size]; returns text. sp_stored_subject() is the same before a verb: "scores.npz: array probs:". */
enum { SP_STORED_WHERE = 640 };
char *sp_stored_where(const sp_stored_file *f, const sp_stored *array, char text[SP_STORED_WHERE]);
char *sp_stored_subject(const sp_stored_file *f, const sp_stored *array, char text[SP_STORED_WHERE]);
/* "array", or "dataset" of a store. */
const char *sp_stored_noun(const sp_stored_file *f);
/* "[950, 5]" */
char *sp_stored_shape(const sp_stored *array, char text[SP_STORED_SHAPE]);

/* All n bytes at a place of the file, into out. A file that ends before: SP_EFILE with the byte. */
sp_status sp_stored_bytes(const sp_stored_file *f, int64_t place, int64_t n, void *out, sp_error *err);

/* Values first .. first+n-1 (in the order in which they lie) as `target`. A value that cannot be one: SP_OK and *bad_at its index
 * from `first`, *bad the value; else *bad_at is -1. */
sp_status sp_stored_read(const sp_stored_file *f, sp_stored *array, int64_t first, int64_t n,
                         sp_target target, int64_t limit, void *out, int64_t *bad_at, double *bad,
                         sp_error *err);

/* All of it: texts of a one-dimensional array of texts or of whole numbers. The caller frees *out. SP_OK; SP_EDATA, SP_EFILE,
 * SP_ENOMEM. */
sp_status sp_stored_texts(const sp_stored_file *f, sp_stored *array, sp_texts *out, sp_error *err);

/* From here on an array of texts, of any shape, is one of numbers: of its words. SP_OK, SP_EDATA (too many), SP_EFILE, SP_ENOMEM.
 */
sp_status sp_stored_use_words(const sp_stored_file *f, sp_stored *array, sp_error *err);

/* The sentence for texts where numbers are to be: SP_EDATA. */
sp_status sp_stored_refuse_text(const sp_stored_file *f, const sp_stored *array, sp_error *err);

/* All of it as int64, one-dimensional; the caller frees *out. */
sp_status sp_stored_integers(const sp_stored_file *f, sp_stored *array, int64_t **out, sp_error *err);

#endif
