/* Classes one by one: F1 of every strategy on one line, all figures behind a fold; what the rules changed; runs. */
#include "report/html/chart.h"
#include "report/html/page.h"

#include <math.h>

/* All rows share one scale, from the tenth below the least F1 to 1. */
typedef struct f1_scale {
    const sp_comparison *comparison;
    sp_axis axis;
} f1_scale;

static double least_f1(const sp_comparison *c)
{
    double least = 0.9;
    for (int32_t s = 0; s < c->n_strategies; s++)
        for (int32_t k = 0; k < c->n_classes; k++) {
            const sp_value *f1 = &c->strategies[s].classes[k].f1;
            if (!f1->undefined && f1->value < least)
                least = f1->value;
        }
    return floor(10 * least) / 10;
}

/* Strategies stand a little below each other, so that equal values stay apart. */
static void f1_cell(const void *arg, size_t row, sp_buffer *out)
{
    const f1_scale *scale = arg;
    const sp_comparison *c = scale->comparison;
    if (row == 0) {
        sp_strip_head(out, &scale->axis);
        return;
    }
    sp_strip_open(out, true);
    for (int32_t s = 0; s < c->n_strategies; s++) {
        const sp_value *f1 = &c->strategies[s].classes[row - 1].f1;
        if (!f1->undefined)
            sp_strip_mark(out, &scale->axis, s, c->n_strategies, f1->value);
    }
    sp_strip_close(out);
}

void sp_page_classes(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    sp_table f1 = {0};
    f1_scale scale = {c, {.low = least_f1(c), .high = 1, .decimals = 1, .name = "F1"}};
    sp_page_section(page, "classes", "Classes");
    sp_page_key(page);
    sp_fill_class_f1(c, &(sp_fill_options){.most_classes = 0}, &f1);
    sp_table_html(&f1, c->n_classes > 20 ? "sortable tall" : "sortable", &(sp_extra_column){.cell = f1_cell, .arg = &scale}, out);
    sp_table_free(&f1);
    sp_page_benchmark(page);
    for (int32_t s = 0; s < c->n_strategies; s++) {
        sp_html_say(out, "<details><summary>%s: precision, recall, specificity, NPV, kappa, PABAK</summary>\n",
                    c->strategies[s].name);
        sp_page_document(page, "class-detail", s);
        sp_buffer_text(out, "</details>\n");
    }
    sp_page_document(page, "collapsed", 0);
    if (c->has_entities) {
        sp_buffer_text(out, "<h3>Entities</h3>\n");
        sp_page_document(page, "entities", 0);
    }
    sp_buffer_text(out, "</section>\n");
}
