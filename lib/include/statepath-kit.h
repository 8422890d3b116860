/* Everything: the core and the kit (evaluation, learning, files, reports). */
#ifndef STATEPATH_KIT_H
#define STATEPATH_KIT_H

#include "statepath.h"

#include "statepath/comparison.h"
#include "statepath/files.h"
#include "statepath/learn.h"
#include "statepath/metrics.h"
#include "statepath/model_json.h"
#include "statepath/pipeline.h"
#include "statepath/pipeline_file.h"
#include "statepath/report.h"
#include "statepath/signals_file.h"
#include "statepath/simulate.h"
#include "statepath/sleep.h"
#include "statepath/statistics.h"

#endif
