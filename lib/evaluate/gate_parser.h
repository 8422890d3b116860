/* Reading a gate: the text, and how far it has been read; not installed. */
#ifndef EVALUATE_GATE_PARSER_H
#define EVALUATE_GATE_PARSER_H

#include "evaluate/gate.h"

typedef struct sp_gate_parser {
    sp_gate *gate;
    const sp_gate_scope *scope;
    const char *text;
    size_t at;
    int depth;
    sp_error *err;
    sp_status status; /* the first failure; nothing moves after it */
} sp_gate_parser;

static inline bool sp_gate_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static inline bool sp_gate_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static inline bool sp_gate_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* gate_parser.c */

void sp_gate_skip_space(sp_gate_parser *p);

/* Says what is wrong and shows the text from there on. Returns -1, the node that is none. */
int32_t sp_gate_refuse(sp_gate_parser *p, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The next thing is this operator: steps over it. */
bool sp_gate_take(sp_gate_parser *p, const char *operator);

/* The same for a word, which must end there. */
bool sp_gate_take_word(sp_gate_parser *p, const char *word);

/* Returns the node's number; -1 after a failure. */
int32_t sp_gate_add_node(sp_gate_parser *p, sp_gate_node node);

/* gate_names.c: the figure or number that stands here; its node. */
int32_t sp_gate_read_figure(sp_gate_parser *p);
int32_t sp_gate_read_number(sp_gate_parser *p);

/* gate_grammar.c: all conditions of the text. The answer is p->status. */
void sp_gate_read(sp_gate_parser *p);

#endif
