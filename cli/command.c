#include "command.h"

#include <stdlib.h>
#include <string.h>

#include "progress.h"
#include "statepath/comparison.h"

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
    if (kind == SP_NOTICE_BUG || !r->opt->quiet)
        complain("%s", sentence);
}

static void show_progress(void *arg, const char *what, int64_t done, int64_t total)
{
    running *r = arg;
    if (what && !r->has_line)
        progress_start(&r->line, what, total, r->opt->quiet);
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

/* ---- --fail-if ---- */

/* The options one after the other, as one text: a condition ends where an option does. */
static char *join(char *const *texts)
{
    size_t size = 1;
    for (int i = 0; texts[i]; i++)
        size += strlen(texts[i]) + 2;
    char *out = malloc(size), *end = out;
    for (int i = 0; out && texts[i]; i++)
        end = stpcpy(stpcpy(end, i ? "; " : ""), texts[i]);
    return out;
}

/* Reads what --fail-if says, before anything is decoded. *out is NULL where the option was not given. */
static sp_status gates_open(const options *o, const sp_gate_scope *scope, sp_gate **out, sp_error *err)
{
    *out = NULL;
    if (!o->fail_if)
        return SP_OK;
    for (int i = 0; o->fail_if[i]; i++) { /* one by one first, so that no option leans on the next one */
        sp_gate *one = NULL;
        sp_status status = sp_gate_new(o->fail_if[i], scope, &one, err);
        sp_gate_free(one);
        if (status != SP_OK)
            return sp_fail(err, status, "--fail-if: %s", err->message);
    }
    char *text = join(o->fail_if);
    sp_status status = text ? sp_gate_new(text, scope, out, err) : sp_no_memory(err);
    free(text);
    return status;
}

/* Says on stderr which conditions trip, with the values. True when one does. Both may be NULL. */
static bool gates_trip(const sp_gate *gate, const sp_comparison *comparison)
{
    bool trips = false;
    for (int32_t i = 0; gate && comparison && i < sp_gate_n_conditions(gate); i++) {
        char sentence[SP_ERROR_SIZE];
        if (sp_gate_judge(gate, i, comparison, sentence, sizeof sentence) == SP_GATE_PASSED)
            continue;
        complain("--fail-if: %s", sentence);
        trips = true;
    }
    return trips;
}

static sp_status open_gates(void *arg, const sp_gate_scope *scope, sp_error *err)
{
    running *r = arg;
    return gates_open(r->opt, scope, &r->gate, err);
}

/* ---- the frame ---- */

static int exit_status_of(const running *r, sp_status status, const outcome *out, const sp_error *err)
{
    if (status != SP_OK) {
        const int usual = fail_with(status, err);
        return out->exit_status ? out->exit_status : usual;
    }
    if (gates_trip(r->gate, out->comparison))
        return EXIT_GATE;
    return out->result.n_bugs                                                          ? EXIT_FAILED
           : out->result.n_undecoded || out->result.n_left_out || out->result.n_unread ? EXIT_UNDECODED
                                                                                       : EXIT_DONE;
}

static sp_status check_options(const command *c, const options *o, const char *const *words, sp_error *err)
{
    const command_verb *verb = c->verbs;
    while (verb && verb->name && strcmp(verb->name, words[0]) != 0)
        verb++;
    if (verb && !verb->name) /* the work says what there is */
        return SP_OK;
    return options_check(o, c->name, verb ? verb->takes : c->takes, verb ? words[0] : NULL, err);
}

int command_main(const command *c, int argc, const char **argv)
{
    const char **words = calloc((size_t)argc + MOST_WORDS + 1, sizeof *words);
    options o;
    option_table table;
    if (!words) {
        complain("no memory");
        return EXIT_FAILED;
    }
    options_init(&o);
    o.output_is_text = c->output_is_text;
    o.also_writes = c->also_writes;
    options_fill(&table, &o, c->takes, c->lacks);
    int exit_status = options_read(argc, argv, table.groups, &c->use, &o, words);
    if (exit_status < 0) {
        running r = {.opt = &o};
        outcome out = {.comparison = NULL};
        sp_error err = {.status = SP_OK};
        char *text = command_line(argc, argv, c->use.max_words == MANY_WORDS ? words : NULL);
        o.run.command = text;
        if (c->use.max_words == MANY_WORDS)
            o.run.place.more = words + 1;
        o.run.hooks = (sp_run_hooks){.arg = &r,
                                     .notice = notice,
                                     .progress = show_progress,
                                     .is_stopped = is_stopped,
                                     .opened = open_gates};
        if (c->watches_signals)
            watch_signals();
        sp_status status = check_options(c, &o, words, &err);
        if (status == SP_OK)
            status = c->work(&o, words, &out, &err);
        exit_status = exit_status_of(&r, status, &out, &err);
        sp_comparison_free(out.comparison);
        sp_gate_free(r.gate);
        free(text);
    }
    options_clear(&o);
    free(words);
    return exit_status;
}
