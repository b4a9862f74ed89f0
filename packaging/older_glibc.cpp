// Functions that the wheel needs and older versions of glibc lack. They are hidden, so that other libraries of the process
// use the system's functions. The needed ones depend on the glibc for which the wheel is compiled: Debian 12's or, with
// packaging/portable, Debian 11's.
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>

#define HIDDEN extern "C" __attribute__((visibility("hidden")))

namespace {

// Uses the system call of Linux 3.17 and newer, or else the device file.
bool random_bytes(void* into, std::size_t size) {
    if (syscall(__NR_getrandom, into, size, 0) == static_cast<long>(size)) return true;
    const int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const bool whole = read(file, into, size) == static_cast<ssize_t>(size);
    close(file);
    return whole;
}

}  // namespace

// In glibc since 2.36. The static libstdc++ of GCC 12 refers to it for std::random_device.
HIDDEN std::uint32_t arc4random() {
    std::uint32_t bits = 0;
    if (!random_bytes(&bits, sizeof bits)) std::abort();
    return bits;
}

// glibc 2.27, 2.29 and 2.35 added new versions of these functions, which report errors differently, and kept the first
// versions, which are called here. The prefix our_ is needed because the compiler has built-in functions of these names.
#ifdef __x86_64__
#define FIRST_GLIBC "GLIBC_2.2.5"
#else
#define FIRST_GLIBC "GLIBC_2.17"  // the first one for aarch64
#endif
#define FIRST_VERSION(name) __asm__(".symver first_" #name ", " #name "@" FIRST_GLIBC)
#define OF_ONE(type, name)                       \
    extern "C" type first_##name(type);          \
    FIRST_VERSION(name);                         \
    HIDDEN type our_##name(type) __asm__(#name); \
    type our_##name(type x) { return first_##name(x); }
#define OF_TWO(type, name)                             \
    extern "C" type first_##name(type, type);          \
    FIRST_VERSION(name);                               \
    HIDDEN type our_##name(type, type) __asm__(#name); \
    type our_##name(type x, type y) { return first_##name(x, y); }
OF_ONE(double, exp)
OF_ONE(double, exp2)
OF_ONE(double, log)
OF_ONE(double, log2)
OF_TWO(double, pow)
OF_ONE(float, expf)
OF_ONE(float, logf)
OF_TWO(float, powf)
OF_TWO(float, hypotf)

#if !__GLIBC_PREREQ(2, 32)
// Tells the static libstdc++ whether it may count references without atomic instructions. Always 0, which is always
// correct.
HIDDEN char __libc_single_threaded;
char __libc_single_threaded = 0;

// In glibc since 2.30; std::condition_variable waits with it for a time of the steady clock. Waits for the remaining time on
// the real-time clock, as libstdc++ did before; the caller checks the steady clock afterwards.
HIDDEN int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                  const timespec* until) {
    timespec now{}, end{};
    clock_gettime(clock, &now);
    clock_gettime(CLOCK_REALTIME, &end);
    constexpr long second = 1'000'000'000;
    end.tv_sec += until->tv_sec - now.tv_sec;
    end.tv_nsec += until->tv_nsec - now.tv_nsec;
    if (end.tv_nsec < 0) end.tv_sec -= 1, end.tv_nsec += second;
    if (end.tv_nsec >= second) end.tv_sec += 1, end.tv_nsec -= second;
    return pthread_cond_timedwait(condition, mutex, &end);
}

// In glibc since 2.25; used by std::random_device.
HIDDEN int getentropy(void* into, std::size_t size) { return random_bytes(into, size) ? 0 : -1; }

// In glibc since 2.27; the sandbox writes its filter to such a file.
HIDDEN int memfd_create(const char* name, unsigned flags) {
    return static_cast<int>(syscall(__NR_memfd_create, name, flags));
}

// In glibc since 2.28: the name of fcntl in sources compiled for large files. On 64-bit systems both are the same function.
HIDDEN int fcntl64(int file, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void* argument = va_arg(arguments, void*);
    va_end(arguments);
    return fcntl(file, command, argument);
}
#endif
