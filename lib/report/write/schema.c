#include "report/write/schema.h"
#include "report/write/buffer.h"
#include "statepath/report.h"

sp_status sp_report_schema(char **out, sp_error *err)
{
    sp_buffer text = {0};
    sp_buffer_text(&text, sp_schema_texts[0].text);
    return sp_buffer_finish(&text, out, err);
}
