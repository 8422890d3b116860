#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_start(progress *p, const char *what, int64_t total, bool is_quiet)
{
    *p = (progress){.is_on = !is_quiet && total > 0 && isatty(STDERR_FILENO),
                    .what = what,
                    .total = total,
                    .started = now_seconds()};
}

void progress_show(progress *p, int64_t done)
{
    double now = now_seconds(), elapsed = now - p->started;
    if (!p->is_on || elapsed < 0.5 || now - p->shown < 0.1)
        return;
    char a[SP_COUNT_TEXT], b[SP_COUNT_TEXT];
    double share = (double)done / (double)p->total;
    fprintf(stderr, "\r%s of %s %s  %3.0f %%  %.0f s left\033[K", sp_count_text(done, a),
            sp_count_text(p->total, b), p->what, 100 * share, share > 0 ? elapsed / share - elapsed : 0);
    fflush(stderr);
    p->shown = now;
    p->is_shown = true;
}

void progress_end(progress *p)
{
    if (p->is_shown)
        fputs("\r\033[K", stderr);
    p->is_on = p->is_shown = false;
}
