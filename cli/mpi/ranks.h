/* The ranks of an MPI job: everything that statepath-mpi asks MPI for. Ranks that wait sleep, so that those on the same processor
 * work. A rank that is interrupted (cli.h) while it waits ends the job. */
#ifndef STATEPATH_CLI_RANKS_H
#define STATEPATH_CLI_RANKS_H

#include "cli.h"

/* What a rank says of its part. Ranks are of one build, on processors of one kind. */
typedef struct rank_report {
    sp_status status;
    char sentence[SP_ERROR_SIZE]; /* of an error */
    /* The file as this rank sees it. */
    int64_t bytes, seconds, nanoseconds, inode;
} rank_report;

extern int rank, n_ranks;

void ranks_open(void);
/* Waits for all ranks, so that none is taken for lost by what started them; returns the status that rank 0 gives. */
int ranks_close(int status);
/* Ends the job. */
_Noreturn void ranks_abort(int status);

/* The worst of what all ranks give: the greatest. */
int ranks_worst(int status);

/* Tells rank 0 all reports. all  [n_ranks] there, NULL elsewhere */
void ranks_report(const rank_report *mine, rank_report *all);

/* Gives rank 0 the files of the others that it does not see itself, by the same names.
 *   reports  [n_ranks] at rank 0, NULL elsewhere
 *   files    [n_ranks] at rank 0; elsewhere this rank's own at its place
 * SP_OK; SP_EFILE. */
sp_status ranks_bring(const rank_report *reports, char *const *files, sp_error *err);

#endif
