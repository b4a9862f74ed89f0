// Opens a database together with its journals, which may be hostile, too. Requires that the content equals what SQLite
// itself makes of the three files, and that no other file is opened.
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/base/input_files.h"
#include "core/sqlite/connection.h"
#include "tests/fuzz/fuzzing.h"

namespace snapviewer::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 3> k_endings = {"-journal", "-wal", ""};
constexpr std::size_t k_head_bytes = 8, k_number_bytes = 4;
constexpr std::uint64_t k_compared_bytes = 4U << 20;  // a journal may make a database longer than any disk

/// The contents of the three files. An input consists of the sizes of the first two, in four bytes each, and of all three.
using Parts = std::array<std::string, k_endings.size()>;

Parts parts_of(std::string_view input) {
    std::array<std::uint32_t, 2> lengths{};
    const std::size_t head = std::min(input.size(), k_head_bytes);
    if (head == k_head_bytes) std::memcpy(lengths.data(), input.data(), head);
    input.remove_prefix(head);
    Parts parts;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        parts[i] = input.substr(0, lengths[i]);
        input.remove_prefix(parts[i].size());
    }
    parts.back() = input;
    return parts;
}

/// Writes an input and returns its size; 0 if it does not fit.
std::size_t join(const Parts& parts, std::uint8_t* to, std::size_t max_size) {
    const std::array lengths = {static_cast<std::uint32_t>(parts[0].size()), static_cast<std::uint32_t>(parts[1].size())};
    if (k_head_bytes + parts[0].size() + parts[1].size() + parts[2].size() > max_size) return 0;
    std::memcpy(to, lengths.data(), k_head_bytes);
    std::size_t size = k_head_bytes;
    for (const std::string& part : parts) {
        std::memcpy(to + size, part.data(), part.size());
        size += part.size();
    }
    return size;
}

/// The files of the current input, in a temporary folder of this process.
class Folder {
public:
    Folder() : path_(fs::temp_directory_path() / ("snapviewer-fuzz-journals-" + std::to_string(getpid()))) {
        fs::create_directory(path_);
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string write(const Parts& parts) const {
        for (const fs::directory_entry& left : fs::directory_iterator(path_)) fs::remove(left.path());
        const std::string path = (path_ / "a.db").string();
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (!parts[i].empty() || i == parts.size() - 1) std::ofstream(path + k_endings[i], std::ios::binary) << parts[i];
        }
        return path;
    }

private:
    fs::path path_;
};

/// The first bytes of a database, and its size.
struct Content {
    std::string bytes;
    std::uint64_t size_bytes = 0;
};

Content content_of(const FileHandle& file) {
    std::error_code failed;
    const auto state = state_of(file, failed);
    require(state.has_value(), "a file that was written is there");
    Content content{std::string(std::min(state->size_bytes, k_compared_bytes), '\0'), state->size_bytes};
    require(read_at(file, std::as_writable_bytes(std::span(content.bytes)), 0, failed) == content.bytes.size(),
            "a file is as long as it says");
    return content;
}

Content content_of(const std::string& path) {
    const auto file = PlainFile::open(path, PlainFile::Links::refuse);
    require(static_cast<bool>(file), "the database is there");
    return content_of(file->handle());
}

/// Has SQLite apply the journals. Returns false if it fails, for example because the journal asks for a file that is too
/// large for the file system.
bool recover_by_sqlite(const std::string& path) {
    sqlite3* connection = nullptr;
    sqlite3_open(path.c_str(), &connection);
    bool is_done = true;
    for (const char* sql : {"PRAGMA synchronous=OFF", "PRAGMA user_version", "PRAGMA wal_checkpoint(TRUNCATE)"}) {
        const int status = sqlite3_exec(connection, sql, nullptr, nullptr, nullptr);
        is_done = is_done && (status == SQLITE_OK || status == SQLITE_CORRUPT || status == SQLITE_NOTADB);
    }
    sqlite3_close(connection);
    return is_done;
}

