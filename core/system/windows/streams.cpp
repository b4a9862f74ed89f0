#include <fcntl.h>
#include <io.h>
#include <winsock2.h>
#include <ws2tcpip.h>

#include <algorithm>
#include <cstdio>

#include "core/system/streams.h"
#include "core/system/windows/calls.h"

namespace snapviewer {
namespace {

constexpr int k_waiting_connections = SOMAXCONN;

SOCKET number_of(const Socket& socket) { return static_cast<SOCKET>(socket.number()); }
std::error_code last_socket_error() { return {::WSAGetLastError(), std::system_category()}; }

bool start_sockets() {
    static const bool is_started = [] {
        WSADATA data{};
        return ::WSAStartup(MAKEWORD(2, 2), &data) == 0;
    }();
    return is_started;
}

bool wait_until_ready(const Socket& socket, short event, std::chrono::milliseconds time) {
    WSAPOLLFD waited{number_of(socket), event, 0};
    return ::WSAPoll(&waited, 1, static_cast<int>(time.count())) > 0;
}

/// Makes a socket non-blocking and not inheritable.
void prepare(const Socket& socket) {
    u_long on = 1;
    ::ioctlsocket(number_of(socket), FIONBIO, &on);
    ::SetHandleInformation(reinterpret_cast<HANDLE>(socket.number()), HANDLE_FLAG_INHERIT, 0);
}

bool is_console(DWORD stream) {
    DWORD mode = 0;
    return ::GetConsoleMode(::GetStdHandle(stream), &mode) != FALSE;
}

/// Attaches to the console of the parent process. A program with windows has no standard streams unless its parent
/// redirected them, but it can write to the console from which it was started.
void use_console_of_parent() {
    if (::GetStdHandle(STD_OUTPUT_HANDLE) != nullptr || ::AttachConsole(ATTACH_PARENT_PROCESS) == FALSE) return;
    (void)std::freopen("CONOUT$", "w", stdout);
    (void)std::freopen("CONOUT$", "w", stderr);
}

}  // namespace

void close_socket(std::intptr_t number) { ::closesocket(static_cast<SOCKET>(number)); }

Socket listen_on_loopback(std::uint16_t port, std::error_code& failed) {
    failed.clear();
    Socket socket(start_sockets() ? static_cast<std::intptr_t>(::socket(AF_INET, SOCK_STREAM, 0)) : -1);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = ::htons(port);
    address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
    const BOOL on = TRUE;
    // SO_EXCLUSIVEADDRUSE, because otherwise another program could listen on the same port at the same time.
    const bool listens = socket.is_open() &&
                         ::setsockopt(number_of(socket), SOL_SOCKET, SO_EXCLUSIVEADDRUSE, reinterpret_cast<const char*>(&on),
                                      sizeof on) == 0 &&
                         ::bind(number_of(socket), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
                         ::listen(number_of(socket), k_waiting_connections) == 0;
    if (!listens) {
        failed = last_socket_error();
        return {};
    }
    prepare(socket);
    return socket;
}

std::uint16_t port_of(const Socket& listener) {
    sockaddr_in address{};
    int size = sizeof address;
    const bool is_known = ::getsockname(number_of(listener), reinterpret_cast<sockaddr*>(&address), &size) == 0;
    return is_known ? ::ntohs(address.sin_port) : std::uint16_t{0};
}

Socket accept_connection(const Socket& listener, std::error_code& failed) {
    failed.clear();
    Socket connection(static_cast<std::intptr_t>(::accept(number_of(listener), nullptr, nullptr)));
    if (!connection.is_open() && ::WSAGetLastError() != WSAEWOULDBLOCK) failed = last_socket_error();
    if (!connection.is_open()) return connection;
    prepare(connection);
    const BOOL on = TRUE;
    ::setsockopt(number_of(connection), IPPROTO_TCP, TCP_NODELAY, reinterpret_cast<const char*>(&on), sizeof on);
    return connection;
}

std::ptrdiff_t receive(const Socket& connection, std::span<char> buffer, std::chrono::milliseconds time) {
    if (!wait_until_ready(connection, POLLRDNORM, time)) return -1;
    return ::recv(number_of(connection), buffer.data(), static_cast<int>(buffer.size()), 0);
}

std::ptrdiff_t send(const Socket& connection, std::span<const char> bytes, std::chrono::milliseconds time) {
    if (!wait_until_ready(connection, POLLWRNORM, time)) return -1;
    constexpr std::size_t k_max_at_once = 1 << 20;
    return ::send(number_of(connection), bytes.data(), static_cast<int>(std::min(bytes.size(), k_max_at_once)), 0);
}

void end_sending(const Socket& connection) { ::shutdown(number_of(connection), SD_SEND); }

PeerState peer_state(const Socket& connection) {
    char next = 0;
    const int size = ::recv(number_of(connection), &next, 1, MSG_PEEK);
    if (size == 0) return PeerState::ended;
    return size > 0 || ::WSAGetLastError() == WSAEWOULDBLOCK ? PeerState::open : PeerState::disconnected;
}

std::vector<bool> wait_for_input(std::span<const Socket* const> sockets, std::chrono::milliseconds time) {
    std::vector<WSAPOLLFD> waited;
    for (const Socket* socket : sockets) waited.push_back({number_of(*socket), POLLRDNORM, 0});
    std::vector<bool> has_input(sockets.size());
    if (::WSAPoll(waited.data(), static_cast<ULONG>(waited.size()), static_cast<int>(time.count())) <= 0) return has_input;
    for (std::size_t i = 0; i < waited.size(); ++i) has_input[i] = waited[i].revents != 0;
    return has_input;
}

void prepare_console() {
    use_console_of_parent();
    ::SetConsoleOutputCP(CP_UTF8);
    for (std::FILE* const stream : {stdin, stdout, stderr}) ::_setmode(::_fileno(stream), _O_BINARY);
}

bool is_input_terminal() { return is_console(STD_INPUT_HANDLE); }
bool is_output_terminal() { return is_console(STD_OUTPUT_HANDLE); }

std::uint64_t size_of_input_bytes() {
    LARGE_INTEGER size{};
    const HANDLE input = ::GetStdHandle(STD_INPUT_HANDLE);
    const bool is_file = ::GetFileType(input) == FILE_TYPE_DISK && ::GetFileSizeEx(input, &size) != FALSE;
    return is_file ? static_cast<std::uint64_t>(size.QuadPart) : 0;
}

std::optional<std::size_t> read_input(std::span<char> buffer, std::chrono::milliseconds time, std::error_code& failed) {
    failed.clear();
    const HANDLE input = ::GetStdHandle(STD_INPUT_HANDLE);
    if (::GetFileType(input) == FILE_TYPE_PIPE && !wait_for_pipe(input, time)) return std::nullopt;
    return read_stream(input, buffer, failed);
}

}  // namespace snapviewer
