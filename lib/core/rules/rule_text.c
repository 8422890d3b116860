#include "core/rules/rule_text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/model/durations.h"
#include "core/model/model.h"
#include "core/names.h"
#include "core/try.h"

/*     rule        = expression | "never" expression | ("at_least" | "at_most") length ["runs" "of"] classes [from]
 *                 | ("not_before" | "not_after") length classes [from] | ("first" | "last") classes
 *                 | "every" classes ("followed_by" | "preceded_by") classes | "order" "[" class {class} "]"
 *     from        = "from" "first" classes
 *     expression  = sequence {"|" sequence}
 *     sequence    = item {[","] item}
 *     item        = (classes | "." | "(" expression ")") ["*" | "+" | "?" | "{" length ["," [length]] "}"]
 *     classes     = class | "[" ["^"] class {[","] class} "]"                                                                 */
typedef struct parser {
    const sp_model *model;
    const char *name, *text, *at;
    sp_rule_text *out;
    sp_error *err;
    int32_t depth;
    const char *keyword; /* the last one that was read and is the name of a class too; or NULL */
} parser;

enum { DEEPEST = 100, LONGEST_WORD = 256 };

/* ---- words ---- */

/* What was expected at `at`, with the line and a caret below it. */
static sp_status fail_at(const parser *p, const char *at, const char *sentence)
{
    const char *line = p->text, *end;
    char hint[100] = "";
    int32_t n_line = 1;
    int column = 1;
    for (const char *c = p->text; c < at; c++)
        if (*c == '\n') {
            line = c + 1;
            n_line++;
        }
    for (const char *c = line; c < at; c++)
        column += (*c & 0xC0) != 0x80; /* bytes that go on a character of UTF-8 */
    for (end = at; *end && *end != '\n';)
        end++;
    if (p->keyword)
        snprintf(hint, sizeof hint,
                 "; %s is a keyword here, and the class of that name stands in quotes: '%s'", p->keyword,
                 p->keyword);
    return sp_fail(p->err, SP_EMODEL, "rule %s: line %d, column %d: %s%s\n  %.*s\n  %*s", p->name, n_line,
                   column, sentence, hint, (int)(end - line), line, column, "^");
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("_-./", c)) || (unsigned char)c >= 0x80;
}

