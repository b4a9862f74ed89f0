#include "app/serve/page_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/serve/answers.h"
#include "app/serve/served_folder.h"
#include "app/system/folders.h"
#include "core/base/hash.h"
#include "core/base/input_files.h"
#include "core/base/text.h"
#include "core/exports/export.h"

namespace snapviewer::serve {
namespace {

struct PageFile {
    std::string_view name;
    const char* type;
};
constexpr std::array k_page_files = {
    PageFile{"index.html", "text/html; charset=utf-8"},
    PageFile{"page.js", "text/javascript; charset=utf-8"},
    PageFile{"snapviewer.js", "text/javascript; charset=utf-8"},
    PageFile{"service_worker.js", "text/javascript; charset=utf-8"},
    PageFile{"snapviewer.wasm", "application/wasm"},
    PageFile{"snapviewer64.js", "text/javascript; charset=utf-8"},
    PageFile{"snapviewer64.wasm", "application/wasm"},
    PageFile{"snapviewer.svg", "image/svg+xml"},
    PageFile{"alone.js", "text/javascript; charset=utf-8"},
    PageFile{"alone.wasm", "application/wasm"},
    PageFile{"sample.pickle", "application/octet-stream"},
};

/// Headers of the web program's pages. The policy equals that of app/web/index.html; the program's threads need it as a
/// header too.
const std::pair<const char*, const char*> k_page_headers[] = {
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Embedder-Policy", "require-corp"},
    {"Content-Security-Policy",
     "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' blob:; style-src 'self' "
     "'unsafe-inline'; worker-src 'self' blob:; form-action 'none'; base-uri 'none'"},
};

bool holds_page(const std::filesystem::path& folder) {
    std::error_code ignored;
    return !folder.empty() && std::filesystem::exists(folder / "page.js", ignored);
}

}  // namespace

Result<PageFiles> PageFiles::open(const std::string& folder) {
    PageFiles page;
    const std::filesystem::path path = folder.empty() ? installed_file("page") : std::filesystem::path(folder);
    if (holds_page(path))
        page.folder_ = path.string();
    else if (!folder.empty())
        return Error{ErrorCode::environment, "holds no page: scripts/web.sh makes one"};
    return page;
}

HttpAnswer PageFiles::answer(const HttpQuestion& question, const RequestTarget& target) const {
    if (folder_.empty() || target.names.size() > 1) return not_found();
    if (target.names.empty() && !target.ends_with_slash) return redirection(".page/" + query_of(target.parameters));
    const std::string name = target.names.empty() ? "index.html" : target.names.front();
    const auto file = std::ranges::find(k_page_files, std::string_view(name), &PageFile::name);
    if (file == k_page_files.end() || (!target.names.empty() && target.ends_with_slash)) return not_found();
    const std::string path = (std::filesystem::path(folder_) / name).string();
    const std::string all = version_text(path) + question.accepted_encodings;
    const std::string tag = fmt::format("\"{:016x}\"", hash_bytes(all.data(), all.size()));
    RequestTarget as_it_is = target;
    as_it_is.parameters.clear();  // only the script of the page uses the parameters
    HttpAnswer answer = question.known_tag == tag ? HttpAnswer{.status = 304} : bytes_of(path, question, tag, as_it_is);
    if (answer.status < 400) answer.headers.emplace_back("ETag", tag);
    answer.type = answer.status == 200 || answer.status == 206 ? file->type : answer.type;
    for (const auto& [header, value] : k_page_headers) answer.headers.emplace_back(header, value);
    return answer;
}

namespace {

constexpr std::size_t k_sent_at_once_bytes = 256 << 10;
constexpr int k_wire_level = 3;  // a level that compresses faster than a network transfers

struct Part {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// Reads a part of a file piece by piece.
class Reading {
public:
    Reading(PlainFile file, Part part) : file_(std::move(file)), left_(part) {}

