/* Pictures: each stands in a figure of the page, and where files are wanted it is an SVG document of its own, too, in light colours.
 * What the script does for one picture (assets/pictures.js) is done here for all. */
#include "report/html/assets.h"
#include "report/html/steps/steps.h"

#include <stdlib.h>
#include <string.h>

/* Pixels of a file of tracks: its width, that of the names before and of the classes after a track. */
enum { WIDTH = 1000, NAMES = 180, CLASSES = 70, GAP = 8, TITLE = 30 };
enum { LONGEST = 120 /* bytes of a name: file systems take 255 */ };

struct sp_picture_files {
    sp_report_figure *call;
    void *arg;
    sp_status status; /* what it returned, with its words */
    sp_error error;
    /* Of the picture that is being drawn: */
    sp_page page; /* as it was before */
    sp_buffer name;
    const char *class;
    const sp_chart_area *area; /* NULL: tracks */
};

/* ---- names ---- */

/* The letters and digits of a text, those of ASCII small, and one "-" for all that is between them. */
static void add_slug(sp_buffer *out, const char *text)
{
    bool is_between = false;
    for (const char *c = text; *c && (out->length < LONGEST || (*c & 0xC0) == 0x80); c++) {
        const char small = (char)(*c >= 'A' && *c <= 'Z' ? *c | 0x20 : *c);
        const bool is_kept = (*c & 0x80) || (*c >= '0' && *c <= '9') || (small >= 'a' && small <= 'z');
        if (is_kept && is_between)
            sp_buffer_text(out, "-");
        if (is_kept)
            sp_buffer_add(out, &small, 1);
        is_between = !is_kept;
    }
}

/* "/step-plot-of-r04/", and "/step-plot-of-r04-2/" where a picture of the page has that name. */
static void add_name(sp_page *page, const char *text, sp_buffer *name)
{
    sp_buffer clean = {0}, *taken = &page->picture_names;
    sp_buffer_name(&clean, text, 0);
    sp_buffer_text(name, "/");
    add_slug(name, sp_buffer_string(&clean));
    const size_t length = name->length;
    sp_buffer_text(name, "/");
    for (int n = 2; !name->failed && taken->data && strstr(taken->data, name->data); n++) {
        name->length = length;
        sp_buffer_format(name, "-%d/", n);
    }
    sp_buffer_text(taken, name->data);
    page->out.failed |= clean.failed || name->failed || taken->failed;
    sp_buffer_free(&clean);
}

/* ---- a picture ---- */

static void open_picture(sp_page *page, const sp_chart_area *area, const char *class, const char *name,
                         va_list arguments)
{
    struct sp_picture_files *files = page->files;
    sp_buffer text = {0}, file = {0};
    sp_buffer_vsay(&text, name, arguments);
    add_name(page, sp_buffer_string(&text), &file);
    sp_buffer_drop(&text, &page->out);
    sp_buffer_format(&page->out, *class ? "<figure class=\"%s\"" : "<figure%s", class);
    if (!file.failed)
        sp_buffer_format(&page->out, " data-file=\"%.*s\">", (int)file.length - 2, file.data + 1);
    if (files) {
        sp_buffer_free(&files->name);
        files->name = file;
        files->class = class;
        files->area = area;
        files->page = *page;
        page->out = (sp_buffer){.words = page->out.words};
        page->is_file = true;
        page->tall = TITLE;
    } else {
        sp_buffer_free(&file);
    }
}

void sp_picture_open(sp_page *page, const sp_chart_area *area, const char *class, const char *name, ...)
{
    va_list arguments;
    va_start(arguments, name);
    open_picture(page, area, class, name, arguments);
    va_end(arguments);
}

void sp_page_chart_open(sp_page *page, sp_chart *chart, const char *class, const char *name, ...)
{
    va_list arguments;
    va_start(arguments, name);
    open_picture(page, chart->area, class, name, arguments);
    va_end(arguments);
    sp_chart_open(chart);
}

/* The document of a picture, and its name, are handed out. */
static void hand_out(struct sp_picture_files *files, const sp_buffer *picture, int height)
{
    const sp_chart_area *area = files->area;
    const int width = area ? area->width : WIDTH, tall = area ? area->height : height;
    sp_buffer file = {.failed = picture->failed || files->name.failed};
    char *text = NULL;
    sp_buffer_format(
        &file,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"%s\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
        "%d\" "
        "font-family=\"system-ui, sans-serif\">\n<style>%s</style>\n<defs>%s</defs>\n<rect width=\"100%%\" "
        "height=\"100%%\" fill=\"#fff\"/>\n%s</svg>\n",
        !area           ? "track"
        : *files->class ? files->class
                        : "plots",
        width, tall, width, tall, sp_page_picture_style, sp_frame_shapes, picture->data);
    if ((files->status = sp_buffer_finish(&file, &text, &files->error)) != SP_OK)
        return;
    files->name.data[files->name.length - 1] = '\0';
    files->status = files->call(files->arg, files->name.data + 1, text, &files->error);
    free(text);
}

bool sp_picture_drawn(sp_page *page)
{
    if (!page->is_file)
        return false;
    struct sp_picture_files *files = page->files;
    sp_buffer picture = page->out;
    const int height = page->tall;
    *page = files->page;
    if (files->status == SP_OK && (picture.length || picture.failed))
        hand_out(files, &picture, height);
    sp_buffer_free(&picture);
    return true;
}

void sp_page_chart_close(sp_page *page, sp_chart *chart)
{
    sp_chart_close(chart);
    sp_picture_drawn(page);
}

sp_status sp_report_figures(const sp_comparison *comparison, sp_report_figure *figure, void *arg,
                            sp_error *err)
{
    struct sp_picture_files files = {.call = figure, .arg = arg};
    char *text = NULL;
    sp_buffer page = sp_page_text(comparison, &files);
    const sp_status status = sp_buffer_finish(&page, &text, err);
    sp_buffer_free(&files.name);
    free(text);
    if (files.status != SP_OK && err)
        *err = files.error;
    return files.status != SP_OK ? files.status : status;
}

/* ---- tracks ---- */

void sp_track_open(sp_page *page, const char *name, const char *figures)
{
    sp_buffer *out = &page->out;
    if (page->is_file)
        sp_html_say(out,
                    "<text y=\"%d\" font-size=\"13\" font-weight=\"600\">%s</text><text y=\"%d\" "
                    "font-size=\"10\">%s</text>"
                    "<svg x=\"%d\" y=\"%d\" width=\"%d\" overflow=\"visible\"",
                    page->tall + 18, name, page->tall + 33, figures, NAMES, page->tall,
                    WIDTH - NAMES - CLASSES);
    else if (figures)
        sp_html_say(
            out, "<div class=\"track\"><div class=\"name\">%s<small>%s</small></div><div class=\"rows\"><svg",
            name, figures);
    else
        sp_html_say(out, "<div class=\"track\"><div class=\"name unit\">%s</div><div class=\"rows\"><svg",
                    name);
}

void sp_track_classes(sp_page *page)
{
    sp_buffer_text(&page->out, "</svg><svg");
    if (page->is_file)
        sp_buffer_format(&page->out, " x=\"%d\" y=\"%d\" width=\"%d\" overflow=\"visible\"",
                         WIDTH - CLASSES + 6, page->tall, CLASSES - 6);
    sp_buffer_text(&page->out, " class=\"lane-names\"");
}

void sp_track_close(sp_page *page, int height)
{
    sp_buffer_text(&page->out, page->is_file ? "</svg>\n" : "</svg></div></div>\n");
    page->tall += height + GAP;
}
