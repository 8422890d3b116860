/* statepath: the best sequence that the rules of a field allow, from any classifier's per-step scores.
 *
 * This header brings the embeddable core (libstatepath: no dependency but libm and threads). The rest (files, evaluation,
 * reports, learning: libstatepath-kit) is included header by header or by statepath-kit.h.
 */
#ifndef STATEPATH_H
#define STATEPATH_H

#include "statepath/block.h"
#include "statepath/chain.h"
#include "statepath/decode.h"
#include "statepath/isa.h"
#include "statepath/leak.h"
#include "statepath/logmath.h"
#include "statepath/long.h"
#include "statepath/loss.h"
#include "statepath/mask.h"
#include "statepath/model.h"
#include "statepath/nbest.h"
#include "statepath/online.h"
#include "statepath/posterior.h"
#include "statepath/prepare.h"
#include "statepath/scores.h"
#include "statepath/sequence_mask.h"
#include "statepath/status.h"
#include "statepath/strategy.h"

#endif
