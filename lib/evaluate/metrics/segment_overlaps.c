/* Which segments of a path fit one of the reference: the counts behind F1@10, 25 and 50 (sp_segments).
 *
 * Each segment of the path chooses the reference's segment of its class with the greatest intersection over union, the first of
 * several. A segment of the reference is matched at a threshold when one that chose it reaches the threshold; who came first does
 * not change the counts. So a walk along both sides need not keep lists. Of the segments that a segment p of the path overlaps
 * only three can be the best: the one that began before p, the longest inside p, and the one in which p ends. The last has not
 * ended when p does, so p waits for its end; the segments of the path that lie inside it have no other choice. */
#include "evaluate/evaluation.h"
#include "evaluate/value.h"

static const double thresholds[SP_N_OVERLAPS] = {0.1, 0.25, 0.5};

/* A segment of a path, and those of its class in the reference that it may be matched with. */
typedef struct path_segment {
    bool is_open;
    int32_t k;
    int64_t first;
    bool has_before;
    int64_t before_first, before_last; /* the reference's that began before it, and the step after its end */
    uint8_t before_matched;            /* bit i: at the i-th threshold */
    int64_t longest;                   /* steps of the longest inside it; 0: none */
} path_segment;

/* {0} before the first step. */
typedef struct overlap_walk {
    sp_segments counts;
    bool in_reference;
    int32_t reference_class;
    int64_t reference_first, longest; /* steps of the longest of the path's inside it, of its class */
    path_segment path, waiting;       /* at hand; began before the reference's at hand, and ended in it */
    int64_t waiting_end;
} overlap_walk;

/* Matches a segment of the reference at every threshold that `overlap` reaches and that is not among its `matched` bits yet. */
static void match(double overlap, uint8_t *matched, sp_segments *counts)
{
    for (int i = 0; i < SP_N_OVERLAPS; i++)
        if (overlap >= thresholds[i] && !(*matched >> i & 1)) {
            *matched |= (uint8_t)(1 << i);
            counts->matched[i]++;
        }
}

/* The choice of a segment of the path that ended at `end`. It may end in a segment of its class, first..last-1, with bits
 * `matched`; NULL: it does not. */
static void choose(path_segment *p, int64_t end, int64_t first, int64_t last, uint8_t *matched,
                   sp_segments *counts)
{
    uint8_t none = 0, *chosen = &none;
    double best = 0;
    if (p->has_before) {
        best = (double)(p->before_last - p->first) / (double)(end - p->before_first);
        chosen = &p->before_matched;
    }
    const double inside = (double)p->longest / (double)(end - p->first);
    if (inside > best) {
        best = inside;
        chosen = &none;
    }
    const double across = matched ? (double)(end - first) / (double)(last - p->first) : 0;
    if (matched && across > best) {
        best = across;
        chosen = matched;
    }
    match(best, chosen, counts);
}

static void end_path(overlap_walk *w, int64_t at)
{
    path_segment *p = &w->path;
    if (!p->is_open)
        return;
    p->is_open = false;
    w->counts.decoded++;
    if (!w->in_reference || w->reference_class != p->k) {
        choose(p, at, 0, 0, NULL, &w->counts);
    } else if (w->reference_first <= p->first) {
        const int64_t length = at - p->first;
        w->longest = length > w->longest ? length : w->longest;
    } else {
        w->waiting = *p;
        w->waiting.is_open = true;
        w->waiting_end = at;
    }
}

static void end_reference(overlap_walk *w, int64_t at)
{
    path_segment *p = &w->path;
    const int64_t first = w->reference_first;
    uint8_t matched = 0;
    if (!w->in_reference)
        return;
    w->in_reference = false;
    w->counts.reference++;
    match((double)w->longest / (double)(at - first), &matched, &w->counts);
    if (w->waiting.is_open)
        choose(&w->waiting, w->waiting_end, first, at, &matched, &w->counts);
    w->waiting.is_open = false;
    w->longest = 0;
    if (!p->is_open || p->k != w->reference_class)
        return;
    if (first < p->first) {
        p->has_before = true;
        p->before_first = first;
        p->before_last = at;
        p->before_matched = matched;
    } else {
        p->longest = at - first > p->longest ? at - first : p->longest;
    }
}

void sp_overlaps_count(const sp_recording *r, const int32_t *path, const uint8_t *background,
                       sp_segments *out)
{
    overlap_walk walk = {.in_reference = false}, *w = &walk;
    sp_stretch at = sp_walk(r, path, r->labels);
    while (sp_stretch_next(&at)) {
        const int64_t t = at.first;
        const bool is_joined = t == 0 || at.is_joined;
        int32_t said = sp_scored_class(r, path, t), label = r->labels[t];
        if (background && said >= 0 && background[said])
            said = -1;
        if (background && label >= 0 && background[label])
            label = -1;
        const bool goes_on = is_joined && w->in_reference && w->reference_class == label;
        if (!is_joined || !w->path.is_open || w->path.k != said) {
            end_path(w, t);
            if (!goes_on)
                end_reference(w, t);
            w->path = (path_segment){.is_open = said >= 0, .k = said, .first = t};
        } else if (!goes_on) {
            end_reference(w, t);
        }
        if (!goes_on && label >= 0) {
            w->in_reference = true;
            w->reference_class = label;
            w->reference_first = t;
        }
    }
    end_path(w, r->n_steps);
    end_reference(w, r->n_steps);
    *out = walk.counts;
}

void sp_segments_add(sp_segments *sum, const sp_segments *counts)
{
    sum->reference += counts->reference;
    sum->decoded += counts->decoded;
    for (int i = 0; i < SP_N_OVERLAPS; i++)
        sum->matched[i] += counts->matched[i];
}

void sp_segments_finish(sp_segments *s)
{
    for (int i = 0; i < SP_N_OVERLAPS; i++)
        s->f1[i] = value_ratio(2 * (double)s->matched[i], (double)(s->reference + s->decoded), "no segments");
}
