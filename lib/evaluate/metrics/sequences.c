/* Entities, segments and edit scores of many paths, without an evaluation. */
#include "evaluate/metrics/sequences.h"

#include <math.h>
#include <string.h>

#include "core/try.h"
#include "evaluate/evaluation.h"
#include "evaluate/metrics/edit.h"

static const int64_t most_edit_cells = INT64_C(1) << 32; /* as in an evaluation */

/* Memory for the longest recording: two lists of spans, a path and two lists of runs. */
typedef struct room {
    sp_owned own;
    sp_entity_span *reference, *decoded; /* [T+1] */
    int32_t *path;                       /* [T] */
    sp_tag *tags;                        /* [K] */
    sp_runs wanted, found;
} room;

static void room_clear(room *m)
{
    free(m->wanted.classes);
    free(m->found.classes);
    sp_owned_free(&m->own);
}

static sp_status room_init(room *m, const sp_labelled_paths *p, sp_error *err)
{
    int64_t longest = 1;
    for (int64_t n = 0; n < p->n_recordings; n++) {
        int64_t T = p->offsets[n + 1] - p->offsets[n];
        longest = T > longest ? T : longest;
    }
    *m = (room){.path = NULL};
    m->reference = sp_zeros(&m->own, (size_t)longest + 1, sizeof *m->reference);
    m->decoded = sp_zeros(&m->own, (size_t)longest + 1, sizeof *m->decoded);
    m->path = sp_zeros(&m->own, (size_t)longest, sizeof *m->path);
    m->tags = sp_zeros(&m->own, (size_t)p->n_classes, sizeof *m->tags);
    return sp_owned_status(&m->own, err);
}

static sp_recording recording_of(const sp_labelled_paths *p, int64_t n)
{
    return (sp_recording){.index = n,
                          .n_steps = p->offsets[n + 1] - p->offsets[n],
                          .labels = p->labels + p->offsets[n],
                          .segments = p->segments ? p->segments + p->offsets[n] : NULL};
}

sp_status sp_classes_are_tags(int32_t n_classes, const char *const *classes, bool *are_tags, sp_error *err)
{
    sp_tag *tags = malloc((size_t)n_classes * sizeof *tags);
    const sp_status status = tags ? sp_tags_read(n_classes, classes, tags, are_tags, err) : sp_no_memory(err);
    free(tags);
    return status;
}

sp_status sp_entities_count(const sp_labelled_paths *p, const char *const *classes, sp_entity_counts *out,
                            sp_error *err)
{
    room m;
    sp_status status = SP_OK;
    memset(out, 0, (size_t)p->n_recordings * sizeof *out);
    TRY(room_init(&m, p, err));
    bool are_tags = false;
    TRY(sp_tags_read(p->n_classes, classes, m.tags, &are_tags, err));
    for (int64_t n = 0; are_tags && n < p->n_recordings; n++) {
        const sp_recording r = recording_of(p, n);
        if (!p->use || p->use[n])
            sp_count_entities(m.tags, &r, p->paths + p->offsets[n], m.reference, m.decoded, &out[n]);
    }
done:
    room_clear(&m);
    return status;
}

/* The edit score of one recording; NaN: it has none. Leaves in m->path the path of scored steps, -1 elsewhere. */
static sp_status find_edit(const sp_labelled_paths *p, int64_t n, const uint8_t *background, room *m,
                           double *edit, sp_error *err)
{
    const sp_recording r = recording_of(p, n);
    const int32_t *path = p->paths + p->offsets[n];
    for (int64_t t = 0; t < r.n_steps; t++)
        m->path[t] = r.labels[t] < 0 ? -1 : path[t];
    if (!sp_runs_find(&m->wanted, &r, r.labels, background, NULL) ||
        !sp_runs_find(&m->found, &r, m->path, background, NULL))
        return sp_no_memory(err);
    const int64_t wanted = m->wanted.n, found = m->found.n, longer = wanted > found ? wanted : found;
    int64_t distance = 0;
    *edit = NAN;
    if (longer == 0 || (wanted > 0 && found > most_edit_cells / wanted))
        return SP_OK;
    const sp_status status =
        sp_edit_distance(p->n_classes, wanted, m->wanted.classes, found, m->found.classes, &distance, err);
    *edit = 1 - (double)distance / (double)longer;
    return status;
}

sp_status sp_segments_count(const sp_labelled_paths *p, int64_t n, const uint8_t *background,
                            sp_segment_counts *out, sp_error *err)
{
    room m;
    sp_segments counts;
    const sp_recording r = recording_of(p, n);
    sp_status status = SP_OK;
    TRY(room_init(&m, p, err));
    TRY(find_edit(p, n, background, &m, &out->edit, err));
    sp_overlaps_count(&r, m.path, background, &counts);
    out->reference = counts.reference;
    out->decoded = counts.decoded;
    for (int i = 0; i < SP_N_OVERLAPS; i++)
        out->matched[i] = counts.matched[i];
done:
    room_clear(&m);
    return status;
}

sp_status sp_edit_scores(const sp_labelled_paths *p, double *out, sp_error *err)
{
    room m;
    sp_status status = SP_OK;
    TRY(room_init(&m, p, err));
    for (int64_t n = 0; n < p->n_recordings; n++) {
        out[n] = NAN;
        if (!p->use || p->use[n])
            TRY(find_edit(p, n, NULL, &m, &out[n], err));
    }
done:
    room_clear(&m);
    return status;
}
