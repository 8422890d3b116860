/* Is it a model, and is it one that anybody means? */
#include "statepath/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/durations.h"
#include "core/model/model.h"
#include "core/model/windows.h"
#include "core/names.h"
#include "core/rules/rules.h"

/* ---- errors ---- */

static sp_status check_names(const sp_model *model, sp_error *err)
{
    sp_names names;
    if (sp_names_init(&names, (int64_t)model->n_classes + model->n_aliases) != SP_OK)
        return sp_no_memory(err);
    sp_status status = SP_OK;
    for (int32_t k = 0; status == SP_OK && k < model->n_classes; k++) {
        if (!model->classes[k] || !*model->classes[k])
            status = sp_fail(err, SP_EMODEL, "model %s: class %d has no name", model->name, k);
        else if (sp_names_add(&names, model->classes[k], k) != k)
            status = sp_fail(err, SP_EMODEL, "model %s: the class \"%s\" is listed twice; names must differ",
                             model->name, model->classes[k]);
    }
    for (int32_t i = 0; status == SP_OK && i < model->n_aliases; i++) {
        const sp_alias *alias = &model->aliases[i];
        if (alias->class_index < 0 || alias->class_index >= model->n_classes)
            status = sp_fail(err, SP_EMODEL, "model %s: alias \"%s\" is for class %d of %d", model->name,
                             alias->name, alias->class_index, model->n_classes);
        else if (!*alias->name)
            status = sp_fail(err, SP_EMODEL, "model %s: an alias of class \"%s\" is empty", model->name,
                             model->classes[alias->class_index]);
        else {
            int32_t other = sp_names_add(&names, alias->name, alias->class_index);
            if (other != alias->class_index)
                status = sp_fail(err, SP_EMODEL,
                                 "model %s: \"%s\" is an alias of class \"%s\" but also means class \"%s\"",
                                 model->name, alias->name, model->classes[alias->class_index],
                                 model->classes[other]);
        }
    }
    sp_names_clear(&names);
    return status;
}

static sp_status check_states(const sp_model *model, sp_error *err)
{
    if (!model->states != !model->state_class || (!model->states && model->n_states != model->n_classes) ||
        model->n_states < 1)
        return sp_fail(err, SP_EMODEL,
                       "model %s: %d states for %d classes without saying which state emits which class",
                       model->name, model->n_states, model->n_classes);
    if (!model->states)
        return SP_OK;
    sp_names names;
    if (sp_names_init(&names, model->n_states) != SP_OK)
        return sp_no_memory(err);
    sp_status status = SP_OK;
    for (int32_t s = 0; status == SP_OK && s < model->n_states; s++) {
        if (!model->states[s] || !*model->states[s])
            status = sp_fail(err, SP_EMODEL, "model %s: state %d has no name", model->name, s);
        else if (model->state_class[s] < 0 || model->state_class[s] >= model->n_classes)
            status = sp_fail(err, SP_EMODEL, "model %s: state \"%s\" emits class %d of %d", model->name,
                             model->states[s], model->state_class[s], model->n_classes);
        else if (sp_names_add(&names, model->states[s], s) != s)
            status = sp_fail(err, SP_EMODEL, "model %s: the state \"%s\" is listed twice; names must differ",
                             model->name, model->states[s]);
    }
    sp_names_clear(&names);
    return status;
}

static sp_status check_transitions(const sp_model *model, sp_error *err)
{
    if (!model->row || !model->to || model->row[0] != 0)
        return sp_fail(err, SP_EMODEL, "model %s: no transitions", model->name);
    for (int32_t s = 0; s < model->n_states; s++) {
        const char *from = sp_model_state_name(model, s);
        if (model->row[s + 1] < model->row[s])
            return sp_fail(err, SP_EMODEL, "model %s: the transitions of \"%s\" end before they begin",
                           model->name, from);
        for (int64_t e = model->row[s]; e < model->row[s + 1]; e++) {
            if (model->to[e] < 0 || model->to[e] >= model->n_states)
                return sp_fail(err, SP_EMODEL, "model %s: \"%s\" is followed by state %d of %d", model->name,
                               from, model->to[e], model->n_states);
            if (e > model->row[s] && model->to[e] <= model->to[e - 1])
                return sp_fail(err, SP_EMODEL,
                               "model %s: the transitions of \"%s\" are not in ascending order", model->name,
                               from);
            if (model->weight && !isfinite(model->weight[e]))
                return sp_fail(err, SP_EMODEL,
                               "model %s: the log weight of %s -> %s is %g; a forbidden transition is left "
                               "out, others need a "
                               "finite number",
                               model->name, from, sp_model_state_name(model, model->to[e]), model->weight[e]);
        }
    }
    return SP_OK;
}

