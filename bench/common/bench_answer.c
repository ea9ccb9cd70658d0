/* The answer to a command: a line of JSON. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"

enum { TEXT_BYTES = 1024, ANSWER_BYTES = 2048 };

static char complaint[TEXT_BYTES];
static char answer[ANSWER_BYTES]; /* the members that the workload gave */

enum outcome complain(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(complaint, sizeof complaint, format, args);
    va_end(args);
    return FAILED;
}

const char *complaint_text(void)
{
    return complaint;
}

static void add_answer(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void add_answer(const char *format, ...)
{
    const size_t used = strlen(answer);
    va_list args;

    va_start(args, format);
    vsnprintf(answer + used, sizeof answer - used, format, args);
    va_end(args);
}

void answer_number(const char *key, double value)
{
    add_answer(", \"%s\": %.9g", key, value);
}

void answer_integer(const char *key, int64_t value)
{
    add_answer(", \"%s\": %" PRId64, key, value);
}

void answer_checksum(uint64_t sum)
{
    add_answer(", \"checksum\": \"%016" PRIx64 "\"", sum);
}

void answer_text(const char *key, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *c = text; *c; c++)
        if (*c == '"' || *c == '\\' || (unsigned char)*c < 0x20)
            *c = ' ';
    add_answer(", \"%s\": \"%s\"", key, text);
}

static void print_string(const char *text)
{
    putchar('"');
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            printf("\\u%04x", *text);
        else
            putchar(*text);
    putchar('"');
}

void begin_answer(void)
{
    answer[0] = complaint[0] = '\0';
}

bool end_answer(const char *work, enum outcome outcome)
{
    printf("{\"workload\": \"%s\", \"outcome\": \"%s\"%s", work,
           outcome == DONE     ? "done"
           : outcome == FAILED ? "failed"
                               : "declined",
           answer);
    if (outcome == FAILED) {
        printf(", \"error\": ");
        print_string(complaint);
    }
    printf("}\n");
    return fflush(stdout) == 0;
}
