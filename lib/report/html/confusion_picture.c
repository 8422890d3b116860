/* A confusion matrix as a picture, for files: in the page it is a table. */
#include "report/html/page.h"

#include <string.h>

enum { MARGIN = 24, TEXT = 7 /* pixels of a letter */, LONGEST_NAME = 22, FEW = 8, MANY = 14 };

typedef struct grid {
    const sp_comparison *c;
    const sp_strategy_result *strategy;
    int width, height; /* of a cell */
    int left, top;     /* where cells begin */
    bool is_turned;    /* names of columns */
    bool has_shares;   /* per cent below the count */
} grid;

/* Between white and the page's blue, by the share of the row; white on what is dark. */
static void add_cell(sp_buffer *out, const grid *g, int32_t i, int32_t j)
{
    const int64_t n = g->strategy->confusion[(size_t)i * (size_t)g->c->n_classes + (size_t)j],
                  all = g->strategy->classes[i].support;
    const double share = all > 0 ? (double)n / (double)all : 0;
    const int x = g->left + j * g->width, y = g->top + i * g->height, middle = x + g->width / 2;
    const int rgb[] = {(int)(255 - share * 255), (int)(255 - share * 165), (int)(255 - share * 112)};
    const char *ink = share > 0.55 ? "#fff" : "#1b1f24";
    sp_buffer_format(
        out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%02x%02x%02x\" stroke=\"#d5dbe1\"/>",
        x, y, g->width, g->height, (unsigned)rgb[0], (unsigned)rgb[1], (unsigned)rgb[2]);
    sp_buffer_format(out,
                     "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" font-size=\"%d\"%s style=\"fill:%s\">",
                     middle, y + g->height / 2 + (g->has_shares ? -1 : 4), g->has_shares ? 12 : 10,
                     i == j ? " font-weight=\"600\"" : "", ink);
    sp_buffer_count(out, n);
    sp_buffer_text(out, "</text>");
    if (g->has_shares)
        sp_buffer_format(out,
                         "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" font-size=\"10\" "
                         "style=\"fill:%s\">%.1f %%</text>",
                         middle, y + g->height / 2 + 13, ink, 100 * share);
}

static void add_names(sp_buffer *out, const grid *g)
{
    const int32_t K = g->c->n_classes;
    for (int32_t k = 0; k < K; k++) {
        const int x = g->left + k * g->width + g->width / 2, y = g->top + k * g->height + g->height / 2 + 4;
        sp_html_say(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" font-size=\"12\">%s</text>",
                    g->left - 8, y, g->c->classes[k]);
        if (g->is_turned)
            sp_html_say(out, "<text transform=\"translate(%d %d) rotate(-90)\" font-size=\"12\">%s</text>",
                        x + 4, g->top - 6, g->c->classes[k]);
        else
            sp_html_say(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" font-size=\"12\">%s</text>", x,
                        g->top - 6, g->c->classes[k]);
    }
    sp_html_say(out,
                "<text x=\"%d\" y=\"18\" font-size=\"14\" font-weight=\"600\">Confusion of %s</text>"
                "<text x=\"%d\" y=\"%d\" font-size=\"11\">rows: reference; columns: decoded%s</text>",
                MARGIN, g->strategy->name, MARGIN, g->top + K * g->height + 18,
                g->has_shares ? "; below: per cent of the row" : "");
}

void sp_page_confusion_picture(sp_page *page, const sp_strategy_result *strategy)
{
    const sp_comparison *c = page->comparison;
    const int32_t K = c->n_classes;
    int longest = 3;
    for (int32_t k = 0; k < K; k++) {
        const int n = (int)strlen(c->classes[k]) < LONGEST_NAME ? (int)strlen(c->classes[k]) : LONGEST_NAME;
        longest = n > longest ? n : longest;
    }
    grid g = {.c = c,
              .strategy = strategy,
              .has_shares = K <= MANY,
              .width = K <= FEW    ? 72
                       : K <= MANY ? 56
                                   : 40};
    g.height = g.has_shares ? 44 : 26;
    g.is_turned = longest * TEXT + 6 > g.width;
    g.left = MARGIN + longest * TEXT + 8;
    g.top = 34 + (g.is_turned ? longest * TEXT : 14);
    const sp_chart_area area = {.width = g.left + K * g.width + MARGIN,
                                .height = g.top + K * g.height + MARGIN + 8};
    sp_picture_open(page, &area, "confusion", "confusion-%s", strategy->name);
    do {
        add_names(&page->out, &g);
        for (int32_t i = 0; i < K; i++)
            for (int32_t j = 0; j < K; j++)
                add_cell(&page->out, &g, i, j);
    } while (sp_picture_drawn(page));
    sp_buffer_text(&page->out, "</figure>\n");
}
