#include "app/features/files/content_hash.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <vector>

#include "core/base/hash.h"
#include "core/base/input_files.h"

namespace snapviewer {
namespace {

constexpr std::uint64_t k_pieces = 96;
constexpr std::uint64_t k_piece_bytes = 64 * 1024;

}  // namespace

std::optional<std::uint64_t> content_hash(const std::string& path) {
    std::error_code failed;
    const bool is_folder = std::filesystem::is_directory(path, failed);
    const auto file = PlainFile::open(is_folder ? path + "/allocations.json" : path, PlainFile::Links::follow);
    if (!file) return std::nullopt;
    const std::uint64_t size_bytes = file->info().size_bytes;
    std::uint64_t hash = mix_bits(size_bytes + 1);
    // Hashes all adjacent pieces of a small file. For a larger file, hashes pieces at equal distances, including the first
    // and the last one.
    const bool is_small = size_bytes <= k_pieces * k_piece_bytes;
    const std::uint64_t pieces = is_small ? (size_bytes + k_piece_bytes - 1) / k_piece_bytes : k_pieces;
    std::vector<std::byte> piece;
    for (std::uint64_t i = 0; i < pieces; ++i) {
        const std::uint64_t begin = is_small ? i * k_piece_bytes : (size_bytes - k_piece_bytes) * i / (k_pieces - 1);
        piece.resize(std::min(k_piece_bytes, size_bytes - begin));
        if (!file->read(piece, begin)) return std::nullopt;
        hash = mix_bits(hash ^ hash_bytes(piece.data(), piece.size()));
    }
    return hash;
}

}  // namespace snapviewer
