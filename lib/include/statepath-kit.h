/* Everything: the core and the kit (evaluation, learning, files, reports). */
#ifndef STATEPATH_KIT_H
#define STATEPATH_KIT_H

#include "statepath.h"
#include "statepath/agreement.h"
#include "statepath/build.h"
#include "statepath/calibrate.h"
#include "statepath/comparison.h"
#include "statepath/crf.h"
#include "statepath/csv_paths.h"
#include "statepath/fit.h"
#include "statepath/gate.h"
#include "statepath/model_json.h"
#include "statepath/paths_file.h"
#include "statepath/recipe_json.h"
#include "statepath/reliability.h"
#include "statepath/report.h"
#include "statepath/report_leak.h"
#include "statepath/report_signals.h"
#include "statepath/scorers.h"
#include "statepath/scores_file.h"
#include "statepath/sequences.h"
#include "statepath/signals.h"
#include "statepath/signals_file.h"
#include "statepath/simulate.h"
#include "statepath/sleep_statistics.h"
#include "statepath/source.h"
#include "statepath/statistics.h"
#include "statepath/tensor_file.h"
#include "statepath/training.h"
#include "statepath/transitions.h"

#endif
