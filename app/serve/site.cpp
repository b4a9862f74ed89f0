#include "app/serve/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/serve/answers.h"
#include "app/serve/download.h"
#include "app/serve/file_pages.h"
#include "app/serve/folder_pages.h"
#include "app/serve/request_head.h"
#include "app/serve/series_page.h"
#include "core/base/hash.h"
#include "core/base/number_text.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

/// Headers of every answer. Browsers must not send the address, which contains the token, to other sites.
const std::pair<const char*, const char*> k_headers[] = {
    {"Referrer-Policy", "no-referrer"},
    {"X-Content-Type-Options", "nosniff"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "private, no-cache"},  // cached, but validated before each use
};

/// Content security policy of the pages, which have no scripts and load nothing from other sites.
constexpr const char* k_policy =
    "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'";

std::string tag_of(const ServedPlace& file, const HttpQuestion& question) {
    const std::string all = file.version + file.path + question.target + question.accepted_encodings;
    return fmt::format("\"{:016x}\"", hash_bytes(all.data(), all.size()));
}

/// Returns an error text for parameters that several commands share, or "".
std::string why_not_asked(const RequestTarget& target) {
    const std::string device = target.parameter("device");
    if (!device.empty() && !parse_number<int>(device)) return "device: '" + device + "' is not a number";
    const std::string refresh = target.parameter("refresh");
    if (!refresh.empty() && parse_number<std::uint16_t>(refresh).value_or(0) == 0)
        return "refresh: '" + refresh + "' is not a number of seconds from 1 to 65535";
    return "";
}

}  // namespace

Site::Site(ServedFolder served, std::string token, AllowedHosts hosts, PageFiles page, ServeCommands& commands)
    : served_(std::move(served)),
      token_(std::move(token)),
      hosts_(std::move(hosts)),
      page_(std::move(page)),
      root_name_(served_.find({})->path),
      commands_(commands) {}

bool Site::admits(std::string_view head) const {
    const auto target = target_of_head(head);
    return target && parse_request_target(*target, token_);
}

std::string Site::refusal(std::string_view begun) const {
    const HttpAnswer answer = not_found();
    std::string bytes = "HTTP/1.1 404 Not Found\r\nContent-Security-Policy: " + std::string(k_policy) + "\r\n";
    for (const auto& [name, value] : k_headers) bytes += fmt::format("{}: {}\r\n", name, value);
    bytes +=
        fmt::format("Content-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", answer.type, answer.body.size());
    return begun.starts_with("HEAD ") ? bytes : bytes + answer.body;
}

HttpAnswer Site::answer(const HttpQuestion& question, const ServeCommands::IsReaderGone& is_reader_gone) const {
    const auto target = parse_request_target(question.target, token_);
    HttpAnswer answer = target ? answer_to(question, *target, is_reader_gone) : not_found();
    if (!target || !target->is_of_page) answer.headers.emplace_back("Content-Security-Policy", k_policy);
    for (const auto& [name, value] : k_headers) answer.headers.emplace_back(name, value);
    return answer;
}

HttpAnswer Site::answer_to(const HttpQuestion& question, const RequestTarget& target,
                           const ServeCommands::IsReaderGone& is_reader_gone) const {
    if (question.method != "GET" && question.method != "HEAD")
        return {.status = 405, .type = "text/plain", .headers = {{"Allow", "GET, HEAD"}}, .body = "Read only\n"};
    if (is_allowed_host(question.host)) return allowed_answer(question, target, is_reader_gone);
    return ::snapviewer::refusal(421,
                                 "This page was asked for under a name of this machine that is not known. If a proxy leads "
                                 "here, name it: snapviewer serve --host NAME",
                                 target);
}

HttpAnswer Site::allowed_answer(const HttpQuestion& question, const RequestTarget& target,
                                const ServeCommands::IsReaderGone& is_reader_gone) const {
    if (target.is_of_page) return page_.answer(question, target);
    const auto place = served_.find(target.names);
    if (!place) return not_found();
    if (!target.ends_with_slash && place->used_names == target.names.size()) {
        const std::string name = target.names.empty() ? token_ : escaped_for_link(target.names.back());
        return redirection(name + "/" + query_of(target.parameters));
    }
    if (const std::string reason = why_not_asked(target); !reason.empty()) return ::snapviewer::refusal(400, reason, target);
    if (!place->is_folder()) return file_answer(question, target, *place, is_reader_gone);
    if (target.has("fleet")) return fleet_page(served_, root_name_, *place, target, commands_, is_reader_gone);
    if (target.has("series")) return series_page(served_, root_name_, *place, target, commands_, is_reader_gone);
    return folder_page(served_, root_name_, *place, target);
}

HttpAnswer Site::file_answer(const HttpQuestion& question, const RequestTarget& target, const ServedPlace& file,
                             const ServeCommands::IsReaderGone& is_reader_gone) const {
    const std::string tag = tag_of(file, question);
    if (question.known_tag == tag) return {.status = 304, .headers = {{"ETag", tag}}};
    const FilePages pages(commands_, file, target, page_.is_there(), is_reader_gone);
    const std::size_t names_behind = target.names.size() - file.used_names;
    const std::string part = names_behind == 0 ? "" : target.names.back();
    HttpAnswer answer = not_found();
    if (names_behind == 0)
        answer = pages.page(root_name_);
    else if (names_behind == 1 && !target.ends_with_slash && part == k_picture_name)
        answer = pages.picture();
    else if (names_behind == 1 && !target.ends_with_slash && part == k_query_name)
        answer = pages.query(root_name_);
    else if (names_behind == 1 && !target.ends_with_slash && part == file.name && file.kind == ServedPlace::Kind::file)
        answer = download(file, question, tag, target);
    if (answer.status == 200) answer.headers.emplace_back("ETag", tag);
    return answer;
}

bool Site::is_allowed_host(const std::string& host) const {
    if (hosts_.any || is_loopback_host(host)) return true;
    const std::string name = lower_case(std::string_view(host).substr(0, host.find(':')));
    return std::ranges::find(hosts_.names, name) != hosts_.names.end();
}

}  // namespace snapviewer
