/* Do a network and a file of signals belong together? */
#include "train_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sp_status sp_network_fits(const sp_network *network, const char *weights, const sp_signals_info *info,
                          sp_error *err)
{
    const sp_network_shape *s = &network->shape;
    if (info->n_channels != s->n_channels || info->n_samples != s->n_samples)
        return sp_fail(err, SP_EDATA,
                       "%s: %s holds %d channels of %lld samples a step, but %s was trained on %d of %lld; "
                       "train a network on signals "
                       "like these",
                       info->file, info->path, info->n_channels, (long long)info->n_samples, weights,
                       s->n_channels, (long long)s->n_samples);
    if (info->labels && !info->classes && info->n_classes > s->n_classes)
        return sp_fail(err, SP_EDATA, "%s: its labels go up to %d, but %s knows %d classes", info->file,
                       info->n_classes - 1, weights, s->n_classes);
    return SP_OK;
}

/* "Wake, N1, ..." of n names. */
static const char *list_names(int32_t n, const char *const *names, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (int32_t k = 0; k < n && used < size; k++) {
        int more = snprintf(text + used, size - used, "%s%s", k ? ", " : "", names[k]);
        used += more > 0 ? (size_t)more : 0;
    }
    return text;
}

sp_status sp_network_match_classes(const sp_network *network, const char *weights,
                                   const sp_signals_info *info, int32_t **out, sp_error *err)
{
    int32_t n = network->shape.n_classes;
    *out = NULL;
    if (!network->classes || !info->classes)
        return SP_OK;
    int32_t *match = malloc((size_t)(info->n_classes > 0 ? info->n_classes : 1) * sizeof *match);
    if (!match)
        return sp_no_memory(err);
    bool is_same = info->n_classes == n, is_in_order = true;
    for (int32_t k = 0; is_same && k < n; k++) {
        match[k] = 0;
        while (match[k] < n && strcmp(network->classes[match[k]], info->classes[k]) != 0)
            match[k]++;
        is_same = match[k] < n;
        is_in_order = is_in_order && match[k] == k;
    }
    if (is_same && !is_in_order) {
        *out = match;
        return SP_OK;
    }
    free(match);
    char a[512], b[512];
    return is_same
               ? SP_OK
               : sp_fail(
                     err, SP_EDATA,
                     "%s names the classes %s, but %s was trained on %s; train a network on these classes",
                     info->file, list_names(info->n_classes, info->classes, a, sizeof a), weights,
                     list_names(n, (const char *const *)network->classes, b, sizeof b));
}
