/* Classes that are told as numbers and names: a model without rules. Private to io/. As mapping.txt of action segmentation tells
 * them, and the config.json of a model of transformers:
 *
 *     0 background                {"id2label": {"0": "O", "1": "B-PER"}, ...}
 *     1 take
 *
 * The inner object alone will do; so does label2id, {"O": 0, ..}, where there is no id2label.
 */
#ifndef STATEPATH_IO_CLASS_LIST_H
#define STATEPATH_IO_CLASS_LIST_H

#include "statepath/model.h"

/* Is the text of lines, as of a number and a name, or an object with a key id2label or label2id, or of
 * numbers, and no model of ours? What is told otherwise is refused when it is read, with how to tell it. */
bool sp_class_list_is(const char *text);

/* A list "A,B,C" as a model without rules. SP_OK; SP_EINVAL (it names nothing, or a class twice), SP_ENOMEM. */
sp_status sp_class_list_split(const char *list, sp_model **out, sp_error *err);

/* The classes in the order of their numbers, every transition allowed; the model's name is the file's without folder and ending.
 * For a text that sp_class_list_is(). SP_OK; SP_EMODEL, which names the line (no number and name; a number that is there twice,
 * or too great for as many lines; a name that is there twice), or more than 10,000 classes; SP_ENOMEM. */
sp_status sp_class_list_read(const char *text, const char *file, sp_model **out, sp_error *err);

#endif
