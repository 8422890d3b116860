/* Files of arrays and tables: .npy, .npz, CSV and other text of scores; and columns of CoNLL. The first byte says what is looked
 * for (source_use.h), and by 64 that it is columns; the rest is the file. */
#include <stdlib.h>
#include <unistd.h>

#include "source_use.h"

static char table[] = "/tmp/statepath-fuzz-XXXXXX.csv", columns[] = "/tmp/statepath-fuzz-XXXXXX.conll";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int has_names;
    if (size == 0)
        return 0;
    if (!has_names) {
        close(mkstemps(table, 4));
        close(mkstemps(columns, 6));
        has_names = 1;
    }
    source_use(data[0] & 64 ? columns : table, data + 1, size - 1, data[0]);
    return 0;
}
