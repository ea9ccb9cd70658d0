/* What `drx view` shows: one or two axes of a selection, as numbers, and the words around them. */
#pragma once

#include "arrays/select.h"
#include "show/draw/draw.h"

enum part { PART_ABS, PART_RE, PART_IM, PART_ARG, PARTS_OF_COMPLEX }; /* as --part names them */

struct view_wish {
    char *output;          /* NULL: the terminal */
    int64_t width, height; /* 0: as fits; pixels, or characters of the terminal */
    enum colour_map map;   /* COLOUR_MAPS: as fits */
    bool ranged;           /* low and high were given */
    double low, high;      /* low < high */
    enum part part;        /* PARTS_OF_COMPLEX: not given */
};

/* How elements become numbers, by their attributes. */
struct elements {
    drx_type type;
    enum part part;
    const void *fill; /* of the array, marks missing elements; NULL: nothing does */
    drx_cf cf;        /* of elements, or of the real parts of complex ones */
};

/* Gives the exit code. */
int describe_elements(struct elements *e, const drx_array *a, const char *path, enum part part);

/* Read a selection as numbers, in C order. Gives the exit code. */
int read_numbers(drx_array *a, const struct elements *e, const struct selection *s, double buf[]);

enum spacing {
    BY_INDEX,  /* without coordinates */
    EVEN,      /* coordinates with equal steps between them */
    ORDERED,   /* coordinates that grow or fall, unevenly */
    UNORDERED, /* other coordinates, or a single one */
};

enum quantity { PLAIN, TIME, LATITUDE, LONGITUDE };

/* An axis of the picture. Place 0 is left or top, 1 right or bottom. */
struct axis {
    char *name, *unit;   /* to be shown; unit may be NULL */
    int64_t count;       /* cells */
    int64_t first, step; /* index of cell 0, and from each cell to the next */
    enum spacing spacing;
    enum quantity quantity;
    struct time_unit time;
    bool backwards;     /* cell 0 is right, or at the bottom */
    bool as_points;     /* cells are points */
    bool whole;         /* coordinates are whole numbers */
    int64_t n, stride;  /* coordinates: of every stride-th cell */
    double *coordinate; /* NULL: BY_INDEX */
};

/* Axis j of the selection; `upright`: its values go up, not to the right. Gives the exit code. */
int make_axis(struct axis *x, drx_array *a, const struct selection *s, int j, bool upright);
/* Turn those axes of a map that have no coordinates, when its attribute "coordinates" names a latitude and a longitude
 * that vary along both: north goes up, and east to the right, along the middle lines. Gives the exit code. */
int turn_axes(struct axis axis[2], drx_array *a, const struct selection *s, const int axes[2]);
void free_axis(struct axis *x);

/* Cells lie in equal steps, but where the coordinates are ORDERED, at these: a cell ends half-way to the next one.
 * Whole numbers are the middles of cells. */
double cell_place(const struct axis *x, double cell);
double cell_at_place(const struct axis *x, double place); /* as if the axis were not backwards */
double cell_of(const struct axis *x, double value);       /* of a coordinate, EVEN or ORDERED */
/* The coordinates at the ends, EVEN or ORDERED; low < high. */
void axis_bounds(const struct axis *x, double *low, double *high);

/* At most `most` ticks; their values are places. */
void axis_ticks(const struct axis *x, int most, struct ticks *out);

/* The text of a cell: "30°N", "1982-01-16", "5 m". */
void cell_text(const struct axis *x, int64_t cell, bool with_unit, char out[TICK_TEXT_BYTES]);

/* The texts at the ends of the axis, left or top first; with a single cell the second is empty. */
void end_texts(const struct axis *x, char out[2][TICK_TEXT_BYTES]);

/* The name, and the unit in parentheses unless the texts of cells show it; to be freed. */
char *axis_words(const struct axis *x);

/* Width over height of a picture in which both axes have the same scale; 0: they need not. */
double natural_ratio(const struct axis *down, const struct axis *right, double frame_ratio);

