#include "core/system/clocks.h"

#include <windows.h>

namespace snapviewer {
namespace {

constexpr std::uint64_t k_tick_ns = 100;

std::uint64_t ticks(const FILETIME& time) { return (std::uint64_t{time.dwHighDateTime} << 32) | time.dwLowDateTime; }

}  // namespace

std::uint64_t thread_time_ns() {
    FILETIME created{}, ended{}, kernel{}, user{};
    ::GetThreadTimes(::GetCurrentThread(), &created, &ended, &kernel, &user);
    return (ticks(kernel) + ticks(user)) * k_tick_ns;
}

std::optional<std::tm> local_time(std::time_t moment) {
    std::tm parts{};
    return ::localtime_s(&parts, &moment) == 0 ? std::optional(parts) : std::nullopt;
}

std::int64_t rough_time_ns() { return static_cast<std::int64_t>(::GetTickCount64()) * 1'000'000; }

}  // namespace snapviewer
