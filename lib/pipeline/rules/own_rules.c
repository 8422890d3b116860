#include "pipeline/rules/own_rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/owned.h"
#include "core/try.h"
#include "pipeline/pipeline.h"

static const char blanks[] = " \t\r\n";

/* The model and the rules of `text`, which is cut up: `out` shares the rest with the model. */
static sp_status add_rules(const sp_model *model, char *text, sp_owned *own, sp_model *out, sp_error *err)
{
    int32_t n = 1;
    for (const char *p = text; *p; p++)
        n += *p == ';';
    sp_rule *rules = sp_zeros(own, (size_t)model->n_rules + (size_t)n, sizeof *rules);
    if (!rules)
        return sp_no_memory(err);
    if (model->n_rules > 0)
        memcpy(rules, model->rules, (size_t)model->n_rules * sizeof *rules);
    *out = *model;
    out->rules = rules;
    n = 0;
    for (char *rest = NULL, *rule = strtok_r(text, ";", &rest); rule; rule = strtok_r(NULL, ";", &rest)) {
        rule += strspn(rule, blanks);
        char *name = sp_zeros(own, 16, 1);
        if (!name)
            return sp_no_memory(err);
        if (n++ == 0)
            strcpy(name, "own");
        else
            snprintf(name, 16, "own%d", n);
        if (*rule)
            rules[out->n_rules++] = (sp_rule){.name = name, .is_named = true, .text = rule, .cost = INFINITY};
    }
    return SP_OK;
}

static sp_status compile(struct sp_pipeline *p, const char *text, int32_t i, sp_error *err)
{
    sp_chain_options how = sp_pipeline_chain_options(
        p, sp_first_given(p->opt->decode.transition_weight, p->model->transition_weight, 1));
    sp_owned own = {0};
    sp_model model;
    char *copy = sp_zeros(&own, strlen(text) + 1, 1);
    sp_status status = SP_OK;
    TRY(copy ? SP_OK : sp_no_memory(err));
    TRY(add_rules(p->model, strcpy(copy, text), &own, &model, err));
    TRY(sp_chain_new(&model, &how, &p->own->chains[i], err));
    how.is_boolean = true;
    TRY(sp_chain_new(&model, &how, &p->own->bounds[i], err));
done:
    sp_owned_free(&own);
    return status;
}

/* The first recording with set i. */
static const char *whose(const struct sp_pipeline *p, int32_t i)
{
    int64_t r = 0;
    while (p->own->of_recording[r] != i)
        r++;
    return p->info->ids[r];
}

sp_status sp_own_rules_open(struct sp_pipeline *p, const sp_subjects *texts, sp_error *err)
{
    const size_t n = (size_t)texts->n_subjects, N = (size_t)texts->n_recordings;
    struct sp_own_rules *own = p->own = calloc(1, sizeof *own);
    sp_status status = SP_OK;
    TRY(own ? SP_OK : sp_no_memory(err));
    for (int32_t r = 0; r < p->model->n_rules; r++)
        if (strncmp(p->model->rules[r].name, "own", 3) == 0 &&
            p->model->rules[r].name[3 + strspn(p->model->rules[r].name + 3, "0123456789")] == 0)
            TRY(sp_fail(err, SP_EMODEL,
                        "model %s has a rule called %s, a name that `own_rules` gives to rules of "
                        "recordings; call it otherwise",
                        p->model->name, p->model->rules[r].name));
    own->chains = calloc(n + 1, sizeof(sp_chain *));
    own->bounds = calloc(n + 1, sizeof(sp_chain *));
    own->of_recording = malloc((N + 1) * sizeof *own->of_recording);
    TRY(own->chains && own->bounds && own->of_recording ? SP_OK : sp_no_memory(err));
    memcpy(own->of_recording, texts->of_recording, N * sizeof *own->of_recording);
    own->n = texts->n_subjects;
    for (int32_t i = 0; i < own->n; i++) {
        sp_error detail;
        status = compile(p, texts->names[i], i, &detail);
        if (status != SP_OK)
            return sp_fail(err, status, "%s of recording %s: %s", texts->place, whose(p, i), detail.message);
    }
done:
    return status;
}

void sp_own_rules_free(struct sp_own_rules *own)
{
    for (int32_t i = 0; own && own->chains && own->bounds && i < own->n; i++) {
        sp_chain_free(own->chains[i]);
        sp_chain_free(own->bounds[i]);
    }
    if (own) {
        free(own->chains);
        free(own->bounds);
        free(own->of_recording);
    }
    free(own);
}
