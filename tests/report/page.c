/* Prints a page of the report, by name, for the browser test: report_page NAME, of the names in main(). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample_people.h"
#include "statepath/report.h"

static sample *unlabelled(void)
{
    sample *s = sample_small();
    sample_drop_labels(s);
    s->comparison.n_reference_illegal_pairs = 0;
    s->comparison.reference_runs = NULL;
    for (int64_t i = 0; i < s->comparison.n_traces; i++)
        s->comparison.traces[i].labels = NULL;
    return s;
}

static sample *alone(void)
{
    sample *s = sample_nights(1, 120);
    sample_drop_labels(s);
    s->comparison.n_reference_illegal_pairs = 0;
    s->comparison.reference_runs = NULL;
    s->comparison.traces[0].labels = NULL;
    return s;
}

/* Every name tries to be more than text. */
static sample *hostile(void)
{
    static const char *const evil = "\"><script>window.hacked = 1</script><img src=x onerror=hacked=1>'&amp;";
    sample *s = sample_nights(4, 200);
    sp_comparison *c = &s->comparison;
    for (int64_t r = 0; r < c->n_recordings; r++)
        c->ids[r] = sample_text(s, evil);
    for (int32_t k = 0; k < c->n_classes; k++)
        c->classes[k] = sample_text(s, evil);
    for (int32_t i = 0; i < c->n_strategies; i++)
        c->strategies[i].name = i ? sample_text(s, evil) : c->strategies[i].name;
    c->file = c->model_name = c->model_description = c->model_source = c->command = sample_text(s, evil);
    return s;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        sample *(*make)(void);
        int64_t shape[3]; /* of sample_nights (classes 0) or sample_band */
    } pages[] = {
        {"nights", NULL, {0, 14, 950}},  {"fifty", NULL, {0, 50, 950}}, {"small", sample_small, {0}},
        {"classes", NULL, {60, 4, 300}}, {"wide", NULL, {200, 4, 300}}, {"unlabelled", unlabelled, {0}},
        {"alone", alone, {0}},           {"hostile", hostile, {0}},     {"thousand", NULL, {0, 1000, 1000}}};
    for (size_t i = 0; argc == 2 && i < sizeof pages / sizeof *pages; i++) {
        if (strcmp(argv[1], pages[i].name) != 0)
            continue;
        const int64_t *shape = pages[i].shape;
        sample *s = pages[i].make ? pages[i].make()
                    : shape[0]    ? sample_band((int32_t)shape[0], shape[1], shape[2])
                                  : sample_nights(shape[1], shape[2]);
        if (shape[0] == 0 && !pages[i].make) { /* nights have people in them */
            if (s->comparison.n_traces == s->comparison.n_recordings)
                sample_add_sleep(s, 30, false);
            sample_add_raters(s, 5);
        }
        sp_error err = {0};
        char *page = NULL;
        if (sp_report_html(&s->comparison, &page, &err) != SP_OK) {
            fprintf(stderr, "%s\n", err.message);
            return 1;
        }
        fputs(page, stdout);
        free(page);
        sample_free(s);
        return 0;
    }
    fprintf(stderr, "usage: report_page nights|fifty|small|classes|wide|unlabelled|alone|hostile|thousand\n");
    return 2;
}
