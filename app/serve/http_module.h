/* What the module snapviewer_http has. In C, because third_party/late_loading.py writes the function that opens it. */
#ifndef SNAPVIEWER_HTTP_MODULE_H
#define SNAPVIEWER_HTTP_MODULE_H

#ifdef __cplusplus
extern "C" {
#endif

#define SNAPVIEWER_HTTP

/* Reads one request of HTTP from a snapviewer::HttpPeer and writes its answer. Whether the connection can go on with
 * another. */
SNAPVIEWER_HTTP int snapviewer_exchange_http(void* peer);

/* Made by late_loading.py: null, or what the system says is wrong. */
const char* snapviewer_open_http(void);

#ifdef __cplusplus
}
#endif

#endif
