// Parses what a remote machine sends before a file: login messages, listings of folders, HTTP headers. Requires that it is
// cut at the same places however it is split into pieces, and that no name leads out of the listed folder.
#include <algorithm>
#include <array>

#include "core/base/addresses.h"
#include "core/load/remote/source.h"
#include "tests/fuzz/fuzzing.h"

namespace snapviewer::fuzz {
namespace {

constexpr std::string_view k_begin_of_line = "\nm4rk ";

/// Reference implementation: searches the whole answer for its content and for the lines that follow zero bytes.
std::string cut_at_once(std::string_view text) {
    std::string cut;
    while (true) {
        const std::size_t at = text.find(k_begin_of_line);
        const std::size_t end = at == text.npos ? text.npos : text.find('\n', at + k_begin_of_line.size());
        if (end == text.npos) return cut.append(text);
        cut.append(text.substr(0, at)).append(1, '\0');
        cut.append(text.substr(at + k_begin_of_line.size(), end - at - k_begin_of_line.size())).append(1, '\0');
        text.remove_prefix(end + 1);
    }
}

std::string cut_in_pieces(std::string_view text, std::size_t piece_bytes) {
    remote::MarkedText marked("m4rk");
    std::string cut;
    for (std::size_t at = 0; at < text.size(); at += piece_bytes) {
        marked.add(text.substr(at, piece_bytes));
        while (true) {
            if (const std::string_view content = marked.take_content(); !content.empty()) {
                cut.append(content);
            } else if (const auto line = marked.take_line()) {
                cut.append(1, '\0').append(*line).append(1, '\0');
            } else {
                break;
            }
        }
    }
    return cut.append(marked.rest());
}

void look_at_listing(std::string_view text) {
    const std::vector<remote::RemoteEntry> entries = remote::parse_listing(text);
    require(entries.size() <= static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1, "a line is a file at most");
    const RemoteAddress folder{.host = "node7", .port = "2222", .path = "/runs/"};
    std::string again;
    for (const remote::RemoteEntry& entry : entries) {
        require(("/" + entry.name + "/").find("/../") == std::string::npos, "no name leads out of the folder");
        const auto file = remote_address(path_on_same_machine(folder, folder.path + entry.name));
        require(!file || (file->host == "node7" && file->path == "/runs/" + entry.name), "it is a file of that machine");
        require(file || entry.name.size() > 2000, "it can be spelled");
        again += std::to_string(entry.size_bytes) + " " + std::to_string(entry.modified_s) + " ./" + entry.name + "\n";
    }
    require(remote::parse_listing(again) == entries, "a list of what was understood is understood");
}

void look_at_http(std::string_view text) {
    while (const auto answer = remote::parse_http_answer(text)) {
        require(answer->header_bytes >= 4 && answer->header_bytes <= text.size(), "a header is part of the text");
        const std::string_view header = text.substr(0, answer->header_bytes);
        require(header.find("\r\n\r\n") + 4 == header.size(), "it goes to the first empty line");
        text.remove_prefix(answer->header_bytes);
    }
}

std::vector<std::string> split_answer(std::string_view text) {
    std::vector<std::string> words;
    while (!text.empty()) {
        const std::size_t size = std::max<std::size_t>(std::min(text.find_first_of(" \r\n/:"), text.size()), 1);
        words.emplace_back(text.substr(0, size));
        text.remove_prefix(size);
    }
    return words;
}

std::string make_word(Random& random) {
    constexpr std::array k_words = {"\nm4rk ",    "\nm4rk zstd 123\n",
                                    "m4rk",       "\n",
                                    "\r\n",       "\r\n\r\n",
                                    " ",          "./",
                                    "../",        "/",
                                    "end 0",      "error no such file",
                                    "list",       "ready snapviewer",
                                    "HTTP/1.1 ",  "200 OK",
                                    "302 Found",  "100 Continue",
                                    "gzip",       "Content-Length: ",
                                    "Location: ", "%",
                                    "\xff",       "a.pickle"};
    return below(random, 4) == 0 ? std::to_string(odd_number(random)) : k_words[below(random, k_words.size())];
}

}  // namespace
}  // namespace snapviewer::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace snapviewer::fuzz;
    const std::string_view text = as_text(data, size);
    for (const std::size_t piece_bytes : {1U, 3U, 64U})
        require(cut_in_pieces(text, piece_bytes) == cut_at_once(text), "pieces are cut as the whole is");
    look_at_listing(text);
    look_at_http(text);
    require(snapviewer::remote::parse_sent_file(text).packing.find(' ') == std::string::npos, "a packing is a word");
    return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
    using namespace snapviewer::fuzz;
    return mutate_words(data, size, max_size, seed, {split_answer, make_word});
}
