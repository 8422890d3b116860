/* TRY(call): leaves a function by its one door where a call fails. Not installed.
 *
 *     sp_status status = SP_OK;
 *     TRY(sp_names_init(&names, n));
 *     TRY(names_fill(&names, err));
 * done:
 *     sp_names_clear(&names);
 *     return status;
 *
 * The call's status is in `status`; behind `done` everything that the function owns is freed, on success and on failure. */
#ifndef STATEPATH_CORE_TRY_H
#define STATEPATH_CORE_TRY_H

#define TRY(call)                                                                                            \
    do {                                                                                                     \
        if ((status = (call)) != SP_OK)                                                                      \
            goto done;                                                                                       \
    } while (0)

#endif
