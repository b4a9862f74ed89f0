/* A stand-in for libnvidia-ml.so.1. Device n has 80 GiB, of which n + 1 are in use: half of one by the calling process, the rest
   by two others. $NVML_STAND_IN selects an error. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct memory { unsigned long long total, free, used; };
struct process { unsigned int pid; unsigned long long used; unsigned int gpu_instance, compute_instance; };

static const unsigned long long k_gib = 1ULL << 30;

static int is_told(const char* what) {
    const char* told = getenv("NVML_STAND_IN");
    return told != NULL && strcmp(told, what) == 0;
}

const char* nvmlErrorString(int status) { return status == 4 ? "Insufficient Permissions" : "Not Found"; }

int nvmlInit_v2(void) { return is_told("no driver") ? 6 : 0; }

int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void** device) {
    *device = (void*)(size_t)(index + 1);
    return 0;
}

int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
    if (strncmp(uuid, "GPU-0000-", 9) != 0) return 6;
    return nvmlDeviceGetHandleByIndex_v2((unsigned int)atoi(uuid + 9) + 4, device);
}

int nvmlDeviceGetMemoryInfo(void* device, struct memory* memory) {
    if (is_told("denied")) return 4;
    memory->total = 80 * k_gib;
    memory->used = (size_t)device * k_gib;
    memory->free = memory->total - memory->used;
    return 0;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned int* count, struct process* processes) {
    const unsigned long long others = (size_t)device * k_gib - k_gib / 2;
    if (*count < 3) return 7;
    *count = 3;
    memset(processes, 0, 3 * sizeof(*processes));
    processes[0].pid = 1;
    processes[0].used = is_told("hidden") ? ~0ULL : others / 4;
    processes[1].pid = is_told("container") ? 999999999U : (unsigned int)getpid();
    processes[1].used = k_gib / 2;
    processes[2].pid = 2;
    processes[2].used = others - others / 4;
    return 0;
}
