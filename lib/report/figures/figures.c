/* The figures of a page as files: the page is written, and each <figure> with a drawing is taken out of it, with the styles that
 * it needs. What the script does for one figure (assets/pictures.js) is done here for all; colours are the light ones. */
#include "report/figures/figure_style.h"
#include "report/html/assets.h"
#include "report/write/buffer.h"
#include "statepath/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pixels of a picture of tracks: its width, that of the names before and of the classes after a track. */
enum { WIDTH = 1000, NAMES = 180, CLASSES = 70, GAP = 8, TITLE = 30 };

/* A piece of the page. */
typedef struct piece {
    const char *from, *to; /* to: past its end */
} piece;

static const char *find(const char *from, const char *to, const char *what)
{
    const size_t n = strlen(what);
    for (const char *at = from; at && at < to && (size_t)(to - at) >= n; at++)
        if (strncmp(at, what, n) == 0)
            return at;
    return NULL;
}

/* What stands between the first `before` and the `after` that follows it; from NULL: there is none. */
static piece between(piece in, const char *before, const char *after)
{
    const char *from = find(in.from, in.to, before);
    from = from ? from + strlen(before) : NULL;
    const char *to = from ? find(from, in.to, after) : NULL;
    return to ? (piece){from, to} : (piece){NULL, NULL};
}

/* The first element `name` with all that is in it, others of its name too. */
static piece element(piece in, const char *name)
{
    char begin[16] = "<", end[16] = "</";
    strcat(begin, name);
    strcat(end, name);
    const char *from = find(in.from, in.to, begin), *at = from;
    for (int depth = 0; at && at < in.to; at++) {
        if (strncmp(at, begin, strlen(begin)) == 0)
            depth++;
        else if (strncmp(at, end, strlen(end)) == 0 && --depth == 0)
            return (piece){from, strchr(at, '>') + 1};
    }
    return (piece){NULL, NULL};
}

static long number(piece in, const char *attribute)
{
    const piece value = between(in, attribute, "\"");
    return value.from ? strtol(value.from, NULL, 10) : 0;
}

/* A drawing at its place. A path that a <use> repeats is written twice: few programs know the styles of what is repeated. */
static void add_drawing(sp_buffer *out, piece svg, long x, long y, long width, long height)
{
    static const char use[] = "<use class=\"broad\"", line[] = "class=\"run\" d=\"";
    const char *at = svg.from + strlen("<svg"), *next;
    sp_buffer_format(out, "<svg x=\"%ld\" y=\"%ld\" width=\"%ld\" overflow=\"visible\"", x, y, width);
    if (!find(svg.from, strchr(svg.from, '>'), " height=\""))
        sp_buffer_format(out, " height=\"%ld\"", height);
    while ((next = find(at, svg.to, use)) != NULL) {
        const piece path = between((piece){at, next}, line, "\"");
        sp_buffer_add(out, at, (size_t)(next - at));
        if (path.from) {
            sp_buffer_text(out, "<path class=\"broad\" d=\"");
            sp_buffer_add(out, path.from, (size_t)(path.to - path.from));
            sp_buffer_text(out, "\"/>");
        }
        at = strchr(next, '>') + 1;
    }
    sp_buffer_add(out, at, (size_t)(svg.to - at));
    sp_buffer_text(out, "\n");
}

static void add_piece(sp_buffer *out, piece text)
{
    if (text.from)
        sp_buffer_add(out, text.from, (size_t)(text.to - text.from));
}

/* Names, drawings and classes of all tracks; returns the height. */
static long add_tracks(sp_buffer *out, piece figure, piece title)
{
    static const char track[] = "<div class=\"track\">";
    long y = TITLE;
    sp_buffer_text(out, "<text y=\"16\" font-size=\"14\" font-weight=\"600\">");
    add_piece(out, title);
    sp_buffer_text(out, "</text>\n");
    for (const char *at = figure.from; (at = find(at, figure.to, track)) != NULL; at += strlen(track)) {
        const piece rest = {at, figure.to}, name = between(rest, "<div class=\"name", "</div>");
        const piece drawing = element(rest, "svg"), classes = element((piece){drawing.to, figure.to}, "svg");
        const long height = number(drawing, " height=\"");
        const char *text = name.from ? find(name.from, name.to, ">") : NULL,
                   *small = text ? find(text, name.to, "<small>") : NULL;
        if (!drawing.from || !classes.from || !text)
            break;
        sp_buffer_format(out, "<text y=\"%ld\" font-size=\"13\" font-weight=\"600\">", y + 18);
        add_piece(out, (piece){text + 1, small ? small : name.to});
        sp_buffer_format(out, "</text><text y=\"%ld\" font-size=\"10\">", y + 33);
        add_piece(out, between((piece){text, name.to}, "<small>", "</small>"));
        sp_buffer_text(out, "</text>");
        add_drawing(out, drawing, NAMES, y, WIDTH - NAMES - CLASSES, height);
        add_drawing(out, classes, WIDTH - CLASSES + 6, y, CLASSES - 6, height);
        y += height + GAP;
    }
    return y;
}

