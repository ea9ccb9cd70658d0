/* Where fontconfig, and so cairo, finds letters. */
#ifndef FONTS_H
#define FONTS_H

/* On a system that has no settings of fonts, take those that were unpacked together with the program, if any. */
void find_fonts(void);

#endif
