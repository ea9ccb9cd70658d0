/* The functions of libcurl, which is loaded when the first URL is opened: linked, it would make every program that uses
 * the library start 10 ms later, with some thirty libraries that few programs need. */
#ifndef DRXI_CURL_TABLE_H
#define DRXI_CURL_TABLE_H

#include <curl/curl.h>

#include "base/base.h"

/* X(result, name, arguments) */
#define DRXI_CURL_LIST(X)                                                     \
    X(CURLcode, global_init, (long))                                          \
    X(curl_version_info_data *, version_info, (CURLversion))                  \
    X(time_t, getdate, (const char *, const time_t *))                        \
    X(CURL *, easy_init, (void))                                              \
    X(CURLcode, easy_setopt, (CURL *, CURLoption, ...))                       \
    X(CURLcode, easy_getinfo, (CURL *, CURLINFO, ...))                        \
    X(void, easy_reset, (CURL *))                                             \
    X(void, easy_cleanup, (CURL *))                                           \
    X(const char *, easy_strerror, (CURLcode))                                \
    X(CURLM *, multi_init, (void))                                            \
    X(CURLMcode, multi_cleanup, (CURLM *))                                    \
    X(CURLMcode, multi_setopt, (CURLM *, CURLMoption, ...))                   \
    X(CURLMcode, multi_add_handle, (CURLM *, CURL *))                         \
    X(CURLMcode, multi_remove_handle, (CURLM *, CURL *))                      \
    X(CURLMcode, multi_socket_action, (CURLM *, curl_socket_t, int, int *))   \
    X(CURLMsg *, multi_info_read, (CURLM *, int *))                           \
    X(struct curl_slist *, slist_append, (struct curl_slist *, const char *)) \
    X(void, slist_free_all, (struct curl_slist *))

struct drxi_curl {
#define DRXI_CURL_MEMBER(result, name, arguments) result(*name) arguments;
    DRXI_CURL_LIST(DRXI_CURL_MEMBER)
#undef DRXI_CURL_MEMBER
};

/* Filled by drxi_curl_load, which every opening of a URL calls. DRX_EUNSUPPORTED names the package that is missing. */
extern struct drxi_curl drxi_curl;
drx_status drxi_curl_load(void);

#endif
