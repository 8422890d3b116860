/* The section in which rules can be changed: the rules, the scores of some recordings and the decoder itself as data, for assets/what_if/. What
 * it shows is made by the script; without one the section says what it would be. */
#include "report/html/assets.h"
#include "report/html/steps/steps.h"

#include <stdlib.h>
#include <string.h>

#include "core/base85.h"
#include "evaluate/work.h"
#include "json/json_write.h"

enum { NAMED = 12 };

bool sp_has_what_if(const sp_comparison *c)
{
    return c->what_if && c->what_if->n_recordings > 0 && sp_page_module_size > 0;
}

bool sp_has_what_if_section(const sp_comparison *c)
{
    return sp_has_what_if(c) || (c->what_if && c->what_if->why_not);
}

static void put_base85(sp_buffer *out, const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i += 4) {
        char digits[5];
        const int64_t given = n - i < 4 ? (int64_t)(n - i) : 4;
        sp_base85_put(bytes + i, given, digits);
        sp_buffer_add(out, digits, (size_t)sp_base85_letters(given));
    }
}

/* ---- data ---- */

/* JSON inside of a script element: "<" could end it. */
static void put_json(void *to, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (text[i] == '<')
            sp_buffer_text(to, "\\u003c");
        else
            sp_buffer_add(to, text + i, 1);
}

static void put_recordings(sp_json_writer *writer, const sp_step_view *view)
{
    const sp_comparison *c = view->page->comparison;
    sp_json_put_key(writer, "recordings");
    sp_json_put(writer, "[");
    for (int64_t i = 0; i < c->what_if->n_recordings; i++) {
        const sp_what_if_recording *r = &c->what_if->recordings[i];
        sp_json_put(writer, i ? ", [" : "[");
        sp_json_put_cleaned(writer, c->ids[r->recording]);
        sp_json_put(writer, ", ");
        sp_json_put_integer(writer, r->n_steps);
        sp_json_put(writer, r->has_gaps ? ", 1, " : ", 0, ");
        sp_json_put_integer(writer, (int64_t)r->n_bytes);
        sp_json_put(writer, ", ");
        sp_json_put_integer(writer, r->first_step);
        sp_json_put(writer, ", ");
        sp_json_put_integer(writer, r->recording);
        const sp_stretch stretch =
            sp_stretch_of(view, sp_trace_of(c, r->recording), r->first_step, r->n_steps);
        sp_json_put(writer, ", ");
        sp_json_put_integer(writer, stretch.first - r->first_step);
        sp_json_put(writer, ", ");
        sp_json_put_integer(writer, stretch.n_steps);
        sp_json_put(writer, ", ");
        sp_json_put_integer(writer, stretch.merit);
        sp_json_put(writer, "]");
    }
    sp_json_put(writer, "]");
}

static void put_words(sp_json_writer *writer, const sp_what_if *w)
{
    sp_json_put_key(writer, "words");
    for (int64_t i = 0; i < w->n_recordings; i++) {
        const sp_what_if_recording *r = &w->recordings[i];
        for (int64_t t = 0; t < r->n_steps; t++) {
            sp_json_put(writer, t ? ", " : i ? "], [" : "[[");
            sp_json_put_cleaned(writer, r->words[t]);
        }
    }
    sp_json_put(writer, "]]");
}

static void put_classes(sp_json_writer *writer, const sp_comparison *c, const sp_lanes *lanes)
{
    sp_json_put_key(writer, "styles");
    for (int32_t k = 0; k < c->n_classes; k++) {
        const sp_style_name name = sp_lane_style(lanes, 's', lanes->lane_of[k]);
        sp_json_put(writer, k ? ", " : "[");
        sp_json_put_string(writer, name.text);
    }
    sp_json_put(writer, "]");
    sp_json_put_key(writer, "lanes");
    for (int32_t k = 0; k < c->n_classes; k++) {
        sp_json_put(writer, k ? ", " : "[");
        sp_json_put_integer(writer, lanes->lane_of[k]);
    }
    sp_json_put(writer, "]");
}

