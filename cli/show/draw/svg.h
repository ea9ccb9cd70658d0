/* Pieces of SVG. */
#ifndef SVG_H
#define SVG_H

#include <stdio.h>

/* Text between tags, escaped for XML, with control characters made visible. */
void svg_put_text(FILE *out, const char *text);

/* The approximate width of the text in letters of `size`. */
double svg_text_width(const char *text, double size);

/* Visible text, to be freed; cut with an ellipsis if it is wider than `width`. NULL: out of memory. */
char *svg_shortened(const char *text, double width, double size);

#endif
