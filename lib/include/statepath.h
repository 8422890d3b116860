/* statepath: the best sequence that the rules of a field allow, from any classifier's per-step scores.
 *
 * This header brings the embeddable core (libstatepath: no dependency but libm and threads). The rest (files, evaluation,
 * reports, learning: libstatepath-kit) is included header by header or by statepath-kit.h.
 */
#ifndef STATEPATH_H
#define STATEPATH_H

#include "statepath/advanced.h"
#include "statepath/context.h"
#include "statepath/decode.h"
#include "statepath/field.h"
#include "statepath/mask.h"
#include "statepath/model.h"
#include "statepath/scores.h"
#include "statepath/status.h"
#include "statepath/stream.h"

#endif
