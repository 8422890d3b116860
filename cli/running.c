#include "running.h"

#include <stdlib.h>

#include "gates.h"

static void notice(void *arg, sp_notice kind, const char *sentence)
{
    const running *r = arg;
    if (kind == SP_NOTICE_BUG || !r->opt->talk.quiet)
        complain("%s", sentence);
}

static void show_progress(void *arg, const char *what, int64_t done, int64_t total)
{
    running *r = arg;
    if (what && !r->has_line)
        progress_start(&r->line, what, total, r->opt->talk.quiet);
    r->has_line = what != NULL;
    if (!what) {
        progress_end(&r->line);
        return;
    }
    r->line.what = what;
    r->line.total = total;
    progress_show(&r->line, done);
}

static bool is_stopped(void *arg)
{
    (void)arg;
    return is_interrupted();
}

static sp_status open_gates(void *arg, const sp_gate_scope *scope, sp_error *err)
{
    running *r = arg;
    return gates_open(r->opt, scope, &r->gate, err);
}

void running_start(running *r, options *o, int argc, const char **argv)
{
    *r = (running){.opt = o, .command = command_line(argc, argv)};
    o->run.command = r->command;
    o->run.hooks =
        (sp_run_hooks){.arg = r, .notice = notice, .progress = show_progress, .is_stopped = is_stopped, .opened = open_gates};
    watch_signals();
}

int running_end(running *r, sp_status status, const sp_error *err, const sp_comparison *comparison, const sp_run_result *result)
{
    int exit_status = status != SP_OK                     ? fail_with(status, err)
                      : gates_trip(r->gate, comparison)   ? EXIT_GATE
                      : result && result->n_bugs          ? EXIT_FAILED
                      : result && result->n_undecoded > 0 ? EXIT_UNDECODED
                                                          : EXIT_DONE;
    sp_gate_free(r->gate);
    free(r->command);
    return exit_status;
}
