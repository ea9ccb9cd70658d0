#include "real.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testing.h"

static const char *const folders[] = { "", "d/", "s0/", "s1/", "s2/", "d/s0/", "d/s1/", "d/s2/" };
enum { FOLDERS = sizeof folders / sizeof folders[0], MOST = 200 };

/* Call work with the path of each file in a folder. */
static void each_file(const char *folder, void (*work)(const char *path, const struct stat *status, void *user),
                      void *user)
{
    DIR *names = opendir(folder[0] ? folder : ".");
    const struct dirent *entry;

    assert_non_null(names);
    while ((entry = readdir(names)) != NULL) {
        char path[600];
        struct stat status;

        (void)snprintf(path, sizeof path, "%s%s", folder, entry->d_name);
        if (lstat(path, &status) == 0 && S_ISREG(status.st_mode))
            work(path, &status, user);
    }
    assert_int_equal(closedir(names), 0);
}

static void remove_file(const char *path, const struct stat *status, void *user)
{
    assert_int_equal(unlink(path), 0);
}

void real_clear(void)
{
    for (int i = 0; i < FOLDERS; i++) {
        if (folders[i][0])
            (void)mkdir(folders[i], 0777);
        each_file(folders[i], remove_file, NULL);
    }
}

struct loading {
    struct image *im;
    ino_t inode[MOST]; /* of each file */
};

static void load_file(const char *path, const struct stat *status, void *user)
{
    struct loading *l = user;
    struct change name = { .kind = LINK, .name = (char *)path };
    uint8_t *bytes;
    FILE *f;

    while (name.file < l->im->files && l->inode[name.file] != status->st_ino)
        name.file++;
    if (name.file == l->im->files) {
        assert_true(name.file < MOST);
        l->inode[image_new_file(l->im)] = status->st_ino;
        bytes = malloc((size_t)status->st_size + 1);
        f = fopen(path, "rb");
        assert_non_null(f);
        assert_int_equal(fread(bytes, 1, (size_t)status->st_size, f), status->st_size);
        assert_int_equal(fclose(f), 0);
        image_write(l->im, name.file, bytes, status->st_size, 0);
        free(bytes);
    }
    image_apply(l->im, &name);
}

void real_load(struct image *im)
{
    struct loading l = { .im = im };

    memset(im, 0, sizeof *im);
    for (int i = 0; i < FOLDERS; i++)
        each_file(folders[i], load_file, &l);
}
