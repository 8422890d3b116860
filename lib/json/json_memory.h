/* Did jansson lack memory? It calls some such failures a syntax error, and others lose a letter of a text without a word; not
 * installed. */
#ifndef STATEPATH_JSON_MEMORY_H
#define STATEPATH_JSON_MEMORY_H

#include <stdbool.h>

/* Before a text is parsed. The first call puts a note-taker in front of whatever allocator jansson has, for the whole process. */
void sp_json_memory_begin(void);

/* After it: did an allocation of this thread fail? */
bool sp_json_memory_failed(void);

#endif
