// The body of every target for a kind of file: opens the input and computes all that a user can see.
#include "tests/fuzz/fuzzing.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace snapviewer::fuzz;
    if (const auto document = open_bytes(as_text(data, size))) look_at_everything(*document);
    look_at_fleet(as_text(data, size));
    return 0;
}
