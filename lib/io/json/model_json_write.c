/* A model as JSON, as a person would write it. */
#include <math.h>
#include <stdlib.h>

#include "io/json/model_json_durations.h"
#include "statepath/model_json.h"
#include "tags/tied.h"
#include "json/json_write.h"

/* ---- probabilities ---- */

/* The shortest probability p of the form that a person writes (0.7, not 0.69999999999999996) with log(p) equal to `weight` to the
 * last bit, so that reading it back gives the same model. False where there is none: the weight came from elsewhere. */
static bool probability_of(double weight, double *out)
{
    if (weight == -INFINITY) {
        *out = 0;
        return true;
    }
    double p = exp(weight);
    if (!(weight <= 0) || p <= 0)
        return false;
    for (int digits = 15; digits <= 17; digits++) {
        char buffer[32];
        snprintf(buffer, sizeof buffer, "%.*g", digits, p);
        *out = strtod(buffer, NULL);
        if (*out > 0 && *out <= 1 && log(*out) == weight)
            return true;
    }
    double below = p, above = p;
    for (int i = 0; i < 64; i++) { /* exp() and log() err by a few units in the last place */
        below = nextafter(below, 0);
        above = nextafter(above, 2);
        if (below > 0 && log(below) == weight)
            return *out = below, true;
        if (above <= 1 && log(above) == weight)
            return *out = above, true;
    }
    return false;
}

/* Can these n log weights be written as probabilities, with is_sum_1 summing to 1, as the reader will check? */
static bool are_probabilities(int64_t n, const double *weight, bool is_sum_1)
{
    double sum = 0, p;
    for (int64_t i = 0; i < n; i++) {
        if (!probability_of(weight[i], &p))
            return false;
        sum += p;
    }
    return !is_sum_1 || fabs(sum - 1) < 9e-7;
}

static bool has_probabilities(const sp_model *model)
{
    if (model->weight_form != SP_WEIGHTS_PROBABILITIES)
        return false;
    for (int32_t i = 0; i < model->n_states; i++) {
        int64_t n = model->row[i + 1] - model->row[i];
        if (n > 0 && !are_probabilities(n, model->weight + model->row[i], true))
            return false;
    }
    return true;
}

static void put_probability(sp_json_writer *writer, double weight)
{
    double p = 0;
    probability_of(weight, &p);
    sp_json_put_number(writer, p);
}

/* ---- classes and states ---- */

static void put_aliases(sp_json_writer *writer, const sp_model *model)
{
    if (model->n_aliases == 0)
        return;
    sp_json_put_key(writer, "aliases");
    bool is_first_class = true;
    for (int32_t k = 0; k < model->n_classes; k++) {
        bool is_first = true;
        for (int32_t i = 0; i < model->n_aliases; i++) {
            if (model->aliases[i].class_index != k)
                continue;
            if (is_first) {
                sp_json_put(writer, is_first_class ? "{\n    " : ",\n    ");
                sp_json_put_string(writer, model->classes[k]);
                sp_json_put(writer, ": [");
                is_first_class = false;
            }
            sp_json_put_comma(writer, is_first, 6);
            sp_json_put_string(writer, model->aliases[i].name);
            is_first = false;
        }
        if (!is_first)
            sp_json_put(writer, "]");
    }
    sp_json_put(writer, "\n  }");
}

static void put_states(sp_json_writer *writer, const sp_model *model)
{
    if (!model->states)
        return;
    sp_json_put_key(writer, "states");
    sp_json_put(writer, "{\n    ");
    for (int32_t s = 0; s < model->n_states; s++) {
        sp_json_put_name(writer, s == 0, 4, model->states[s]);
        sp_json_put_string(writer, model->classes[model->state_class[s]]);
    }
    sp_json_put(writer, "\n  }");
}

/* ---- rules ---- */

/* Successors of state i by name, or with `forbidden` those that are not. */
static void put_row_names(sp_json_writer *writer, const sp_model *model, int32_t i, bool forbidden)
{
    sp_json_put_string(writer, sp_model_state_name(model, i));
    sp_json_put(writer, ": [");
    int64_t e = model->row[i], end = model->row[i + 1];
    bool is_first = true;
    for (int32_t j = 0; j < model->n_states; j++) {
        bool is_allowed = e < end && model->to[e] == j;
        e += is_allowed;
        if (is_allowed == forbidden)
            continue;
        sp_json_put_comma(writer, is_first, 6);
        sp_json_put_string(writer, sp_model_state_name(model, j));
        is_first = false;
    }
    sp_json_put(writer, "]");
}

