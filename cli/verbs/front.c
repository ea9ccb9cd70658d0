/* drx, the command. It runs the verbs that need neither netCDF nor HDF5 nor Cairo. Those three load some sixty
 * libraries, which takes longer than most verbs run. Everything else it leaves to the program with all verbs
 * (main.c), whose path from the folder of drx is DRX_ALL_VERBS. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "verbs.h"

static const struct verb *const verbs[] = {
    &verb_create,  &verb_extend, &verb_append, &verb_prepend, &verb_trim, &verb_add_axis, &verb_retime,
    &verb_write,   &verb_read,   &verb_info,   &verb_log,     &verb_map,  &verb_attr,     &verb_rename,
    &verb_refs,    &verb_advise, &verb_mv,     &verb_cp,      &verb_rm,   &verb_chmod,    &verb_check,
    &verb_compact, &verb_dap,    &verb_run,    NULL,
};

static int become_all(char **argv)
{
    char path[PROGRAM_PATH];

    path_from_program(path, DRX_ALL_VERBS);
    (void)execv(path, argv);
    (void)fprintf(stderr, "drx: cannot run %s, which has all verbs: %s\n", path, strerror(errno));
    return FAILED;
}

int main(int argc, char **argv)
{
    if (argc > 1 && (has_verb(verbs, argv[1]) || strcmp(argv[1], "--version") == 0))
        return run_verbs(verbs, argc, argv);
    return become_all(argv);
}
