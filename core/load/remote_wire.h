#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/progress.h"
#include "core/load/byte_source.h"
#include "core/load/remote_fetch.h"

namespace snapviewer {

/// Maximum number of bytes that a machine may send before a file begins.
inline constexpr std::size_t k_most_before_file = 1 << 18;

/// Abstract source of the bytes of a transfer, packed or not.
class RemoteWire : public ByteSource {
public:
    /// Makes next_piece() throw soon, also if another thread is waiting in it. Thread-safe.
    virtual void give_up() = 0;
    /// Reason why the transfer broke off; empty if it did not.
    virtual const std::string& error() const = 0;
    /// True if no more bytes will arrive.
    virtual bool is_at_end() const = 0;
};

/// The standard output of a program. Ends the program in the destructor, and if the work is to stop.
class ProgramWire : public RemoteWire {
public:
    explicit ProgramWire(const RemoteFetch& fetch);
    ~ProgramWire() override;

    std::string_view next_piece() override;
    /// Like next_piece(), but returns nullopt if no data arrived within k_look_for_stop. The caller must then check for a
    /// stop.
    std::optional<std::string_view> poll_piece();
    /// Makes the next call return `piece`, before anything else. Does not copy it.
    void put_back(std::string_view piece) { front_ = piece; }
    void give_up() override { is_given_up_ = true; }
    const std::string& error() const override { return error_; }
    bool is_at_end() const override { return is_at_end_; }

private:
    void stop_if_asked();
    /// Records messages of the program (standard error) that are in room_. Throws if the program has written too many.
    void add_messages(std::size_t size_bytes);
    /// Records messages that are ready. Returns false if there are none.
    bool read_messages();
    void finish();

    std::shared_ptr<ChildProgram> program_;
    std::string name_;
    std::vector<char> room_;
    std::string_view front_;
    std::string messages_;  ///< The newest messages of the program
    std::size_t message_bytes_ = 0;
    std::string error_;
    std::atomic<bool> is_given_up_ = false;
    bool is_at_end_ = false;
};

}  // namespace snapviewer
