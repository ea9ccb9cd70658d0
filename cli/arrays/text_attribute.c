#include "text_attribute.h"

#include <stdlib.h>
#include <string.h>

#include "frame/cli.h"
#include "frame/text.h"

bool next_attribute(const drx_array *a, struct attribute *t)
{
    while (t->next < drx_attr_count(a))
        if (!drx_attr_info(a, t->next++, &t->name, NULL, NULL, &t->is_text) &&
            !drx_attr_get(a, t->name, &t->type, &t->n, &t->values))
            return true;
    return false;
}

drx_status set_text_attribute(drx_array *a, const char *name, char *bytes, size_t n)
{
    drx_status st = DRX_ENOMEM;
    char *text;

    while (n > 0 && bytes[n - 1] == '\0')
        n--;
    for (size_t i = 0; i < n; i++)
        if (bytes[i] == '\0')
            bytes[i] = '\n';
    text = utf8_of(bytes, n);
    if (text)
        st = drx_attr_set_text(a, name, text);
    free(text);
    return st;
}

const char *separator_of(const char *text)
{
    return strchr(text, RECORD_END) ? "\x1e" : "\n";
}

char *join_strings(char *const strings[], size_t n, char separator)
{
    size_t bytes = 1;
    char *joined, *at;

    for (size_t i = 0; i < n; i++)
        bytes += strings[i] ? strlen(strings[i]) + 1 : 1;
    joined = calloc(bytes, 1);
    at = joined;
    for (size_t i = 0; joined && i < n; i++) {
        if (i)
            *at++ = separator;
        if (strings[i])
            at = stpcpy(at, strings[i]);
    }
    return joined;
}

drx_status set_lines_attribute(drx_array *a, const char *name, char *const strings[], size_t n)
{
    char *text = join_strings(strings, n, '\n');
    const drx_status st = text ? set_text_attribute(a, name, text, strlen(text)) : DRX_ENOMEM;

    free(text);
    return st;
}

void warn_of_lines(const char *label, const char *name, int64_t n)
{
    warn("%s: attribute %s is a list of %lld strings; the array keeps it as a text of so many lines", label, name,
         (long long)n);
}

char *text_attribute(const drx_array *a, const char *name)
{
    for (struct attribute t = { 0 }; next_attribute(a, &t);)
        if (strcmp(t.name, name) == 0)
            return t.is_text && t.n > 0 ? visible_text(t.values, (size_t)t.n) : NULL;
    return NULL;
}