static sp_status check_ends(const sp_model *model, const double *weight, const char *what, sp_error *err)
{
    if (!weight)
        return SP_OK;
    bool is_possible = false;
    for (int32_t s = 0; s < model->n_states; s++) {
        if (isnan(weight[s]) || weight[s] == INFINITY)
            return sp_fail(err, SP_EMODEL, "model %s: the %s weight of \"%s\" is %g; it needs a number",
                           model->name, what, sp_model_state_name(model, s), weight[s]);
        is_possible |= weight[s] != -INFINITY;
    }
    if (!is_possible)
        return sp_fail(err, SP_EMODEL, "model %s: no class may %s a recording; name at least one",
                       model->name, what);
    return SP_OK;
}

static sp_status check_dwell(const sp_model *model, sp_error *err)
{
    for (int32_t s = 0; model->min_dwell && s < model->n_states; s++) {
        const char *name = sp_model_state_name(model, s);
        if (model->min_dwell[s] < 1)
            return sp_fail(err, SP_EMODEL,
                           "model %s: min_dwell of \"%s\" is %d; it is a number of steps, at least 1",
                           model->name, name, model->min_dwell[s]);
        if (model->min_dwell[s] > 1 && sp_model_edge(model, s, s) < 0)
            return sp_fail(err, SP_EMODEL,
                           "model %s: \"%s\" must stay for %d steps (min_dwell) but %s -> %s is forbidden; "
                           "allow it or drop the "
                           "min_dwell",
                           model->name, name, model->min_dwell[s], name, name);
    }
    return SP_OK;
}

/* May a run of class k begin? */
static bool is_entered(const sp_model *model, int32_t k)
{
    for (int32_t s = 0; s < model->n_states; s++) {
        const bool is_own = sp_model_state_class(model, s) == k;
        if (is_own && (!model->start || model->start[s] > -INFINITY))
            return true;
        for (int64_t e = model->row[s]; !is_own && e < model->row[s + 1]; e++)
            if (sp_model_state_class(model, model->to[e]) == k)
                return true;
    }
    return false;
}

static sp_status check_durations(const sp_model *model, sp_error *err)
{
    for (int32_t k = 0; model->durations && k < model->n_classes; k++) {
        if (model->durations[k].form == SP_DURATION_FREE)
            continue;
        sp_status status = sp_duration_check(model, k, err);
        if (status != SP_OK)
            return status;
        if (!is_entered(model, k))
            return sp_fail(err, SP_EMODEL,
                           "model %s: \"%s\" has a duration, but may neither start a recording nor follow "
                           "another class; allow it "
                           "somewhere, or drop the duration",
                           model->name, model->classes[k]);
        for (int32_t s = 0; model->min_dwell && s < model->n_states; s++)
            if (model->min_dwell[s] > 1 && sp_model_state_class(model, s) == k)
                return sp_fail(err, SP_EMODEL,
                               "model %s: \"%s\" has both a duration and a min_dwell (%d steps); write the "
                               "least length as the "
                               "duration's \"min\", or drop one of the two",
                               model->name, model->classes[k], model->min_dwell[s]);
    }
    return SP_OK;
}

