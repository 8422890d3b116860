/* Biases of tags by kind of transition, chosen by what they do to whole entities. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "evaluate/comparison.h"
#include "evaluate/metrics/sequences.h"
#include "learn/learn.h"
#include "learn/training.h"
#include "learn/tune.h"
#include "statepath/statistics.h"
#include "tags/tags.h"

/* ---- what is asked ---- */

/* A number that is all of the text. */
static bool is_number(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*out);
}

sp_status sp_tied_aim_read(const char *text, sp_tied_aim *out, sp_error *err)
{
    static const char cost[] = "cost=fn:fp=";
    int used = 0;
    *out = (sp_tied_aim){.figure = SP_TIED_F, .beta = 1};
    if (!text)
        return SP_OK;
    if (text[0] == 'f' && is_number(text + 1, &out->beta)) {
        if (out->beta >= 0.01 && out->beta <= 100)
            return SP_OK;
        return sp_fail(
            err, SP_EINVAL,
            "`at` \"%.60s\": recall weighs from 0.01 to 100 times as much as precision, as in f0.5 or f2",
            text);
    }
    const char *number = strchr(text, '=');
    if (strncmp(text, cost, strlen(cost)) == 0) {
        out->figure = SP_TIED_COST;
        if (sscanf(text + strlen(cost), "%lf:%lf%n", &out->missed, &out->false_ones, &used) == 2 &&
            !text[strlen(cost) + (size_t)used] && out->missed >= 0 && out->false_ones >= 0 &&
            out->missed + out->false_ones > 0 && isfinite(out->missed + out->false_ones))
            return SP_OK;
        return sp_fail(err, SP_EINVAL,
                       "`at` \"%.60s\": what a missed and what a false entity cost are two numbers from 0 "
                       "on, as cost=fn:fp=5:1",
                       text);
    }
    out->figure = strncmp(text, "recall=", 7) == 0 ? SP_TIED_RECALL : SP_TIED_PRECISION;
    if (!number || (out->figure == SP_TIED_PRECISION && strncmp(text, "precision=", 10) != 0))
        return sp_fail(err, SP_EINVAL,
                       "`at` \"%.60s\": there are recall=.98, precision=.95, f1, f2 and cost=fn:fp=5:1",
                       text);
    if (!is_number(number + 1, &out->least) || out->least <= 0 || out->least > 1)
        return sp_fail(err, SP_EINVAL,
                       "`at` \"%.60s\": the figure that is to be reached is a share above 0, at most 1",
                       text);
    return SP_OK;
}

static const char *aim_text(const sp_tied_aim *aim, char *text, size_t size)
{
    if (aim->figure == SP_TIED_COST)
        snprintf(text, size, "least cost of %g a missed and %g a false entity", aim->missed, aim->false_ones);
    else if (aim->figure == SP_TIED_F)
        snprintf(text, size, "greatest F%g of entities", aim->beta);
    else
        snprintf(text, size, "%s of entities at least %g",
                 aim->figure == SP_TIED_RECALL ? "recall" : "precision", aim->least);
    return text;
}

/* ---- counts ---- */

typedef struct counts {
    int64_t reference, decoded, correct;
} counts;

static void add(counts *sum, const counts *c, int64_t sign)
{
    sum->reference += sign * c->reference;
    sum->decoded += sign * c->decoded;
    sum->correct += sign * c->correct;
}

static double share(int64_t part, int64_t all)
{
    return all > 0 ? (double)part / (double)all : 0;
}

/* What is compared, one after the other; greater is better. */
typedef struct merit {
    double by[3];
} merit;

static bool is_reached(const sp_tied_aim *aim, const counts *c)
{
    return aim->figure == SP_TIED_RECALL      ? share(c->correct, c->reference) >= aim->least
           : aim->figure == SP_TIED_PRECISION ? share(c->correct, c->decoded) >= aim->least
                                              : true;
}

