/* Runs trials and checks what must hold in all of them. */
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

enum {
    NAMES = CALL_NAME | CALL_NEW_RENAME,
    BYTES = CALL_READ | CALL_WRITE,
    MEMORY = CALL_MEMORY,
    SPACE = CALL_WRITE | CALL_RESIZE | CALL_RESERVE | CALL_SYNC,
    FILES = BYTES | SPACE | CALL_OPEN | CALL_STAT | CALL_CLOSE | CALL_LOCK | CALL_FOLDER_LOCK | NAMES | CALL_REMOVE |
            CALL_LIST | CALL_FAREWELL,
    RETRIED = BYTES | SPACE | CALL_OPEN | CALL_NAMELESS | CALL_LOCK | CALL_FOLDER_LOCK,
    HINTS = CALL_HINT | CALL_MAP | CALL_EXTENT | CALL_SLEEP | CALL_THREAD,
    /* A file that nobody needs any more, a folder's lock, a name that only tidying up removes; the look at a name, or
     * the length, that decides between two good ways; an array made under another name where none is not to be had;
     * what saves readers further looks at a name. */
    HARMLESS =
        CALL_CLOSE | CALL_FOLDER_LOCK | CALL_REMOVE | CALL_RESERVE | CALL_STAT | CALL_OPEN | NAMES | CALL_FAREWELL
};

// clang-format off
#define EVER LONG_MAX
#define FAIL(kinds, error, times, gap) { kinds, error, CALLS_FAIL, 0, times, gap }
#define ONCE(kinds, error) FAIL(kinds, error, 1, 0)
#define ALWAYS(kinds, error) FAIL(kinds, error, EVER, 0) /* from then on */
#define HOW(kinds, error, how, times) { kinds, error, CALLS_##how, 0, times, 0 }

const struct family families[] = {
    { "EIO",                        FILES,      HARMLESS,  DRX_EIO,    ONCE(FILES, EIO) },
    { "ENOSPC",                     FILES,      NAMES,     DRX_ENOSPC, ONCE(SPACE | NAMES, ENOSPC) },
    { "memory",                     MEMORY,     MEMORY,    DRX_ENOMEM, ONCE(MEMORY, ENOMEM) },
    { "EINTR",                      0,          0,         DRX_OK,     ONCE(RETRIED, EINTR) },
    { "hints",                      0,          0,         DRX_OK,     ONCE(HINTS, EIO) },
    { "one byte",                   0,          0,         DRX_OK,     HOW(BYTES, 0, MOVE_ONE, 1) },
    { "short, ENOSPC",              CALL_WRITE, 0,         DRX_ENOSPC, HOW(CALL_WRITE, ENOSPC, MOVE_AND_FAIL, 2) },
    { "EIO from then on",           FILES,      HARMLESS,  DRX_EIO,    ALWAYS(FILES, EIO) },
    { "ENOSPC from then on",        FILES,      0,         DRX_ENOSPC, ALWAYS(SPACE, ENOSPC) },
    { "memory from then on",        MEMORY,     MEMORY,    DRX_ENOMEM, ALWAYS(MEMORY, ENOMEM) },
    { "EINTR 7 times",              0,          0,         DRX_OK,     FAIL(RETRIED, EINTR, 7, 0) },
    { "hints from then on",         0,          0,         DRX_OK,     ALWAYS(HINTS, EIO) },
    { "half from then on",          0,          0,         DRX_OK,     HOW(BYTES, 0, MOVE_HALF, EVER) },
    { "one byte from then on",      0,          0,         DRX_OK,     HOW(BYTES, 0, MOVE_ONE, EVER) },
    { "short, then always ENOSPC",  CALL_WRITE, 0,         DRX_ENOSPC, HOW(CALL_WRITE, ENOSPC, MOVE_AND_FAIL, EVER) },
    { "unreadable maps",            0,          0,         DRX_OK,     HOW(CALL_MAP, 0, MAP_NOTHING, EVER) },
    { "EMFILE",                     FILES,      CALL_OPEN, DRX_EIO,    ONCE(CALL_OPEN | CALL_LIST, EMFILE) },
    { "EMFILE from then on",        FILES,      CALL_OPEN, DRX_EIO,    ALWAYS(CALL_OPEN | CALL_LIST, EMFILE) },
    { "EACCES",                     FILES,      HARMLESS,  DRX_EACCES, ONCE(CALL_OPEN | NAMES | CALL_REMOVE, EACCES) },
    { "EROFS from then on",         FILES,      HARMLESS,  DRX_EACCES, ALWAYS(SPACE | NAMES | CALL_REMOVE, EROFS) },
    { "EDQUOT",                     FILES,      HARMLESS,  DRX_ENOSPC, ONCE(SPACE | NAMES | CALL_CLOSE, EDQUOT) },
    { "EFBIG",                      FILES,      0,         DRX_ENOSPC, ONCE(CALL_WRITE | CALL_RESIZE, EFBIG) },
    { "ESTALE",                     FILES,      HARMLESS,  DRX_EIO,    ONCE(BYTES | CALL_OPEN | CALL_STAT, ESTALE) },
    { "no renameat2",               0,          0,         DRX_OK,     ALWAYS(CALL_NEW_RENAME, ENOSYS) },
    { "no renameat2 here",          0,          0,         DRX_OK,     ALWAYS(CALL_NEW_RENAME, EINVAL) },
    { "no nameless files",          0,          0,         DRX_OK,     ALWAYS(CALL_NAMELESS, EOPNOTSUPP) },
    { "EIO twice",                  FILES,      HARMLESS,  DRX_EIO,    FAIL(FILES, EIO, 2, 0) },
    { "EIO and the next but one",   FILES,      HARMLESS,  DRX_EIO,    FAIL(FILES, EIO, 2, 1) },
    { "EIO and the 3rd from there", FILES,      HARMLESS,  DRX_EIO,    FAIL(FILES, EIO, 2, 2) },
    { "EIO and the 5th from there", FILES,      HARMLESS,  DRX_EIO,    FAIL(FILES, EIO, 2, 4) },
    { "EIO every second time",      FILES,      HARMLESS,  DRX_EIO,    FAIL(FILES, EIO, EVER, 1) },
    { "ENOLCK",                     FILES,      0,         DRX_EIO,    ONCE(CALL_LOCK, ENOLCK) },
};
// clang-format on
const int n_families = sizeof families / sizeof families[0];

/* All but the ring of a flight, which the library keeps. */
static int open_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    const struct dirent *entry;
    int n = 0;

    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        char target[256] = "";

        (void)readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1);
        n += strcmp(target, "anon_inode:[io_uring]") != 0;
    }
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
    scene_codec = numbers_codec = s->packed ? DRX_LZ4 : DRX_RAW;
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
