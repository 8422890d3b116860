/* The steps of recordings for the page's script, as JSON that no browser runs: paths as runs, probabilities in hundredths. With
 * them any recording can be drawn, enlarged and read step by step, and every figure leads to the steps that it counts.
 *
 *   classes, styles     names, and the ends of the style names of their lanes ("-wake", "0"); lanes: of each class its lane from
 * the top strategies          names; focus, argmax: of them; labels: is there a reference; seconds: length of a step, 0: not
 * known illegal, starts     pairs [from, to] that somebody makes and the model forbids; classes that may not begin a recording
 *   rules               names of the rules over more steps
 *   recordings          r: number; id; n: steps; p: runs of each strategy; l: of the reference; g: steps that follow a gap; d:
 * see add_density(); v: see add_violations(); m: see add_minutes()
 *
 * Runs are pairs of class + 1 (0: none) and length, each in base 64, five bits a digit, lowest first, 32 set where more follow
 * (the variable-length quantities of source maps, without sign): mostly two bytes a run. */
#include "report/html/steps/steps.h"

#include <math.h>
#include <stdlib.h>

/* Bytes of all runs, and of all probabilities, of a page. */
enum { RUNS_BUDGET = 200 * 1000, DENSITY_BUDGET = 100 * 1000, DENSITY_BESIDE_SCORES = 50 * 1000 };

/* A text in quotes. */
static void add_text(sp_buffer *out, const char *text)
{
    sp_buffer clean = {0};
    sp_buffer_utf8(&clean, text);
    sp_buffer_text(out, "\"");
    for (const char *c = clean.data; c && *c; c++) {
        const unsigned char byte = (unsigned char)*c;
        if (byte < 0x20 || byte == '"' || byte == '\\' || byte == '<') /* "</script" ends the data */
            sp_buffer_format(out, "\\u%04x", byte);
        else
            sp_buffer_add(out, c, 1);
    }
    sp_buffer_text(out, "\"");
    sp_buffer_drop(&clean, out);
}

static void add_number(sp_buffer *out, uint64_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    do {
        const unsigned digit = (unsigned)(n & 31) | (n > 31 ? 32 : 0);
        sp_buffer_add(out, &digits[digit], 1);
        n >>= 5;
    } while (n);
}

static void add_runs(sp_buffer *out, const int32_t *path, int64_t n)
{
    sp_buffer_text(out, "\"");
    for (int64_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && path[to] == path[from]; to++)
            ;
        add_number(out, (uint64_t)path[from] + 1);
        add_number(out, (uint64_t)(to - from));
    }
    sp_buffer_text(out, "\"");
}

/* Of each step the probabilities of all classes but the last, each as one of 89 signs from "#" on without "<" and "\"; the 90th
 * sign for a step at which none is possible. */
static void add_density(sp_buffer *out, const sp_trace *trace, int32_t K)
{
    enum { LEVELS = 88 };
    char signs[LEVELS + 2];
    int n = 0;
    for (int sign = '#'; n < LEVELS + 2; sign++)
        if (sign != '<' && sign != '\\')
            signs[n++] = (char)sign;
    sp_buffer_text(out, ",\"d\":\"");
    for (int64_t t = 0; t < trace->n_steps; t++) {
        const uint8_t *row = trace->density + t * K;
        int sum = 0;
        for (int32_t k = 0; k < K; k++)
            sum += row[k];
        for (int32_t k = 0; k + 1 < K; k++)
            sp_buffer_add(out, &signs[sum ? (int)lround(LEVELS * (double)row[k] / sum) : LEVELS + 1], 1);
    }
    sp_buffer_text(out, "\"");
}

static void add_gaps(sp_buffer *out, const sp_trace *trace)
{
    bool is_first = true;
    for (int64_t t = 1; trace->segments && t < trace->n_steps; t++)
        if (trace->segments[t] != trace->segments[t - 1]) {
            sp_buffer_format(out, "%s%lld", is_first ? ",\"g\":[" : ",", (long long)t);
            is_first = false;
        }
    sp_buffer_text(out, is_first ? "" : "]");
}

