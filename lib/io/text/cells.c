#include "io/text/cells.h"

#include <string.h>

bool sp_cells_is_end(const char *p)
{
    return *p == '\0' || *p == '\n' || (*p == '\r' && (p[1] == '\n' || p[1] == '\0'));
}

static char *without_apostrophe(char *cell)
{
    const size_t n = strspn(cell, "'");
    return n > 0 && cell[n] && strchr("=+-@\t\r", cell[n]) ? cell + 1 : cell;
}

/* From behind the first quote; *end is where the cell ends once it is unquoted. */
static const char *read_quoted(sp_cells *c, char **end)
{
    char *from = c->at + 1, *to = from;
    for (;; from++) {
        if (*from == '\0')
            return "a quoted cell does not end; close it with \"";
        if (*from == '"' && *++from != '"')
            break;
        c->next_line += *from == '\n';
        *to++ = *from;
    }
    if (!sp_cells_is_end(from) && *from != c->delimiter)
        return "letters follow a closing quote; a quote inside a cell is written twice";
    c->at = from;
    *end = to;
    return NULL;
}

const char *sp_cells_next(sp_cells *c, char **cell, bool *is_last)
{
    while (c->delimiter == ' ' && *c->at == ' ')
        c->at++;
    const bool is_quoted = *c->at == '"';
    char *begin = c->at + is_quoted, *end;
    const char *fault = is_quoted ? read_quoted(c, &end) : NULL;
    if (fault)
        return fault;
    if (!is_quoted) {
        while (!sp_cells_is_end(c->at) && *c->at != c->delimiter)
            c->at++;
        end = c->at;
    }
    while (c->delimiter == ' ' && *c->at == ' ' && (c->at[1] == ' ' || sp_cells_is_end(c->at + 1)))
        c->at++;
    *is_last = sp_cells_is_end(c->at);
    c->at += *is_last && *c->at == '\r';
    c->next_line += *c->at == '\n';
    c->at += *c->at != '\0';
    *end = '\0';
    *cell = without_apostrophe(begin);
    return NULL;
}

void sp_cells_skip_empty_lines(sp_cells *c)
{
    if (strncmp(c->at, "\xEF\xBB\xBF", 3) == 0)
        c->at += 3;
    while (*c->at && sp_cells_is_end(c->at)) {
        c->at += *c->at == '\r';
        c->next_line += *c->at == '\n';
        c->at += *c->at == '\n';
    }
}
