/* What a file of arrays holds beside what was used of it. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "io/arrays/array_find.h"
#include "io/arrays/array_source.h"

/* A column of a table of scores that was passed over. A text of labels, which `labels` names, has labels in one called so. */
static void list_column(const char *file, const char *column, sp_unused_sink *sink, void *arg)
{
    char what[120], option[300];
    const bool are_labels = strcasecmp(column, "stage") == 0 || strcasecmp(column, "class") == 0;
    snprintf(what, sizeof what, *column ? "column %.100s" : "a column without a name", column);
    snprintf(option, sizeof option, "`labels` %.250s", file);
    sink(arg, what, "", are_labels ? option : NULL);
}

/* An array that is not used, and the option that takes it. What cannot be read is no fault of the others. */
static void list_array(sp_array_opened *a, sp_stored *array, const char *title, sp_unused_sink *sink,
                       void *arg)
{
    char what[SP_ARRAY_TITLE + 8], option[SP_ARRAY_TITLE + 16], text[SP_STORED_TYPE + SP_STORED_SHAPE + 40],
        shape[SP_STORED_SHAPE];
    sp_error ignored;
    snprintf(what, sizeof what, "array %s", title);
    if (sp_stored_look(&a->map.file, array, &ignored) != SP_OK) {
        snprintf(text, sizeof text, "%s%swhich is not read", array->type, *array->type ? ", " : "");
        sink(arg, what, text, NULL);
        return;
    }
    const bool is_float = sp_stored_is_float(array);
    const bool are_scores = is_float && (array->rank == 2 || array->rank == 3);
    const bool are_labels = !is_float && (array->rank == 1 || array->rank == 2);
    snprintf(text, sizeof text, "%s %s", array->type, sp_stored_shape(array, shape));
    snprintf(option, sizeof option, strstr(title, SP_ARRAY_HOLE) ? "%s '%s'" : "%s",
             are_scores ? "`scores`" : "`labels`", title);
    sink(arg, what, text, are_scores || are_labels ? option : NULL);
    sp_stored_forget(array);
}

sp_status sp_array_source_list_unused(sp_source *source, sp_unused_sink *sink, void *arg, sp_error *err)
{
    sp_array_opened *a = source->opened;
    char title[SP_ARRAY_TITLE];
    (void)err;
    for (int64_t i = 0; i < a->map.file.n; i++) {
        sp_stored *array = &a->map.file.arrays[i];
        if (sp_array_is_unused(array) && sp_array_title(&a->map, array, title))
            list_array(a, array, title, sink, arg);
    }
    for (char **column = a->map.file.passed_over; column && *column; column++)
        list_column(source->file_name, *column, sink, arg);
    return SP_OK;
}
