#include "draw.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void find_fonts(void)
{
    static const char *const places[] = { "../share/drx/fonts/fonts.conf", "../../share/drx/fonts/fonts.conf" };
    char own[PATH_MAX], path[PATH_MAX + 64];
    ssize_t n;
    const char *slash;

    if (getenv("FONTCONFIG_FILE") || getenv("FONTCONFIG_PATH") || access("/etc/fonts/fonts.conf", R_OK) == 0)
        return;
    n = readlink("/proc/self/exe", own, sizeof own - 1);
    own[n > 0 ? n : 0] = '\0';
    slash = strrchr(own, '/');
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        (void)snprintf(path, sizeof path, "%.*s%s", (int)(slash + 1 - own), own, places[i]);
        if (access(path, R_OK) == 0) {
            (void)setenv("FONTCONFIG_FILE", path, 1);
            return;
        }
    }
}
