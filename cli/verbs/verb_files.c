/* The verbs for all files of an array: mv, cp, rm, chmod; and compact. Of rm, rank 0 decides. When stripes may lie on
 * disks that only one node sees, all ranks remove. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dataset/datasets.h"
#include "files/paths.h"
#include "frame/team.h"
#include "verbs.h"

typedef int put_work(const char *from, const char *to, unsigned flags);

/* parts: a part of a dataset is renamed in it. */
static int put_sources(struct args *args, put_work *work, const char *force_help, bool parts)
{
    unsigned flags = 0;
    const char *inside, *from = NULL;
    char *folder = NULL;
    int status;
    struct opt opts[] = { { "force", .help = force_help, .to = &flags, .bits = DRX_REPLACE, .letter = 'f' }, { 0 } };

    if (!parse_args(args, opts, "SOURCE TARGET..."))
        return args->status;
    for (int i = 0; parts && !folder && i < args->nwords - 1; i++)
        folder = dataset_with(from = array_path(args->words[i]), find_variable_or_group, &inside);
    status = folder ? move_part(folder, from, inside, args->nwords == 2 ? args->words[1] : "")
                    : for_each_source(args, work, flags);
    free(folder);
    return status;
}

/* A dataset takes no name that another one has. */
static int put_dataset(const char *from, const char *to, unsigned flags, bool move)
{
    drx_status st = move ? drx_dataset_rename(from, to) : drx_dataset_duplicate(from, to);

    if (st == DRX_EUNSUPPORTED && move) { /* to another file system */
        st = drx_dataset_duplicate(from, to);
        if (!st)
            st = drx_dataset_delete(from);
    }
    if (st == DRX_EEXIST && !has_array_file(to))
        return failed("%s: exists already; %s", to,
                      flags ? "--force replaces arrays, not datasets: remove it first" : "give a new path");
    return exit_code(from, st);
}

static int copy_one(const char *from, const char *to, unsigned flags)
{
    return is_dataset(from) ? put_dataset(from, to, flags, false) : copy_array(from, to, flags);
}

static int cp(struct args *args)
{
    return put_sources(args, copy_one, "replace an array of that name; it stays until the copy is complete", false);
}

/* A move to another file system is a copy, then a removal. */
static int move_array(const char *from, const char *to, unsigned flags)
{
    drx_status st;

    if (is_dataset(from))
        return put_dataset(from, to, flags, true);
    st = drx_rename(from, to, flags);
    if (st == DRX_EUNSUPPORTED)
        return copy_array(from, to, flags | DRX_MOVE);
    return st ? failed_to_put(from, st) : DONE;
}

static int mv(struct args *args)
{
    return put_sources(args, move_array, "replace an array of that name", true);
}

/* ---- stripes that are not here, for rm ---- */

enum { LISTED = 16, HOST_BYTES = 64 };

/* Is a file of the array protected against writing? Prints which. */
static bool is_protected(const char *path)
{
    struct array_files files;
    bool found = false;

    (void)list_array_files(path, &files); /* an array that cannot be opened can be removed */
    for (int i = 0; i < files.n && !found; i++) {
        found = access(files.name[i], W_OK) != 0 && errno == EACCES;
        if (found)
            (void)failed("%s: is protected against writing; give --force to remove it", files.name[i]);
    }
    free_array_files(&files);
    return found;
}

struct missing {
    int n, of;
    char numbers[LISTED * 5 + 8]; /* of the first ones */
    char *file;                   /* of the first one */
};

static void note_missing(void *user, int k, int of, const char *file)
{
    struct missing *m = user;
    const size_t used = strlen(m->numbers);

    if (m->n < LISTED)
        (void)snprintf(m->numbers + used, sizeof m->numbers - used, "%s%d", used ? ", " : "", k);
    else if (m->n == LISTED)
        (void)snprintf(m->numbers + used, sizeof m->numbers - used, ", ...");
    if (m->n++ == 0)
        m->file = strdup(file);
    m->of = of;
}

/* They would stay on the disks of other nodes, and nothing would name them any more. */
static int refuse(const char *path, const struct missing *m, bool local)
{
    const char *file = m->file ? m->file : "";
    char host[HOST_BYTES] = "";

    (void)gethostname(host, sizeof host - 1);
    if (local)
        return failed(
            "%s: no node of this job has stripe%s %s of the %d, such as %s; run it on the nodes that have them, or "
            "give --force to remove what these nodes have",
            path, m->n > 1 ? "s" : "", m->numbers, m->of, file);
    return failed("%s: host %s does not have stripe%s %s of the %d, such as %s; if disks of other nodes have them, "
                  "'drx-mpi rm' with DRXMP_LOCAL_STRIPES=1 removes all; --force removes what is on this host",
                  path, host, m->n > 1 ? "s" : "", m->numbers, m->of, file);
}

