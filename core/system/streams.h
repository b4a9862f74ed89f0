#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

#include "core/system/files.h"

/// Standard input and output. Errors are returned as error codes.
namespace snapviewer {

/// Makes the standard streams binary and the console UTF-8. Call once, before the streams are used.
void prepare_console();

bool is_input_terminal();
bool is_output_terminal();

/// The size of standard input if it is a file, else 0.
std::uint64_t size_of_input_bytes();

/// Reads the next bytes of standard input and returns their number, which may be less than buffer.size(). 0 at its end or if
/// the call `failed`. nullopt if nothing came within `time`.
std::optional<std::size_t> read_input(std::span<char> buffer, std::chrono::milliseconds time, std::error_code& failed);

// TCP connections between programs of this machine. Errors are returned as error codes.

void close_socket(std::intptr_t number);
using Socket = OwnedHandle<close_socket>;

/// Listens on the IPv4 loopback address, which no other machine can reach. Port 0 takes any free port. The socket is closed
/// if the call `failed`.
Socket listen_on_loopback(std::uint16_t port, std::error_code& failed);
/// The port on which a socket listens; 0 if it is unknown.
std::uint16_t port_of(const Socket& listener);
/// Accepts the next connection without blocking. The socket is closed if there is none. `failed` is set if a connection
/// could not be accepted, for example because this process has no free descriptor.
Socket accept_connection(const Socket& listener, std::error_code& failed);

/// Receives bytes and returns their number. Waits at most for `time`. 0 at the end of the stream; negative after an error or
/// a timeout.
std::ptrdiff_t receive(const Socket& connection, std::span<char> buffer, std::chrono::milliseconds time);
/// Sends bytes and returns the number of bytes sent, which may be fewer. Waits at most for `time`. Negative after an error
/// or a timeout.
std::ptrdiff_t send(const Socket& connection, std::span<const char> bytes, std::chrono::milliseconds time);
/// Closes the connection for sending; the peer gets the end of the stream after all bytes sent before.
void end_sending(const Socket& connection);

/// The state of the peer of a connection.
enum class PeerState : std::uint8_t {
    open,
    ended,        ///< the peer sends nothing more; whether it still receives is known only after something was sent to it
    disconnected  ///< the connection is broken, and the peer receives nothing more
};
PeerState peer_state(const Socket& connection);

/// Waits until one of the sockets has bytes, the end of its stream or a connection to accept, but at most for `time`.
/// Returns for each socket whether it has one of these.
std::vector<bool> wait_for_input(std::span<const Socket* const> sockets, std::chrono::milliseconds time);

}  // namespace snapviewer
