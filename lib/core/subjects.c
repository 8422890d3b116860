/* Which recordings belong together: from their names or ids. */
#include "core/subjects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sp_subjects_free(sp_subjects *s)
{
    if (!s)
        return;
    for (int32_t i = 0; s->names && i < s->n_subjects; i++)
        free(s->names[i]);
    free(s->names);
    free(s->of_recording);
    free(s->place);
    free(s);
}

/* ---- from names to numbers ---- */

typedef struct named {
    const char *name;
    size_t length;
    int64_t index;
} named;

static int compare_names(const named *a, const named *b)
{
    size_t n = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->name, b->name, n);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

static int by_name_then_index(const void *a, const void *b)
{
    const named *x = a, *y = b;
    int order = compare_names(x, y);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* Numbers in the order of appearance: each recording first takes the index of the first one of its name. */
static sp_status number(sp_subjects *s, named *list, sp_error *err)
{
    int64_t n = s->n_recordings;
    qsort(list, (size_t)n, sizeof *list, by_name_then_index);
    for (int64_t i = 0, first = 0; i < n; i++) {
        first = i && compare_names(&list[first], &list[i]) == 0 ? first : i;
        s->of_recording[list[i].index] = (int32_t)list[first].index;
        s->n_subjects += first == i;
    }
    s->names = calloc((size_t)s->n_subjects + 1, sizeof *s->names);
    if (!s->names)
        return sp_no_memory(err);
    /* A first recording comes before the others of its subject, so its number is there when they ask for it. */
    int32_t next = 0;
    for (int64_t i = 0; i < n; i++) {
        int32_t first = s->of_recording[i];
        s->of_recording[i] = first == i ? next++ : s->of_recording[first];
    }
    for (int64_t i = 0; i < n; i++) {
        char **name = &s->names[s->of_recording[list[i].index]];
        if (!*name && !(*name = strndup(list[i].name, list[i].length)))
            return sp_no_memory(err);
    }
    return SP_OK;
}

sp_status sp_subjects_from_names(int64_t n, const char *const *names, char stop, const char *place,
                                 sp_subjects **out, sp_error *err)
{
    if (n > INT32_MAX)
        return sp_fail(err, SP_EINVAL, "%lld recordings are too many to be grouped by subject", (long long)n);
    sp_subjects *s = calloc(1, sizeof *s);
    named *list = malloc(((size_t)n + 1) * sizeof *list);
    if (s) {
        s->n_recordings = n;
        s->of_recording = calloc((size_t)n + 1, sizeof *s->of_recording);
        s->place = strdup(place);
    }
    sp_status status = SP_OK;
    if (!s || !list || !s->of_recording || !s->place)
        status = sp_no_memory(err);
    for (int64_t i = 0; status == SP_OK && i < n; i++) {
        const char *end = stop ? strchr(names[i], stop) : NULL;
        list[i] = (named){names[i], end ? (size_t)(end - names[i]) : strlen(names[i]), i};
    }
    if (status == SP_OK)
        status = number(s, list, err);
    free(list);
    if (status == SP_OK)
        *out = s;
    else
        sp_subjects_free(s);
    return status;
}

sp_status sp_groups_read(const char *text, sp_groups *out, sp_error *err)
{
    static const char prefix[] = "prefix:";
    const size_t n = sizeof prefix - 1;
    *out = (sp_groups){.by = SP_GROUPS_USUAL};
    if (!text)
        return SP_OK;
    if (strcmp(text, "none") == 0)
        out->by = SP_GROUPS_NONE;
    else if (strncmp(text, prefix, n) != 0)
        *out = (sp_groups){.by = SP_GROUPS_PLACE, .place = text};
    else if (strlen(text) != n + 1)
        return sp_fail(err, SP_EINVAL,
                       "`groups` %s: write prefix:C with one character C; recordings whose ids are equal up "
                       "to the first C then "
                       "belong together, for example `groups` prefix:_ for s1_00, s1_01",
                       text);
    else
        *out = (sp_groups){.by = SP_GROUPS_PREFIX, .mark = text[n]};
    return SP_OK;
}

sp_status sp_subjects_from_ids(int64_t n, const char *const *ids, const sp_groups *groups, const char *file,
                               sp_subjects **out, sp_error *err)
{
    char place[64];
    *out = NULL;
    if (groups->by == SP_GROUPS_PLACE)
        return sp_fail(err, SP_EINVAL,
                       "`groups` %s: %s has nothing beside its steps but the recordings' names; write "
                       "prefix:C, for example "
                       "`groups` prefix:_ for s1_00, s1_01",
                       groups->place, file);
    if (groups->by != SP_GROUPS_PREFIX)
        return SP_OK;
    snprintf(place, sizeof place, "ids up to the first '%c'", groups->mark);
    return sp_subjects_from_names(n, ids, groups->mark, place, out, err);
}

sp_status sp_subjects_of_recordings(int64_t n, const char *const *ids, const char *const *texts,
                                    const char *what, bool is_asked, const char *file, sp_subjects **out,
                                    sp_error *err)
{
    char place[300];
    for (int64_t r = 0; r < n; r++)
        if (!texts[r] || !*texts[r])
            return sp_fail(
                err, is_asked ? SP_EFILE : SP_EDATA,
                "%s: recording %s has no attribute or dataset %s that names its subject; write it for every "
                "recording, or leave subjects aside with `groups` none",
                file, ids[r], what);
    snprintf(place, sizeof place, "%s of each recording", what);
    return sp_subjects_from_names(n, texts, '\0', place, out, err);
}