/* Whether all stripes are there, or nobody can tell. Prints which are not, on rank 0. Collective. */
static bool has_all_stripes(const char *path, bool local)
{
    struct missing m = { .n = 0 };
    bool all;

    (void)missing_together(path, note_missing, &m);
    all = m.n == 0;
    if (!all)
        (void)refuse(path, &m, local);
    free(m.file);
    share_bytes(&all, sizeof all);
    return all;
}

/* ---- removing ---- */

enum step { REMOVE, LEAVE, REFUSE };

/* On rank 0. Datasets, which have no stripes, are removed here. */
static enum step decide(const char *path, bool force)
{
    const char *inside;
    char *folder = dataset_with(path, find_variable_or_group, &inside);

    if (folder) {
        const bool removed = remove_part(folder, path, inside) == DONE; /* opens it for writing, also with --force */

        free(folder);
        return removed ? LEAVE : REFUSE;
    }
    if (is_dataset(path))
        return exit_code(path, drx_dataset_delete(path)) == DONE ? LEAVE : REFUSE;
    if (!has_array(path) && force && !is_folder(path))
        return LEAVE;
    return expect_array(path) && (force || !is_protected(path)) ? REMOVE : REFUSE;
}

static int remove_one(const char *path, bool force, bool local)
{
    enum step step = team_rank() == 0 ? decide(path, force) : REMOVE;
    drx_status st;

    share_bytes(&step, sizeof step);
    if (step == REMOVE && !force && !has_all_stripes(path, local))
        step = REFUSE;
    if (step != REMOVE)
        return step == REFUSE ? FAILED : DONE;
    st = remove_together(path);
    return st == DRX_ENOENT && force ? DONE : exit_code(path, st);
}

static int remove_each(char *words[], int n, bool force, bool local)
{
    int status = DONE;

    n = array_paths(words, n);
    for (int i = 0; i < n; i++) {
        bool stop = interrupted();

        share_bytes(&stop, sizeof stop);
        if (stop)
            break;
        if (remove_one(words[i], force, local) != DONE)
            status = FAILED;
    }
    return status;
}

static int rm(struct args *args)
{
    bool force = false, local;
    struct opt opts[] = {
        { "force", .to = &force, .letter = 'f',
          .help = "ignore arrays that do not exist, and remove those that are protected against writing or whose "
                  "stripes are "
                  "not all here" },
        { 0 },
    };

    if (!parse_args(args, opts, "PATH..."))
        return args->status;
    local = has_local_stripes();
    if (!local && !go_alone())
        return DONE;
    watch_interrupts(); /* an array is removed as a whole */
    for (int i = 0; i < args->nwords; i++)
        (void)means_dataset(args->words[i]); /* which drops a slash at its end */
    return remove_each(args->words, args->nwords, force, local);
}

/* ---- permissions ---- */

struct wanted {
    const char *mode;
    mode_t mask;
};

struct change {
    struct array_files files;
    mode_t old[2 + DRX_MAX_STRIPES];
};

static bool look(struct change *change, const char *path)
{
    const drx_status st = list_array_files(path, &change->files);
    struct stat status;

    if (st == DRX_ENOENT || st == DRX_ENOMEM)
        return !failed_drx(path, st);
    for (int i = 0; i < change->files.n; i++) {
        if (stat(change->files.name[i], &status) != 0 && errno == ENOENT && !st)
            return !failed("%s: is a stripe on another node, and chmod changes files of this one; nothing has changed; "
                           "run chmod on that node, on the file",
                           change->files.name[i]);
        if (stat(change->files.name[i], &status) != 0)
            return !failed_errno(change->files.name[i], "look at it");
        change->old[i] = status.st_mode & 07777;
    }
    return true;
}

/* Change all files or none; the metadata, which others open first, come last. */
static int apply(const struct change *change, const struct wanted *wanted)
{
    char *const *name = change->files.name;

    for (int i = change->files.n - 1; i >= 0; i--) {
        if (chmod(name[i], apply_mode(wanted->mode, change->old[i], wanted->mask)) == 0)
            continue;
        (void)failed_errno(name[i], "change its permissions");
        for (int k = i + 1; k < change->files.n; k++)
            if (chmod(name[k], change->old[k]) != 0)
                (void)failed_errno(name[k], "restore its permissions");
        return FAILED;
    }
    return DONE;
}

static int change_array(const char *path, const void *wanted)
{
    struct change change = { .files = { .n = 0 } };
    int status = FAILED;

    if (drx_is_url(path))
        return failed("%s: files on a server are only read", path);
    if (expect_array(path) && look(&change, path))
        status = apply(&change, wanted);
    free_array_files(&change.files);
    return status;
}

static int change_modes(struct args *args)
{
    struct wanted wanted = { .mask = umask(0) };
    struct opt opts[] = { { 0 } };

    (void)umask(wanted.mask);
    if (!parse_args(args, opts, "MODE PATH..."))
        return args->status;
    wanted.mode = args->words[0];
    if (!is_mode(wanted.mode))
        return misused("MODE '%s' is not valid; give digits such as 644 or changes such as u+w,go-rwx", wanted.mode);
    watch_interrupts(); /* all files of an array change, or none */
    return for_each_array(args, 1, change_array, &wanted);
}

