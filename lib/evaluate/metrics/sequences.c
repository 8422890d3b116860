/* Entities, segments and edit scores of many paths, without an evaluation. */
#include "evaluate/metrics/sequences.h"

#include <math.h>
#include <string.h>

#include "core/try.h"
#include "evaluate/evaluation.h"
#include "evaluate/metrics/edit.h"

/* Memory for the longest recording: two lists of spans and two lists of runs. */
typedef struct room {
    sp_owned own;
    sp_entity_span *reference, *decoded; /* [T+1] */
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
    *m = (room){.tags = NULL};
    m->reference = sp_zeros(&m->own, (size_t)longest + 1, sizeof *m->reference);
    m->decoded = sp_zeros(&m->own, (size_t)longest + 1, sizeof *m->decoded);
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

/* The edit score of one recording; NaN: it has none. */
static sp_status find_edit(const sp_labelled_paths *p, int64_t n, const uint8_t *background, room *m,
                           double *edit, sp_error *err)
{
    const sp_recording r = recording_of(p, n);
    const int32_t *path = p->paths + p->offsets[n];
    if (!sp_runs_find(&m->wanted, p->n_classes, &r, r.labels, background, NULL) ||
        !sp_runs_find(&m->found, p->n_classes, &r, path, background, NULL))
        return sp_no_memory(err);
    return sp_edit_score(p->n_classes, m->wanted.n, m->wanted.classes, m->found.n, m->found.classes, edit,
                         err);
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
    sp_overlaps_count(&r, p->paths + p->offsets[n], background, &counts);
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
