/* A part: what a run has counted of its recordings, and everything that is needed to go on from there; its one container, which is
 * the same in memory and in a file; options that belong to a part. */
#ifndef PARTS_PART_H
#define PARTS_PART_H

#include <jansson.h>

#include "core/owned.h"
#include "evaluate/evaluate.h"
#include "statepath/files.h"
#include "statepath/pipeline.h"

/* ---- options ---- */

/* Those that results depend on, but for files and outputs, where they are not the default. NULL: no memory, or a text that is not
 * UTF-8. */
json_t *sp_part_options_write(const sp_run_options *o);
/* Sets them in `o`; texts are owned by `own`. False: no such options, or no memory. */
bool sp_part_options_read(const json_t *options, sp_owned *own, sp_run_options *o);

/* What a run reads beside its recordings and labels: the model, maps of codes, rules, as they are named. Returns how many. */
enum { SP_PART_READ = 4 };
int sp_part_read_names(const sp_run_options *o, const char *names[SP_PART_READ]);

/* ---- what a part holds ---- */

typedef struct sp_part_content {
    char *name;     /* for messages */
    json_t *header; /* part.c says what it holds */
    sp_counted counted;
    sp_count_list run;      /* counts of the pipeline beside the evaluation */
    sp_count_list origins;  /* of each recording which input it is of, and its place in it */
    sp_count_list folds;    /* of each recording its fold; empty without folds */
    sp_count_list holes;    /* steps that take no part (part_holes.c); empty where there are none */
    char **ids, **subjects; /* [N] one allocation each; subjects NULL: not known */
} sp_part_content;
void sp_part_content_clear(sp_part_content *part);

/* Its lists, in the order of the container. */
enum { SP_PART_LISTS = SP_N_COUNTED + 4 };
sp_count_list *sp_part_list(sp_part_content *part, int i);

/* Steps of recording r of the part, as its counts say it; below 0: they are not those of a part. */
int64_t sp_part_steps(const sp_part_content *part, int64_t r);

/* The header as text; the caller frees it. NULL: no memory. */
char *sp_part_header_write(const sp_part_content *part);
/* Into part->header. SP_OK; SP_EDATA (no JSON object, of another version; part->name begins the sentence). */
sp_status sp_part_header_read(const char *text, sp_part_content *part, sp_error *err);
/* What reading ends with: are the lists those of so many recordings? SP_OK; SP_EDATA. */
sp_status sp_part_check_lists(sp_part_content *part, int64_t n_ids, int64_t n_subjects, sp_error *err);

/* ---- the container (container.c) ---- */

/* Goes on from `sum`, which begins with SP_CHECKSUM (FNV-1a). */
#define SP_CHECKSUM UINT64_C(14695981039346656037)
uint64_t sp_checksum(uint64_t sum, const void *bytes, size_t n);

/* A part as one block of bytes, the same on every machine; the caller frees it. SP_OK, SP_ENOMEM. */
sp_status sp_part_write(sp_part_content *part, unsigned char **bytes, size_t *n, sp_error *err);
/* The part that a block holds; `name` is for messages. On failure `out` can (and must) still be cleared. SP_OK; SP_EDATA (no
 * part, damaged, of another version), SP_ENOMEM. */
sp_status sp_part_read(const unsigned char *bytes, size_t n, const char *name, sp_part_content *out,
                       sp_error *err);

/* ---- steps that take no part (part_holes.c) ---- */

/* Adds where the steps of recording r stand among those that take no part, for paths that have -1 there.
 *   offsets  [N+1] of the recordings, without holes
 * False: no memory. */
bool sp_part_holes_add(const sp_holes *holes, const int64_t *offsets, int64_t r, sp_count_list *out);
/* The same of all recordings of parts that are joined, in arrays of `own`; is_there false: there are none. SP_OK; SP_EDATA (a part
 * is damaged), SP_ENOMEM. */
sp_status sp_part_holes_join(const sp_part_content *parts, const sp_joining *joining, const int64_t *offsets,
                             sp_owned *own, sp_holes *out, bool *is_there, sp_error *err);

#endif
