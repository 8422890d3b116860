/* One line of the long CSV, for the files that write parts of it. */
#ifndef STATEPATH_REPORT_CSV_LINE_H
#define STATEPATH_REPORT_CSV_LINE_H

#include "report/buffer.h"
#include "statepath/comparison.h"

typedef struct sp_csv_line {
    const char *strategy, *recording, *class;
} sp_csv_line;

void sp_csv_count(sp_buffer *out, sp_csv_line line, const char *metric, int64_t count, int64_t n);
void sp_csv_value(sp_buffer *out, sp_csv_line line, const char *metric, const sp_value *value, int64_t n);
/* low and high are empty where undefined. */
void sp_csv_interval(sp_buffer *out, sp_csv_line line, const char *metric, const sp_value *value, int64_t n, const sp_value *low,
                     const sp_value *high);

void sp_csv_calibration(sp_buffer *out, const sp_comparison *comparison); /* reliability is not NULL */

void sp_csv_more(sp_buffer *out, const sp_comparison *comparison); /* error runs, regret, further tests, coarser classes */

void sp_csv_runs(sp_buffer *out, const sp_comparison *comparison); /* runs, changes of class, places, entities */

void sp_csv_people(sp_buffer *out, const sp_comparison *comparison); /* sleep statistics and scorers, where there are any */

#endif
