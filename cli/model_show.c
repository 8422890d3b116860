/* statepath model show: a model in words and as a table. */
#include "model_show.h"

#include <math.h>
#include <string.h>

#include "command.h"
#include "core/try.h"

/* A matrix wider than this is not drawn; longer lists of forbidden pairs are cut. */
enum { DRAWN_STATES = 60, LISTED_PAIRS = 1000 };

/* Columns a UTF-8 name takes, near enough: its code points. */
static int name_width(const char *name)
{
    int width = 0;
    for (; *name; name++)
        width += ((unsigned char)*name & 0xC0) != 0x80;
    return width;
}

static void print_padded(const char *name, int width)
{
    say("%s%*s", name, width - name_width(name), "");
}

static void print_cell(int width, const char *text)
{
    say("  %*s%s", width - name_width(text), "", text);
}

/* with_marks: what is allowed has a check mark, whatever its weight. */
static void print_matrix(const sp_model *model, bool with_marks)
{
    int32_t M = model->n_states;
    int widest = 4;
    for (int32_t s = 0; s < M; s++) {
        int width = name_width(sp_model_state_name(model, s));
        widest = width > widest ? width : widest;
    }
    const bool with_weights = model->weight && !with_marks;
    say("\nfrom \\ to (%s)\n", with_marks     ? "✓ allowed, · forbidden"
                               : with_weights ? "log weights, . is forbidden"
                                              : "1 allowed, . forbidden");
    print_padded("", widest);
    int cell[DRAWN_STATES];
    for (int32_t j = 0; j < M; j++) {
        int width = name_width(sp_model_state_name(model, j));
        cell[j] = with_weights && width < 7 ? 7 : width;
        print_cell(cell[j], sp_model_state_name(model, j));
    }
    say("\n");
    for (int32_t i = 0; i < M; i++) {
        print_padded(sp_model_state_name(model, i), widest);
        for (int32_t j = 0; j < M; j++) {
            int64_t e = sp_model_edge(model, i, j);
            if (e >= 0 && with_weights)
                say("  %*.3f", cell[j], model->weight[e]);
            else
                print_cell(cell[j], e < 0 ? (with_marks ? "·" : ".") : with_marks ? "✓" : "1");
        }
        say("\n");
    }
}

static void print_forbidden(const sp_model *model)
{
    int64_t M = model->n_states, n_forbidden = M * M - model->row[M], listed = 0;
    char count[SP_COUNT_TEXT], all[SP_COUNT_TEXT];
    say("\nforbidden: %s of %s pairs\n", sp_count_text(n_forbidden, count), sp_count_text(M * M, all));
    for (int32_t i = 0; i < M && listed < LISTED_PAIRS; i++)
        for (int32_t j = 0; j < M && listed < LISTED_PAIRS; j++)
            if (sp_model_edge(model, i, j) < 0) {
                say("  %s -> %s\n", sp_model_state_name(model, i), sp_model_state_name(model, j));
                listed++;
            }
    if (listed < n_forbidden)
        say("  and %s more\n", sp_count_text(n_forbidden - listed, count));
}

/* "start: Wake, N1" or with weights; nothing where every state may. */
static void print_ends(const sp_model *model, const double *weight, const char *what)
{
    if (!weight)
        return;
    say("%s", what);
    const char *separator = " ";
    for (int32_t s = 0; s < model->n_states; s++) {
        if (weight[s] == -INFINITY)
            continue;
        say("%s%s", separator, sp_model_state_name(model, s));
        if (weight[s] != 0)
            say(" (%.4g)", weight[s]);
        separator = ", ";
    }
    say("\n");
}

/* How often the labeller says each class, in % of the steps of each class of the reference. */
static void print_labeller(const sp_model *model)
{
    const int32_t K = model->n_classes;
    int widest = 4;
    if (!model->labeller)
        return;
    if (K > DRAWN_STATES) {
        say("labeller: a confusion of %d classes\n", K);
        return;
    }
    for (int32_t k = 0; k < K; k++)
        widest = name_width(model->classes[k]) > widest ? name_width(model->classes[k]) : widest;
    say("labeller (rows = reference, %% of what it says there; counts plus 1)\n");
    print_padded("", widest);
    for (int32_t l = 0; l < K; l++)
        print_cell(name_width(model->classes[l]) < 5 ? 5 : name_width(model->classes[l]), model->classes[l]);
    say("     steps\n");
    for (int32_t k = 0; k < K; k++) {
        const double *row = model->labeller + (size_t)k * (size_t)K;
        double sum = 0;
        for (int32_t l = 0; l < K; l++)
            sum += row[l];
        print_padded(model->classes[k], widest);
        for (int32_t l = 0; l < K; l++)
            say("  %*.1f", name_width(model->classes[l]) < 5 ? 5 : name_width(model->classes[l]),
                100 * row[l] / sum);
        say("  %8.0f\n", sum);
    }
}

