#include "mp_far.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "drx_tools.h"
#include "io/io.h"

static const struct drxi_files *const below = &drxi_posix;
static struct drxi_files split;
const char *far_local; /* the folder of the stripes, as the array names it */

/* ---- a table of files that shows each node its own folder ---- */

static const char *own_name(const char *name, char own[512])
{
    const char *at = strstr(name, "local/");

    if (getenv("DRX_LOCAL") || !at)
        return name;
    (void)snprintf(own, 512, "%.*slocal%d%s", (int)(at - name), name, mp_rank / FAR_NODE_RANKS, at + 5);
    return own;
}

static drx_status split_open(const char *name, enum drxi_how how, drxi_io **out)
{
    char own[512];

    return below->open(own_name(name, own), how, out);
}

static drx_status split_remove(const char *name)
{
    char own[512];

    return below->remove(own_name(name, own));
}

static void split_look(const char *name, bool follow, struct drxi_looked *out)
{
    char own[512];

    below->look(own_name(name, own), follow, out);
}

static drx_status split_sync_folder(const char *name)
{
    char own[512];

    return below->sync_folder(own_name(name, own));
}

/* What earlier cases have left in the folder of this rank's node. */
static void empty_folder(void)
{
    char own[512], folder[512], name[1024];
    struct dirent *entry;
    DIR *dir;

    (void)snprintf(folder, sizeof folder, "%s/", far_local);
    assert_non_null(dir = opendir(own_name(folder, own)));
    while ((entry = readdir(dir))) {
        (void)snprintf(name, sizeof name, "%s%s", own_name(folder, own), entry->d_name);
        if (entry->d_name[0] != '.')
            (void)unlink(name); /* others on this node do it, too */
    }
    assert_int_equal(closedir(dir), 0);
}

bool far_begin(void)
{
    if (mp_ranks <= FAR_NODE_RANKS && !getenv("DRX_LOCAL"))
        return false;
    far_local = getenv("DRX_LOCAL");
    far_local = far_local ? far_local : "local";
    mp_shell("mkdir -p local0 local1 local2 local3");
    empty_folder();
    (void)MPI_Barrier(mp_comm);
    assert_int_equal(unsetenv("DRX_CREATION_ID"), 0); /* arrays that replace others have other stripes */
    assert_int_equal(setenv("DRXMP_LOCAL_STRIPES", "1", 1), 0);
    if (!getenv("DRX_LOCAL"))
        assert_int_equal(setenv("DRXMP_ONESIDED", "2", 1), 0);
    split = *below;
    split.open = split_open;
    split.remove = split_remove;
    split.look = split_look;
    split.sync_folder = split_sync_folder;
    drxi_files = &split;
    return true;
}

void far_end(void)
{
    drxi_files = below;
}

int far_stripes_here(void)
{
    char own[512], folder[512];
    struct dirent *entry;
    DIR *dir;
    int n = 0;

    (void)snprintf(folder, sizeof folder, "%s/", far_local);
    assert_non_null(dir = opendir(own_name(folder, own)));
    while ((entry = readdir(dir)))
        n += entry->d_name[0] != '.';
    assert_int_equal(closedir(dir), 0);
    return n;
}

/* ---- arrays ---- */

drx_spec far_spec_of(const char *const folders[], unsigned flags, const int32_t *fill)
{
    static const int64_t shape[2] = { 7, 5 }, chunk[2] = { 3, 2 };

    return (drx_spec){ .ndim = 2,
                       .type = DRX_INT32,
                       .shape = shape,
                       .chunk = chunk,
                       .fill = fill,
                       .stripes = folders,
                       .nstripes = FAR_STRIPES,
                       .flags = DRX_REPLACE | flags };
}

struct far_twins far_make(const char *path, unsigned flags, const int32_t *fill)
{
    const char *const folders[FAR_STRIPES] = { far_local, far_local, far_local };
    drx_spec spec = far_spec_of(folders, flags, fill);
    struct far_twins t = { .m = mp_create(path, &spec), .next = 1 };

    spec.flags = 0;
    spec.stripes = NULL;
    spec.nstripes = 0;
    assert_ok(drx_create(NULL, &spec, &t.truth));
    return t;
}

void far_bounds(const struct far_twins *t, int64_t lower[2], int64_t shape[2])
{
    memcpy(shape, drx_shape(t->truth), 2 * sizeof *shape);
    memcpy(lower, drx_lower(t->truth), 2 * sizeof *lower);
}

