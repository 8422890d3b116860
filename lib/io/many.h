/* Several files as one source: a format that the table of formats does not know, made of sources that it does. Private to io/. */
#ifndef STATEPATH_IO_MANY_H
#define STATEPATH_IO_MANY_H

#include "io/format.h"

/* Opens every file once, looks at it and closes it again; a few are kept open for reading. Takes the list over, also on failure.
 * The source must be new. SP_OK; what opening a file says; SP_EDATA (two files do not go together). */
sp_status sp_many_open(sp_source *source, const sp_request *request, sp_file_list *list, sp_error *err);

#endif
