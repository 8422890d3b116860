/* Hypnograms in XML: NSRR's annotations, and the export of Compumedics Profusion.
 *
 *   NSRR       PSGAnnotation: EpochLength; ScoredEvents of EventType, EventConcept, Start, Duration. Stages are of type
 *              "Stages|Stages", or in older files concepts that begin with SDO: or SRO:. They are runs: each lasts as long as it
 *              says, and a gap between two is a gap
 *   Profusion  CMPStudyConfig: EpochLength, and SleepStages of one SleepStage an epoch
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/events/event_reader.h"
#include "io/text/cells.h"
#include "io/text/texts.h"

#ifndef STATEPATH_WITHOUT_XML /* the Python package may be built where expat is not */
#include <expat.h>

enum { LONGEST_TEXT = 200, USUAL_EPOCH = 30 };

enum { TYPE, CONCEPT, START, LENGTH, N_PARTS };

typedef struct reading {
    XML_Parser parser;
    sp_events *events;
    bool is_profusion, has_root;
    int depth;
    char text[LONGEST_TEXT + 1]; /* of the element that is open */
    size_t n_text;
    int64_t event_line; /* of the scored event that is open, 0: none */
    char parts[N_PARTS][LONGEST_TEXT + 1];
    bool has[N_PARTS];
    sp_status status;
    sp_error *err;
} reading;

/* Ends the reading with a status that is set already. */
static void stop(reading *r, sp_status status)
{
    r->status = status;
    XML_StopParser(r->parser, XML_FALSE);
}

static long long line_of(const reading *r)
{
    return (long long)XML_GetCurrentLineNumber(r->parser);
}

static void XMLCALL on_text(void *user, const char *text, int n)
{
    reading *r = user;
    if (r->n_text + (size_t)n <= LONGEST_TEXT) {
        memcpy(r->text + r->n_text, text, (size_t)n);
        r->n_text += (size_t)n;
    } else
        r->n_text = LONGEST_TEXT; /* longer than anything that is looked for */
    r->text[r->n_text] = '\0';
}

static void XMLCALL on_start(void *user, const char *name, const char **attributes)
{
    reading *r = user;
    (void)attributes;
    r->n_text = 0;
    r->text[0] = '\0';
    if (++r->depth == 1) {
        r->has_root = true;
        r->is_profusion = strcmp(name, "CMPStudyConfig") == 0;
        if (!r->is_profusion && strcmp(name, "PSGAnnotation") != 0)
            stop(r, sp_fail(r->err, SP_EDATA,
                            "%s: line %lld: is XML of %.60s; hypnograms are read from NSRR's PSGAnnotation "
                            "and Profusion's "
                            "CMPStudyConfig",
                            r->events->file, line_of(r), name));
        r->events->preset = r->is_profusion ? "profusion" : "nsrr";
    }
    if (!r->is_profusion && strcmp(name, "ScoredEvent") == 0) {
        r->event_line = line_of(r);
        memset(r->has, 0, sizeof r->has);
        memset(r->parts, 0, sizeof r->parts);
    }
}

static bool read_seconds(reading *r, const char *text, const char *what, long long line, sp_time *out)
{
    if (sp_time_seconds(text, strlen(text), out) && *out >= 0)
        return true;
    stop(r, sp_fail(r->err, SP_EDATA, "%s: line %lld: %s \"%.40s\" is no number of seconds from 0 on",
                    r->events->file, line, what, text));
    return false;
}

/* A scored event of NSRR is whole. */
static void end_event(reading *r)
{
    const char *concept = r->parts[CONCEPT];
    const bool is_typed = strncasecmp(r->parts[TYPE], "Stages", 6) == 0;
    const bool is_old = strncmp(concept, "SDO:", 4) == 0 || strncmp(concept, "SRO:", 4) == 0;
    const bool is_recording = strcasecmp(concept, "Recording Start Time") == 0;
    const long long line = (long long)r->event_line;
    sp_event event = {.place = r->event_line, .is_stage = is_typed};
    r->event_line = 0;
    if (!is_typed && !is_old && !is_recording)
        return;
    if (!r->has[START] || !r->has[LENGTH]) {
        if (is_typed)
            stop(r, sp_fail(r->err, SP_EDATA, "%s: line %lld: the stage \"%.40s\" has no %s", r->events->file,
                            line, concept, r->has[START] ? "Duration" : "Start"));
        return;
    }
    if (!read_seconds(r, r->parts[START], "Start", line, &event.onset) ||
        !read_seconds(r, r->parts[LENGTH], "Duration", line, &event.duration))
        return;
    if (is_recording)
        r->events->total = event.duration;
    else {
        sp_status status = sp_events_add(r->events, &event, concept, strlen(concept), r->err);
        if (status != SP_OK)
            stop(r, status);
    }
}

/* An epoch of Profusion; where it begins is known at the end of the file. */
static void end_epoch(reading *r)
{
    const sp_event event = {.place = line_of(r), .is_stage = true};
    const bool is_active = strcasecmp(r->text, "Active") == 0; /* "no stage yet", in its own words */
    const char *text = is_active || !*r->text ? "?" : r->text;
    sp_status status = sp_events_add(r->events, &event, text, strlen(text), r->err);
    if (status != SP_OK)
        stop(r, status);
}

