/* The axes, title and unit of a picture. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "files/paths.h"
#include "view.h"

/* long_name or the name of the array, and the part of complex elements. */
static char *make_title(const struct view *v)
{
    static const char *const parts[] = { "Magnitude of ", "Real part of ", "Imaginary part of ", "Phase of " };
    const char *base = base_name(v->selection->path);
    char *name = text_attribute(v->array, "long_name");
    char *title;

    if (!name)
        name = visible_text(base, strlen(base));
    if (!name || asprintf(&title, "%s%s", type_is_complex(v->elements.type) ? parts[v->elements.part] : "", name) < 0)
        title = NULL;
    free(name);
    return title;
}

/* "time = 1982-01-16", or "index 3 of time". */
static void put_place(FILE *out, const struct axis *x)
{
    char text[TICK_TEXT_BYTES];

    cell_text(x, 0, true, text);
    if (x->spacing == BY_INDEX)
        (void)fprintf(out, "index %s of %s", text, x->name);
    else
        (void)fprintf(out, "%s = %s", x->name, text);
}

static int make_subtitle(struct view *v)
{
    size_t bytes = 0;
    FILE *out = open_memstream(&v->subtitle, &bytes);
    struct axis x;
    int status = DONE, n = 0;

    if (!out)
        return out_of_memory(0);
    for (int j = 0; status == DONE && j < v->selection->ndim; j++) {
        if (!v->selection->dropped[j])
            continue;
        status = make_axis(&x, v->array, v->selection, j, false);
        if (status == DONE) {
            (void)fputs(n++ ? ",  " : "", out);
            put_place(out, &x);
        }
        free_axis(&x);
    }
    if (fclose(out) != 0 && status == DONE) {
        v->subtitle = NULL;
        status = out_of_memory((int64_t)bytes);
    }
    return status;
}

static bool has_attribute(const drx_array *a, const char *name)
{
    return drx_attr_get(a, name, NULL, NULL, NULL) == DRX_OK;
}

/* After how much numbers begin again, if they are directions by their standard name and unit, or phases; else 0. */
static double find_period(const struct view *v)
{
    char *standard;
    bool direction;

    if (type_is_complex(v->elements.type))
        return v->elements.part == PART_ARG ? 2 * acos(-1.0) : 0;
    standard = text_attribute(v->array, "standard_name");
    direction = standard && v->unit && (strcasecmp(v->unit, "degree") == 0 || strcasecmp(v->unit, "degrees") == 0) &&
                (strstr(standard, "_from_direction") || strstr(standard, "_to_direction"));
    free(standard);
    return direction ? 360 : 0;
}

int open_view(struct view *v, drx_array *a, const struct selection *s, const struct view_wish *wish)
{
    int axes[DRX_MAX_NDIM], status;
    const drx_cf *cf = &v->elements.cf;

    memset(v, 0, sizeof *v);
    v->array = a;
    v->selection = s;
    v->wish = wish;
    v->naxes = kept_axes(s, axes);
    status = describe_elements(&v->elements, a, s->path, wish->part == PARTS_OF_COMPLEX ? PART_ABS : wish->part);
    if (status != DONE)
        return status;
    v->unit = type_is_complex(v->elements.type) && v->elements.part == PART_ARG ? strdup("radians") : unit_of(a);
    v->period = find_period(v);
    v->categories =
        has_attribute(a, "flag_values") || has_attribute(a, "flag_masks") || has_attribute(a, "flag_meanings");
    v->whole = type_is_whole(cf->type) && floor(cf->scale_factor) == cf->scale_factor &&
               floor(cf->add_offset) == cf->add_offset;
    v->title = make_title(v);
    if (!v->title)
        return out_of_memory(0);
    for (int i = 0; status == DONE && i < v->naxes; i++)
        status = make_axis(&v->axis[i], a, s, axes[i], v->naxes == 2 && i == 0);
    if (status == DONE && v->naxes == 2)
        status = turn_axes(v->axis, a, s, axes);
    v->axis[0].as_points = v->naxes == 1;
    return status == DONE ? make_subtitle(v) : status;
}

void close_view(struct view *v)
{
    for (int i = 0; i < v->naxes; i++)
        free_axis(&v->axis[i]);
    free(v->title);
    free(v->subtitle);
    free(v->unit);
}

int whole_cells(int64_t cells, int pixels)
{
    const int whole = cells < pixels ? (int)(pixels / cells * cells) : pixels;

    return whole >= 0.75 * pixels ? whole : pixels;
}

/* Cells that are not tiny are at most 8 times as long as wide. */
static int limit_stretch(int64_t cells, int pixels, int64_t others, int other_pixels)
{
    const double most = fmax(8.0 * other_pixels / (double)others * (double)cells, pixels / 4.0);

    return pixels > most ? (int)most : pixels;
}

void fit_cells(const struct view *v, int64_t most_enlarged, int *width, int *height)
{
    const struct axis *down = &v->axis[0], *right = &v->axis[1];
    const double ratio = natural_ratio(down, right, (double)*width / *height);
    int w = *width, h = *height;

    if (right->count <= w / most_enlarged)
        w = (int)(right->count * most_enlarged);
    if (down->count <= h / most_enlarged)
        h = (int)(down->count * most_enlarged);
    if (ratio > 0 && w > h * ratio) {
        w = (int)fmax(1, h * ratio + 0.5);
    } else if (ratio > 0) {
        h = (int)fmax(1, w / ratio + 0.5);
    } else {
        w = limit_stretch(right->count, w, down->count, h);
        h = limit_stretch(down->count, h, right->count, w);
    }
    *width = right->spacing == ORDERED || (ratio > 0 && right->count > w) ? w : whole_cells(right->count, w);
    if (ratio > 0 && h > *width / ratio)
        h = (int)fmax(1, *width / ratio + 0.5);
    *height = down->spacing == ORDERED || (ratio > 0 && down->count > h) ? h : whole_cells(down->count, h);
}
