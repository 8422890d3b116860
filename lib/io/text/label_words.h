/* What a word means as a label, the same in every format; and labels of arrays and HDF5 that are words: kept as numbers of the
 * different words, told as classes when they are read. Private to io/. */
#ifndef STATEPATH_IO_LABEL_WORDS_H
#define STATEPATH_IO_LABEL_WORDS_H

#include "io/text/texts.h"
#include "sleep/label_coding_use.h"
#include "statepath/model.h"

enum { SP_LABEL_WORDS_MOST = 65536 };

typedef struct sp_label_words {
    int64_t n;
    sp_texts words;    /* [n] different ones, in the order in which they first appear */
    int32_t *class_of; /* [n] what they were last told as */
} sp_label_words;

/* What words may mean: the first of these that knows one. */
typedef struct sp_word_meaning {
    const sp_codes *codes;      /* alone where there are any */
    const char *const *classes; /* [n_classes] names of the columns, or NULL */
    int32_t n_classes;          /* 0: not known */
    const sp_model *model;      /* its classes and aliases, as columns where these have names; or NULL */
    /* Of sleep, by the names of columns or the model's, the field's words for an unscored step are known too. */
} sp_word_meaning;

/* A class or column; SP_CODE_UNSCORED (an empty word, "-1"); SP_CODE_UNKNOWN, or what the codes say. */
int32_t sp_word_class(const char *word, const sp_word_meaning *meaning);

/* The different ones of n texts; index out [n]: which each is. `where` begins the sentence about too many. SP_OK, SP_EDATA,
 * SP_ENOMEM. */
sp_status sp_label_words_new(char *const *texts, int64_t n, const char *where, int32_t *index,
                             sp_label_words **out, sp_error *err);
void sp_label_words_free(sp_label_words *words); /* NULL is fine */

/* Fills in class_of by sp_word_class(). */
void sp_label_words_tell(sp_label_words *words, const sp_word_meaning *meaning);

/* The end of a sentence about a word that means nothing here. Returns the buffer. */
const char *sp_label_words_explain(const char *word, const sp_word_meaning *meaning,
                                   char buffer[SP_CODES_SENTENCE]);

#endif
