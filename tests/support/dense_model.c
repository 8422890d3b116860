#include "dense_model.h"

#include "check.h"

static void *new_array(size_t n, size_t size)
{
    void *array = calloc(n > 0 ? n : 1, size);
    assert_non_null(array);
    return array;
}

int32_t declared_dwell(const sp_model *model, int32_t s)
{
    return model->min_dwell ? model->min_dwell[s] : 1;
}

static int32_t column_of_class(const sp_model *model, const int32_t *class_of_column, int32_t class_index)
{
    for (int32_t k = 0; class_of_column && k < model->n_classes; k++)
        if (class_of_column[k] == class_index)
            return k;
    return class_index;
}

double declared_weight(const sp_model *model, int32_t from, int32_t to)
{
    for (int64_t e = model->row[from]; e < model->row[from + 1]; e++)
        if (model->to[e] == to)
            return model->weight ? model->weight[e] : 0;
    return -INFINITY;
}

dense_model *dense_model_new(const sp_model *model, const int32_t *class_of_column)
{
    dense_model *m = new_array(1, sizeof *m);
    int32_t *first = new_array((size_t)model->n_states + 1, sizeof *first);
    for (int32_t s = 0; s < model->n_states; s++)
        first[s + 1] = first[s] + declared_dwell(model, s);
    size_t n = (size_t)first[model->n_states];
    m->n_classes = model->n_classes;
    m->n_states = (int32_t)n;
    m->state_class = new_array(n, sizeof *m->state_class);
    m->weight = new_array(n * n, sizeof *m->weight);
    m->start = new_array(n, sizeof *m->start);
    m->end = new_array(n, sizeof *m->end);
    m->is_entry = new_array(n, sizeof *m->is_entry);
    for (size_t i = 0; i < n * n; i++)
        m->weight[i] = -INFINITY;
    for (int32_t s = 0; s < model->n_states; s++) {
        int32_t last = first[s + 1] - 1;
        for (int32_t i = first[s]; i <= last; i++) {
            m->state_class[i] =
                column_of_class(model, class_of_column, model->state_class ? model->state_class[s] : s);
            m->is_entry[i] = i == first[s];
            m->start[i] = i > first[s] ? -INFINITY : model->start ? model->start[s] : 0;
            m->end[i] = i < last && model->min_dwell_at_end ? -INFINITY : model->end ? model->end[s] : 0;
            if (i < last)
                m->weight[(size_t)i * n + (size_t)i + 1] = declared_weight(model, s, s);
        }
        for (int32_t next = 0; next < model->n_states; next++)
            m->weight[(size_t)last * n + (size_t)(next == s ? last : first[next])] =
                declared_weight(model, s, next);
    }
    free(first);
    return m;
}

void dense_model_free(dense_model *m)
{
    if (!m)
        return;
    free(m->state_class);
    free(m->weight);
    free(m->start);
    free(m->end);
    free(m->is_entry);
    free(m);
}

double dense_weight(const dense_model *m, const sp_scores *scores, int64_t t, int32_t i, int32_t j)
{
    if (sp_scores_is_gap(scores, t))
        return m->is_entry[j] ? 0 : -INFINITY;
    return m->weight[(size_t)i * (size_t)m->n_states + (size_t)j];
}

double dense_emission(const dense_model *m, const sp_scores *scores, int64_t t, int32_t j)
{
    return sp_scores_at(scores, t, m->state_class[j]);
}
