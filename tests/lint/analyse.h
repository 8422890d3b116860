/* Included before everything by gcc -fanalyzer (./dev lint), which sees one file at a time: tells it that a failure is never
 * SP_OK. */
#ifndef SP_TESTS_ANALYSE_H
#define SP_TESTS_ANALYSE_H

#define _GNU_SOURCE /* as files that need it define it; here system headers come before those definitions */

#include <statepath/status.h>

#define sp_fail(err, status, ...) ((sp_fail)(err, status, __VA_ARGS__), status)
#define sp_fail_at(err, status, step, ...) ((sp_fail_at)(err, status, step, __VA_ARGS__), status)
#define sp_no_memory(err) ((sp_no_memory)(err), SP_ENOMEM)

#endif
