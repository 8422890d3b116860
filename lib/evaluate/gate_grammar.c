/* Recursive descent, one function a level of the grammar; a node an operator, a number or a figure. Nothing here recurses deeper
 * than DEPTH. */
#include "evaluate/gate_parser.h"

enum { DEPTH = 100 };

static bool is_truth(const sp_gate_parser *p, int32_t node)
{
    return node >= 0 && p->gate->nodes[node].kind >= SP_GATE_LESS;
}

static int32_t read_or(sp_gate_parser *p);

static int32_t read_primary(sp_gate_parser *p)
{
    sp_gate_skip_space(p);
    size_t begin = p->at;
    char c = p->text[p->at];
    if (c == '(') {
        p->at++;
        int32_t inner = read_or(p);
        if (!sp_gate_take(p, ")"))
            return sp_gate_refuse(p, p->at, "a closing parenthesis is missing");
        p->gate->nodes[inner].begin = begin; /* the parentheses are shown with it */
        p->gate->nodes[inner].end = p->at;
        return inner;
    }
    if (sp_gate_is_digit(c) || c == '.')
        return sp_gate_read_number(p);
    if (sp_gate_is_letter(c) || c == '"' || c == '\'')
        return sp_gate_read_figure(p);
    return sp_gate_refuse(p, p->at,
                          c ? "a number or a figure belongs here, such as viterbi.accuracy"
                            : "a number or a figure is missing, such as viterbi.accuracy");
}

static int32_t read_unary(sp_gate_parser *p)
{
    sp_gate_skip_space(p);
    size_t begin = p->at;
    if (p->depth >= DEPTH)
        return sp_gate_refuse(p, p->at, "more than %d levels of parentheses and signs", DEPTH);
    p->depth++;
    int32_t out;
    if (sp_gate_take(p, "-")) {
        int32_t inner = read_unary(p);
        out = is_truth(p, inner)
                  ? sp_gate_refuse(p, begin, "a comparison has no sign")
                  : sp_gate_add_node(
                        p, (sp_gate_node){.kind = SP_GATE_NEGATE, .begin = begin, .end = p->at, .left = inner, .right = -1});
    } else {
        out = read_primary(p);
    }
    p->depth--;
    return out;
}

static int32_t join(sp_gate_parser *p, sp_gate_kind kind, int32_t left, int32_t right)
{
    if (p->status != SP_OK)
        return -1;
    const sp_gate_node *nodes = p->gate->nodes;
    bool wants_truth = kind == SP_GATE_AND || kind == SP_GATE_OR;
    const int32_t sides[2] = {left, right};
    for (int i = 0; i < 2; i++)
        if (is_truth(p, sides[i]) != wants_truth)
            return sp_gate_refuse(p, nodes[sides[i]].begin,
                                  wants_truth ? "\"and\" and \"or\" join comparisons, as in a < b and c < d"
                                              : "a comparison is not a number; \"a < b < c\" is written a < b and b < c");
    return sp_gate_add_node(
        p, (sp_gate_node){.kind = kind, .begin = nodes[left].begin, .end = nodes[right].end, .left = left, .right = right});
}

static int32_t read_product(sp_gate_parser *p)
{
    int32_t left = read_unary(p);
    for (;;) {
        sp_gate_kind kind = sp_gate_take(p, "*") ? SP_GATE_MULTIPLY : sp_gate_take(p, "/") ? SP_GATE_DIVIDE : SP_GATE_NUMBER;
        if (kind == SP_GATE_NUMBER)
            return left;
        left = join(p, kind, left, read_unary(p));
    }
}

static int32_t read_sum(sp_gate_parser *p)
{
    int32_t left = read_product(p);
    for (;;) {
        sp_gate_kind kind = sp_gate_take(p, "+") ? SP_GATE_ADD : sp_gate_take(p, "-") ? SP_GATE_SUBTRACT : SP_GATE_NUMBER;
        if (kind == SP_GATE_NUMBER)
            return left;
        left = join(p, kind, left, read_product(p));
    }
}

static int32_t read_comparison(sp_gate_parser *p)
{
    static const struct {
        const char *sign;
        sp_gate_kind kind;
    } signs[] = {{"<=", SP_GATE_AT_MOST}, {">=", SP_GATE_AT_LEAST}, {"==", SP_GATE_EQUAL},
                 {"!=", SP_GATE_UNEQUAL}, {"<", SP_GATE_LESS},      {">", SP_GATE_MORE}};
    int32_t left = read_sum(p);
    for (;;) {
        size_t i = 0;
        while (i < sizeof signs / sizeof *signs && !sp_gate_take(p, signs[i].sign))
            i++;
        if (i == sizeof signs / sizeof *signs)
            break;
        left = join(p, signs[i].kind, left, read_sum(p));
    }
    return p->status == SP_OK && p->text[p->at] == '=' ? sp_gate_refuse(p, p->at, "equal is written ==") : left;
}

static int32_t read_and(sp_gate_parser *p)
{
    int32_t left = read_comparison(p);
    while (sp_gate_take_word(p, "and"))
        left = join(p, SP_GATE_AND, left, read_comparison(p));
    return left;
}

static int32_t read_or(sp_gate_parser *p)
{
    int32_t left = read_and(p);
    while (sp_gate_take_word(p, "or"))
        left = join(p, SP_GATE_OR, left, read_and(p));
    return left;
}

void sp_gate_read(sp_gate_parser *p)
{
    sp_gate *gate = p->gate;
    for (;;) {
        sp_gate_skip_space(p);
        if (!p->text[p->at])
            break;
        if (sp_gate_take(p, ";"))
            continue;
        size_t begin = p->at;
        int32_t root = read_or(p);
        sp_gate_skip_space(p);
        if (p->status == SP_OK && p->text[p->at] && p->text[p->at] != ';')
            sp_gate_refuse(p, p->at, "an operator belongs here: + - * / < <= > >= == != and or");
        if (p->status == SP_OK && !is_truth(p, root))
            sp_gate_refuse(p, begin, "a gate is a comparison, as in viterbi.illegal > 0");
        if (p->status != SP_OK)
            return;
        gate->conditions[gate->n_conditions++] = root;
    }
    if (gate->n_conditions == 0)
        p->status = sp_fail(p->err, SP_EINVAL, "the gate is empty; it is a comparison, as in viterbi.illegal > 0");
}
