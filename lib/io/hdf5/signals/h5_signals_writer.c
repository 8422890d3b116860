#include <assert.h>
#include <stdlib.h>

#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_put.h"
#include "statepath/signals_file.h"

struct sp_signals_writer {
    sp_output output;
    hid_t file, set;
    hsize_t dims[3], done; /* of /signals; steps written */
};

static bool put_all(hid_t file, const sp_signals_header *h, const char *const *ids, const hsize_t *dims)
{
    hid_t label_type = h->n_classes <= 128     ? H5T_STD_I8LE
                       : h->n_classes <= 32768 ? H5T_STD_I16LE
                                               : H5T_STD_I32LE;
    return (!h->recipe || (sp_h5_put_text(file, "recipe", h->recipe) &&
                           sp_h5_put_attribute(file, "seed", H5T_STD_I64LE, H5T_NATIVE_INT64, &h->seed))) &&
           sp_h5_put_attribute(file, "rate", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &h->rate) &&
           sp_h5_put_names(file, "/classes", h->n_classes, h->classes) &&
           sp_h5_put_names(file, "/ids", h->n_recordings, ids) &&
           sp_h5_put_numbers(file, "/offsets", H5T_STD_I64LE, H5T_NATIVE_INT64, h->n_recordings + 1, 0,
                             h->offsets) &&
           sp_h5_put_numbers(file, "/labels", label_type, H5T_NATIVE_INT32, h->n_steps, 0, h->labels) &&
           (!h->split || sp_h5_put_numbers(file, "/split", H5T_STD_U8LE, H5T_NATIVE_UINT8, h->n_recordings, 0,
                                           h->split)) &&
           sp_h5_put_array(file, "/signals", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 3, dims, NULL);
}

/* Closes what is open; false where HDF5 fails. */
static bool close_all(sp_signals_writer *writer)
{
    bool is_ok = writer->set < 0 || H5Dclose(writer->set) >= 0;
    is_ok &= writer->file < 0 || H5Fclose(writer->file) >= 0;
    writer->set = writer->file = H5I_INVALID_HID;
    return is_ok;
}

void sp_signals_writer_abort(sp_signals_writer *writer)
{
    if (!writer)
        return;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    close_all(writer);
    (void)sp_h5_quiet_end(&quiet, SP_OK, NULL);
    sp_output_abort(&writer->output);
    free(writer);
}

static sp_status open_file(sp_signals_writer *writer, const sp_signals_header *header, const char *const *ids,
                           sp_error *err)
{
    int64_t bytes = header->n_steps * header->n_channels * header->n_samples * (int64_t)sizeof(float);
    sp_status status = sp_output_room(&writer->output, bytes, err);
    if (status != SP_OK)
        return status;
    sp_h5_quiet quiet;
    sp_h5_failure failure;
    sp_h5_quiet_begin(&quiet);
    sp_h5_failure_watch(&failure);
    writer->file = sp_h5_create(&writer->output);
    bool is_ok = writer->file >= 0 && put_all(writer->file, header, ids, writer->dims) &&
                 (writer->set = H5Dopen2(writer->file, "/signals", H5P_DEFAULT)) >= 0;
    status = is_ok ? SP_OK : sp_h5_put_failed(&writer->output, &failure, err);
    return sp_h5_quiet_end(&quiet, status, err);
}

sp_status sp_signals_writer_open(const char *file, const sp_signals_header *header, sp_signals_writer **out,
                                 sp_error *err)
{
    sp_signals_writer *writer = calloc(1, sizeof *writer);
    char **ids = header->ids ? NULL : sp_recording_ids_new(header->n_recordings);
    sp_status status = SP_OK;
    if (!writer || (!header->ids && !ids)) {
        status = sp_no_memory(err);
        free(writer);
        writer = NULL;
    } else if ((status = sp_output_begin(&writer->output, file, header->force, NULL, err)) != SP_OK) {
        free(writer);
        writer = NULL;
    } else {
        writer->file = writer->set = H5I_INVALID_HID;
        writer->dims[0] = (hsize_t)header->n_steps;
        writer->dims[1] = (hsize_t)header->n_channels;
        writer->dims[2] = (hsize_t)header->n_samples;
        status = open_file(writer, header, header->ids ? header->ids : (const char *const *)ids, err);
    }
    sp_recording_ids_free(ids, header->n_recordings);
    if (status == SP_OK)
        *out = writer;
    else
        sp_signals_writer_abort(writer);
    return status;
}

sp_status sp_signals_writer_add(sp_signals_writer *writer, int64_t count, const float *data, sp_error *err)
{
    hsize_t start[3] = {writer->done, 0, 0}, size[3] = {(hsize_t)count, writer->dims[1], writer->dims[2]};
    assert(count >= 0 && writer->done + size[0] <= writer->dims[0]);
    if (count == 0)
        return SP_OK;
    sp_h5_quiet quiet;
    sp_h5_failure failure;
    sp_h5_quiet_begin(&quiet);
    sp_h5_failure_watch(&failure);
    hid_t space = H5Dget_space(writer->set), memory = H5Screate_simple(3, size, NULL);
    bool is_ok = space >= 0 && memory >= 0 &&
                 H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                 H5Dwrite(writer->set, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, data) >= 0;
    sp_status status = is_ok ? SP_OK : sp_h5_put_failed(&writer->output, &failure, err);
    sp_h5_close(memory);
    sp_h5_close(space);
    status = sp_h5_quiet_end(&quiet, status, err);
    writer->done += size[0];
    return status;
}

sp_status sp_signals_writer_commit(sp_signals_writer *writer, sp_error *err)
{
    assert(writer->done == writer->dims[0]);
    sp_h5_quiet quiet;
    sp_h5_failure failure;
    sp_h5_quiet_begin(&quiet);
    sp_h5_failure_watch(&failure);
    sp_status status = close_all(writer) ? SP_OK : sp_h5_put_failed(&writer->output, &failure, err);
    status = sp_h5_quiet_end(&quiet, status, err);
    if (status == SP_OK)
        status = sp_output_commit(&writer->output, err);
    else
        sp_output_abort(&writer->output);
    free(writer);
    return status;
}
