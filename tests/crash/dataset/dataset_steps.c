/* The steps of transactions, and what they change in the commit to come. */
#include "dataset_play.h"
#include "drx_tools.h"
#include "seen.h"

static void new_id(void)
{
    char id[33];

    (void)snprintf(id, sizeof id, "%032d", ++p.ids);
    (void)setenv("DRX_CREATION_ID", id, 1);
}

/* What the commit shows: its trims take effect, and growth over them finds the fill. */
static void settle(struct shown *s)
{
    memset(s->fresh, 0, sizeof s->fresh);
    memset(s->new_group, 0, sizeof s->new_group);
    for (int d = 0; d < DIMS; d++) {
        s->lower[d] += s->before[d];
        s->bound[d] -= s->after[d];
        s->before[d] = s->after[d] = 0;
    }
    for (int m = 0; m < MEMBERS; m++) {
        int64_t lo[2], hi[2];

        s->wide[m] = s->wide[m] || s->wider[m];
        s->wider[m] = false;
        box_of(s, m, lo, hi);
        for (int64_t i = LEAST; i < MOST; i++)
            for (int64_t k = LEAST; k < MOST; k++)
                if (i < lo[0] || i >= hi[0] || k < lo[1] || k >= hi[1])
                    s->cell[m][i - LEAST][k - LEAST] = kinds[m].fill;
    }
}

/* What the last commit tells of itself. */
static void note_info(void)
{
    play_called(tell_changes(p.ds, p.commits - 1, &p.commit[p.commits - 1].told));
}

static void do_commit(void)
{
    play_begin();
    p.commit[p.commits] = p.now;
    settle(&p.commit[p.commits]);
    p.committing = true;
    play_called(drx_dataset_commit(p.ds, "next"));
    if (drx_dataset_last(p.ds) < p.commits) /* nothing but elements changed: that is no commit */
        p.commit[p.commits - 1] = p.commit[p.commits];
    else
        p.commits++;
    note_info();
    p.now = p.commit[p.commits - 1];
    p.committing = false;
    seen_forget(&p.known);
    play_cut();
}

/* What is pending is committed first. */
static void do_forget(int64_t n)
{
    do_commit();
    play_begin();
    p.oldest[1] = n;
    play_called(drx_dataset_forget(p.ds, n));
    p.oldest[0] = n;
    seen_forget(&p.known);
    play_cut();
}

void play_create(void)
{
    play_begin();
    new_id();
    p.committing = true;
    play_called(drx_dataset_create("d", &p.ds));
    p.commits = 1;
    p.committing = false;
    play_cut();
}

static void do_abort(void)
{
    play_begin();
    play_called(drx_dataset_abort(p.ds));
    p.now = p.commit[p.commits - 1];
}

static void close_it(void)
{
    drx_dataset *ds = p.ds;

    p.ds = NULL;
    play_called(drx_dataset_close(ds));
}

static void do_reopen(void)
{
    play_begin();
    close_it();
    play_called(drx_dataset_open("d", DRX_RDWR, DRX_LAST, &p.ds));
    p.now = p.commit[p.commits - 1];
}

/* Write the cells of a member outside a box. */
static void write_cells(int m, const int64_t from[2], const int64_t to[2])
{
    int64_t lo[2], hi[2];
    char path[MOST_PATH];
    drx_array *a;

    box_of(&p.now, m, lo, hi);
    play_called(drx_dataset_array(p.ds, name_of(&p.now, m, path), &a));
    for (int64_t i = lo[0]; i < hi[0]; i++)
        for (int64_t k = lo[1]; k < hi[1]; k++) {
            if (i >= from[0] && i < to[0] && k >= from[1] && k < to[1])
                continue;
            p.now.cell[m][i - LEAST][k - LEAST] = ++p.value;
            play_called(drx_put(a, p.now.wide[m] ? (int64_t[]){ 0, i, k } : (int64_t[]){ i, k, 0 }, &p.value));
        }
    play_called(DRX_OK);
}

