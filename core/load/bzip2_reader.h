#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "core/load/packed_reader.h"

namespace snapviewer {

/// Whether bytes begin like a bzip2 file.
bool looks_like_bzip2(std::string_view front);

/// Unpacks bzip2, also several files one after another, as pbzip2 writes them. Needs up to 4 MB.
class Bzip2Reader : public PackedReader {
public:
    explicit Bzip2Reader(ByteSource& packed);
    ~Bzip2Reader() override;

private:
    Outcome unpack(std::string_view& in, std::span<char>& out) override;
    bool begin_another(char first) override;

    struct Stream;
    std::unique_ptr<Stream> stream_;
};

}  // namespace snapviewer
