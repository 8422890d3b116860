/* Recursive descent, one function a level of the grammar; a node an operator, a number or a figure. Nothing here recurses deeper
 * than DEPTH, and what is built is judged by the same recursion over left and right. */
#include "evaluate/gate.h"
#include "evaluate/value.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 100, LONGEST_TEXT = 4096 };

typedef struct parser {
    sp_gate *gate;
    const sp_gate_scope *scope;
    const char *text;
    size_t at;
    int depth;
    sp_error *err;
    sp_status status; /* the first failure; nothing moves after it */
} parser;

/* ---- small steps ---- */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_space(parser *p)
{
    while (is_space(p->text[p->at]))
        p->at++;
}

/* Says what is wrong and shows the text from there on. Returns -1, the node that is none. */
static int32_t refuse(parser *p, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
static int32_t refuse(parser *p, size_t at, const char *format, ...)
{
    if (p->status != SP_OK)
        return -1;
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
        p->status = sp_fail(p->err, SP_EINVAL, "the gate at \"%.*s%s\": %s", n > 60 ? 60 : (int)n, p->text + at,
                            n > 60 ? "..." : "", what);
    return -1;
}

/* The next thing is this operator: steps over it. */
static bool take(parser *p, const char *operator)
{
    skip_space(p);
    size_t n = strlen(operator);
    if (p->status != SP_OK || strncmp(p->text + p->at, operator, n) != 0)
        return false;
    p->at += n;
    return true;
}

/* The same for a word, which must end there. */
static bool take_word(parser *p, const char *word)
{
    skip_space(p);
    size_t n = strlen(word);
    char after = p->status == SP_OK && strncmp(p->text + p->at, word, n) == 0 ? p->text[p->at + n] : 'x';
    if (is_letter(after) || is_digit(after) || after == '.' || after == ':')
        return false;
    p->at += n;
    return true;
}

static int32_t add_node(parser *p, sp_gate_node node)
{
    if (p->status != SP_OK)
        return -1;
    p->gate->nodes[p->gate->n_nodes] = node;
    return p->gate->n_nodes++;
}

static bool is_truth(const parser *p, int32_t node)
{
    return node >= 0 && p->gate->nodes[node].kind >= SP_GATE_LESS;
}

/* ---- names ---- */

/* Length of the name at `text` when it is one of the list and a dot follows: the longest that fits, since names hold dots, dashes
 * and colons. 0: none does. */
static size_t match_name(const char *text, int32_t n, const char *const *names, int32_t *index)
{
    size_t best = 0;
    for (int32_t i = 0; i < n; i++) {
        size_t length = strlen(names[i]);
        if (length > best && strncmp(text, names[i], length) == 0 && text[length] == '.') {
            best = length;
            *index = i;
        }
    }
    return best;
}

/* A name in quotes: ' or ", no escapes. Stands after the closing quote. False with an error when it does not end. */
static bool read_quoted(parser *p, const char **name, size_t *length)
{
    char quote = p->text[p->at];
    const char *end = strchr(p->text + p->at + 1, quote);
    if (!end) {
        refuse(p, p->at, "the name does not end; a closing %c is missing", quote);
        return false;
    }
    *name = p->text + p->at + 1;
    *length = (size_t)(end - *name);
    p->at = (size_t)(end - p->text) + 1;
    return true;
}

static size_t word_length(const char *text)
{
    size_t n = 0;
    while (is_letter(text[n]) || is_digit(text[n]))
        n++;
    return n;
}

static void add_to_list(char *list, size_t size, const char *name, bool is_first)
{
    size_t used = strlen(list);
    snprintf(list + used, size - used, "%s%s", is_first ? "" : ", ", name);
}

static void list_names(char *list, size_t size, int32_t n, const char *const *names)
{
    *list = '\0';
    for (int32_t i = 0; i < n && i < 40; i++)
        add_to_list(list, size, names[i], i == 0);
    if (n > 40)
        add_to_list(list, size, "...", false);
}

static void list_figures(char *list, size_t size, sp_figures figures)
{
    *list = '\0';
    for (size_t i = 0; i < figures.n; i++)
        add_to_list(list, size, figures.list[i].name, i == 0);
}

static int32_t index_of(const char *name, size_t length, int32_t n, const char *const *names)
{
    for (int32_t i = 0; i < n; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
            return i;
    return -1;
}

static bool has_strategy(const sp_gate_scope *scope, const char *name)
{
    return index_of(name, strlen(name), scope->n_strategies, scope->strategies) >= 0;
}

/* ---- figures ---- */

/* The metric that stands here; the node of the figure. `what` it belongs to is for the message. */
static int32_t read_metric(parser *p, sp_gate_node node, const char *what)
{
    char list[1024];
    size_t n = word_length(p->text + p->at);
    sp_figures figures = sp_figures_of(node.owner);
    for (size_t i = 0; i < figures.n; i++)
        if (strlen(figures.list[i].name) == n && memcmp(figures.list[i].name, p->text + p->at, n) == 0)
            node.figure = &figures.list[i];
    if (!node.figure) {
        list_figures(list, sizeof list, figures);
        return refuse(p, p->at, "%s no such figure; there are %s%s", what, list,
                      node.owner == SP_OF_STRATEGY ? ", and classes.NAME.f1 and the like" : "");
    }
    if (node.figure->needs_labels && !p->scope->has_labels)
        return refuse(p, p->at, "%s needs a reference, and there are no labels", node.figure->name);
    if (node.figure->needs_argmax && !has_strategy(p->scope, "argmax"))
        return refuse(p, p->at, "%s counts against argmax, which is not among the strategies", node.figure->name);
    p->at += n;
    node.end = p->at;
    return add_node(p, node);
}

/* After "STRATEGY.classes." */
static int32_t read_class_metric(parser *p, sp_gate_node node)
{
    const sp_gate_scope *scope = p->scope;
    size_t start = p->at;
    node.owner = SP_OF_CLASS;
    if (p->text[p->at] == '"' || p->text[p->at] == '\'') {
        const char *name;
        size_t length;
        if (!read_quoted(p, &name, &length))
            return -1;
        node.class_index = index_of(name, length, scope->n_classes, scope->classes);
    } else {
        size_t length = match_name(p->text + p->at, scope->n_classes, scope->classes, &node.class_index);
        if (length == 0)
            node.class_index = -1;
        p->at += length;
    }
    if (node.class_index < 0) {
        char list[1024];
        list_names(list, sizeof list, scope->n_classes, scope->classes);
        return refuse(p, start, "there is no such class; the classes are %s", list);
    }
    if (p->text[p->at] != '.')
        return refuse(p, start, "a class is followed by a figure, as in %s.f1", scope->classes[node.class_index]);
    p->at++;
    return read_metric(p, node, "a class has");
}

/* After "STRATEGY". */
static int32_t read_strategy_metric(parser *p, sp_gate_node node)
{
    char what[160];
    if (p->text[p->at] != '.')
        return refuse(p, node.begin, "a strategy is followed by a figure, as in %s.illegal", p->scope->strategies[node.strategy]);
    p->at++;
    if (strncmp(p->text + p->at, "classes.", 8) == 0) {
        p->at += 8;
        return read_class_metric(p, node);
    }
    node.owner = SP_OF_STRATEGY;
    snprintf(what, sizeof what, "%.120s has", p->scope->strategies[node.strategy]);
    return read_metric(p, node, what);
}

static int32_t refuse_strategy(parser *p, size_t at)
{
    char list[1024];
    list_names(list, sizeof list, p->scope->n_strategies, p->scope->strategies);
    return refuse(
        p, at,
        "there is no such strategy or figure; the strategies are %s; beside them there are reference.illegal and the like, "
        "mask_ceiling, nll, recordings, steps, scored_steps",
        list);
}

static int32_t read_figure(parser *p)
{
    const sp_gate_scope *scope = p->scope;
    const char *here = p->text + p->at;
    sp_gate_node node = {.kind = SP_GATE_FIGURE, .begin = p->at, .left = -1, .right = -1};
    if (*here == '"' || *here == '\'') {
        const char *name;
        size_t length;
        if (!read_quoted(p, &name, &length))
            return -1;
        node.strategy = index_of(name, length, scope->n_strategies, scope->strategies);
        return node.strategy < 0 ? refuse_strategy(p, node.begin) : read_strategy_metric(p, node);
    }
    if (strncmp(here, "reference.", 10) == 0) {
        p->at += 10;
        node.owner = SP_OF_REFERENCE;
        return read_metric(p, node, "the reference has");
    }
    size_t length = match_name(here, scope->n_strategies, scope->strategies, &node.strategy);
    if (length) {
        p->at += length;
        return read_strategy_metric(p, node);
    }
    size_t n = word_length(here);
    sp_figures figures = sp_figures_of(SP_OF_COMPARISON);
    for (size_t i = 0; i < figures.n; i++)
        if (strlen(figures.list[i].name) == n && memcmp(figures.list[i].name, here, n) == 0) {
            node.owner = SP_OF_COMPARISON;
            return read_metric(p, node, "the comparison has");
        }
    return refuse_strategy(p, p->at);
}

/* strtod would take "inf", "nan" and hexadecimal, and commas in some languages: the letters of a number are picked here. */
static int32_t read_number(parser *p)
{
    const char *text = p->text + p->at;
    size_t n = strspn(text, "0123456789");
    size_t digits = n;
    if (text[n] == '.') {
        size_t more = strspn(text + n + 1, "0123456789");
        digits += more;
        n += 1 + more;
    }
    if (digits && (text[n] == 'e' || text[n] == 'E')) {
        size_t sign = text[n + 1] == '+' || text[n + 1] == '-';
        size_t exponent = strspn(text + n + 1 + sign, "0123456789");
        n += exponent ? 1 + sign + exponent : 0;
    }
    char copy[64];
    if (digits == 0 || is_letter(text[n]) || text[n] == '.' || n >= sizeof copy)
        return refuse(p, p->at, "this is not a number");
    memcpy(copy, text, n);
    copy[n] = '\0';
    double number = strtod(copy, NULL);
    if (!isfinite(number))
        return refuse(p, p->at, "the number is too large");
    sp_gate_node node = {.kind = SP_GATE_NUMBER, .begin = p->at, .end = p->at + n, .left = -1, .right = -1, .number = number};
    p->at += n;
    return add_node(p, node);
}

/* ---- the grammar ---- */

static int32_t read_or(parser *p);

static int32_t read_primary(parser *p)
{
    skip_space(p);
    size_t begin = p->at;
    char c = p->text[p->at];
    if (c == '(') {
        p->at++;
        int32_t inner = read_or(p);
        if (!take(p, ")"))
            return refuse(p, p->at, "a closing parenthesis is missing");
        p->gate->nodes[inner].begin = begin; /* the parentheses are shown with it */
        p->gate->nodes[inner].end = p->at;
        return inner;
    }
    if (is_digit(c) || c == '.')
        return read_number(p);
    if (is_letter(c) || c == '"' || c == '\'')
        return read_figure(p);
    return refuse(p, p->at,
                  c ? "a number or a figure belongs here, such as viterbi.accuracy"
                    : "a number or a figure is missing, such as viterbi.accuracy");
}

static int32_t read_unary(parser *p)
{
    skip_space(p);
    size_t begin = p->at;
    if (p->depth >= DEPTH)
        return refuse(p, p->at, "more than %d levels of parentheses and signs", DEPTH);
    p->depth++;
    int32_t out;
    if (take(p, "-")) {
        int32_t inner = read_unary(p);
        out = is_truth(p, inner)
                  ? refuse(p, begin, "a comparison has no sign")
                  : add_node(p, (sp_gate_node){.kind = SP_GATE_NEGATE, .begin = begin, .end = p->at, .left = inner, .right = -1});
    } else {
        out = read_primary(p);
    }
    p->depth--;
    return out;
}

static int32_t join(parser *p, sp_gate_kind kind, int32_t left, int32_t right)
{
    if (p->status != SP_OK)
        return -1;
    const sp_gate_node *nodes = p->gate->nodes;
    bool wants_truth = kind == SP_GATE_AND || kind == SP_GATE_OR;
    const int32_t sides[2] = {left, right};
    for (int i = 0; i < 2; i++)
        if (is_truth(p, sides[i]) != wants_truth)
            return refuse(p, nodes[sides[i]].begin,
                          wants_truth ? "\"and\" and \"or\" join comparisons, as in a < b and c < d"
                                      : "a comparison is not a number; \"a < b < c\" is written a < b and b < c");
    return add_node(
        p, (sp_gate_node){.kind = kind, .begin = nodes[left].begin, .end = nodes[right].end, .left = left, .right = right});
}

static int32_t read_product(parser *p)
{
    int32_t left = read_unary(p);
    for (;;) {
        sp_gate_kind kind = take(p, "*") ? SP_GATE_MULTIPLY : take(p, "/") ? SP_GATE_DIVIDE : SP_GATE_NUMBER;
        if (kind == SP_GATE_NUMBER)
            return left;
        left = join(p, kind, left, read_unary(p));
    }
}

static int32_t read_sum(parser *p)
{
    int32_t left = read_product(p);
    for (;;) {
        sp_gate_kind kind = take(p, "+") ? SP_GATE_ADD : take(p, "-") ? SP_GATE_SUBTRACT : SP_GATE_NUMBER;
        if (kind == SP_GATE_NUMBER)
            return left;
        left = join(p, kind, left, read_product(p));
    }
}

static int32_t read_comparison(parser *p)
{
    static const struct {
        const char *sign;
        sp_gate_kind kind;
    } signs[] = {{"<=", SP_GATE_AT_MOST}, {">=", SP_GATE_AT_LEAST}, {"==", SP_GATE_EQUAL},
                 {"!=", SP_GATE_UNEQUAL}, {"<", SP_GATE_LESS},      {">", SP_GATE_MORE}};
    int32_t left = read_sum(p);
    for (;;) {
        size_t i = 0;
        while (i < sizeof signs / sizeof *signs && !take(p, signs[i].sign))
            i++;
        if (i == sizeof signs / sizeof *signs)
            break;
        left = join(p, signs[i].kind, left, read_sum(p));
    }
    return p->status == SP_OK && p->text[p->at] == '=' ? refuse(p, p->at, "equal is written ==") : left;
}

static int32_t read_and(parser *p)
{
    int32_t left = read_comparison(p);
    while (take_word(p, "and"))
        left = join(p, SP_GATE_AND, left, read_comparison(p));
    return left;
}

static int32_t read_or(parser *p)
{
    int32_t left = read_and(p);
    while (take_word(p, "or"))
        left = join(p, SP_GATE_OR, left, read_and(p));
    return left;
}

static void read_conditions(parser *p)
{
    sp_gate *gate = p->gate;
    for (;;) {
        skip_space(p);
        if (!p->text[p->at])
            break;
        if (take(p, ";"))
            continue;
        size_t begin = p->at;
        int32_t root = read_or(p);
        skip_space(p);
        if (p->status == SP_OK && p->text[p->at] && p->text[p->at] != ';')
            refuse(p, p->at, "an operator belongs here: + - * / < <= > >= == != and or");
        if (p->status == SP_OK && !is_truth(p, root))
            refuse(p, begin, "a gate is a comparison, as in viterbi.illegal > 0");
        if (p->status != SP_OK)
            return;
        gate->conditions[gate->n_conditions++] = root;
    }
    if (gate->n_conditions == 0)
        p->status = sp_fail(p->err, SP_EINVAL, "the gate is empty; it is a comparison, as in viterbi.illegal > 0");
}

sp_status sp_gate_new(const char *text, const sp_gate_scope *scope, sp_gate **out, sp_error *err)
{
    size_t n = strlen(text);
    if (n > LONGEST_TEXT)
        return sp_fail(err, SP_EINVAL, "the gate has %zu letters; at most %d are read", n, LONGEST_TEXT);
    sp_gate *gate = calloc(1, sizeof *gate);
    if (gate) {
        gate->text = malloc(n + 1);
        gate->nodes = malloc((n + 1) * sizeof *gate->nodes);
        gate->conditions = malloc((n + 1) * sizeof *gate->conditions);
    }
    if (!gate || !gate->text || !gate->nodes || !gate->conditions) {
        sp_gate_free(gate);
        return sp_fail(err, SP_ENOMEM, "no memory for a gate");
    }
    memcpy(gate->text, text, n + 1);
    parser p = {.gate = gate, .scope = scope, .text = gate->text, .err = err, .status = SP_OK};
    read_conditions(&p);
    if (p.status != SP_OK) {
        sp_gate_free(gate);
        return p.status;
    }
    *out = gate;
    return SP_OK;
}

void sp_gate_free(sp_gate *gate)
{
    if (!gate)
        return;
    free(gate->text);
    free(gate->nodes);
    free(gate->conditions);
    free(gate);
}

int32_t sp_gate_n_conditions(const sp_gate *gate)
{
    return gate->n_conditions;
}

/* ---- judging ---- */

static sp_value number_of(const sp_gate *gate, int32_t index, const sp_comparison *c)
{
    const sp_gate_node *node = &gate->nodes[index];
    if (node->kind == SP_GATE_NUMBER)
        return value_of(node->number);
    if (node->kind == SP_GATE_FIGURE)
        return sp_figure_value(c, node->owner, node->figure, node->strategy, node->class_index);
    sp_value left = number_of(gate, node->left, c);
    if (left.undefined || node->kind == SP_GATE_NEGATE) {
        left.value = -left.value;
        return left;
    }
    sp_value right = number_of(gate, node->right, c);
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

static sp_gate_verdict truth_of(const sp_gate *gate, int32_t index, const sp_comparison *c)
{
    const sp_gate_node *node = &gate->nodes[index];
    if (node->kind == SP_GATE_AND || node->kind == SP_GATE_OR) {
        sp_gate_verdict left = truth_of(gate, node->left, c), right = truth_of(gate, node->right, c);
        sp_gate_verdict decisive = node->kind == SP_GATE_AND ? SP_GATE_PASSED : SP_GATE_TRIPPED;
        if (left == decisive || right == decisive)
            return decisive;
        return left == SP_GATE_UNDEFINED || right == SP_GATE_UNDEFINED ? SP_GATE_UNDEFINED : left;
    }
    sp_value a = number_of(gate, node->left, c), b = number_of(gate, node->right, c);
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
static void say_side(sentence *s, const sp_gate *gate, int32_t index, const sp_comparison *c, const char *before)
{
    const sp_gate_node *node = &gate->nodes[index];
    sp_value value = number_of(gate, index, c);
    if (node->kind == SP_GATE_NUMBER)
        return;
    say(s, "%s%.*s is ", s->used ? before : "", (int)(node->end - node->begin), gate->text + node->begin);
    if (value.undefined)
        say(s, "undefined (%s)", value.undefined);
    else
        say(s, "%.10g", value.value);
}

/* The comparisons that matter: those that are true or undefined. */
static void say_reasons(sentence *s, const sp_gate *gate, int32_t index, const sp_comparison *c)
{
    const sp_gate_node *node = &gate->nodes[index];
    if (truth_of(gate, index, c) == SP_GATE_PASSED)
        return;
    if (node->kind == SP_GATE_AND || node->kind == SP_GATE_OR) {
        say_reasons(s, gate, node->left, c);
        say_reasons(s, gate, node->right, c);
        return;
    }
    say_side(s, gate, node->left, c, ", ");
    say_side(s, gate, node->right, c, ", ");
}

sp_gate_verdict sp_gate_judge(const sp_gate *gate, int32_t condition, const sp_comparison *comparison, char *text, size_t size)
{
    int32_t root = gate->conditions[condition];
    sp_gate_verdict verdict = truth_of(gate, root, comparison);
    if (size > 0)
        text[0] = '\0';
    if (verdict == SP_GATE_PASSED || size == 0)
        return verdict;
    const sp_gate_node *node = &gate->nodes[root];
    char reasons[SP_ERROR_SIZE] = "";
    sentence why = {reasons, sizeof reasons, 0}, out = {text, size, 0};
    say_reasons(&why, gate, root, comparison);
    say(&out, "%.*s %s%s%s", (int)(node->end - node->begin), gate->text + node->begin,
        verdict == SP_GATE_TRIPPED ? "is true" : "cannot be judged", *reasons ? ": " : "", reasons);
    return verdict;
}