/* Those of other classifiers decode other scores. */
static void put_strategies(sp_json_writer *writer, const sp_comparison *c)
{
    const int32_t n = c->n_against > 0 ? c->against[0].first : c->n_strategies;
    sp_json_put_key(writer, "strategies");
    for (int32_t s = 0; s < n; s++) {
        sp_json_put(writer, s ? ", " : "[");
        sp_json_put_string(writer, c->strategies[s].name);
    }
    sp_json_put(writer, "]");
}

/* [K] 1: runs of the class are no segments; null: all are. */
static void put_background(sp_json_writer *writer, const sp_comparison *c)
{
    sp_json_put_key(writer, "background");
    for (int32_t k = 0; c->background && k < c->n_classes; k++) {
        sp_json_put(writer, k ? ", " : "[");
        sp_json_put_integer(writer, c->background[k]);
    }
    sp_json_put(writer, c->background ? "]" : "null");
}

static void put_text(sp_json_writer *writer, const char *key, const char *text)
{
    sp_json_put_key(writer, key);
    sp_json_put_cleaned(writer, text);
}

/* Is there a recording of which the page holds a stretch only? */
static bool is_cut(const sp_comparison *c)
{
    for (int64_t i = 0; i < c->what_if->n_recordings; i++)
        if (c->what_if->recordings[i].n_steps < c->steps[c->what_if->recordings[i].recording])
            return true;
    return false;
}

static void put_settings(const sp_step_view *view)
{
    sp_page *page = view->page;
    const sp_comparison *c = page->comparison;
    const sp_what_if *w = c->what_if;
    sp_json_writer writer;
    sp_buffer_text(&page->out, "<script type=\"application/json\" id=\"what-if-settings\">");
    sp_json_writer_open_on(&writer, put_json, &page->out);
    sp_json_put(&writer, "{\n  \"model\": ");
    sp_json_put(&writer, w->model);
    const char *const keys[] = {"temperature", "transition_weight", "prior_weight", "floor"};
    const double values[] = {w->temperature, w->transition_weight, w->prior_weight, w->floor};
    sp_json_put_numbers(&writer, "decoding", 4, keys, values);
    sp_json_put_key(&writer, "log_prior");
    for (int32_t k = 0; w->log_prior && k < c->n_classes; k++) {
        sp_json_put(&writer, k ? ", " : "[");
        sp_json_put_number(&writer, w->log_prior[k]);
    }
    sp_json_put(&writer, w->log_prior ? "]" : "null");
    put_strategies(&writer, c);
    put_classes(&writer, c, &view->lanes);
    put_text(&writer, "options", w->options);
    put_text(&writer, "file", c->file ? c->file : "scores.h5");
    put_text(&writer, "on_infeasible", w->is_relaxed ? "relax" : "report");
    sp_json_put_key(&writer, "labels");
    sp_json_put(&writer, w->has_labels ? "true" : "false");
    sp_json_put_key(&writer, "seconds");
    sp_json_put_number(&writer, c->epoch_seconds > 0 ? c->epoch_seconds : 0);
    put_text(&writer, "work", sp_work_about(c->work)->name);
    put_background(&writer, c);
    sp_json_put_key(&writer, "run_has");
    sp_json_put_integer(&writer, c->n_recordings);
    sp_json_put_key(&writer, "is_cut");
    sp_json_put(&writer, is_cut(c) ? "true" : "false");
    put_recordings(&writer, view);
    if (w->recordings[0].words)
        put_words(&writer, w);
    sp_json_put(&writer, "\n}");
    page->out.failed |= sp_json_writer_close(&writer, NULL, NULL) != SP_OK;
    sp_buffer_text(&page->out, "</script>\n");
}

