/* Which parts there are, whether they go together, and the order of their recordings. */
#include "parts/merged_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/names.h"
#include "core/subjects.h"
#include "core/try.h"
#include "evaluate/counts/kept_steps.h"

sp_status sp_merged_parts_new(sp_merged_parts *m, int64_t n, sp_error *err)
{
    *m = (sp_merged_parts){.n_parts = n};
    m->parts = sp_zeros(&m->own, (size_t)n, sizeof *m->parts);
    return m->parts ? SP_OK : sp_no_memory(err);
}

void sp_merged_parts_close(sp_merged_parts *m)
{
    for (int64_t i = 0; m->parts && i < m->n_parts; i++)
        sp_part_content_clear(&m->parts[i]);
    sp_owned_free(&m->own);
}

/* ---- do they go together? ---- */

/* What is equal in two headers is held once. False: no memory. */
static bool share(json_t *first, json_t *one)
{
    const char *key;
    json_t *value;
    bool is_whole = true;
    json_object_foreach(first, key, value)
    {
        json_t *other = json_object_get(one, key);
        if (other && json_equal(value, other))
            is_whole &= json_object_set(one, key, value) == 0;
    }
    return is_whole;
}

/* What must be equal, and what it is called. */
static const struct {
    const char *key, *what;
} agreed[] = {{"kind", "they were made by two commands"},
              {"n_classes", "their numbers of classes differ"},
              {"classes", "the names of their classes differ"},
              {"model", "their models differ"},
              {"strategies", "their strategies differ"},
              {"seconds", "the lengths of their steps differ"},
              {"raters", "their scorers differ"},
              {"subjects_place", "their subjects are named in other places, or only one has any"},
              {"path_codes", "the codes of their paths differ"},
              {"label_codes", "the codes of their labels differ"},
              {"labels_file", "their files of labels differ"}};

static const char *other_member(json_t *a, json_t *b)
{
    const char *key;
    json_t *value;
    json_object_foreach(a, key, value) if (!json_equal(value, json_object_get(b, key))) return key;
    json_object_foreach(b, key, value) if (!json_object_get(a, key)) return key;
    return NULL;
}

static sp_status check_agreed(const sp_part_content *first, const sp_part_content *one, sp_error *err)
{
    for (size_t i = 0; i < sizeof agreed / sizeof agreed[0]; i++)
        if (!json_equal(json_object_get(first->header, agreed[i].key),
                        json_object_get(one->header, agreed[i].key)))
            return sp_fail(err, SP_EDATA, "%s and %s do not go together: %s", first->name, one->name,
                           agreed[i].what);
    const char *option =
        other_member(json_object_get(first->header, "options"), json_object_get(one->header, "options"));
    if (option)
        return sp_fail(err, SP_EDATA, "%s and %s do not go together: they were made with another `%s`",
                       first->name, one->name, option);
    json_t *a = json_object_get(first->header, "has"), *b = json_object_get(one->header, "has");
    const char *part = other_member(a, b);
    if (part && strcmp(part, "steps") == 0)
        return sp_fail(err, SP_EDATA,
                       "%s and %s do not go together: only one of them holds paths (`part_steps`)",
                       first->name, one->name);
    return part ? sp_fail(err, SP_EDATA, "%s and %s do not go together: %s has %s, the other has not",
                          first->name, one->name,
                          json_is_true(json_object_get(a, part)) ? first->name : one->name, part)
                : SP_OK;
}

/* ---- the files that they are of ---- */