void far_compare(const struct far_twins *t)
{
    static int32_t expected[FAR_MOST * FAR_MOST], found[FAR_MOST * FAR_MOST];
    int64_t lower[2], shape[2];

    far_bounds(t, lower, shape);
    assert_memory_equal(drx_shape(drxmp_serial(t->m)), shape, sizeof shape);
    assert_memory_equal(drx_lower(drxmp_serial(t->m)), lower, sizeof lower);
    assert_ok(drx_read(t->truth, lower, shape, DRX_ROW_MAJOR, expected));
    memset(found, 0x5a, sizeof found);
    assert_ok(drxmp_read_all(t->m, lower, shape, DRX_ROW_MAJOR, found));
    assert_memory_equal(found, expected, (size_t)(shape[0] * shape[1]) * sizeof *found);
    memset(found, 0x5a, sizeof found);
    assert_ok(drxmp_read(t->m, lower, shape, DRX_COL_MAJOR, found));
    assert_ok(drx_read(t->truth, lower, shape, DRX_COL_MAJOR, expected));
    assert_memory_equal(found, expected, (size_t)(shape[0] * shape[1]) * sizeof *found);
    (void)MPI_Barrier(mp_comm);
}

void far_write_some(struct far_twins *t, bool alone)
{
    static int32_t buf[FAR_MOST * FAR_MOST];
    const int writer = (int)mp_below(mp_ranks);
    int64_t lower[2], shape[2], lo[2], count[2], mine[2], part[2];

    far_bounds(t, lower, shape);
    for (int j = 0; j < 2; j++) {
        lo[j] = lower[j] + mp_below(shape[j]);
        count[j] = 1 + mp_below(lower[j] + shape[j] - lo[j]);
    }
    for (int r = 0; r < mp_ranks; r++) {
        const int64_t from = count[1] * r / mp_ranks, to = count[1] * (r + 1) / mp_ranks;
        const int64_t at[2] = { lo[0], lo[1] + from }, n[2] = { count[0], to - from };

        if (alone && r != writer)
            continue;
        for (int64_t i = 0; i < n[0] * n[1]; i++)
            buf[i] = t->next + (int32_t)(1000 * r + i);
        assert_ok(drx_write(t->truth, at, n, DRX_ROW_MAJOR, buf));
        if (r == mp_rank) {
            memcpy(mine, at, sizeof mine);
            memcpy(part, n, sizeof part);
        }
    }
    for (int64_t i = 0; (!alone || mp_rank == writer) && i < part[0] * part[1]; i++)
        buf[i] = t->next + (int32_t)(1000 * mp_rank + i);
    if (!alone)
        assert_ok(drxmp_write_all(t->m, mine, part, DRX_ROW_MAJOR, buf));
    else if (mp_rank == writer)
        assert_ok(drxmp_write(t->m, mine, part, DRX_ROW_MAJOR, buf));
    (void)MPI_Barrier(mp_comm);
    t->next += 100000;
}

static void grow(struct far_twins *t, bool before)
{
    const int axis = (int)mp_below(2);
    const int64_t by = mp_below(6);
    int64_t lower[2], shape[2];

    far_bounds(t, lower, shape);
    if (shape[axis] + by > FAR_MOST)
        return;
    assert_ok(before ? drxmp_extend_before(t->m, axis, by) : drxmp_extend(t->m, axis, by));
    assert_ok(before ? drx_extend_before(t->truth, axis, by) : drx_extend(t->truth, axis, by));
}

static void trim(struct far_twins *t)
{
    const int axis = (int)mp_below(2);
    int64_t lower[2], shape[2];

    far_bounds(t, lower, shape);
    if (shape[axis] < 6)
        return;
    assert_ok(drxmp_trim(t->m, axis, 2, 1));
    assert_ok(drx_trim(t->truth, axis, 2, 1));
}

static void reopen(struct far_twins *t, const char *path)
{
    assert_ok(drxmp_close(t->m));
    t->m = mp_open(path, DRX_RDONLY);
    far_compare(t);
    assert_ok(drxmp_close(t->m));
    t->m = mp_open(path, DRX_RDWR);
}

static void step(struct far_twins *t, const char *path)
{
    switch (mp_below(9)) {
    case 0:
        grow(t, true);
        break;
    case 1:
    case 2:
        grow(t, false);
        break;
    case 3:
        trim(t);
        break;
    case 4:
        assert_ok(drxmp_sync(t->m));
        break;
    case 5:
        reopen(t, path);
        break;
    case 6:
        far_write_some(t, true);
        break;
    default:
        far_write_some(t, false);
    }
}

void far_play(const char *path, unsigned flags, const int32_t *fill)
{
    struct far_twins t = far_make(path, flags, fill);

    for (int i = 0; i < 25; i++)
        step(&t, path);
    far_compare(&t);
    assert_ok(drxmp_close(t.m));
    assert_ok(drx_close(t.truth));
}
