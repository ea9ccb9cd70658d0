/* File systems mounted read-only, and files and folders that an ordinary user may not write. Reads work. Every call
 * that would write is refused with the name of the file and changes nothing. */
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "disks.h"
#include "drx_tools.h"
#include "marked.h"
#include "processes.h"

enum { N = 9, MARK = 7, ORDINARY = 65534 };

static char before[4096], after[4096];

/* Everything there is in a folder: names, modes, contents. */
static void take_stock(const char *folder, char text[4096])
{
    char command[200];
    FILE *out;
    size_t n;

    (void)snprintf(command, sizeof command, "cd %s && ls -il && cat -- * | cksum", folder);
    out = popen(command, "r");
    assert_non_null(out);
    n = fread(text, 1, 4095, out);
    text[n] = '\0';
    assert_int_equal(pclose(out), 0);
}

static void refuse(drx_status st, const char *name, const char *why)
{
    assert_status(st, DRX_EACCES);
    assert_detail(name);
    assert_detail(why);
}

static void found(void *user, drx_severity severity, const char *text)
{
    if (severity == DRX_ERROR)
        print_error("%s\n", text);
}

static void reading_works(const char *path)
{
    drx_copy_plan plan;
    drx_array *a, *copy;

    assert_true(marked_is(path, N, MARK));
    assert_ok(drx_open(path, DRX_RDONLY, &a));
    assert_ok(drx_refresh(a));
    assert_ok(drx_sync(a)); /* a reader has nothing to sync */
    assert_status(drx_extend(a, 0, 1), DRX_EACCES);
    assert_status(drx_put(a, (int64_t[]){ 0 }, &(int8_t){ 1 }), DRX_EACCES);
    assert_status(drx_attr_set_text(a, "title", "other"), DRX_EACCES);
    assert_ok(drx_plan_copy(a, NULL, &plan, NULL, 0, NULL));
    assert_ok(drx_copy(a, NULL, NULL, &copy));
    assert_ok(drx_close(copy));
    assert_ok(drx_copy(a, "elsewhere/copy", NULL, NULL));
    assert_ok(drx_close(a));
    assert_ok(drx_duplicate(path, "elsewhere/exact", 0, NULL, NULL));
    assert_ok(drx_check(path, found, NULL, NULL, NULL));
    assert_true(marked_is("elsewhere/copy", N, MARK) && marked_is("elsewhere/exact", N, MARK));
    assert_ok(drx_remove("elsewhere/copy"));
    assert_ok(drx_remove("elsewhere/exact"));
}

/* `files`: the files themselves may not be written to. */
static void writing_is_refused(const char *why, bool files)
{
    const drx_spec spec = { .ndim = 1, .type = DRX_INT8, .shape = (int64_t[]){ 3 }, .flags = DRX_REPLACE };
    const drx_spec fresh = { .ndim = 1, .type = DRX_INT8, .shape = (int64_t[]){ 3 } };
    drx_array *a;

    take_stock("disk", before);
    marked_make("elsewhere/b", 5, 3);
    if (files) {
        refuse(drx_open("disk/a", DRX_RDWR, &a), "disk/a.xmd", why);
        refuse(drx_create("disk/a", &spec, &a), "disk/a.x", why);
        refuse(drx_duplicate("elsewhere/b", "disk/a", DRX_REPLACE, NULL, NULL), "disk/a.x", why);
    }
    refuse(drx_create("disk/new", &fresh, &a), "disk/new.x", why);
    refuse(drx_rename("disk/a", "disk/b", 0), "disk/", why);
    refuse(drx_remove("disk/a"), "disk/a.x", why);
    refuse(drx_duplicate("elsewhere/b", "disk/b", 0, NULL, NULL), "disk/b.x", why);
    assert_ok(drx_open("elsewhere/b", DRX_RDONLY, &a));
    refuse(drx_copy(a, "disk/b", NULL, NULL), "disk/b.x", why);
    assert_ok(drx_close(a));
    assert_true(marked_is("elsewhere/b", 5, 3));
    refuse(drx_duplicate("disk/a", "elsewhere/moved", DRX_MOVE, NULL, NULL), "disk/a.x", why);
    assert_ok(drx_remove("elsewhere/moved")); /* only the source could not go */
    assert_ok(drx_remove("elsewhere/b"));
    take_stock("disk", after);
    assert_string_equal(before, after);
    assert_int_equal(marked_count("elsewhere/*"), 0);
}

static void read_only_file_system(void **state)
{
    assert_true(disks_mount_memory("disk"));
    assert_int_equal(mkdir("elsewhere", 0777), 0);
    marked_make("disk/a", N, MARK);
    assert_int_equal(mount("none", "disk", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL), 0);
    reading_works("disk/a");
    writing_is_refused("Read-only file system", true);
    assert_int_equal(umount("disk"), 0);
    assert_int_equal(rmdir("disk") + rmdir("elsewhere"), 0);
}

