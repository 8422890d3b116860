/* What train and predict share. */
#ifndef STATEPATH_CLI_NETWORK_OPTIONS_H
#define STATEPATH_CLI_NETWORK_OPTIONS_H

#include "network.h"
#include "options.h"

/* Starts the program anew, with the same words, where that makes matrix products twice as fast (sp_network_blas_core()); else, or
 * where that cannot be done, returns. argv[0] is the command's name, as commands get it. */
void choose_blas_core(int argc, const char **argv);

/* Does the file hold what the network reads? SP_OK, SP_EDATA (names both). */
sp_status check_network_fits(const sp_network *network, const char *weights, const sp_signals_info *info, sp_error *err);

/* Which class of the network each class of the file is, by name, [K]; NULL (SP_OK) where they are the same in order, or one of
 * them has no names. The caller frees it. SP_OK; SP_EDATA (different names: lists both); SP_ENOMEM. */
sp_status match_network_classes(const sp_network *network, const char *weights, const sp_signals_info *info, int32_t **out,
                                sp_error *err);

#endif