static sp_status check_labeller(const sp_model *model, sp_error *err)
{
    const size_t K = (size_t)model->n_classes;
    for (size_t k = 0; model->labeller && k < K; k++) {
        double sum = 0;
        for (size_t l = 0; l < K; l++) {
            const double count = model->labeller[k * K + l];
            if (!(count >= 0) || isinf(count))
                return sp_fail(err, SP_EMODEL,
                               "model %s: the labeller's confusion of \"%s\" with \"%s\" is %g; it is a "
                               "count, at least 0",
                               model->name, model->classes[k], model->classes[l], count);
            sum += count;
        }
        if (!(sum > 0) || isinf(sum))
            return sp_fail(err, SP_EMODEL,
                           "model %s: the labeller's confusion has nothing for \"%s\"; count at least one "
                           "step of each class",
                           model->name, model->classes[k]);
    }
    return SP_OK;
}

static sp_status check_windows(const sp_model *model, sp_error *err)
{
    const sp_windows *w = model->windows;
    const size_t K = (size_t)model->n_classes;
    if (!w)
        return SP_OK;
    bool is_fine = w->n > 0 && isfinite(w->scale) && w->floor < 0 && isfinite(w->floor);
    for (int32_t i = 0; is_fine && i < w->n; i++)
        is_fine = w->steps[i] > (i ? w->steps[i - 1] : 0);
    for (size_t k = 0; is_fine && k < K; k++)
        is_fine = isfinite(w->bias[k]);
    for (size_t i = 0; is_fine && i < sp_windows_n_inputs(w->n, model->n_classes) * K; i++)
        is_fine = isfinite(w->weight[i]);
    return is_fine ? SP_OK
                   : sp_fail(err, SP_EMODEL,
                             "model %s: windows need steps that ascend from 1 on, a floor below 0, and "
                             "finite weights",
                             model->name);
}

sp_status sp_model_check_stream(const sp_model *model, sp_error *err)
{
    const sp_windows *w = model->windows;
    return w ? sp_fail(err, SP_EINVAL,
                       "model %s weighs the %d steps after each (\"windows\"), which a stream does not have "
                       "yet; fit it with "
                       "`features` none",
                       model->name, w->steps[w->n - 1])
             : SP_OK;
}

sp_status sp_model_check(const sp_model *model, sp_error *err)
{
    sp_status status;
    if (model->n_classes < 1)
        return sp_fail(err, SP_EMODEL, "model %s: no classes", model->name);
    if ((status = check_names(model, err)) != SP_OK || (status = check_states(model, err)) != SP_OK ||
        (status = check_transitions(model, err)) != SP_OK ||
        (status = check_ends(model, model->start, "start", err)) != SP_OK ||
        (status = check_ends(model, model->end, "end", err)) != SP_OK ||
        (status = check_dwell(model, err)) != SP_OK || (status = check_durations(model, err)) != SP_OK ||
        (status = check_labeller(model, err)) != SP_OK || (status = check_windows(model, err)) != SP_OK ||
        (status = sp_rules_check(model, err)) != SP_OK)
        return status;
    if (model->prior) {
        double sum = 0;
        for (int32_t k = 0; k < model->n_classes; k++) {
            if (!(model->prior[k] >= 0) || isinf(model->prior[k]))
                return sp_fail(err, SP_EMODEL,
                               "model %s: the prior of \"%s\" is %g; it is a frequency, at least 0",
                               model->name, model->classes[k], model->prior[k]);
            sum += model->prior[k];
        }
        if (!(fabs(sum - 1) <= 1e-6))
            return sp_fail(err, SP_EMODEL, "model %s: the prior sums to %.9g, not 1", model->name, sum);
    }
    if (!(isnan(model->temperature) || (model->temperature > 0 && isfinite(model->temperature))))
        return sp_fail(err, SP_EMODEL,
                       "model %s: decoding temperature %g; it divides scores and must be above 0",
                       model->name, model->temperature);
    if (isinf(model->transition_weight) || isinf(model->prior_weight))
        return sp_fail(err, SP_EMODEL, "model %s: a decoding weight is infinite", model->name);
    if (!(isnan(model->floor) || (model->floor > 0 && model->floor < 1)))
        return sp_fail(err, SP_EMODEL, "model %s: decoding floor %g; it is a probability between 0 and 1",
                       model->name, model->floor);
    return SP_OK;
}

/* ---- warnings ---- */

