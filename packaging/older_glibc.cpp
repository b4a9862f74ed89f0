// What the wheel asks of glibc and an older one lacks, so that it runs there, too. Hidden: nobody else gets these in place
// of the system's. Which are needed follows from the glibc that the wheel is compiled for, here Debian 12's or, by
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

// By the kernel's call, which Linux has had since 3.17, or from its file.
bool random_bytes(void* into, std::size_t size) {
    if (syscall(__NR_getrandom, into, size, 0) == static_cast<long>(size)) return true;
    const int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const bool whole = read(file, into, size) == static_cast<ssize_t>(size);
    close(file);
    return whole;
}

}  // namespace

// The static libstdc++ of GCC 12 names it for std::random_device; glibc has it since 2.36.
HIDDEN std::uint32_t arc4random() {
    std::uint32_t bits = 0;
    if (!random_bytes(&bits, sizeof bits)) std::abort();
    return bits;
}

// glibc has had newer versions of these since 2.27, 2.29 or 2.35, which tell of errors in another way. The first ones it has
// still. The names here are others, for the compiler knows these functions itself.
#ifdef __x86_64__
#define FIRST_GLIBC "GLIBC_2.2.5"
#else
#define FIRST_GLIBC "GLIBC_2.17"  // the first for aarch64
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
// The static libstdc++ looks here whether it may count references without atomic instructions. It may never: that is always
// right.
HIDDEN char __libc_single_threaded;
char __libc_single_threaded = 0;

// Since 2.30: std::condition_variable waits by the steady clock. As before that, the rest of the time is waited by the other
// clock, and who waits looks at the steady one again.
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

// Since 2.25, for std::random_device as well.
HIDDEN int getentropy(void* into, std::size_t size) { return random_bytes(into, size) ? 0 : -1; }

// Since 2.27; the sandbox writes its filter there.
HIDDEN int memfd_create(const char* name, unsigned flags) {
    return static_cast<int>(syscall(__NR_memfd_create, name, flags));
}

// Since 2.28, what fcntl is called in files compiled for large files; on 64 bits they are one.
HIDDEN int fcntl64(int file, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void* argument = va_arg(arguments, void*);
    va_end(arguments);
    return fcntl(file, command, argument);
}
#endif
