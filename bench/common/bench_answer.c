/* The answer to a command: a line of JSON. */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>

#include "bench.h"

enum { TEXT_BYTES = 1024 };

static char complaint[TEXT_BYTES];
static struct json_object *answer;

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

void answer_number(const char *key, double value)
{
    json_object_object_add(answer, key, json_object_new_double(value));
}

void answer_integer(const char *key, int64_t value)
{
    json_object_object_add(answer, key, json_object_new_int64(value));
}

void answer_text(const char *key, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    json_object_object_add(answer, key, json_object_new_string(text));
}

void answer_checksum(uint64_t sum)
{
    answer_text("checksum", "%016" PRIx64, sum);
}

void begin_answer(void)
{
    json_object_put(answer);
    answer = json_object_new_object();
    complaint[0] = '\0';
}

bool end_answer(const char *work, enum outcome outcome)
{
    static const char *const words[] = { [DONE] = "done", [FAILED] = "failed", [DECLINED] = "declined" };

    answer_text("workload", "%s", work);
    answer_text("outcome", "%s", words[outcome]);
    if (outcome == FAILED)
        answer_text("error", "%s", complaint);
    puts(json_object_to_json_string_ext(answer, JSON_C_TO_STRING_PLAIN));
    return fflush(stdout) == 0;
}
