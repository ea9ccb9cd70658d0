/* drx - dense N-dimensional arrays on disk that grow along every axis. `drx VERB ...` runs a verb of this table. */
#include "formats/h5/h5.h"
#include "verbs.h"

static const struct verb *const verbs[] = {
    &verb_create, &verb_extend, &verb_append,  &verb_prepend, &verb_trim,   &verb_add_axis, &verb_retime, &verb_write,
    &verb_read,   &verb_info,   &verb_log,     &verb_map,     &verb_view,   &verb_import,   &verb_export, &verb_add,
    &verb_attr,   &verb_rename, &verb_refs,    &verb_copy,    &verb_advise, &verb_mv,       &verb_cp,     &verb_rm,
    &verb_chmod,  &verb_check,  &verb_compact, &verb_dap,     &verb_run,    NULL,
};

int main(int argc, char **argv)
{
    h5_stay_out_of_exit();
    return run_verbs(verbs, argc, argv);
}