/* Violations of rules over more steps: of each path, the reference last, the steps and rules. */
static void add_violations(const sp_comparison *c, const sp_trace *trace, sp_buffer *out)
{
    bool any = false;
    for (int32_t who = 0; who <= c->n_strategies; who++) {
        int64_t n;
        sp_rule_places_of(c, trace->recording, who, &n);
        any |= n > 0;
    }
    for (int32_t who = 0; any && who <= c->n_strategies; who++) {
        int64_t n;
        const sp_rule_place *places = sp_rule_places_of(c, trace->recording, who, &n);
        sp_buffer_text(out, who ? ",[" : ",\"v\":[[");
        for (int64_t i = 0; i < n; i++)
            sp_buffer_format(out, "%s[%lld,%d]", i ? "," : "", (long long)places[i].step,
                             (int)places[i].rule);
        sp_buffer_text(out, who < c->n_strategies ? "]" : "]]");
    }
}

/* "m": of each strategy and then of the reference the minutes in the lanes, as they are printed: "61.5 80.0 ...". */
static void add_minutes(const sp_comparison *c, const sp_lanes *lanes, int64_t recording, sp_buffer *out)
{
    bool is_first = true;
    for (int32_t who = 0; who <= c->n_strategies; who++) {
        const sp_sleep_statistics *night = sp_night_of(c, lanes, recording, who);
        if (!night)
            continue;
        sp_buffer_text(out, is_first ? ",\"m\":[" : ",");
        is_first = false;
        for (int32_t lane = 0; lane < lanes->n; lane++) {
            sp_buffer_text(out, lane ? " " : "\"");
            sp_add_lane_minutes(c, lanes, night, lane, out);
        }
        sp_buffer_text(out, "\"");
    }
    sp_buffer_text(out, is_first ? "" : "]");
}

static void add_recording(const sp_page *page, const sp_lanes *lanes, const sp_trace *trace, sp_buffer *out)
{
    const sp_comparison *c = page->comparison;
    sp_buffer_format(out, "{\"r\":%lld,\"id\":", (long long)trace->recording);
    add_text(out, c->ids[trace->recording]);
    sp_buffer_format(out, ",\"n\":%lld,\"p\":[", (long long)trace->n_steps);
    for (int32_t s = 0; s < c->n_strategies; s++) {
        sp_buffer_text(out, s ? "," : "");
        add_runs(out, trace->paths[s], trace->n_steps);
    }
    sp_buffer_text(out, "]");
    if (trace->labels) {
        sp_buffer_text(out, ",\"l\":");
        add_runs(out, trace->labels, trace->n_steps);
    }
    add_gaps(out, trace);
    add_violations(c, trace, out);
    add_minutes(c, lanes, trace->recording, out);
}

/* ---- which recordings ---- */

/* The texts of all recordings that there is room for, in the order of the comparison. */
static int64_t add_recordings(sp_page *page, const sp_lanes *lanes, const sp_ranking *ranking,
                              int64_t *n_densities)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *texts = calloc((size_t)c->n_traces + 1, sizeof *texts);
    size_t runs = 0, densities = 0;
    const size_t most_densities = sp_has_what_if(c) ? DENSITY_BESIDE_SCORES : DENSITY_BUDGET;
    int64_t n = 0;
    for (int64_t i = 0; texts && i < c->n_recordings && runs < RUNS_BUDGET; i++) {
        const sp_trace *trace = sp_trace_of(c, ranking->order[i]);
        sp_buffer *text = trace ? &texts[trace - c->traces] : NULL;
        if (!trace)
            continue;
        add_recording(page, lanes, trace, text);
        runs += text->length;
        const size_t more = (size_t)trace->n_steps * (size_t)(c->n_classes - 1);
        if (trace->density && c->n_classes <= SP_DENSITY_CLASSES && densities + more <= most_densities) {
            densities += more;
            add_density(text, trace, c->n_classes);
            *n_densities += 1;
        }
        sp_buffer_text(text, "}");
    }
    page->out.failed |= !texts;
    for (int64_t i = 0; texts && i < c->n_traces; i++) {
        if (texts[i].length)
            sp_buffer_format(&page->out, "%s\n%s", n++ ? "," : "", texts[i].data);
        page->out.failed |= texts[i].failed;
        sp_buffer_free(&texts[i]);
    }
    free(texts);
    return n;
}

