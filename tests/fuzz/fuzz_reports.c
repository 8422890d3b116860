/* As fuzz_scores; what was decoded is also evaluated and reported, in all forms, which takes longer than the rest. */
#define WITH_REPORTS true
#include "fuzz_scores.c"