static int compact_array(const char *path)
{
    drx_array *a = open_array(path, DRX_RDWR);

    return a ? close_array(a, path, exit_code(path, drx_compact(a))) : FAILED;
}

/* Let its log have the last `keep` commits; < 0: all. */
static int shorten_log(const char *path, int64_t keep)
{
    drx_dataset *ds = open_dataset(path, DRX_RDWR, DRX_LAST);
    int64_t last, oldest;

    if (!ds)
        return FAILED;
    last = drx_dataset_last(ds);
    oldest = drx_dataset_oldest(ds);
    return close_dataset(
        ds, path, exit_code(path, drx_dataset_forget(ds, keep < 0 || keep > last - oldest ? oldest : last - keep + 1)));
}

/* Its variables, then its log. */
static int compact_dataset(const char *path, int64_t keep)
{
    drx_dataset *ds = open_dataset(path, DRX_RDONLY, DRX_LAST);
    int status = ds ? DONE : FAILED;

    for (int i = 0; ds && i < drx_dataset_count(ds) && !interrupted(); i++) {
        char *inside = in_folder(path, drx_dataset_name(ds, i));

        if (!inside)
            status = out_of_memory((int64_t)strlen(path));
        else if (compact_array(inside) != DONE)
            status = FAILED;
        free(inside);
    }
    status = ds ? close_dataset(ds, path, status) : FAILED;
    return status == DONE && !interrupted() ? shorten_log(path, keep) : status;
}

static int compact_one(const char *path, const void *keep)
{
    const int64_t n = *(const int64_t *)keep;

    if (is_dataset(path))
        return compact_dataset(path, n);
    return n < 0 ? compact_array(path) : failed("%s: no dataset; --keep takes datasets alone", path);
}

static int compact(struct args *args)
{
    int64_t keep = -1;
    struct opt opts[] = { { "keep", "N", "of a dataset, forget all but the last N commits", &keep, .take = take_count },
                          { 0 } };

    if (!parse_args(args, opts, "PATH..."))
        return args->status;
    if (keep == 0)
        return misused("--keep 0: a dataset keeps 1 commit at least");
    for (int i = 0; i < args->nwords; i++)
        (void)means_dataset(args->words[i]); /* which drops a slash at its end */
    return for_each_array(args, 0, compact_one, &keep);
}

const struct verb verb_mv = {
    .name = "mv",
    .summary = "Rename or move arrays and datasets with all their files",
    .usage = "SOURCE... TARGET [--force]",
    .words = "TARGET\ta new path, or a folder. A variable or group of a dataset gets another name in its group, as drx "
             "rename gives it\n",
    .examples = "  drx mv sst sst-2009\n"
                "  drx mv winds/u winds/eastward_wind\n"
                "  drx mv sst wind archive/\n",
    .run = mv,
};

const struct verb verb_cp = {
    .name = "cp",
    .summary = "Copy arrays and datasets with all their files; holes stay holes",
    .usage = "SOURCE... TARGET [--force]",
    .words = "TARGET\ta new path, or a folder\n",
    .examples = "  drx cp sst sst-backup\n"
                "  drx cp sst wind archive/\n",
    .run = cp,
};

const struct verb verb_rm = {
    .name = "rm",
    .summary = "Remove arrays and datasets with all their files",
    .usage = "PATH... [--force]",
    .words = "PATH\tan array; a dataset; or a variable or group of one, as DATASET/VARIABLE, which a commit of its own "
             "removes: a group with all that is in it\n",
    .examples = "  drx rm sst\n"
                "  drx rm winds/u winds/ocean\n"
                "  drx rm --force sst wind\n",
    .run = rm,
    .together = true,
};

const struct verb verb_chmod = {
    .name = "chmod",
    .summary = "Change who may read and write arrays, in all their files",
    .usage = "MODE PATH...",
    .words = "MODE\toctal digits up to 777, or changes separated by commas. A change has letters of u, g, o, a (user, "
             "group, others, all), then +, - or =, then letters of r, w, x, X, or one of u, g, o to copy from\n",
    .examples = "  drx chmod 640 sst\n"
                "  drx chmod a-w sst wind\n"
                "  drx chmod u=rw,g=r,o= sst\n",
    .run = change_modes,
};

const struct verb verb_compact = {
    .name = "compact",
    .summary = "Shorten the metadata; compress open chunks, and give dead space back",
    .usage = "PATH... [--keep N]",
    .words =
        "PATH\tan array, whose elements do not change and whose history becomes coarser; or a dataset, with all its "
        "variables\n",
    .examples = "  drx compact sst\n"
                "  drx compact winds --keep 30\n",
    .run = compact,
};
