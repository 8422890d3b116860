/* Columns of CoNLL: a token a line, its columns parted by blanks or tabs, an empty line after each sentence. A row of the table
 * of formats. Private to io/.
 *
 * Lines that begin with -DOCSTART- and comments (sp_comments of files.h) are no tokens. Each sentence is a recording. Labels
 * are the last column; of a file that is opened for its path, that is the last one, and labels are the one before it where most of
 * it are tags or classes (as conlleval has them); a word that is neither is an error there. Other columns are named by their
 * number, from 1, or from the end by -1, -2 ...; tokens are the first column where there is more than one of others.
 */
#ifndef STATEPATH_IO_CONLL_H
#define STATEPATH_IO_CONLL_H

#include "io/format.h"

#define SP_CONLL_ENDINGS ".conll .bio .iob .iob2 .bioes .bilou .bmes"

extern const sp_format sp_conll_format;
extern const sp_path_format sp_conll_paths; /* (conll_paths.c) */

/* Is it one, by the ending of its name (SP_CONLL_ENDINGS), or, of .txt, because all lines end with a tag? */
bool sp_conll_is_file(const char *file);

#endif
