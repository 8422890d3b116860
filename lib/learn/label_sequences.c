#include "learn/label_sequences.h"

#include <stdlib.h>

#include "learn/generator.h"

/* The generators' seeds are the recipe's, moved by the golden ratio of 2^32. */
gsl_rng *sp_draw_new(const sp_recipe *recipe, enum sp_draw what)
{
    return sp_generator_new((uint32_t)recipe->seed + (uint32_t)what * 2654435769u);
}

/* The first class whose cumulated probability exceeds u * total. */
int32_t sp_draw_class(double u, int32_t n, const double *p, int32_t skip)
{
    double total = 0, sum = 0;
    int32_t last = -1;
    for (int32_t k = 0; k < n; k++)
        total += k == skip ? 0 : p[k];
    for (int32_t k = 0; k < n; k++) {
        if (k == skip || p[k] == 0)
            continue;
        sum += p[k];
        last = k;
        if (u * total < sum)
            return k;
    }
    return last; /* rounding: u * total reached the last sum */
}

void sp_label_sequences_clear(sp_label_sequences *drawn)
{
    free(drawn->offsets);
    free(drawn->classes);
    free(drawn->labels);
    *drawn = (sp_label_sequences){0};
}

static bool draw_lengths(const sp_recipe *recipe, sp_label_sequences *drawn)
{
    size_t n = (size_t)recipe->n_recordings;
    gsl_rng *rng = sp_draw_new(recipe, SP_DRAW_LENGTH);
    if (!rng)
        return false;
    drawn->n_recordings = recipe->n_recordings;
    drawn->offsets = malloc((n + 1) * sizeof *drawn->offsets);
    if (drawn->offsets) {
        drawn->offsets[0] = 0;
        unsigned long spread = (unsigned long)(recipe->max_steps - recipe->min_steps) + 1;
        for (size_t i = 0; i < n; i++)
            drawn->offsets[i + 1] =
                drawn->offsets[i] + recipe->min_steps + (int64_t)gsl_rng_uniform_int(rng, spread);
        drawn->n_steps = drawn->offsets[n];
    }
    gsl_rng_free(rng);
    return drawn->offsets != NULL;
}

static void draw_classes(const sp_recipe *recipe, gsl_rng *class_rng, gsl_rng *hidden_rng,
                         sp_label_sequences *drawn)
{
    int32_t k = recipe->n_classes;
    for (int64_t n = 0; n < drawn->n_recordings; n++)
        for (int64_t t = drawn->offsets[n]; t < drawn->offsets[n + 1]; t++) {
            bool is_first = t == drawn->offsets[n];
            const double *p =
                is_first ? recipe->start : recipe->transitions + (size_t)drawn->classes[t - 1] * (size_t)k;
            drawn->classes[t] = sp_draw_class(gsl_rng_uniform(class_rng), k, p, -1);
            bool is_hidden = gsl_rng_uniform(hidden_rng) < recipe->unscored;
            drawn->labels[t] = is_hidden ? -1 : drawn->classes[t];
        }
}

bool sp_label_sequences_draw(const sp_recipe *recipe, sp_label_sequences *drawn)
{
    *drawn = (sp_label_sequences){0};
    bool is_ok = draw_lengths(recipe, drawn);
    size_t s = is_ok ? (size_t)drawn->n_steps : 0;
    gsl_rng *class_rng = NULL, *hidden_rng = NULL;
    is_ok = is_ok && (drawn->classes = malloc(s * sizeof *drawn->classes)) &&
            (drawn->labels = malloc(s * sizeof *drawn->labels)) &&
            (class_rng = sp_draw_new(recipe, SP_DRAW_CLASS)) &&
            (hidden_rng = sp_draw_new(recipe, SP_DRAW_HIDDEN));
    if (is_ok)
        draw_classes(recipe, class_rng, hidden_rng, drawn);
    else
        sp_label_sequences_clear(drawn);
    if (class_rng)
        gsl_rng_free(class_rng);
    if (hidden_rng)
        gsl_rng_free(hidden_rng);
    return is_ok;
}