static merit merit_of(const sp_tied_aim *aim, const counts *c)
{
    const double recall = share(c->correct, c->reference), precision = share(c->correct, c->decoded),
                 b = aim->beta * aim->beta;
    const bool reached = is_reached(aim, c);
    switch (aim->figure) {
    case SP_TIED_RECALL:
        return (merit){{reached, reached ? precision : recall, reached ? recall : precision}};
    case SP_TIED_PRECISION:
        return (merit){{reached, reached ? recall : precision, reached ? precision : recall}};
    case SP_TIED_COST:
        return (merit){{-(aim->missed * (double)(c->reference - c->correct) +
                          aim->false_ones * (double)(c->decoded - c->correct))}};
    default:
        return (merit){{c->reference + c->decoded > 0
                            ? (1 + b) * (double)c->correct / (b * (double)c->reference + (double)c->decoded)
                            : 0}};
    }
}

static bool is_better(const merit *a, const merit *b)
{
    for (int i = 0; i < 3; i++)
        if (a->by[i] != b->by[i])
            return a->by[i] > b->by[i];
    return false;
}

/* ---- what biases do ---- */

/* In eighths of a nat, so that all searches meet at the same points. */
enum { A_NAT = 8, MOST_NATS = 16 };
typedef struct point {
    int at[SP_N_TAG_BIASES];
} point;

static sp_tag_biases biases_at(const point *p)
{
    sp_tag_biases b;
    for (int i = 0; i < SP_N_TAG_BIASES; i++)
        b.nats[i] = (double)p->at[i] / A_NAT;
    return b;
}

/* A point that was tried, and the counts of its paths in each fold. */
typedef struct tried {
    point where;
    counts *of_fold; /* [n_folds] */
} tried;

typedef struct search_state {
    sp_owned own;
    sp_tuner tuner;
    sp_training judged; /* the recordings that judge */
    const sp_tied_aim *aim;
    sp_bootstrap_options bootstrap;
    sp_model *model;
    int32_t *paths;        /* [S] */
    sp_decoded *results;   /* [N] */
    sp_entity_counts *all; /* [N] of the paths */
    tried *tried;
    size_t n_tried, room;
} search_state;

/* The entities of the paths, the classes read as tags by these names. */
static sp_status count_all(search_state *s, const char *const *names, sp_error *err)
{
    const sp_batch *batch = &s->judged.batch;
    const sp_labelled_paths view = {.n_classes = batch->scores.n_classes,
                                    .n_recordings = batch->n_recordings,
                                    .offsets = batch->offsets,
                                    .segments = batch->scores.segments,
                                    .labels = s->judged.labels,
                                    .paths = s->paths,
                                    .use = s->judged.use};
    return sp_entities_count(&view, names, s->all, err);
}

static counts counts_of(const sp_entity_counts *e)
{
    return (counts){e->reference, e->decoded, e->correct};
}

/* Decodes with the biases of a point. */
static sp_status try_new(search_state *s, const point *p, sp_error *err)
{
    const sp_tag_biases biases = biases_at(p);
    sp_decode_options how = sp_decode_options_default();
    sp_decode_output out = {.paths = s->paths, .results = s->results};
    sp_chain *chain = NULL;
    counts *sums = sp_zeros(&s->own, (size_t)s->tuner.n_folds, sizeof *sums);
    sp_status status = SP_OK;
    TRY(sums ? SP_OK : sp_no_memory(err));
    TRY(sp_training_go_on(&s->judged, err));
    if (s->n_tried == s->room) {
        tried *more = realloc(s->tried, (2 * s->room + 64) * sizeof *more);
        TRY(more ? SP_OK : sp_no_memory(err));
        s->tried = more;
        s->room = 2 * s->room + 64;
    }
    TRY(sp_model_tie_tags(s->model, &biases, err));
    TRY(sp_chain_new(s->model, NULL, &chain, err));
    TRY(sp_decode_batch(chain, &s->judged.batch, &how, s->tuner.workers, &out, err));
    TRY(count_all(s, s->judged.classes, err));
    for (int64_t n = 0; n < s->judged.batch.n_recordings; n++)
        if (s->tuner.fold[n] >= 0) {
            const counts c = counts_of(&s->all[n]);
            add(&sums[s->tuner.fold[n]], &c, 1);
        }
    s->tried[s->n_tried++] = (tried){*p, sums};
    if (s->tuner.options->progress)
        s->tuner.options->progress(s->tuner.options->progress_arg, "settings", (int64_t)s->n_tried, 0);
done:
    sp_chain_free(chain);
    return status;
}

