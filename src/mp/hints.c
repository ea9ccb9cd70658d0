/* Hints for MPI-IO: keys and values of an MPI_Info, kept as text, "key=value\n" for each. */
#include "mp/mp.h"

#include <stdio.h>
#include <stdlib.h>

/* What DRX does not leave to the user: with data sieving, a rank writes bytes of other ranks. */
static const char *const ours[] = { "romio_ds_write" };

static bool is_ours(const char *key)
{
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strcmp(key, ours[i]) == 0)
            return true;
    return false;
}

static drx_status check_hint(const char *key, const char *value)
{
    if (!*key || strlen(key) > MPI_MAX_INFO_KEY || strlen(value) > MPI_MAX_INFO_VAL || strpbrk(key, "=\n") ||
        strchr(value, '\n'))
        return drxi_fail(DRX_EINVAL, "hint \"%s=%s\": expected a key and a value of an MPI_Info", key, value);
    if (is_ours(key) && strcmp(value, "disable") != 0) /* which DRX sets, and drxmp_get_info gives */
        return drxi_fail(DRX_EINVAL, "hint \"%s\": data sieving would write bytes of other ranks", key);
    return DRX_OK;
}

/* The line of a key; NULL: there is none. */
static char *find_hint(char *hints, const char *key)
{
    const size_t n = strlen(key);
    char *line = hints;

    while (line && *line && !(strncmp(line, key, n) == 0 && line[n] == '=')) {
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return line && *line ? line : NULL;
}

/* Set a hint in place of the one of that key. */
static drx_status set_hint(char hints[DRXI_HINTS_BYTES], const char *key, const char *value)
{
    const drx_status st = check_hint(key, value);
    char *line = find_hint(hints, key);

    if (st)
        return st;
    if (line) {
        char *end = strchr(line, '\n') + 1;

        memmove(line, end, strlen(end) + 1);
    }
    if (strlen(hints) + strlen(key) + strlen(value) + 3 > DRXI_HINTS_BYTES)
        return drxi_fail(DRX_EINVAL, "hint \"%s\": all hints together have more than %d bytes", key, DRXI_HINTS_BYTES);
    line = hints + strlen(hints);
    (void)snprintf(line, (size_t)(hints + DRXI_HINTS_BYTES - line), "%s=%s\n", key, value);
    return DRX_OK;
}

/* Split the next "key=value" off the text, which commas or line ends separate; false at its end. */
static bool next(char **text, char separator, char **key, char **value)
{
    char *end;

    if (!**text)
        return false;
    *key = *text;
    end = strchr(*text, separator);
    *text = end ? end + 1 : *text + strlen(*text);
    if (end)
        *end = '\0';
    *value = strchr(*key, '=');
    if (*value)
        *(*value)++ = '\0';
    return true;
}

drx_status drxi_hints_of_text(char hints[DRXI_HINTS_BYTES], const char *name, const char *text)
{
    char *copy = drxi_strdup(text), *rest = copy, *key, *value;
    drx_status st = copy ? DRX_OK : DRX_ENOMEM;

    while (!st && next(&rest, ',', &key, &value))
        st = value ? set_hint(hints, key, value)
                   : drxi_fail(DRX_EINVAL, "%s has \"%s\", expected KEY=VALUE,KEY=VALUE,...", name, key);
    drxi_free(copy);
    return st;
}

drx_status drxi_hints_of_info(char hints[DRXI_HINTS_BYTES], MPI_Info info)
{
    int n = 0, there;
    drx_status st = drxi_mpi(MPI_Info_get_nkeys(info, &n), "reading the info");

    for (int i = 0; !st && i < n; i++) {
        char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];

        st = drxi_mpi(MPI_Info_get_nthkey(info, i, key), "reading the info");
        if (!st && strncmp(key, "drx_", 4) == 0)
            continue;
        if (!st)
            st = drxi_mpi(MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &there), "reading the info");
        if (!st && there)
            st = set_hint(hints, key, value);
    }
    return st;
}

drx_status drxi_hints_give(const char hints[], MPI_Info info)
{
    char copy[DRXI_HINTS_BYTES], *rest = copy, *key, *value;
    drx_status st = DRX_OK;

    (void)snprintf(copy, sizeof copy, "%s", hints);
    while (!st && next(&rest, '\n', &key, &value))
        st = drxi_mpi(MPI_Info_set(info, key, value), "making hints");
    return st;
}
