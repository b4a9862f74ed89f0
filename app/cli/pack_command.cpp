#include "app/cli/pack_command.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "app/cli/arguments.h"
#include "app/cli/session.h"
#include "core/base/addresses.h"
#include "core/base/number_text.h"
#include "core/base/output_file.h"
#include "core/base/text.h"
#include "core/export/packed_snapshot.h"
#include "core/system/files.h"

namespace snapviewer {
namespace {

constexpr std::string_view k_packed_ending = ".zst";

struct PackOptions {
    std::string file;
    std::string out;
    std::string level;
};

std::string is_packed_path(const std::string& path) {
    return path.ends_with(k_packed_ending) ? "" : "'" + path + "' does not end in .zst";
}

std::string is_pack_level(const std::string& text) {
    const auto level = parse_number<int>(text);
    if (level && *level >= k_least_pack_level && *level <= k_most_pack_level) return "";
    return fmt::format("'{}' is not a level from {} to {}", text, k_least_pack_level, k_most_pack_level);
}

/// Returns the default output path: "run.pickle.gz" becomes "run.pickle.zst".
std::string packed_name(std::string_view path) {
    for (const std::string_view ending : {".gz", ".bz2", ".xz", ".lzma", ".zst"}) {
        if (path.ends_with(ending)) path.remove_suffix(ending.size());
    }
    return std::string(path).append(k_packed_ending);
}

/// Returns the reason why the output must not be written, else "".
std::string why_not_written(const PackOptions& options, const std::string& out) {
    if (are_same_file(options.file, out))
        return "is the file to pack, so it cannot be the output; name another one with --out";
    std::error_code ignored;
    if (options.out.empty() && std::filesystem::exists(out, ignored))
        return fmt::format("already exists; --out {} replaces it", out);
    return "";
}

std::string packed_text(const PackOptions& options, const std::string& out, const PackedSnapshot& packed) {
    const double times = static_cast<double>(packed.content_bytes) / static_cast<double>(packed.packed_bytes);
    const std::string first =
        packed.unpacked_from.empty() ? "" : fmt::format(", unpacked from {} first", packed.unpacked_from);
    return fmt::format("{}: {}, {:.1f} times smaller than the {} of {}{}\n", out, format_bytes(packed.packed_bytes), times,
                       format_bytes(packed.content_bytes), shown_path(options.file), first);
}

int run_pack(const PackOptions& options) {
    const std::string out = options.out.empty() ? packed_name(options.file) : options.out;
    Session session(options.file, {.outputs = {out}});
    if (options.out.empty() && (is_standard_input(options.file) || is_remote(options.file))) {
        session.report({ErrorCode::io, "is no file on this machine to write beside; name one with --out"});
        return k_wrong_usage;
    }
    if (const std::string reason = why_not_written(options, out); !reason.empty()) {
        session.report({ErrorCode::io, reason}, out);
        return k_wrong_usage;
    }
    Result<OutputFile> file = OutputFile::create(out);
    if (!file) return session.report(file.error(), out);
    const int level = parse_number<int>(options.level).value_or(k_usual_pack_level);
    const Result<PackedSnapshot> packed = pack_snapshot(options.file, *file, level, session.progress());
    if (!packed && !file->has_failed()) return session.report(packed.error());
    if (const Status placed = file->put_in_place(); !placed) return session.report(placed.error(), out);
    return session.print(packed_text(options, out, *packed));
}

}  // namespace

void add_pack_command(CommandLine& line) {
    const auto options = std::make_shared<PackOptions>();
    line.command("pack", "Compress a snapshot many times smaller with Zstandard; zstd -d gives the same bytes again",
                 [options] { return run_pack(*options); })
        .value("FILE", options->file, "The snapshot; if it is compressed in another way, it is decompressed first",
               {.required = true, .is_file = true})
        .value("--out", options->out, "What to write; FILE.zst by default", {.type_name = "X.zst", .check = is_packed_path})
        .value("--level", options->level, "From 1, the fastest, to 19, the smallest; 9 by default",
               {.type_name = "N", .check = is_pack_level});
}

}  // namespace snapviewer
