// Parses the address of a request to `snapviewer serve`. Requires that no name leads out of the served folder, and that the
// parsed request can be written as a link.
#include "core/base/addresses.h"

#include <algorithm>
#include <array>

#include "tests/fuzz/fuzzing.h"

namespace snapviewer::fuzz {
namespace {

constexpr std::string_view k_token = "t0k3n";

bool is_harmless(const std::string& name) {
    return !name.empty() && name.front() != '.' && name.find('/') == name.npos && name.find('\0') == name.npos;
}

std::string link_of(const RequestTarget& target) {
    std::string link = "/" + std::string(k_token) + (target.is_page_path ? "/.page" : "");
    for (const std::string& name : target.names) link += "/" + escaped_for_link(name);
    return link + (target.ends_with_slash ? "/" : "") + query_of(target.parameters);
}

void look_at(std::string_view text) {
    const auto target = parse_request_target(text, k_token);
    if (!target) return;
    require(std::ranges::all_of(target->names, is_harmless), "no name leads elsewhere");
    require(!target->parameters.contains(""), "every parameter has a name");
    const auto again = parse_request_target(link_of(*target), k_token);
    require(again.has_value(), "a link to what was understood is understood");
    require(again->names == target->names && again->parameters == target->parameters &&
                again->ends_with_slash == target->ends_with_slash && again->is_page_path == target->is_page_path,
            "it leads to the same");
}

std::vector<std::string> split_target(std::string_view text) {
    constexpr std::string_view k_signs = "/?&=%+.#:";
    std::vector<std::string> words;
    while (!text.empty()) {
        const std::size_t size = std::max<std::size_t>(std::min(text.find_first_of(k_signs), text.size()), 1);
        words.emplace_back(text.substr(0, size));
        text.remove_prefix(size);
    }
    return words;
}

std::string make_word(Random& random) {
    constexpr std::array k_words = {
        "/",      "//",   "..",        ".",  "%2e",   "%2F", "%5c",        "%00",         "%",     "%%",   "%zz",
        "%c0%ae", "+",    "?",         "&",  "=",     "#",   ":",          "a.pickle",    "?json", "sql=", "device=0",
        "view=",  "&csv", "zstd&zstd", "\\", "t0k3n", "~",   "runs/a%20b", "picture.png", "query", "\xff", "\n"};
    return k_words[below(random, k_words.size())];
}

}  // namespace
}  // namespace snapviewer::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace snapviewer::fuzz;
    const std::string_view text = as_text(data, size);
    look_at(text);
    look_at("/t0k3n/" + std::string(text));
    (void)snapviewer::is_loopback_host(text);
    return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
    using namespace snapviewer::fuzz;
    return mutate_words(data, size, max_size, seed, {split_target, make_word});
}
