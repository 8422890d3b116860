#include "mpi/ranks.h"

#include <errno.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { CHUNK = 4 << 20, TAG_WANTED = 1, TAG_BYTES };

int rank, n_ranks;

/* MPI's own waiting takes a processor from a rank that still counts. */
static void wait_for_message(MPI_Request *request, MPI_Status *about)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    for (int is_done = 0;;) {
        MPI_Test(request, &is_done, about);
        if (is_done)
            return;
        if (is_interrupted())
            ranks_abort(EXIT_FAILED);
        nanosleep(&nap, NULL);
    }
}

static void wait_for(MPI_Request *request)
{
    wait_for_message(request, MPI_STATUS_IGNORE);
}

void ranks_open(void)
{
    int provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
}

int ranks_close(int status)
{
    MPI_Request request;
    MPI_Ibcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    wait_for(&request);
    MPI_Finalize();
    return status;
}

void ranks_abort(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
    exit(status);
}

int ranks_worst(int status)
{
    int worst = status;
    MPI_Request request;
    MPI_Iallreduce(&status, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
    wait_for(&request);
    return worst;
}

void ranks_report(const rank_report *mine, rank_report *all)
{
    MPI_Request request;
    MPI_Igather(mine, sizeof *mine, MPI_BYTE, all, sizeof *mine, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    wait_for(&request);
}

/* ---- bytes of files ---- */

_Noreturn static void give_up(const char *file, const char *why)
{
    complain("%s: %s", file, why);
    ranks_abort(EXIT_FAILED);
}

/* In chunks; one that is not full is the last. */
static void send_file(const char *file)
{
    char *bytes = malloc(CHUNK);
    FILE *stream = bytes ? fopen(file, "rb") : NULL;
    if (!stream)
        give_up(file, strerror(errno));
    for (size_t n = CHUNK; n == CHUNK;) {
        MPI_Request request;
        n = fread(bytes, 1, CHUNK, stream);
        if (ferror(stream))
            give_up(file, strerror(errno));
        MPI_Isend(bytes, (int)n, MPI_BYTE, 0, TAG_BYTES, MPI_COMM_WORLD, &request);
        wait_for(&request);
    }
    fclose(stream);
    free(bytes);
}

/* What cannot be written is received all the same: the sender waits for that. */
static sp_status receive_file(int from, const char *file, sp_error *err)
{
    sp_text_file *to = NULL;
    char *bytes = malloc(CHUNK);
    if (!bytes)
        give_up(file, strerror(errno));
    sp_status status = sp_text_open(file, true, NULL, &to, err);
    for (int n = CHUNK; n == CHUNK;) {
        MPI_Request request;
        MPI_Status about;
        MPI_Irecv(bytes, CHUNK, MPI_BYTE, from, TAG_BYTES, MPI_COMM_WORLD, &request);
        wait_for_message(&request, &about);
        MPI_Get_count(&about, MPI_BYTE, &n);
        if (status == SP_OK)
            status = sp_text_put(to, bytes, (size_t)n, err);
    }
    free(bytes);
    if (status == SP_OK)
        return sp_text_close(to, err);
    sp_text_abort(to);
    return status;
}

/* Is it the very file that the other rank speaks of, on a file system that both see? */
static bool is_seen(const char *file, const rank_report *there)
{
    struct stat here;
    return stat(file, &here) == 0 && here.st_size == there->bytes && here.st_mtim.tv_sec == there->seconds &&
           here.st_mtim.tv_nsec == there->nanoseconds && (int64_t)here.st_ino == there->inode;
}

sp_status ranks_bring(const rank_report *reports, char *const *files, sp_error *err)
{
    sp_status status = SP_OK;
    for (int from = 1; rank == 0 && from < n_ranks; from++) {
        int is_wanted = status == SP_OK && !is_seen(files[from], &reports[from]);
        MPI_Request request;
        MPI_Isend(&is_wanted, 1, MPI_INT, from, TAG_WANTED, MPI_COMM_WORLD, &request);
        wait_for(&request);
        if (is_wanted)
            status = receive_file(from, files[from], err);
    }
    if (rank > 0) {
        int is_wanted = 0;
        MPI_Request request;
        MPI_Irecv(&is_wanted, 1, MPI_INT, 0, TAG_WANTED, MPI_COMM_WORLD, &request);
        wait_for(&request);
        if (is_wanted)
            send_file(files[rank]);
    }
    return status;
}
