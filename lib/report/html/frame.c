#include "report/html/frame.h"

#include "evaluate/work.h"
#include "report/html/assets.h"
#include "statepath/status.h"

/* clang-format off */
/* The colour of a class, striped across: tells areas apart that lie on each other, without colour too. */
#define STRIPES(class) \
    "<pattern id=\"stripe" class "\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\"><path class=\"s" class "\"" \
    " d=\"M0 0h4v4h-4z\"/><path class=\"stripe\" d=\"M0 .5h4\"/></pattern>"

const char sp_frame_shapes[] =
    "<pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 6L6 0\"/></pattern>"
    "<circle id=\"m0\" r=\"5\"/><rect id=\"m1\" x=\"-4.5\" y=\"-4.5\" width=\"9\" height=\"9\"/>"
    "<path id=\"m2\" d=\"M0-6L5.5 4.5H-5.5z\"/><path id=\"m3\" d=\"M0-6L6 0L0 6L-6 0z\"/>"
    "<path id=\"m4\" d=\"M0 6L5.5-4.5H-5.5z\"/><path id=\"m5\" d=\"M-6-2H-2V-6H2V-2H6V2H2V6H-2V2H-6z\"/>"
    STRIPES("1") STRIPES("3") STRIPES("5") STRIPES("7") STRIPES("-rem")
    "<path id=\"ill\" class=\"illegal\" d=\"M0 0L4 7H-4z\"/>";
/* clang-format on */

void sp_frame_begin(sp_buffer *out, const char *name, const char *what, const char *first, bool decodes)
{
    sp_buffer_say(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
        "http-equiv=\"Content-Security-Policy\" "
        "content=\"default-src 'none'; style-src 'sha256-%s'; script-src 'sha256-%s'%s%s%s; img-src data: "
        "blob:; base-uri 'none'; form-action 'none'\">\n<meta name=\"viewport\" "
        "content=\"width=device-width, "
        "initial-scale=1\">\n<meta name=\"color-scheme\" "
        "content=\"light dark\">\n<meta name=\"generator\" content=\"statepath %s\">\n<title>",
        sp_page_style_hash, sp_page_script_hash, decodes ? " 'sha256-" : "",
        decodes ? sp_page_decoding_script_hash : "", decodes ? "' 'wasm-unsafe-eval'" : "", sp_version());
    sp_buffer_html(out, name);
    sp_buffer_say(
        out,
        "%s – statepath</title>\n<style>%s</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#%s\">Skip the "
        "contents</a>\n<svg width=\"0\" height=\"0\" class=\"swatch\" aria-hidden=\"true\" "
        "focusable=\"false\"><defs>%s</defs>"
        "</svg>\n<div class=\"page\">\n",
        what, sp_page_style, first, sp_frame_shapes);
}

void sp_frame_contents(sp_buffer *out)
{
    sp_buffer_text(out, "<button type=\"button\" id=\"theme\" class=\"no-print\" value=\"auto\" "
                        "hidden>Theme: system</button>\n"
                        "</header>\n<nav class=\"contents\" aria-label=\"Sections\"><ul>\n");
}

void sp_frame_item(sp_buffer *out, const char *id, const char *name)
{
    sp_buffer_format(out, "<li><a href=\"#%s\">", id);
    sp_buffer_words(out, name);
    sp_buffer_text(out, "</a></li>\n");
}

void sp_frame_main(sp_buffer *out, int64_t first_step)
{
    sp_buffer_text(out, "</ul></nav>\n<main");
    for (int word = 0; out->words && out->words->text[0] && word < SP_N_WORDS; word++)
        sp_buffer_format(out, "%s%s", word ? "|" : " data-words=\"", sp_word_of(out->words, (sp_word)word));
    sp_buffer_text(out, out->words && out->words->text[0] ? "\"" : "");
    if (first_step)
        sp_buffer_format(out, " data-first=\"%lld\"", (long long)first_step);
    sp_buffer_text(out, ">\n");
}

static bool is_folded(sp_frame_fold fold)
{
    return fold != SP_FRAME_OPEN;
}

void sp_frame_section(sp_buffer *out, const char *class, sp_frame_fold fold, const char *id,
                      const char *title)
{
    sp_buffer_format(out, *class ? "<section class=\"%s\"" : "<section%s", class);
    sp_buffer_format(out, " aria-labelledby=\"%s\">\n", id);
    if (is_folded(fold))
        sp_buffer_format(out, "<details class=\"section%s\"><summary>",
                         fold == SP_FRAME_PRINTED ? " printed" : "");
    sp_buffer_format(out, "<h2 id=\"%s\">", id);
    sp_buffer_words(out, title);
    sp_buffer_text(out, is_folded(fold) ? "</h2></summary>\n" : "</h2>\n");
}

void sp_frame_section_end(sp_buffer *out, sp_frame_fold fold)
{
    sp_buffer_text(out, is_folded(fold) ? "</details></section>\n" : "</section>\n");
}

void sp_frame_end(sp_buffer *out, bool decodes)
{
    sp_buffer_say(out, "</main>\n</div>\n<script>%s</script>\n", sp_page_script);
    if (decodes)
        sp_buffer_say(out, "<script>%s</script>\n", sp_page_decoding_script);
    sp_buffer_text(out, "</body>\n</html>\n");
}

/* ---- matrices ---- */

enum { UPRIGHT_CLASSES = 7 /* more names stand turned above their columns */ };

static void matrix_head(sp_buffer *out, const sp_matrix *m)
{
    const char *style = m->n > SP_TWO_LINE_CLASSES ? " many" : m->n > UPRIGHT_CLASSES ? " turned" : "";
    sp_buffer_format(
        out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"%s\"><table class=\"matrix%s\"",
        m->label, style);
    if (m->counts)
        sp_buffer_format(out, " data-counts=\"%s\" data-s=\"%d\"", m->counts, (int)m->strategy);
    sp_buffer_text(out, ">");
    if (m->caption)
        sp_html_say(out, "<caption>%s</caption>", m->caption);
    sp_buffer_format(out, "%s<thead><tr><th scope=\"col\" class=\"corner\">%s</th>", m->caption ? "" : "\n",
                     m->corner);
    for (int32_t j = 0; j < m->n; j++)
        sp_html_say(out, "<th scope=\"col\">%s</th>", m->classes[j]);
    if (m->last)
        sp_buffer_format(out, "<th scope=\"col\">%s</th>", m->last);
    sp_buffer_text(out, "</tr></thead>\n<tbody>\n");
}

void sp_matrix_write(sp_buffer *out, const sp_matrix *m)
{
    matrix_head(out, m);
    for (int32_t i = 0; i < m->n; i++) {
        sp_html_say(out, "<tr><th scope=\"row\">%s</th>", m->classes[i]);
        for (int32_t j = 0; j < m->n + m->n_last; j++)
            m->cell(m->arg, i, j, out);
        sp_buffer_text(out, "</tr>\n");
    }
    if (m->foot)
        m->foot(m->arg, out);
    sp_buffer_text(out, "</tbody></table></div>\n");
}