/* What a point does outside of a fold; -1: in all. */
static sp_status look(search_state *s, const point *p, int32_t without, counts *out, sp_error *err)
{
    size_t i = 0;
    while (i < s->n_tried && memcmp(&s->tried[i].where, p, sizeof *p) != 0)
        i++;
    const sp_status status = i < s->n_tried ? SP_OK : try_new(s, p, err);
    *out = (counts){0};
    for (int32_t f = 0; status == SP_OK && f < s->tuner.n_folds; f++)
        if (f != without)
            add(out, &s->tried[i].of_fold[f], 1);
    return status;
}

/* ---- the search ---- */

/* One bias, or, last, more entities in all: staying outside less, beginning more. */
static bool move(point *p, int way, int by)
{
    if (way < SP_N_TAG_BIASES) {
        p->at[way] += by;
    } else {
        p->at[SP_BIAS_OUTSIDE_START] += by;
        p->at[SP_BIAS_OUTSIDE_STAY] -= by;
    }
    bool is_inside = true;
    for (int i = 0; i < SP_N_TAG_BIASES; i++)
        is_inside &= abs(p->at[i]) <= MOST_NATS * A_NAT;
    return is_inside;
}

typedef struct best {
    point where;
    counts found;
    merit merit;
} best;

static sp_status attempt(search_state *s, point p, int32_t without, best *b, bool *is_new, sp_error *err)
{
    counts c;
    const sp_status status = look(s, &p, without, &c, err);
    if (status != SP_OK)
        return status;
    const merit m = merit_of(s->aim, &c);
    if (is_better(&m, &b->merit)) {
        *b = (best){p, c, m};
        *is_new = true;
    }
    return SP_OK;
}

/* From nothing: first along the last way, then each way with steps of 4 nats down to an eighth, while something is better. */
static sp_status find(search_state *s, int32_t without, best *b, sp_error *err)
{
    bool is_new = false;
    sp_status status = SP_OK;
    *b = (best){.merit = {{-INFINITY, 0, 0}}};
    TRY(attempt(s, b->where, without, b, &is_new, err));
    for (int by = 1; by <= MOST_NATS / 2; by++)
        for (int sign = -1; sign <= 1; sign += 2) {
            point p = {{0}};
            if (move(&p, SP_N_TAG_BIASES, sign * by * A_NAT))
                TRY(attempt(s, p, without, b, &is_new, err));
        }
    for (int step = 4 * A_NAT; step > 0; step /= 2)
        do {
            is_new = false;
            for (int way = 0; way <= SP_N_TAG_BIASES; way++)
                for (int sign = -1; sign <= 1; sign += 2) {
                    point p = b->where;
                    if (move(&p, way, sign * step))
                        TRY(attempt(s, p, without, b, &is_new, err));
                }
        } while (is_new);
done:
    return status;
}

/* ---- recordings held out ---- */

static counts sum_all(const search_state *s)
{
    counts sum = {0};
    for (int64_t n = 0; n < s->judged.batch.n_recordings; n++) {
        const counts c = counts_of(&s->all[n]);
        add(&sum, &c, 1);
    }
    return sum;
}

/* Of the entities that were counted last. */
static sp_status judge(search_state *s, sp_held_entities *held, sp_error *err)
{
    const size_t N = (size_t)s->judged.batch.n_recordings;
    const sp_bootstrap_options *how = &s->bootstrap;
    int64_t *room = sp_zeros(&s->own, 5 * N, sizeof *room), n = 0;
    int32_t *number = sp_zeros(&s->own, N, sizeof *number);
    const counts sum = sum_all(s);
    sp_status status = SP_OK;
    *held = (sp_held_entities){.reference = sum.reference, .decoded = sum.decoded, .correct = sum.correct};
    TRY(sp_owned_status(&s->own, err));
    int64_t *reference = room, *decoded = room + N, *correct = room + 2 * N, *both = room + 3 * N,
            *none = room + 4 * N;
    TRY(sp_groups_number((int64_t)N, s->tuner.options->group, s->judged.use, number, &n, err));
    for (size_t r = 0; r < N; r++) { /* what the bootstrap draws */
        if (number[r] < 0)
            continue;
        reference[number[r]] += s->all[r].reference;
        decoded[number[r]] += s->all[r].decoded;
        correct[number[r]] += s->all[r].correct;
    }
    TRY(sp_bootstrap_accuracy(n, correct, none, reference, how, &held->recall, err));
    TRY(sp_bootstrap_accuracy(n, correct, none, decoded, how, &held->precision, err));
    for (int64_t i = 0; i < n; i++) {
        both[i] = reference[i] + decoded[i];
        correct[i] *= 2;
    }
    TRY(sp_bootstrap_accuracy(n, correct, none, both, how, &held->f1, err));
done:
    return status;
}

