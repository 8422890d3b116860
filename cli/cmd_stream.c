/* statepath stream: one line of K numbers in, one class name out, while the recording goes on. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

typedef struct stream {
    const options *opt;
    sp_model *model;
    int32_t n_classes;
    const char **names; /* [K] what is printed, in the order of the columns */
    sp_model *named;    /* whose classes they are, or NULL */
    double *log_prior;
    sp_chain *chain;
    sp_online *online;
    sp_prepare_options prepare;
    bool has_kind;
    sp_infeasible_rule on_infeasible;
    sp_block *block; /* one step */
    int64_t line, n_broken;
    int64_t n_recordings, n_failed; /* begun so far; of them without a path */
    bool is_begun, is_failed;       /* the recording at hand */
    int32_t n_steps;                /* of it, so far */
    int32_t *decided;               /* [room] by one step, or at the end */
    size_t room;
    /* Of --exact: how many steps came between a step and its class. */
    int64_t *delays; /* [n_delays] */
    int64_t n_delays, n_forced;
} stream;

static void stream_close(stream *s)
{
    sp_block_free(s->block);
    sp_online_free(s->online);
    sp_chain_free(s->chain);
    sp_model_free(s->model);
    free(s->log_prior);
    free(s->names);
    sp_model_free(s->named);
    free(s->decided);
    free(s->delays);
}

static sp_status stream_open(stream *s, sp_error *err)
{
    const options *o = s->opt;
    if (!o->run.model)
        return sp_fail(err, SP_EINVAL,
                       "--model is missing: a file, or a shipped model (`statepath model list`)");
    sp_status status = sp_run_load_model(&o->run, NULL, NULL, &s->model, err);
    if (status == SP_OK)
        status = sp_model_check_stream(s->model, err);
    if (status == SP_OK && o->run.place.classes)
        status = sp_classes_load(o->run.place.classes, &s->named, err);
    if (status != SP_OK)
        return status;
    int32_t K = s->n_classes = s->model->n_classes;
    int32_t *class_of_column = malloc((size_t)K * sizeof *class_of_column);
    s->names = malloc(((size_t)K + 1) * sizeof *s->names);
    s->log_prior = malloc((size_t)K * sizeof *s->log_prior);
    s->block = sp_block_new();
    if (!class_of_column || !s->names || !s->log_prior || !s->block) {
        free(class_of_column);
        return sp_no_memory(err);
    }
    const sp_model *named = s->named ? s->named : s->model;
    for (int32_t k = 0; k < K && k < named->n_classes; k++)
        s->names[k] = named->classes[k];
    sp_chain_options compile = sp_chain_options_default();
    compile.class_of_column = class_of_column;
    compile.step_seconds = o->run.epoch_seconds > 0 ? o->run.epoch_seconds : 0;
    compile.max_states = o->run.max_states;
    compile.transition_weight =
        sp_first_given(o->run.decode.transition_weight, s->model->transition_weight, 1);
    status =
        sp_model_align(s->model, named->n_classes, (const char *const *)named->classes, class_of_column, err);
    if (status == SP_OK)
        status = sp_chain_new(s->model, &compile, &s->chain, err);
    if (status == SP_OK)
        status = o->exact ? sp_online_new_exact(s->chain, o->given[OPTION_LAG] ? o->lag : -1, &s->online, err)
                          : sp_online_new(s->chain, o->lag, &s->online, err);
    if (status == SP_OK)
        status = sp_online_end_after(s->online, o->remaining, err);
    if (status == SP_OK)
        status = sp_run_prepare(&o->run, s->model, class_of_column, s->log_prior, &s->prepare, err);
    if (status == SP_OK && o->run.place.kind)
        status = sp_kind_parse(o->run.place.kind, &s->prepare.kind, err);
    s->has_kind = o->run.place.kind != NULL;
    s->on_infeasible = sp_run_infeasible(&o->run);
    free(class_of_column);
    return status;
}

/* The K numbers of a line. */
static sp_status parse_line(stream *s, char *text, double *row, sp_error *err)
{
    int32_t n = 0;
    for (char *rest = NULL, *word = strtok_r(text, " \t,;\r\n", &rest); word;
         word = strtok_r(NULL, " \t,;\r\n", &rest), n++) {
        char *end;
        double value = strtod(word, &end);
        if (*end || end == word)
            return sp_fail(err, SP_EDATA, "standard input, line %lld: \"%s\" is not a number",
                           (long long)s->line, word);
        if (n < s->n_classes)
            row[n] = value;
    }
    if (n != s->n_classes)
        return sp_fail(err, SP_EDATA, "standard input, line %lld: %d numbers, but model %s has %d classes",
                       (long long)s->line, n, s->model->name, s->n_classes);
    return SP_OK;
}