/* A crash left a torn tail there: reading passes over it. */
static void read_only_after_a_crash(void **state)
{
    drx_array *a;

    assert_true(disks_mount_memory("disk"));
    marked_make("disk/a", N, MARK);
    assert_int_equal(system("printf torn >> disk/a.xmd"), 0);
    assert_int_equal(mount("none", "disk", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL), 0);
    assert_ok(drx_open("disk/a", DRX_RDONLY, &a));
    assert_detail("torn tail");
    assert_int_equal(drx_shape(a)[0], N);
    assert_ok(drx_close(a));
    assert_ok(drx_check("disk/a", NULL, NULL, NULL, NULL));
    refuse(drx_open("disk/a", DRX_RDWR, &a), "disk/a.xmd", "Read-only file system");
    assert_int_equal(umount("disk"), 0);
    assert_int_equal(rmdir("disk"), 0);
}

/* An array of that user's, with these modes of its folder, of .xmd and of .xta. */
static void lay_out(mode_t folder, mode_t meta, mode_t data)
{
    assert_int_equal(system("chmod -f 777 disk; rm -rf disk elsewhere; mkdir disk elsewhere"), 0);
    marked_make("disk/a", N, MARK);
    assert_int_equal(chmod("disk/a.xmd", meta) + chmod("disk/a.xta", data) + chmod("disk", folder), 0);
}

static void protected_folder(void)
{
    lay_out(0555, 0444, 0444);
    reading_works("disk/a");
    writing_is_refused("Permission denied", true);
    lay_out(0555, 0644, 0644);
    reading_works("disk/a");
    writing_is_refused("Permission denied", false);
}

/* What must allow a name to go is the folder. */
static void protected_files(void)
{
    drx_array *a;

    lay_out(0755, 0444, 0444);
    reading_works("disk/a");
    refuse(drx_open("disk/a", DRX_RDWR, &a), "disk/a.xmd", "Permission denied");
    assert_ok(drx_rename("disk/a", "disk/b", 0));
    assert_ok(drx_remove("disk/b"));
    lay_out(0755, 0644, 0444);
    take_stock("disk", before);
    refuse(drx_open("disk/a", DRX_RDWR, &a), "disk/a.xta", "Permission denied");
    take_stock("disk", after);
    assert_string_equal(before, after);
    reading_works("disk/a");
}

static void hidden_files(void)
{
    drx_array *a;

    lay_out(0755, 0000, 0644);
    refuse(drx_open("disk/a", DRX_RDONLY, &a), "disk/a.xmd", "Permission denied");
    refuse(drx_check("disk/a", NULL, NULL, NULL, NULL), "disk/a.xmd", "Permission denied");
    refuse(drx_duplicate("disk/a", "elsewhere/a", 0, NULL, NULL), "disk/a.xmd", "Permission denied");
    lay_out(0755, 0644, 0000);
    refuse(drx_open("disk/a", DRX_RDONLY, &a), "disk/a.xta", "Permission denied");
    refuse(drx_open("disk/a", DRX_RDWR, &a), "disk/a.xta", "Permission denied");
    refuse(drx_check("disk/a", NULL, NULL, NULL, NULL), "disk/a.xta", "Permission denied");
    lay_out(0000, 0644, 0644);
    refuse(drx_open("disk/a", DRX_RDONLY, &a), "disk/a.xmd", "Permission denied");
    refuse(drx_remove("disk/a"), "disk/a.xmd", "Permission denied");
    assert_int_equal(chmod("disk", 0755), 0);
    assert_true(marked_is("disk/a", N, MARK));
    assert_int_equal(marked_count("elsewhere/*"), 0);
}

/* A folder that may be searched and not listed has no lock, and serves. */
static void unlisted_folder(void)
{
    drx_array *a;

    lay_out(0311, 0644, 0644);
    assert_true(marked_is("disk/a", N, MARK));
    assert_ok(drx_open("disk/a", DRX_RDWR, &a));
    assert_ok(drx_extend(a, 0, 1));
    assert_ok(drx_close(a));
    assert_ok(drx_check("disk/a", NULL, NULL, NULL, NULL));
    assert_int_equal(chmod("disk", 0755), 0);
}

/* Root would be refused nothing. */
static void as_ordinary_user(void **state)
{
    void (*const *test)(void) = *state;
    pid_t child;
    int status;

    assert_int_equal(chmod(".", 0777), 0);
    child = fork_idle();
    if (child == 0) {
        if (getuid() == 0 && (setgid(ORDINARY) != 0 || setuid(ORDINARY) != 0))
            _exit(77);
        (*test)();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(system("chmod -fR 777 disk; rm -rf disk elsewhere"), 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}

static void (*const ordinary[])(void) = { protected_folder, protected_files, hidden_files, unlisted_folder };

#define AS_ORDINARY_USER(i, test)                                            \
    {                                                                        \
#test, as_ordinary_user, NULL, NULL, (void *)(uintptr_t)&ordinary[i] \
    }

int main(void)
{
    const struct CMUnitTest rights[] = { AS_ORDINARY_USER(0, protected_folder), AS_ORDINARY_USER(1, protected_files),
                                         AS_ORDINARY_USER(2, hidden_files), AS_ORDINARY_USER(3, unlisted_folder) };
    const struct CMUnitTest mounts[] = { cmocka_unit_test(read_only_file_system),
                                         cmocka_unit_test(read_only_after_a_crash) };
    const int failed = cmocka_run_group_tests(rights, NULL, NULL);

    if (failed)
        return failed;
    return disks_enter() ? cmocka_run_group_tests(mounts, NULL, NULL) : 77;
}
