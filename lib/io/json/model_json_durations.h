/* Writing durations and rules into a model's JSON; reading is one of the parts of model_json_reader.h. Not installed. */
#ifndef STATEPATH_IO_MODEL_JSON_DURATIONS_H
#define STATEPATH_IO_MODEL_JSON_DURATIONS_H

#include "statepath/model.h"
#include "json/json_write.h"

void sp_model_put_durations(sp_json_writer *writer, const sp_model *model);
void sp_model_put_expressions(sp_json_writer *writer, const sp_model *model);

#endif
