/* Classes put together: from words, from groups, and the scores of an evaluation by coarser classes. */
#include "statepath/metrics.h"

#include "core/owned.h"
#include "core/try.h"
#include "evaluate/comparison.h"
#include "evaluate/evaluate.h"
#include "evaluate/evaluation.h"
#include "evaluate/metrics/agreement.h"
#include "statepath/status.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* "a / b / c" */
static char *joined(int32_t n, char *const *names)
{
    size_t size = 1;
    for (int32_t i = 0; i < n; i++)
        size += strlen(names[i]) + 3;
    char *out = calloc(size, 1);
    for (int32_t i = 0; out && i < n; i++) {
        strcat(out, i ? " / " : "");
        strcat(out, names[i]);
    }
    return out;
}

static sp_status make_collapse(int32_t n_classes, const int32_t *group_of_class, const char *const *names,
                               sp_collapse *out, sp_error *err)
{
    sp_collapse c = {.n_classes = n_classes};
    c.groups = calloc((size_t)n_classes + 1, sizeof *c.groups);
    c.group_of_class = malloc(((size_t)n_classes + 1) * sizeof *c.group_of_class);
    bool is_whole = c.groups && c.group_of_class;
    for (int32_t k = 0; is_whole && k < n_classes; k++) {
        int32_t first = 0;
        while (group_of_class[first] != group_of_class[k])
            first++;
        if (first < k) {
            c.group_of_class[k] = c.group_of_class[first];
            continue;
        }
        const char *name = names[group_of_class[k]];
        c.group_of_class[k] = c.n_groups;
        is_whole = (c.groups[c.n_groups++] = strdup(name)) != NULL;
    }
    if (is_whole)
        is_whole = (c.name = joined(c.n_groups, c.groups)) != NULL;
    if (!is_whole) {
        sp_collapse_clear(&c);
        return sp_no_memory(err);
    }
    *out = c;
    return SP_OK;
}

/* ---- words ---- */

/* Cuts blanks off both ends, in place. */
static char *trimmed(char *text)
{
    text += strspn(text, " \t");
    size_t n = strlen(text);
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        text[--n] = '\0';
    return text;
}

/* Cuts `*rest` at the next of `ends`; NULL after the last part. */
static char *next_part(char **rest, const char *ends)
{
    char *part = *rest;
    if (!part)
        return NULL;
    char *end = strpbrk(part, ends);
    *rest = end ? end + 1 : NULL;
    if (end)
        *end = '\0';
    return trimmed(part);
}

static sp_status no_class(const char *name, int32_t K, const char *const *classes, sp_error *err)
{
    int32_t nearest = sp_name_nearest(name, K, classes);
    if (nearest >= 0)
        return sp_fail(err, SP_EINVAL, "`collapse`: there is no class '%s'; did you mean %s?", name,
                       classes[nearest]);
    return sp_fail(err, SP_EINVAL, "`collapse`: there is no class '%s'; the classes are %s and %d more", name,
                   classes[0], K - 1);
}

/* One "name=class,class". group_of [K] gets `id` for the classes. */
static sp_status read_group(char *text, int32_t id, int32_t K, const char *const *classes, int32_t *group_of,
                            const char **names, sp_error *err)
{
    char *equals = strchr(text, '=');
    if (!equals)
        return sp_fail(err, SP_EINVAL, "`collapse` '%s': write NAME=CLASS,CLASS; groups are separated by ';'",
                       text);
    *equals = '\0';
    char *name = trimmed(text), *rest = equals + 1;
    if (!*name)
        return sp_fail(err, SP_EINVAL, "`collapse` '=%s': the group has no name", rest);
    for (int32_t g = K; g < id; g++)
        if (strcmp(names[g], name) == 0)
            return sp_fail(err, SP_EINVAL, "`collapse`: two groups are called %s", name);
    for (char *part; (part = next_part(&rest, ",")) != NULL;) {
        int32_t k = 0;
        while (k < K && strcmp(classes[k], part) != 0)
            k++;
        if (k == K)
            return no_class(part, K, classes, err);
        if (group_of[k] != k)
            return sp_fail(err, SP_EINVAL, "`collapse`: class %s is in two groups, %s and %s", part,
                           names[group_of[k]], name);
        group_of[k] = id;
    }
    names[id] = name;
    return SP_OK;
}

