#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>

#include "core/system/files.h"
#include "core/system/memory.h"
#include "core/system/posix/files.h"

namespace snapviewer {

/// Keeps the program alive if a mapped file is truncated. The system then answers a read with SIGBUS, and a handler replaces
/// the missing pages by zeros. Guards are elements of a list that only grows, so that the handler can walk it at any moment.
/// Released guards are reused.
struct MappingGuard {
    std::atomic<bool> is_used{true};
    std::atomic<std::uintptr_t> begin{0};  ///< first address; 0 while nothing is mapped
    std::atomic<std::uintptr_t> end{0};
    std::atomic<bool> has_lost_pages{false};
    MappingGuard* next = nullptr;
};

namespace {

static_assert(std::atomic<std::uintptr_t>::is_always_lock_free && std::atomic<MappingGuard*>::is_always_lock_free,
              "a signal handler may take no lock");

std::atomic<MappingGuard*> first_guard{nullptr};
std::uintptr_t g_page_bytes = 0;
struct sigaction earlier_action {};

MappingGuard* guard_of(std::uintptr_t address) {
    for (MappingGuard* guard = first_guard.load(); guard != nullptr; guard = guard->next) {
        const std::uintptr_t begin = guard->begin.load();
        if (begin != 0 && address >= begin && address < guard->end.load()) return guard;
    }
    return nullptr;
}

/// Replaces all pages from an address on by zeros. If one page of a truncated file is missing, so are all pages after it,
/// and a single mapping replaces them, however many there are.
bool replace_by_zeros(MappingGuard& guard, std::uintptr_t address) {
    const std::uintptr_t page = address / g_page_bytes * g_page_bytes;
    constexpr int k_flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
    void* const zeros = ::mmap(reinterpret_cast<void*>(page), guard.end.load() - page, PROT_READ, k_flags, -1, 0);
    if (zeros == MAP_FAILED) return false;
    guard.has_lost_pages.store(true);
    return true;
}

void handle_sigbus(int, siginfo_t* info, void*) {
    const int error_before = errno;
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    MappingGuard* const guard = guard_of(address);
    // The instruction runs again after the handler returns: it reads the zeros, or raises SIGBUS for the previous handler.
    const bool was_sent = info->si_code <= 0;  // kill() or a similar call sent the signal, so no instruction caused it
    if (was_sent || guard == nullptr || !replace_by_zeros(*guard, address)) ::sigaction(SIGBUS, &earlier_action, nullptr);
    if (was_sent) ::raise(SIGBUS);
    errno = error_before;
}

void install_handler() {
    g_page_bytes = page_bytes();
    struct sigaction action {};
    action.sa_sigaction = handle_sigbus;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &earlier_action);
}

MappingGuard* unused_guard() {
    for (MappingGuard* guard = first_guard.load(); guard != nullptr; guard = guard->next) {
        if (!guard->is_used.exchange(true)) return guard;
    }
    auto* const guard = new MappingGuard;  // never freed, because the list only grows
    guard->next = first_guard.load();
    while (!first_guard.compare_exchange_weak(guard->next, guard)) continue;
    return guard;
}

/// Guards a mapping, before it is read. The first call installs the handler for SIGBUS. SIGBUS signals that have another
/// cause go to the previous handler.
MappingGuard* guard_mapping(std::span<const std::byte> mapping) {
    static std::once_flag installed;
    std::call_once(installed, install_handler);
    MappingGuard* const guard = unused_guard();
    guard->has_lost_pages.store(false);
    const auto begin = reinterpret_cast<std::uintptr_t>(mapping.data());
    guard->end.store(begin + mapping.size());
    guard->begin.store(begin);
    return guard;
}

}  // namespace

Mapping Mapping::of(const FileHandle& file, std::size_t size_bytes, std::error_code& failed) {
    failed.clear();
    Mapping mapping;
    if (size_bytes == 0) return mapping;
    void* const data = ::mmap(nullptr, size_bytes, PROT_READ, MAP_PRIVATE, descriptor_of(file), 0);
    if (data == MAP_FAILED) {
        failed = last_error();
        return mapping;
    }
    mapping.bytes_ = {static_cast<const std::byte*>(data), size_bytes};
    mapping.guard_ = guard_mapping(mapping.bytes_);
    ::madvise(data, size_bytes, MADV_SEQUENTIAL);
    return mapping;
}

Mapping::~Mapping() {
    if (guard_ != nullptr) {
        guard_->begin.store(0);
        guard_->is_used.store(false);
    }
    if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void Mapping::wait_for(std::size_t /*end*/) const {}
bool Mapping::has_lost_pages() const { return guard_ != nullptr && guard_->has_lost_pages.load(); }

void Mapping::release_up_to(std::size_t end) {
    end = end / page_bytes() * page_bytes();
    if (end <= released_) return;
    ::madvise(const_cast<std::byte*>(bytes_.data()) + released_, end - released_, MADV_DONTNEED);
    released_ = end;
}

}  // namespace snapviewer
