#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "core/system/posix/files.h"
#include "core/system/streams.h"

namespace snapviewer {

void prepare_console() {}  // no-op: standard streams are always binary on POSIX

bool is_input_terminal() { return ::isatty(STDIN_FILENO) != 0; }
bool is_output_terminal() { return ::isatty(STDOUT_FILENO) != 0; }

std::uint64_t size_of_input_bytes() {
    struct stat info {};
    const bool is_file = ::fstat(STDIN_FILENO, &info) == 0 && S_ISREG(info.st_mode);
    return is_file ? static_cast<std::uint64_t>(info.st_size) : 0;
}

std::optional<std::size_t> read_input(std::span<char> buffer, std::chrono::milliseconds time, std::error_code& failed) {
    failed.clear();
    pollfd waited{STDIN_FILENO, POLLIN, 0};
    if (::poll(&waited, 1, static_cast<int>(time.count())) == 0) return std::nullopt;
    const ssize_t size = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (size >= 0) return static_cast<std::size_t>(size);
    if (errno == EINTR || errno == EAGAIN) return std::nullopt;
    failed = last_error();
    return 0;
}

namespace {

constexpr int k_waiting_connections = 4096;  // upper limit of pending connections; the system may lower it

int descriptor_of(const Socket& socket) { return static_cast<int>(socket.number()); }

bool wait_until_ready(const Socket& socket, short event, std::chrono::milliseconds time) {
    pollfd waited{descriptor_of(socket), event, 0};
    return ::poll(&waited, 1, static_cast<int>(time.count())) > 0;
}

bool set_option(const Socket& socket, int level, int option) {
    const int on = 1;
    return ::setsockopt(descriptor_of(socket), level, option, &on, sizeof on) == 0;
}

}  // namespace

void close_socket(std::intptr_t number) { ::close(static_cast<int>(number)); }

Socket listen_on_loopback(std::uint16_t port, std::error_code& failed) {
    failed.clear();
    Socket socket(open_tcp_socket());
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    // SO_REUSEADDR, so that a port can be used again right after its last listener closed.
    const bool listens = socket.is_open() && set_option(socket, SOL_SOCKET, SO_REUSEADDR) &&
                         ::bind(descriptor_of(socket), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
                         ::listen(descriptor_of(socket), k_waiting_connections) == 0;
    if (listens) return socket;
    failed = last_error();
    return {};
}

std::uint16_t port_of(const Socket& listener) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    const bool is_known = ::getsockname(descriptor_of(listener), reinterpret_cast<sockaddr*>(&address), &size) == 0;
    return is_known ? ntohs(address.sin_port) : std::uint16_t{0};
}

Socket accept_connection(const Socket& listener, std::error_code& failed) {
    failed.clear();
    Socket connection(accept_tcp_socket(descriptor_of(listener)));
    if (!connection.is_open() && errno != EAGAIN && errno != EWOULDBLOCK) failed = last_error();
    if (connection.is_open()) set_option(connection, IPPROTO_TCP, TCP_NODELAY);
    return connection;
}

std::ptrdiff_t receive(const Socket& connection, std::span<char> buffer, std::chrono::milliseconds time) {
    if (!wait_until_ready(connection, POLLIN, time)) return -1;
    return ::recv(descriptor_of(connection), buffer.data(), buffer.size(), 0);
}

std::ptrdiff_t send(const Socket& connection, std::span<const char> bytes, std::chrono::milliseconds time) {
    if (!wait_until_ready(connection, POLLOUT, time)) return -1;
    return ::send(descriptor_of(connection), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

void end_sending(const Socket& connection) { ::shutdown(descriptor_of(connection), SHUT_WR); }

PeerState peer_state(const Socket& connection) {
    pollfd asked{descriptor_of(connection), POLLIN, 0};
    if (::poll(&asked, 1, 0) <= 0) return PeerState::open;
    if ((asked.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) return PeerState::disconnected;
    char next = 0;
    const ssize_t size = ::recv(descriptor_of(connection), &next, 1, MSG_PEEK | MSG_DONTWAIT);
    return size == 0 ? PeerState::ended : PeerState::open;
}

std::vector<bool> wait_for_input(std::span<const Socket* const> sockets, std::chrono::milliseconds time) {
    std::vector<pollfd> waited;
    for (const Socket* socket : sockets) waited.push_back({descriptor_of(*socket), POLLIN, 0});
    std::vector<bool> has_input(sockets.size());
    if (::poll(waited.data(), waited.size(), static_cast<int>(time.count())) <= 0) return has_input;
    for (std::size_t i = 0; i < waited.size(); ++i) has_input[i] = waited[i].revents != 0;
    return has_input;
}

}  // namespace snapviewer
