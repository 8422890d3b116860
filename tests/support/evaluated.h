/* Paths that are there already, evaluated by the public functions. */
#ifndef TEST_EVALUATED_H
#define TEST_EVALUATED_H

#include "statepath/comparison.h"
#include "statepath/pipeline.h"

/* A model of these classes that allows everything. */
sp_model *model_of_all(int32_t n_classes, const char *const *classes);

/* sp_evaluate(), which must succeed. Of arrays->info offsets and n_recordings must be set; the file, kind of scores (nats as they
 * stand, f64), ids "r0", "r1" ... and the number of classes are set here where they are not. options NULL: the usual ones; their
 * model is this one. */
sp_comparison *evaluated(const sp_model *model, const sp_arrays *arrays, const sp_array_paths *paths,
                         const sp_run_options *options);

#endif
