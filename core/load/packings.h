#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/load/byte_source.h"

namespace snapviewer {

/// A program's way to pack one file. All of them are rows of one table, told by the bytes that a file begins with.
struct Packing {
    const char* name;  ///< as Snapshot::container has it
    const char* context;
    std::uint64_t usual_ratio;  ///< of the content to the file
    bool is_dense;              ///< JSON may become far more than that
    bool (*looks_like)(std::string_view front);
    std::unique_ptr<ByteReader> (*unpack)(ByteSource& packed);  ///< what it gives reads `packed`, which outlives it
};

/// The one that bytes begin like; null of anything else.
const Packing* packing_of(std::string_view front);

/// What unpacks `packed`, which outlives it, where the program is known by name: "zstd"; null otherwise.
std::unique_ptr<ByteReader> make_unpacker(std::string_view name, ByteSource& packed);

}  // namespace snapviewer