/* Such a transaction does nothing else. */
static bool adds_axes(void)
{
    bool some = false;

    for (int m = 0; m < MEMBERS; m++)
        some = some || p.now.wider[m];
    return some;
}

/* At the high end; by < 0: at the low end. */
static void do_extend(int d, int64_t by, bool fill)
{
    const struct shown before = p.now;

    if (adds_axes() || !p.now.has_dim[d] ||
        (by > 0 ? p.now.after[d] || p.now.bound[d] + by > MOST : p.now.before[d] || p.now.lower[d] + by < LEAST))
        return;
    play_begin();
    play_called(by > 0 ? drx_dataset_extend(p.ds, dims[d], by) : drx_dataset_extend_before(p.ds, dims[d], -by));
    *(by > 0 ? &p.now.bound[d] : &p.now.lower[d]) += by;
    for (int m = 0; fill && m < MEMBERS; m++)
        if (p.now.there[m] && (kinds[m].ndim > 1 || (kinds[m].ndim == 1 && kinds[m].dim[0] == d))) {
            int64_t lo[2], hi[2];

            box_of(&before, m, lo, hi);
            write_cells(m, lo, hi);
        }
}

static void do_trim(int d, int64_t before, int64_t after)
{
    if (adds_axes() || !p.now.has_dim[d] ||
        before + after > p.now.bound[d] - p.now.after[d] - p.now.lower[d] - p.now.before[d])
        return;
    play_begin();
    play_called(drx_dataset_trim(p.ds, dims[d], before, after));
    p.now.before[d] += before;
    p.now.after[d] += after;
}

static void do_add_group(int g)
{
    char path[MOST_PATH];

    if (adds_axes() || p.now.group[g] || (g > 0 && !p.now.group[g - 1]))
        return;
    play_begin();
    p.now.renamed[g] = false;
    play_called(drx_dataset_add_group(p.ds, group_name(&p.now, g, path)));
    p.now.group[g] = p.now.new_group[g] = true;
    p.now.note[g] = 0;
}

static void do_add(int m)
{
    static const char *const of_root[] = { "/time", "/lon" };
    const char *names[2] = { NULL, NULL };
    int64_t shape[2], lo[2], hi[2];
    const int64_t chunk[] = { 2, 3 };
    char path[MOST_PATH];

    if (adds_axes() || p.now.there[m])
        return;
    for (int g = 0; g <= kinds[m].group; g++)
        do_add_group(g);
    play_begin();
    new_id();
    for (int j = 0; j < kinds[m].ndim; j++) {
        names[j] = of_root[kinds[m].dim[j]];
        p.now.has_dim[kinds[m].dim[j]] = true;
    }
    box_of(&p.now, m, lo, hi);
    for (int j = 0; j < 2; j++)
        shape[j] = hi[j] - lo[j];
    play_called(drx_dataset_add(p.ds, name_of(&p.now, m, path),
                                &(drx_spec){ .ndim = kinds[m].ndim ? kinds[m].ndim : 1,
                                             .type = DRX_INT32,
                                             .shape = shape,
                                             .lower = lo,
                                             .chunk = chunk,
                                             .fill = &kinds[m].fill,
                                             .flags = kinds[m].flags,
                                             .codec = kinds[m].codec,
                                             .dims = kinds[m].ndim ? names : NULL },
                                NULL));
    p.now.there[m] = p.now.fresh[m] = true;
    p.now.made[m] = p.ids;
    p.now.wide[m] = false;
    p.now.units[m] = 0;
    for (int i = 0; i < EXTENT; i++)
        for (int k = 0; k < EXTENT; k++)
            p.now.cell[m][i][k] = kinds[m].fill;
    write_cells(m, hi, hi);
}

static void do_remove(int m)
{
    char path[MOST_PATH];

    if (adds_axes() || !p.now.there[m] || p.now.fresh[m])
        return;
    play_begin();
    play_called(drx_dataset_remove(p.ds, name_of(&p.now, m, path)));
    p.now.there[m] = false;
}

