#include "core/try.h"
#include "pipeline/judging.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/names.h"
#include "evaluate/comparison.h"
#include "evaluate/evaluate.h"
#include "evaluate/work.h"
#include "sleep/stages.h"
#include "statepath/model_json.h"

/* ---- sleep ---- */

/* What the field uses where nobody says otherwise (AASM). */
#define USUAL_SECONDS 30.0

sp_status sp_sleep_find(int32_t K, const char *const *classes, sp_sleep_choice *out, sp_error *err)
{
    int32_t class_of_column[SP_N_STAGES];
    sp_model *aasm = NULL;
    out->is_sleep = false;
    if (K != SP_N_STAGES)
        return SP_OK;
    sp_status status = sp_model_load("sleep-aasm", &aasm, err);
    if (status != SP_OK)
        return status == SP_ENOMEM ? status : SP_OK;
    if (aasm->n_classes == SP_N_STAGES &&
        (status = sp_model_align(aasm, K, classes, class_of_column, err)) == SP_OK) {
        int32_t n_found = 0;
        for (int32_t c = 0; c < K; c++)
            for (int s = 0; s < SP_N_STAGES; s++)
                if (strcmp(aasm->classes[class_of_column[c]], sp_sleep_stage_name((sp_sleep_stage)s)) == 0) {
                    out->stage_of_class[c] = s;
                    n_found++;
                }
        out->is_sleep = n_found == K;
    }
    sp_model_free(aasm);
    return status == SP_ENOMEM ? status : SP_OK;
}

sp_status sp_sleep_choose(const sp_pipeline *p, const char *const *classes, sp_sleep_choice *out,
                          sp_error *err)
{
    const sp_run_options *o = p->opt;
    *out = (sp_sleep_choice){.epoch_seconds = o->epoch_seconds};
    sp_status status = sp_sleep_find(p->model->n_classes, classes, out, err);
    if (status != SP_OK)
        return status;
    if (!isnan(o->epoch_seconds))
        return SP_OK;
    out->epoch_seconds = 0;
    if (p->about.step_seconds)
        status = p->about.step_seconds(p->about.step_seconds_arg, &out->epoch_seconds, err);
    if (status == SP_EDATA && !out->is_sleep) { /* of others, the attribute may mean something else */
        out->epoch_seconds = 0;
        status = SP_OK;
    }
    if (out->is_sleep && out->epoch_seconds == 0) {
        out->epoch_seconds = USUAL_SECONDS;
        out->is_assumed = true;
    }
    return status;
}

void sp_sleep_apply(const sp_sleep_choice *choice, sp_evaluation_options *how)
{
    if (choice->is_sleep)
        how->stage_of_class = choice->stage_of_class;
    how->epoch_seconds = choice->epoch_seconds;
    how->epoch_is_assumed = choice->is_assumed;
}

/* ---- options ---- */

sp_bootstrap_options sp_run_bootstrap(const sp_run_options *o)
{
    sp_bootstrap_options how = sp_bootstrap_options_default();
    how.seed = o->seed;
    if (!isnan(o->level))
        how.level = o->level;
    return how;
}

static void use_words(const sp_run_options *o, const sp_run_plan *plan, sp_evaluation_options *how)
{
    how->bootstrap = sp_run_bootstrap(o);
    how->kappa_weights = plan->kappa_weights;
}

/* ---- the kind of work ---- */

static sp_status read_work(const sp_run_plan *plan, int32_t K, const char *const *classes,
                           sp_evaluation_options *how, sp_error *err)
{
    const bool is_sleep = how->stage_of_class != NULL;
    how->work_is_guessed = !plan->has_work;
    bool are_tags = true;
    sp_status status = SP_OK;
    how->work = plan->work;
    if (!plan->has_work)
        status = sp_work_guess(is_sleep, K, classes, &how->work, err);
    else if (how->work == SP_WORK_TAGS)
        status = sp_classes_are_tags(K, classes, &are_tags, err);
    if (status != SP_OK)
        return status;
    if (how->work == SP_WORK_SLEEP && !is_sleep)
        return sp_fail(
            err, SP_EINVAL,
            "`preset` sleep needs the classes Wake, N1, N2, N3 and REM (or names that `statepath model show "
            "sleep-aasm` knows)");
    if (!are_tags)
        return sp_fail(err, SP_EINVAL, "`preset` tags needs classes such as O, B-PER and I-PER");
    return SP_OK;
}