/* Marks every state that can be reached from the marked ones along `row`, `to`. `queue` holds n_states. */
static void spread(int32_t n_states, const int64_t *row, const int32_t *to, uint8_t *mark, int32_t *queue)
{
    int32_t head = 0, tail = 0;
    for (int32_t s = 0; s < n_states; s++)
        if (mark[s])
            queue[tail++] = s;
    while (head < tail) {
        int32_t s = queue[head++];
        for (int64_t e = row[s]; e < row[s + 1]; e++)
            if (!mark[to[e]]) {
                mark[to[e]] = 1;
                queue[tail++] = to[e];
            }
    }
}

/* The same against the arrows: repeats over all edges until nothing changes would be quadratic, so the arrows are turned first.
 */
static bool spread_back(const sp_model *model, uint8_t *mark, int32_t *queue)
{
    int32_t m = model->n_states;
    int64_t n_edges = model->row[m];
    int64_t *row = calloc((size_t)m + 2, sizeof *row);
    int32_t *from = malloc((size_t)(n_edges ? n_edges : 1) * sizeof *from);
    if (row && from) {
        for (int64_t e = 0; e < n_edges; e++)
            row[model->to[e] + 2]++;
        for (int32_t s = 0; s < m; s++)
            row[s + 2] += row[s + 1];
        for (int32_t s = 0; s < m; s++)
            for (int64_t e = model->row[s]; e < model->row[s + 1]; e++)
                from[row[model->to[e] + 1]++] = s;
        spread(m, row, from, mark, queue);
    }
    bool is_done = row && from;
    free(row);
    free(from);
    return is_done;
}

static void warn_states(const sp_model *model, const uint8_t *is_reached, const uint8_t *is_ending,
                        void (*warn)(void *, const char *), void *arg)
{
    char sentence[1024];
    const char *what = model->states ? "state" : "class";
    for (int32_t s = 0; s < model->n_states; s++) {
        const char *name = sp_model_state_name(model, s);
        int64_t n_out = model->row[s + 1] - model->row[s];
        bool only_itself = n_out == 1 && model->to[model->row[s]] == s;
        if (!is_reached[s]) {
            snprintf(sentence, sizeof sentence,
                     "%s \"%s\" can never be reached: nothing that may start leads to it", what, name);
            warn(arg, sentence);
        }
        if (n_out == 0 || (only_itself && model->n_states > 1)) {
            snprintf(sentence, sizeof sentence, "%s \"%s\" can never be left: %s", what, name,
                     n_out ? "only itself may follow it" : "nothing may follow it, not even itself");
            warn(arg, sentence);
        } else if (!is_ending[s]) {
            snprintf(sentence, sizeof sentence, "%s \"%s\" leads to nothing that may end a recording", what,
                     name);
            warn(arg, sentence);
        }
    }
}

sp_status sp_model_warnings(const sp_model *model, void (*warn)(void *arg, const char *sentence), void *arg,
                            sp_error *err)
{
    int32_t m = model->n_states;
    uint8_t *is_reached = calloc((size_t)m, 1), *is_ending = calloc((size_t)m, 1);
    uint8_t *has_state = calloc((size_t)model->n_classes, 1);
    int32_t *queue = malloc((size_t)m * sizeof *queue);
    sp_status status = SP_ENOMEM;
    if (is_reached && is_ending && has_state && queue) {
        for (int32_t s = 0; s < m; s++) {
            is_reached[s] = !model->start || model->start[s] != -INFINITY;
            is_ending[s] = !model->end || model->end[s] != -INFINITY;
            has_state[sp_model_state_class(model, s)] = 1;
        }
        spread(m, model->row, model->to, is_reached, queue);
        if (spread_back(model, is_ending, queue)) {
            warn_states(model, is_reached, is_ending, warn, arg);
            char sentence[1024];
            for (int32_t k = 0; k < model->n_classes; k++)
                if (!has_state[k]) {
                    snprintf(sentence, sizeof sentence,
                             "no state emits class \"%s\": no path will ever hold it", model->classes[k]);
                    warn(arg, sentence);
                }
            status = SP_OK;
        }
    }
    free(is_reached);
    free(is_ending);
    free(has_state);
    free(queue);
    return status == SP_OK ? SP_OK : sp_no_memory(err);
}

