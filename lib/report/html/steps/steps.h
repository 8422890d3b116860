/* One step plot: a path as a line over time, one lane a class. */
#ifndef STATEPATH_REPORT_HTML_STEPS_H
#define STATEPATH_REPORT_HTML_STEPS_H

#include "report/html/class_style.h"
#include "report/html/page.h"

enum {
    SP_LANES_TOP = 9,       /* pixels above the first lane, for the triangles */
    SP_LANE_NAME = 10,      /* letters of a lane's name; steps.js has the same */
    SP_MARK_COLUMNS = 1000, /* places for triangles in a plot: about one for each pixel */
    /* Words inside of a plot: what fits in the pixels of a telephone is always shown, what fits in those of a screen that is not
     * narrow is hidden where it is (class "wide-only"). steps.js has the same. */
    SP_PLOT_NARROW = 280,
    SP_PLOT_WIDE = 640,
};

/* Lanes of all plots: every class has its own where there are colours for all, else the most frequent ones, and the others share
 * the last lane. */
typedef struct sp_lanes {
    int32_t n, n_grouped; /* n_grouped: classes that share the last lane, or 0 */
    int32_t *lane_of;     /* [K] from the top */
    int32_t *class_of;    /* [n]; none for a shared lane */
    int height;           /* of one lane, pixels */
    sp_class_style style;
} sp_lanes;

bool sp_lanes_fill(const sp_comparison *c, sp_lanes *lanes); /* false: no memory */
void sp_lanes_free(sp_lanes *lanes);
/* The style of what is drawn in a lane: its class's, or where lanes are shared one of the colours in their order. */
sp_style_name sp_lane_style(const sp_lanes *lanes, char use, int32_t lane);

/* Adds what all tracks refer to: the gradient that colours a path by its lane, the lines of the lanes, and their names. Before
 * the first track, and not inside anything that can be folded; the second call adds nothing to a page. */
void sp_page_lane_shapes(sp_page *page, const sp_lanes *lanes);
/* Where the words of a lane stand: pixels from the top of the plot. */
int sp_lane_line(const sp_lanes *lanes, int32_t lane);
/* Adds the names beside one track, and behind them the minutes of a night in the stages, where there is one. */
void sp_page_lane_names(sp_page *page, const sp_lanes *lanes, const sp_sleep_statistics *night);
/* What evaluation found of a path in the night; who: the strategy, n_strategies: the reference. NULL: the lanes are no stages of
 * sleep, or nobody evaluated these. */
const sp_sleep_statistics *sp_night_of(const sp_comparison *c, const sp_lanes *lanes, int64_t recording,
                                       int32_t who);
/* Adds the minutes in the stage of a lane, "61.5", "–" where undefined. */
void sp_add_lane_minutes(const sp_comparison *c, const sp_lanes *lanes, const sp_sleep_statistics *night,
                         int32_t lane, sp_buffer *out);

/* All recordings, worst first: drawn.c. Those without accuracy, where others have one, come after the n ranked ones. */
typedef struct sp_ranking {
    int64_t n;
    int64_t *recordings; /* [n_recordings] */
    int64_t *
        order; /* [n_recordings] in which they are drawn: those asked for, worst, best, median, then from the worst on */
} sp_ranking;

int sp_by_number(const void *a, const void *b);                    /* order of two int64_t, for qsort() */
bool sp_ranking_fill(const sp_comparison *c, sp_ranking *ranking); /* false: no memory */
void sp_ranking_free(sp_ranking *ranking);
bool sp_is_among(const int64_t *list, int64_t n, int64_t recording);

/* Forbidden pairs that a path made: sorted, for look-up. */
typedef struct sp_pair_set {
    sp_pair_count *pairs;
    int64_t n;
} sp_pair_set;

/* What a section needs that draws steps. (lanes.c) */
typedef struct sp_step_view {
    sp_page *page;
    sp_lanes lanes;
    sp_ranking ranking;
    sp_pair_set *illegal; /* [n_strategies + 1] by whom; the reference last */
} sp_step_view;

bool sp_step_view_fill(sp_page *page, sp_step_view *view); /* false: no memory, then the page has failed */
void sp_step_view_free(sp_step_view *view);

/* The steps of a recording that tell most about the rules: argmax breaks them, or the strategy that the page is about differs from
 * it, right before wrong. */
typedef struct sp_stretch {
    const sp_trace *trace; /* NULL: none */
    int64_t first, n_steps, merit;
} sp_stretch;

/* before.c: of steps first .. first+n-1 those of the greatest merit, the earliest of equals; the first ones, merit 0, where there
 * are no two strategies to compare. */
sp_stretch sp_stretch_of(const sp_step_view *view, const sp_trace *trace, int64_t first, int64_t n);
/* before.c: adds the first picture, the stretch of the greatest merit: in the first n_held recordings of What if, with 0 in all
 * whose steps there are. */
void sp_page_before_after(const sp_step_view *view, int64_t n_held);

/* The path that is drawn: of a strategy, or of n_strategies, which is the reference. */
typedef struct sp_step_path {
    const char *name;
    const int32_t *classes; /* [T], -1: none */
    const int32_t *labels;  /* [T] for the error strip, or NULL */
    const sp_pair_set *illegal;
    const sp_rule_place *rules; /* [n_rules] violations of rules over more steps in the recording, by step */
    int64_t n_rules;
    const sp_recording_result *result; /* figures for the name of the track, or NULL */
    const sp_sleep_statistics *night;  /* minutes beside the track, or NULL */
} sp_step_path;
/* The violations of a path of a recording in the comparison's list, [*n]; who: the strategy, n_strategies: the reference. */
const sp_rule_place *sp_rule_places_of(const sp_comparison *c, int64_t recording, int32_t who, int64_t *n);
sp_step_path sp_step_path_of(const sp_step_view *view, const sp_trace *trace, int32_t who);

/* A row of a picture (pictures.c): its name, the figures below that (NULL: the name is a unit), then <svg with the drawing, whose
 * attributes and content the caller adds; after sp_track_classes() those of the names of classes beside it; its height. */
void sp_track_open(sp_page *page, const char *name, const char *figures);
void sp_track_classes(sp_page *page);
void sp_track_close(sp_page *page, int height);

/* Adds one track: name, plot, lane names and, with labels, the error strip. */
void sp_page_track(sp_page *page, const sp_lanes *lanes, const sp_trace *trace, const sp_step_path *path);
/* events.c: adds a row below the track of a hypnogram with arrows to sleep onset, deep sleep and REM. Nothing where the classes
 * are no stages of sleep. */
void sp_page_events(sp_page *page, const sp_lanes *lanes, const sp_step_path *path, int64_t n_steps);
/* density.c: adds the probabilities of the scores as stacked areas, in the order of the lanes. False, and nothing is added,
 * without them, with more than SP_DENSITY_CLASSES classes, or when the page has as many as it has room for. */
bool sp_page_density(sp_page *page, const sp_lanes *lanes, const sp_trace *trace);
/* step_axis.c: adds the axis under tracks of steps from first_step on: in hours where steps have a length, else in the numbers of
 * steps (sp_step_number). */
void sp_page_step_axis(sp_page *page, int64_t first_step, int64_t n_steps);

/* The steps of a recording; NULL: they were not kept. */
const sp_trace *sp_trace_of(const sp_comparison *c, int64_t recording);
/* data.c: adds the steps of as many recordings as there is room for, for the script; returns of how many. *n_densities: of how
 * many the probabilities too. */
int64_t sp_page_step_data(sp_page *page, const sp_lanes *lanes, const sp_ranking *ranking,
                          int64_t *n_densities);

#endif
