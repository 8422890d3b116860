/* Reading fail-if conditions: recursive descent, a level of recursion for each level of operators that bind alike. A node is an
 * operator, a number or a figure. Nothing here recurses deeper than DEPTH parentheses and signs. */
#include "core/names.h"
#include "evaluate/evaluate.h"
#include "evaluate/gate.h"
#include "statepath/status.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH = 100 };

typedef struct parser {
    sp_gate *gate;
    const sp_gate_scope *scope;
    const char *text;
    size_t at;
    int depth;
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
        p->status = sp_fail(p->err, SP_EINVAL, "the gate at \"%.*s%s\": %s", n > 60 ? 60 : (int)n,
                            p->text + at, n > 60 ? "..." : "", what);
    return -1;
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

static int32_t add_node(parser *p, sp_gate_node node)
{
    if (p->status != SP_OK)
        return -1;
    p->gate->nodes[p->gate->n_nodes] = node;
    return p->gate->n_nodes++;
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
        return refuse(p, p->at, "the name does not end; a closing %c is missing", quote);
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
static int32_t refuse_figure(parser *p, sp_figure_scope scope, const char *word, size_t n, const char *what)
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
static int32_t read_key(parser *p, sp_gate_node node, const char *what)
{
    const char *word = p->text + p->at;
    size_t n = word_length(word);
    node.figure = sp_figure_find(node.scope, word, n);
    if (!node.figure || node.figure->place.type == SP_FIGURE_TEXT)
        return refuse_figure(p, node.scope, word, n, what);
    if (node.figure->needs >> SP_NEEDS_LABELS & 1 && !p->scope->has_labels)
        return refuse(p, p->at, "%s needs a reference, and there are no labels", node.figure->key);
    if (node.figure->needs >> SP_NEEDS_ARGMAX & 1 && !has_argmax(p->scope, node.strategy))
        return refuse(p, p->at, "%s counts against argmax, which is not among the strategies",
                      node.figure->key);
    p->at += n;
    node.end = p->at;
    return add_node(p, node);
}

/* After "STRATEGY.rules." or "reference.rules.": a rule and its figure. */
static int32_t read_of_rule(parser *p, sp_gate_node node)
{
    const sp_gate_scope *scope = p->scope;
    const size_t start = p->at;
    char text[1024];
    node.scope = SP_OF_RULE;
    node.class_index = read_name(p, scope->n_rules, scope->rules);
    if (node.class_index < 0)
        return scope->n_rules == 0 ? refuse(p, start, "the model has no rules over more than two steps")
                                   : refuse(p, start, "there is no such rule; the rules are %s",
                                            sp_name_list(text, sizeof text, scope->n_rules, scope->rules));
    if (!take(p, "."))
        return refuse(p, start, "a rule is followed by a figure, as in %s.violations",
                      scope->rules[node.class_index]);
    return read_key(p, node, "a rule has");
}

/* After "STRATEGY." */
static int32_t read_of_strategy(parser *p, sp_gate_node node)
{
    const sp_gate_scope *scope = p->scope;
    char text[1024];
    snprintf(text, sizeof text, "%.120s has", scope->strategies[node.strategy]);
    if (take(p, "rules."))
        return read_of_rule(p, node);
    if (!take(p, "classes."))
        return read_key(p, node, text);
    size_t start = p->at;
    node.scope = SP_OF_CLASS;
    node.class_index = read_name(p, scope->n_classes, scope->classes);
    if (node.class_index < 0)
        return refuse(p, start, "there is no such class; the classes are %s",
                      sp_name_list(text, sizeof text, scope->n_classes, scope->classes));
    if (!take(p, "."))
        return refuse(p, start, "a class is followed by a figure, as in %s.f1",
                      scope->classes[node.class_index]);
    return read_key(p, node, "a class has");
}

static int32_t read_figure(parser *p)
{
    const sp_gate_scope *scope = p->scope;
    const char *here = p->text + p->at;
    sp_gate_node node = {
        .kind = SP_GATE_FIGURE, .begin = p->at, .left = -1, .right = -1, .scope = SP_OF_REFERENCE};
    if (take(p, "reference.")) {
        node.strategy = scope->n_strategies;
        return !take(p, "rules.")  ? read_key(p, node, "the reference has")
               : scope->has_labels ? read_of_rule(p, node)
                                   : refuse(p, p->at, "it needs a reference, and there are no labels");
    }
    node.scope = SP_OF_STRATEGY;
    node.strategy = read_name(p, scope->n_strategies, scope->strategies);
    if (node.strategy >= 0)
        return take(p, ".") ? read_of_strategy(p, node)
                            : refuse(p, node.begin, "a strategy is followed by a figure, as in %s.illegal",
                                     scope->strategies[node.strategy]);
    node.scope = SP_OF_AGAINST;
    p->at = node.begin;
    node.strategy = p->status == SP_OK ? read_name(p, scope->n_against, scope->against) : -1;
    if (node.strategy >= 0) {
        char text[256];
        snprintf(text, sizeof text,
                 "%.60s is a classifier: its strategies are %.60s.argmax and the like; beside them it has",
                 scope->against[node.strategy], scope->against[node.strategy]);
        return take(p, ".") ? read_key(p, node, text)
                            : refuse(p, node.begin,
                                     "a classifier is followed by a strategy and a figure, as in %s.illegal",
                                     scope->strategies[scope->n_strategies - 1]);
    }
    node.scope = SP_OF_COMPARISON;
    if (is_letter(*here) && sp_figure_find(SP_OF_COMPARISON, here, word_length(here)))
        return read_key(p, node, "the comparison has");
    char list[1024];
    return refuse(p, node.begin,
                  "there is no such strategy or figure; the strategies are %s; beside them there are "
                  "reference.illegal and the "
                  "like, mask_ceiling, nll, recordings, steps, scored_steps",
                  sp_name_list(list, sizeof list, scope->n_strategies, scope->strategies));
}

/* strtod would take "inf", "nan" and hexadecimal, and commas in some languages: the letters of a number are picked here. */
static int32_t read_number(parser *p)
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
    double number = strtod(copy, NULL);
    if (!isfinite(number))
        return refuse(p, p->at, "the number is too large");
    p->at += n;
    return add_node(p, (sp_gate_node){.kind = SP_GATE_NUMBER,
                                      .begin = p->at - n,
                                      .end = p->at,
                                      .left = -1,
                                      .right = -1,
                                      .number = number});
}

/* ---- operators ---- */

/* Those of a higher level bind tighter; a sign that begins like another comes after it. */
enum { COMPARISONS = 2, N_LEVELS = 5 };
static const struct {
    int level;
    const char *sign;
    sp_gate_kind kind;
} operators[] = {
    {0, "or", SP_GATE_OR},
    {1, "and", SP_GATE_AND},
    {COMPARISONS, "<=", SP_GATE_AT_MOST},
    {COMPARISONS, ">=", SP_GATE_AT_LEAST},
    {COMPARISONS, "==", SP_GATE_EQUAL},
    {COMPARISONS, "!=", SP_GATE_UNEQUAL},
    {COMPARISONS, "<", SP_GATE_LESS},
    {COMPARISONS, ">", SP_GATE_MORE},
    {3, "+", SP_GATE_ADD},
    {3, "-", SP_GATE_SUBTRACT},
    {4, "*", SP_GATE_MULTIPLY},
    {4, "/", SP_GATE_DIVIDE},
};

/* Steps over an operator of the level. A word must end there. */
static bool take_operator(parser *p, int level, sp_gate_kind *kind)
{
    skip_space(p);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (operators[i].level != level || !take(p, operators[i].sign))
            continue;
        char after = p->text[p->at];
        *kind = operators[i].kind;
        if (level >= COMPARISONS || !(is_letter(after) || is_digit(after) || after == '.' || after == ':'))
            return true;
        p->at -= strlen(operators[i].sign);
    }
    return false;
}

