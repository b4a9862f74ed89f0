#include "core/base/addresses.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>

#include "core/base/text.h"
#include "core/system/files.h"

namespace snapviewer {

std::string display_path(const std::string& path) { return is_standard_input(path) ? "standard input" : path; }

std::string display_name(const std::string& path) {
    return is_standard_input(path) ? display_path(path) : std::filesystem::path(path).filename().string();
}

namespace {

constexpr std::string_view k_ssh_scheme = "ssh://";
constexpr std::size_t k_max_address_bytes = 8192;

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

/// Decodes percent escapes; nullopt if one is malformed.
std::optional<std::string> unescaped(std::string_view text, bool plus_is_space = false) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%') {
            const auto code = parse_number<unsigned>(text.substr(i + 1, 2), 16);
            if (!code || i + 2 >= text.size()) return std::nullopt;
            plain += static_cast<char>(*code);
            i += 2;
        } else {
            plain += text[i] == '+' && plus_is_space ? ' ' : text[i];
        }
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
    const auto plain = unescaped(path);
    const bool is_path = plain && *plain != "/" && plain->find('\0') == plain->npos;
    if (!is_host(address.host) || !is_path) return std::nullopt;
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
    return RemoteAddress{RemoteAddress::Transport::ssh, std::string(host), "", std::string(text.substr(colon + 1)), ""};
}

bool is_web_link(std::string_view text) {
    const std::string scheme = lower_case(text.substr(0, 8));
    if (!scheme.starts_with("http://") && scheme != "https://") return false;
    return text.size() > 8 && std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

constexpr std::size_t k_max_target_names = 100;
constexpr std::size_t k_max_target_parameters = 100;
constexpr std::string_view k_page_path = ".page";

bool is_equal_in_constant_time(std::string_view text, std::string_view secret) {
    unsigned difference = text.size() == secret.size() ? 0 : 1;
    for (std::size_t i = 0; i < secret.size(); ++i) {
        const char found = i < text.size() ? text[i] : '\0';
        difference |= static_cast<unsigned>(found ^ secret[i]);
    }
    return difference == 0;
}

/// True if a served file or folder can have this name. Hidden files are never served; "." and ".." count as hidden.
bool can_be_name(std::string_view name) {
    return !name.empty() && name.front() != '.' &&
           std::ranges::none_of(name, [](char c) { return is_separator(c) || c == '\0'; });
}

/// Parses the names of a path into `target`; false if the path is malformed.
bool read_names(std::string_view path, RequestTarget& target) {
    target.ends_with_slash = path.ends_with('/');
    if (path == "/") return false;
    if (target.ends_with_slash) path.remove_suffix(1);
    while (!path.empty()) {
        const std::size_t slash = std::min(path.find('/'), path.size());
        const auto name = unescaped(path.substr(0, slash));
        if (!name || !can_be_name(*name) || target.names.size() == k_max_target_names) return false;
        target.names.push_back(*name);
        path.remove_prefix(slash);
        if (path == "/") return false;
        if (!path.empty()) path.remove_prefix(1);
    }
    return true;
}

}  // namespace

std::optional<RemoteAddress> remote_address(std::string_view path) {
    if (path.size() > k_max_address_bytes || path.find('\0') != path.npos) return std::nullopt;
    if (is_web_link(path)) return RemoteAddress{.transport = RemoteAddress::Transport::http, .link = std::string(path)};
    if (path.starts_with(k_ssh_scheme)) return ssh_link(path.substr(k_ssh_scheme.size()));
    return scp_name(path);
}

bool is_remote_folder(std::string_view path) {
    const auto address = path.ends_with('/') ? remote_address(path) : std::nullopt;
    return address && address->transport == RemoteAddress::Transport::ssh;
}

std::string path_on_same_machine(const RemoteAddress& address, std::string_view path) {
    const bool is_plain = address.port.empty() && address.host.find(':') == address.host.npos && address.host.size() > 1;
    if (is_plain) return address.host + ":" + std::string(path);
    const std::size_t user = address.host.rfind('@') + 1;  // length of "me@"; 0 if there is no user
    std::string link = std::string(k_ssh_scheme) + address.host.substr(0, user);
    const std::string machine = address.host.substr(user);
    link += machine.find(':') == machine.npos ? machine : "[" + machine + "]";
    if (!address.port.empty()) link += ":" + address.port;
    if (!path.starts_with('/')) link += path.starts_with("~/") ? "/" : "/~/";
    for (const char c : path) link += c == '%' ? "%25" : std::string(1, c);
    return link;
}

std::optional<std::map<std::string, std::string>> parse_query(std::string_view query) {
    std::map<std::string, std::string> parameters;
    while (!query.empty()) {
        const std::string_view each = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), each.size() + 1));
        const std::size_t equals = std::min(each.find('='), each.size());
        const auto name = unescaped(each.substr(0, equals), true);
        const auto value = unescaped(each.substr(std::min(equals + 1, each.size())), true);
        if (!name || !value || value->find('\0') != value->npos || parameters.size() == k_max_target_parameters)
            return std::nullopt;
        if (!name->empty()) parameters.emplace(*name, *value);
    }
    return parameters;
}

std::string RequestTarget::parameter(const std::string& name) const {
    const auto found = parameters.find(name);
    return found == parameters.end() ? "" : found->second;
}

std::optional<RequestTarget> parse_request_target(std::string_view text, std::string_view token) {
    if (!text.starts_with('/')) return std::nullopt;
    text.remove_prefix(1);
    const std::size_t token_end = std::min(text.find('/'), text.size());
    if (!is_equal_in_constant_time(text.substr(0, token_end), token)) return std::nullopt;
    RequestTarget target;
    target.ends_with_slash = token_end < text.size();
    text.remove_prefix(std::min(token_end + 1, text.size()));
    const std::size_t question = std::min(text.find('?'), text.size());
    std::string_view path = text.substr(0, question);
    if (path == k_page_path || path.starts_with(std::string(k_page_path) + '/')) {
        target.is_page_path = true;
        target.ends_with_slash = path.size() > k_page_path.size();
        path.remove_prefix(std::min(path.size(), k_page_path.size() + 1));
    }
    if (!path.empty() && !read_names(path, target)) return std::nullopt;
    if (question == text.size()) return target;
    auto parameters = parse_query(text.substr(question + 1));
    if (!parameters) return std::nullopt;
    target.parameters = *std::move(parameters);
    return target;
}

std::string escaped_for_link(std::string_view text) {
    constexpr std::string_view k_digits = "0123456789ABCDEF";
    constexpr std::string_view k_plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    std::string link;
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (k_plain.find(c) != k_plain.npos)
            link += c;
        else
            link += {'%', k_digits[code >> 4], k_digits[code & 15]};
    }
    return link;
}

std::string query_of(const std::map<std::string, std::string>& parameters) {
    std::string query;
    for (const auto& [name, value] : parameters) {
        query += query.empty() ? '?' : '&';
        query += escaped_for_link(name);
        query += '=';
        query += escaped_for_link(value);
    }
    return query;
}

bool is_loopback_host(std::string_view host) {
    const std::size_t colon = host.rfind(':');
    const bool has_port = colon != host.npos && parse_number<unsigned>(host.substr(colon + 1)).has_value() &&
                          !host.ends_with(']') && (host.find(':') == colon || host.starts_with('['));
    const std::string name = lower_case(has_port ? host.substr(0, colon) : host);
    return name == "127.0.0.1" || name == "localhost" || name == "[::1]";
}

}  // namespace snapviewer
