#include "weights.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "statepath/signals_file.h"

static const char kind_key[] = "statepath_weights", kind_value[] = "network 1";

enum { N_SHAPE = 3 + 3 * SP_NETWORK_LAYERS, N_PARAMETERS = 2 * (SP_NETWORK_LAYERS + 1), PATH = 32 };

void sp_weights_origin_clear(sp_weights_origin *origin)
{
    free(origin->model);
    *origin = (sp_weights_origin){0};
}

/* ---- the parts of a file ---- */

static void shape_to_numbers(const sp_network_shape *shape, int64_t numbers[N_SHAPE])
{
    numbers[0] = shape->n_channels;
    numbers[1] = shape->n_samples;
    numbers[2] = shape->n_classes;
    for (int i = 0; i < SP_NETWORK_LAYERS; i++) {
        numbers[3 + 3 * i] = shape->layers[i].kernel;
        numbers[4 + 3 * i] = shape->layers[i].stride;
        numbers[5 + 3 * i] = shape->layers[i].n_out;
    }
}

/* False where a number is none of a shape's; whether the layers fit is for sp_network_new() to say. */
static bool shape_from_numbers(const int64_t numbers[N_SHAPE], double dropout, sp_network_shape *shape)
{
    for (int i = 0; i < N_SHAPE; i++)
        if (numbers[i] < 1 || numbers[i] > (i == 1 ? 100000000 : 1000000))
            return false;
    *shape = (sp_network_shape){.n_channels = (int32_t)numbers[0],
                                .n_samples = numbers[1],
                                .n_classes = (int32_t)numbers[2],
                                .dropout = dropout};
    for (int i = 0; i < SP_NETWORK_LAYERS; i++)
        shape->layers[i] = (sp_network_layer){(int32_t)numbers[3 + 3 * i], (int32_t)numbers[4 + 3 * i],
                                              (int32_t)numbers[5 + 3 * i]};
    return true;
}

/* The parameters as arrays with names, in their order; data points into the network. */
static void list_parameters(const sp_network *network, char paths[N_PARAMETERS][PATH],
                            sp_tensor tensors[N_PARAMETERS])
{
    const sp_network_shape *shape = &network->shape;
    for (int i = 0; i <= SP_NETWORK_LAYERS; i++) {
        bool is_last = i == SP_NETWORK_LAYERS;
        int64_t inputs = i == 0 ? shape->n_channels : shape->layers[i - 1].n_out;
        int64_t units = is_last ? shape->n_classes : shape->layers[i].n_out;
        snprintf(paths[2 * i], PATH, is_last ? "/output/weight" : "/layer%d/weight", i + 1);
        snprintf(paths[2 * i + 1], PATH, is_last ? "/output/bias" : "/layer%d/bias", i + 1);
        sp_tensor *weight = &tensors[2 * i];
        *weight = (sp_tensor){.path = paths[2 * i], .type = SP_TENSOR_F32, .rank = 3};
        if (is_last) {
            weight->rank = 2;
            weight->dims[0] = inputs;
            weight->dims[1] = units;
        } else {
            weight->dims[0] = shape->layers[i].kernel;
            weight->dims[1] = inputs;
            weight->dims[2] = units;
        }
        weight->data = network->parameters + sp_network_weight_at(shape, i);
        tensors[2 * i + 1] = (sp_tensor){.path = paths[2 * i + 1],
                                         .type = SP_TENSOR_F32,
                                         .rank = 1,
                                         .dims = {units},
                                         .data = network->parameters + sp_network_bias_at(shape, i)};
    }
}

static sp_tensor list(const char *path, sp_tensor_type type, int64_t n, const void *data)
{
    return (sp_tensor){.path = path, .type = type, .rank = 1, .dims = {n}, .data = data};
}

static const char *const history_paths[4] = {"/history/loss", "/history/accuracy", "/history/test_loss",
                                             "/history/test_accuracy"};

/* The four numbers of an epoch, in the order of history_paths. */
static double *epoch_number(sp_epoch *epoch, int i)
{
    double *const numbers[4] = {&epoch->loss, &epoch->accuracy, &epoch->test_loss, &epoch->test_accuracy};
    return numbers[i];
}

/* ---- writing ---- */