static bool is_truth(const parser *p, int32_t node)
{
    return node >= 0 && p->gate->nodes[node].kind >= SP_GATE_LESS;
}

static int32_t read_level(parser *p, int level);

static int32_t read_primary(parser *p)
{
    char c = skip_space(p);
    size_t begin = p->at;
    if (take(p, "(")) {
        int32_t inner = read_level(p, 0);
        skip_space(p);
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
    bool is_negated = take(p, "-");
    int32_t out = is_negated ? read_unary(p) : read_primary(p);
    if (is_negated)
        out =
            is_truth(p, out)
                ? refuse(p, begin, "a comparison has no sign")
                : add_node(
                      p, (sp_gate_node){
                             .kind = SP_GATE_NEGATE, .begin = begin, .end = p->at, .left = out, .right = -1});
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
                          wants_truth
                              ? "\"and\" and \"or\" join comparisons, as in a < b and c < d"
                              : "a comparison is not a number; \"a < b < c\" is written a < b and b < c");
    return add_node(
        p,
        (sp_gate_node){
            .kind = kind, .begin = nodes[left].begin, .end = nodes[right].end, .left = left, .right = right});
}

static int32_t read_level(parser *p, int level)
{
    if (level == N_LEVELS)
        return read_unary(p);
    int32_t left = read_level(p, level + 1);
    for (sp_gate_kind kind; take_operator(p, level, &kind);)
        left = join(p, kind, left, read_level(p, level + 1));
    bool is_single = level == COMPARISONS && p->status == SP_OK && p->text[p->at] == '=';
    return is_single ? refuse(p, p->at, "equal is written ==") : left;
}

sp_status sp_gate_read(sp_gate *gate, const sp_gate_scope *scope, sp_error *err)
{
    parser p = {.gate = gate, .scope = scope, .text = gate->text, .err = err, .status = SP_OK};
    while (p.status == SP_OK && skip_space(&p)) {
        if (take(&p, ";"))
            continue;
        size_t begin = p.at;
        int32_t root = read_level(&p, 0);
        char after = skip_space(&p);
        if (p.status == SP_OK && after && after != ';')
            refuse(&p, p.at, "an operator belongs here: + - * / < <= > >= == != and or");
        if (!is_truth(&p, root))
            refuse(&p, begin, "a gate is a comparison, as in viterbi.illegal > 0");
        gate->conditions[gate->n_conditions++] = root;
    }
    if (p.status == SP_OK && gate->n_conditions == 0)
        return sp_fail(err, SP_EINVAL, "the gate is empty; it is a comparison, as in viterbi.illegal > 0");
    return p.status;
}