/* ---- durations ---- */

static bool is_in_seconds(const sp_duration *d)
{
    return d->min.is_seconds || d->max.is_seconds || d->centre.is_seconds;
}

/* "90 s" as "1.5 min". */
static void print_time(const char *before, double seconds)
{
    if (seconds >= 60)
        say("%s%.3g min", before, seconds / 60);
    else
        say("%s%.3g s", before, seconds);
}

static void print_bounds(const sp_duration_lengths *l)
{
    if (l->max == 0)
        say(": %lld step%s and more", (long long)l->min, l->min == 1 ? "" : "s");
    else if (l->min == l->max)
        say(": %lld step%s", (long long)l->min, l->min == 1 ? "" : "s");
    else
        say(": %lld to %lld steps", (long long)l->min, (long long)l->max);
}

/* ": 2 steps and more; 5 % 5, median 20, 95 % 57, mean 24.15 steps", with times where it is declared in time; or why there are no
 * figures. */
static sp_status print_lengths(const sp_model *model, int32_t k, double step_seconds, sp_error *err)
{
    const bool is_timed = is_in_seconds(&model->durations[k]);
    sp_duration_lengths l;
    if (is_timed && step_seconds == 0) {
        say(": in steps with --epoch-seconds");
        return SP_OK;
    }
    const sp_status status = sp_duration_lengths_find(model, k, step_seconds, &l, err);
    if (status != SP_OK) {
        say(": %s", err->message);
        return status == SP_ENOMEM ? status : SP_OK;
    }
    if (model->durations[k].form != SP_DURATION_RANGE || is_timed)
        print_bounds(&l);
    if (!l.has_distribution) {
        say(", all lengths alike");
        return SP_OK;
    }
    say("; 5 %% %lld, median %lld, 95 %% %lld, mean %.4g steps", (long long)l.low, (long long)l.median,
        (long long)l.high, l.mean);
    if (is_timed) {
        print_time(" (", (double)l.low * step_seconds);
        print_time(", ", (double)l.median * step_seconds);
        print_time(", ", (double)l.high * step_seconds);
        print_time(", ", l.mean * step_seconds);
        say(")");
    }
    return SP_OK;
}

static sp_status print_durations(const sp_model *model, double step_seconds, sp_error *err)
{
    static const char *const sides[] = {"cut, which may be pieces of longer ones", "whole"};
    char text[SP_DURATION_TEXT];
    bool any = false;
    for (int32_t k = 0; model->durations && k < model->n_classes; k++) {
        if (model->durations[k].form == SP_DURATION_FREE)
            continue;
        say("lasts: %s %s", model->classes[k], sp_duration_text(model, k, text));
        const sp_status status = print_lengths(model, k, step_seconds, err);
        say("\n");
        if (status != SP_OK)
            return status;
        any = true;
    }
    if (any && model->whole_at_start == model->whole_at_end)
        say("lasts: first and last runs, and those beside a gap, are %s\n", sides[model->whole_at_start]);
    else if (any)
        say("lasts: runs at the start of a recording or segment are %s, at its end %s\n",
            sides[model->whole_at_start], sides[model->whole_at_end]);
    return SP_OK;
}

/* ---- rules over more than two steps ---- */

/* Compiled states of the model with n of its rules, from `first` on. */
static sp_status count_states(const sp_model *model, const sp_chain_options *compile, int32_t first,
                              int32_t n, int32_t *n_states, sp_error *err)
{
    sp_model part = *model;
    sp_chain *chain = NULL;
    part.rules = n > 0 ? model->rules + first : NULL;
    part.n_rules = n;
    const sp_status status = sp_chain_new(&part, compile, &chain, err);
    if (status == SP_OK)
        *n_states = sp_chain_n_states(chain);
    sp_chain_free(chain);
    return status;
}

static void say_fault(sp_error *fault)
{
    name_options(fault->message);
    say(" (%s)", fault->message);
}

/* Why the model has no states with rule r, where that is said of this rule: alone it has none either, or it is the
 * first with which the model has none. */
static sp_status print_fault(const sp_model *model, const sp_chain_options *compile, int32_t r, bool is_first,
                             sp_error *err)
{
    sp_model alone = *model;
    sp_error own;
    int32_t n;
    alone.durations = NULL;
    const sp_status status = count_states(&alone, compile, r, 1, &n, &own);
    if (status == SP_ENOMEM)
        *err = own;
    else if (status != SP_OK)
        say_fault(&own);
    else if (is_first)
        say_fault(err);
    return status == SP_ENOMEM ? status : SP_OK;
}