static void put_rules_by_name(sp_json_writer *writer, const sp_model *model, bool forbidden)
{
    sp_json_put_key(writer, forbidden ? "forbid" : "allow");
    sp_json_put(writer, "{");
    bool is_first = true;
    for (int32_t i = 0; i < model->n_states; i++) {
        if (forbidden && model->row[i + 1] - model->row[i] == model->n_states)
            continue;
        sp_json_put(writer, is_first ? "\n    " : ",\n    ");
        put_row_names(writer, model, i, forbidden);
        is_first = false;
    }
    sp_json_put(writer, is_first ? "}" : "\n  }");
}

/* One row a line: 1 and 0, or the log weights with null where forbidden, or probabilities. */
typedef enum { CELLS_RULES, CELLS_PROBABILITIES, CELLS_LOG } cells;

static void put_matrix(sp_json_writer *writer, const sp_model *model, cells form)
{
    sp_json_put_key(writer, form == CELLS_RULES ? "matrix"
                            : form == CELLS_LOG ? "log_weights"
                                                : "probabilities");
    for (int32_t i = 0; i < model->n_states; i++) {
        sp_json_put(writer, i ? ",\n    [" : "[\n    [");
        int64_t e = model->row[i], end = model->row[i + 1];
        for (int32_t j = 0; j < model->n_states; j++) {
            bool is_allowed = e < end && model->to[e] == j;
            if (j)
                sp_json_put(writer, ", ");
            if (form == CELLS_RULES || !is_allowed)
                sp_json_put(writer, is_allowed ? "1" : form == CELLS_LOG ? "null" : "0");
            else if (form == CELLS_LOG)
                sp_json_put_number(writer, model->weight[e]);
            else
                put_probability(writer, model->weight[e]);
            e += is_allowed;
        }
        sp_json_put(writer, "]");
    }
    sp_json_put(writer, "\n  ]");
}

static void put_tied(sp_json_writer *writer, const sp_tag_biases *tied)
{
    const char *keys[SP_N_TAG_BIASES];
    for (int i = 0; i < SP_N_TAG_BIASES; i++)
        keys[i] = sp_tag_bias_keys[i] + SP_TAG_BIAS_PREFIX_SIZE;
    sp_json_put_numbers(writer, "tied", SP_N_TAG_BIASES, keys, tied->nats);
}

/* By names while that can be read; large dense models as a matrix. Weights that are tied (or NULL) as their biases. */
static void put_rules(sp_json_writer *writer, const sp_model *model, const sp_tag_biases *tied)
{
    int64_t m = model->n_states, n_allowed = model->row[m], few = 16 * m;
    if (m <= 64 || n_allowed <= few)
        put_rules_by_name(writer, model, false);
    else if (m * m - n_allowed <= few)
        put_rules_by_name(writer, model, true);
    else
        put_matrix(writer, model, CELLS_RULES);
    if (tied)
        put_tied(writer, tied);
    else if (model->weight)
        put_matrix(writer, model, has_probabilities(model) ? CELLS_PROBABILITIES : CELLS_LOG);
}

/* ---- start, end, the rest ---- */

static bool is_set(int32_t n, const double *weight)
{
    for (int32_t s = 0; s < n; s++)
        if (weight[s] != 0 && weight[s] != -INFINITY)
            return false;
    return true;
}

static void put_end(sp_json_writer *writer, const sp_model *model, bool is_start)
{
    const double *weight = is_start ? model->start : model->end;
    if (!weight)
        return;
    bool is_list = (is_start ? model->start_is_list : model->end_is_list) && is_set(model->n_states, weight);
    bool is_log = !is_list && (model->weight_form == SP_WEIGHTS_LOG ||
                               !are_probabilities(model->n_states, weight, is_start));
    sp_json_put_key(writer, is_log     ? (is_start ? "start_log_weights" : "end_log_weights")
                            : is_start ? "start"
                                       : "end");
    sp_json_put(writer, is_list ? "[" : "{");
    bool is_first = true;
    for (int32_t s = 0; s < model->n_states; s++) {
        if (weight[s] == -INFINITY)
            continue;
        sp_json_put_comma(writer, is_first, 4);
        is_first = false;
        sp_json_put_string(writer, sp_model_state_name(model, s));
        if (is_list)
            continue;
        sp_json_put(writer, ": ");
        if (is_log)
            sp_json_put_number(writer, weight[s]);
        else
            put_probability(writer, weight[s]);
    }
    sp_json_put(writer, is_list ? "]" : "}");
}

