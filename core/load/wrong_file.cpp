#include "core/load/wrong_file.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/base/text.h"
#include "core/load/failure.h"
#include "core/load/profilers/read_database.h"
#include "core/load/zip_archive.h"

namespace snapviewer {
namespace {

/// How a file looks that is no snapshot, and what is said of it.
struct ForeignLook {
    bool (*fits)(std::string_view front);
    const char* sentence;
};

bool has_words(std::string_view front, std::string_view part) { return contains_in_any_case(front, part); }

constexpr std::size_t k_looked_at_bytes = 4096;

/// The first that fits, or nothing.
const char* foreign_sentence(std::span<const ForeignLook> looks, std::string_view front) {
    front = front.substr(0, k_looked_at_bytes);
    const auto found = std::ranges::find_if(looks, [&](const ForeignLook& look) { return look.fits(front); });
    return found == looks.end() ? nullptr : found->sentence;
}

bool is_traceback(std::string_view front) { return has_words(front, "Traceback (most recent call last)"); }
constexpr const char* k_is_traceback =
    "is the text of a Python error, not a snapshot; its last line says why the program that was to write one failed";

constexpr std::array k_foreign_bytes = {
    ForeignLook{[](std::string_view front) { return front.empty(); },
                "is empty; the program that was to write it may have died first, or its disk was full"},
    ForeignLook{[](std::string_view front) { return looks_like_sqlite(front); },
                "is an SQLite database inside another file; unpack it first"},
    ForeignLook{[](std::string_view front) { return looks_like_zip(front); },
                "is a zip inside another compressed file; unpack the outer one first"},
    ForeignLook{[](std::string_view front) { return front.starts_with("version https://git-lfs.github.com/spec/"); },
                "is a Git LFS pointer, which only names the snapshot; run 'git lfs pull' where it was cloned"},
    ForeignLook{is_traceback, k_is_traceback},
    ForeignLook{[](std::string_view front) { return std::ranges::all_of(front, [](char c) { return c == '\0'; }); },
                "is not a file that snapviewer can read, but begins with zeros: room was made for it, and it was never "
                "written; copy or record it again"},
    ForeignLook{[](std::string_view) { return true; },
                "is not a file that snapviewer can read; expected a PyTorch memory snapshot (pickle, JSON or HTML), a "
                "SnapViewer zip or the database of a memory profiler"},
};

bool asks_to_log_in(std::string_view front) {
    constexpr std::array<std::string_view, 6> k_words = {"login",  "log in",   "sign in",
                                                         "signin", "password", "single sign-on"};
    return std::ranges::any_of(k_words, [&](std::string_view word) { return has_words(front, word); });
}

/// Pages of PyTorch's viewer hold their data in this list.
bool has_data(std::string_view front) { return has_words(front, "local_files"); }

constexpr std::array k_foreign_pages = {
    ForeignLook{[](std::string_view front) { return !has_data(front) && asks_to_log_in(front); },
                "is an HTML page that asks to log in, not a snapshot: whoever fetched the file got this page in its place; "
                "log in and fetch it again"},
    ForeignLook{[](std::string_view front) { return has_words(front, "<Error>") && has_words(front, "<Code>"); },
                "is the answer of an object store that refused the file, not a snapshot; its <Code> says why"},
};

constexpr std::array k_foreign_pickles = {
    // The number with which torch.save began its files before they were zips.
    ForeignLook{
        [](std::string_view front) { return front.starts_with("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"); },
        k_is_checkpoint},
};

constexpr std::array k_foreign_json = {
    // As torchrun prints what each rank says.
    ForeignLook{[](std::string_view front) { return front.starts_with("[rank") && is_traceback(front); }, k_is_traceback},
};

void refuse_if_foreign(std::span<const ForeignLook> looks, std::string_view front) {
    if (const char* sentence = foreign_sentence(looks, front)) fail(sentence, 0);
}

}  // namespace

const char* describe_unknown(std::string_view front) { return foreign_sentence(k_foreign_bytes, front); }

void refuse_foreign_page(std::string_view front) { refuse_if_foreign(k_foreign_pages, front); }

void refuse_foreign_pickle(std::string_view front) { refuse_if_foreign(k_foreign_pickles, front); }

void refuse_foreign_json(std::string_view front) { refuse_if_foreign(k_foreign_json, front); }

}  // namespace snapviewer
