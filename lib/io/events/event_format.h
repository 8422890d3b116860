/* Files of events (EDF+ annotations, XML, .annot and others) as a row of the table of formats: labels or paths of one recording,
 * whose id is the name of the file. Private to io/. */
#ifndef STATEPATH_IO_EVENT_FORMAT_H
#define STATEPATH_IO_EVENT_FORMAT_H

#include "io/format.h"

/* Reads the file when it is opened. Its texts are told in classes of the request's model by the request's codes, else by the
 * words and numbers of the format; without a model the classes are the stages Wake, N1, N2, N3, REM. A step lasts as long as the
 * request says, else as the file says, else 30 s. Memory: the text and 40 bytes an event. */
extern const sp_format sp_event_format;

/* Is a file of events, by its first bytes? */
bool sp_event_is_file(const char *file);

#endif
