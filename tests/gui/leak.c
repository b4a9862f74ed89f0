// A library to preload into the program. At every twentieth wait of the program it leaks an open file and a quarter of a MiB,
// to test that the soak test notices.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

int poll(struct pollfd* waited, nfds_t count, int patience_ms) {
    enum { every = 20, leaked_bytes = 256 << 10 };
    static int calls = 0;
    static int (*real)(struct pollfd*, nfds_t, int) = NULL;
    if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "poll");
    if (++calls % every == 0) {
        void* lost = malloc(leaked_bytes);
        if (lost != NULL) memset(lost, 1, leaked_bytes);
        (void)!open("/dev/null", O_RDONLY);
    }
    return real(waited, count, patience_ms);
}
