#include "report/signals/signals.h"

#include <stdlib.h>

void sp_drawing_class_key(sp_drawing *d)
{
    sp_buffer_text(&d->out, "<ul class=\"key\">");
    for (int32_t k = 0; k < d->r->n_classes; k++)
        sp_html_say(
            &d->out,
            "<li><svg aria-hidden=\"true\"><rect class=\"%s\" width=\"14\" height=\"14\"/></svg>%s</li>",
            sp_class_style_name(&d->style, 's', k).text, d->r->classes[k]);
    sp_buffer_text(&d->out, "</ul>\n");
}

void sp_drawing_matrix(sp_drawing *d, const char *caption, const char *corner, sp_drawing_cell *cell)
{
    sp_matrix_write(&d->out, &(sp_matrix){.classes = d->r->classes,
                                          .n = d->r->n_classes,
                                          .corner = corner,
                                          .label = "Matrix",
                                          .caption = caption,
                                          .cell = cell,
                                          .arg = d});
}

int64_t sp_drawing_row(const sp_drawing *d, int32_t i)
{
    int64_t total = 0;
    for (int32_t j = 0; j < d->r->n_classes; j++)
        total += d->counts[(size_t)i * (size_t)d->r->n_classes + (size_t)j];
    return total;
}

int sp_drawing_heat(int64_t part, int64_t whole)
{
    return whole > 0 ? (int)(10 * part / whole) : 0;
}

/* ---- the page ---- */

static bool has_test(const sp_signals_report *r)
{
    for (int64_t n = 0; n < r->n_recordings; n++)
        if (r->is_test[n])
            return true;
    return false;
}

static bool always(const sp_signals_report *r)
{
    (void)r;
    return true;
}

static const struct {
    const char *id, *name, *title;
    bool (*is_there)(const sp_signals_report *r);
    void (*write)(sp_drawing *d);
} sections[] = {
    {"signals", "Signals", "Signals by class", always, sp_drawing_signals},
    {"distribution", "Classes", "Classes", always, sp_drawing_distribution},
    {"timeline", "Recordings", "Recordings", always, sp_drawing_timeline},
    {"transitions", "Transitions", "Transitions", always, sp_drawing_transitions},
    {"learning", "Training", "Training", always, sp_drawing_learning},
    {"hypnogram", "Not trained on", "A recording that was not trained on", has_test, sp_drawing_hypnograms},
    {"confusion", "Confusion", "Confusion on the testing recordings", has_test, sp_drawing_confusions},
};
enum { N_SECTIONS = sizeof sections / sizeof *sections };

static void head(sp_drawing *d)
{
    sp_buffer *out = &d->out;
    sp_frame_begin(out, d->r->file, " – training", "signals", false);
    sp_html_say(out,
                "<header class=\"top\"><div><h1>Training on %s</h1>\n<p class=\"sub\">%jd recordings, %jd "
                "steps, %d channels.</p>\n<p>",
                d->r->file, d->r->n_recordings, d->r->n_steps, (int)d->r->n_channels);
    sp_drawing_outcome(d);
    sp_buffer_text(out, "</p></div>\n");
    sp_frame_contents(out);
    for (size_t i = 0; i < N_SECTIONS; i++)
        if (sections[i].is_there(d->r))
            sp_frame_item(out, sections[i].id, sections[i].name);
    sp_frame_main(out, 0);
}

sp_status sp_report_signals_html(const sp_signals_report *report, char **out, sp_error *err)
{
    sp_drawing d = {.r = report,
                    .counts =
                        malloc((size_t)report->n_classes * (size_t)report->n_classes * sizeof *d.counts)};
    if (!d.counts || !sp_class_style_fill(report->classes, report->n_classes, &d.style)) {
        free(d.counts);
        return sp_fail(err, SP_ENOMEM, "no memory for the page");
    }
    head(&d);
    for (size_t i = 0; i < N_SECTIONS; i++)
        if (sections[i].is_there(report)) {
            sp_frame_section(&d.out, "", SP_FRAME_OPEN, sections[i].id, sections[i].title);
            sections[i].write(&d);
            sp_frame_section_end(&d.out, SP_FRAME_OPEN);
        }
    sp_frame_end(&d.out, false);
    sp_class_style_free(&d.style);
    free(d.counts);
    return sp_buffer_finish(&d.out, out, err);
}
