/* Whether what is found on a disk is what a commit shows. */
#include "base/base.h"
#include "dataset_play.h"

const char *const dims[DIMS] = { "time", "lon" };

const struct kind kinds[MEMBERS] = {
    { "u", -1, 2, { TIME, LON }, 0, DRX_LZ4, -1 }, { "v", -1, 2, { LON, TIME }, DRX_CHECKSUM, DRX_RAW, -2 },
    { "t", -1, 1, { TIME }, 0, DRX_RAW, -3 },      { "x", -1, 1, { LON }, 0, DRX_ZLIB, 0 },
    { "s", -1, 0, { 0 }, 0, DRX_RAW, -4 },         { "w", -1, 1, { TIME }, DRX_SHELL, DRX_RAW, 0 },
    { "q", -1, 1, { LON }, 0, DRX_RAW, 0 },        { "a", 0, 2, { TIME, LON }, DRX_CHECKSUM, DRX_RAW, -5 },
    { "b", 1, 1, { LON }, 0, DRX_LZ4, 0 }
};

const char *group_name(const struct shown *s, int g, char path[MOST_PATH])
{
    (void)snprintf(path, MOST_PATH, "%s%s", s->renamed[0] ? "k" : "g", g == 0 ? "" : s->renamed[1] ? "/l" : "/h");
    return path;
}

const char *name_of(const struct shown *s, int m, char path[MOST_PATH])
{
    char group[MOST_PATH];

    if (kinds[m].group < 0)
        return kinds[m].name;
    (void)snprintf(path, MOST_PATH, "%.8s/%s", group_name(s, kinds[m].group, group), kinds[m].name);
    return path;
}

static bool play_no(const char *format, ...) __attribute__((format(printf, 1, 2)));
static bool play_no(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(p.why, sizeof p.why, format, args);
    va_end(args);
    return false;
}

void box_of(const struct shown *s, int m, int64_t lo[2], int64_t hi[2])
{
    for (int j = 0; j < 2; j++) {
        lo[j] = j < kinds[m].ndim ? s->lower[kinds[m].dim[j]] : 0;
        hi[j] = j < kinds[m].ndim ? s->bound[kinds[m].dim[j]] : 1;
    }
}

static bool same_bounds(drx_array *a, int m, const struct shown *s)
{
    const int first = s->wide[m];
    int64_t lo[2], hi[2];

    box_of(s, m, lo, hi);
    if (drx_ndim(a) != (kinds[m].ndim ? kinds[m].ndim : 1) + first)
        return play_no("%s: has %d axes", kinds[m].name, drx_ndim(a));
    for (int j = 0; j < kinds[m].ndim; j++)
        if (drx_lower(a)[first + j] != lo[j] || drx_shape(a)[first + j] != hi[j] - lo[j])
            return play_no("%s: axis %d has %lld indices from %lld on, expected %lld from %lld on", kinds[m].name, j,
                           (long long)drx_shape(a)[first + j], (long long)drx_lower(a)[first + j],
                           (long long)(hi[j] - lo[j]), (long long)lo[j]);
    return true;
}

static bool same_cells(drx_array *a, int m, const struct shown *s)
{
    const int first = s->wide[m];
    int64_t lo[2], hi[2];
    int32_t buf[EXTENT * EXTENT], *at = buf;

    box_of(s, m, lo, hi);
    if (!same_bounds(a, m, s))
        return false;
    if (drx_read(a, (int64_t[]){ first ? 0 : lo[0], lo[!first], lo[1] },
                 (int64_t[]){ first ? 1 : hi[0] - lo[0], hi[!first] - lo[!first], hi[1] - lo[1] }, DRX_ROW_MAJOR, buf))
        return play_no("%s: %s", kinds[m].name, drx_last_error());
    for (int64_t i = lo[0]; i < hi[0]; i++)
        for (int64_t k = lo[1]; k < hi[1]; k++, at++)
            if (*at != s->cell[m][i - LEAST][k - LEAST])
                return play_no("%s[%lld, %lld] is %d, expected %d", kinds[m].name, (long long)i, (long long)k, *at,
                               s->cell[m][i - LEAST][k - LEAST]);
    return true;
}

