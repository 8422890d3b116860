#include "pipeline/against.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "evaluate/evaluate.h"

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

sp_status sp_against_check_name(const char *name, sp_error *err)
{
    static const char inside[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    sp_strategy strategy;
    const size_t n = strlen(name);
    if (n == 0 || n >= SP_AGAINST_NAME || !strchr(letters, name[0]) || strspn(name, inside) != n)
        return sp_fail(
            err, SP_EINVAL,
            "\"%s\" cannot be the name of a classifier: a letter, then letters, digits, _ and -, at most %d",
            name, SP_AGAINST_NAME - 1);
    if (strcmp(name, "reference") == 0 || sp_strategy_parse(name, &strategy, NULL) == SP_OK)
        return sp_fail(err, SP_EINVAL, "%s cannot be the name of a classifier: figures of %s are called so",
                       name, strcmp(name, "reference") == 0 ? "the labels" : "a strategy");
    return SP_OK;
}

sp_status sp_against_begin(sp_rival *r, const sp_pipeline *first, const char *name, const char *file,
                           sp_error *err)
{
    *r = (sp_rival){.options = *first->opt};
    r->options.output = r->options.text = NULL;
    r->options.confidence = r->options.n_best = 0;
    r->options.hooks.progress = NULL;
    r->options.hooks.paths = NULL;
    r->options.hooks.opened = NULL;
    sp_status status = sp_against_check_name(name, err);
    if (status != SP_OK)
        return status;
    snprintf(r->name, sizeof r->name, "%s", name);
    snprintf(r->first_name, sizeof r->first_name, "%s", first->file);
    snprintf(r->own_name, sizeof r->own_name, "%s (%s)", name, file);
    status = sp_pipeline_begin(&r->p, file, &r->options, &first->plan, err);
    r->p.classifier = r->name;
    for (int s = 0; status == SP_OK && s < r->p.n_strategies; s++) {
        snprintf(r->names[s], sizeof r->names[s], "%s.%s", r->name, r->p.names[s]);
        r->p.names[s] = r->names[s];
    }
    return status;
}

/* Another classifier's recordings are cut as the first's are, not these by them. */
static sp_status check_shortest(const sp_match_side *ours, const sp_match_side *theirs,
                                const int64_t *recording, sp_error *err)
{
    for (int64_t n = 0; n < ours->n; n++) {
        if (recording[n] < 0)
            continue;
        const int64_t *a = ours->offsets + n, *b = theirs->offsets + recording[n];
        if (b[1] - b[0] < a[1] - a[0])
            return sp_fail(err, SP_EDATA,
                           "%s: recording %lld has %lld steps, fewer than the %lld that %s and its labels "
                           "have; name it first",
                           theirs->name, (long long)recording[n], (long long)(b[1] - b[0]),
                           (long long)(a[1] - a[0]), ours->name);
    }
    return SP_OK;
}

sp_status sp_against_match(sp_rival *r, const sp_pipeline *first, double first_seconds, double own_seconds,
                           sp_error *err)
{
    sp_pipeline *p = &r->p;
    sp_matched *m = &r->matched;
    const int32_t K = first->info->n_classes;
    const sp_match_side ours = sp_match_side_of(first->from.info, r->first_name, first_seconds);
    const sp_match_side theirs = sp_match_side_of(p->from.info, r->own_name, own_seconds);
    *m =
        (sp_matched){.from = p->from,
                     .beside = first->from,
                     .all_beside = true,
                     .name = r->own_name,
                     .beside_name = r->first_name,
                     .classes = p->info->classes ? p->info->classes : (const char *const *)p->model->classes};
    m->recording = malloc(((size_t)ours.n + 1) * sizeof *m->recording);
    if (!m->recording)
        return sp_no_memory(err);
    const bool is_trimmed = first->opt->trim_to_shortest; /* of the first, and of this as much as there is */
    sp_status status = SP_OK;
    TRY(sp_match_recordings(&ours, &theirs, !is_trimmed, NULL, m->recording, err));
    if (is_trimmed)
        TRY(check_shortest(&ours, &theirs, m->recording, err));
    TRY(sp_match_columns(K, first->class_of_column, p->class_of_column, &m->column_of_label, err));
    TRY(sp_match_columns(K, p->class_of_column, first->class_of_column, &r->column, err));
    TRY(sp_matched_open(m, first->info, &p->from, err));
done:
    p->info = &m->info;
    return status;
}

sp_status sp_against_compile(sp_rival *r, const sp_pipeline *first, sp_error *err)
{
    r->p.workers = first->workers;
    return sp_pipeline_compile(&r->p, err);
}

void sp_against_close(sp_rival *r)
{
    r->p.workers = NULL; /* the first's */
    sp_pipeline_close(&r->p);
    sp_matched_close(&r->matched);
    free(r->column);
    free(r->room);
}

sp_status sp_pipeline_set_against(sp_pipeline *p, int32_t n, sp_rival *against, sp_error *err)
{
    int32_t total = p->n_strategies;
    if (n > SP_MOST_AGAINST)
        return sp_fail(err, SP_EINVAL, "%d other classifiers: at most %d can be compared at once", n,
                       SP_MOST_AGAINST);
    for (int32_t i = 0; i < n; i++) {
        total += against[i].p.n_strategies;
        p->step_bytes += against[i].p.step_bytes;
        for (int32_t j = 0; j < i; j++)
            if (strcmp(against[i].name, against[j].name) == 0)
                return sp_fail(err, SP_EINVAL, "two classifiers are called %s; give each a name of its own",
                               against[i].name);
    }
    if (total > SP_EVALUATION_MAX_STRATEGIES)
        return sp_fail(
            err, SP_EINVAL,
            "%d strategies on all classifiers together: at most %d are compared; name fewer `strategies`",
            total, SP_EVALUATION_MAX_STRATEGIES);
    p->n_against = n;
    p->against = against;
    return SP_OK;
}

int32_t sp_pipeline_all_names(const sp_pipeline *p, const char **names)
{
    int32_t n = 0;
    for (int32_t i = -1; i < p->n_against; i++) {
        const sp_pipeline *one = i < 0 ? p : &p->against[i].p;
        for (int s = 0; s < one->n_strategies; s++)
            names[n++] = one->names[s];
    }
    return n;
}

void sp_against_tell_path(const sp_rival *r, int64_t n, int32_t *path)
{
    for (int64_t t = 0; r->column && t < n; t++)
        path[t] = path[t] >= 0 ? r->column[path[t]] : path[t];
}

sp_status sp_against_tell_scores(sp_rival *r, const sp_scores *scores, sp_scores *out, sp_error *err)
{
    *out = *scores;
    if (!r->column)
        return SP_OK;
    const size_t size = (size_t)scores->dtype, K = (size_t)scores->n_classes, n = (size_t)scores->n_steps * K;
    if (n * size + 1 > r->room_bytes) {
        free(r->room);
        r->room = malloc(n * size + 1);
        r->room_bytes = r->room ? n * size + 1 : 0;
        if (!r->room)
            return sp_no_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        const size_t to = i - i % K + (size_t)r->column[i % K];
        memcpy((char *)r->room + to * size, (const char *)scores->data + i * size, size);
    }
    out->data = r->room;
    return SP_OK;
}
