#pragma once

#include <unistd.h>

#include <utility>

namespace snapviewer {

/// Owns an open file descriptor and closes it; -1 for none.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }

    int number() const { return number_; }
    /// Gives it up without closing it.
    int release() { return std::exchange(number_, -1); }
    bool is_open() const { return number_ >= 0; }

private:
    int number_ = -1;
};

}  // namespace snapviewer