static int attr_of(drx_array *a, drx_dataset *ds)
{
    const void *value = NULL;
    const drx_status st = a ? drx_attr_get(a, "units", NULL, NULL, &value)
                            : drx_dataset_attr_get(ds, DRX_DATASET, NULL, "title", NULL, NULL, &value);

    return st ? 0 : *(const int32_t *)value;
}

static int attr_of_part(const drx_dataset *ds, int part, const char *of)
{
    const void *value = NULL;

    return drx_dataset_attr_get(ds, part, of, "note", NULL, NULL, &value) ? 0 : *(const int32_t *)value;
}

static bool same_groups(const drx_dataset *ds, const struct shown *s)
{
    char path[MOST_PATH];

    if (drx_dataset_group_count(ds) != s->group[0] + s->group[1])
        return play_no("%d groups", drx_dataset_group_count(ds));
    for (int g = 0; g < GROUPS; g++)
        if (s->group[g] &&
            (drx_dataset_group_find(ds, group_name(s, g, path)) < 0 || attr_of_part(ds, DRX_GROUP, path) != s->note[g]))
            return play_no("group %s is not there, or its note is not %d", path, s->note[g]);
    if (attr_of_part(ds, DRX_DIMENSION, dims[TIME]) != s->of_time)
        return play_no("time: note is not %d", s->of_time);
    return true;
}

static bool same_dataset(drx_dataset *ds, const struct shown *s)
{
    char path[MOST_PATH];
    int count = 0;

    for (int m = 0; m < MEMBERS; m++) {
        drx_array *a;

        count += s->there[m];
        if ((drx_dataset_find(ds, name_of(s, m, path)) >= 0) != s->there[m])
            return play_no("%s is %s there", kinds[m].name, s->there[m] ? "not" : "still");
        if (!s->there[m])
            continue;
        if (drx_dataset_array(ds, name_of(s, m, path), &a))
            return play_no("%s", drx_last_error());
        if (!same_cells(a, m, s))
            return false;
        if (attr_of(a, NULL) != s->units[m])
            return play_no("%s: units is not %d", kinds[m].name, s->units[m]);
    }
    if (drx_dataset_count(ds) != count)
        return play_no("%d members, expected %d", drx_dataset_count(ds), count);
    for (int d = 0; d < DIMS; d++) {
        int64_t bound = -1;
        const char *name = drx_dataset_dim(ds, drx_dataset_dim_find(ds, dims[d]), &bound);

        const int64_t lower = drx_dataset_dim_lower(ds, drx_dataset_dim_find(ds, dims[d]));

        if ((name != NULL) != s->has_dim[d] || (name && (bound != s->bound[d] || lower != s->lower[d])))
            return play_no("dimension %s: %lld to %lld, expected %lld to %lld", dims[d], (long long)lower,
                           (long long)bound, (long long)s->lower[d], (long long)s->bound[d]);
    }
    if (attr_of(NULL, ds) != s->title)
        return play_no("title is not %d", s->title);
    return same_groups(ds, s);
}

/* A member read alone is as the commit shows it. */
static bool read_alone(int64_t at, int m)
{
    const struct shown *s = &p.commit[at];
    char path[MOST_PATH + 2], name[MOST_PATH];
    drx_array *a;
    bool good;

    (void)snprintf(path, sizeof path, "d/%s", name_of(s, m, name));
    if (drx_open(path, DRX_RDONLY, &a))
        return play_no("%s alone: %s", kinds[m].name, drx_last_error());
    good = same_cells(a, m, s);
    if (good && attr_of(a, NULL) != s->units[m])
        good = play_no("%s alone: units is not %d", kinds[m].name, s->units[m]);
    (void)drx_close(a);
    return good;
}

/* ---- earlier commits ---- */