sp_status sp_collapse_parse(const char *text, int32_t n_classes, const char *const *classes, sp_collapse *out,
                            sp_error *err)
{
    size_t K = (size_t)n_classes, room = K + strlen(text) + 2;
    sp_owned own = {0};
    char *words = sp_owned_text(&own, text), *rest = words;
    int32_t *group_of = sp_zeros(&own, K, sizeof *group_of), id = n_classes;
    const char **names = sp_zeros(&own, room, sizeof *names);
    sp_collapse made = {0};
    sp_status status = SP_OK;
    TRY(sp_owned_status(&own, err));
    for (int32_t k = 0; k < n_classes; k++) { /* each its own, until a group takes it */
        group_of[k] = k;
        names[k] = classes[k];
    }
    for (char *part; (part = next_part(&rest, ";")) != NULL;)
        if (*part)
            TRY(read_group(part, id++, n_classes, classes, group_of, names, err));
    for (int32_t k = 0; k < n_classes; k++)
        for (int32_t g = n_classes; group_of[k] == k && g < id; g++)
            if (strcmp(names[g], classes[k]) == 0)
                TRY(sp_fail(err, SP_EINVAL, "`collapse`: group %s is called as a class that is not in it",
                            names[g]));
    TRY(make_collapse(n_classes, group_of, names, &made, err));
    if (made.n_groups < 2)
        TRY(sp_fail(err, SP_EINVAL, "`collapse` '%s': one class is left; at least two are needed", text));
    *out = made;
    made = (sp_collapse){0};
done:
    sp_collapse_clear(&made);
    sp_owned_free(&own);
    return status;
}

void sp_collapse_counts(const sp_collapse *c, const int64_t *confusion, const int64_t *undecoded,
                        int64_t *out_confusion, int64_t *out_undecoded)
{
    size_t K = (size_t)c->n_classes, G = (size_t)c->n_groups;
    memset(out_confusion, 0, G * G * sizeof *out_confusion);
    memset(out_undecoded, 0, G * sizeof *out_undecoded);
    for (size_t i = 0; i < K; i++) {
        size_t g = (size_t)c->group_of_class[i];
        for (size_t j = 0; j < K; j++)
            out_confusion[g * G + (size_t)c->group_of_class[j]] += confusion[i * K + j];
        out_undecoded[g] += undecoded ? undecoded[i] : 0;
    }
}

/* ---- inside an evaluation: those asked for, and those that are usual for sleep stages ---- */

static const int32_t sleep_groups[][SP_N_STAGES] = {
    /* Wake N1 N2 N3 REM, numbers of names below */
    {0, 1, 1, 2, 3},
    {0, 4, 4, 4, 3},
    {0, 5, 5, 5, 5},
};
static const char *const sleep_names[] = {"Wake", "Light", "N3", "REM", "NREM", "Sleep"};
enum { N_SLEEP = sizeof sleep_groups / sizeof *sleep_groups };

/* A copy of what was asked for, the sleep stages' own first. */
sp_status sp_collapsed_open(sp_evaluation *e, const sp_evaluation_options *options, sp_error *err)
{
    sp_comparison *c = e->result;
    int32_t n_sleep = options->stage_of_class && options->has_labels ? N_SLEEP : 0;
    int32_t n = n_sleep + (options->has_labels ? options->n_collapses : 0);
    if (n == 0)
        return SP_OK;
    c->n_collapsed_asked = n - n_sleep;
    sp_owned own = {0};
    int32_t *group = sp_zeros(&own, (size_t)e->K, sizeof *group);
    c->collapsed = calloc((size_t)n, sizeof *c->collapsed);
    sp_status status = SP_OK;
    if (!c->collapsed || !group)
        TRY(sp_no_memory(err));
    for (int32_t i = 0; i < n; i++) {
        const sp_collapse *asked = i < n_sleep ? NULL : &options->collapses[i - n_sleep];
        sp_collapsed *one = &c->collapsed[i];
        for (int32_t k = 0; k < e->K; k++)
            group[k] = asked ? asked->group_of_class[k] : sleep_groups[i][options->stage_of_class[k]];
        TRY(make_collapse(e->K, group, asked ? (const char *const *)asked->groups : sleep_names, &one->how,
                          err));
        c->n_collapsed++;
        int64_t G = one->how.n_groups;
        one->strategies = sp_calloc(c->n_strategies, sizeof *one->strategies);
        one->confusion = sp_calloc(c->n_strategies * (G * G + G), sizeof *one->confusion);
        if (!one->strategies || !one->confusion)
            TRY(sp_no_memory(err));
    }
done:
    sp_owned_free(&own);
    return status;
}

void sp_collapsed_finish(sp_evaluation *e)
{
    sp_comparison *c = e->result;
    for (int32_t i = 0; i < c->n_collapsed; i++) {
        sp_collapsed *one = &c->collapsed[i];
        size_t G = (size_t)one->how.n_groups;
        int64_t *undecoded = one->confusion + (size_t)c->n_strategies * G * G;
        for (int32_t s = 0; s < c->n_strategies; s++) {
            const sp_strategy_result *r = &c->strategies[s];
            int64_t *matrix = one->confusion + (size_t)s * G * G;
            sp_collapse_counts(&one->how, r->confusion, r->undecoded_steps, matrix,
                               undecoded + (size_t)s * G);
            sp_agreement_from_confusion((int32_t)G, matrix, undecoded + (size_t)s * G, &one->strategies[s],
                                        NULL);
        }
    }
}
