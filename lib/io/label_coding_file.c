/* Label codings whose map may be a file. */
#include <stdlib.h>
#include <string.h>

#include "io/text/text_read.h"
#include "sleep/label_coding_new.h"

sp_status sp_codes_new(const char *preset, const char *map, const sp_model *model, sp_codes **out,
                       sp_error *err)
{
    char *text = NULL;
    const bool is_file = map && !strchr(map, '=');
    sp_status status =
        is_file ? sp_text_read(map, "a file of codes, one CODE=CLASS a line", &text, err) : SP_OK;
    if (status == SP_OK)
        status = sp_label_coding_new(preset, map, is_file ? text : map, model, out, err);
    free(text);
    return status;
}
