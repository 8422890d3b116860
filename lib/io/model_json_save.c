#include <stdlib.h>

#include "statepath/model_json.h"
#include "statepath/report.h"

sp_status sp_model_save(const sp_model *model, const char *file, bool force, sp_error *err)
{
    char *text;
    sp_status status = sp_model_to_json(model, &text, err);
    if (status != SP_OK)
        return status;
    status = sp_text_save(file, text, force, err);
    free(text);
    return status;
}
