/* Small steps along the text of a gate. */
#include "evaluate/gate_parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sp_gate_skip_space(sp_gate_parser *p)
{
    while (sp_gate_is_space(p->text[p->at]))
        p->at++;
}

int32_t sp_gate_refuse(sp_gate_parser *p, size_t at, const char *format, ...)
{
    if (p->status != SP_OK)
        return -1;
    char what[SP_ERROR_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    size_t n = strcspn(p->text + at, ";");
    while (n > 0 && sp_gate_is_space(p->text[at + n - 1]))
        n--;
    if (n == 0)
        p->status = sp_fail(p->err, SP_EINVAL, "the gate ends too early: %s", what);
    else
        p->status = sp_fail(p->err, SP_EINVAL, "the gate at \"%.*s%s\": %s", n > 60 ? 60 : (int)n, p->text + at,
                            n > 60 ? "..." : "", what);
    return -1;
}

bool sp_gate_take(sp_gate_parser *p, const char *operator)
{
    sp_gate_skip_space(p);
    size_t n = strlen(operator);
    if (p->status != SP_OK || strncmp(p->text + p->at, operator, n) != 0)
        return false;
    p->at += n;
    return true;
}

bool sp_gate_take_word(sp_gate_parser *p, const char *word)
{
    sp_gate_skip_space(p);
    size_t n = strlen(word);
    if (p->status != SP_OK || strncmp(p->text + p->at, word, n) != 0)
        return false;
    char after = p->text[p->at + n];
    if (sp_gate_is_letter(after) || sp_gate_is_digit(after) || after == '.' || after == ':')
        return false;
    p->at += n;
    return true;
}

int32_t sp_gate_add_node(sp_gate_parser *p, sp_gate_node node)
{
    if (p->status != SP_OK)
        return -1;
    p->gate->nodes[p->gate->n_nodes] = node;
    return p->gate->n_nodes++;
}
