#include "report/html/signals.h"

#include "report/html/assets.h"

#include <stdlib.h>

void sp_drawing_section(sp_drawing *d, const char *id, const char *title)
{
    sp_buffer_format(&d->out, "<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">%s</h2>\n", id, id, title);
}

void sp_drawing_class_key(sp_drawing *d)
{
    sp_buffer_text(&d->out, "<ul class=\"key\">");
    for (int32_t k = 0; k < d->r->n_classes; k++) {
        sp_buffer_format(&d->out, "<li><svg aria-hidden=\"true\"><rect class=\"s%d\" width=\"14\" height=\"14\"/></svg>",
                         (int)k % 8);
        sp_buffer_html(&d->out, d->r->classes[k]);
        sp_buffer_text(&d->out, "</li>");
    }
    sp_buffer_text(&d->out, "</ul>\n");
}

void sp_drawing_matrix_head(sp_drawing *d, const char *caption, const char *corner)
{
    sp_buffer_text(&d->out, "<div class=\"scroll\"><table class=\"matrix\"><caption>");
    sp_buffer_html(&d->out, caption);
    sp_buffer_format(&d->out, "</caption><thead><tr><th scope=\"col\" class=\"corner\">%s</th>", corner);
    for (int32_t k = 0; k < d->r->n_classes; k++) {
        sp_buffer_text(&d->out, "<th scope=\"col\">");
        sp_buffer_html(&d->out, d->r->classes[k]);
        sp_buffer_text(&d->out, "</th>");
    }
    sp_buffer_text(&d->out, "</tr></thead>\n<tbody>\n");
}

int sp_drawing_heat(int64_t part, int64_t whole)
{
    return whole > 0 ? (int)(10 * part / whole) : 0;
}

/* ---- the page ---- */

static void head(sp_drawing *d)
{
    sp_buffer *out = &d->out;
    sp_buffer_format(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" "
        "content=\"default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"statepath %s\">\n<title>",
        sp_page_style_hash, sp_version());
    sp_buffer_html(out, d->r->file);
    sp_buffer_text(out, " – training – statepath</title>\n<style>");
    sp_buffer_text(out, sp_page_style);
    sp_buffer_text(out, "</style>\n</head>\n<body>\n<svg width=\"0\" height=\"0\" aria-hidden=\"true\" focusable=\"false\"><defs>"
                        "<path id=\"ill\" class=\"illegal\" d=\"M0-7L4 0H-4z\"/></defs></svg>\n<div class=\"page\">\n<header "
                        "class=\"top\"><div><h1>");
    sp_buffer_html(out, d->r->file);
    sp_buffer_text(out, "</h1>\n<p class=\"sub\">");
    sp_buffer_count(out, d->r->n_recordings);
    sp_buffer_text(out, " recordings, ");
    sp_buffer_count(out, d->r->n_steps);
    sp_buffer_format(out, " steps, %d channels.", (int)d->r->n_channels);
    sp_buffer_text(out, "</p></div></header>\n<main>\n");
}

sp_status sp_report_signals_html(const sp_signals_report *report, char **out, sp_error *err)
{
    sp_drawing d = {.r = report, .counts = malloc((size_t)report->n_classes * (size_t)report->n_classes * sizeof *d.counts)};
    if (!d.counts)
        return sp_fail(err, SP_ENOMEM, "no memory for the page");
    head(&d);
    sp_drawing_signals(&d);
    sp_drawing_distribution(&d);
    sp_drawing_timeline(&d);
    sp_drawing_transitions(&d);
    sp_drawing_learning(&d);
    sp_drawing_hypnograms(&d);
    sp_drawing_confusions(&d);
    sp_buffer_text(&d.out, "</main>\n</div>\n</body>\n</html>\n");
    free(d.counts);
    return sp_buffer_finish(&d.out, out, err);
}