sp_status sp_weights_save(const sp_network *network, const sp_training_state *state,
                          const sp_weights_origin *origin, const char *file, bool force, sp_error *err)
{
    int64_t shape[N_SHAPE], options[2] = {origin->batch, origin->seed};
    char paths[N_PARAMETERS][PATH];
    enum { N_TENSORS = N_PARAMETERS + 6 + 4 };
    sp_tensor tensors[N_TENSORS];
    size_t n_epochs = (size_t)state->n_epochs;
    double *history = malloc((4 * n_epochs + 1) * sizeof *history);
    if (!history)
        return sp_no_memory(err);
    shape_to_numbers(&network->shape, shape);
    list_parameters(network, paths, tensors);
    int n = N_PARAMETERS;
    tensors[n++] = list("/input/mean", SP_TENSOR_F32, network->shape.n_channels, network->mean);
    tensors[n++] = list("/input/scale", SP_TENSOR_F32, network->shape.n_channels, network->scale);
    tensors[n++] = list("/shape", SP_TENSOR_I64, N_SHAPE, shape);
    tensors[n++] = list("/dropout", SP_TENSOR_F64, 1, &network->shape.dropout);
    tensors[n++] = list("/options", SP_TENSOR_I64, 2, options);
    tensors[n++] = list("/rate", SP_TENSOR_F64, 1, &origin->rate);
    for (int i = 0; i < 4; i++) {
        double *column = history + (size_t)i * n_epochs;
        for (size_t e = 0; e < n_epochs; e++)
            column[e] = *epoch_number(&state->epochs[e], i);
        tensors[n++] = list(history_paths[i], SP_TENSOR_F64, (int64_t)n_epochs, column);
    }
    const sp_tensor_text texts[] = {{kind_key, kind_value},
                                    {"statepath_version", sp_version()},
                                    {"masking", sp_masking_name(origin->masking)},
                                    {"rules", origin->model ? origin->model : ""}};
    const sp_tensors all = {.n_tensors = n,
                            .tensors = tensors,
                            .n_texts = (int32_t)(sizeof texts / sizeof *texts),
                            .texts = texts,
                            .n_classes = network->shape.n_classes,
                            .classes = (const char *const *)network->classes};
    sp_status status = sp_tensors_save(&all, file, force, err);
    free(history);
    return status;
}

/* ---- reading ---- */

static sp_status read_list(const sp_tensor_file *tensors, const char *path, sp_tensor_type type, int64_t n,
                           void *to, sp_error *err)
{
    const sp_tensor part = list(path, type, n, NULL);
    return sp_tensor_file_read(tensors, &part, to, err);
}

static sp_status read_network(const sp_tensor_file *tensors, const char *file, sp_network **out,
                              sp_error *err)
{
    int64_t numbers[N_SHAPE], n = 0;
    double dropout = 0;
    char paths[N_PARAMETERS][PATH], **classes = NULL;
    sp_tensor parts[N_PARAMETERS + 2];
    sp_network_shape shape;
    sp_network *network = NULL;
    sp_status status = SP_OK;
    TRY(read_list(tensors, "/shape", SP_TENSOR_I64, N_SHAPE, numbers, err));
    TRY(read_list(tensors, "/dropout", SP_TENSOR_F64, 1, &dropout, err));
    status =
        shape_from_numbers(numbers, dropout, &shape) ? sp_network_new(&shape, 1, &network, err) : SP_EINVAL;
    if (status == SP_EINVAL)
        status =
            sp_fail(err, SP_EFILE, "%s: dataset /shape is that of no network; make the file again", file);
    TRY(status);
    list_parameters(network, paths, parts);
    parts[N_PARAMETERS] = list("/input/mean", SP_TENSOR_F32, shape.n_channels, network->mean);
    parts[N_PARAMETERS + 1] = list("/input/scale", SP_TENSOR_F32, shape.n_channels, network->scale);
    for (int i = 0; i < N_PARAMETERS + 2; i++)
        TRY(sp_tensor_file_read(tensors, &parts[i], (void *)parts[i].data, err));
    for (size_t j = 0; j < network->n_parameters; j++)
        if (!isfinite(network->parameters[j]))
            TRY(sp_fail(err, SP_EDATA, "%s: its weights are no numbers; train again with a lower `rate`",
                        file));
    TRY(sp_tensor_file_classes(tensors, &classes, &n, err));
    if (classes && n != shape.n_classes)
        TRY(sp_fail(err, SP_EFILE, "%s: names %lld classes, but the network has %d; make the file again",
                    file, (long long)n, shape.n_classes));
    if (classes)
        TRY(sp_network_set_classes(network, (const char *const *)classes, err));
    *out = network;
    network = NULL;
done:
    free(classes);
    sp_network_free(network);
    return status;
}

sp_status sp_weights_load(const char *file, const sp_file_access *how, sp_network **network, sp_error *err)
{
    sp_tensor_file *tensors = NULL;
    sp_status status = SP_OK;
    TRY(sp_tensor_file_open(file, kind_key, kind_value, "files of weights are made by `statepath train`", how,
                            &tensors, err));
    TRY(read_network(tensors, file, network, err));
done:
    sp_tensor_file_close(tensors);
    return status;
}
