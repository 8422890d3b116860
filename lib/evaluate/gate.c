/* Fail-if conditions, from their text to their verdict. What gate_read.c builds is judged by recursion over left and right. */
#include "evaluate/gate.h"
#include "core/try.h"
#include "evaluate/value.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_TEXT = 4096 };

sp_status sp_gate_new(const char *text, const sp_gate_scope *scope, sp_gate **out, sp_error *err)
{
    size_t n = strlen(text);
    if (n > LONGEST_TEXT)
        return sp_fail(err, SP_EINVAL, "the gate has %zu letters; at most %d are read", n, LONGEST_TEXT);
    sp_gate *gate = calloc(1, sizeof *gate);
    if (!gate)
        return sp_no_memory(err);
    gate->text = sp_owned_text(&gate->own, text);
    gate->nodes = sp_zeros(&gate->own, n + 1, sizeof *gate->nodes);
    gate->conditions = sp_zeros(&gate->own, n + 1, sizeof *gate->conditions);
    sp_status status = SP_OK;
    TRY(sp_owned_status(&gate->own, err));
    TRY(sp_gate_read(gate, scope, err));
    *out = gate;
    gate = NULL;
done:
    sp_gate_free(gate);
    return status;
}

void sp_gate_free(sp_gate *gate)
{
    if (gate)
        sp_owned_free(&gate->own);
    free(gate);
}

int32_t sp_gate_n_conditions(const sp_gate *gate)
{
    return gate->n_conditions;
}

/* ---- judging ---- */

sp_value sp_gate_value(const sp_comparison *c, const sp_gate_figure *figure)
{
    const sp_figure *row = sp_figure_find(figure->scope, figure->key, strlen(figure->key));
    sp_figure_owner owner = {.own = c, .comparison = c};
    if (figure->scope == SP_OF_AGAINST)
        owner.own = &c->against[figure->strategy];
    if (figure->scope == SP_OF_RULE)
        owner.own = &c->rules[figure->class_index].by[figure->strategy];
    if (figure->scope == SP_OF_STRATEGY || figure->scope == SP_OF_CLASS) {
        const sp_strategy_result *strategy = &c->strategies[figure->strategy];
        owner.own = owner.strategy = strategy;
        if (figure->scope == SP_OF_CLASS)
            owner.own = strategy->classes ? &strategy->classes[figure->class_index] : NULL;
    }
    return row ? sp_figure_value(row, &owner) : value_undefined("there is no such figure");
}

static sp_value value_in_comparison(void *arg, const sp_gate_figure *figure)
{
    return sp_gate_value(arg, figure);
}

static sp_value number_of(const sp_gate *gate, int32_t index, const sp_gate_values *values)
{
    const sp_gate_node *node = &gate->nodes[index];
    if (node->kind == SP_GATE_NUMBER)
        return value_of(node->number);
    if (node->kind == SP_GATE_FIGURE)
        return values->value(values->arg, &(sp_gate_figure){node->scope, node->figure->key, node->strategy,
                                                            node->class_index});
    sp_value left = number_of(gate, node->left, values);
    if (left.undefined || node->kind == SP_GATE_NEGATE) {
        left.value = -left.value;
        return left;
    }
    sp_value right = number_of(gate, node->right, values);
    if (right.undefined)
        return right;
    double x = node->kind == SP_GATE_ADD        ? left.value + right.value
               : node->kind == SP_GATE_SUBTRACT ? left.value - right.value
               : node->kind == SP_GATE_MULTIPLY ? left.value * right.value
                                                : left.value / right.value;
    if (node->kind == SP_GATE_DIVIDE && right.value == 0)
        return value_undefined("division by zero");
    return isfinite(x) ? value_of(x) : value_undefined("too large a number");
}

