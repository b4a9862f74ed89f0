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

inline constexpr std::size_t k_most_before_file = 1 << 18;  ///< that a machine may say before a file begins

/// The bytes of a file on their way, packed or not.
class RemoteWire : public ByteSource {
public:
    /// Whoever waits for the next piece gets a failure soon. Any thread.
    virtual void give_up() = 0;
    /// Why it broke off; empty while it did not.
    virtual const std::string& error() const = 0;
    /// Whether nothing more comes.
    virtual bool is_at_end() const = 0;
};

/// What a program writes. Ends it when destroyed, and when stopped.
class ProgramWire : public RemoteWire {
public:
    explicit ProgramWire(const RemoteFetch& fetch);
    ~ProgramWire() override;

    std::string_view next_piece() override;
    /// The same, but none where nothing came for k_look_for_stop, and it is for the caller to stop.
    std::optional<std::string_view> poll_piece();
    /// Gives this at the next call, before anything else.
    void put_back(std::string_view piece) { front_ = piece; }
    void give_up() override { is_given_up_ = true; }
    const std::string& error() const override { return error_; }
    bool is_at_end() const override { return is_at_end_; }

private:
    void stop_if_asked();
    /// Fails if the program has written too many.
    void add_messages(std::size_t size_bytes);
    /// Takes messages that are ready; false if there are none.
    bool read_messages();
    void finish();

    std::shared_ptr<ChildProgram> program_;
    std::string name_;
    std::vector<char> room_;
    std::string_view front_;
    std::string messages_;  ///< the last ones
    std::size_t message_bytes_ = 0;
    std::string error_;
    std::atomic<bool> is_given_up_ = false;
    bool is_at_end_ = false;
};

}  // namespace snapviewer
