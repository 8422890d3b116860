/* A part: what a run has counted of its recordings, and everything that is needed to go on from there. Its containers are a file
 * (file_part.c) and a block of bytes (part_bytes.c). */
#ifndef PIPELINE_PART_H
#define PIPELINE_PART_H

#include <jansson.h>

#include "core/owned.h"

#include "evaluate/counts/kept_steps.h"
#include "evaluate/evaluate.h"
#include "pipeline/pipeline.h"

/* ---- shards ---- */

typedef struct sp_shard {
    int64_t i, n; /* i from 1 to n */
} sp_shard;

/* "3/16"; "auto": the variables of Slurm, SGE, LSF and PBS arrays, then the ranks of Slurm, Open MPI and PMI. NULL: 1/1. SP_OK;
 * SP_EINVAL. */
sp_status sp_shard_read(const char *text, sp_shard *out, sp_error *err);

/* The name of a part, with %i and %n filled in. The caller frees it. SP_OK; SP_EINVAL (several shards and no %i), SP_ENOMEM. */
sp_status sp_part_file_name(const char *pattern, const char *shard_text, const sp_shard *shard, char **out, sp_error *err);

/* Every n-th fold is the shard's. NULL: all are. */
bool sp_shard_has_fold(const sp_shard *shard, int32_t fold);

/* The i-th contiguous range of recordings, balanced by steps. */
void sp_shard_range(const sp_shard *shard, const sp_source_info *info, int64_t *first, int64_t *end);

/* ---- options ---- */

/* Those that results depend on, but for files and outputs, where they are not the default. NULL: no memory, or a text that is not
 * UTF-8. */
json_t *sp_part_options_write(const sp_run_options *o);
/* Sets them in `o`; texts are owned by `own`. False: no such options, or no memory. */
bool sp_part_options_read(const json_t *options, sp_owned *own, sp_run_options *o);

/* What a run reads beside its recordings and labels: the model, maps of codes, rules, as they are named. Returns how many. */
enum { SP_PART_READ = 4 };
int sp_part_read_names(const sp_run_options *o, const char *names[SP_PART_READ]);

/* ---- parts ---- */

typedef struct sp_part_content {
    char *name;     /* for messages */
    json_t *header; /* part_header.c says what it holds */
    sp_counted counted;
    sp_count_list run;      /* counts of the pipeline: sp_part_count_run() */
    sp_count_list origins;  /* of each recording which input it is of, and its place in it */
    sp_count_list folds;    /* of each recording its fold; empty without folds */
    sp_count_list holes;    /* steps that take no part (file_part_holes.c); empty where there are none */
    char **ids, **subjects; /* [N] one allocation each; subjects NULL: not known */
} sp_part_content;
void sp_part_content_clear(sp_part_content *part);

/* Its lists, whatever they are written to. */
enum { SP_PART_LISTS = SP_N_COUNTED + 4 };
typedef struct sp_part_list_name {
    const char *name;
    bool is_real; /* bits of float64 */
} sp_part_list_name;
extern const sp_part_list_name sp_part_list_names[SP_PART_LISTS];
sp_count_list *sp_part_list(sp_part_content *part, int i);

/* Steps of recording r of the part, as its counts say it; below 0: they are not those of a part. */
int64_t sp_part_steps(const sp_part_content *part, int64_t r);

/* The header as text; the caller frees it. NULL: no memory. */
char *sp_part_header_write(const sp_part_content *part);
/* Into part->header. SP_OK; SP_EDATA (no JSON object, of another version; part->name begins the sentence). */
sp_status sp_part_header_read(const char *text, sp_part_content *part, sp_error *err);

/* Goes on from `sum`, which begins with SP_CHECKSUM (FNV-1a). */
#define SP_CHECKSUM UINT64_C(14695981039346656037)
uint64_t sp_checksum(uint64_t sum, const void *bytes, size_t n);
/* Of all that a part holds, the same in a file and in memory. SP_OK, SP_ENOMEM. */
sp_status sp_part_checksum(sp_part_content *part, uint64_t *sum, sp_error *err);
/* What both containers end reading with. SP_OK; SP_EDATA (damaged). */
sp_status sp_part_check_sum(const char *name, uint64_t said, uint64_t sum, sp_error *err);
sp_status sp_part_check_lists(sp_part_content *part, int64_t n_ids, int64_t n_subjects, sp_error *err);

/* part_steps: "all" (NULL), "none". SP_OK; SP_EINVAL. */
sp_status sp_part_steps_read(const char *text, bool *with_steps, sp_error *err);

/* A part as one block of bytes, the same on every machine; the caller frees it. SP_OK, SP_ENOMEM. */
sp_status sp_part_write(sp_part_content *part, unsigned char **bytes, size_t *n, sp_error *err);
/* The part that a block holds; `name` is for messages. On failure `out` can (and must) still be cleared. SP_OK; SP_EDATA (no
 * part, damaged, of another version), SP_ENOMEM. */
sp_status sp_part_read(const unsigned char *bytes, size_t n, const char *name, sp_part_content *out, sp_error *err);

/* Names what a pipeline counts beside the evaluation. */
void sp_part_count_run(sp_counting *c, sp_pipeline *p);

/* What a run is to count of, as a part's header, and whose its recordings are: everything but the counts. `how`: as the
 * evaluation is made with. */
typedef struct sp_part_input {
    const char *name;        /* a file of recordings; after these those of labels */
    int64_t bytes, modified; /* nanoseconds */
    char checksum[32];       /* "" without check_inputs */
} sp_part_input;
sp_status sp_part_describe(const sp_pipeline *p, const sp_evaluation_options *how, const sp_shard *shard, int64_t n_inputs,
                           const sp_part_input *inputs, sp_part_content *out, sp_error *err);

/* Of a pipeline that counts for a part. */
typedef struct sp_part_run {
    const char *kind; /* of the header */
    bool with_steps;
    sp_shard shard;
    sp_part_content content;
    /* Once everything is open: fills content, and says whether the part is there already. */
    sp_status (*begin)(struct sp_part_run *part, sp_pipeline *p, const sp_evaluation_options *how, bool *is_there, sp_error *err);
    uint8_t *takes; /* [N] of the file: which recordings are the shard's; NULL: p->first .. p->end-1 */
    char *file;     /* its name */
    bool is_there;  /* the part is kept as it is */
} sp_part_run;

/* The next stretch of recordings that a pipeline takes: from *first on, to its return value - 1; p->end, or the number of all,
 * where there is none. */
int64_t sp_part_next(const sp_pipeline *p, int64_t *first);
/* Once folds are fitted: the recordings of the shard are those of its folds. Nothing without a part. SP_OK, SP_ENOMEM. */
sp_status sp_part_take_folds(sp_pipeline *p, sp_error *err);

#endif