/* ---- alignment with the columns of a file ---- */

/* "Wake,N1,..", as an option takes classes; or "A,B,C" where that is long, or needs quotes. */
static void say_classes(const sp_model *model, char *text, size_t size)
{
    size_t used = 0;
    for (int32_t k = 0; k < model->n_classes && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", k ? "," : "", model->classes[k]);
    if (used >= size || strpbrk(text, " ()&;|<>$`\\\"'*?#"))
        snprintf(text, size, "A,B,C");
}

static sp_status fail_different(const sp_model *model, int32_t n, const char *const *names,
                                const char *stranger, sp_error *err)
{
    char theirs[600], ours[600], list[200];
    sp_name_list(theirs, sizeof theirs, n, names);
    sp_name_list(ours, sizeof ours, model->n_classes, (const char *const *)model->classes);
    say_classes(model, list, sizeof list);
    if (stranger && n == model->n_classes && strspn(stranger, "0123456789.") == strlen(stranger))
        return sp_fail(err, SP_EMODEL,
                       "model %s has no class \"%s\": the scores have %d classes (%s), the model %d (%s); "
                       "where these are numbers of its classes in its order, `classes` %s names them",
                       model->name, stranger, n, theirs, model->n_classes, ours, list);
    if (stranger)
        return sp_fail(err, SP_EMODEL,
                       "model %s has no class \"%s\": the scores have %d classes (%s), the model %d (%s); "
                       "use another model, or "
                       "name it under \"aliases\" in the model",
                       model->name, stranger, n, theirs, model->n_classes, ours);
    return sp_fail(err, SP_EMODEL,
                   "the scores have %d classes (%s), model %s has %d (%s); use a model of the same classes",
                   n, theirs, model->name, model->n_classes, ours);
}

sp_status sp_model_align(const sp_model *model, int32_t n_names, const char *const *names,
                         int32_t *class_of_column, sp_error *err)
{
    if (!names) {
        if (n_names != model->n_classes)
            return sp_fail(err, SP_EMODEL,
                           "the scores have %d columns without class names, model %s has %d classes; use a "
                           "model of %d classes, or "
                           "write the names as attribute \"classes\"",
                           n_names, model->name, model->n_classes, n_names);
        for (int32_t k = 0; k < n_names; k++)
            class_of_column[k] = k;
        return SP_OK;
    }
    sp_names known;
    int32_t *column_of_class = malloc((size_t)model->n_classes * sizeof *column_of_class);
    int32_t *found = malloc((size_t)(n_names > 0 ? n_names : 1) * sizeof *found);
    if (!column_of_class || !found ||
        sp_names_init(&known, (int64_t)model->n_classes + model->n_aliases) != SP_OK) {
        free(column_of_class);
        free(found);
        return sp_no_memory(err);
    }
    for (int32_t k = 0; k < model->n_classes; k++) {
        sp_names_add(&known, model->classes[k], k);
        column_of_class[k] = -1;
    }
    for (int32_t i = 0; i < model->n_aliases; i++)
        sp_names_add(&known, model->aliases[i].name, model->aliases[i].class_index);
    sp_status status = SP_OK;
    for (int32_t c = 0; status == SP_OK && c < n_names; c++) {
        int32_t k = sp_names_find(&known, names[c]);
        if (k < 0)
            status = fail_different(model, n_names, names, names[c], err);
        else if (column_of_class[k] >= 0)
            status = sp_fail(err, SP_EMODEL,
                             "the columns \"%s\" and \"%s\" of the scores are both class \"%s\" of model %s",
                             names[column_of_class[k]], names[c], model->classes[k], model->name);
        else {
            column_of_class[k] = c;
            found[c] = k;
        }
    }
    if (status == SP_OK && n_names != model->n_classes)
        status = fail_different(model, n_names, names, NULL, err);
    if (status == SP_OK)
        memcpy(class_of_column, found, (size_t)n_names * sizeof *found);
    sp_names_clear(&known);
    free(column_of_class);
    free(found);
    return status;
}
