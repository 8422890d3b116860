#include "io/h5_codes.h"

#include <stdio.h>
#include <stdlib.h>

static sp_status fail_code(const sp_h5_map *map, const sp_h5_part *part, int64_t n, int64_t step, int64_t code,
                           const sp_codes *codes, sp_error *err)
{
    char text[32], sentence[SP_CODES_SENTENCE], *path = sp_h5_map_path(map, part->path, n);
    if (!path)
        return sp_fail(err, SP_ENOMEM, "%s: not enough memory", map->file_name);
    snprintf(text, sizeof text, "%lld", (long long)code);
    sp_status status = sp_fail_at(err, SP_EDATA, step, "%s: dataset %s, recording %s, step %lld: %s", map->file_name, path,
                                  map->ids[n], (long long)step, sp_codes_explain(codes, text, sentence));
    free(path);
    return status;
}

sp_status sp_h5_part_codes(sp_h5_map *map, const sp_h5_part *part, int64_t first, int64_t count, int64_t first_step,
                           int64_t n_steps, const sp_codes *codes, int32_t *out, sp_error *err)
{
    const int64_t *offsets = map->offsets;
    const bool is_piece = n_steps >= 0;
    const int64_t total = is_piece ? n_steps : offsets[first + count] - offsets[first];
    int64_t *raw = malloc(((size_t)total + 1) * sizeof *raw);
    if (!raw)
        return sp_fail(err, SP_ENOMEM, "%s: not enough memory for %lld labels", map->file_name, (long long)total);
    sp_status status = is_piece ? sp_h5_part_steps(map, part, first, first_step, n_steps, SP_TO_I64, 0, raw, err)
                                : sp_h5_part_read(map, part, first, count, SP_TO_I64, 0, raw, err);
    for (int64_t n = first; status == SP_OK && n < first + count; n++) {
        const int64_t begin = is_piece ? 0 : offsets[n] - offsets[first],
                      end = is_piece ? n_steps : offsets[n + 1] - offsets[first];
        const bool is_absent = part->absent && part->absent[n];
        for (int64_t t = begin; status == SP_OK && t < end; t++) {
            /* codes stay as they are for a while: those of the step before need no looking up */
            out[t] = is_absent ? -1 : t > begin && raw[t] == raw[t - 1] ? out[t - 1] : sp_codes_number(codes, (double)raw[t]);
            if (out[t] < SP_CODE_UNSCORED)
                status = fail_code(map, part, n, is_piece ? first_step + t : t - begin, raw[t], codes, err);
        }
    }
    free(raw);
    return status;
}