static bool is_of_type(const char *class_name, const char *type)
{
    sp_tag_kind kind;
    const char *own;
    return sp_tag_parse(class_name, &kind, &own) && own && strcmp(own, type) == 0;
}

/* The type that begins to occur with class k, or NULL. */
static const char *new_type(const char *const *classes, int32_t k)
{
    sp_tag_kind kind;
    const char *type;
    if (!sp_tag_parse(classes[k], &kind, &type) || !type)
        return NULL;
    for (int32_t i = 0; i < k; i++)
        if (is_of_type(classes[i], type))
            return NULL;
    return type;
}

/* The entities of one type are those that are left where all tags of other types are O. */
static sp_status judge_types(search_state *s, sp_operating_points *points, sp_error *err)
{
    const int32_t K = s->judged.batch.scores.n_classes;
    const char *const *classes = s->judged.classes;
    const char **names = sp_zeros(&s->own, (size_t)K, sizeof *names);
    sp_status status = SP_OK;
    points->types = calloc((size_t)K, sizeof *points->types);
    TRY(names && points->types ? SP_OK : sp_no_memory(err));
    for (int32_t k = 0; k < K; k++) {
        const char *type = new_type(classes, k);
        if (!type)
            continue;
        for (int32_t i = 0; i < K; i++)
            names[i] = is_of_type(classes[i], type) ? classes[i] : "O";
        TRY(count_all(s, names, err));
        if (sum_all(s).reference < SP_TIED_LEAST_ENTITIES) {
            points->n_rare_types++;
            continue;
        }
        sp_held_type *t = &points->types[points->n_types];
        TRY((t->name = strdup(type)) ? SP_OK : sp_no_memory(err));
        points->n_types++;
        TRY(judge(s, &t->held, err));
    }
done:
    return status;
}

/* The rules of the scheme, with what a rules model that was given says beside them. */
static sp_status new_model(const search_state *s, sp_model **out, sp_error *err)
{
    const sp_training *training = s->tuner.training;
    const int32_t K = training->batch.scores.n_classes;
    sp_rules given = {0};
    sp_model *model = NULL;
    sp_status status = SP_OK;
    TRY(sp_model_new_tags(s->aim->scheme, K, training->classes, &model, err));
    if (s->tuner.options->rules && model->n_classes == K) {
        TRY(sp_rules_init(&given, s->tuner.options->rules, K, training->classes, err));
        TRY(sp_rules_give_rest(&given, model) ? SP_OK : sp_no_memory(err));
    }
    *out = model;
    model = NULL;
done:
    sp_rules_clear(&given);
    sp_model_free(model);
    return status;
}

/* Searches without each fold, decodes the fold with what was found, and counts its entities. */
static sp_status hold_out(search_state *s, sp_held_entities *held, sp_error *err)
{
    sp_tuner *u = &s->tuner;
    const sp_decode_options how = sp_decode_options_default();
    const sp_decode_output out = {.paths = s->paths, .results = s->results};
    sp_status status = SP_OK;
    for (int32_t f = 0; f < u->n_folds; f++) {
        best b;
        TRY(find(s, f, &b, err));
        const sp_tag_biases biases = biases_at(&b.where);
        sp_model_free(u->models[f]);
        u->models[f] = NULL;
        TRY(new_model(s, &u->models[f], err));
        TRY(sp_model_tie_tags(u->models[f], &biases, err));
    }
    TRY(sp_cross_decode(&s->judged, (const sp_model *const *)u->models, u->fold, u->n_folds, &how, u->workers,
                        &out, err));
    TRY(count_all(s, s->judged.classes, err));
    TRY(judge(s, held, err));
done:
    return status;
}

