/* statepath-mpi: each rank counts its shard as `statepath compare --shard I/N --part DIR/P-%i-of-%n.h5` does, and rank 0 puts the
 * parts together as `statepath merge` does. */
#include "program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mpi/ranks.h"
#include "outputs.h"

const char program_name[] = "statepath-mpi";

static bool have_met; /* all ranks are at work, or know that one will not be */

/* ---- a rank's own part ---- */

/* What rank 0 can say before hours of work. */
static sp_status check(const command *c, const options *o, const char **words, sp_error *err)
{
    const input_file inputs[] = {{"the input file", words[0]},
                                 {"the file of labels", o->run.place.labels},
                                 {"the file of labels", o->run.reference},
                                 {NULL, NULL}};
    if (!o->parts)
        return sp_fail(err, SP_EINVAL, "--parts DIR is missing: the folder where each rank keeps its part");
    if (strchr(o->parts, '%'))
        return sp_fail(err, SP_EINVAL, "--parts %s: a name without %%", o->parts);
    if (c == &decode_command && (!o->run.output || strstr(o->run.output, "{id}")))
        return sp_fail(err, SP_EINVAL,
                       "decode: -o PATHS.h5 says where the paths of all recordings are written");
    return outputs_check(o, inputs, err);
}

static sp_status count(const command *c, const options *o, const char **words, sp_error *err)
{
    outcome counted = {.comparison = NULL};
    options own = *o;
    char who[32], shard[32], *file = malloc(strlen(o->parts) + sizeof "/P-%i-of-%n.h5");
    if (!file)
        return sp_fail(err, SP_ENOMEM, "no memory");
    strcat(strcpy(file, o->parts), "/P-%i-of-%n.h5");
    snprintf(who, sizeof who, "rank %d", rank);
    snprintf(shard, sizeof shard, "%d/%d", rank + 1, n_ranks);
    own.run.part.file = file;
    own.run.part.shard = shard;
    own.run.part.goes_on = 1;
    own.run.output = own.report = own.figures = own.json = own.csv = own.markdown = own.latex = NULL;
    own.fail_if = NULL;
    messages_from(who);
    sp_status status = SP_OK;
    if (mkdir(o->parts, 0777) != 0 && errno != EEXIST)
        status =
            sp_fail(err, SP_EFILE, "--parts %s: the folder cannot be made: %s", o->parts, strerror(errno));
    if (status == SP_OK)
        status = c->work(&own, words, &counted, err);
    if (status != SP_OK && is_interrupted()) {
        complain("%s", err->message);
        ranks_abort(EXIT_FAILED);
    }
    messages_from(rank == 0 ? "" : NULL);
    free(file);
    return status;
}

/* ---- all parts, at rank 0 ---- */

/* Says why shards could not be counted, each sentence once; where all ranks say the same, err does. */
static sp_status judge(const rank_report *all, const char *folder, sp_error *err)
{
    sp_status status = SP_OK;
    int n_failed = 0, n_same = 0;
    for (int r = 0; r < n_ranks; r++) {
        status = status == SP_OK ? all[r].status : status;
        n_failed += all[r].status != SP_OK;
        n_same += all[r].status != SP_OK && strcmp(all[r].sentence, all[0].sentence) == 0;
    }
    if (n_failed == 0 || n_same == n_ranks)
        return n_failed ? sp_fail(err, status, "%s", all[0].sentence) : SP_OK;
    for (int r = 0; r < n_ranks; r++) {
        bool is_new = all[r].status != SP_OK;
        for (int before = 0; before < r; before++)
            is_new = is_new && strcmp(all[before].sentence, all[r].sentence) != 0;
        if (is_new)
            complain("rank %d: %s", r, all[r].sentence);
    }
    return sp_fail(err, status,
                   "%d of %d parts could not be made; the others are in %s, and the same command goes on",
                   n_failed, n_ranks, folder);
}

static sp_status merge(options *o, char **files, outcome *out, sp_error *err)
{
    options own = *o;
    own.run.place.more = (const char *const *)files + 1;
    return merge_command.work(&own, (const char **)(void *)files, out, err);
}

static char **name_parts(const char *folder)
{
    const size_t most = strlen(folder) + 40;
    char **files = malloc(((size_t)n_ranks + 1) * sizeof *files + (size_t)n_ranks * most);
    for (int r = 0; files && r < n_ranks; r++) {
        files[r] = (char *)(files + n_ranks + 1) + (size_t)r * most;
        snprintf(files[r], most, "%s/P-%d-of-%d.h5", folder, r + 1, n_ranks);
    }
    if (files)
        files[n_ranks] = NULL;
    return files;
}

