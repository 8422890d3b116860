#include "io/intervals_file.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/try.h"
#include "io/element.h"
#include "io/hdf5/h5_data.h"
#include "io/hdf5/h5_file.h"

static const char mend[] = "`statepath decode` with `draws` writes it";

static sp_status read_rows(hid_t file, const char *name, const char *path, int32_t n_columns, double **rows, int64_t *n,
                           sp_error *err)
{
    const hsize_t start[2] = {0, 0};
    sp_h5_data data;
    double *out = NULL;
    sp_status status = SP_OK;
    if (!sp_h5_has_link(file, path))
        return sp_fail(err, SP_EFILE, "%s: there is no dataset %s; %s", name, path, mend);
    TRY(sp_h5_data_open(file, name, path, mend, &data, err));
    if (data.rank != 2 || data.dims[1] != (hsize_t)n_columns || !sp_element_is(&data.element, SP_TO_F64)) {
        status = sp_fail(err, SP_EDATA, "%s: dataset %s is not float64 [N,%d]; %s", name, path, (int)n_columns, mend);
    } else {
        out = malloc((size_t)data.dims[0] * (size_t)n_columns * sizeof *out + 1);
        status = out ? sp_h5_data_read(&data, name, path, start, data.dims, out, err) : sp_no_memory(err);
        *n = (int64_t)data.dims[0];
    }
    sp_h5_data_close(&data);
done:
    if (status == SP_OK)
        *rows = out;
    else
        free(out);
    return status;
}

sp_status sp_intervals_read(const char *name, const char *key, int32_t n_columns, double **rows, int64_t *n, sp_error *err)
{
    char path[128];
    sp_h5_quiet quiet;
    hid_t file = H5I_INVALID_HID;
    int64_t size = 0;
    double *read = NULL;
    snprintf(path, sizeof path, "/intervals/%s", key);
    sp_h5_quiet_begin(&quiet);
    sp_status status = sp_h5_open(name, NULL, &file, &size, err);
    if (status == SP_OK) {
        status = read_rows(file, name, path, n_columns, &read, n, err);
        H5Fclose(file);
    }
    status = sp_h5_quiet_end(&quiet, status, err);
    if (status == SP_OK)
        *rows = read;
    else
        free(read);
    return status;
}
