/* Answers questions about agreement and paired tests, so that other programs can be asked the same. Reads one JSON list of
 * questions from standard input, writes the list of answers to standard output; undefined values are null.
 *     {"ask": "agreement", "confusion": [[..]], "undecoded": [..]}      {"ask": "mcnemar", "b": n, "c": n}
 *     {"ask": "wilcoxon", "d": [..], "pratt": true}    {"ask": "sign_flip", "d": [..]}    {"ask": "holm", "p": [..]}
 *     {"ask": "bootstrap", "a": [..], "b": [..], "scored": [..], "resamples": n, "level": x} */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/statistics/hypothesis_tests.h"
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

static json_t *agreement(json_t *question)
{
    json_t *rows = json_object_get(question, "confusion"), *answer = json_object(), *classes = json_array();
    size_t K = json_array_size(rows);
    int64_t *confusion = room(K * K, sizeof *confusion), *undecoded = NULL;
    for (size_t i = 0; i < K * K; i++)
        confusion[i] = json_integer_value(json_array_get(json_array_get(rows, i / K), i % K));
    if (json_object_get(question, "undecoded"))
        integers(json_object_get(question, "undecoded"), &undecoded);
    sp_agreement a;
    sp_class_agreement *c = room(K, sizeof *c);
    sp_agreement_from_confusion((int32_t)K, confusion, undecoded, &a, c);
    const struct {
        const char *name;
        sp_value v;
    } pooled[] = {{"accuracy", a.accuracy},
                  {"balanced_accuracy", a.balanced_accuracy},
                  {"kappa", a.kappa},
                  {"mcc", a.mcc},
                  {"macro_precision", a.macro_precision},
                  {"macro_recall", a.macro_recall},
                  {"macro_f1", a.macro_f1},
                  {"weighted_f1", a.weighted_f1}};
    for (size_t i = 0; i < sizeof pooled / sizeof *pooled; i++)
        json_object_set_new(answer, pooled[i].name, value(pooled[i].v));
    json_object_set_new(answer, "macro_f1_classes", json_integer(a.macro_f1_classes));
    for (size_t k = 0; k < K; k++)
        json_array_append_new(
            classes, json_pack("{sI sI so so so so so so so}", "support", (json_int_t)c[k].support,
                               "predicted", (json_int_t)c[k].predicted, "precision", value(c[k].precision),
                               "recall", value(c[k].recall), "f1", value(c[k].f1), "specificity",
                               value(c[k].specificity), "kappa", value(c[k].kappa), "npv", value(c[k].npv),
                               "prevalence", value(c[k].prevalence)));
    json_object_set_new(answer, "classes", classes);
    free(confusion);
    free(undecoded);
    free(c);
    return answer;
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

static json_t *mcnemar(json_t *question)
{
    sp_mcnemar m;
    sp_mcnemar_test(json_integer_value(json_object_get(question, "b")),
                    json_integer_value(json_object_get(question, "c")), &m);
    return json_pack("{so so so so}", "exact", value(m.exact), "mid_p", value(m.mid_p), "chi2_p",
                     value(m.chi2_p), "chi2_corrected_p", value(m.chi2_corrected_p));
}

static json_t *holm(json_t *question)
{
    double *p;
    size_t n = reals(json_object_get(question, "p"), &p);
    sp_value *v = room(n, sizeof *v);
    sp_error err;
    for (size_t i = 0; i < n; i++)
        v[i].value = p[i];
    require(sp_holm_adjust((int64_t)n, v, v, &err), &err);
    json_t *answer = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(answer, value(v[i]));
    free(p);
    free(v);
    return answer;
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
    return json_pack("{so s[oo] s[oo]}", "difference", value(d.difference), "bca", value(d.bca[0]),
                     value(d.bca[1]), "percentile", value(d.percentile[0]), value(d.percentile[1]));
}

int main(void)
{
    static const struct {
        const char *name;
        json_t *(*answer)(json_t *question);
    } kinds[] = {{"agreement", agreement}, {"wilcoxon", wilcoxon}, {"sign_flip", sign_flip},
                 {"mcnemar", mcnemar},     {"holm", holm},         {"bootstrap", bootstrap}};
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