    /// Returns the next piece; empty at the end, nullopt if the file has become shorter.
    std::optional<std::string> next() {
        std::string piece(std::min<std::uint64_t>(k_sent_at_once_bytes, left_.end - left_.begin), '\0');
        if (!piece.empty() && !file_.read(std::as_writable_bytes(std::span(piece)), left_.begin)) return std::nullopt;
        left_.begin += piece.size();
        return piece;
    }
    bool is_at_end() const { return left_.begin == left_.end; }

private:
    PlainFile file_;
    Part left_;
};

/// Converts a requested range to a part of the file; nullopt if the file has no bytes in it. `first` is -1 for the last
/// `last` bytes, `last` is -1 for the rest of the file.
std::optional<Part> part_of(std::pair<std::int64_t, std::int64_t> range, std::uint64_t size_bytes) {
    const auto [first, last] = range;
    const auto size = static_cast<std::int64_t>(size_bytes);
    const std::int64_t begin = first >= 0 ? first : size - std::min(std::max<std::int64_t>(last, 0), size);
    const std::int64_t end = first >= 0 && last >= 0 ? std::min(last, size - 1) + 1 : size;
    if (begin >= end) return std::nullopt;
    return Part{static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end)};
}

void send_packed(HttpAnswer& answer, PlainFile file) {
    const std::uint64_t size_bytes = file.info().size_bytes;
    const auto reading = std::make_shared<Reading>(std::move(file), Part{0, size_bytes});
    const auto packer = std::make_shared<exports::ZstdPacker>(k_wire_level, 0);
    const auto has_ended = std::make_shared<bool>(false);
    answer.next_piece = [=]() -> std::optional<std::string> {
        std::string packed;
        const auto output = [&](std::string_view more) {
            packed += more;
            return true;
        };
        while (packed.empty() && !*has_ended) {
            const auto piece = reading->next();
            *has_ended = reading->is_at_end();
            if (!piece || !packer->take(*piece, size_bytes, output)) return std::nullopt;
            if (*has_ended && !packer->end(output)) return std::nullopt;
        }
        return packed;
    };
}

void send_part(HttpAnswer& answer, PlainFile file, Part part) {
    if (part.begin == part.end) return;
    const auto reading = std::make_shared<Reading>(std::move(file), part);
    answer.size_bytes = part.end - part.begin;
    answer.next_piece = [=] { return reading->next(); };
}

/// Returns the weight (q) of an element of Accept-Encoding, such as "zstd;q=0.5"; 0 if it is malformed.
double weight_of(std::string_view element) {
    const std::size_t semicolon = element.find(';');
    if (semicolon == element.npos) return 1;
    const std::string_view weight = trimmed(element.substr(semicolon + 1));
    if (!weight.starts_with("q=") && !weight.starts_with("Q=")) return 0;
    return parse_number<double>(weight.substr(2)).value_or(0);
}

/// Returns whether an Accept-Encoding header names zstd with a weight (q) above 0 that is not below that of "identity".
bool takes_zstd(std::string_view accepted_encodings) {
    double zstd = 0, as_it_is = 0;
    while (!accepted_encodings.empty()) {
        const std::string_view element = accepted_encodings.substr(0, accepted_encodings.find(','));
        accepted_encodings.remove_prefix(std::min(accepted_encodings.size(), element.size() + 1));
        const std::string name = lower_case(trimmed(element.substr(0, element.find(';'))));
        if (name == "zstd") zstd = weight_of(element);
        if (name == "identity") as_it_is = weight_of(element);
    }
    return zstd > 0 && zstd >= as_it_is;
}

}  // namespace

HttpAnswer bytes_of(const std::string& path, const HttpQuestion& question, const std::string& tag,
                    const RequestTarget& target) {
    Result<PlainFile> opened = PlainFile::open(path, PlainFile::Links::refuse);
    if (!opened) return refusal(422, opened.error().text(), target);
    const std::uint64_t size_bytes = opened->info().size_bytes;
    HttpAnswer answer{.type = "application/octet-stream", .headers = {{"Vary", "Accept-Encoding"}}};
    if (target.has("zstd")) {
        answer.type = "application/zstd";
        send_packed(answer, *std::move(opened));
        return answer;
    }
    const bool is_same = question.range_only_of.empty() || question.range_only_of == tag;
    const auto range = is_same ? question.range : std::nullopt;
    if (!range && takes_zstd(question.accepted_encodings)) {
        answer.headers.emplace_back("Content-Encoding", "zstd");
        send_packed(answer, *std::move(opened));
        return answer;
    }
    answer.headers.emplace_back("Accept-Ranges", "bytes");
    const auto part = range ? part_of(*range, size_bytes) : Part{0, size_bytes};
    if (!part) {
        answer.status = 416;
        answer.headers.emplace_back("Content-Range", fmt::format("bytes */{}", size_bytes));
        return answer;
    }
    if (range) {
        answer.status = 206;
        answer.headers.emplace_back("Content-Range", fmt::format("bytes {}-{}/{}", part->begin, part->end - 1, size_bytes));
    }
    send_part(answer, *std::move(opened), *part);
    return answer;
}

HttpAnswer download(const ServedPlace& file, const HttpQuestion& question, const std::string& tag,
                    const RequestTarget& target) {
    HttpAnswer answer = bytes_of(file.path, question, tag, target);
    const std::string name = escaped_for_link(file.name + (target.has("zstd") ? ".zst" : ""));
    if (answer.status < 400) answer.headers.emplace_back("Content-Disposition", "attachment; filename*=UTF-8''" + name);
    return answer;
}

}  // namespace snapviewer::serve
