/* The seam between sources and formats of files; private to io/. Whoever reads recordings calls sp_source_*() and
 * sp_paths_reader_*(), which look after ranges, shapes and memory; a format gives what stands below.
 *
 * A new format is one file with one row of this type, and the row's line in format.c.
 */
#ifndef STATEPATH_IO_FORMAT_H
#define STATEPATH_IO_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/subjects.h"
#include "io/element.h"
#include "statepath/files.h"

/* What a file is opened for. */
typedef struct sp_request {
    const sp_source_options *options; /* never NULL */
    bool is_paths;     /* its paths are wanted, else its scores or (needs_scores false) its labels */
    const char *paths; /* their place in the file as given, or NULL */
} sp_request;

/* What is to be read: recordings first .. first+count-1, or steps of one recording (count is 1 then). */
typedef struct sp_wanted {
    int64_t first, count;
    bool is_part; /* of recording `first` the steps first_step .. first_step+n_steps-1 only */
    int64_t first_step, n_steps;
} sp_wanted;

/* What is seen of a file before it is opened. */
typedef struct sp_file_look {
    const char *file;
    const sp_request *request;
    size_t n;                /* 0: it cannot be read, or is no ordinary file */
    unsigned char head[512]; /* [n] its first bytes */
} sp_file_look;

typedef struct sp_path_format sp_path_format; /* paths_export.h */

typedef struct sp_format {
    const char *name; /* as a sentence says it: "an HDF5 file" */
    /* How a file of it is known: by its first bytes, or by `recognise` where the row has one. */
    const char *magic;
    size_t n_magic;
    bool (*recognise)(const sp_file_look *look);
    const char
        *mend; /* of a format that is not read: the command that converts such a file (foreign.h); or NULL */
    const char *
        endings; /* of files that hold recordings, ".h5 .hdf5", by which they are found in a folder; each in one row */
    const char *
        python; /* what loads an array of it there, where HDF5 is wanted: FILE stands for the file; or NULL */
    /* Opens source->file_name: fills source->info but for `file`, and source->paths where paths are wanted. NULL: the format is
     * known, but not read. What `opened` points to is released by close(), also where open() fails. */
    sp_status (*open)(sp_source *source, const sp_request *request, sp_error *err);
    void (*close)(void *opened);
    /* Fills the arrays of the block that are not NULL; labels by source->codes. The range was looked at. */
    sp_status (*read)(sp_source *source, const sp_wanted *wanted, sp_block *block, sp_error *err);
    /* NULL in formats that have no such thing. */
    sp_status (*read_path)(sp_source *source, int32_t strategy, const sp_wanted *wanted, int32_t *out,
                           sp_error *err);
    sp_decoded (*result)(const sp_source *source, int32_t strategy, int64_t recording, bool is_undecoded);
    sp_status (*find_raters)(sp_source *source, sp_error *err); /* into source->raters, once */
    sp_status (*read_rater)(sp_source *source, int32_t rater, const sp_wanted *wanted, int32_t *out,
                            sp_error *err);
    sp_status (*epoch_seconds)(sp_source *source, double *seconds, sp_error *err);
    sp_status (*subjects)(sp_source *source, const sp_groups *groups, sp_subjects **out,
                          sp_error *err); /* NULL: by ids alone */
    sp_status (*windows)(sp_source *source, const char *place, int64_t **start, int64_t **text,
                         sp_error *err);
    sp_status (*list_unused)(sp_source *source, sp_unused_sink *sink, void *arg, sp_error *err);
    void (*use_threads)(sp_source *source, int n_threads);
    const sp_path_format *
        paths; /* how paths are written so, once all are there; NULL: they are not. HDF5 takes them as they come */
} sp_format;

