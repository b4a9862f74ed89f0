#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>
#include <vector>

/// Connections of TCP between programs of this machine. What goes wrong is an error code.
namespace snapviewer {

/// Owns a socket and closes it.
class Socket {
public:
    Socket() = default;
    explicit Socket(std::intptr_t number) : number_(number) {}
    Socket(Socket&& other) noexcept;
    Socket& operator=(Socket&& other) noexcept;
    ~Socket();

    /// By which the system knows it: a descriptor of POSIX, a SOCKET of Windows.
    std::intptr_t number() const { return number_; }
    bool is_open() const { return number_ != k_none; }

private:
    static constexpr std::intptr_t k_none = -1;

    std::intptr_t number_ = k_none;
};

/// Waits for connections on the loopback address of IPv4, which no other machine can reach; port 0 takes any free one. Not
/// open where it `failed`.
Socket listen_on_loopback(std::uint16_t port, std::error_code& failed);
/// The port of such a socket; 0 where nobody can say.
std::uint16_t port_of(const Socket& listener);
/// The next connection, without waiting; not open if there is none, or with an error if it could not be taken, as when this
/// process has no descriptor left for it.
Socket accept_connection(const Socket& listener, std::error_code& failed);

/// How many bytes came: 0 at the end, below 0 where it failed or none came within the time.
std::ptrdiff_t receive(const Socket& connection, std::span<char> room, std::chrono::milliseconds time);
/// How many bytes were sent, below 0 where it failed or none could be within the time.
std::ptrdiff_t send(const Socket& connection, std::span<const char> bytes, std::chrono::milliseconds time);
/// Sends the end of the stream, after everything that was sent before.
void end_sending(const Socket& connection);

/// What the system knows of the other side.
enum class PeerState : std::uint8_t {
    open,
    ended,  ///< it sends nothing more; whether it still receives shows once something has been sent to it
    gone    ///< it receives nothing more
};
PeerState peer_state(const Socket& connection);

/// Waits until one of the sockets has bytes, the end of its stream or a connection to take, at most for `time`. Returns for
/// each socket whether it has.
std::vector<bool> wait_for_input(std::span<const Socket* const> sockets, std::chrono::milliseconds time);

}  // namespace snapviewer