/* What was asked for, and with that the models of the folds. */
static sp_status find_points(search_state *s, sp_operating_points *points, sp_error *err)
{
    const sp_tag_scheme *scheme;
    sp_status status = SP_OK;
    TRY(sp_tag_scheme_find(s->aim->scheme, &scheme, err));
    points->scheme = sp_tag_scheme_name(scheme);
    points->n_folds = s->tuner.n_folds;
    aim_text(s->aim, points->aim, sizeof points->aim);
    TRY(hold_out(s, &points->held, err));
    if (points->held.reference == 0)
        TRY(sp_fail(err, SP_EINVAL, "`tied` is judged by entities, and the labels have none"));
    TRY(judge_types(s, points, err));
done:
    return status;
}

/* The same for the greatest F of each beta. Leaves other models. */
static sp_status find_curve(search_state *s, sp_operating_point *curve, sp_error *err)
{
    static const double betas[SP_OPERATING_POINTS] = {0.125, 0.25, 0.5, 0.75, 1, 1.5, 2, 4, 8};
    const sp_tied_aim *asked = s->aim;
    sp_status status = SP_OK;
    for (int i = 0; status == SP_OK && i < SP_OPERATING_POINTS; i++) {
        const sp_tied_aim aim = {.scheme = asked->scheme, .figure = SP_TIED_F, .beta = betas[i]};
        s->aim = &aim;
        curve[i].beta = betas[i];
        status = hold_out(s, &curve[i].held, err);
    }
    s->aim = asked;
    return status;
}

/* ---- the whole ---- */

static sp_status describe(const search_state *s, const sp_tied_report *r, sp_error *err)
{
    char text[1024], asked[128];
    int used = snprintf(
        text, sizeof text,
        "tied biases of %s tags, %s: precision %.4f, recall %.4f of %lld entities in %lld recordings",
        s->aim->scheme, aim_text(s->aim, asked, sizeof asked), share(r->correct, r->decoded),
        share(r->correct, r->reference), (long long)r->reference, (long long)r->n_recordings);
    if (!r->is_reached)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "; the search did not reach what was asked, and this is the best it met");
    if (!r->points.held.precision.difference.undefined && !r->points.held.recall.difference.undefined)
        snprintf(text + used, sizeof text - (size_t)used,
                 "; precision %.4f, recall %.4f on recordings that were held out",
                 r->points.held.precision.difference.value, r->points.held.recall.difference.value);
    char *copy = strdup(text);
    if (!copy)
        return sp_no_memory(err);
    free(s->model->description);
    s->model->description = copy;
    return SP_OK;
}

/* Rules that somebody gave are those that the biases are learnt beside: the scheme's. */
static sp_status check_rules(const search_state *s, sp_error *err)
{
    const sp_training *training = s->tuner.training;
    const sp_model *given = s->tuner.options->rules;
    const int32_t K = training->batch.scores.n_classes;
    const size_t n = (size_t)K;
    sp_rules wanted = {0}, found = {0};
    sp_status status = SP_OK;
    if (!given)
        return SP_OK;
    TRY(sp_rules_init(&wanted, s->model, K, training->classes, err));
    TRY(sp_rules_init(&found, given, K, training->classes, err));
    bool is_same = !found.durations && given->n_rules == 0 && !memcmp(wanted.allow, found.allow, n * n) &&
                   !memcmp(wanted.start, found.start, n) && !memcmp(wanted.end, found.end, n);
    for (size_t k = 0; k < n; k++)
        is_same &= found.dwell[k] == 1;
    if (!is_same)
        TRY(sp_fail(err, SP_EMODEL,
                    "the rules of model %s are not those of the scheme %s, under which `tied` learns; "
                    "`statepath model new %s` makes "
                    "a model of them",
                    given->name, s->aim->scheme, s->aim->scheme));
done:
    sp_rules_clear(&wanted);
    sp_rules_clear(&found);
    return status;
}

