#include "io/hdf5/h5_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/h5_file.h"

void sp_h5_map_close(sp_h5_map *map)
{
    sp_h5_data_close(&map->data);
    if (map->parent > 0)
        H5Gclose(map->parent);
    free(map->beside);
    free(map->path);
    free(map->base);
    free(map->first_path);
    free(map->offsets);
    free(map->kept);
    free(map->kept_name);
    for (int i = 0; i < SP_H5_N_PLACES; i++)
        sp_h5_places_free(&map->places[i]);
    free(map->ids);
    free(map->scratch);
    free(map->wide);
    sp_chunk_jobs_free(map->jobs);
    *map = (sp_h5_map){0};
}

static void *room(unsigned char **bytes, size_t *have, size_t size)
{
    if (*have < size || !*bytes) {
        unsigned char *grown = malloc(size + 64);
        if (!grown)
            return NULL;
        free(*bytes);
        *bytes = grown;
        *have = size;
    }
    return *bytes;
}

void *sp_h5_map_scratch(sp_h5_map *map, size_t size)
{
    return room(&map->scratch, &map->scratch_size, size);
}

void *sp_h5_map_wide(sp_h5_map *map, size_t size)
{
    return room(&map->wide, &map->wide_size, size);
}

char *sp_h5_map_path(const sp_h5_map *map, const char *path, int64_t recording)
{
    return map->layout == SP_LAYOUT_GROUPS ? sp_h5_path_fill(path, map->ids[recording]) : strdup(path);
}

sp_status sp_h5_map_adopt(const sp_h5_map *map, const sp_h5_map_request *request, hid_t object, const char *path, bool *is_text,
                          sp_h5_data *out, sp_error *err)
{
    *is_text = !request->has_class_axis && sp_h5_is_text(object);
    return *is_text ? sp_h5_data_adopt_texts(object, map->file_name, path, out, err)
                    : sp_h5_data_adopt(object, map->file_name, path, out, err);
}

sp_status sp_h5_map_check(const sp_h5_map *map, const sp_h5_map_request *request, const sp_h5_data *data, const char *path,
                          int rank, sp_error *err)
{
    char type[SP_ELEMENT_NAME], shape[SP_H5_SHAPE];
    const char *file = map->file_name;
    if (request->has_class_axis && data->element.kind != SP_ELEMENT_FLOAT)
        return sp_fail(err, SP_EDATA,
                       "%s: dataset %s holds %s, but scores must be float16, float32 or float64; write it again with "
                       ".astype('float32')",
                       file, path, sp_element_name(data->type, type));
    const int least = rank ? rank : 1 + request->has_class_axis, most = rank ? rank : least + 1;
    if (data->rank < least || data->rank > most) {
        const char *expected = request->has_class_axis
                                   ? (rank ? "[steps, classes]" : "[steps, classes] or [recordings, steps, classes]")
                                   : (rank ? "[steps]" : "[steps] or [recordings, steps]");
        return sp_fail(err, SP_EDATA, "%s: dataset %s has shape %s, but must have %s; reshape it, or name another dataset", file,
                       path, sp_h5_shape(data->rank, data->dims, shape), expected);
    }
    if (request->has_class_axis) {
        hsize_t k = data->dims[data->rank - 1];
        if (k < 1 || k > INT32_MAX)
            return sp_fail(err, SP_EDATA, "%s: dataset %s has shape %s: its last axis, the classes, must have at least one", file,
                           path, sp_h5_shape(data->rank, data->dims, shape));
        if (map->n_classes && (hsize_t)map->n_classes != k)
            return sp_fail(
                err, SP_EDATA, "%s: dataset %s has %lld classes (shape %s), but %s has %lld; all recordings need the same", file,
                path, (long long)k, sp_h5_shape(data->rank, data->dims, shape), map->first_path, (long long)map->n_classes);
    }
    return SP_OK;
}

sp_status sp_h5_map_describe(sp_h5_map *map, const sp_h5_map_request *request, const sp_h5_data *data, const char *path,
                             sp_error *err)
{
    char type[SP_ELEMENT_NAME];
    map->element = data->element;
    map->n_classes = request->has_class_axis ? (int64_t)data->dims[data->rank - 1] : 0;
    snprintf(map->type_name, sizeof map->type_name, "%s", sp_element_name(data->type, type));
    if (map->element.kind == SP_ELEMENT_NONE) { /* texts, whose storage nobody may ask for (h5_text.c) */
        snprintf(map->storage, sizeof map->storage, "texts");
        return SP_OK;
    }
    return sp_h5_data_storage(data, map->file_name, path, map->storage, sizeof map->storage, err);
}
