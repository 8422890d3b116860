#include "made_files.h"

#include <hdf5.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static char folder[4096];

const char *made_folder(void)
{
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/statepath-test-XXXXXX", base && base[0] ? base : "/tmp");
    assert_non_null(mkdtemp(folder));
    return folder;
}

static int run(const char *const *command)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        execv(command[0], (char *const *)command);
        _exit(127);
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

void made_folder_remove(void)
{
    const char *const command[] = {"/bin/rm", "-rf", folder, NULL};
    assert_int_equal(run(command), 0);
}

const char *made_path(const char *name)
{
    static char paths[8][sizeof folder + 1024];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%.1000s", folder, name);
    return path;
}

bool made_by_script(const char *script, const char *more)
{
    const char *const command[] = {"/usr/bin/python3", script, folder, more, NULL};
    if (access(command[0], X_OK) != 0)
        return false;
    int status = run(command);
    if (status == 77)
        return false;
    if (status != 0)
        fail_msg("%s ended with %d", script, status);
    return true;
}

/* Ids of one type are numbered upwards and never used again: those made shortly before `newest` are looked at one by one. */
static int count_alive(hid_t newest)
{
    int n = 0;
    for (hid_t id = newest - 1; id > newest - 5000 && id >> 56 == newest >> 56; id--)
        n += H5Iis_valid(id) > 0;
    return n;
}

void assert_h5_closed(void)
{
    assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL | H5F_OBJ_LOCAL), 0);
    hid_t space = H5Screate(H5S_SCALAR), list = H5Pcreate(H5P_DATASET_ACCESS), type = H5Tcopy(H5T_NATIVE_INT);
    int n_spaces = count_alive(space), n_lists = count_alive(list), n_types = count_alive(type);
    H5Sclose(space);
    H5Pclose(list);
    H5Tclose(type);
    assert_int_equal(n_spaces, 0);
    assert_int_equal(n_lists, 0);
    assert_int_equal(n_types, 0);
}

static int kept_stderr = -1;
static FILE *watched;

void stderr_watch(void)
{
    fflush(stderr);
    kept_stderr = dup(STDERR_FILENO);
    watched = tmpfile();
    assert_non_null(watched);
    dup2(fileno(watched), STDERR_FILENO);
}

void assert_stderr_empty(void)
{
    char text[400];
    fflush(stderr);
    dup2(kept_stderr, STDERR_FILENO);
    close(kept_stderr);
    rewind(watched);
    size_t n = fread(text, 1, sizeof text - 1, watched);
    text[n] = '\0';
    fclose(watched);
    if (n > 0)
        fail_msg("written to stderr: %s", text);
}

void assert_sentence(const char *message, const char *expected, const char *file)
{
    char wanted[SP_ERROR_SIZE + 4096];
    const char *mark = strstr(expected, "FILE");
    if (mark)
        snprintf(wanted, sizeof wanted, "%.*s%s%s", (int)(mark - expected), expected, file,
                 mark + strlen("FILE"));
    else
        snprintf(wanted, sizeof wanted, "%s", expected);
    const char *star = strchr(wanted, '*');
    size_t before = star ? (size_t)(star - wanted) : 0, after = star ? strlen(star + 1) : 0,
           n = strlen(message);
    bool fits = star ? n >= before + after && memcmp(message, wanted, before) == 0 &&
                           memcmp(message + n - after, star + 1, after) == 0
                     : strcmp(message, wanted) == 0;
    if (!fits)
        fail_msg("the message is\n  %s\nand should be\n  %s", message, wanted);
}
