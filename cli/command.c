#include "command.h"

#include <stdlib.h>

#include "gates.h"
#include "progress.h"

/* A command at work, as the library's calls see it. */
typedef struct running {
    const options *opt;
    progress line;
    bool has_line;
    sp_gate *gate; /* of --fail-if, or NULL */
} running;

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

static int exit_status_of(const running *r, sp_status status, const outcome *out, const sp_error *err)
{
    if (status != SP_OK) {
        const int usual = fail_with(status, err);
        return out->exit_status ? out->exit_status : usual;
    }
    if (gates_trip(r->gate, out->comparison))
        return EXIT_GATE;
    return out->result.n_bugs ? EXIT_FAILED : out->result.n_undecoded > 0 ? EXIT_UNDECODED : EXIT_DONE;
}

int command_main(const command *c, int argc, const char **argv)
{
    enum { MOST_WORDS = 3 };
    const char *words[MOST_WORDS];
    options o;
    option_table table;
    options_init(&o);
    o.output_is_text = c->output_is_text;
    options_fill(&table, &o, c->options);
    int exit_status = options_read(argc, argv, table.groups, &c->use, words);
    if (exit_status < 0) {
        running r = {.opt = &o};
        outcome out = {.comparison = NULL};
        sp_error err = {.status = SP_OK};
        char *text = command_line(argc, argv);
        o.run.command = text;
        o.run.hooks = (sp_run_hooks){
            .arg = &r, .notice = notice, .progress = show_progress, .is_stopped = is_stopped, .opened = open_gates};
        if (c->watches_signals)
            watch_signals();
        sp_status status = c->work(&o, words, &out, &err);
        exit_status = exit_status_of(&r, status, &out, &err);
        sp_comparison_free(out.comparison);
        sp_gate_free(r.gate);
        free(text);
    }
    options_clear(&o);
    return exit_status;
}