/* Whether commits after k, up to this one, have left an element. */
static bool is_left(int64_t k, int64_t at, int m, const int64_t index[2])
{
    for (; k <= at; k++) {
        int64_t lo[2], hi[2];

        box_of(&p.commit[k], m, lo, hi);
        for (int j = 0; j < 2; j++)
            if (index[j] < lo[j] || index[j] >= hi[j])
                return false;
    }
    return true;
}

/* Elements are those of now; what a trim has taken is refused. */
static bool same_elements(drx_array *a, int m, int64_t k, int64_t at)
{
    const struct shown *s = &p.commit[k];
    int64_t lo[2], hi[2], i[2];

    box_of(s, m, lo, hi);
    for (i[0] = lo[0]; i[0] < hi[0]; i[0]++)
        for (i[1] = lo[1]; i[1] < hi[1]; i[1]++) {
            int32_t value = 0, expected = p.commit[at].cell[m][i[0] - LEAST][i[1] - LEAST];
            const bool left = is_left(k, at, m, i);
            const drx_status st =
                drx_get(a, s->wide[m] ? (int64_t[]){ 0, i[0], i[1] } : (int64_t[]){ i[0], i[1], 0 }, &value);

            if (st != (left ? DRX_OK : DRX_ERANGE) || (left && value != expected))
                return play_no("%s[%lld, %lld] as of commit %lld is %d, expected %d, status %d, %sleft: %s",
                               kinds[m].name, (long long)i[0], (long long)i[1], (long long)k, value, expected, (int)st,
                               left ? "" : "not ", drx_last_error());
        }
    return true;
}

static bool same_past(drx_dataset *ds, int64_t k, int64_t at)
{
    const struct shown *s = &p.commit[k];
    struct told told;

    if (tell_changes(ds, k, &told) || memcmp(&told, &s->told, sizeof told) != 0)
        return play_no("commit %lld: tells %d other bounds, %d added, %d removed", (long long)k, told.bounds,
                       told.added, told.removed);
    if (drx_dataset_shown(ds) != k || drx_dataset_last(ds) != at || attr_of(NULL, ds) != s->title)
        return play_no("commit %lld: shows %lld of %lld, title %d", (long long)k, (long long)drx_dataset_shown(ds),
                       (long long)drx_dataset_last(ds), attr_of(NULL, ds));
    for (int m = 0; m < MEMBERS; m++) {
        const bool gone = !p.commit[at].there[m] || p.commit[at].made[m] != s->made[m];
        char path[MOST_PATH];
        drx_array *a;
        drx_status st;

        if ((drx_dataset_find(ds, name_of(s, m, path)) >= 0) != s->there[m])
            return play_no("commit %lld: %s is %s there", (long long)k, kinds[m].name, s->there[m] ? "not" : "still");
        if (!s->there[m])
            continue;
        st = drx_dataset_array(ds, name_of(s, m, path), &a);
        if (st != (gone ? DRX_ENOENT : DRX_OK))
            return play_no("commit %lld: %s: status %d, %sgone: %s", (long long)k, kinds[m].name, (int)st,
                           gone ? "" : "not ", drx_last_error());
        if (!gone && (!same_bounds(a, m, s) || !same_elements(a, m, k, at)))
            return false;
        if (!gone && attr_of(a, NULL) != s->units[m])
            return play_no("commit %lld: %s: units is not %d", (long long)k, kinds[m].name, s->units[m]);
    }
    return same_groups(ds, s);
}

/* One of them. */
static bool look_back(int64_t at, int64_t oldest)
{
    const int64_t k = at > 0 ? p.states % at : 0;
    drx_dataset *ds;
    bool good;
    drx_status st;

    if (oldest != p.oldest[0] && oldest != p.oldest[1])
        return play_no("commit %lld is the oldest", (long long)oldest);
    if (at == 0)
        return true;
    st = drx_dataset_open("d", DRX_RDONLY, k, &ds);
    if (st != (k < oldest ? DRX_ERANGE : DRX_OK))
        return play_no("commit %lld: %s", (long long)k, drx_last_error());
    if (st)
        return true;
    good = same_past(ds, k, at);
    (void)drx_dataset_close(ds);
    return good;
}

