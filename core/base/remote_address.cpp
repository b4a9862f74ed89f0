#include "core/base/remote_address.h"

#include <algorithm>
#include <filesystem>

#include "core/base/number_text.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

constexpr std::string_view k_ssh_scheme = "ssh://";
constexpr std::size_t k_longest_address = 8192;

/// True if `name` has only letters, digits and the characters of `also`, and does not begin with a dash, so that ssh cannot
/// take it for an option, a pattern or a command.
bool is_name(std::string_view name, std::string_view also) {
    return !name.empty() && name.front() != '-' &&
           std::ranges::all_of(name, [&](char c) { return is_letter(c) || is_digit(c) || also.find(c) != also.npos; });
}

/// True for "node7", "me@node7", "me@fe80::1" (an IPv6 address without its brackets).
bool is_host(std::string_view text) {
    const std::size_t at = text.rfind('@');
    if (at != text.npos && !is_name(text.substr(0, at), "._+-")) return false;
    return is_name(at == text.npos ? text : text.substr(at + 1), "._-:");
}

bool is_port(std::string_view text) {
    const auto number = parse_number<std::uint16_t>(text);
    return number && *number > 0;
}

/// Decodes percent escapes. nullopt if an escape is malformed or stands for NUL.
std::optional<std::string> without_escapes(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            plain += text[i];
            continue;
        }
        const auto digit = [&](std::size_t at) {
            const std::size_t value =
                at < text.size() ? std::string_view("0123456789abcdef").find(lower_case(text.substr(at, 1))) : text.npos;
            return value;
        };
        const std::size_t high = digit(i + 1);
        const std::size_t low = digit(i + 2);
        if (high == text.npos || low == text.npos || high + low == 0) return std::nullopt;
        plain += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return plain;
}

/// Parses the part of an ssh:// URL after the scheme: "me@node7:2222/runs/a.pickle".
std::optional<RemoteAddress> ssh_link(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == text.npos) return std::nullopt;
    std::string_view host = text.substr(0, slash);
    RemoteAddress address;
    const std::size_t colon = host.rfind(':');
    if (colon != host.npos && host.find(']', colon) == host.npos) {
        address.port = host.substr(colon + 1);
        if (!is_port(address.port)) return std::nullopt;
        host = host.substr(0, colon);
    }
    address.host = host;
    std::erase_if(address.host, [](char c) { return c == '[' || c == ']'; });
    std::string_view path = text.substr(slash);
    if (path.starts_with("/~/")) path.remove_prefix(1);
    const auto plain = without_escapes(path);
    if (!is_host(address.host) || !plain || *plain == "/") return std::nullopt;
    address.path = *plain;
    return address;
}

/// Parses an address in the form of scp: "me@node7:/runs/a.pickle".
std::optional<RemoteAddress> scp_name(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == text.npos || colon + 1 == text.size() || colon < 2 || text.find('/') < colon) return std::nullopt;
    const std::string_view host = text.substr(0, colon);
    const bool is_link = text.substr(colon + 1).starts_with("//");
    if (is_link || !is_host(host)) return std::nullopt;
    std::error_code failed;
    if (std::filesystem::exists(std::filesystem::path(text), failed)) return std::nullopt;
    return RemoteAddress{RemoteAddress::Way::ssh, std::string(host), "", std::string(text.substr(colon + 1)), ""};
}

bool is_web_link(std::string_view text) {
    const std::string scheme = lower_case(text.substr(0, 8));
    if (!scheme.starts_with("http://") && scheme != "https://") return false;
    return text.size() > 8 && std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

}  // namespace

std::optional<RemoteAddress> remote_address(std::string_view path) {
    if (path.size() > k_longest_address || path.find('\0') != path.npos) return std::nullopt;
    if (is_web_link(path)) return RemoteAddress{.way = RemoteAddress::Way::http, .link = std::string(path)};
    if (path.starts_with(k_ssh_scheme)) return ssh_link(path.substr(k_ssh_scheme.size()));
    return scp_name(path);
}

bool is_remote_folder(std::string_view path) {
    const auto address = path.ends_with('/') ? remote_address(path) : std::nullopt;
    return address && address->way == RemoteAddress::Way::ssh;
}

std::string path_beside(const RemoteAddress& address, std::string_view path) {
    const bool is_plain = address.port.empty() && address.host.find(':') == address.host.npos && address.host.size() > 1;
    if (is_plain) return address.host + ":" + std::string(path);
    const std::size_t user = address.host.rfind('@') + 1;  // 0 if the address has no user
    std::string link = std::string(k_ssh_scheme) + address.host.substr(0, user);
    const std::string machine = address.host.substr(user);
    link += machine.find(':') == machine.npos ? machine : "[" + machine + "]";
    if (!address.port.empty()) link += ":" + address.port;
    if (!path.starts_with('/')) link += path.starts_with("~/") ? "/" : "/~/";
    for (const char c : path) link += c == '%' ? "%25" : std::string(1, c);
    return link;
}

}  // namespace snapviewer