/* Turns the line's numbers into nats in s->block. The first line says what they are when --kind does not. */
static sp_status prepare_line(stream *s, const double *row, sp_error *err)
{
    static const sp_kind guesses[] = {SP_KIND_PROBS, SP_KIND_LOG_PROBS};
    int n_tries = s->has_kind ? 1 : 2;
    sp_error detail;
    sp_status status = SP_OK;
    for (int i = 0; i < n_tries; i++) {
        status = sp_block_reserve(s->block, 1, 1, s->n_classes, SP_F64, SP_BLOCK_SCORES, err);
        if (status != SP_OK)
            return status;
        memcpy(s->block->scores, row, (size_t)s->n_classes * sizeof *row);
        s->block->offsets[0] = 0;
        s->block->offsets[1] = 1;
        s->block->classes = s->names;
        if (!s->has_kind)
            s->prepare.kind = guesses[i];
        status = sp_prepare(s->block, &s->prepare, NULL, NULL, &detail);
        if (status == SP_OK) {
            s->has_kind = true;
            return SP_OK;
        }
    }
    if (!s->has_kind)
        status = SP_EINVAL;
    return sp_fail(err, status, "standard input, line %lld: %s", (long long)s->line, detail.message);
}

static void print_class(const stream *s, int32_t k)
{
    puts(s->names[k]);
}

/* Room for what one more step can decide. */
static sp_status reserve(stream *s, sp_error *err)
{
    const size_t need = (size_t)sp_online_pending(s->online) + 1;
    if (need <= s->room)
        return SP_OK;
    int32_t *wider = realloc(s->decided, 2 * need * sizeof *wider);
    if (!wider)
        return sp_no_memory(err);
    s->decided = wider;
    s->room = 2 * need;
    return SP_OK;
}

/* n steps were decided when `after` more had been seen than the last of them; those before waited for one more each. */
static sp_status note_delays(stream *s, int32_t n, int64_t after, sp_error *err)
{
    const int64_t most = after + n;
    if (s->opt->exact && most > s->n_delays) {
        int64_t *wider = realloc(s->delays, 2 * (size_t)most * sizeof *wider);
        if (!wider)
            return sp_no_memory(err);
        memset(wider + s->n_delays, 0, (size_t)(2 * most - s->n_delays) * sizeof *wider);
        s->delays = wider;
        s->n_delays = 2 * most;
    }
    for (int32_t i = 0; s->opt->exact && i < n; i++)
        s->delays[after + i]++;
    return SP_OK;
}

/* The least delay that `share` of the steps do not exceed; *n: steps in all. */
static int64_t delay_quantile(const stream *s, double share, int64_t *n)
{
    int64_t seen = 0, d = 0;
    *n = 0;
    for (int64_t i = 0; i < s->n_delays; i++)
        *n += s->delays[i];
    while (d < s->n_delays && (seen += s->delays[d]) < (int64_t)ceil(share * (double)*n))
        d++;
    return d;
}

static void say_delays(const stream *s)
{
    int64_t n;
    const int64_t half = delay_quantile(s, .5, &n), most = delay_quantile(s, 1, &n),
                  usual = delay_quantile(s, .95, &n);
    if (n > 0)
        complain("a step was decided after %lld more steps (median), 95 %% of them after %lld at most, all "
                 "after %lld; %lld of "
                 "%lld were "
                 "decided at the greatest lag",
                 (long long)half, (long long)usual, (long long)most, (long long)s->n_forced, (long long)n);
}

/* The recording at hand has no path: its steps that are not written yet are -1, and so is each one that still comes. `n`: how
 * many they are so far. */
static sp_status give_up(stream *s, int32_t n, sp_status status, const char *what, const sp_error *detail,
                         sp_error *err)
{
    sp_fail(err, status, "standard input, line %lld: %s%s", (long long)s->line, what, detail->message);
    if ((status != SP_ENOPATH && status != SP_EDEADEND) || s->on_infeasible == SP_INFEASIBLE_ERROR)
        return status;
    if (!s->opt->quiet)
        complain("%s; what is left of this recording is -1", err->message);
    sp_online_restart(s->online);
    s->is_failed = true;
    s->n_failed++;
    for (int32_t i = 0; i < n; i++)
        puts("-1");
    return SP_OK;
}

/* Ends the recording: decides and prints what is pending. */
static sp_status finish(stream *s, sp_error *err)
{
    int32_t n = 0;
    sp_error detail;
    s->n_forced += sp_online_forced(s->online);
    sp_status status = reserve(s, err);
    if (status != SP_OK)
        return status;
    status = s->is_failed ? SP_OK : sp_online_finish(s->online, s->decided, &n, &detail);
    if (status != SP_OK)
        status = give_up(s, sp_online_pending(s->online), status, "the recording may not end here: ", &detail,
                         err);
    for (int32_t i = 0; i < n; i++)
        print_class(s, s->decided[i]);
    if (status == SP_OK)
        status = note_delays(s, n, 0, err);
    if (s->is_begun && s->opt->remaining > s->n_steps && !s->opt->quiet)
        complain("standard input, line %lld: the recording ends after %d steps, not %d (--remaining)",
                 (long long)s->line, s->n_steps, s->opt->remaining);
    s->is_begun = s->is_failed = false;
    s->n_steps = 0;
    return status;
}

