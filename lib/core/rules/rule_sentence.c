/* A rule in plain English. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/model/durations.h"
#include "core/rules/rule_text.h"
#include "core/rules/rules.h"

typedef struct writer {
    char *out;
    size_t size, n;
} writer;

static void put(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = w->n < w->size ? vsnprintf(w->out + w->n, w->size - w->n, format, arguments) : 0;
    va_end(arguments);
    w->n += n > 0 ? (size_t)n : 0;
}

/* "REM", "N1 or N2", "any class but Wake" */
static void put_classes(writer *w, const sp_model *model, const uint8_t *set)
{
    int32_t n = 0, at = 0;
    for (int32_t k = 0; k < model->n_classes; k++)
        n += set[k];
    const bool is_but = n > 2 && n >= 2 * (model->n_classes - n), shown = !is_but;
    const int32_t listed = is_but ? model->n_classes - n : n;
    put(w, "%s", !is_but ? "" : listed == 0 ? "any class" : "any class but ");
    for (int32_t k = 0; k < model->n_classes; k++)
        if (set[k] == shown) {
            put(w, "%s%s",
                at == 0           ? ""
                : at + 1 < listed ? ", "
                : is_but          ? " and "
                                  : " or ",
                model->classes[k]);
            at++;
        }
}

static void put_count(writer *w, const sp_model *model, const sp_rule_text *rule, const char *bound)
{
    char length[40];
    const bool is_one = rule->length.value == 1 && !rule->length.is_seconds;
    if (rule->counts_runs)
        put(w, "%s %g run%s of ", bound, rule->length.value, is_one ? "" : "s");
    else
        put(w, "%s %s of ", bound, sp_length_text(length, sizeof length, rule->length));
    put_classes(w, model, rule->of);
    if (rule->other) {
        put(w, " from the first ");
        put_classes(w, model, rule->other);
        put(w, " on");
    }
}

static void put_place(writer *w, const sp_model *model, const sp_rule_text *rule, bool is_before)
{
    char length[40];
    put(w, "no ");
    put_classes(w, model, rule->of);
    if (is_before)
        put(w, " in the first %s", sp_length_text(length, sizeof length, rule->length));
    else
        put(w, " later than %s after the ", sp_length_text(length, sizeof length, rule->length));
    if (rule->other) {
        put(w, is_before ? " from the first " : "first ");
        put_classes(w, model, rule->other);
        put(w, is_before ? " on, nor before it" : "");
    } else if (!is_before) {
        put(w, "first step");
    }
}

static void put_every(writer *w, const sp_model *model, const sp_rule_text *rule, const char *where)
{
    put(w, "%s every step of ", where);
    put_classes(w, model, rule->of);
    put(w, " there is one of ");
    put_classes(w, model, rule->other);
    put(w, ", somewhere");
}

/* The text without its keyword. */
static const char *without_word(const char *text)
{
    text += strspn(text, " \t\n");
    text += strcspn(text, " \t\n([.'");
    return text + strspn(text, " \t\n");
}

static void put_form(writer *w, const sp_model *model, const sp_rule *rule, const sp_rule_text *text)
{
    switch (text->form) {
    case SP_RULE_NEVER:
        put(w, "no stretch of neighbouring steps is %s", without_word(rule->text));
        break;
    case SP_RULE_AT_LEAST:
        put_count(w, model, text, "at least");
        break;
    case SP_RULE_AT_MOST:
        put_count(w, model, text, "at most");
        break;
    case SP_RULE_NOT_BEFORE:
        put_place(w, model, text, true);
        break;
    case SP_RULE_NOT_AFTER:
        put_place(w, model, text, false);
        break;
    case SP_RULE_FIRST:
    case SP_RULE_LAST:
        put(w, text->form == SP_RULE_FIRST ? "it begins with " : "it ends with ");
        put_classes(w, model, text->of);
        break;
    case SP_RULE_FOLLOWED:
        put_every(w, model, text, "after");
        break;
    case SP_RULE_PRECEDED:
        put_every(w, model, text, "before");
        break;
    default:
        if (text->is_order)
            put(w, "it is one run of each of %s, in this order, and nothing else", without_word(rule->text));
        else
            put(w, "the whole is %s", rule->text);
    }
}

char *sp_rule_sentence(const sp_model *model, int32_t r, char *out, size_t size)
{
    const sp_rule *rule = &model->rules[r];
    writer w = {out, size, 0};
    sp_rule_text text;
    *out = 0;
    if (sp_rule_parse(model, rule->name, rule->text, &text, NULL) == SP_OK)
        put_form(&w, model, rule, &text);
    if (isfinite(rule->cost))
        put(&w, "; each violation costs %g nats", rule->cost);
    if (rule->may_at_gap)
        put(&w, "; what is missing may have been in a gap");
    sp_rule_text_clear(&text);
    return out;
}
