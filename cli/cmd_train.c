/* statepath train: train the reference classifier on signals. */
#include <math.h>
#include <stdio.h>

#include "command.h"
#include "core/try.h"
#include "outputs.h"
#include "progress.h"
#include "train_file.h"

/* What is printed while training goes on. */
typedef struct printing {
    const options *o;
    progress bar;
} printing;

static void print_number(double x, const char *format)
{
    if (isnan(x))
        printf("         -");
    else
        printf(format, x);
}

static void print_epoch(int32_t number, const sp_epoch *e)
{
    printf("%5d", number);
    print_number(e->loss, e->loss < 1e3 ? "%10.4f" : "%10.3g");
    print_number(e->accuracy, "%10.4f");
    print_number(e->test_loss, e->test_loss < 1e3 ? "%10.4f" : "%10.3g");
    print_number(e->test_accuracy, "%10.4f");
    putchar('\n');
    fflush(stdout);
}

static void print_news(void *arg, const sp_train_news *news)
{
    printing *p = arg;
    const options *o = p->o;
    char what[64];
    switch (news->what) {
    case SP_TRAIN_BEGINS:
        if (news->has_weights && !o->quiet)
            tell("%s: each step counts by its weight", news->file);
        printf("epoch      loss  accuracy test loss  test acc\n");
        break;
    case SP_TRAIN_EPOCH_BEGINS:
        snprintf(what, sizeof what, "steps of epoch %d of %d", news->epoch, news->n_epochs);
        progress_start(&p->bar, what, news->n_steps, o->quiet);
        break;
    case SP_TRAIN_STEPS:
        progress_show(&p->bar, news->n_steps);
        break;
    case SP_TRAIN_EPOCH_ENDS:
        progress_end(&p->bar);
        if (news->result)
            print_epoch(news->epoch, news->result);
        break;
    case SP_TRAIN_WROTE:
        if (!o->quiet)
            tell("wrote %s", news->file);
        break;
    }
}

static sp_status work(options *o, const char **words, outcome *out, sp_error *err)
{
    const input_file inputs[] = {{"the input file", words[0]}, {NULL, NULL}};
    printing print = {.o = o};
    sp_status status = SP_OK;
    (void)out;
    if (!o->run.output)
        return sp_fail(err, SP_EINVAL, "train: -o WEIGHTS.h5 is missing: where to write the weights");
    TRY(outputs_check(o, inputs, err));
    sp_masking masking = SP_MASKING_NONE;
    if (o->masking)
        TRY(sp_masking_parse(o->masking, &masking, err));
    const sp_train_plan plan = {.file = words[0],
                                .signals = o->signals,
                                .access = sp_run_access(&o->run),
                                .output = o->run.output,
                                .force = o->run.force,
                                .epochs = o->epochs,
                                .batch = o->batch,
                                .rate = o->rate,
                                .seed = o->network_seed,
                                .threads = o->run.decode.threads,
                                .has_masking = o->masking != NULL,
                                .masking = masking,
                                .model = o->run.model,
                                .report = o->report,
                                .told = print_news,
                                .arg = &print};
    TRY(sp_train_file(&plan, err));
done:
    return status;
}

const command train_command = {
    .name = "train",
    .summary = "train the reference classifier on signals",
    .use = {.arguments = "SIGNALS.h5 -o WEIGHTS.h5 [OPTION...]",
            .summary = "train a small convolutional network that makes scores from signals, with or without "
                       "masks on its logits",
            .example = "  statepath simulate datasets/sleep-signals.recipe.json -o signals.h5\n"
                       "  statepath train signals.h5 -o weights.h5\n"
                       "  statepath predict signals.h5 --weights weights.h5 --split test -o scores.h5\n"
                       "  statepath compare scores.h5 --model sleep-strict\n",
            .min_words = 1,
            .max_words = 1},
    .takes = C_TRAIN,
    .work = work,
};
