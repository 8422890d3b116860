/* What a gate's text names: strategies, classes, figures, and numbers. */
#include "evaluate/gate_parser.h"
#include "statepath/name_hint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
static bool read_quoted(sp_gate_parser *p, const char **name, size_t *length)
{
    char quote = p->text[p->at];
    const char *end = strchr(p->text + p->at + 1, quote);
    if (!end) {
        sp_gate_refuse(p, p->at, "the name does not end; a closing %c is missing", quote);
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
    while (sp_gate_is_letter(text[n]) || sp_gate_is_digit(text[n]))
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

/* "viterbi has no such figure; there are accuracy, kappa, ...; did you mean "accuracy"?" */
static int32_t refuse_figure(sp_gate_parser *p, sp_figure_scope scope, const char *word, size_t n, const char *what)
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
    return sp_gate_refuse(p, p->at, "%s no such figure; there are %s%s%s", what, list,
                          scope == SP_OF_STRATEGY ? ", and classes.NAME.f1 and the like" : "", hint);
}

/* The figure that stands here; its node. `what` it belongs to is for the message. */
static int32_t read_metric(sp_gate_parser *p, sp_gate_node node, const char *what)
{
    const char *word = p->text + p->at;
    size_t n = word_length(word);
    node.figure = sp_figure_find(node.scope, word, n);
    if (!node.figure || node.figure->place.type == SP_FIGURE_TEXT)
        return refuse_figure(p, node.scope, word, n, what);
    if (node.figure->needs >> SP_NEEDS_LABELS & 1 && !p->scope->has_labels)
        return sp_gate_refuse(p, p->at, "%s needs a reference, and there are no labels", node.figure->key);
    if (node.figure->needs >> SP_NEEDS_ARGMAX & 1 && !has_strategy(p->scope, "argmax"))
        return sp_gate_refuse(p, p->at, "%s counts against argmax, which is not among the strategies", node.figure->key);
    p->at += n;
    node.end = p->at;
    return sp_gate_add_node(p, node);
}

/* After "STRATEGY.classes." */
static int32_t read_class_metric(sp_gate_parser *p, sp_gate_node node)
{
    const sp_gate_scope *scope = p->scope;
    size_t start = p->at;
    node.scope = SP_OF_CLASS;
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
        return sp_gate_refuse(p, start, "there is no such class; the classes are %s", list);
    }
    if (p->text[p->at] != '.')
        return sp_gate_refuse(p, start, "a class is followed by a figure, as in %s.f1", scope->classes[node.class_index]);
    p->at++;
    return read_metric(p, node, "a class has");
}

/* After "STRATEGY". */
static int32_t read_strategy_metric(sp_gate_parser *p, sp_gate_node node)
{
    char what[160];
    if (p->text[p->at] != '.')
        return sp_gate_refuse(p, node.begin, "a strategy is followed by a figure, as in %s.illegal",
                              p->scope->strategies[node.strategy]);
    p->at++;
    if (strncmp(p->text + p->at, "classes.", 8) == 0) {
        p->at += 8;
        return read_class_metric(p, node);
    }
    node.scope = SP_OF_STRATEGY;
    snprintf(what, sizeof what, "%.120s has", p->scope->strategies[node.strategy]);
    return read_metric(p, node, what);
}

static int32_t refuse_strategy(sp_gate_parser *p, size_t at)
{
    char list[1024];
    list_names(list, sizeof list, p->scope->n_strategies, p->scope->strategies);
    return sp_gate_refuse(
        p, at,
        "there is no such strategy or figure; the strategies are %s; beside them there are reference.illegal and the like, "
        "mask_ceiling, nll, recordings, steps, scored_steps",
        list);
}

int32_t sp_gate_read_figure(sp_gate_parser *p)
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
        node.scope = SP_OF_REFERENCE;
        return read_metric(p, node, "the reference has");
    }
    size_t length = match_name(here, scope->n_strategies, scope->strategies, &node.strategy);
    if (length) {
        p->at += length;
        return read_strategy_metric(p, node);
    }
    size_t n = word_length(here);
    if (sp_figure_find(SP_OF_COMPARISON, here, n)) {
        node.scope = SP_OF_COMPARISON;
        return read_metric(p, node, "the comparison has");
    }
    return refuse_strategy(p, p->at);
}

/* strtod would take "inf", "nan" and hexadecimal, and commas in some languages: the letters of a number are picked here. */
int32_t sp_gate_read_number(sp_gate_parser *p)
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
    if (digits == 0 || sp_gate_is_letter(text[n]) || text[n] == '.' || n >= sizeof copy)
        return sp_gate_refuse(p, p->at, "this is not a number");
    memcpy(copy, text, n);
    copy[n] = '\0';
    double number = strtod(copy, NULL);
    if (!isfinite(number))
        return sp_gate_refuse(p, p->at, "the number is too large");
    sp_gate_node node = {.kind = SP_GATE_NUMBER, .begin = p->at, .end = p->at + n, .left = -1, .right = -1, .number = number};
    p->at += n;
    return sp_gate_add_node(p, node);
}
