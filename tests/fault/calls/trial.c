/* Running trials; what must hold of all of them. */
#include "trial.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "base/hooks.h"
#include "base/work.h"
#include "marked.h"
#include "numbers.h"
#include "scene.h"

/* ---- the ways to fail ------------------------------------------------------------------ */

enum {
    NAMES = CALL_NAME | CALL_NEW_RENAME,
    BYTES = CALL_READ | CALL_WRITE,
    SPACE = CALL_WRITE | CALL_RESIZE | CALL_RESERVE | CALL_SYNC,
    FILES = BYTES | SPACE | CALL_OPEN | CALL_STAT | CALL_CLOSE | CALL_LOCK | CALL_FOLDER_LOCK | NAMES | CALL_REMOVE |
            CALL_LIST,
    RETRIED = BYTES | SPACE | CALL_OPEN | CALL_NAMELESS | CALL_LOCK | CALL_FOLDER_LOCK,
    HINTS = CALL_HINT | CALL_MAP | CALL_EXTENT | CALL_SLEEP | CALL_THREAD,
    /* A file that nobody needs any more, a folder's lock, a name that only tidying up removes; the look at a name, or
     * the length, that decides between two good ways; an array made under another name where none is not to be had. */
    HARMLESS = CALL_CLOSE | CALL_FOLDER_LOCK | CALL_REMOVE | CALL_RESERVE | CALL_STAT | CALL_OPEN | NAMES
};

const struct family families[] = {
    { "EIO", { FILES, EIO, CALLS_FAIL, 0, 1, 0 }, FILES, HARMLESS, DRX_EIO },
    { "ENOSPC", { SPACE | NAMES, ENOSPC, CALLS_FAIL, 0, 1, 0 }, FILES, NAMES, DRX_ENOSPC },
    { "memory", { CALL_MEMORY, ENOMEM, CALLS_FAIL, 0, 1, 0 }, CALL_MEMORY, CALL_MEMORY, DRX_ENOMEM },
    { "EINTR", { RETRIED, EINTR, CALLS_FAIL, 0, 1, 0 }, 0, 0, DRX_OK },
    { "hints", { HINTS, EIO, CALLS_FAIL, 0, 1, 0 }, 0, 0, DRX_OK },
    { "one byte", { BYTES, 0, CALLS_MOVE_ONE, 0, 1, 0 }, 0, 0, DRX_OK },
    { "short, then ENOSPC", { CALL_WRITE, ENOSPC, CALLS_MOVE_HALF_AND_FAIL, 0, 2, 0 }, CALL_WRITE, 0, DRX_ENOSPC },
    { "EIO from then on", { FILES, EIO, CALLS_FAIL, 0, LONG_MAX, 0 }, FILES, HARMLESS, DRX_EIO },
    { "ENOSPC from then on", { SPACE, ENOSPC, CALLS_FAIL, 0, LONG_MAX, 0 }, FILES, 0, DRX_ENOSPC },
    { "memory from then on",
      { CALL_MEMORY, ENOMEM, CALLS_FAIL, 0, LONG_MAX, 0 },
      CALL_MEMORY,
      CALL_MEMORY,
      DRX_ENOMEM },
    { "EINTR 7 times", { RETRIED, EINTR, CALLS_FAIL, 0, 7, 0 }, 0, 0, DRX_OK },
    { "hints from then on", { HINTS, EIO, CALLS_FAIL, 0, LONG_MAX, 0 }, 0, 0, DRX_OK },
    { "half from then on", { BYTES, 0, CALLS_MOVE_HALF, 0, LONG_MAX, 0 }, 0, 0, DRX_OK },
    { "one byte from then on", { BYTES, 0, CALLS_MOVE_ONE, 0, LONG_MAX, 0 }, 0, 0, DRX_OK },
    { "short, then ENOSPC from then on",
      { CALL_WRITE, ENOSPC, CALLS_MOVE_HALF_AND_FAIL, 0, LONG_MAX, 0 },
      CALL_WRITE,
      0,
      DRX_ENOSPC },
    { "unreadable maps", { CALL_MAP, 0, CALLS_MAP_NOTHING, 0, LONG_MAX, 0 }, 0, 0, DRX_OK },
    { "EMFILE", { CALL_OPEN | CALL_LIST, EMFILE, CALLS_FAIL, 0, 1, 0 }, FILES, CALL_OPEN, DRX_EIO },
    { "EMFILE from then on", { CALL_OPEN | CALL_LIST, EMFILE, CALLS_FAIL, 0, LONG_MAX, 0 }, FILES, CALL_OPEN, DRX_EIO },
    { "EACCES", { CALL_OPEN | NAMES | CALL_REMOVE, EACCES, CALLS_FAIL, 0, 1, 0 }, FILES, HARMLESS, DRX_EACCES },
    { "EROFS from then on",
      { SPACE | NAMES | CALL_REMOVE, EROFS, CALLS_FAIL, 0, LONG_MAX, 0 },
      FILES,
      HARMLESS,
      DRX_EACCES },
    { "EDQUOT", { SPACE | NAMES | CALL_CLOSE, EDQUOT, CALLS_FAIL, 0, 1, 0 }, FILES, HARMLESS, DRX_ENOSPC },
    { "EFBIG", { CALL_WRITE | CALL_RESIZE, EFBIG, CALLS_FAIL, 0, 1, 0 }, FILES, 0, DRX_ENOSPC },
    { "ESTALE", { BYTES | CALL_OPEN | CALL_STAT, ESTALE, CALLS_FAIL, 0, 1, 0 }, FILES, HARMLESS, DRX_EIO },
    { "no renameat2", { CALL_NEW_RENAME, ENOSYS, CALLS_FAIL, 0, LONG_MAX, 0 }, 0, 0, DRX_OK },
    { "no renameat2 here", { CALL_NEW_RENAME, EINVAL, CALLS_FAIL, 0, LONG_MAX, 0 }, 0, 0, DRX_OK },
    { "no nameless files", { CALL_NAMELESS, EOPNOTSUPP, CALLS_FAIL, 0, LONG_MAX, 0 }, 0, 0, DRX_OK },
    { "EIO twice", { FILES, EIO, CALLS_FAIL, 0, 2, 0 }, FILES, HARMLESS, DRX_EIO },
    { "EIO and the next but one", { FILES, EIO, CALLS_FAIL, 0, 2, 1 }, FILES, HARMLESS, DRX_EIO },
    { "EIO and the third from there", { FILES, EIO, CALLS_FAIL, 0, 2, 2 }, FILES, HARMLESS, DRX_EIO },
    { "EIO and the fifth from there", { FILES, EIO, CALLS_FAIL, 0, 2, 4 }, FILES, HARMLESS, DRX_EIO },
    { "EIO every second time", { FILES, EIO, CALLS_FAIL, 0, LONG_MAX, 1 }, FILES, HARMLESS, DRX_EIO },
    { "ENOLCK", { CALL_LOCK, ENOLCK, CALLS_FAIL, 0, 1, 0 }, FILES, 0, DRX_EIO },
};
const int n_families = sizeof families / sizeof families[0];