/* ---- files ---- */

/* Nothing but the folders of groups and the files of members is left, each of one stem. */
static bool no_other_files(const struct disk *d, const struct shown *s)
{
    const struct image *im = disk_image(d);
    const char *stem[MEMBERS] = { NULL };
    int folders = 0;

    for (int i = 0; i < im->names; i++) {
        const char *const slash = strrchr(im->name[i].path, '/'), *name = slash ? slash + 1 : im->name[i].path;
        const size_t n = strcspn(name, ".");
        bool known = strcmp(im->name[i].path, "d/dataset.xds") == 0 || strcmp(im->name[i].path, "d") == 0 ||
                     strstr(name, ".new-"); /* drx check lists those */

        folders += !known && name[n] == '\0';
        known = known || name[n] == '\0';
        for (int m = 0; m < MEMBERS; m++) {
            if (known || !s->there[m] || name[0] != kinds[m].name[0] || (name[1] != '.' && name[1] != '~'))
                continue;
            known = !stem[m] || strncmp(stem[m], name, n + 1) == 0;
            stem[m] = name;
        }
        if (!known)
            return play_no("%s is left", im->name[i].path);
    }
    return folders == s->group[0] + s->group[1] || play_no("%d folders are there", folders);
}

/* Growth after the crash uncovers nothing but fill, and the next commit holds. */
static bool go_on(struct shown s)
{
    drx_dataset *ds;
    bool good = true;

    if (drx_dataset_open("d", DRX_RDWR, DRX_LAST, &ds))
        return play_no("opening again: %s", drx_last_error());
    for (int d = 0; d < DIMS && good; d++) {
        if (!s.has_dim[d])
            continue;
        if (drx_dataset_extend(ds, dims[d], MOST - s.bound[d]) ||
            drx_dataset_extend_before(ds, dims[d], s.lower[d] - LEAST))
            good = play_no("growing: %s", drx_last_error());
        s.bound[d] = MOST;
        s.lower[d] = LEAST;
    }
    good = good && same_dataset(ds, &s);
    if (good && drx_dataset_commit(ds, "after"))
        good = play_no("committing: %s", drx_last_error());
    if (drx_dataset_close(ds) && good)
        good = play_no("closing: %s", drx_last_error());
    if (good && drx_dataset_open("d", DRX_RDONLY, DRX_LAST, &ds))
        return play_no("opening at last: %s", drx_last_error());
    if (good) {
        good = same_dataset(ds, &s);
        (void)drx_dataset_close(ds);
    }
    return good;
}

bool play_look(const struct disk *d, int *changes)
{
    const int first = p.commits - 1, last = p.commits - 1 + p.committing;
    drx_dataset *ds;
    int64_t at, oldest;
    bool good;
    drx_status st = drx_dataset_open("d", DRX_RDONLY, DRX_LAST, &ds);

    if (first < 0 && st == DRX_ENOENT)
        return true;
    if (st)
        return play_no("for reading: %s", drx_last_error());
    at = drx_dataset_shown(ds);
    oldest = drx_dataset_oldest(ds);
    good = at >= first && at <= last ? same_dataset(ds, &p.commit[at])
                                     : play_no("commit %lld, expected %d to %d", (long long)at, first, last);
    (void)drx_dataset_close(ds);
    for (int m = 0; good && m < MEMBERS; m++)
        good = !p.commit[at].there[m] || read_alone(at, m);
    if (!good || !look_back(at, oldest))
        return false;
    if (drx_dataset_open("d", DRX_RDWR, DRX_LAST, &ds))
        return play_no("for writing: %s", drx_last_error());
    good = drx_dataset_shown(ds) == at ? same_dataset(ds, &p.commit[at])
                                       : play_no("another commit for writing: %lld", (long long)drx_dataset_shown(ds));
    if (drx_dataset_close(ds) && good)
        good = play_no("closing: %s", drx_last_error());
    *changes = disk_changes(d);
    return good && look_back(at, oldest) && no_other_files(d, &p.commit[at]) && go_on(p.commit[at]);
}
