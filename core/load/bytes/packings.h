#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/load/bytes/byte_source.h"

namespace snapviewer {

/// A format that wraps the bytes of another file: compressed or encoded. The first bytes identify it.
struct Packing {
    const char* name;           ///< As in Snapshot::container
    const char* context;        ///< For errors: where the unpacked bytes come from
    std::uint64_t usual_ratio;  ///< Typical ratio of unpacked to packed bytes
    bool is_dense;              ///< True if JSON may reach a far higher ratio
    bool (*looks_like)(std::string_view front);
    std::unique_ptr<ByteReader> (*unpack)(ByteSource& packed);  ///< Makes a reader; `packed` must outlive it
};

/// Returns the packing that the first bytes of a file identify, or null if the file is not packed.
const Packing* packing_of(std::string_view front);

/// Makes a reader that unpacks `packed`, which must outlive it, by the name of a packing: "zstd". Returns null if the name
/// is unknown. "zip-deflate" is the deflate data of a member of a zip, which first bytes do not identify.
///
/// Readers of compressed files verify checksums. They read one or more streams in a row, with zero bytes between them at
/// most, and ignore other data behind the last one, as gunzip does. If the input ends early or is damaged, read() returns
/// all bytes before that and then throws a Failure with is_cut and the offset in the packed input. A file that asks for more
/// memory than limits.h allows is a Failure.
std::unique_ptr<ByteReader> make_unpacker(std::string_view name, ByteSource& packed);

}  // namespace snapviewer
