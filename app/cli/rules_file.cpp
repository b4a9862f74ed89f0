#include "app/cli/rules_file.h"

#include "core/base/input_files.h"

namespace snapviewer {
namespace {

constexpr std::uint64_t k_largest_rules_bytes = 1 << 20;

}  // namespace

Result<KindRules> read_rules_file(const std::string& path) {
    if (path.empty()) return KindRules();
    const Result<std::string> text = read_plain_file(path, k_largest_rules_bytes);
    if (!text) return text.error();
    return KindRules::parse(*text);
}

}  // namespace snapviewer