/* One more step: s->decided gets the classes of the *n steps that it decides. */
static sp_status push(stream *s, const double *row, bool is_gap, int32_t *n, sp_error *err)
{
    if (s->opt->exact)
        return sp_online_push_exact(s->online, row, is_gap, s->decided, n, err);
    const sp_status status = sp_online_push(s->online, row, is_gap, s->decided, err);
    *n = status == SP_OK && s->decided[0] >= 0;
    return status;
}

static sp_status take(stream *s, const double *row, sp_error *err)
{
    sp_error detail;
    int32_t n = 0;
    s->n_recordings += !s->is_begun;
    s->is_begun = true;
    s->n_steps++;
    if (s->is_failed) {
        puts("-1");
        return SP_OK;
    }
    sp_status status = reserve(s, err);
    if (status != SP_OK)
        return status;
    status = push(s, row, false, &n, &detail);
    if ((status == SP_ENOPATH || status == SP_EDEADEND) && s->on_infeasible == SP_INFEASIBLE_RELAX) {
        status = push(s, row, true, &n, &detail); /* go on as after a gap */
        s->n_broken += status == SP_OK;
    }
    if (status != SP_OK)
        return give_up(s, sp_online_pending(s->online) + 1, status, "", &detail, err);
    for (int32_t i = 0; i < n; i++)
        print_class(s, s->decided[i]);
    return note_delays(s, n, sp_online_pending(s->online), err);
}

static sp_status run(stream *s, FILE *in, sp_error *err)
{
    char *text = NULL;
    size_t room = 0;
    double *row = malloc((size_t)s->n_classes * sizeof *row);
    sp_status status = row ? SP_OK : sp_no_memory(err);
    while (status == SP_OK && getline(&text, &room, in) >= 0) {
        s->line++;
        if (text[strspn(text, " \t\r\n")] == 0) {
            status = finish(s, err);
            puts("");
        } else {
            status = parse_line(s, text, row, err);
            if (status == SP_OK)
                status = prepare_line(s, row, err);
            if (status == SP_OK)
                status = take(s, s->block->scores, err);
        }
        if (fflush(stdout) != 0) /* whoever listens wants it now; main() says that nobody does */
            break;
    }
    if (status == SP_OK && ferror(in))
        status = sp_fail(err, SP_EFILE, "standard input cannot be read: %s", strerror(errno));
    else if (status == SP_OK && !feof(in) && !ferror(stdout))
        status = sp_no_memory(err); /* for the line: getline() says no more of it */
    if (status == SP_OK && !ferror(stdout))
        status = finish(s, err);
    free(row);
    free(text);
    return status;
}

static sp_status work(options *o, const char **words, outcome *out, sp_error *err)
{
    stream s = {.opt = o};
    (void)words;
    sp_status status =
        o->given[OPTION_LAG] || o->exact
            ? stream_open(&s, err)
            : sp_fail(err, SP_EINVAL,
                      "stream: --lag L is missing: a number of steps, 0 decides at once; or --exact");
    if (status == SP_OK)
        status = run(&s, stdin, err);
    if (s.n_broken && !o->quiet)
        complain("%lld step%s broke a rule (--on-infeasible relax)", (long long)s.n_broken,
                 s.n_broken == 1 ? "" : "s");
    if (s.n_failed && !o->quiet)
        complain("%lld of %lld recordings could not be decoded to their end", (long long)s.n_failed,
                 (long long)s.n_recordings);
    if (o->exact && status == SP_OK && !o->quiet)
        say_delays(&s);
    out->result.n_undecoded = s.n_failed;
    stream_close(&s);
    return status;
}

const command stream_command = {
    .name = "stream",
    .summary = "decide each step while the recording goes on",
    .use = {.arguments = "--model M --lag L | --exact [OPTION...] < SCORES > CLASSES",
            .summary = "decide each step once L more have been seen: lines of K numbers in, class names out",
            .example = "  classifier | statepath stream --model sleep-aasm --lag 10 --kind probs\n"
                       "      numbers are separated by spaces, tabs or commas, in the order of the\n"
                       "      model's classes (or of --classes); an empty line ends a recording: what\n"
                       "      is pending is decided, and the next line starts another one; a recording\n"
                       "      without a path goes on with -1 to its end (exit status 3)\n"
                       "  classifier | statepath stream --model sleep-aasm --exact --kind probs\n"
                       "      Viterbi's path of the whole, each step as soon as it is certain\n",
            .min_words = 0,
            .max_words = 0},
    .takes = C_STREAM,
    .work = work,
};