static void put_dwell(sp_json_writer *writer, const sp_model *model)
{
    bool is_first = true;
    for (int32_t s = 0; model->min_dwell && s < model->n_states; s++) {
        if (model->min_dwell[s] == 1)
            continue;
        if (is_first) {
            sp_json_put_key(writer, "min_dwell");
            sp_json_put(writer, "{");
        }
        sp_json_put_name(writer, is_first, 4, sp_model_state_name(model, s));
        sp_json_put_integer(writer, model->min_dwell[s]);
        is_first = false;
    }
    if (!is_first)
        sp_json_put(writer, "}");
    if (model->min_dwell_at_end)
        sp_json_put(writer, ",\n  \"min_dwell_at_end\": true");
}

static void put_decoding(sp_json_writer *writer, const sp_model *model)
{
    const char *const keys[] = {"temperature", "transition_weight", "prior_weight", "floor"};
    const double values[] = {model->temperature, model->transition_weight, model->prior_weight, model->floor};
    sp_json_put_numbers(writer, "decoding", 4, keys, values);
}

static void put_labeller(sp_json_writer *writer, const sp_model *model)
{
    if (!model->labeller)
        return;
    sp_json_put(writer, ",\n  \"labeller\": {\n    \"classes\": ");
    sp_json_put_strings(writer, model->n_classes, model->classes, 6);
    sp_json_put(writer, ",\n    \"confusion\": ");
    sp_json_put_matrix(writer, model->n_classes, model->labeller);
    sp_json_put(writer, "\n  }");
}

static void put_row(sp_json_writer *writer, int32_t n, const double *values)
{
    for (int32_t k = 0; k < n; k++) {
        sp_json_put(writer, k ? ", " : "[");
        sp_json_put_number(writer, values[k]);
    }
    sp_json_put(writer, "]");
}

static void put_windows(sp_json_writer *writer, const sp_model *model)
{
    const sp_windows *w = model->windows;
    const int32_t K = model->n_classes;
    const double *weight = w ? w->weight : NULL;
    if (!w)
        return;
    sp_json_put(writer, ",\n  \"windows\": {\n    \"floor\": ");
    sp_json_put_number(writer, w->floor);
    sp_json_put(writer, ",\n    \"scale\": ");
    sp_json_put_number(writer, w->scale);
    sp_json_put(writer, ",\n    \"bias\": ");
    put_row(writer, K, w->bias);
    sp_json_put(writer, ",\n    \"of\": [");
    for (int32_t i = 0; i < w->n; i++) {
        sp_json_put(writer, i ? "},\n      {\"steps\": " : "\n      {\"steps\": ");
        sp_json_put_number(writer, w->steps[i]);
        for (int side = 0; side < 2; side++) {
            sp_json_put(writer, side ? ",\n       \"after\": [" : ",\n       \"before\": [");
            for (int32_t row = 0; row < 2 * K; row++, weight += K) {
                sp_json_put(writer, row ? ",\n        " : "\n        ");
                put_row(writer, K, weight);
            }
            sp_json_put(writer, "]");
        }
    }
    sp_json_put(writer, "}]\n  }");
}

sp_status sp_model_to_json(const sp_model *model, char **text, sp_error *err)
{
    sp_json_writer writer;
    sp_tag_biases tied;
    bool is_tied;
    const sp_status status = sp_model_tied(model, &is_tied, &tied, err);
    if (status != SP_OK)
        return status;
    sp_json_writer_open(&writer);
    sp_json_put(&writer, "{\n  \"statepath_model\": 1");
    sp_json_put_text(&writer, "name", *model->name ? model->name : NULL);
    sp_json_put_text(&writer, "description", model->description);
    sp_json_put_text(&writer, "source", model->source);
    sp_json_put_key(&writer, "classes");
    sp_json_put_strings(&writer, model->n_classes, model->classes, 4);
    put_aliases(&writer, model);
    put_states(&writer, model);
    put_rules(&writer, model, is_tied ? &tied : NULL);
    put_end(&writer, model, true);
    put_end(&writer, model, false);
    put_dwell(&writer, model);
    sp_model_put_durations(&writer, model);
    sp_model_put_expressions(&writer, model);
    if (model->prior)
        sp_json_put_numbers(&writer, "prior", model->n_classes, (const char *const *)model->classes,
                            model->prior);
    put_decoding(&writer, model);
    put_labeller(&writer, model);
    put_windows(&writer, model);
    sp_json_put(&writer, "\n}\n");
    return sp_json_writer_close(&writer, text, err);
}
