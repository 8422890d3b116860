/* Random fields, for their kernels. Private to decode/. */
#ifndef STATEPATH_DECODE_FIELD_H
#define STATEPATH_DECODE_FIELD_H

#include "core/scratch.h"
#include "statepath/field.h"

/* Numbers of a row: K, rounded up. */
enum { SP_FIELD_ROUND = 8 };

/* The recordings of one part, and their sums. */
typedef struct sp_field_part {
    const sp_field *field;
    int64_t n_row;                 /* K rounded up */
    double greatest;               /* of move */
    const double *linear, *turned; /* [K,n_row] exp(move - greatest), and by to, from; 1 behind K */
    double *moves;                 /* [K,n_row] what is still to be multiplied by linear */
    double *moves_in_logs;         /* [K,n_row] what is not */
    double *starts, *ends;         /* [n_row] */
} sp_field_part;

/* Does recording n. False on lack of memory. */
typedef bool sp_field_kernel(const sp_field_part *part, int64_t n, sp_scratch *scratch);

#endif
