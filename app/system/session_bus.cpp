#include "app/system/session_bus.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

namespace snapviewer {
namespace {

constexpr auto k_first_answer_patience = std::chrono::milliseconds(60);
/// Of a message; nobody here says more.
constexpr std::size_t k_longest_message = 1 << 16;
constexpr std::size_t k_head_bytes = 16;

constexpr const char* k_portal = "org.freedesktop.portal.Desktop";
constexpr const char* k_portal_path = "/org/freedesktop/portal/desktop";
constexpr const char* k_settings = "org.freedesktop.portal.Settings";
constexpr const char* k_match =
    "type='signal',interface='org.freedesktop.portal.Settings',member='SettingChanged',arg0='org.freedesktop.appearance'";

std::size_t padded(std::size_t size, std::size_t to) { return (size + to - 1) / to * to; }

/// Writes as D-Bus does, lowest byte first.
class BusWriter {
public:
    void align(std::size_t to) { bytes_.resize(padded(bytes_.size(), to)); }
    void byte(unsigned value) { bytes_ += static_cast<char>(value); }
    void number(std::uint32_t value) {
        align(4);
        for (int shift = 0; shift < 32; shift += 8) byte(value >> shift & 0xff);
    }
    void text(std::string_view text) {
        number(static_cast<std::uint32_t>(text.size()));
        bytes_.append(text) += '\0';
    }
    void signature(std::string_view text) {
        byte(static_cast<unsigned>(text.size()));
        bytes_.append(text) += '\0';
    }
    void field(unsigned code, std::string_view type, std::string_view value) {
        align(8);
        byte(code);
        signature(type);
        type == "g" ? signature(value) : text(value);
    }
    std::string& bytes() { return bytes_; }

private:
    std::string bytes_;
};

struct BusCall {
    const char* destination;
    const char* path;
    const char* interface;
    const char* member;
    std::vector<std::string> texts;
};

std::string call_message(const BusCall& call, std::uint32_t serial) {
    BusWriter body;
    for (const std::string& text : call.texts) body.text(text);
    BusWriter fields;
    fields.field(1, "o", call.path);
    fields.field(2, "s", call.interface);
    fields.field(3, "s", call.member);
    fields.field(6, "s", call.destination);
    if (!call.texts.empty()) fields.field(8, "g", std::string(call.texts.size(), 's'));
    BusWriter message;
    for (const unsigned each : {unsigned{'l'}, 1U, 0U, 1U}) message.byte(each);  // a call, of the protocol's first version
    message.number(static_cast<std::uint32_t>(body.bytes().size()));
    message.number(serial);
    message.number(static_cast<std::uint32_t>(fields.bytes().size()));
    message.bytes() += fields.bytes();  // both begin at a multiple of eight
    message.align(8);
    return message.bytes() + body.bytes();
}

/// Reads what somebody else wrote; once it is over, everything is 0 and empty.
class BusReader {
public:
    BusReader(std::string_view bytes, std::size_t at) : bytes_(bytes), at_(at) {}

    bool is_over() const { return at_ > bytes_.size(); }
    std::size_t place() const { return at_; }
    void align(std::size_t to) { at_ = padded(at_, to); }
    unsigned byte() { return static_cast<unsigned char>(take(1).empty() ? '\0' : bytes_[at_ - 1]); }
    std::uint32_t number() {
        align(4);
        std::uint32_t value = 0;
        const std::string_view taken = take(4);
        for (std::size_t i = 0; i < taken.size(); ++i) value |= std::uint32_t{static_cast<unsigned char>(taken[i])} << 8 * i;
        return value;
    }
    std::string text() { return ended(number()); }
    std::string signature() { return ended(byte()); }

private:
    std::string_view take(std::size_t count) {
        if (is_over() || count > bytes_.size() - at_) {
            at_ = bytes_.size() + 1;
            return {};
        }
        at_ += count;
        return bytes_.substr(at_ - count, count);
    }
    std::string ended(std::size_t size) {
        const std::string text(take(size));
        take(1);
        return text;
    }

