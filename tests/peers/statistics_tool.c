/* Answers questions about paired tests, so that other programs can be asked the same. Reads one JSON list of questions from
 * standard input, writes the list of answers to standard output; undefined values are null.
 *     {"ask": "wilcoxon", "d": [..], "pratt": true}    {"ask": "sign_flip", "d": [..]}
 *     {"ask": "bootstrap", "a": [..], "b": [..], "scored": [..], "resamples": n, "level": x} */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statepath-kit.h"

static void stop(const char *why)
{
    fprintf(stderr, "statistics_tool: %s\n", why);
    exit(1);
}

static void require(sp_status status, const sp_error *err)
{
    if (status != SP_OK)
        stop(err->message);
}

static void *room(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);
    if (!p)
        stop("no memory");
    return p;
}

static json_t *value(sp_value v)
{
    return v.undefined ? json_null() : json_real(v.value);
}

static size_t integers(json_t *list, int64_t **out)
{
    size_t n = json_array_size(list);
    *out = room(n, sizeof **out);
    for (size_t i = 0; i < n; i++)
        (*out)[i] = json_integer_value(json_array_get(list, i));
    return n;
}

static size_t reals(json_t *list, double **out)
{
    size_t n = json_array_size(list);
    *out = room(n, sizeof **out);
    for (size_t i = 0; i < n; i++)
        (*out)[i] = json_number_value(json_array_get(list, i));
    return n;
}

static json_t *wilcoxon(json_t *question)
{
    double *d;
    size_t n = reals(json_object_get(question, "d"), &d);
    sp_wilcoxon w;
    sp_error err;
    bool is_pratt = json_is_true(json_object_get(question, "pratt"));
    require(sp_wilcoxon_signed_rank((int64_t)n, d, is_pratt ? SP_ZEROS_PRATT : SP_ZEROS_WILCOX, &w, &err),
            &err);
    free(d);
    return json_pack("{so so so sb}", "p", value(w.p), "p_least", value(w.p_least), "rank_biserial",
                     value(w.rank_biserial), "exact", w.is_exact);
}

static json_t *sign_flip(json_t *question)
{
    double *d;
    size_t n = reals(json_object_get(question, "d"), &d);
    sp_bootstrap_options options = sp_bootstrap_options_default();
    sp_sign_flip s;
    sp_error err;
    require(sp_sign_flip_test((int64_t)n, d, &options, &s, &err), &err);
    free(d);
    return json_pack("{so sb}", "p", value(s.p), "exact", s.is_exact);
}

static json_t *bootstrap(json_t *question)
{
    int64_t *a, *b, *scored = NULL;
    size_t n = integers(json_object_get(question, "a"), &a);
    if (integers(json_object_get(question, "b"), &b) != n ||
        integers(json_object_get(question, "scored"), &scored) != n)
        stop("lists of different length");
    sp_bootstrap_options options = sp_bootstrap_options_default();
    options.n_resamples = (int32_t)json_integer_value(json_object_get(question, "resamples"));
    options.level = json_number_value(json_object_get(question, "level"));
    sp_difference d;
    sp_error err;
    require(sp_bootstrap_accuracy((int64_t)n, a, b, scored, &options, &d, &err), &err);
    free(a);
    free(b);
    free(scored);
    return json_pack("{so s[oo]}", "difference", value(d.difference), "ci", value(d.low), value(d.high));
}

int main(void)
{
    static const struct {
        const char *name;
        json_t *(*answer)(json_t *question);
    } kinds[] = {{"wilcoxon", wilcoxon}, {"sign_flip", sign_flip}, {"bootstrap", bootstrap}};
    json_error_t error;
    json_t *questions = json_loadf(stdin, 0, &error), *answers = json_array(), *question;
    if (!json_is_array(questions))
        stop("standard input is not a JSON list");
    size_t i;
    json_array_foreach(questions, i, question)
    {
        const char *ask = json_string_value(json_object_get(question, "ask"));
        json_t *answer = NULL;
        for (size_t k = 0; ask && k < sizeof kinds / sizeof *kinds; k++)
            if (strcmp(kinds[k].name, ask) == 0)
                answer = kinds[k].answer(question);
        if (!answer)
            stop("an unknown question");
        json_array_append_new(answers, answer);
    }
    json_dumpf(answers, stdout, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(questions);
    json_decref(answers);
    return 0;
}
