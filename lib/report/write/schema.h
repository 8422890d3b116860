/* The schema of the results' JSON, statepath-results.schema.json beside this file, compiled in by
 * models/embed.cmake. */
#ifndef STATEPATH_REPORT_SCHEMA_H
#define STATEPATH_REPORT_SCHEMA_H

typedef struct sp_schema_text {
    const char *name, *text;
} sp_schema_text;

extern const sp_schema_text sp_schema_texts[]; /* one */

#endif