/* ---- before and after -------------------------------------------------------------------- */

static int open_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int n = 0;

    assert_non_null(folder);
    while (readdir(folder) != NULL)
        n++;
    assert_int_equal(closedir(folder), 0);
    return n;
}

/* Mapped files that are in this folder or have no name. */
static int mapped_files(void)
{
    char here[512], line[1024];
    FILE *maps = fopen("/proc/self/maps", "r");
    int n = 0;

    assert_non_null(maps);
    assert_non_null(getcwd(here, sizeof here));
    while (fgets(line, sizeof line, maps))
        n += strstr(line, here) != NULL || strstr(line, "(deleted)") != NULL;
    assert_int_equal(fclose(maps), 0);
    return n;
}

/* ---- a trial ------------------------------------------------------------------------------- */

static struct {
    const struct scenario *scenario; /* NULL: none is under way */
    const struct family *family;
    long nth;
    drx_status st;
} now;

int trial_report(void **state)
{
    (void)state;
    if (now.scenario)
        print_error("scenario \"%s\", %s, call %ld (%s): status %d\n", now.scenario->name, now.family->name, now.nth,
                    calls_struck_name(), (int)now.st);
    now.scenario = NULL;
    return 0;
}

static bool is_as_it_should(const struct scenario *s, const struct family *f, drx_status st)
{
    const unsigned struck = calls_struck();

    if (st == DRX_OK)
        return (struck & f->visible & ~f->harmless & ~s->harmless) == 0;
    if (!(struck & f->visible) || st != f->status)
        return false;
    return strlen(drx_last_error()) > 0 && (st == DRX_ENOMEM || strstr(drx_last_error(), s->word) != NULL);
}

void trial_close(struct trial *t, int i)
{
    (void)drx_close(t->a[i]);
    t->a[i] = NULL;
}

static void set_hooks(const struct scenario *s)
{
    static struct drxi_compaction usual;

    if (usual.times == 0)
        usual = drxi_hooks.compaction;
    drxi_hooks.other_names = s->how & OTHER_NAMES;
    drxi_hooks.no_links = s->how & NO_LINKS;
    drxi_hooks.compaction = s->how & COMPACTING ? (struct drxi_compaction){ 1, 1 } : usual;
    drxi_hooks.way = s->way;
    drxi_hooks.shared_bytes = s->threads == 0 ? 1 << 20 : s->threads == 1 ? INT64_MAX : 0;
    drxi_work_limit(s->threads);
    scene_flags = s->sums ? DRX_CHECKSUM : 0;
    numbers_sums = s->sums;
}

/* Whether a call was there to be struck. */
static bool attempt(const struct scenario *s, const struct family *f, long n)
{
    struct calls_plan plan = f->plan;
    struct trial t = { .of = s, .persistent = plan.times > 1 && f->status != DRX_OK };
    int descriptors, maps;
    drx_status st;

    now.scenario = s;
    now.family = f;
    now.nth = n;
    marked_clean();
    descriptors = open_descriptors();
    maps = mapped_files();
    set_hooks(s);
    s->prepare(&t);
    plan.nth = n;
    calls_arm(&plan);
    st = s->play(&t);
    calls_disarm();
    t.struck = calls_struck();
    now.st = st;
    if (!is_as_it_should(s, f, st)) {
        print_error("status %d, expected %d; detail: %s\n", (int)st, (int)f->status, st ? drx_last_error() : "none");
        fail();
    }
    s->check(&t, st);
    for (int i = 0; i < TRIAL_HANDLES; i++)
        trial_close(&t, i);
    free(t.own);
    assert_int_equal(open_descriptors(), descriptors);
    assert_int_equal(mapped_files(), maps);
    if (!t.persistent && !(t.struck & (CALL_REMOVE | NAMES))) /* no name is left that only files on their way have */
        assert_int_equal(marked_count("*.new-*") + marked_count("*/*.new-*"), 0);
    now.scenario = NULL;
    return t.struck != 0;
}

long trials(const struct scenario *s, const struct family *f, long from, long by)
{
    long n = from, fired = 0;

    while (attempt(s, f, n)) {
        n += by;
        fired++;
    }
    return fired;
}