static void trim(reading *r)
{
    while (r->n_text && strchr(" \t\r\n", r->text[r->n_text - 1]))
        r->n_text--;
    r->text[r->n_text] = '\0';
    const size_t blanks = strspn(r->text, " \t\r\n");
    memmove(r->text, r->text + blanks, r->n_text - blanks + 1);
    r->n_text -= blanks;
}

static void XMLCALL on_end(void *user, const char *name)
{
    static const char *const parts[N_PARTS] = {"EventType", "EventConcept", "Start", "Duration"};
    reading *r = user;
    trim(r);
    if (r->depth == 2 && strcmp(name, "EpochLength") == 0 && r->n_text &&
        read_seconds(r, r->text, "EpochLength", line_of(r), &r->events->epoch) && r->events->epoch == 0)
        stop(r, sp_fail(r->err, SP_EDATA, "%s: line %lld: EpochLength is 0", r->events->file, line_of(r)));
    for (int i = 0; r->event_line && i < N_PARTS; i++)
        if (strcmp(name, parts[i]) == 0) {
            memcpy(r->parts[i], r->text, r->n_text + 1);
            r->has[i] = true;
        }
    if (r->event_line && strcmp(name, "ScoredEvent") == 0)
        end_event(r);
    else if (r->is_profusion && strcmp(name, "SleepStage") == 0)
        end_epoch(r);
    r->depth--;
    r->n_text = 0;
    r->text[0] = '\0';
}

/* A hypnogram needs no definitions of its own, and expansions of entities are a way to fill the memory. */
static void XMLCALL on_doctype(void *user, const char *name, const char *system, const char *public,
                               int has_internal)
{
    reading *r = user;
    (void)name, (void)system, (void)public;
    if (has_internal)
        stop(r, sp_fail(r->err, SP_EDATA, "%s: line %lld: defines a document type, which is not read",
                        r->events->file, line_of(r)));
}

static void place_epochs(sp_events *e)
{
    const sp_time epoch = e->epoch ? e->epoch : USUAL_EPOCH * SP_SECOND;
    if (!e->epoch)
        e->remark = "it has no EpochLength, 30 s are taken";
    e->epoch = epoch;
    for (int64_t i = 0; i < e->n; i++) {
        e->list[i].onset = i < SP_TIME_LIMIT / epoch ? i * epoch : SP_TIME_LIMIT;
        e->list[i].duration = epoch;
    }
}

static sp_status parse(reading *r, const char *bytes, size_t n)
{
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, on_start, on_end);
    XML_SetCharacterDataHandler(r->parser, on_text);
    XML_SetStartDoctypeDeclHandler(r->parser, on_doctype);
    const enum XML_Status done = XML_Parse(r->parser, bytes, (int)n, XML_TRUE); /* n is at most 2^28 */
    if (r->status != SP_OK)
        return r->status;
    if (done != XML_STATUS_OK && XML_GetErrorCode(r->parser) == XML_ERROR_NO_MEMORY)
        return sp_no_memory(r->err);
    if (done != XML_STATUS_OK)
        return sp_fail(r->err, SP_EDATA, "%s: line %lld: is damaged XML: %s", r->events->file, line_of(r),
                       XML_ErrorString(XML_GetErrorCode(r->parser)));
    return SP_OK;
}

static sp_status read_xml(const sp_event_input *in, sp_events *events, sp_error *err)
{
    char *bytes = NULL;
    size_t n = 0;
    sp_status status = sp_event_input_all(in, &bytes, &n, err);
    if (status != SP_OK)
        return status;
    reading *r = calloc(1, sizeof *r);
    if (r) {
        r->events = events;
        r->err = err;
        r->parser = XML_ParserCreate(NULL);
    }
    status = r && r->parser ? parse(r, bytes, n) : sp_no_memory(err);
    if (status == SP_OK && r->is_profusion)
        place_epochs(events);
    if (status == SP_OK && events->n == 0)
        status = sp_fail(err, SP_EDATA, "%s: holds no stages: %s", in->file,
                         r->is_profusion ? "no SleepStage in SleepStages"
                                         : "no ScoredEvent of EventType Stages|Stages");
    if (r && r->parser)
        XML_ParserFree(r->parser);
    free(r);
    free(bytes);
    return status;
}

#else
static sp_status read_xml(const sp_event_input *in, sp_events *events, sp_error *err)
{
    (void)events;
    return sp_fail(err, SP_EFILE,
                   "%s: is XML, which is not read here: this was built without expat (Debian: libexpat1-dev)",
                   in->file);
}
#endif

static bool is_xml(const sp_file_look *look)
{
    size_t i = sp_text_mark(look->head, look->n);
    const bool is_wide = look->n >= 2 && ((look->head[0] == 0xff && look->head[1] == 0xfe) ||
                                          (look->head[0] == 0xfe && look->head[1] == 0xff));
    while (i < look->n && look->head[i] && strchr(" \t\r\n", look->head[i]))
        i++;
    const bool is_open = i < look->n && look->head[i] == '<';
    return (is_open && (sp_look_has(look, "<?xml") || sp_look_has(look, "<PSGAnnotation") ||
                        sp_look_has(look, "<CMPStudyConfig"))) ||
           (is_wide && sp_file_has_ending(look->file, ".xml"));
}

const sp_event_reader sp_xml_events = {.name = "XML of NSRR or Profusion",
                                       .recognise = is_xml,
                                       .preset = "nsrr",
                                       .place_name = "line",
                                       .read = read_xml};