static void do_remove_group(int g)
{
    char path[MOST_PATH];
    bool added = !p.now.group[g];

    for (int k = g; k < GROUPS; k++)
        added = added || (p.now.group[k] && p.now.new_group[k]);
    for (int m = 0; m < MEMBERS; m++)
        added = added || (kinds[m].group >= g && p.now.there[m] && p.now.fresh[m]);
    if (adds_axes() || added)
        return;
    play_begin();
    play_called(drx_dataset_remove_group(p.ds, group_name(&p.now, g, path)));
    for (int k = g; k < GROUPS; k++)
        p.now.group[k] = p.now.renamed[k] = false;
    for (int m = 0; m < MEMBERS; m++)
        p.now.there[m] = p.now.there[m] && kinds[m].group < g;
}

static void do_rename(int g)
{
    char from[MOST_PATH], to[MOST_PATH];

    if (adds_axes() || !p.now.group[g])
        return;
    play_begin();
    (void)group_name(&p.now, g, from);
    p.now.renamed[g] = !p.now.renamed[g];
    play_called(drx_dataset_set_name(p.ds, DRX_GROUP, from, group_name(&p.now, g, to)));
}

/* Of a group, or g = -1 of a dimension. */
static void do_note(int g, int32_t value)
{
    char path[MOST_PATH];

    if (adds_axes() || (g >= 0 ? !p.now.group[g] : !p.now.has_dim[TIME]))
        return;
    play_begin();
    play_called(drx_dataset_attr_set(p.ds, g < 0 ? DRX_DIMENSION : DRX_GROUP,
                                     g < 0 ? dims[TIME] : group_name(&p.now, g, path), "note", DRX_INT32, 1, &value));
    *(g < 0 ? &p.now.of_time : &p.now.note[g]) = value;
}

/* Of a member, or m = -1 of the dataset; value 0: delete it. */
static void do_attr(int m, int32_t value)
{
    int *have = m < 0 ? &p.now.title : &p.now.units[m];
    char path[MOST_PATH];
    drx_array *a;

    if (adds_axes() || (m >= 0 && !p.now.there[m]) || (!value && !*have))
        return;
    play_begin();
    if (m < 0) {
        play_called(value ? drx_dataset_attr_set(p.ds, DRX_DATASET, NULL, "title", DRX_INT32, 1, &value)
                          : drx_dataset_attr_delete(p.ds, DRX_DATASET, NULL, "title"));
    } else {
        play_called(drx_dataset_array(p.ds, name_of(&p.now, m, path), &a));
        play_called(value ? drx_attr_set(a, "units", DRX_INT32, 1, &value) : drx_attr_delete(a, "units"));
    }
    *have = value;
}

/* In a transaction of its own: what is pending is committed first. */
static void do_axis(int m)
{
    char path[MOST_PATH];

    if (!adds_axes())
        do_commit();
    if (kinds[m].ndim == 0 || !p.now.there[m] || p.now.wide[m] || p.now.wider[m])
        return;
    play_begin();
    play_called(drx_dataset_add_axis(p.ds, name_of(&p.now, m, path), 0, "run"));
    p.now.wider[m] = true;
}

/* Somebody has the member open alone, and sets an attribute. */
static void do_alone(int m)
{
    const int32_t value = ++p.value;
    char path[MOST_PATH + 2], name[MOST_PATH];
    drx_array *a;
    drx_status st, closed;

    do_abort();
    if (!p.now.there[m])
        return;
    play_begin();
    close_it();
    (void)snprintf(path, sizeof path, "d/%s", name_of(&p.now, m, name));
    play_called(drx_open(path, DRX_RDWR, &a));
    p.commit[p.commits] = p.now;
    p.commit[p.commits].units[m] = value;
    p.committing = true;
    st = drx_attr_set(a, "units", DRX_INT32, 1, &value);
    closed = drx_close(a);
    play_called(st ? st : closed);
    p.now = p.commit[p.commits++];
    p.committing = false;
    seen_forget(&p.known);
    play_cut();
    play_called(drx_dataset_open("d", DRX_RDWR, DRX_LAST, &p.ds));
    note_info();
}

