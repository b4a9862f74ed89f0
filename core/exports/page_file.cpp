#include "core/exports/page_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <new>
#include <optional>

#include "core/base/addresses.h"
#include "core/base/input_files.h"
#include "core/exports/packed_snapshot.h"
#include "core/load/containers.h"

namespace snapviewer {
namespace {

constexpr std::string_view k_base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes whole groups of three bytes as four digits each.
std::string digits_of(std::string_view bytes) {
    std::string text;
    text.reserve(bytes.size() / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t bits = 0;
        for (const char byte : bytes.substr(i, 3)) bits = bits << 8 | static_cast<unsigned char>(byte);
        for (const unsigned shift : {18U, 12U, 6U, 0U}) text += k_base64_digits[bits >> shift & 63];
    }
    return text;
}

}  // namespace

bool Base64Writer::write(std::string_view bytes) {
    rest_ += bytes;
    const std::size_t whole = rest_.size() / 3 * 3;
    const std::string text = digits_of(std::string_view(rest_).substr(0, whole));
    rest_.erase(0, whole);
    return output_(text);
}

bool Base64Writer::end() {
    const std::size_t missing = rest_.empty() ? 0 : 3 - rest_.size();
    std::string text = digits_of(rest_ + std::string(missing, '\0'));
    return output_(text.replace(text.size() - missing, missing, missing, '='));
}

namespace {

constexpr std::uint64_t k_max_part_bytes = std::uint64_t{64} << 20;
/// Bytes of a snapshot that are compressed before the size of the whole page is estimated.
constexpr std::uint64_t k_judged_bytes = std::uint64_t{8} << 20;
constexpr const char* k_page_of_another_version = "holds a page of another version than this program";

/// Content security policy: the browser only runs and draws what the file itself contains.
constexpr std::string_view k_content_security_policy =
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; form-action 'none'; "
    "base-uri 'none'";

/// The page of app/web in three parts: before its content security policy, between the policy and the script, and after the
/// script.
struct PageText {
    std::string begin, middle, end;
};

std::optional<PageText> split_page(std::string text) {
    constexpr std::string_view k_icon = "<link rel=\"icon\" href=\"snapviewer.svg\">\n";
    constexpr std::string_view k_policy = "Content-Security-Policy\" content=\"";
    constexpr std::string_view k_script = "<script src=\"page.js\"></script>";
    if (const std::size_t icon = text.find(k_icon); icon != text.npos) text.erase(icon, k_icon.size());
    const std::size_t policy = text.find(k_policy);
    const std::size_t script = text.find(k_script);
    if (policy == text.npos || script == text.npos) return std::nullopt;
    const std::size_t policy_begin = policy + k_policy.size();
    const std::size_t policy_end = text.find('"', policy_begin);
    if (policy_end > script) return std::nullopt;
    return PageText{text.substr(0, policy_begin), text.substr(policy_end, script - policy_end),
                    text.substr(script + k_script.size())};
}

/// Escapes a text for use as a quoted attribute value.
std::string attribute_text(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '&' || c == '"' || c == '<' || c == '>')
            escaped += fmt::format("&#{};", static_cast<int>(c));
        else
            escaped += c;
    }
    return escaped;
}

/// Compresses bytes with gzip in one call. Only for small inputs.
std::string gzip(std::string_view bytes) {
    constexpr int k_gzip_window_bits = 15 + 16;
    constexpr int k_max_memory = 9;
    z_stream stream{};
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, k_gzip_window_bits, k_max_memory, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::bad_alloc();
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib only reads it
    stream.avail_in = static_cast<uInt>(bytes.size());
    std::string packed;
    int status = Z_OK;
    while (status == Z_OK) {
        std::array<char, 64 << 10> buffer;
        stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
        stream.avail_out = static_cast<uInt>(buffer.size());
        status = deflate(&stream, Z_FINISH);
        packed.append(buffer.data(), buffer.size() - stream.avail_out);
    }
    deflateEnd(&stream);
    return packed;
}

/// Writes the parts of the page, one after another.
class PageWriter {
public:
    explicit PageWriter(OutputFile& out) : out_(out) {}

    bool write(std::string_view text) {
        written_bytes_ += text.size();
        return out_.write(text);
    }

