/* Fail-if conditions, from their text to their verdict:
 *
 *   FIGURE (< | <= | > | >= | == | !=) (NUMBER | FIGURE [(+ | -) NUMBER]), several of them separated by ";"
 */
#include "core/names.h"
#include "core/owned.h"
#include "core/try.h"
#include "evaluate/evaluate.h"
#include "evaluate/figures.h"
#include "evaluate/value.h"
#include "statepath/comparison.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_TEXT = 4096 };

/* A number, or a figure and what is added to it. */
typedef struct side {
    size_t begin, end; /* of its text */
    sp_figure_scope scope;
    const sp_figure *figure; /* NULL: a number alone */
    int32_t strategy, class_index;
    double number;
} side;

typedef enum relation { LESS, AT_MOST, MORE, AT_LEAST, EQUAL, UNEQUAL } relation;

typedef struct gate_condition {
    side left, right;
    relation relation;
} gate_condition;

struct sp_gate {
    sp_owned own;
    char *text;
    gate_condition *conditions; /* never more than letters in the text */
    int32_t n_conditions;
};

typedef struct parser {
    const sp_gate_scope *scope;
    const char *text;
    size_t at;
    sp_error *err;
    sp_status status; /* the first failure; nothing moves after it */
} parser;

/* ---- letters and words ---- */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static size_t word_length(const char *text)
{
    size_t n = 0;
    while (is_letter(text[n]) || is_digit(text[n]))
        n++;
    return n;
}

static char skip_space(parser *p)
{
    while (is_space(p->text[p->at]))
        p->at++;
    return p->text[p->at];
}

