/* Exact texts kept as files in tests/report/golden/. */
#ifndef TEST_GOLDEN_H
#define TEST_GOLDEN_H

/* The text is what the file holds; else the test fails and names the first line that differs. With STATEPATH_UPDATE_GOLDEN=1 in
 * the environment the file is written instead: read the difference before it is committed. */
void assert_golden(const char *name, const char *text);

#endif
