#include "copy_figures.h"

void put_copy_figures(struct json *j, const drx_copy_plan *plan)
{
    json_number(j, "passes", plan->passes);
    json_number(j, "memory_bytes", plan->memory_bytes);
    json_number(j, "temporary_bytes", plan->temporary_bytes);
    json_number(j, "read_bytes", plan->read_bytes);
    json_number(j, "read_calls", plan->read_calls);
    json_number(j, "write_bytes", plan->write_bytes);
    json_number(j, "write_calls", plan->write_calls);
    json_value(j, "seconds", DRX_FLOAT64, &plan->seconds);
}