/* Says what is wrong and shows the text from there on. Returns false. */
static bool refuse(parser *p, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
static bool refuse(parser *p, size_t at, const char *format, ...)
{
    if (p->status != SP_OK)
        return false;
    char what[SP_ERROR_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    size_t n = strcspn(p->text + at, ";");
    while (n > 0 && is_space(p->text[at + n - 1]))
        n--;
    if (n == 0)
        p->status = sp_fail(p->err, SP_EINVAL, "the gate ends too early: %s", what);
    else
        p->status = sp_fail(p->err, SP_EINVAL, "the gate at \"%.*s%s\": %s", n > 60 ? 60 : (int)n,
                            p->text + at, n > 60 ? "..." : "", what);
    return false;
}

/* If these letters come next: steps over them. */
static bool take(parser *p, const char *letters)
{
    size_t n = strlen(letters);
    if (p->status != SP_OK || strncmp(p->text + p->at, letters, n) != 0)
        return false;
    p->at += n;
    return true;
}

/* ---- figures and numbers ---- */

/* The index of the name that stands here: in quotes (' or ", no escapes), or the longest of the list that fits and that a dot
 * follows, since names hold dots, dashes and colons. -1: none of the list. */
static int32_t read_name(parser *p, int32_t n, const char *const *names)
{
    const char *text = p->text + p->at;
    char quote = '\0';
    if (*text == '"' || *text == '\'')
        quote = *text;
    const char *end = quote ? strchr(text + 1, quote) : NULL;
    size_t best = 0;
    int32_t index = -1;
    if (quote && !end)
        return refuse(p, p->at, "the name does not end; a closing %c is missing", quote), -1;
    for (int32_t i = 0; i < n; i++) {
        size_t length = strlen(names[i]);
        bool fits = quote ? length == (size_t)(end - text - 1) && memcmp(text + 1, names[i], length) == 0
                          : length > best && strncmp(text, names[i], length) == 0 && text[length] == '.';
        if (fits && (!quote || index < 0)) {
            best = length;
            index = i;
        }
    }
    p->at += quote ? (size_t)(end - text) + 1 : best;
    return index;
}

/* "viterbi has no such figure; there are accuracy, kappa, ...; did you mean "accuracy"?" */
static bool refuse_figure(parser *p, sp_figure_scope scope, const char *word, size_t n, const char *what)
{
    enum { MOST = 128 };
    const char *keys[MOST];
    char list[SP_ERROR_SIZE / 2], hint[128], copy[64];
    const sp_figures figures = sp_figures_of(scope);
    int32_t n_keys = 0;
    for (size_t i = 0; i < figures.n && n_keys < MOST; i++)
        if (figures.list[i].place.type != SP_FIGURE_TEXT)
            keys[n_keys++] = figures.list[i].key;
    snprintf(copy, sizeof copy, "%.*s", (int)n, word);
    sp_name_hint(hint, sizeof hint, copy, n_keys, keys);
    sp_name_list(list, sizeof list, n_keys, keys);
    return refuse(p, p->at, "%s no such figure; there are %s%s%s", what, list,
                  scope == SP_OF_STRATEGY ? ", and classes.NAME.f1 and the like" : "", hint);
}

static int32_t classifier_of(const sp_gate_scope *scope, int32_t strategy)
{
    return scope->classifiers ? scope->classifiers[strategy] : 0;
}

/* Is argmax among the strategies of the same classifier? */
static bool has_argmax(const sp_gate_scope *scope, int32_t strategy)
{
    const int32_t classifier = classifier_of(scope, strategy);
    const char *name = classifier ? scope->against[classifier - 1] : NULL;
    for (int32_t i = 0; i < scope->n_strategies; i++)
        if (classifier_of(scope, i) == classifier &&
            strcmp(sp_own_name(scope->strategies[i], name), "argmax") == 0)
            return true;
    return false;
}

/* The figure's key that stands here. `what` it belongs to is for the message. */
static bool read_key(parser *p, side *s, const char *what)
{
    const char *word = p->text + p->at;
    size_t n = word_length(word);
    s->figure = sp_figure_find(s->scope, word, n);
    if (!s->figure || s->figure->place.type == SP_FIGURE_TEXT)
        return refuse_figure(p, s->scope, word, n, what);
    if (s->figure->needs >> SP_NEEDS_LABELS & 1 && !p->scope->has_labels)
        return refuse(p, p->at, "%s needs a reference, and there are no labels", s->figure->key);
    if (s->figure->needs >> SP_NEEDS_ARGMAX & 1 && !has_argmax(p->scope, s->strategy))
        return refuse(p, p->at, "%s counts against argmax, which is not among the strategies",
                      s->figure->key);
    p->at += n;
    return true;
}

/* After "STRATEGY.rules." or "reference.rules.": a rule and its figure. */
static bool read_of_rule(parser *p, side *s)
{
    const sp_gate_scope *scope = p->scope;
    const size_t start = p->at;
    char text[1024];
    s->scope = SP_OF_RULE;
    s->class_index = read_name(p, scope->n_rules, scope->rules);
    if (s->class_index < 0)
        return scope->n_rules == 0 ? refuse(p, start, "the model has no rules over more than two steps")
                                   : refuse(p, start, "there is no such rule; the rules are %s",
                                            sp_name_list(text, sizeof text, scope->n_rules, scope->rules));
    if (!take(p, "."))
        return refuse(p, start, "a rule is followed by a figure, as in %s.violations",
                      scope->rules[s->class_index]);
    return read_key(p, s, "a rule has");
}

/* After "STRATEGY." */
static bool read_of_strategy(parser *p, side *s)
{
    const sp_gate_scope *scope = p->scope;
    char text[1024];
    snprintf(text, sizeof text, "%.120s has", scope->strategies[s->strategy]);
    if (take(p, "rules."))
        return read_of_rule(p, s);
    if (!take(p, "classes."))
        return read_key(p, s, text);
    size_t start = p->at;
    s->scope = SP_OF_CLASS;
    s->class_index = read_name(p, scope->n_classes, scope->classes);
    if (s->class_index < 0)
        return refuse(p, start, "there is no such class; the classes are %s",
                      sp_name_list(text, sizeof text, scope->n_classes, scope->classes));
    if (!take(p, "."))
        return refuse(p, start, "a class is followed by a figure, as in %s.f1",
                      scope->classes[s->class_index]);
    return read_key(p, s, "a class has");
}

static bool read_figure(parser *p, side *s)
{
    const sp_gate_scope *scope = p->scope;
    const char *here = p->text + p->at;
    const size_t begin = p->at;
    s->scope = SP_OF_REFERENCE;
    if (take(p, "reference.")) {
        s->strategy = scope->n_strategies;
        return !take(p, "rules.")  ? read_key(p, s, "the reference has")
               : scope->has_labels ? read_of_rule(p, s)
                                   : refuse(p, p->at, "it needs a reference, and there are no labels");
    }
    s->scope = SP_OF_STRATEGY;
    s->strategy = read_name(p, scope->n_strategies, scope->strategies);
    if (s->strategy >= 0)
        return take(p, ".") ? read_of_strategy(p, s)
                            : refuse(p, begin, "a strategy is followed by a figure, as in %s.illegal",
                                     scope->strategies[s->strategy]);
    s->scope = SP_OF_AGAINST;
    p->at = begin;
    s->strategy = p->status == SP_OK ? read_name(p, scope->n_against, scope->against) : -1;
    if (s->strategy >= 0) {
        char text[256];
        snprintf(text, sizeof text,
                 "%.60s is a classifier: its strategies are %.60s.argmax and the like; beside them it has",
                 scope->against[s->strategy], scope->against[s->strategy]);
        return take(p, ".")
                   ? read_key(p, s, text)
                   : refuse(p, begin, "a classifier is followed by a strategy and a figure, as in %s.illegal",
                            scope->strategies[scope->n_strategies - 1]);
    }
    s->scope = SP_OF_COMPARISON;
    if (is_letter(*here) && sp_figure_find(SP_OF_COMPARISON, here, word_length(here)))
        return read_key(p, s, "the comparison has");
    char list[1024];
    return refuse(p, begin,
                  "there is no such strategy or figure; the strategies are %s; beside them there are "
                  "reference.illegal and the "
                  "like, mask_ceiling, nll, recordings, steps, scored_steps",
                  sp_name_list(list, sizeof list, scope->n_strategies, scope->strategies));
}

/* strtod would take "inf", "nan" and hexadecimal, and commas in some languages: the letters of a number are picked here. */
static bool read_number(parser *p, double *out)
{
    static const char digits_of_ten[] = "0123456789";
    const char *text = p->text + p->at;
    size_t n = strspn(text, digits_of_ten), digits = n;
    if (text[n] == '.') {
        size_t more = strspn(text + n + 1, digits_of_ten);
        digits += more;
        n += 1 + more;
    }
    if (digits && (text[n] == 'e' || text[n] == 'E')) {
        size_t sign = text[n + 1] == '+' || text[n + 1] == '-',
               exponent = strspn(text + n + 1 + sign, digits_of_ten);
        n += exponent ? 1 + sign + exponent : 0;
    }
    char copy[64];
    if (digits == 0 || is_letter(text[n]) || text[n] == '.' || n >= sizeof copy)
        return refuse(p, p->at, "this is not a number");
    memcpy(copy, text, n);
    copy[n] = '\0';
    *out = strtod(copy, NULL);
    if (!isfinite(*out))
        return refuse(p, p->at, "the number is too large");
    p->at += n;
    return true;
}

/* ---- conditions ---- */

/* Steps over the sign of a relation; those that begin like others come first. */
static bool read_relation(parser *p, size_t begin, relation *out)
{
    static const struct {
        const char *sign;
        relation relation;
    } signs[] = {{"<=", AT_MOST}, {">=", AT_LEAST}, {"==", EQUAL}, {"!=", UNEQUAL}, {"<", LESS}, {">", MORE}};
    const char c = skip_space(p);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (take(p, signs[i].sign)) {
            *out = signs[i].relation;
            return p->text[p->at] != '=' || refuse(p, p->at, "equal is written ==");
        }
    return c == '='                ? refuse(p, p->at, "equal is written ==")
           : c == '\0' || c == ';' ? refuse(p, begin, "a gate is a comparison, as in viterbi.illegal > 0")
                                   : refuse(p, p->at, "a comparison belongs here: < <= > >= == !=");
}

/* A figure, or where one is allowed a number. */
static bool read_side(parser *p, bool may_be_number, side *s)
{
    const char c = skip_space(p);
    s->begin = p->at;
    const bool is_negative = may_be_number && take(p, "-");
    if (is_negative || (may_be_number && (is_digit(c) || c == '.'))) {
        if (!read_number(p, &s->number))
            return false;
        s->number = is_negative ? -s->number : s->number;
    } else if (is_letter(c) || c == '"' || c == '\'') {
        if (!read_figure(p, s))
            return false;
    } else {
        return refuse(p, p->at,
                      may_be_number ? c ? "a number or a figure belongs here, such as viterbi.accuracy"
                                        : "a number or a figure is missing, such as viterbi.accuracy"
                                    : "a gate begins with a figure, as in viterbi.illegal > 0");
    }
    s->end = p->at;
    return true;
}

/* What is added to a figure. */
static bool read_shift(parser *p, side *s)
{
    const char sign = skip_space(p);
    if (!s->figure || (sign != '+' && sign != '-'))
        return true;
    p->at++;
    skip_space(p);
    if (!read_number(p, &s->number))
        return false;
    s->number = sign == '-' ? -s->number : s->number;
    s->end = p->at;
    return true;
}

static bool read_condition(parser *p, gate_condition *c)
{
    skip_space(p);
    const size_t begin = p->at;
    if (!read_side(p, false, &c->left) || !read_relation(p, begin, &c->relation) ||
        !read_side(p, true, &c->right) || !read_shift(p, &c->right))
        return false;
    const char after = skip_space(p);
    return !after || after == ';' ||
           refuse(p, p->at, "a gate ends here, or one number is added: argmax.kappa - 0.01");
}

sp_status sp_gate_new(const char *text, const sp_gate_scope *scope, sp_gate **out, sp_error *err)
{
    const size_t n = strlen(text);
    if (n > LONGEST_TEXT)
        return sp_fail(err, SP_EINVAL, "the gate has %zu letters; at most %d are read", n, LONGEST_TEXT);
    sp_gate *gate = calloc(1, sizeof *gate);
    if (!gate)
        return sp_no_memory(err);
    gate->text = sp_owned_text(&gate->own, text);
    gate->conditions = sp_zeros(&gate->own, n + 1, sizeof *gate->conditions);
    parser p = {.scope = scope, .text = gate->text, .err = err, .status = SP_OK};
    sp_status status = SP_OK;
    TRY(sp_owned_status(&gate->own, err));
    while (p.status == SP_OK && skip_space(&p))
        if (!take(&p, ";") && read_condition(&p, &gate->conditions[gate->n_conditions]))
            gate->n_conditions++;
    TRY(p.status);
    if (gate->n_conditions == 0)
        TRY(sp_fail(err, SP_EINVAL, "the gate is empty; it is a comparison, as in viterbi.illegal > 0"));
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

static sp_value value_of_side(const side *s, const sp_gate_values *values)
{
    if (!s->figure)
        return value_of(s->number);
    sp_value value =
        values->value(values->arg, &(sp_gate_figure){s->scope, s->figure->key, s->strategy, s->class_index});
    if (!value.undefined)
        value.value += s->number;
    return value;
}

/* Adds ", viterbi.accuracy is 0.8123" to the sentence; of a plain number nothing. */
static void say_side(char *text, size_t size, const sp_gate *gate, const side *s, const sp_value *value,
                     const char *before)
{
    const size_t used = strlen(text);
    if (!s->figure || used + 1 >= size)
        return;
    const int n = snprintf(text + used, size - used, "%s%.*s is ", before, (int)(s->end - s->begin),
                           gate->text + s->begin);
    if (n < 0 || (size_t)n >= size - used)
        return;
    if (value->undefined)
        snprintf(text + used + n, size - used - (size_t)n, "undefined (%s)", value->undefined);
    else
        snprintf(text + used + n, size - used - (size_t)n, "%.10g", value->value);
}

sp_gate_verdict sp_gate_judge(const sp_gate *gate, int32_t condition, const sp_comparison *comparison,
                              char *text, size_t size)
{
    const sp_gate_values values = {(void *)(uintptr_t)comparison, value_in_comparison};
    return sp_gate_judge_values(gate, condition, &values, text, size);
}

sp_gate_verdict sp_gate_judge_values(const sp_gate *gate, int32_t index, const sp_gate_values *values,
                                     char *text, size_t size)
{
    const gate_condition *c = &gate->conditions[index];
    const sp_value a = value_of_side(&c->left, values), b = value_of_side(&c->right, values);
    const double x = a.value, y = b.value;
    const bool is_defined = !a.undefined && !b.undefined;
    const bool is_true = c->relation == LESS       ? x < y
                         : c->relation == AT_MOST  ? x <= y
                         : c->relation == MORE     ? x > y
                         : c->relation == AT_LEAST ? x >= y
                         : c->relation == EQUAL    ? x == y
                                                   : x != y;
    if (size > 0)
        text[0] = '\0';
    if (is_defined && !is_true)
        return SP_GATE_PASSED;
    if (size > 0) {
        snprintf(text, size, "%.*s %s", (int)(c->right.end - c->left.begin), gate->text + c->left.begin,
                 is_defined ? "is true" : "cannot be judged");
        say_side(text, size, gate, &c->left, &a, ": ");
        say_side(text, size, gate, &c->right, &b, ", ");
    }
    return is_defined ? SP_GATE_TRIPPED : SP_GATE_UNDEFINED;
}