static sp_status prepare(search_state *s, sp_error *err)
{
    const sp_training *training = s->tuner.training;
    if (!training->batch.scores.data || !training->labels)
        return sp_fail(
            err, SP_EINVAL,
            "`tied` learns what transitions of tags weigh beside scores: it needs scores and labels");
    if (training->label_set)
        return sp_fail(
            err, SP_EINVAL,
            "`tied` is judged by whole entities, of which labels with several classes say nothing: each step "
            "needs one class, or none");
    sp_status status = SP_OK;
    TRY(new_model(s, &s->model, err));
    if (s->model->n_classes != training->batch.scores.n_classes)
        TRY(sp_fail(
            err, SP_EINVAL,
            "`tied` needs classes that are tags of the scheme, such as O and B-PER; \"%.60s\" is none",
            training->classes[0]));
    TRY(check_rules(s, err));
    TRY(sp_tuner_init(&s->tuner, err));
    if (s->tuner.n_folds == 0)
        TRY(sp_fail(err, SP_EINVAL,
                    "`tied` says what biases do on recordings held out: there are no two labelled recordings "
                    "(or groups)"));
    s->judged = *training;
    s->judged.use = s->tuner.judged;
    s->paths = sp_zeros(&s->own, (size_t)training->batch.scores.n_steps, sizeof *s->paths);
    s->results = sp_zeros(&s->own, (size_t)training->batch.n_recordings, sizeof *s->results);
    s->all = sp_zeros(&s->own, (size_t)training->batch.n_recordings, sizeof *s->all);
    TRY(sp_owned_status(&s->own, err));
done:
    return status;
}

void sp_tied_report_clear(sp_tied_report *report)
{
    sp_operating_points_clear(&report->points);
    *report = (sp_tied_report){.n_recordings = 0};
}

static void search_clear(search_state *s)
{
    sp_model_free(s->model);
    free(s->tried);
    sp_tuner_clear(&s->tuner);
    sp_owned_free(&s->own);
}

sp_status sp_fit_tied(const sp_training *training, const sp_fit_options *options, const sp_tied_aim *aim,
                      sp_workers *workers, sp_model **out, sp_tied_report *report, sp_error *err)
{
    const sp_fit_options usual = sp_fit_options_default();
    search_state s = {.aim = aim, .bootstrap = sp_bootstrap_options_default()};
    best b;
    char *name = NULL;
    sp_status status = SP_OK;
    *report = (sp_tied_report){.n_recordings = 0};
    s.tuner = (sp_tuner){.training = training, .options = options ? options : &usual, .workers = workers};
    TRY(prepare(&s, err));
    TRY(find(&s, -1, &b, err));
    TRY(find_points(&s, &report->points, err));
    report->n_tried = (int64_t)s.n_tried;
    if (aim->with_curve)
        TRY(find_curve(&s, report->points.curve, err));
    report->biases = biases_at(&b.where);
    report->is_reached = is_reached(aim, &b.found);
    report->reference = b.found.reference;
    report->decoded = b.found.decoded;
    report->correct = b.found.correct;
    for (int64_t n = 0; n < training->batch.n_recordings; n++)
        report->n_recordings += s.tuner.judged[n] != 0;
    TRY(sp_model_tie_tags(s.model, &report->biases, err));
    TRY(describe(&s, report, err));
    name = strdup(s.tuner.options->name);
    TRY(name ? SP_OK : sp_no_memory(err));
    free(s.model->name);
    s.model->name = name;
    *out = s.model;
    s.model = NULL;
done:
    if (status != SP_OK)
        sp_tied_report_clear(report);
    search_clear(&s);
    return status;
}

sp_status sp_cross_fit_tied(const sp_training *training, const sp_fit_options *options,
                            const sp_tied_aim *aim, const sp_bootstrap_options *bootstrap,
                            sp_workers *workers, int32_t *fold, sp_model **models,
                            sp_operating_points *points, sp_error *err)
{
    search_state s = {.aim = aim, .bootstrap = *bootstrap};
    sp_status status = SP_OK;
    *points = (sp_operating_points){.n_folds = 0};
    s.tuner = (sp_tuner){.training = training, .options = options, .workers = workers};
    TRY(prepare(&s, err));
    TRY(find_points(&s, points, err));
    for (int64_t n = 0; n < training->batch.n_recordings; n++)
        fold[n] = s.tuner.fold[n] < 0 ? 0 : s.tuner.fold[n];
    for (int32_t f = 0; f < s.tuner.n_folds; f++) {
        models[f] = s.tuner.models[f];
        s.tuner.models[f] = NULL;
    }
    if (aim->with_curve)
        TRY(find_curve(&s, points->curve, err));
done:
    if (status != SP_OK)
        sp_operating_points_clear(points);
    search_clear(&s);
    return status;
}
