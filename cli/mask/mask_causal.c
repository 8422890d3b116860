/* statepath mask causal: a step does not look at later ones. */
#include <stdlib.h>

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
    sp_status status = table_open(&table, err);
    if (status == SP_OK)
        status = lengths_read(word, o, &lengths, err);
    if (status == SP_OK) {
        t = steps_of(o, &lengths);
        status = size_check(t, t, 1, err);
    }
    if (status == SP_OK) {
        mask = room(t * t, 1);
        additive = room(t * t, sizeof *additive);
        status = mask && additive ? SP_OK : sp_no_memory(err);
    }
    if (status == SP_OK) {
        sp_causal_mask(t, mask);
        sp_mask_to_additive(mask, t * t, SP_F64, additive);
        const sp_tensor tensors[] = {{"/mask", SP_TENSOR_BOOL, 2, {t, t}, mask},
                                     {"/additive", SP_TENSOR_F64, 2, {t, t}, additive}};
        if (o->run.output)
            status = tensors_write(o, tensors, 2, err);
        else if ((shown = as_numbers(mask, t * t)))
            table_rows(&table, CELL_FLAG, "step", shown, t, t);
        else
            status = sp_no_memory(err);
    }
    sp_array_clear(&lengths);
    free(mask);
    free(additive);
    free(shown);
    return table_close(&table, status, err);
}