/* ---- the whole ---- */

static void add_names(sp_buffer *out, const char *key, int32_t n, char *const *names)
{
    sp_buffer_format(out, "\"%s\":[", key);
    for (int32_t i = 0; i < n; i++) {
        sp_buffer_text(out, i ? "," : "");
        add_text(out, names[i]);
    }
    sp_buffer_text(out, "],\n");
}

/* Every pair that the reference or a strategy makes against the rules, once. */
static void add_illegal(sp_page *page)
{
    int64_t n = 0;
    sp_pair_count *pairs = sp_illegal_union(page->comparison, &n);
    page->out.failed |= !pairs;
    sp_buffer_text(&page->out, "\"illegal\":[");
    for (int64_t i = 0; i < n; i++)
        sp_buffer_format(&page->out, "%s[%d,%d]", i ? "," : "", (int)pairs[i].from, (int)pairs[i].to);
    sp_buffer_text(&page->out, "],\n");
    free(pairs);
}

int64_t sp_page_step_data(sp_page *page, const sp_lanes *lanes, const sp_ranking *ranking,
                          int64_t *n_densities)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    const char *separator = "";
    sp_buffer_text(out, "<script type=\"application/json\" id=\"data\">\n{");
    add_names(out, "classes", c->n_classes, c->classes);
    sp_buffer_text(out, "\"styles\":[");
    for (int32_t k = 0; k < c->n_classes; k++)
        sp_buffer_format(out, "%s\"%s\"", k ? "," : "",
                         sp_lane_style(lanes, 's', lanes->lane_of[k]).text + 1);
    sp_buffer_text(out, "],\n\"lanes\":[");
    for (int32_t k = 0; k < c->n_classes; k++)
        sp_buffer_format(out, "%s%d", k ? "," : "", (int)lanes->lane_of[k]);
    sp_buffer_text(out, "],\n\"starts\":[");
    for (int32_t k = 0; c->start_allowed && k < c->n_classes; k++)
        if (!c->start_allowed[k]) {
            sp_buffer_format(out, "%s%d", separator, (int)k);
            separator = ",";
        }
    sp_buffer_text(out, "],\n");
    sp_buffer_format(out, "\"sleep\":%d,\"labels\":%d,\"focus\":%d,\"argmax\":%d,\"seconds\":",
                     lanes->style.sleep != NULL, (int)c->has_labels, (int)page->focus, (int)page->argmax);
    sp_buffer_real(out, c->epoch_seconds > 0 ? c->epoch_seconds : 0);
    sp_buffer_text(out, ",\n");
    sp_buffer_text(out, "\"strategies\":[");
    for (int32_t s = 0; s < c->n_strategies; s++) {
        sp_buffer_text(out, s ? "," : "");
        add_text(out, c->strategies[s].name);
    }
    sp_buffer_text(out, "],\n");
    add_illegal(page);
    sp_buffer_text(out, "\"rules\":[");
    for (int32_t r = 0; r < c->n_rules; r++) {
        sp_buffer_text(out, r ? "," : "");
        add_text(out, c->rules[r].name);
    }
    sp_buffer_text(out, "],\n\"recordings\":[");
    const int64_t n = add_recordings(page, lanes, ranking, n_densities);
    sp_buffer_text(out, "\n]}\n</script>\n");
    return n;
}
