// What every target for a kind of file does with its input.
#include "tests/fuzz/fuzzing.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (const auto document = snapviewer::fuzz::open_bytes(snapviewer::fuzz::as_text(data, size)))
        snapviewer::fuzz::look_at_everything(*document);
    return 0;
}
