#include "core/system/clocks.h"

#include <ctime>

namespace snapviewer {
namespace {

std::int64_t time_ns(clockid_t clock) {
    std::timespec time{};
    ::clock_gettime(clock, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

std::uint64_t thread_time_ns() { return static_cast<std::uint64_t>(time_ns(CLOCK_THREAD_CPUTIME_ID)); }

std::int64_t rough_time_ns() { return time_ns(CLOCK_MONOTONIC_COARSE); }

std::optional<std::tm> local_time(std::time_t moment) {
    std::tm parts{};
    return ::localtime_r(&moment, &parts) != nullptr ? std::optional(parts) : std::nullopt;
}

}  // namespace snapviewer