/* Each as a sentence, with the compiled states that the model has from it on. */
static sp_status print_rules(const sp_model *model, const sp_chain_options *compile, sp_error *err)
{
    char sentence[1024];
    int32_t n;
    sp_status status = count_states(model, compile, 0, 0, &n, err);
    bool is_counted = status == SP_OK; /* with the rules before this one */
    for (int32_t r = 0; r < model->n_rules && status != SP_ENOMEM; r++) {
        const bool was_counted = is_counted;
        say("rule %s: %s", model->rules[r].name, sp_rule_sentence(model, r, sentence, sizeof sentence));
        if (is_counted)
            status = count_states(model, compile, 0, r + 1, &n, err);
        is_counted = is_counted && status == SP_OK;
        if (is_counted)
            say(" (%d states so far)", (int)n);
        else if (status != SP_ENOMEM)
            status = print_fault(model, compile, r, was_counted, err);
        say("\n");
    }
    return status == SP_ENOMEM ? status : SP_OK;
}

/* The compiled model, where it is more than the matrix; nothing where it cannot be compiled, which was said by then. */
static sp_status print_states(const sp_model *model, const sp_chain_options *compile, sp_error *err)
{
    sp_chain *chain = NULL;
    char n[SP_COUNT_TEXT];
    if (model->n_rules == 0 && !model->durations && !model->min_dwell)
        return SP_OK;
    const sp_status status = sp_chain_new(model, compile, &chain, err);
    if (status == SP_OK) {
        say("states: %s with its rules and durations", sp_count_text(sp_chain_n_states(chain), n));
        const int64_t slowdown = sp_chain_slowdown(chain, model);
        if (slowdown >= SP_SLOW_CHAIN)
            say("; decoding takes some %s times as long as with the matrix alone",
                sp_count_text(slowdown, n));
        say("\n");
    }
    sp_chain_free(chain);
    return status == SP_ENOMEM ? status : SP_OK;
}

sp_status model_show(const sp_model *model, bool with_marks, double step_seconds, int64_t max_states,
                     sp_error *err)
{
    sp_status status = SP_OK;
    sp_chain_options compile = sp_chain_options_default();
    compile.step_seconds = step_seconds;
    compile.max_states = max_states;
    say("%s: %d classes", model->name, model->n_classes);
    if (model->states)
        say(", %d states", model->n_states);
    say("\n");
    if (model->description)
        say("%s\n", model->description);
    if (model->source)
        say("source: %s\n", model->source);
    say("\n");
    for (int32_t k = 0; k < model->n_classes && k < LISTED_PAIRS; k++) {
        say("  %s", model->classes[k]);
        const char *separator = ", also ";
        for (int32_t i = 0; i < model->n_aliases; i++)
            if (model->aliases[i].class_index == k) {
                say("%s%s", separator, model->aliases[i].name);
                separator = ", ";
            }
        separator = ": states ";
        for (int32_t s = 0; model->states && s < model->n_states; s++)
            if (model->state_class[s] == k) {
                say("%s%s", separator, model->states[s]);
                separator = ", ";
            }
        say("\n");
    }
    if (model->n_classes > LISTED_PAIRS)
        say("  and %d more\n", model->n_classes - LISTED_PAIRS);
    if (model->n_states <= DRAWN_STATES)
        print_matrix(model, with_marks);
    print_forbidden(model);
    if (model->start || model->end || model->min_dwell || model->durations || model->prior)
        say("\n");
    print_ends(model, model->start, "starts with:");
    print_ends(model, model->end, "ends with:");
    for (int32_t s = 0; model->min_dwell && s < model->n_states; s++)
        if (model->min_dwell[s] > 1)
            say("stays: %s for at least %d steps%s\n", sp_model_state_name(model, s), model->min_dwell[s],
                model->min_dwell_at_end ? ", at the end too" : "");
    TRY(print_durations(model, step_seconds, err));
    TRY(print_rules(model, &compile, err));
    TRY(print_states(model, &compile, err));
    for (int32_t k = 0; model->prior && k < model->n_classes; k++)
        say("prior: %s %.4g\n", model->classes[k], model->prior[k]);
    print_labeller(model);
    if (model->windows)
        say("decoding: scores are weighed with those of %d steps around (windows)\n",
            model->windows->steps[model->windows->n - 1]);
    if (!isnan(model->floor))
        say("decoding: probabilities below %g are raised to it\n", model->floor);
    if (!isnan(model->temperature))
        say("decoding: temperature %g\n", model->temperature);
    if (!isnan(model->transition_weight))
        say("decoding: transition weight %g\n", model->transition_weight);
    if (!isnan(model->prior_weight))
        say("decoding: prior weight %g\n", model->prior_weight);
done:
    return status;
}
