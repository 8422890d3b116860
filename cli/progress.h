/* A progress line on stderr: only on a terminal, only when the work takes longer than half a second, gone when it is done. */
#ifndef STATEPATH_CLI_PROGRESS_H
#define STATEPATH_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    bool is_on, is_shown;
    const char *what; /* "steps" */
    int64_t total;
    double started, shown;
} progress;

/* Seconds of a clock that only goes forward. */
double now_seconds(void);

void progress_start(progress *p, const char *what, int64_t total, bool is_quiet);
void progress_show(progress *p, int64_t done);
void progress_end(progress *p);

#endif
