/* Loading libcurl. */
#include <dlfcn.h>
#include <pthread.h>

#include "remote/wire/wire.h"

struct drxi_curl drxi_curl;

enum { LEAST_VERSION = 0x075500 }; /* 7.85.0 */

/* Both have the same functions. Debian's netCDF brings the second one. */
static const char *const libraries[] = { "libcurl.so.4", "libcurl-gnutls.so.4" };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static drx_status loaded;
static char detail[DRXI_DETAIL_BYTES];

static drx_status find_symbol(void *library, const char *name, void *function)
{
    void *const symbol = dlsym(library, name);

    if (!symbol)
        return drxi_fail(DRX_EUNSUPPORTED, "libcurl has no function %s", name);
    memcpy(function, &symbol, sizeof symbol);
    return DRX_OK;
}

static drx_status find_symbols(void *library)
{
    drx_status st = DRX_OK;

#define FIND(result, name, arguments) \
    if (!st)                          \
        st = find_symbol(library, "curl_" #name, &drxi_curl.name);
    DRXI_CURL_LIST(FIND)
#undef FIND
    return st;
}

static drx_status load_library(void)
{
    void *library = NULL;
    drx_status st;

    for (size_t i = 0; !library && i < sizeof libraries / sizeof *libraries; i++)
        library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return drxi_fail(DRX_EUNSUPPORTED, "a URL needs libcurl.so.4, which is missing: install libcurl4");
    st = find_symbols(library);
    if (!st && drxi_curl.version_info(CURLVERSION_NOW)->version_num < LEAST_VERSION)
        st = drxi_fail(DRX_EUNSUPPORTED, "libcurl %s is too old for URLs, expected 7.85.0 or later",
                       drxi_curl.version_info(CURLVERSION_NOW)->version);
    if (!st && drxi_curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        st = drxi_fail(DRX_EUNSUPPORTED, "libcurl cannot be initialized");
    return st;
}

static void load_once(void)
{
    loaded = load_library();
    drxi_report_keep(detail);
}

drx_status drxi_curl_load(void)
{
    (void)pthread_once(&once, load_once);
    if (loaded)
        drxi_report_set(detail);
    return loaded;
}