void play_random_step(void)
{
    const int m = (int)random_below(&p.random, MEMBERS);

    switch (random_below(&p.random, 21)) {
    case 0:
    case 1:
        do_extend((int)random_below(&p.random, DIMS), 1 + random_below(&p.random, 3), random_below(&p.random, 3) > 0);
        break;
    case 2:
        do_extend((int)random_below(&p.random, DIMS), -1 - random_below(&p.random, 3), random_below(&p.random, 3) > 0);
        break;
    case 3:
    case 17:
    case 18:
        do_add(m);
        break;
    case 4:
        do_remove(m);
        break;
    case 5:
    case 6:
        do_attr(m - (m == 0), (int32_t)random_below(&p.random, 3));
        break;
    case 7:
        do_abort();
        break;
    case 8:
        do_reopen();
        break;
    case 9:
        do_alone(m);
        break;
    case 11:
        do_axis(m);
        break;
    case 12:
        do_forget(p.oldest[0] + random_below(&p.random, p.commits - p.oldest[0]));
        break;
    case 10:
        do_trim((int)random_below(&p.random, DIMS), random_below(&p.random, 4), random_below(&p.random, 3));
        break;
    case 13:
        do_add_group((int)random_below(&p.random, GROUPS));
        break;
    case 14:
        do_remove_group((int)random_below(&p.random, GROUPS));
        break;
    case 15:
        do_rename((int)random_below(&p.random, GROUPS));
        break;
    case 16:
        do_note((int)random_below(&p.random, GROUPS + 1) - 1, ++p.value);
        break;
    default:
        do_commit();
    }
}

void play_script(void)
{
    play_create();
    for (int m = 0; m < 5; m++)
        do_add(m);
    do_commit();
    do_extend(TIME, 2, true);
    do_extend(LON, 2, true);
    do_attr(-1, 1);
    do_commit();
    do_extend(TIME, 1, true);
    do_extend(LON, 3, true);
    do_attr(0, 2);
    do_add(5);
    do_abort();
    do_extend(LON, 1, false);
    do_extend(TIME, 3, true);
    do_attr(0, 2);
    do_commit();
    do_extend(TIME, -2, true);
    do_extend(LON, -3, true);
    do_trim(TIME, 0, 3);
    do_commit();
    do_trim(TIME, 3, 0);
    do_trim(LON, 2, 2);
    do_extend(TIME, 2, true);
    do_remove(1);
    do_add(1);
    do_remove(2);
    do_add(5);
    do_attr(0, 0);
    do_commit();
    do_forget(0);
    do_forget(3);
    do_axis(0);
    do_axis(2);
    do_commit();
    do_forget(6);
    do_extend(LON, 1, true);
    do_axis(3);
    do_reopen();
    do_add(6);
    do_extend(TIME, 1, true);
    do_reopen();
    do_alone(0);
    do_remove(1);
    do_add(1);
    do_add(2);
    do_commit();
    do_forget(8);
    do_add_group(0);
    do_commit();
    do_note(0, 4);
    do_add(7);
    do_add_group(1);
    do_abort();
    do_add(7);
    do_add(8);
    do_rename(0);
    do_note(1, 5);
    do_note(-1, 6);
    do_commit();
    do_extend(LON, 1, true);
    do_rename(1);
    do_remove_group(1);
    do_abort();
    do_rename(0);
    do_add(1);
    do_commit();
    do_alone(8);
    do_remove_group(1);
    do_commit();
    do_add(8);
    do_extend(TIME, 1, true);
    do_reopen();
    do_add(8);
    do_commit();
    do_forget(14);
    do_remove_group(0);
    do_add_group(0);
    do_reopen();
    do_remove_group(0);
    do_commit();
    do_add_group(0);
    do_add_group(1);
    do_commit();
}
