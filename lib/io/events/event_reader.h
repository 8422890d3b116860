/* The seam between the readers of events and what is made of them; private to io/events. A new reader is one file with a row of
 * this type, and the row's line in event_readers.c.
 */
#ifndef STATEPATH_IO_EVENT_READER_H
#define STATEPATH_IO_EVENT_READER_H

#include "io/events/events.h"
#include "io/format.h"

/* The bytes of a file, wherever they are. */
typedef struct sp_event_input {
    const char *file;
    int fd; /* or -1: image */
    const unsigned char *image;
    int64_t size;
} sp_event_input;

sp_status sp_event_input_open(const char *file, const sp_file_access *access, sp_event_input *out, sp_error *err);
void sp_event_input_close(sp_event_input *in);

/* bytes [offset, offset+n) of the file. SP_OK, SP_EFILE (fewer are there). */
sp_status sp_event_input_at(const sp_event_input *in, int64_t offset, size_t n, void *bytes, sp_error *err);

/* All of it, with a 0 after it; the caller frees. SP_OK, SP_EFILE, SP_ENOMEM. */
sp_status sp_event_input_all(const sp_event_input *in, char **bytes, size_t *n, sp_error *err);

typedef struct sp_event_reader {
    const char *name; /* as a sentence says it: "EDF+ annotations" */
    /* By its first bytes, or its name. */
    bool (*recognise)(const sp_file_look *look);
    /* Adds the events; `file` is filled in, the caller clears them. Errors name line or byte. SP_OK, SP_EFILE, SP_EDATA,
     * SP_ENOMEM. */
    sp_status (*read)(const sp_event_input *in, sp_events *events, sp_error *err);
} sp_event_reader;

/* The reader that knows a file, or NULL. */
const sp_event_reader *sp_event_reader_find(const sp_file_look *look);

/* Each reads one format; see there. */
extern const sp_event_reader sp_edf_events, sp_xml_events, sp_annot_events, sp_ids_events, sp_table_events, sp_visbrain_events,
    sp_elan_events, sp_dreams_events, sp_stg_events, sp_remlogic_events, sp_domino_events, sp_vis_events;

/* ---- lines of a text ---- */

/* Fields point into the text, which is cut up in place. */
enum { SP_LINE_FIELDS = 32 };
typedef struct sp_lines {
    const char *file;
    char *text, *at;
    int64_t line; /* of `begin`, from 1 */
    char *begin;  /* the line, without its end */
    int n_fields;
    char *fields[SP_LINE_FIELDS];
} sp_lines;

/* Reads a text of lines. SP_OK; SP_EFILE, SP_EDATA (no text: a byte 0), SP_ENOMEM. sp_lines_close() in any case. */
sp_status sp_lines_open(const sp_event_input *in, sp_lines *out, sp_error *err);
void sp_lines_close(sp_lines *lines);

/* The next line that is not blank; false: there is none. */
bool sp_lines_next(sp_lines *lines);

/* Cuts the line into fields, without blanks around them; of more than SP_LINE_FIELDS the rest is passed over. ' ': any blanks. */
void sp_lines_split(sp_lines *lines, char delimiter);

/* Seconds of field i: SP_OK; SP_EDATA with line and what was there. */
sp_status sp_lines_seconds(const sp_lines *lines, int i, const char *what, sp_time *out, sp_error *err);

/* The first line of the first bytes, up to size-1 bytes of it, without its end and a byte order mark. */
void sp_look_first_line(const sp_file_look *look, char *line, size_t size);

/* Does the text stand in the first bytes? Whatever the case. */
bool sp_look_has(const sp_file_look *look, const char *text);

#endif
