/* Files in a folder of their own, made by the test or by a script of tests/support. */
#ifndef TEST_MADE_FILES_H
#define TEST_MADE_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* A new empty folder; its name is static until made_folder_remove(). */
const char *made_folder(void);
void made_folder_remove(void);
/* <folder>/<name>; one of eight buffers in turn. */
const char *made_path(const char *name);

/* Runs a script of tests/support with the folder as its argument, and `more` when not NULL. False where Python or h5py is missing
 * (the test then skips); fails the test when the script does. */
bool made_by_script(const char *script, const char *more);

/* Nothing of HDF5 is open any more. */
void assert_h5_closed(void);

/* Between these, nothing may be written to stderr (HDF5 likes to). */
void stderr_watch(void);
void assert_stderr_empty(void);

/* Is `message` the expected sentence, where FILE stands for the file's name and one * for anything? Fails with both. */
void assert_sentence(const char *message, const char *expected, const char *file);

#endif