/* Once all have counted. Other ranks than 0 have no more to say. */
static sp_status gather(options *o, sp_status status, outcome *out, sp_error *err)
{
    char **files = name_parts(o->parts);
    rank_report *all = rank == 0 ? calloc((size_t)n_ranks, sizeof *all) : NULL;
    rank_report mine = {.status = status};
    struct stat info;
    if (!files || (rank == 0 && !all)) {
        complain("no memory");
        ranks_abort(EXIT_FAILED);
    }
    if (status == SP_OK && stat(files[rank], &info) == 0) {
        mine.bytes = info.st_size;
        mine.seconds = info.st_mtim.tv_sec;
        mine.nanoseconds = info.st_mtim.tv_nsec;
        mine.inode = (int64_t)info.st_ino;
    } else {
        memcpy(mine.sentence, err->message, sizeof mine.sentence);
    }
    ranks_report(&mine, all);
    status = rank == 0 ? judge(all, o->parts, err) : SP_OK;
    if (ranks_worst(status != SP_OK) == 0)
        status = ranks_bring(all, files, err);
    if (rank == 0 && status == SP_OK)
        status = merge(o, files, out, err);
    free(all);
    free(files);
    return status;
}

/* ---- commands ---- */

static sp_status run_parts(const command *c, options *o, const char **words, outcome *out, sp_error *err)
{
    sp_status status = rank == 0 ? check(c, o, words, err) : SP_OK;
    have_met = true;
    if (ranks_worst(status != SP_OK))
        return status;
    status = count(c, o, words, err);
    return gather(o, status, out, err);
}

static sp_status work_compare(options *o, const char **words, outcome *out, sp_error *err)
{
    return run_parts(&compare_command, o, words, out, err);
}

static sp_status work_evaluate(options *o, const char **words, outcome *out, sp_error *err)
{
    return run_parts(&evaluate_command, o, words, out, err);
}

static sp_status work_decode(options *o, const char **words, outcome *out, sp_error *err)
{
    return run_parts(&decode_command, o, words, out, err);
}

enum { N_COMMANDS = 3 };

static const char *const description[] = {
    "Commands of statepath on the ranks of an MPI job: mpirun -n 16 statepath-mpi compare nights/*.h5 "
    "--model sleep-aasm --parts "
    "parts --report nights.html. Options and results are those of statepath, to the byte.",
    "Rank R counts shard R+1 of as many as there are ranks, and writes it as a part into the folder --parts, "
    "which each rank may "
    "have for itself; rank 0 gets the parts that it does not see there, puts them together and writes the "
    "results. The inputs "
    "must be there for all ranks, by the same names and with the same times of change. A rank has --threads, "
    "else one "
    "for each processor that it may use: where there is a rank for each processor, say --threads 1.",
    "A rank that fails or dies ends the job with an exit status other than 0. Parts that are written stay: "
    "the same command goes "
    "on and counts what is missing. --force replaces results, and parts of other options; parts of this run "
    "are kept then too.",
    NULL};

int main(int argc, const char **argv)
{
    static const struct {
        const command *of;
        sp_status (*work)(options *o, const char **words, outcome *out, sp_error *err);
        const char *example;
    } known[N_COMMANDS] = {
        {&compare_command, work_compare,
         "  mpirun -n 16 statepath-mpi compare nights/*.h5 -m sleep-aasm --parts parts \\\n"
         "      --report nights.html\n"},
        {&decode_command, work_decode,
         "  mpirun -n 16 statepath-mpi decode nights/*.h5 -m sleep-aasm --parts parts \\\n"
         "      -o paths.h5\n"},
        {&evaluate_command, work_evaluate,
         "  mpirun -n 16 statepath-mpi evaluate paths/*.h5 -m sleep-aasm --parts parts \\\n"
         "      --json nights.json\n"}};
    command made[N_COMMANDS];
    const command *commands[N_COMMANDS];
    for (int i = 0; i < N_COMMANDS; i++) {
        made[i] = *known[i].of;
        made[i].work = known[i].work;
        made[i].use.example = known[i].example;
        made[i].takes |= C_RANKS;
        made[i].lacks = C_ALONE;
        commands[i] = &made[i];
    }
    const program mpi = {
        .summary = "statepath's commands, on the ranks of an MPI job",
        .start = "Start with:\n"
                 "  mpirun -n 4 statepath-mpi compare SCORES.h5 --model sleep-aasm --parts DIR\n",
        .n_commands = N_COMMANDS,
        .commands = commands,
        .is_companion = true,
        .description = description,
    };
    if (argc > 1 && strcmp(argv[1], "help") == 0) /* where pages are made there need not be a job */
        return program_main(&mpi, argc, argv);
    ranks_open();
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ); /* lines of several ranks stay whole */
    messages_from(rank == 0 ? "" : NULL);
    if (rank > 0 && !freopen("/dev/null", "w", stdout))
        ranks_abort(EXIT_FAILED);
    int status = program_main(&mpi, argc, argv);
    if (!have_met)
        ranks_worst(1);
    return ranks_close(status);
}
