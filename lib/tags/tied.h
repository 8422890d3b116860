/* Names of the biases of tags, for files. Not installed. */
#ifndef STATEPATH_TAGS_TIED_H
#define STATEPATH_TAGS_TIED_H

#include "statepath/learn.h"

/* Keys of a file of operating points, in the order of sp_tag_biases; a model names them without the prefix. */
#define SP_TAG_BIAS_PREFIX "transition_bias_"
enum { SP_TAG_BIAS_PREFIX_SIZE = sizeof SP_TAG_BIAS_PREFIX - 1 };
extern const char *const sp_tag_bias_keys[SP_N_TAG_BIASES];

#endif