/// True if a journal ends with the name of a super-journal, which SQLite would open and delete.
bool names_another_file(std::string_view rollback) { return rollback.ends_with("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"); }

void look_at(const Parts& parts) {
    static const Folder folder;
    const std::string path = folder.write(parts);
    Result<sqlite::CurrentDatabase> current = sqlite::absorb_journals(path);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        require(parts[i].empty() || fs::file_size(path + k_endings[i]) == parts[i].size(), "nothing is written but a copy");
    }
    if (!current) {
        require(!current.error().text().empty(), "an error has words");
        return;
    }
    const Content ours = current->copy ? content_of(current->copy->handle()) : content_of(path);
    if (names_another_file(parts[0]) || !recover_by_sqlite(path)) return;
    const Content theirs = content_of(path);
    require(ours.size_bytes <= theirs.size_bytes, "a database is as long as SQLite makes it, but for zeros");
    require(theirs.bytes.starts_with(ours.bytes), "a database with its journals is what SQLite makes of it");
    require(theirs.bytes.find_first_not_of('\0', ours.bytes.size()) == std::string::npos, "what lacks at its end is zeros");
}

// --- mutations ---

std::uint32_t number_at(const std::string& bytes, std::size_t at, bool is_big_endian = true) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < k_number_bytes; ++i)
        number |= std::uint32_t{static_cast<std::uint8_t>(bytes[at + i])} << (is_big_endian ? 24 - 8 * i : 8 * i);
    return number;
}

void put_number(std::string& bytes, std::size_t at, std::uint32_t number) {
    for (std::size_t i = 0; i < k_number_bytes; ++i) bytes[at + i] = static_cast<char>(number >> (24 - 8 * i));
}

/// Corrects the checksums and salts of a WAL, because SQLite ignores frames without them (sqlite.org/fileformat2.html).
void correct_wal(std::string& wal) {
    constexpr std::size_t k_wal_head_bytes = 32, k_frame_head_bytes = 24, k_salt_at = 16, k_sum_at = 24;
    if (wal.size() < k_wal_head_bytes) return;
    const bool is_big_endian = (number_at(wal, 0) & 1) != 0;
    const std::size_t page_bytes = number_at(wal, 8);
    std::array<std::uint32_t, 2> sum{};
    const auto add = [&](std::size_t begin, std::size_t size) {
        for (std::size_t at = begin; at + 8 <= begin + size; at += 8) {
            sum[0] += number_at(wal, at, is_big_endian) + sum[1];
            sum[1] += number_at(wal, at + k_number_bytes, is_big_endian) + sum[0];
        }
    };
    const auto put = [&](std::size_t at) {
        put_number(wal, at, sum[0]);
        put_number(wal, at + k_number_bytes, sum[1]);
    };
    add(0, k_sum_at);
    put(k_sum_at);
    if (page_bytes == 0) return;
    for (std::size_t at = k_wal_head_bytes; at + k_frame_head_bytes + page_bytes <= wal.size();
         at += k_frame_head_bytes + page_bytes) {
        wal.replace(at + 8, 8, wal, k_salt_at, 8);
        add(at, 8);
        add(at + k_frame_head_bytes, page_bytes);
        put(at + 16);
    }
}

std::string mutated(std::string bytes, std::size_t room) {
    const std::size_t size = bytes.size();
    bytes.resize(size + room);
    bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), size, bytes.size()));
    return bytes;
}

}  // namespace
}  // namespace snapviewer::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace snapviewer::fuzz;
    look_at(parts_of(as_text(data, size)));
    return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
    using namespace snapviewer::fuzz;
    Random random(seed);
    Parts parts = parts_of(as_text(data, size));
    std::string& part = parts[below(random, parts.size())];
    part = mutated(part, max_size > size ? max_size - size : 0);
    if (below(random, 4) != 0) correct_wal(parts[1]);
    const std::size_t changed = join(parts, data, max_size);
    return changed != 0 ? changed : LLVMFuzzerMutate(data, size, max_size);
}
