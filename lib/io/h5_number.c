#include "io/h5_number.h"

#include <math.h>
#include <stdbool.h>

#include "io/h5_text.h"

static const char name[] = "epoch_seconds";

/* NaN where it is not one number. */
static double read_number(hid_t file, const char *path)
{
    double value = NAN;
    hid_t object, id = sp_h5_attribute_open(file, path, name, &object);
    if (id < 0)
        return value;
    hid_t type = H5Aget_type(id), space = H5Aget_space(id);
    H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    bool is_number = (class == H5T_INTEGER || class == H5T_FLOAT) && space >= 0 && H5Sget_simple_extent_npoints(space) == 1;
    if (!is_number || H5Aread(id, H5T_NATIVE_DOUBLE, &value) < 0)
        value = NAN;
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    H5Aclose(id);
    H5Oclose(object);
    return value;
}

sp_status sp_h5_epoch_seconds(hid_t file, const char *file_name, int n_places, const char *const *places, double *seconds,
                              sp_error *err)
{
    *seconds = 0;
    for (int i = 0; i < n_places; i++) {
        if (!places[i] || !sp_h5_has_attribute(file, places[i], name))
            continue;
        double value = read_number(file, places[i]);
        if (!(value > 0) || !isfinite(value))
            return sp_fail(err, SP_EDATA,
                           "%s: attribute %s of %s is not one number above 0; `epoch_seconds` X says how long a step is",
                           file_name, name, places[i]);
        *seconds = value;
        return SP_OK;
    }
    return SP_OK;
}