struct sp_source {
    const sp_format *format;
    void *opened; /* the format's own */
    char *file_name;
    sp_source_info info;
    sp_paths_info paths;     /* of a file that was opened for its paths */
    bool has_words;          /* the labels are words */
    bool is_unsized;         /* rows [N,T], and nothing says how long each is; a file of one array alone */
    bool has_chosen_columns; /* of a table: `classes` said which of its columns are scores */
    bool
        is_of_trainer; /* rows of scores as transformers' Trainer leaves them: its names, -100, or one array alone */
    bool has_numbers; /* of text: some are bare numbers, which neither a name nor codes explain */
    bool
        may_have_header; /* of a list of labels: the first is 0, which may be the name of a column, as pandas writes it */
    const sp_model *model; /* of labels that are words, or NULL; borrowed */
    sp_model *named;       /* whose classes the columns are, by the options; or NULL. Owned */
    const sp_codes *codes; /* of the labels, or NULL; borrowed */
    bool ignores_100;      /* labels of -100 are unscored; set while opening */
    bool are_previous;     /* the labels are the class before each step: any negative number means none */
    /* Holes (holes.h): flags [n_steps] of the steps that take part, and what says so ("array valid"), set while opening; NULL:
     * there are none. Both owned. The rest once they are used. */
    uint8_t *kept;
    char *kept_place;
    bool is_kept_by_labels; /* -100 says so */
    bool says_kept;         /* flags or labels of -100 say it, whether there are holes or not */
    sp_gaps own_gaps;       /* what the file itself says of its holes; SP_GAPS_ERROR: nothing */
    int64_t *kept_offsets, *step_at;
    sp_holes holes;
    bool has_holes;
    const char *const *tokens;  /* set while opening; the format's */
    const int64_t *token_lines; /* likewise: in which line of the file each is; NULL: it has no lines */
    bool breaks, has_own_segments;
    sp_block *with_holes;
    const sp_codes *path_codes; /* likewise of the paths */
    bool has_looked_for_raters; /* raters is filled */
    sp_raters_found raters;
};

/* What the labels are read as, and which of them mean none. */
static inline sp_target sp_source_label_target(const sp_source *source)
{
    return source->are_previous ? SP_TO_PREVIOUS : source->ignores_100 ? SP_TO_LABEL : SP_TO_I32;
}

static inline bool sp_source_label_is_none(const sp_source *source, int64_t label)
{
    return source->are_previous ? label < 0 : source->ignores_100 && label == -100;
}

/* The format that reads a file; what cannot be read at all is HDF5's, whose opening finds the words for it. SP_OK; SP_EFILE: what the
 * file is, and how it is converted. */
sp_status sp_format_find(const char *file, const sp_request *request, const sp_format **out, sp_error *err);

/* The way of writing paths that the name of a file asks for by its ending; NULL: HDF5. */
const sp_path_format *sp_format_of_paths(const char *file);

/* Is a file one that some row reads, by the ending of its name, in a folder that holds others, too? */
bool sp_format_is_readable(const char *file);
/* Those endings, for a sentence. Into text [size]; returns text. */
char *sp_format_endings(char *text, size_t size);

/* Opens one file, which is neither a folder nor a pattern, by the format that knows it; read it by source->format, with its
 * holes. */
sp_status sp_source_open_one(const char *file, const sp_request *request, sp_source **out, sp_error *err);

/* After the recordings of a source that was opened for paths have other steps. */
void sp_paths_reader_refresh(sp_source *source);

/* For files that are HDF5 or nothing (signals, tensors): SP_EFILE with the sentence for another format, where the file is there
 * and is of one; else SP_OK. dataset: what is wanted of it, NULL where only statepath writes such files. */
sp_status sp_format_check_h5(const char *file, const char *dataset, const sp_file_access *access,
                             sp_error *err);

/* Recording n has so many steps: offsets[n+1]. SP_EDATA where a damaged file says more than can be counted. */
static inline sp_status sp_steps_put(int64_t *offsets, int64_t n, int64_t steps, const char *file_name,
                                     sp_error *err)
{
    if (steps > INT64_MAX - offsets[n])
        return sp_fail(err, SP_EDATA,
                       "%s: its recordings have more steps than can be counted; the file is damaged: copy or "
                       "write it again",
                       file_name);
    offsets[n + 1] = offsets[n] + steps;
    return SP_OK;
}

#endif
