// Zips, gzip, xz, LZMA and bzip2. The seeds hold much that is stored as it is, so that plain mutations reach what is inside.
#include "tests/fuzz/fuzzing.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (const auto document = snapviewer::fuzz::open_bytes(snapviewer::fuzz::as_text(data, size)))
        snapviewer::fuzz::look_at_everything(*document);
    return 0;
}