struct view {
    drx_array *array;
    const struct selection *selection;
    const struct view_wish *wish;
    struct elements elements;
    char *title, *subtitle; /* subtitle: the place on the dropped axes; may be empty */
    char *unit;             /* may be NULL */
    double period;          /* of directions: 360 degrees, or 2 pi for phases; 0: they are none */
    bool whole;             /* numbers are whole */
    bool categories;        /* numbers are names of something: they have no means */
    int naxes;              /* 1 or 2 */
    struct axis axis[2];    /* as in the array: of two, the first goes down */
};

/* Gives the exit code; close it in any case. */
int open_view(struct view *v, drx_array *a, const struct selection *s, const struct view_wish *wish);
void close_view(struct view *v);

/* The pixels for that many cells: a multiple of the cells that are shown, unless that wastes much of the room. */
int whole_cells(int64_t cells, int pixels);

/* Reduce the pixels of a picture so that cells fit; a cell has at most `most_enlarged` of them on each side. */
void fit_cells(const struct view *v, int64_t most_enlarged, int *width, int *height);

/* Which of the cells 0, every, 2 * every, ... of an axis each pixel shows: those of a group. */
struct groups {
    int64_t cells, every;
    int64_t n, *first; /* group k has the cells first[k] <= i < first[k + 1] */
    int64_t largest;   /* cells in the largest one */
    int pixels, *of_pixel;
};

int find_groups(const struct axis *x, int64_t every, int pixels, struct groups *g); /* gives the exit code */
int64_t group_of(const struct groups *g, int64_t cell);
void free_groups(struct groups *g);

/* The means of groups of rows and columns; of very many elements, only every row_every-th row and so on is read. */
struct grid {
    int64_t rows, columns, row_every, column_every;
    struct groups down, across;
    double *number; /* rows x columns */
    bool some_missing;
    double low, high;   /* of the finite numbers; low > high: there are none */
    double least, most; /* of the finite elements that were read */
};

/* For this many pixels. Gives the exit code; free it in any case. */
int read_grid(const struct view *v, int height, int width, struct grid *g);
void free_grid(struct grid *g);

/* The number at a pixel. */
double grid_at(const struct view *v, const struct grid *g, int x, int y);

int64_t least_of(int64_t n, int64_t most);
/* The attribute "units", to be freed. NULL: there is none, or it is "1", that of plain numbers. */
char *unit_of(const drx_array *a);
/* Keep every n-th element of the selection along axis j. */
void thin_selection(struct selection *s, int j, int64_t every);

/* Points of `per_point` elements each. */
struct line {
    int64_t points, every, per_point;  /* every `every`-th element of the selection was read */
    double *first, *low, *high, *last; /* of each point; NaN: all are missing */
    bool some_missing;
    double lowest, highest; /* finite numbers; lowest > highest: there are none */
};

double point_place(const struct axis *x, const struct line *l, int64_t i); /* of the middle of point i */
int read_line(const struct view *v, int64_t most_points, struct line *l);
void free_line(struct line *l);

/* The ends of the vertical axis: a little beyond the lowest and the highest number. */
void line_range(const struct view *v, const struct line *l, double *low, double *high);

/* Do the numbers have both signs, and is zero between the ends? */
bool crosses_zero(const struct line *l, double low, double high);

/* What the picture does not show of the elements, or that all are equal; or empty. */
enum { FOOTNOTE_BYTES = 320, NOTE_BYTES = 80 };
void grid_footnote(const struct view *v, const struct grid *g, char out[FOOTNOTE_BYTES]);
void line_footnote(const struct view *v, const struct line *l, char out[FOOTNOTE_BYTES]);
void every_text(int64_t n, const char *of, char out[NOTE_BYTES]); /* "every 4th row" */
void constant_text(const struct view *v, double number, bool some_missing, char out[NOTE_BYTES]);

struct scale {
    enum colour_map map;
    double low, high;  /* the ends; low < high */
    double from, to;   /* numbers that have the first and the last colour of the map */
    bool below, above; /* some numbers are beyond the ends */
};

int choose_scale(const struct view *v, const struct grid *g, struct scale *scale);
double scale_place(const struct scale *scale, double number);    /* in the map */
double part_of(double low, double high, double number);          /* 0 at low, 1 at high */
uint32_t scale_colour(const struct scale *scale, double number); /* NaN: that of what is missing */

/* Both give the exit code. */
int view_png(const struct view *v);
int view_terminal(const struct view *v);
