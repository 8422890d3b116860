/* statepath mask causal: a step does not look at later ones. */
#include <stdlib.h>

#include "core/try.h"
#include "mask/mask_arrays.h"
#include "mask/mask_commands.h"

sp_status mask_causal(const char *word, const options *o, outcome *out, sp_error *err)
{
    (void)out;
    sp_array lengths = {.rank = 0};
    mask_table table;
    uint8_t *mask = NULL;
    double *additive = NULL, *shown = NULL;
    int64_t t = 0;
    sp_status status = SP_OK;
    TRY(table_open(&table, err));
    TRY(lengths_read(word, o, &lengths, err));
    t = steps_of(o, &lengths);
    TRY(size_check(t, t, 1, err));
    mask = room(t * t, 1);
    additive = room(t * t, sizeof *additive);
    TRY(mask && additive ? SP_OK : sp_no_memory(err));
    sp_causal_mask(t, mask);
    sp_mask_to_additive(mask, t * t, SP_F64, additive);
    if (o->run.output) {
        const sp_tensor tensors[] = {{"/mask", SP_TENSOR_BOOL, 2, {t, t}, mask},
                                     {"/additive", SP_TENSOR_F64, 2, {t, t}, additive}};
        TRY(tensors_write(o, tensors, 2, err));
    } else {
        shown = as_numbers(mask, t * t);
        TRY(shown ? SP_OK : sp_no_memory(err));
        table_rows(&table, CELL_FLAG, "step", shown, t, t);
    }
done:
    sp_array_clear(&lengths);
    free(mask);
    free(additive);
    free(shown);
    return table_close(&table, status, err);
}