/* The packed recordings, one after the other, and the decoder. */
static void put_scores(sp_page *page)
{
    const sp_what_if *w = page->comparison->what_if;
    size_t size = 0;
    for (int64_t i = 0; i < w->n_recordings; i++)
        size += w->recordings[i].n_bytes;
    unsigned char *bytes = malloc(size + 1), *to = bytes;
    if (!bytes) {
        page->out.failed = true;
        return;
    }
    for (int64_t i = 0; i < w->n_recordings; to += w->recordings[i++].n_bytes)
        memcpy(to, w->recordings[i].bytes, w->recordings[i].n_bytes);
    sp_buffer_text(&page->out, "<script type=\"text/plain\" id=\"what-if-scores\">");
    put_base85(&page->out, bytes, size);
    sp_buffer_text(&page->out, "</script>\n<script type=\"text/plain\" id=\"what-if-module\">");
    put_base85(&page->out, sp_page_module, sp_page_module_size);
    sp_buffer_text(&page->out, "</script>\n");
    free(bytes);
}

/* ---- what is held ---- */

/* Item i of a list of n: the first ones by name, then how many more there are. */
static void list_name(sp_page *page, int64_t i, int64_t n, int64_t recording)
{
    if (i < NAMED)
        sp_html_say(&page->out, "%s%s", i ? ", " : "", page->comparison->ids[recording]);
    else if (i == NAMED)
        sp_buffer_say(&page->out, " and %jd more", n - NAMED);
}

static void say_held(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    const sp_what_if *w = c->what_if;
    const int64_t n = w->n_recordings;
    sp_buffer *out = &page->out;
    sp_buffer_say(out, "<p class=\"small\">The page holds the scores of %jd of %jd {recording(s)}", n,
                  c->n_recordings);
    if (n < c->n_recordings) {
        sp_buffer_text(out, sp_has_agreement(c) ? ", spread from the least to the most accurate: " : ": ");
        for (int64_t i = 0; i < n; i++)
            list_name(page, i, n, w->recordings[i].recording);
    }
    sp_buffer_text(out, n > 1 ? ". The figures of this section are of these."
                              : ". The figures of this section are of this one.");
    if (is_cut(c))
        sp_buffer_words(
            out,
            " Of {recordings} too long for a page it holds the stretch in which argmax breaks most rules.");
    if (n < c->n_recordings || is_cut(c))
        sp_buffer_words(out, " <code>{=what-if-bytes}</code> makes room for more.");
    if (w->most_length)
        sp_buffer_say(out,
                      " Probabilities of durations end at %jd {steps}, the rest added there: more than these "
                      "{recordings} can tell. A "
                      "model that is saved here has no more either.",
                      w->most_length);
    sp_buffer_text(out, "</p>\n");
}

/* The tool's place, with a picture for readers without a script, and what its script needs. */
static void put_tool(sp_page *page)
{
    sp_step_view view;
    if (!sp_step_view_fill(page, &view)) {
        sp_step_view_free(&view);
        return;
    }
    sp_page_lane_shapes(page, &view.lanes); /* stays where the script takes the place of the picture */
    sp_buffer_text(
        &page->out,
        "<div id=\"what-if-tool\"><p id=\"what-if-note\">With scripts switched on the rules can be changed "
        "here, and everything is decoded anew.</p>\n");
    sp_page_before_after(&view, page->comparison->what_if->n_recordings);
    sp_buffer_text(&page->out, "</div>\n");
    put_settings(&view);
    put_scores(page);
    sp_step_view_free(&view);
}

void sp_page_what_if(sp_page *page)
{
    const sp_what_if *w = page->comparison->what_if;
    if (w->why_not) {
        sp_buffer_text(&page->out, "<p>Rules cannot be changed here: ");
        sp_buffer_words(&page->out, w->why_not);
        sp_buffer_text(&page->out, ".</p>\n");
        return;
    }
    put_tool(page);
    say_held(page);
}
