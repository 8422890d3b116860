/* Paths as spans: JSON lines, an entity a line, by recording, then by strategy, then by place; where the classes are no tags, a run of a class a
 * line. Private to io/.
 *
 *     {"recording": "n1", "type": "PER", "first": 1, "last": 2, "start": 4, "end": 15, "text": "Jane Austen",
 *      "score": -0.11, "posterior": 0.93}
 *     {"recording": "n1", "class": "N2", "first": 40, "last": 61, "score": -8.2, "posterior": 0.31}
 *
 *   strategy   where there are several
 *   first, last   its steps, from 0 in the recording, both in it; steps that take no part count
 *   start, end, text   characters from `start` up to `end` of the recording's text (step_texts.h), counted as Python does; where
 *              there are tokens only, `text` is these with blanks between. Steps after the last one that take no part, each of which
 *              begins where the one before it ends, are further pieces of its word and belong to it
 *   score, posterior   sp_span_value; left out where the paths were not decoded here
 *   relaxed    true: the recording's path breaks rules
 *
 * What an entity is, is said in tags/tags.h (sp_tagged_spans): neither it nor a run goes on across a gap. A recording without a path has one line,
 * {"recording": "n2", "status": "no_path", "step": 17}.
 */
#ifndef STATEPATH_IO_SPAN_PATHS_H
#define STATEPATH_IO_SPAN_PATHS_H

typedef struct sp_path_format sp_path_format;
extern const sp_path_format sp_span_paths;

#endif
