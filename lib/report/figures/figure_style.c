#include "report/figures/figure_style.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Text from .. to-1. */
typedef struct span {
    const char *from, *to;
} span;

static span trimmed(span s)
{
    while (s.from < s.to && strchr(" \n\t", *s.from))
        s.from++;
    while (s.to > s.from && strchr(" \n\t", s.to[-1]))
        s.to--;
    return s;
}

static bool begins(span s, const char *with)
{
    return (size_t)(s.to - s.from) >= strlen(with) && strncmp(s.from, with, strlen(with)) == 0;
}

/* The value of "--name:" in the block of variables; from NULL: it has none. */
static span variable(span variables, span name)
{
    const size_t n = (size_t)(name.to - name.from);
    for (const char *at = variables.from; at + n < variables.to; at++)
        if (strncmp(at, name.from, n) == 0 && at[n] == ':') {
            const char *end = at + n;
            while (end < variables.to && *end != ';')
                end++;
            return trimmed((span){at + n + 1, end});
        }
    return (span){NULL, NULL};
}

/* var(--name) and var(--name, other) */
static const char *add_variable(sp_buffer *out, span variables, const char *at)
{
    const char *name = at + strlen("var("), *end = strchr(name, ')'), *comma = memchr(name, ',', (size_t)(end - name));
    span value = variable(variables, (span){name, comma ? comma : end});
    if (!value.from && comma)
        value = trimmed((span){comma + 1, end});
    if (value.from)
        sp_buffer_add(out, value.from, (size_t)(value.to - value.from));
    return end + 1;
}

/* A value with its variables. */
static void add_resolved(sp_buffer *out, span variables, span value)
{
    while (value.from < value.to) {
        if (begins(value, "var("))
            value.from = add_variable(out, variables, value.from);
        else
            sp_buffer_add(out, value.from++, 1);
    }
}

static const char mix[] = "color-mix(in srgb, #%6x %lf%%, #%6x)";

/* Without mixed colours and rem. */
static void add_plain(sp_buffer *out, const char *value)
{
    unsigned a, b;
    double share;
    char *end;
    if (sscanf(value, mix, &a, &share, &b) == 3) {
        sp_buffer_text(out, "#");
        for (int shift = 16; shift >= 0; shift -= 8) {
            const double x = (a >> shift) & 255, y = (b >> shift) & 255;
            sp_buffer_format(out, "%02x", (unsigned)(y + (x - y) * share / 100 + 0.5));
        }
        return;
    }
    const double n = strtod(value, &end);
    if (end > value && strcmp(end, "rem") == 0)
        sp_buffer_format(out, "%dpx", (int)(16 * n + 0.5));
    else
        sp_buffer_text(out, value);
}

static bool is_kept(span name)
{
    static const char *const kept[] = {"fill",        "stroke",        "opacity",    "font-size", "font-weight",
                                       "text-anchor", "vector-effect", "stop-color", "overflow"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (begins(name, kept[i]))
            return true;
    return false;
}

/* "selector{fill:#000;...}" where anything is left of it. */
static void add_rule(sp_buffer *out, span variables, span selector, span block)
{
    sp_buffer declarations = {0};
    for (const char *at = block.from; at < block.to;) {
        const char *end = memchr(at, ';', (size_t)(block.to - at));
        end = end ? end : block.to;
        const char *colon = memchr(at, ':', (size_t)(end - at));
        const span name = trimmed((span){at, colon ? colon : at});
        if (colon && is_kept(name)) {
            sp_buffer value = {0};
            add_resolved(&value, variables, trimmed((span){colon + 1, end}));
            sp_buffer_add(&declarations, name.from, (size_t)(name.to - name.from));
            sp_buffer_text(&declarations, ":");
            add_plain(&declarations, value.data ? value.data : "");
            sp_buffer_text(&declarations, ";");
            out->failed |= value.failed;
            sp_buffer_free(&value);
        }
        at = end + 1;
    }
    if (declarations.length) {
        for (const char *c = selector.from; c < selector.to; c++)
            sp_buffer_text(out, *c == '>' ? "&gt;" : (const char[]){*c, 0});
        sp_buffer_format(out, "{%s}\n", declarations.data);
    }
    out->failed |= declarations.failed;
    sp_buffer_free(&declarations);
}

/* Past the block that begins at `at`, blocks in it included. */
static const char *past_block(const char *at)
{
    int depth = 0;
    for (; *at; at++) {
        depth += *at == '{';
        if (*at == '}' && --depth == 0)
            return at + 1;
    }
    return at;
}

void sp_figure_style(const char *css, sp_buffer *out)
{
    const char *root = strstr(css, ":root {");
    const span variables = {root, root ? past_block(root) : css};
    if (!root)
        return;
    const char *first = strstr(css, "\nfigure {");
    for (const char *at = first ? first : css; *at;) {
        if (strncmp(at, "/*", 2) == 0) {
            at = strstr(at, "*/") + 2;
            continue;
        }
        const char *open = strchr(at, '{'), *comment = strstr(at, "/*");
        if (!open)
            break;
        if (comment && comment < open) {
            at = comment;
            continue;
        }
        const span selector = trimmed((span){at, open});
        const char *end = past_block(open);
        if (!begins(selector, "@") && !memchr(selector.from, ':', (size_t)(selector.to - selector.from)))
            add_rule(out, variables, selector, (span){open + 1, end - 1});
        at = end;
    }
    sp_buffer_text(out, ".broad{fill:none}\n");
}