static sp_gate_verdict truth_of(const sp_gate *gate, int32_t index, const sp_gate_values *values)
{
    const sp_gate_node *node = &gate->nodes[index];
    if (node->kind == SP_GATE_AND || node->kind == SP_GATE_OR) {
        sp_gate_verdict left = truth_of(gate, node->left, values),
                        right = truth_of(gate, node->right, values);
        sp_gate_verdict decisive = node->kind == SP_GATE_AND ? SP_GATE_PASSED : SP_GATE_TRIPPED;
        if (left == decisive || right == decisive)
            return decisive;
        return left == SP_GATE_UNDEFINED || right == SP_GATE_UNDEFINED ? SP_GATE_UNDEFINED : left;
    }
    sp_value a = number_of(gate, node->left, values), b = number_of(gate, node->right, values);
    if (a.undefined || b.undefined)
        return SP_GATE_UNDEFINED;
    double x = a.value, y = b.value;
    bool is_true = node->kind == SP_GATE_LESS       ? x < y
                   : node->kind == SP_GATE_AT_MOST  ? x <= y
                   : node->kind == SP_GATE_MORE     ? x > y
                   : node->kind == SP_GATE_AT_LEAST ? x >= y
                   : node->kind == SP_GATE_EQUAL    ? x == y
                                                    : x != y;
    return is_true ? SP_GATE_TRIPPED : SP_GATE_PASSED;
}

typedef struct sentence {
    char *text;
    size_t size, used;
} sentence;

static void say(sentence *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(sentence *s, const char *format, ...)
{
    if (s->used + 1 >= s->size)
        return;
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(s->text + s->used, s->size - s->used, format, arguments);
    va_end(arguments);
    if (n > 0)
        s->used = s->used + (size_t)n < s->size ? s->used + (size_t)n : s->size - 1;
}

/* "viterbi.accuracy is 0.8123"; of a plain number nothing. */
static void say_side(sentence *s, const sp_gate *gate, int32_t index, const sp_gate_values *values,
                     const char *before)
{
    const sp_gate_node *node = &gate->nodes[index];
    sp_value value = number_of(gate, index, values);
    if (node->kind == SP_GATE_NUMBER)
        return;
    say(s, "%s%.*s is ", s->used ? before : "", (int)(node->end - node->begin), gate->text + node->begin);
    if (value.undefined)
        say(s, "undefined (%s)", value.undefined);
    else
        say(s, "%.10g", value.value);
}

/* The comparisons that matter: those that are true or undefined. */
static void say_reasons(sentence *s, const sp_gate *gate, int32_t index, const sp_gate_values *values)
{
    const sp_gate_node *node = &gate->nodes[index];
    if (truth_of(gate, index, values) == SP_GATE_PASSED)
        return;
    if (node->kind == SP_GATE_AND || node->kind == SP_GATE_OR) {
        say_reasons(s, gate, node->left, values);
        say_reasons(s, gate, node->right, values);
        return;
    }
    say_side(s, gate, node->left, values, ", ");
    say_side(s, gate, node->right, values, ", ");
}

sp_gate_verdict sp_gate_judge(const sp_gate *gate, int32_t condition, const sp_comparison *comparison,
                              char *text, size_t size)
{
    const sp_gate_values values = {(void *)(uintptr_t)comparison, value_in_comparison};
    return sp_gate_judge_values(gate, condition, &values, text, size);
}

sp_gate_verdict sp_gate_judge_values(const sp_gate *gate, int32_t condition, const sp_gate_values *values,
                                     char *text, size_t size)
{
    int32_t root = gate->conditions[condition];
    sp_gate_verdict verdict = truth_of(gate, root, values);
    if (size > 0)
        text[0] = '\0';
    if (verdict == SP_GATE_PASSED || size == 0)
        return verdict;
    const sp_gate_node *node = &gate->nodes[root];
    char reasons[SP_ERROR_SIZE] = "";
    sentence why = {reasons, sizeof reasons, 0}, out = {text, size, 0};
    say_reasons(&why, gate, root, values);
    say(&out, "%.*s %s%s%s", (int)(node->end - node->begin), gate->text + node->begin,
        verdict == SP_GATE_TRIPPED ? "is true" : "cannot be judged", *reasons ? ": " : "", reasons);
    return verdict;
}
