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

sp_status sp_event_input_open(const char *file, const sp_file_access *access, sp_event_input *out,
                              sp_error *err);
void sp_event_input_close(sp_event_input *in);

/* bytes [offset, offset+n) of the file. SP_OK, SP_EFILE (fewer are there). */
sp_status sp_event_input_at(const sp_event_input *in, int64_t offset, size_t n, void *bytes, sp_error *err);

/* All of it, with a 0 after it; the caller frees. SP_OK, SP_EFILE, SP_ENOMEM. */
sp_status sp_event_input_all(const sp_event_input *in, char **bytes, size_t *n, sp_error *err);

typedef struct sp_lines sp_lines;

typedef struct sp_event_reader {
    const char *name; /* as a sentence says it: "EDF+ annotations" */
    /* By its first bytes, or its name. */
    bool (*recognise)(const sp_file_look *look);
    const char *preset; /* whose numbers and words its texts are (sleep.h) */
    sp_time epoch;      /* how long a step is in all such files, or 0 */
    /* Of a text of lines: adds the events of one that is not blank, the next one of `lines`; and what is to be done after the
     * last (or NULL). Errors name the line. SP_OK, SP_EDATA, SP_ENOMEM. */
    sp_status (*line)(sp_lines *lines);
    sp_status (*end)(sp_lines *lines);
    /* Of any other file: all of it, by its own places. SP_OK, SP_EFILE, SP_EDATA, SP_ENOMEM. */
    const char *place_name;
    sp_status (*read)(const sp_event_input *in, sp_events *events, sp_error *err);
} sp_event_reader;

/* The reader that knows a file, or NULL. */
const sp_event_reader *sp_event_reader_find(const sp_file_look *look);

/* Adds the events of a file; `file` is filled in, the caller clears them. SP_OK, SP_EFILE, SP_EDATA, SP_ENOMEM. */
sp_status sp_event_reader_read(const sp_event_reader *reader, const sp_event_input *in, sp_events *events,
                               sp_error *err);

/* Endings by which some are known. */
#define SP_ANNOT_ENDINGS ".annot"
#define SP_UTIME_ENDINGS ".ids .sds"
#define SP_ZURICH_ENDINGS ".vis"

/* Each reads one format; see there. */
extern const sp_event_reader sp_edf_events, sp_xml_events, sp_annot_events, sp_ids_events, sp_table_events,
    sp_visbrain_events, sp_elan_events, sp_dreams_events, sp_stg_events, sp_remlogic_events, sp_domino_events,
    sp_vis_events;

/* ---- lines of a text (event_lines.c) ---- */

/* A text while it is read, all 0 at first. Cells (text/cells.h) point into it; it is cut up in place. */
enum { SP_LINE_FIELDS = 32, SP_LINE_COLUMNS = 3 };
struct sp_lines {
    const char *file;
    sp_events *events;
    sp_error *err;
    char *text, *at;
    int64_t line; /* of `begin`, from 1 */
    char *begin;  /* the line, without its end */
    int n_fields;
    char *fields[SP_LINE_FIELDS];
    /* What a reader keeps from line to line. */
    char delimiter;
    bool has_header, is_over;     /* the header, or the end of the recording, was there */
    int columns[SP_LINE_COLUMNS]; /* of the header; -1: it has none */
    int64_t n_epochs;             /* as the header says, plus 1; 0: it does not */
    sp_clocks clocks;
    sp_time begins, end; /* of the recording, where onsets are dates; of the event before */
};

/* Cuts the line into fields; of more than SP_LINE_FIELDS the rest is passed over. ' ': any blanks. */
void sp_lines_split(sp_lines *lines, char delimiter);

/* The field of that name, whatever the case; -1: there is none. */
int sp_lines_find(const sp_lines *lines, const char *name);

/* SP_EDATA with the file, "line 3", and what is wrong with it: ": no stage". */
sp_status sp_lines_fail(const sp_lines *lines, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Seconds of field i, a duration from 0 on; a whole number from `least` on. SP_OK; SP_EDATA with line and what was there. */
sp_status sp_lines_seconds(const sp_lines *lines, int i, const char *what, sp_time *out);
sp_status sp_lines_duration(const sp_lines *lines, int i, sp_time *out);
sp_status sp_lines_epoch(const sp_lines *lines, int i, int64_t least, int64_t *out);

/* Has the line the first n of the columns? SP_OK, SP_EDATA. */
sp_status sp_lines_check(const sp_lines *lines, int n);

/* Adds an event of this line, or the stage of epoch `index`. SP_OK, SP_EDATA, SP_ENOMEM. */
sp_status sp_lines_add(sp_lines *lines, sp_event event, const char *text);
sp_status sp_lines_add_epoch(sp_lines *lines, int64_t index, const char *text);

/* The first line of the first bytes, up to size-1 bytes of it, without its end and a byte order mark. */
void sp_look_first_line(const sp_file_look *look, char *line, size_t size);

/* Does the first line begin so, whatever the case? */
bool sp_look_begins(const sp_file_look *look, const char *text);

/* Does the text stand in the first bytes? Whatever the case. */
bool sp_look_has(const sp_file_look *look, const char *text);

#endif