static void skip_blanks(parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

static bool take(parser *p, char c)
{
    skip_blanks(p);
    if (*p->at != c)
        return false;
    p->at++;
    return true;
}

/* Letters and digits from here on, without quotes; "" where there are none. */
static size_t word_here(parser *p)
{
    size_t n = 0;
    skip_blanks(p);
    while (is_word(p->at[n]))
        n++;
    return n;
}

static bool take_word(parser *p, const char *word)
{
    const size_t n = word_here(p);
    if (n != strlen(word) || strncmp(p->at, word, n) != 0)
        return false;
    p->at += n;
    if (sp_model_class(p->model, word, true) >= 0)
        p->keyword = word;
    return true;
}

static sp_status fail_expected(parser *p, const char *what)
{
    char sentence[128], found[24] = "the rule ends here";
    const size_t n = word_here(p);
    if (*p->at)
        snprintf(found, sizeof found, "here is %.*s", n > 8 ? 8 : n > 0 ? (int)n : 1, p->at);
    snprintf(sentence, sizeof sentence, "%s is expected, but %s", what, found);
    return fail_at(p, p->at, sentence);
}

/* ---- classes ---- */

static sp_status take_class(parser *p, uint8_t *set)
{
    char word[LONGEST_WORD], sentence[600], hint[LONGEST_WORD + 40];
    size_t n = word_here(p), size = 0;
    const char *first = p->at;
    if (*p->at == '\'') {
        for (p->at++; *p->at && (*p->at != '\'' || p->at[1] == '\''); p->at++) {
            p->at += *p->at == '\'';
            if (size + 1 < sizeof word)
                word[size++] = *p->at;
        }
        if (!take(p, '\''))
            return fail_at(p, first, "this quote has no end");
    } else if (n > 0) {
        size = n < sizeof word ? n : sizeof word - 1;
        memcpy(word, first, size);
        p->at += n;
    } else {
        return fail_expected(p, "a class");
    }
    word[size] = 0;
    const int32_t k = sp_model_class(p->model, word, true);
    if (k < 0) {
        const char *const *names = (const char *const *)p->model->classes;
        char list[240];
        snprintf(sentence, sizeof sentence, "\"%.60s\" is no class of model %.60s: %s%s", word,
                 p->model->name, sp_name_list(list, sizeof list, p->model->n_classes, names),
                 sp_name_hint(hint, sizeof hint, word, p->model->n_classes, names));
        return fail_at(p, first, sentence);
    }
    set[k] = 1;
    return SP_OK;
}

static uint8_t *new_set(parser *p)
{
    return sp_zeros(&p->out->own, (size_t)p->model->n_classes, 1);
}

/* A class, or those in brackets. *set: out. */
static sp_status take_classes(parser *p, uint8_t **set)
{
    sp_status status = SP_OK;
    TRY((*set = new_set(p)) ? SP_OK : sp_no_memory(p->err));
    if (!take(p, '['))
        return take_class(p, *set);
    const char *opening = p->at - 1;
    const bool is_but = take(p, '^');
    do {
        TRY(take_class(p, *set));
        take(p, ',');
    } while (!take(p, ']'));
    for (int32_t k = 0; is_but && k < p->model->n_classes; k++)
        (*set)[k] = !(*set)[k];
    if (!memchr(*set, 1, (size_t)p->model->n_classes))
        TRY(fail_at(p, opening, "no class is left here"));
done:
    return status;
}

/* ---- lengths ---- */

static sp_status take_length(parser *p, sp_length *out)
{
    const size_t n = word_here(p);
    if (!sp_length_parse(p->at, n, out))
        return fail_expected(p, "a number of steps, or a time such as 90s, 15min, 1h,");
    if (out->value == 0)
        *out = (sp_length){0, false};
    if (!out->is_seconds && (out->value != floor(out->value) || out->value > SP_RULE_MOST_STEPS))
        return fail_at(p, p->at, "a number of steps is whole, and a million at most");
    if (out->is_seconds && out->value > SP_RULE_MOST_SECONDS)
        return fail_at(p, p->at, "a time in a rule is a million hours at most");
    p->out->lengths[p->out->n_lengths++] = (sp_rule_length){(size_t)(p->at - p->text), n, *out};
    p->at += n;
    return SP_OK;
}

/* ---- expressions ---- */

static sp_status take_expression(parser *p, int32_t *out);

static int32_t new_node(parser *p, sp_rule_node node)
{
    p->out->nodes[p->out->n_nodes] = node;
    return p->out->n_nodes++;
}

static sp_status take_atom(parser *p, int32_t *out)
{
    sp_status status = SP_OK;
    uint8_t *set;
    if (take(p, '(')) {
        const char *opening = p->at - 1;
        if (++p->depth > DEEPEST)
            return fail_at(p, opening, "parentheses lie too deep in each other");
        TRY(take_expression(p, out));
        p->depth--;
        if (!take(p, ')'))
            TRY(*p->at ? fail_expected(p, "a class, an operator or )")
                       : fail_at(p, opening, "this parenthesis has no end"));
        return SP_OK;
    }
    if (word_here(p) == 1 && *p->at == '.' && sp_model_class(p->model, ".", true) < 0) {
        p->at++;
        TRY((set = new_set(p)) ? SP_OK : sp_no_memory(p->err));
        memset(set, 1, (size_t)p->model->n_classes);
    } else {
        TRY(take_classes(p, &set));
    }
    *out = new_node(p, (sp_rule_node){.kind = SP_RULE_SET, .set = set});
done:
    return status;
}

/* What may stand behind an item: how often. */
static sp_status take_times(parser *p, int32_t *item)
{
    sp_rule_node node = {.kind = SP_RULE_REPEAT, .left = *item, .is_unbounded = true};
    sp_status status = SP_OK;
    skip_blanks(p);
    const char *first = p->at;
    if (take(p, '+')) {
        node.min.value = 1;
    } else if (take(p, '?')) {
        node.max.value = 1;
        node.is_unbounded = false;
    } else if (take(p, '{')) {
        TRY(take_length(p, &node.min));
        node.max = node.min;
        node.is_unbounded = take(p, ',') && take(p, '}');
        if (!node.is_unbounded && p->at[-1] == ',')
            TRY(take_length(p, &node.max));
        if (!node.is_unbounded && !take(p, '}'))
            TRY(fail_expected(p, "}"));
        if (!node.is_unbounded && node.min.is_seconds == node.max.is_seconds &&
            node.max.value < node.min.value)
            TRY(fail_at(p, first, "the second number is less than the first"));
    } else if (!take(p, '*')) {
        return SP_OK;
    }
    *item = new_node(p, node);
    skip_blanks(p);
    if (*p->at && strchr("*+?{", *p->at))
        TRY(fail_at(p, p->at, "this is the second \"how often\" in a row; put the first into parentheses"));
done:
    return status;
}

static bool ends_here(parser *p)
{
    skip_blanks(p);
    return !*p->at || *p->at == ')' || *p->at == '|';
}

static sp_status take_expression(parser *p, int32_t *out)
{
    sp_status status = SP_OK;
    int32_t either = -1;
    do {
        int32_t sequence = -1, item;
        do {
            TRY(take_atom(p, &item));
            TRY(take_times(p, &item));
            sequence =
                sequence < 0
                    ? item
                    : new_node(p, (sp_rule_node){.kind = SP_RULE_SEQUENCE, .left = sequence, .right = item});
        } while (take(p, ',') || !ends_here(p));
        either = either < 0
                     ? sequence
                     : new_node(p, (sp_rule_node){.kind = SP_RULE_EITHER, .left = either, .right = sequence});
    } while (take(p, '|'));
    *out = either;
done:
    return status;
}

/* ---- short forms ---- */

/* order [a, b, c] is a+ b+ c+. */
static sp_status take_order(parser *p)
{
    sp_status status = SP_OK;
    sp_rule_text *out = p->out;
    const uint8_t *before = NULL;
    if (!take(p, '['))
        TRY(fail_expected(p, "["));
    out->root = -1;
    do {
        uint8_t *set = new_set(p);
        TRY(set ? SP_OK : sp_no_memory(p->err));
        skip_blanks(p);
        const char *first = p->at;
        TRY(take_class(p, set));
        if (before && memcmp(before, set, (size_t)p->model->n_classes) == 0)
            TRY(fail_at(p, first,
                        "the class before is the same, and two runs of one class are never neighbours"));
        before = set;
        int32_t one = new_node(p, (sp_rule_node){.kind = SP_RULE_SET, .set = set});
        one = new_node(
            p, (sp_rule_node){.kind = SP_RULE_REPEAT, .left = one, .min = {1, false}, .is_unbounded = true});
        out->root =
            out->root < 0
                ? one
                : new_node(p, (sp_rule_node){.kind = SP_RULE_SEQUENCE, .left = out->root, .right = one});
        take(p, ',');
    } while (!take(p, ']'));
done:
    return status;
}

static sp_status take_counted(parser *p, bool has_runs)
{
    sp_status status = SP_OK;
    TRY(take_length(p, &p->out->length));
    if (has_runs && !p->out->length.is_seconds && (take_word(p, "runs") || take_word(p, "run"))) {
        p->out->counts_runs = true;
        if (!take_word(p, "of"))
            TRY(fail_expected(p, "of"));
    }
    TRY(take_classes(p, &p->out->of));
    if (take_word(p, "from")) {
        if (!take_word(p, "first"))
            TRY(fail_expected(p, "first"));
        TRY(take_classes(p, &p->out->other));
    }
done:
    return status;
}

static sp_status take_every(parser *p)
{
    sp_status status = SP_OK;
    TRY(take_classes(p, &p->out->of));
    if (take_word(p, "followed_by"))
        p->out->form = SP_RULE_FOLLOWED;
    else if (take_word(p, "preceded_by"))
        p->out->form = SP_RULE_PRECEDED;
    else
        TRY(fail_expected(p, "followed_by or preceded_by"));
    TRY(take_classes(p, &p->out->other));
done:
    return status;
}

static sp_status take_rule(parser *p)
{
    static const char *const keywords[] = {[SP_RULE_NEVER] = "never",
                                           [SP_RULE_AT_LEAST] = "at_least",
                                           [SP_RULE_AT_MOST] = "at_most",
                                           [SP_RULE_NOT_BEFORE] = "not_before",
                                           [SP_RULE_NOT_AFTER] = "not_after",
                                           [SP_RULE_FIRST] = "first",
                                           [SP_RULE_LAST] = "last"};
    sp_rule_text *out = p->out;
    if (take_word(p, "every"))
        return take_every(p);
    if ((out->is_order = take_word(p, "order")))
        return take_order(p);
    for (int form = SP_RULE_NEVER; form <= SP_RULE_LAST && out->form == SP_RULE_EXPRESSION; form++)
        if (take_word(p, keywords[form]))
            out->form = (sp_rule_form)form;
    switch (out->form) {
    case SP_RULE_FIRST:
    case SP_RULE_LAST:
        return take_classes(p, &out->of);
    case SP_RULE_AT_LEAST:
    case SP_RULE_AT_MOST:
        return take_counted(p, true);
    case SP_RULE_NOT_BEFORE:
    case SP_RULE_NOT_AFTER:
        return take_counted(p, false);
    default:
        return take_expression(p, &out->root);
    }
}

sp_status sp_rule_parse(const sp_model *model, const char *name, const char *text, sp_rule_text *out,
                        sp_error *err)
{
    parser p = {.model = model, .name = name, .text = text, .at = text, .out = out, .err = err};
    sp_status status = SP_OK;
    *out = (sp_rule_text){.root = -1};
    out->nodes =
        sp_zeros(&out->own, 3 * strlen(text) + 3, sizeof *out->nodes); /* a character makes three at most */
    out->lengths = sp_zeros(&out->own, strlen(text) + 1, sizeof *out->lengths);
    TRY(sp_owned_status(&out->own, err));
    TRY(take_rule(&p));
    skip_blanks(&p);
    if (*p.at)
        TRY(fail_expected(&p, "the end of the rule"));
done:
    return status;
}

void sp_rule_text_clear(sp_rule_text *rule)
{
    sp_owned_free(&rule->own);
}
