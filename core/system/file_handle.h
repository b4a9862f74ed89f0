#pragma once

#include <cstdint>
#include <utility>

namespace snapviewer {

/// Owns an open file, or another object for which the system has such a handle, and closes it in the destructor.
class FileHandle {
public:
    FileHandle() = default;
    explicit FileHandle(std::intptr_t number) : number_(number) {}
    FileHandle(FileHandle&& other) noexcept : number_(std::exchange(other.number_, k_none)) {}
    FileHandle& operator=(FileHandle&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~FileHandle() {
        if (is_open()) close();
    }

    /// The system's handle: a file descriptor on POSIX, a HANDLE on Windows.
    std::intptr_t number() const { return number_; }
    bool is_open() const { return number_ != k_none; }
    /// Gives up ownership: the caller must close the returned handle.
    std::intptr_t release() { return std::exchange(number_, k_none); }

private:
    static constexpr std::intptr_t k_none = -1;

    void close();

    std::intptr_t number_ = k_none;
};

}  // namespace snapviewer
