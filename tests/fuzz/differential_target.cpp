// Requires that the same content in two containers gives equal tables. The first byte selects the containers: the other
// bytes as a file and as a packed file, or events made from them as a pickle and as JSON.
#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "tests/fuzz/byte_feed.h"
#include "tests/fuzz/fuzzing.h"
#include "tests/unit/pickle_text.h"
#include "tests/unit/zip_text.h"

namespace snapviewer::fuzz {
namespace {

constexpr std::size_t k_max_events = 200;

std::string gzipped(std::string_view bytes) {
    z_stream stream{};
    require(deflateInit2(&stream, 1, Z_DEFLATED, MAX_WBITS + 16, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK, "gzip begins");
    std::string packed(deflateBound(&stream, bytes.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    require(deflate(&stream, Z_FINISH) == Z_STREAM_END, "gzip ends");
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

std::string xz_packed(std::string_view bytes) {
    std::string packed(lzma_stream_buffer_bound(bytes.size()), '\0');
    std::size_t written = 0;
    const lzma_ret outcome =
        lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, nullptr, reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                bytes.size(), reinterpret_cast<std::uint8_t*>(packed.data()), &written, packed.size());
    require(outcome == LZMA_OK, "xz packs");
    packed.resize(written);
    return packed;
}

std::string bzip2_packed(std::string_view bytes) {
    auto written = static_cast<unsigned>(bytes.size() + bytes.size() / 100 + 600);
    std::string packed(written, '\0');
    require(BZ2_bzBuffToBuffCompress(packed.data(), &written, const_cast<char*>(bytes.data()),
                                     static_cast<unsigned>(bytes.size()), 1, 0, 0) == BZ_OK,
            "bzip2 packs");
    packed.resize(written);
    return packed;
}

std::string zstd_packed(std::string_view bytes) {
    std::string packed(ZSTD_compressBound(bytes.size()), '\0');
    const std::size_t size = ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 1);
    require(ZSTD_isError(size) == 0, "Zstandard packs");
    packed.resize(size);
    return packed;
}

bool can_be_packed(FileKind kind) {
    return kind == FileKind::pytorch_pickle || kind == FileKind::pytorch_json || kind == FileKind::pytorch_html ||
           kind == FileKind::memory_timeline;
}

void require_equal(const Document* one, const Document* other) {
    require((one == nullptr) == (other == nullptr), "both open, or neither");
    if (one != nullptr) require(tables_text(*one) == tables_text(*other), "the tables of both are equal");
}

void compare_with_packed(std::uint8_t choice, std::string_view bytes) {
    const std::shared_ptr<const Document> plain = open_bytes(bytes);
    if (plain == nullptr || !can_be_packed(plain->snapshot->kind)) return;
    std::string packed;
    switch (choice % 5) {
        case 0: packed = gzipped(bytes); break;
        case 1: packed = xz_packed(bytes); break;
        case 2: packed = bzip2_packed(bytes); break;
        case 3: packed = zstd_packed(bytes); break;
        default: packed = test::ZipText().member("snapshot", bytes).bytes(); break;
    }
    require_equal(plain.get(), open_bytes(packed).get());
}

/// The same events as a pickle and as JSON.
struct Twins {
    test::PickleText pickle;
    std::string json;

    void add(std::string_view action, std::uint64_t address, std::uint64_t size_bytes, std::uint64_t time_us,
             std::uint64_t line) {
        pickle.dict()
            .entry("action", action)
            .entry("addr", address)
            .entry("size", size_bytes)
            .entry("stream", 0)
            .entry("time_us", time_us);
        pickle.text("frames")
            .list()
            .dict()
            .entry("filename", "a.py")
            .entry("line", line)
            .entry("name", "f")
            .end_dict()
            .end_list()
            .end_dict();
        json += (json.empty() ? "" : ", ") + (R"({"action": ")" + std::string(action)) + R"(", "addr": )" +
                std::to_string(address) + R"(, "size": )" + std::to_string(size_bytes) + R"(, "stream": 0, "time_us": )" +
                std::to_string(time_us) + R"(, "frames": [{"filename": "a.py", "line": )" + std::to_string(line) +
                R"(, "name": "f"}]})";
    }
};

void compare_twins(ByteFeed feed) {
    constexpr std::string_view k_actions[] = {
        "alloc", "free_requested", "free_completed", "segment_alloc", "segment_free", "snapshot", "oom", "segment_map"};
    Twins twins;
    for (std::size_t events = 0; events < k_max_events && !feed.at_end(); ++events) {
        const std::string_view action = k_actions[feed.byte() % std::size(k_actions)];
        const std::uint64_t address = 0x1000ULL * feed.byte(), size_bytes = feed.number();
        twins.add(action, address, size_bytes, feed.number(), feed.byte());
    }
    const std::string json = R"({"segments": [], "device_traces": [[)" + twins.json + "]]}";
    require_equal(open_bytes(test::PickleText::snapshot_of(twins.pickle).bytes()).get(), open_bytes(json).get());
}

}  // namespace
}  // namespace snapviewer::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace snapviewer::fuzz;
    if (size == 0) return 0;
    const std::uint8_t choice = data[0];
    if (choice < 0x80) {
        compare_with_packed(choice, as_text(data + 1, size - 1));
    } else {
        compare_twins(ByteFeed(data + 1, size - 1));
    }
    return 0;
}
