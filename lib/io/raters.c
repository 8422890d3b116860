#include "io/raters.h"

#include <stdlib.h>
#include <string.h>

const char *sp_rater_of(const char *name, size_t *length)
{
    enum { PREFIX = sizeof SP_RATER_PREFIX - 1 };
    if (strncmp(name, SP_RATER_PREFIX, PREFIX) != 0)
        return NULL;
    *length = strcspn(name + PREFIX, "/");
    return *length ? name + PREFIX : NULL;
}

sp_status sp_rater_names_add(sp_rater_names *to, const char *name, size_t length, const char *file,
                             sp_error *err)
{
    for (int32_t i = 0; i < to->n; i++)
        if (strlen(to->names[i]) == length && memcmp(to->names[i], name, length) == 0)
            return SP_OK;
    if (to->n == SP_SOURCE_MAX_RATERS)
        return sp_fail(err, SP_EDATA,
                       "%s: more than %d arrays are called %sX; they are taken for the labels of scorers",
                       file, SP_SOURCE_MAX_RATERS, SP_RATER_PREFIX);
    char *copy = strndup(name, length);
    if (!copy)
        return sp_no_memory(err);
    to->names[to->n++] = copy;
    return SP_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void sp_rater_names_sort(sp_rater_names *names)
{
    qsort(names->names, (size_t)names->n, sizeof *names->names, by_name);
}

void sp_rater_names_drop(sp_rater_names *names, int32_t i)
{
    free(names->names[i]);
    names->n--;
    memmove(names->names + i, names->names + i + 1, (size_t)(names->n - i) * sizeof *names->names);
}

void sp_rater_names_clear(sp_rater_names *names)
{
    for (int32_t i = 0; i < names->n; i++)
        free(names->names[i]);
    names->n = 0;
}