static sp_status no_class(const char *name, int32_t K, const char *const *classes, sp_error *err)
{
    char list[300];
    const int32_t nearest = sp_name_nearest(name, K, classes);
    if (nearest >= 0)
        return sp_fail(err, SP_EINVAL, "`background`: there is no class '%s'; did you mean %s?", name,
                       classes[nearest]);
    return sp_fail(err, SP_EINVAL, "`background`: there is no class '%s'; the classes are %s", name,
                   sp_name_list(list, sizeof list, K, classes));
}

/* Classes between commas; of a name that holds commas itself the longest is taken. */
static sp_status read_background(const char *at, int32_t K, const char *const *classes, uint8_t *background,
                                 sp_error *err)
{
    while (*at) {
        size_t n = strlen(at);
        int32_t k = sp_name_find(at, n, K, classes);
        while (k < 0 && n > 0) {
            for (n--; n > 0 && at[n] != ','; n--)
                ;
            k = n > 0 ? sp_name_find(at, n, K, classes) : -1;
        }
        if (k < 0) {
            char name[200];
            snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
            return no_class(name, K, classes, err);
        }
        background[k] = 1;
        at += n + (at[n] == ',');
    }
    return SP_OK;
}

/* The classes that are no segments; none is NULL. */
static sp_status choose_background(sp_evaluation_words *j, const char *named, int32_t K,
                                   const char *const *classes, sp_evaluation_options *how, sp_error *err)
{
    bool is_any = false;
    j->background = calloc((size_t)K, sizeof *j->background);
    if (!j->background)
        return sp_no_memory(err);
    for (const char *const *usual = sp_work_about(how->work)->background; !named && *usual; usual++) {
        const int32_t k = sp_name_find(*usual, strlen(*usual), K, classes);
        if (k >= 0)
            j->background[k] = 1;
    }
    sp_status status = named ? read_background(named, K, classes, j->background, err) : SP_OK;
    for (int32_t k = 0; k < K; k++)
        is_any |= j->background[k];
    how->background = is_any ? j->background : NULL;
    return status;
}

sp_status sp_evaluation_words_read(sp_evaluation_words *j, const sp_run_options *o, const sp_run_plan *plan,
                                   int32_t K, const char *const *classes, sp_evaluation_options *how,
                                   sp_error *err)
{
    *j = (sp_evaluation_words){0};
    sp_status status = SP_OK;
    use_words(o, plan, how);
    how->scheme = plan->scheme;
    for (int i = 0; o->collapse && o->collapse[i]; i++) {
        if (j->n_collapses == MAX_COLLAPSES)
            return sp_fail(err, SP_EINVAL, "`collapse`: at most %d times", MAX_COLLAPSES);
        TRY(sp_collapse_parse(o->collapse[i], K, classes, &j->collapses[j->n_collapses], err));
        j->n_collapses++;
    }
    how->n_collapses = j->n_collapses;
    how->collapses = j->collapses;
    TRY(read_work(plan, K, classes, how, err));
    TRY(choose_background(j, o->background, K, classes, how, err));
    if (!isnan(o->margin)) {
        how->has_margin = true;
        how->margin = o->margin;
    }
    if (!isnan(o->wake_trim)) {
        if (!how->stage_of_class)
            return sp_fail(err, SP_EINVAL,
                           "`wake_trim` is for sleep stages: it needs the classes Wake, N1, N2, N3 and REM "
                           "(or names that `statepath model "
                           "show sleep-aasm` knows)");
        how->has_wake_trim = true;
        how->wake_trim_minutes = o->wake_trim;
    }
done:
    return status;
}

void sp_evaluation_words_clear(sp_evaluation_words *j)
{
    for (int32_t i = 0; i < j->n_collapses; i++)
        sp_collapse_clear(&j->collapses[i]);
    j->n_collapses = 0;
    free(j->background);
    j->background = NULL;
}
