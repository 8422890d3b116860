/* Classes one by one: F1 of every strategy on one line, all figures behind a fold; what the rules changed; runs. */
#include "report/html/page.h"

#include <math.h>

void sp_marks_scale(sp_marks *m, size_t n_rows)
{
    for (int32_t s = 0; s < m->c->n_strategies; s++)
        for (size_t row = 0; row < n_rows; row++) {
            const sp_value *value = m->value(m->c, s, row);
            if (!value->undefined)
                m->axis.low = fmin(m->axis.low, floor(10 * value->value) / 10);
        }
}

void sp_marks_draw(const void *marks, size_t row, sp_buffer *out)
{
    const sp_marks *m = marks;
    for (int32_t s = 0; s < m->c->n_strategies; s++) {
        const sp_value *value = m->value(m->c, s, row);
        if (!value->undefined)
            sp_strip_mark(out, &m->axis, s, m->c->n_strategies, value->value);
    }
}

static const sp_value *f1_of(const sp_comparison *c, int32_t s, size_t row)
{
    return &c->strategies[s].classes[row].f1;
}

void sp_page_classes(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    sp_marks marks = {c, {.low = 0.9, .high = 1, .decimals = 1, .name = "F1"}, f1_of};
    sp_marks_scale(&marks, (size_t)c->n_classes);
    sp_page_key(page);
    sp_page_strips(page, sp_fill_class_f1, &(sp_fill_options){.most_classes = 0},
                   c->n_classes > 20 ? "sortable tall" : "sortable",
                   &(sp_strips){marks.axis, true, sp_marks_draw, &marks});
    sp_page_benchmark(page);
    for (int32_t s = 0; s < c->n_strategies; s++) {
        sp_html_say(out,
                    "<details><summary>%s: precision, recall, specificity, NPV, kappa, PABAK</summary>\n",
                    c->strategies[s].name);
        sp_page_document(page, "class-detail", s);
        sp_buffer_text(out, "</details>\n");
    }
    sp_page_document(page, "collapsed", 0);
    if (c->has_entities) {
        sp_buffer_text(out, "<h3>Entities</h3>\n");
        sp_page_document(page, "entities", 0);
    }
}