    std::string_view bytes_;
    std::size_t at_;
};

std::uint32_t number_at(const std::string& bytes, std::size_t at) { return BusReader(bytes, at).number(); }

/// The bus of the user's session: "unix:path=/run/user/1000/bus,guid=...;..."
std::optional<sockaddr_un> session_address() {
    const char* variable = std::getenv("DBUS_SESSION_BUS_ADDRESS");
    std::string_view text = variable != nullptr ? variable : "";
    text = text.substr(0, text.find(';'));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const auto value_of = [&](std::string_view key) {
        const std::size_t at = text.find(key);
        return at == std::string_view::npos ? "" : text.substr(at + key.size(), text.find(',', at) - at - key.size());
    };
    const std::string_view path = value_of("unix:path=");
    const std::string_view hidden = value_of("unix:abstract=");
    const std::string_view name = path.empty() ? hidden : path;
    if (name.empty() || name.size() + 2 > sizeof address.sun_path) return std::nullopt;
    name.copy(address.sun_path + (path.empty() ? 1 : 0), name.size());
    return address;
}

}  // namespace

bool take_bus_message(std::string& received, std::string& message) {
    if (received.size() < k_head_bytes) return false;
    const std::size_t body = number_at(received, 4);
    const std::size_t fields = number_at(received, 12);
    if (received[0] != 'l' || body > k_longest_message || fields > k_longest_message) {
        received.clear();
        return false;
    }
    const std::size_t size = padded(k_head_bytes + fields, 8) + body;
    if (received.size() < size) return false;
    message = received.substr(0, size);
    received.erase(0, size);
    return true;
}

BusMessage read_bus_message(const std::string& message) {
    BusMessage read;
    const std::size_t fields_end = k_head_bytes + number_at(message, 12);
    BusReader fields(message, k_head_bytes);
    while (fields.place() < fields_end && !fields.is_over()) {
        fields.align(8);
        const unsigned code = fields.byte();
        const std::string type = fields.signature();
        if (type == "s" || type == "o") {
            const std::string value = fields.text();
            if (code == 3) read.member = value;
        } else if (type == "u") {
            const std::uint32_t value = fields.number();
            if (code == 5) read.reply_to = value;
        } else if (type == "g") {
            (void)fields.signature();
        } else {
            return {};
        }
    }
    if (fields.is_over()) return {};
    const auto kind = static_cast<unsigned char>(message[1]);
    read.kind = kind == 2 ? BusMessage::Kind::reply : kind == 4 ? BusMessage::Kind::signal : BusMessage::Kind::other;
    if (read.kind != BusMessage::Kind::reply) return read;
    BusReader body(message, padded(fields_end, 8));
    std::string type = body.signature();
    while (type == "v") type = body.signature();
    const std::uint32_t number = type == "u" ? body.number() : 0;
    if (type == "u" && !body.is_over()) read.number = number;
    return read;
}

SettingsPortal::SettingsPortal() {
    const std::optional<sockaddr_un> address = session_address();
    if (!address) return;
    socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const std::size_t name_bytes =
        address->sun_path[0] == '\0' ? 1 + std::strlen(address->sun_path + 1) : std::strlen(address->sun_path) + 1;
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name_bytes);
    if (socket_ < 0 || ::connect(socket_, reinterpret_cast<const sockaddr*>(&*address), size) != 0 || !authenticate()) {
        close();
        return;
    }
    const char* bus = "org.freedesktop.DBus";
    send(call_message({bus, "/org/freedesktop/DBus", bus, "Hello", {}}, ++last_serial_));
    send(call_message({bus, "/org/freedesktop/DBus", bus, "AddMatch", {k_match}}, ++last_serial_));
    ask();
    const auto deadline = std::chrono::steady_clock::now() + k_first_answer_patience;
    for (auto now = deadline - k_first_answer_patience; now < deadline && asked_serial_ != 0 && socket_ >= 0;
         now = std::chrono::steady_clock::now()) {
        pollfd waited{socket_, POLLIN, 0};
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - now);
        if (::poll(&waited, 1, static_cast<int>(left.count())) <= 0) break;
        update();
    }
}

SettingsPortal::~SettingsPortal() { close(); }

void SettingsPortal::close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
}

/// By the user's number, which the bus reads from the socket itself.
bool SettingsPortal::authenticate() {
    std::string user;
    for (const char digit : std::to_string(::getuid())) user += fmt::format("{:02x}", static_cast<unsigned>(digit));
    send(std::string(1, '\0') + "AUTH EXTERNAL " + user + "\r\n");
    pollfd waited{socket_, POLLIN, 0};
    char answer[256];
    if (::poll(&waited, 1, static_cast<int>(k_first_answer_patience.count())) <= 0) return false;
    const ssize_t size = ::recv(socket_, answer, sizeof answer, MSG_DONTWAIT);
    if (size < 3 || !std::string_view(answer, static_cast<std::size_t>(size)).starts_with("OK ")) return false;
    send("BEGIN\r\n");
    return true;
}

void SettingsPortal::send(const std::string& message) {
    if (socket_ < 0) return;
    const ssize_t sent = ::send(socket_, message.data(), message.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(message.size())) close();
}

void SettingsPortal::ask() {
    asked_serial_ = ++last_serial_;
    send(call_message({k_portal, k_portal_path, k_settings, "Read", {"org.freedesktop.appearance", "color-scheme"}},
                      asked_serial_));
}

void SettingsPortal::take(const std::string& message) {
    const BusMessage read = read_bus_message(message);
    if (read.kind == BusMessage::Kind::signal && read.member == "SettingChanged") ask();
    if (read.reply_to == 0 || read.reply_to != asked_serial_) return;
    asked_serial_ = 0;
    constexpr std::uint32_t k_prefers_dark = 1;
    constexpr std::uint32_t k_prefers_light = 2;
    ground_.reset();
    if (read.number == k_prefers_dark) ground_ = Ground::dark;
    if (read.number == k_prefers_light) ground_ = Ground::light;
}

void SettingsPortal::update() {
    char bytes[4096];
    while (socket_ >= 0) {
        const ssize_t size = ::recv(socket_, bytes, sizeof bytes, MSG_DONTWAIT);
        if (size < 0 && (errno == EAGAIN || errno == EINTR)) break;
        if (size <= 0) return close();
        received_.append(bytes, static_cast<std::size_t>(size));
        for (std::string message; take_bus_message(received_, message);) take(message);
    }
}

}  // namespace snapviewer