/* ---- a picture ---- */

typedef struct pictures {
    piece page;
    sp_buffer style, shapes; /* of every picture */
    sp_report_figure *call;
    void *arg;
    int n; /* of the section so far */
    piece section;
} pictures;

static sp_status hand_out(pictures *p, sp_buffer *picture, sp_error *err)
{
    char name[96], *text = NULL;
    sp_buffer whole = {0};
    snprintf(name, sizeof name, "%.*s-%d", (int)(p->section.to - p->section.from), p->section.from, ++p->n);
    whole.failed = picture->failed;
    sp_buffer_text(&whole, picture->data);
    sp_buffer_free(picture);
    sp_status status = sp_buffer_finish(&whole, &text, err);
    if (status == SP_OK)
        status = p->call(p->arg, name, text, err);
    free(text);
    return status;
}

static void begin(const pictures *p, sp_buffer *out, piece class, long width, long height)
{
    sp_buffer_text(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"");
    add_piece(out, class);
    sp_buffer_format(out,
                     "\" width=\"%ld\" height=\"%ld\" viewBox=\"0 0 %ld %ld\" font-family=\"system-ui, sans-serif\">\n<style>\n",
                     width, height, width, height);
    sp_buffer_text(out, p->style.data);
    sp_buffer_text(out, "</style>\n<defs>");
    sp_buffer_text(out, p->shapes.data);
    sp_buffer_text(out, "</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
}

static sp_status write_tracks(pictures *p, piece figure, piece title, sp_error *err)
{
    static const char class[] = "track";
    sp_buffer body = {0}, picture = {0};
    const long height = add_tracks(&body, figure, title);
    begin(p, &picture, (piece){class, class + strlen(class)}, WIDTH, height);
    sp_buffer_text(&picture, body.data);
    sp_buffer_text(&picture, "</svg>\n");
    picture.failed |= body.failed;
    sp_buffer_free(&body);
    return hand_out(p, &picture, err);
}

static sp_status write_chart(pictures *p, piece figure, piece class, sp_error *err)
{
    const piece svg = element(figure, "svg"), box = svg.from ? between(svg, " viewBox=\"0 0 ", "\"") : (piece){NULL, NULL};
    char *end;
    if (!box.from || box.from > strchr(svg.from, '>'))
        return SP_OK;
    const long width = strtol(box.from, &end, 10), height = strtol(end, NULL, 10);
    sp_buffer picture = {0};
    begin(p, &picture, class, width, height);
    add_drawing(&picture, svg, 0, 0, width, height);
    sp_buffer_text(&picture, "</svg>\n");
    return hand_out(p, &picture, err);
}

/* The last of `what` before `at`. */
static const char *last(const char *from, const char *at, const char *what)
{
    const char *found = NULL;
    for (const char *next = from; (next = find(next, at, what)) != NULL; next++)
        found = next;
    return found;
}

/* A figure; its class, or that of what holds it, says how its texts look. */
static sp_status write_figure(pictures *p, piece figure, sp_error *err)
{
    const char *end = strchr(figure.from, '>'), *section = last(p->page.from, figure.from, "<h2 id=\"");
    const piece own = between((piece){figure.from, end}, "class=\"", "\""),
                id = between((piece){section, p->page.to}, "id=\"", "\"");
    if (id.from != p->section.from) {
        p->section = id;
        p->n = 0;
    }
    if (find(figure.from, figure.to, "<div class=\"track\">")) {
        const char *heading = last(section, figure.from, "<h3>"), *folded = last(section, figure.from, "<summary>");
        const char *from = folded && (!heading || folded > heading) ? folded : heading;
        return write_tracks(p, figure, from && !own.from ? between((piece){from, figure.from}, ">", "</") : (piece){"", ""}, err);
    }
    static const char plots[] = "plots";
    return write_chart(p, figure, own.from ? own : (piece){plots, plots + strlen(plots)}, err);
}

sp_status sp_report_figures(const sp_comparison *comparison, sp_report_figure *figure, void *arg, sp_error *err)
{
    char *text = NULL;
    sp_status status = sp_report_html(comparison, &text, err);
    if (status != SP_OK)
        return status;
    const char *body = strstr(text, "<body>");
    pictures p = {.page = {body, text + strlen(text)}, .call = figure, .arg = arg};
    sp_figure_style(sp_page_style, &p.style);
    for (const char *at = body; (at = strstr(at, "<defs>")) != NULL; at++)
        add_piece(&p.shapes, between((piece){at, p.page.to}, "<defs>", "</defs>"));
    if (p.style.failed || p.shapes.failed)
        status = sp_no_memory(err);
    for (const char *at = body; status == SP_OK && (at = strstr(at, "<figure")) != NULL;) {
        const piece found = element((piece){at, p.page.to}, "figure");
        if (!found.from)
            break;
        status = write_figure(&p, found, err);
        at = found.to;
    }
    sp_buffer_free(&p.style);
    sp_buffer_free(&p.shapes);
    free(text);
    return status;
}