static int64_t whole(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* How many of a header's inputs are files of recordings; after them stand those of labels. */
static int64_t n_files_of(const json_t *header)
{
    const int64_t n = whole(header, "n_files");
    return n ? n : 1;
}

static int compare_inputs(const void *a, const void *b)
{
    const sp_merged_input *x = a, *y = b;
    const int order = sp_natural_compare(x->name, y->name);
    return order ? order : strcmp(x->name, y->name);
}

static bool are_one_run(const sp_merged_parts *m)
{
    json_t *first = m->parts[0].header;
    for (int64_t p = 1; p < m->n_parts; p++)
        if (!json_equal(json_object_get(first, "inputs"), json_object_get(m->parts[p].header, "inputs")) ||
            !json_equal(json_object_get(first, "command"), json_object_get(m->parts[p].header, "command")))
            return false;
    return true;
}

/* Inputs of part p that no part before names; `found` holds the number of each by name. */
static sp_status add_inputs(sp_merged_parts *m, int64_t p, json_t *found, int64_t *room, sp_error *err)
{
    json_t *inputs = json_object_get(m->parts[p].header, "inputs");
    for (int64_t i = 0; i < (int64_t)json_array_size(inputs); i++) {
        json_t *said = json_array_get(inputs, (size_t)i), *before;
        const char *name = json_string_value(json_object_get(said, "name"));
        if (!name)
            return sp_fail(err, SP_EDATA, "%s: names no input; the file is damaged: make it again",
                           m->parts[p].name);
        if ((before = json_object_get(found, name)) != NULL) {
            const sp_merged_input *known = &m->inputs[json_integer_value(before)];
            if (!json_equal(said, known->said))
                return sp_fail(err, SP_EDATA, "%s has changed between %s and %s; make both of the same file",
                               name, m->parts[known->part].name, m->parts[p].name);
            continue;
        }
        if (m->n_inputs == *room) {
            sp_merged_input *more = sp_zeros(&m->own, (size_t)(*room = 2 * *room + 16), sizeof *more);
            if (!more)
                return sp_no_memory(err);
            if (m->n_inputs)
                memcpy(more, m->inputs, (size_t)m->n_inputs * sizeof *more);
            m->inputs = more;
        }
        m->inputs[m->n_inputs] = (sp_merged_input){
            .name = name,
            .said = said,
            .part = p,
            .n_recordings = i < n_files_of(m->parts[p].header) ? whole(said, "recordings") : -1,
            .n_steps = whole(said, "steps"),
            .bytes = whole(said, "bytes")};
        if (json_object_set_new(found, name, json_integer(m->n_inputs++)) != 0)
            return sp_no_memory(err);
    }
    return SP_OK;
}

/* Only files of recordings stay, in order; `found` then holds their numbers. */
static sp_status order_inputs(sp_merged_parts *m, json_t *found, sp_error *err)
{
    int64_t n = 0;
    for (int64_t i = 0; i < m->n_inputs; i++)
        if (m->inputs[i].n_recordings >= 0)
            m->inputs[n++] = m->inputs[i];
    m->n_inputs = n;
    if (!m->is_one_run)
        qsort(m->inputs, (size_t)n, sizeof *m->inputs, compare_inputs);
    json_object_clear(found);
    int64_t sums[3] = {0};
    for (int64_t i = 0; i < n; i++) {
        const int64_t numbers[] = {m->inputs[i].n_recordings, m->inputs[i].n_steps, m->inputs[i].bytes};
        for (int k = 0; k < 3; k++)
            if (numbers[k] < 0 || numbers[k] > INT64_MAX - sums[k])
                return sp_fail(err, SP_EDATA,
                               "%s: its input %s has impossible numbers; the file is damaged: make it again",
                               m->parts[m->inputs[i].part].name, m->inputs[i].name);
            else
                sums[k] += numbers[k];
        if (json_object_set_new(found, m->inputs[i].name, json_integer(i)) != 0)
            return sp_no_memory(err);
    }
    return n ? SP_OK
             : sp_fail(err, SP_EDATA, "%s: names no input; the file is damaged: make it again",
                       m->parts[0].name);
}

/* ---- the order of recordings ---- */

typedef struct located {
    int64_t input, place, part, recording;
} located;

static int compare_located(const void *a, const void *b)
{
    const located *x = a, *y = b;
    if (x->input != y->input)
        return x->input < y->input ? -1 : 1;
    return x->place != y->place ? (x->place < y->place ? -1 : 1) : (x->part > y->part) - (x->part < y->part);
}

static sp_status fail_twice(const sp_merged_parts *m, const located *a, const located *b, sp_error *err)
{
    const char *id = m->parts[a->part].ids[a->recording], *of = m->is_of_files ? " of " : "";
    return sp_fail(err, SP_EDATA, "recording %s%s%s is in %s and in %s; leave one of them out", id, of,
                   m->is_of_files ? m->inputs[a->input].name : "", m->parts[a->part].name,
                   m->parts[b->part].name);
}

static sp_status locate(const sp_merged_parts *m, const json_t *found, located *all, sp_error *err)
{
    int64_t at = 0;
    for (int64_t p = 0; p < m->n_parts; p++) {
        const sp_part_content *part = &m->parts[p];
        const json_t *inputs = json_object_get(part->header, "inputs");
        for (int64_t r = 0; r < part->counted.n_recordings; r++) {
            const int64_t file = sp_count_at(&part->origins, 2 * r),
                          place = sp_count_at(&part->origins, 2 * r + 1);
            const char *name =
                file >= 0 && file < n_files_of(part->header)
                    ? json_string_value(json_object_get(json_array_get(inputs, (size_t)file), "name"))
                    : NULL;
            const json_t *number = name ? json_object_get(found, name) : NULL;
            if (!number || place < 0 || place >= m->inputs[json_integer_value(number)].n_recordings)
                return sp_fail(err, SP_EDATA,
                               "%s: recording %lld is of no input; the file is damaged: make it again",
                               part->name, (long long)r);
            all[at++] = (located){json_integer_value(number), place, p, r};
        }
    }
    qsort(all, (size_t)at, sizeof *all, compare_located);
    for (int64_t r = 1; r < at; r++)
        if (all[r].input == all[r - 1].input && all[r].place == all[r - 1].place)
            return fail_twice(m, &all[r - 1], &all[r], err);
    return SP_OK;
}

/* Recordings in memory of several runs: in the natural order of their ids. */
typedef struct named {
    const char *id;
    located at;
} named;

static int compare_named(const void *a, const void *b)
{
    return sp_natural_compare(((const named *)a)->id, ((const named *)b)->id);
}

static sp_status order_by_id(const sp_merged_parts *m, located *all, sp_error *err)
{
    const int64_t n = m->n_recordings;
    named *sorted = malloc((size_t)(n + 1) * sizeof *sorted);
    if (!sorted)
        return sp_no_memory(err);
    for (int64_t r = 0; r < n; r++)
        sorted[r] = (named){m->parts[all[r].part].ids[all[r].recording], all[r]};
    qsort(sorted, (size_t)n, sizeof *sorted, compare_named);
    sp_status status = SP_OK;
    for (int64_t r = 0; r < n; r++) {
        all[r] = sorted[r].at;
        if (status == SP_OK && r > 0 && strcmp(sorted[r].id, sorted[r - 1].id) == 0)
            status = fail_twice(m, &all[r - 1], &all[r], err);
    }
    free(sorted);
    return status;
}

/* What comes first in a part is to come first in the whole: so ids of parts ascend. */
static sp_status check_ids_ascend(const sp_merged_parts *m, sp_error *err)
{
    for (int64_t p = 0; p < m->n_parts; p++)
        for (int64_t r = 1; r < m->parts[p].counted.n_recordings; r++)
            if (sp_natural_compare(m->parts[p].ids[r - 1], m->parts[p].ids[r]) > 0)
                return sp_fail(err, SP_EDATA,
                               "%s is a shard in which recording %s stands before %s; to be merged with "
                               "parts of other recordings "
                               "it must be made of recordings in the natural order of their ids",
                               m->parts[p].name, m->parts[p].ids[r - 1], m->parts[p].ids[r]);
    return SP_OK;
}

/* What a recording is called: as its part says; of several files with the stem of its own before it, which is written to `made`
 * (NULL: not yet), *bytes further on. */
static const char *id_of(const sp_merged_parts *m, const located *at, char *made, size_t *bytes)
{
    const char *id = m->parts[at->part].ids[at->recording], *stem = m->inputs[at->input].stem;
    if (!stem || whole(m->parts[at->part].header, "n_files") > 0)
        return id;
    if (m->inputs[at->input].n_recordings == 1)
        return stem;
    made = made ? made + *bytes : NULL;
    if (made)
        sprintf(made, "%s/%s", stem, id);
    *bytes += strlen(stem) + strlen(id) + 2;
    return made;
}

static sp_status set_order(sp_merged_parts *m, const located *all, sp_error *err)
{
    size_t room = 0, at = 0;
    for (int64_t r = 0; r < m->n_recordings; r++)
        (void)id_of(m, &all[r], NULL, &room);
    char *made = sp_zeros(&m->own, room, 1);
    if (!made)
        return sp_no_memory(err);
    for (int64_t r = 0; r < m->n_recordings; r++) {
        const sp_part_content *part = &m->parts[all[r].part];
        const int64_t steps = sp_part_steps(part, all[r].recording);
        if (steps < 0 || steps > SP_MOST_COUNTED - m->offsets[r])
            return sp_fail(err, SP_EDATA,
                           "%s: recording %lld has no number of steps; the file is damaged: make it again",
                           part->name, (long long)all[r].recording);
        m->offsets[r + 1] = m->offsets[r] + steps;
        m->ids[r] = id_of(m, &all[r], made, &at);
        m->order[r] = (sp_counted_place){.part = (int32_t)all[r].part, .recording = all[r].recording};
    }
    return SP_OK;
}

/* ---- what is missing ---- */

/* Shards i of n that no part is, of parts that are all shards of one run: "2/3, 3/3". Nothing: there are none, or no memory. */
static bool list_shards(sp_merged_parts *m, char *text, size_t size)
{
    enum { NAMED = 8, MOST = 1000000 };
    const int64_t n = json_integer_value(json_array_get(json_object_get(m->parts[0].header, "shard"), 1));
    bool *is_there =
        m->is_one_run && n > 1 && n <= MOST ? sp_zeros(&m->own, (size_t)n + 1, sizeof *is_there) : NULL;
    for (int64_t p = 0; is_there && p < m->n_parts; p++) {
        const json_t *shard = json_object_get(m->parts[p].header, "shard");
        const int64_t i = json_integer_value(json_array_get(shard, 0));
        if (i < 1 || i > n || json_integer_value(json_array_get(shard, 1)) != n)
            return false;
        is_there[i] = true;
    }
    size_t at = 0;
    int64_t n_missing = 0;
    for (int64_t i = 1; is_there && i <= n; i++)
        if (!is_there[i] && ++n_missing <= NAMED)
            at += (size_t)snprintf(text + at, size - at, "%s%lld/%lld", n_missing > 1 ? ", " : "",
                                   (long long)i, (long long)n);
    if (n_missing > NAMED)
        snprintf(text + at, size - at, " and %lld more", (long long)n_missing - NAMED);
    return n_missing > 0;
}

static sp_status find_missing(sp_merged_parts *m, bool is_allowed, sp_error *err)
{
    int64_t all = 0;
    char text[400], shards[256];
    for (int64_t i = 0; i < m->n_inputs; i++)
        all += m->inputs[i].n_recordings;
    if (all == m->n_recordings)
        return SP_OK;
    if (list_shards(m, shards, sizeof shards))
        snprintf(text, sizeof text, "shards %s, with %lld of %lld recordings", shards,
                 (long long)(all - m->n_recordings), (long long)all);
    else
        snprintf(text, sizeof text, "%lld of %lld recordings of %s%s", (long long)(all - m->n_recordings),
                 (long long)all, m->inputs[0].name, m->n_inputs > 1 ? " and other files" : "");
    if (!is_allowed)
        return sp_fail(err, SP_EDATA,
                       "parts are missing: %s; name them too, or let `allow_missing` leave them out", text);
    m->missing = sp_owned_text(&m->own, text);
    return m->missing ? SP_OK : sp_no_memory(err);
}

/* ---- opening ---- */

static bool have_one_name(const sp_part_content *a, const sp_part_content *b)
{
    return json_equal(json_object_get(a->header, "about"), json_object_get(b->header, "about"));
}

static sp_status check_all(sp_merged_parts *m, sp_error *err)
{
    sp_status status = SP_OK;
    for (int64_t p = 0; status == SP_OK && p < m->n_parts; p++) {
        if (p > 0)
            status = check_agreed(&m->parts[0], &m->parts[p], err);
        if (status == SP_OK && !m->is_of_files && !have_one_name(&m->parts[0], &m->parts[p]))
            status =
                sp_fail(err, SP_EDATA, "%s and %s do not go together: their scores have other names (`name`)",
                        m->parts[0].name, m->parts[p].name);
        if (status == SP_OK && p > 0 && !share(m->parts[0].header, m->parts[p].header))
            status = sp_no_memory(err);
        m->n_recordings += m->parts[p].counted.n_recordings;
    }
    m->is_one_run = status == SP_OK && are_one_run(m);
    return status;
}

/* Where the steps of each recording of part p stand. False: they are not those of its recordings. */
static bool find_steps_of(sp_merged_parts *m, int64_t p)
{
    const sp_part_content *part = &m->parts[p];
    const int64_t n = part->counted.n_recordings;
    const sp_kept_form form = {.has_labels = m->info.has_labels,
                               .has_segments = m->info.has_segments,
                               .is_relaxed = m->is_relaxed,
                               .n_strategies =
                                   (int32_t)json_array_size(json_object_get(part->header, "strategies")),
                               .n_classes = m->info.n_classes};
    int64_t *n_steps = sp_zeros(&m->own, (size_t)n, sizeof *n_steps);
    m->steps[p] = sp_zeros(&m->own, (size_t)n, sizeof **m->steps);
    if (m->own.is_short)
        return true;
    for (int64_t r = 0; r < n; r++)
        n_steps[r] = sp_part_steps(part, r);
    return sp_kept_steps_check(&part->counted.lists[SP_COUNTED_STEPS], &form, n, n_steps, m->steps[p]);
}

static sp_status find_steps(sp_merged_parts *m, sp_error *err)
{
    if (!json_is_true(json_object_get(json_object_get(m->parts[0].header, "has"), "steps")))
        return SP_OK;
    m->steps = sp_zeros(&m->own, (size_t)m->n_parts, sizeof *m->steps);
    for (int64_t p = 0; m->steps && p < m->n_parts; p++)
        if (!find_steps_of(m, p))
            return sp_fail(
                err, SP_EDATA,
                "%s: its steps are not those of its recordings; the file is damaged: make it again",
                m->parts[p].name);
    return sp_owned_status(&m->own, err);
}

static sp_status describe(sp_merged_parts *m, sp_error *err)
{
    json_t *header = m->parts[0].header, *has = json_object_get(header, "has"),
           *classes = json_object_get(header, "classes");
    sp_source_info *info = &m->info;
    const int64_t n_classes = whole(header, "n_classes");
    const char **columns =
        json_is_array(classes) ? sp_zeros(&m->own, json_array_size(classes), sizeof *columns) : NULL;
    m->files = sp_zeros(&m->own, (size_t)m->n_inputs, sizeof *m->files);
    sp_status status = sp_owned_status(&m->own, err);
    for (size_t k = 0; columns && k < json_array_size(classes); k++)
        columns[k] = json_string_value(json_array_get(classes, k));
    for (int64_t i = 0; status == SP_OK && i < m->n_inputs; i++) {
        m->files[i] = (sp_source_file){.name = m->inputs[i].name,
                                       .n_recordings = m->inputs[i].n_recordings,
                                       .n_steps = m->inputs[i].n_steps};
        info->file_size += m->inputs[i].bytes;
    }
    if (status != SP_OK)
        return status;
    const bool is_one = !m->is_of_files || (m->is_one_run ? whole(header, "n_files") == 0 : m->n_inputs == 1);
    info->file = m->about ? m->about : json_string_value(json_object_get(header, "about"));
    info->n_files = is_one ? 0 : m->n_inputs;
    info->files = is_one ? NULL : m->files;
    info->kind = SP_KIND_LOG_PROBS;
    info->dtype = SP_F32;
    info->has_scores = strcmp(json_string_value(json_object_get(header, "kind")), "evaluate") != 0;
    info->n_recordings = m->n_recordings;
    info->n_steps = m->offsets[m->n_recordings];
    info->n_classes = (int32_t)n_classes;
    info->ids = m->ids;
    info->has_ids = true;
    info->offsets = m->offsets;
    info->classes = columns;
    info->has_labels = json_is_true(json_object_get(has, "labels"));
    info->has_segments = json_is_true(json_object_get(has, "segments"));
    info->is_simulated = json_is_true(json_object_get(has, "simulated"));
    sp_run_options o = sp_run_options_default();
    m->is_relaxed = info->has_scores &&
                    sp_part_options_read(json_object_get(header, "options"), &m->own, &o) &&
                    sp_run_infeasible(&o) == SP_INFEASIBLE_RELAX;
    return info->file && n_classes > 0 && n_classes <= INT32_MAX
               ? SP_OK
               : sp_fail(err, SP_EDATA, "%s: its header lacks something; the file is damaged: make it again",
                         m->parts[0].name);
}

sp_status sp_merged_parts_arrange(sp_merged_parts *m, bool allow_missing, sp_name_inputs *name_inputs,
                                  sp_error *err)
{
    json_t *found = json_object();
    located *all = NULL;
    int64_t room = 0;
    sp_status status = SP_OK;
    m->is_of_files = name_inputs != NULL;
    TRY(found ? check_all(m, err) : sp_no_memory(err));
    for (int64_t p = 0; p < m->n_parts; p++)
        TRY(add_inputs(m, p, found, &room, err));
    TRY(order_inputs(m, found, err));
    if (m->is_of_files)
        TRY(name_inputs(m, err));
    const size_t N = (size_t)m->n_recordings;
    all = malloc((N + 1) * sizeof *all);
    m->order = sp_zeros(&m->own, N, sizeof *m->order);
    m->offsets = sp_zeros(&m->own, N + 1, sizeof *m->offsets);
    m->ids = sp_zeros(&m->own, N + 1, sizeof *m->ids);
    TRY(all ? sp_owned_status(&m->own, err) : sp_no_memory(err));
    TRY(locate(m, found, all, err));
    if (!m->is_of_files && !m->is_one_run) {
        TRY(check_ids_ascend(m, err));
        TRY(order_by_id(m, all, err));
    }
    TRY(find_missing(m, allow_missing, err));
    TRY(set_order(m, all, err));
    TRY(describe(m, err));
    TRY(find_steps(m, err));
done:
    free(all);
    json_decref(found);
    return status;
}

/* ---- of all recordings ---- */

sp_status sp_merged_parts_subjects(const sp_merged_parts *m, const sp_groups *groups, sp_subjects **out,
                                   sp_error *err)
{
    const char *place = json_string_value(json_object_get(m->parts[0].header, "subjects_place"));
    *out = NULL;
    if (!place)
        return SP_OK;
    const char **names = malloc(((size_t)m->n_recordings + 1) * sizeof *names);
    if (!names)
        return sp_no_memory(err);
    for (int64_t r = 0; r < m->n_recordings; r++)
        names[r] = m->parts[m->order[r].part].subjects[m->order[r].recording];
    sp_status status = groups->by == SP_GROUPS_PREFIX /* the ids are those of all files now */
                           ? sp_subjects_from_ids(m->n_recordings, m->ids, groups, m->info.file, out, err)
                           : sp_subjects_from_names(m->n_recordings, names, '\0', place, out, err);
    free(names);
    for (int64_t r = 0; status == SP_OK && *out && r < m->n_recordings; r++)
        m->order[r].subject = (*out)->of_recording[r];
    return status;
}

void sp_merged_parts_drop_counts(sp_merged_parts *m)
{
    for (int64_t p = 0; p < m->n_parts; p++) {
        for (int i = 0; i < SP_N_COUNTED; i++)
            if (i != SP_COUNTED_STEPS)
                sp_count_list_free(&m->parts[p].counted.lists[i]);
        sp_count_list_free(&m->parts[p].origins);
        sp_count_list_free(&m->parts[p].folds);
    }
}

void sp_merged_parts_steps(const sp_merged_parts *m, int64_t recording, int32_t stream, int64_t first,
                           int64_t n, int32_t *out, int64_t *wide)
{
    const sp_counted_place *from = &m->order[recording];
    sp_kept_steps_read(&m->parts[from->part].counted.lists[SP_COUNTED_STEPS],
                       m->steps[from->part][from->recording], stream, first, n, out, wide);
}
