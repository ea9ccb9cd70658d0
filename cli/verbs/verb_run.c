/* Programs that know netCDF, with libdrx-netcdf, whose path from the folder of drx is DRX_NETCDF. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frame/team.h"
#include "verbs.h"

/* Put the library before what is preloaded already. */
static int preload(bool mpi)
{
    const char *others = getenv("LD_PRELOAD");
    char path[PROGRAM_PATH], *all;
    int status = DONE;

    path_from_program(path, mpi ? DRX_NETCDF "-mpi.so.0" : DRX_NETCDF ".so.0");
    if (access(path, R_OK) != 0)
        return failed("%s: %s", path, strerror(errno));
    if (strpbrk(path, " :"))
        return failed("%s: a library whose path has a space or a colon cannot be preloaded", path);
    if (asprintf(&all, "%s%s%s", path, others && *others ? ":" : "", others ? others : "") < 0)
        return out_of_memory(sizeof path);
    if (setenv("LD_PRELOAD", all, 1) != 0)
        status = failed("LD_PRELOAD: %s", strerror(errno));
    free(all);
    return status;
}

static int run(struct args *args)
{
    const bool mpi = args->argc > 1 && strcmp(args->argv[1], "--mpi") == 0;
    char **words = args->argv + 1 + mpi;
    struct opt opts[] = {
        { "mpi", .to = &(bool){ false }, .help = "of a program that is linked with libnetcdf_mpi" },
        { 0 },
    };
    int status;

    if (!words[0] || words[0][0] == '-')
        return parse_args(args, opts, "PROGRAM") ? DONE : args->status;
    if (!team_forks) /* MPI has begun, and no program can take it over */
        return misused("drx-mpi runs no programs; give 'mpirun drx run --mpi %s'", words[0]);
    status = preload(mpi);
    if (status != DONE)
        return status;
    (void)signal(SIGPIPE, SIG_DFL); /* see run_verbs.c */
    (void)signal(SIGXFSZ, SIG_DFL);
    (void)execvp(words[0], words);
    return failed("%s: %s", words[0], strerror(errno));
}

const struct verb verb_run = {
    .name = "run",
    .summary = "Run a program that knows netCDF, and let it read datasets and arrays, and write datasets",
    .usage = "[--mpi] PROGRAM [ARGUMENT ...]",
    .words =
        "PROGRAM\tncdump, ncks, cdo, ncview, R, octave, and others that open files by netCDF-C\n"
        "ARGUMENT\twhat PROGRAM takes. The folder of a dataset, DATASET/VARIABLE and the path of an array stand for "
        "files; #commit=N after a dataset shows commit N; a URL is followed by #mode=udf0. A new file named NAME.drx "
        "becomes a dataset\n",
    .examples = "  drx run ncdump -h winds\n"
                "  drx run cdo timmean winds mean.nc\n"
                "  drx run ncks -v u 'winds#commit=1' u.nc\n"
                "  drx run nccopy winds.nc winds.drx\n",
    .run = run,
};
