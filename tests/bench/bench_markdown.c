/* The figures of bench_decode and bench_marginals as the tables of lib/decode/measured.md.
 *
 *     bench_markdown DECODE.json MARGINALS.json */
#include <jansson.h>
#include <stdio.h>

static json_t *load(const char *file)
{
    json_error_t err;
    json_t *rows = json_load_file(file, 0, &err);
    if (!rows)
        fprintf(stderr, "%s: %s\n", file, err.text);
    return rows;
}

static const char *text(const json_t *row, const char *key)
{
    const char *found = json_string_value(json_object_get(row, key));
    return found ? found : "";
}

static double number(const json_t *row, const char *key)
{
    return json_number_value(json_object_get(row, key));
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "Usage: %s DECODE.json MARGINALS.json\n", argv[0]);
        return 2;
    }
    json_t *decode = load(argv[1]), *marginals = load(argv[2]), *row;
    size_t i;
    printf("| workload | strategy | million steps a second, one thread | of what reading alone reaches | "
           "times faster than the "
           "textbook | two threads against one | of what reading alone reaches on two "
           "|\n|---|---|---|---|---|---|---|\n");
    json_array_foreach(decode, i, row) printf(
        "| %s: %s | %s | %.3g | %.2g %% | %.1f (%.1f-%.1f) | %.1f | %.2g %% |\n", text(row, "workload"),
        text(row, "what"), text(row, "strategy"), 1e-6 * number(row, "steps") / number(row, "seconds_1"),
        100 * number(row, "share_of_read_1"), number(row, "ratio"), number(row, "ratio_low"),
        number(row, "ratio_high"), number(row, "threads_2"), 100 * number(row, "share_of_read_2"));
    json_array_foreach(marginals, i, row) printf(
        "| %s: %s | %s | %.3g | | %.1f (%.1f-%.1f), than our own plain kernel | | |\n", text(row, "workload"),
        text(row, "what"), text(row, "strategy"), 1e-6 * number(row, "steps") / number(row, "seconds"),
        number(row, "ratio"), number(row, "ratio_low"), number(row, "ratio_high"));
    int status = decode && marginals ? 0 : 1;
    json_decref(decode);
    json_decref(marginals);
    return status;
}