    /// Embeds base64 data, written by `fill`, in an element that app/web/page.js finds by its id.
    bool embed(std::string_view what, const std::string& attributes, std::string_view before, std::string_view behind,
               const std::function<bool(Base64Writer&)>& fill) {
        write(fmt::format("<script id=\"embedded-{}\" type=\"text/plain\"{}>{}", what, attributes, before));
        Base64Writer base64([this](std::string_view text) { return write(text); });
        return fill(base64) && base64.end() && write(behind) && write("</script>\n");
    }

    std::uint64_t written_bytes() const { return written_bytes_; }

private:
    OutputFile& out_;
    std::uint64_t written_bytes_ = 0;
};

/// Embeds the snapshot in JSON as torch.cuda._memory_viz does, so that programs that open its pages can open this one. For a
/// large snapshot, calls `report_size` once with the expected size of the snapshot in the page and with the size of its
/// content.
void embed_snapshot(PageWriter& page, const std::string& snapshot, const std::string& place, int level, Progress& progress,
                    WrittenPage& written, const std::function<void(double, std::uint64_t)>& report_size) {
    ZstdPacker packer(level, 0);
    bool is_reported = false;
    const std::string attributes =
        fmt::format(" data-name=\"{}\" data-place=\"{}\"", attribute_text(display_name(snapshot)), attribute_text(place));
    const std::uint64_t before = page.written_bytes();
    page.embed("file", attributes, "{\"base64\": \"", "\"}", [&](Base64Writer& base64) {
        const auto write = [&](std::string_view packed) { return base64.write(packed); };
        const auto pack = [&](std::string_view piece, std::optional<std::uint64_t> size_bytes) {
            const Status taken = packer.take(piece, size_bytes, write);
            if (!is_reported && size_bytes.value_or(0) >= 2 * k_judged_bytes && packer.taken_bytes() >= k_judged_bytes) {
                const double share = static_cast<double>(packer.taken_bytes()) / static_cast<double>(*size_bytes);
                report_size(static_cast<double>(page.written_bytes() - before) / share, *size_bytes);
                is_reported = true;
            }
            return taken;
        };
        value_or_throw(read_snapshot_bytes(snapshot, progress, pack));
        throw_if_error(packer.end(write));
        return true;
    });
    written.content_bytes = packer.taken_bytes();
    written.snapshot_bytes = page.written_bytes() - before;
}

}  // namespace

Result<WrittenPage> write_page_file(const std::string& snapshot, const std::string& page, const std::string& place,
                                    int level, OutputFile& out, Progress& progress,
                                    const std::function<void(const WrittenPage&)>& expect) {
    std::array<std::string, 4> parts;
    constexpr std::array k_names = {"index.html", "page.js", "alone.js", "alone.wasm"};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        Result<std::string> part = read_plain_file(page + "/" + k_names[i], k_max_part_bytes);
        if (!part) return Error{ErrorCode::environment, fmt::format("the page's {} {}", k_names[i], part.error().text())};
        parts[i] = *std::move(part);
    }
    auto& [index, script, program_script, program] = parts;
    const std::optional<PageText> text = split_page(std::move(index));
    if (!text || script.find("</script") != script.npos) return Error{ErrorCode::environment, k_page_of_another_version};

    return caught([&] {
        const std::string packed_program = gzip(program);
        const auto report_size = [&](double snapshot_bytes, std::uint64_t content_bytes) {
            const std::uint64_t in_base64 = (program_script.size() + packed_program.size()) / 3 * 4;
            expect({script.size() + in_base64, static_cast<std::uint64_t>(snapshot_bytes), content_bytes});
        };
        WrittenPage written;
        PageWriter writer(out);
        writer.write(text->begin + std::string(k_content_security_policy) + text->middle);
        embed_snapshot(writer, snapshot, place, level, progress, written, report_size);
        writer.embed("script", "", "", "", [&](Base64Writer& base64) { return base64.write(program_script); });
        writer.embed("program", "", "", "", [&](Base64Writer& base64) { return base64.write(packed_program); });
        writer.write("<script>\n" + script + "</script>" + text->end);
        written.program_bytes = writer.written_bytes() - written.snapshot_bytes;
        return written;
    });
}

}  // namespace snapviewer
