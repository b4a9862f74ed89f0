#include "app/cli/rules_file.h"

#include "core/base/plain_file.h"

namespace snapviewer {
namespace {

constexpr std::uint64_t k_largest_rules_bytes = 1 << 20;

}  // namespace

Result<KindRules> read_rules_file(const std::string& path) {
    if (path.empty()) return KindRules();
    const auto file = PlainFile::open(path, PlainFile::Links::follow);
    if (!file) return file.error();
    if (file->info().size_bytes > k_largest_rules_bytes) {
        return Error{ErrorCode::bad_file, "is larger than any list of rules, 1 MiB", {}, {}};
    }
    std::string text(file->info().size_bytes, '\0');
    if (!file->read(std::as_writable_bytes(std::span(text)), 0)) return Error{ErrorCode::io, "could not be read", {}, {}};
    return KindRules::parse(text);
}

}  // namespace snapviewer
