/* Pieces of SVG. */
#ifndef SVG_H
#define SVG_H

#include <stdio.h>

/* Text between tags: control characters visible, what XML keeps for itself escaped. */
void svg_put_text(FILE *out, const char *text);

/* About how wide the text is, in letters of `size`: fonts differ. */
double svg_text_width(const char *text, double size);

/* UTF-8, made visible, and cut with an ellipsis where it is wider than `width`. NULL: out of memory. To be freed. */
char *svg_shortened(const char *text, double width, double size);

#endif
