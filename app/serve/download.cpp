#include "app/serve/download.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/serve/answers.h"
#include "core/base/input_files.h"
#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/export/packed_snapshot.h"

namespace snapviewer {
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
    const auto packer = std::make_shared<ZstdPacker>(k_wire_level, 0);
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

}  // namespace

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

}  // namespace snapviewer
