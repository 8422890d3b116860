#include "statepath/collapse.h"

#include "statepath/name_hint.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void sp_collapse_clear(sp_collapse *c)
{
    for (int32_t g = 0; c->groups && g < c->n_groups; g++)
        free(c->groups[g]);
    free(c->groups);
    free(c->group_of_class);
    free(c->name);
    *c = (sp_collapse){0};
}

static char *copy(const char *text, size_t n)
{
    char *out = malloc(n + 1);
    if (out) {
        memcpy(out, text, n);
        out[n] = '\0';
    }
    return out;
}

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

sp_status sp_collapse_make(int32_t n_classes, const int32_t *group_of_class, const char *const *names, sp_collapse *out,
                           sp_error *err)
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
        is_whole = (c.groups[c.n_groups++] = copy(name, strlen(name))) != NULL;
    }
    if (is_whole)
        is_whole = (c.name = joined(c.n_groups, c.groups)) != NULL;
    if (!is_whole) {
        sp_collapse_clear(&c);
        return sp_fail(err, SP_ENOMEM, "no memory to put %d classes together", n_classes);
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
        return sp_fail(err, SP_EINVAL, "`collapse`: there is no class '%s'; did you mean %s?", name, classes[nearest]);
    return sp_fail(err, SP_EINVAL, "`collapse`: there is no class '%s'; the classes are %s and %d more", name, classes[0], K - 1);
}

/* One "name=class,class". group_of [K] gets `id` for the classes. */
static sp_status read_group(char *text, int32_t id, int32_t K, const char *const *classes, int32_t *group_of, const char **names,
                            sp_error *err)
{
    char *equals = strchr(text, '=');
    if (!equals)
        return sp_fail(err, SP_EINVAL, "`collapse` '%s': write NAME=CLASS,CLASS; groups are separated by ';'", text);
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
            return sp_fail(err, SP_EINVAL, "`collapse`: class %s is in two groups, %s and %s", part, names[group_of[k]], name);
        group_of[k] = id;
    }
    names[id] = name;
    return SP_OK;
}

sp_status sp_collapse_parse(const char *text, int32_t n_classes, const char *const *classes, sp_collapse *out, sp_error *err)
{
    size_t K = (size_t)n_classes, room = K + strlen(text) + 2;
    char *words = copy(text, strlen(text)), *rest = words;
    int32_t *group_of = malloc((K + 1) * sizeof *group_of), id = n_classes;
    const char **names = calloc(room, sizeof *names);
    sp_status status = words && group_of && names ? SP_OK : sp_fail(err, SP_ENOMEM, "no memory to put classes together");
    for (int32_t k = 0; status == SP_OK && k < n_classes; k++) { /* each its own, until a group takes it */
        group_of[k] = k;
        names[k] = classes[k];
    }
    for (char *part; status == SP_OK && (part = next_part(&rest, ";")) != NULL;)
        if (*part)
            status = read_group(part, id++, n_classes, classes, group_of, names, err);
    for (int32_t k = 0; status == SP_OK && k < n_classes; k++)
        for (int32_t g = n_classes; group_of[k] == k && g < id; g++)
            if (strcmp(names[g], classes[k]) == 0)
                status = sp_fail(err, SP_EINVAL, "`collapse`: group %s is called as a class that is not in it", names[g]);
    if (status == SP_OK)
        status = sp_collapse_make(n_classes, group_of, names, out, err);
    if (status == SP_OK && out->n_groups < 2) {
        sp_collapse_clear(out);
        status = sp_fail(err, SP_EINVAL, "`collapse` '%s': one class is left; at least two are needed", text);
    }
    free(words);
    free(group_of);
    free(names);
    return status;
}

void sp_collapse_counts(const sp_collapse *c, const int64_t *confusion, const int64_t *undecoded, int64_t *out_confusion,
                        int64_t *out_undecoded)
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
