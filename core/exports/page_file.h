#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/context.h"
#include "core/base/output_file.h"
#include "core/base/result.h"

namespace snapviewer {

/// Encodes bytes as base64 (RFC 4648) piece by piece, in a single line.
class Base64Writer {
public:
    using Output = std::function<bool(std::string_view)>;

    explicit Base64Writer(Output output) : output_(std::move(output)) {}
    /// Encodes more bytes. Returns false if `output` did.
    bool write(std::string_view bytes);
    /// Writes the remaining bytes and pads the last group with "=". Returns false if `output` did. Call once.
    bool end();

private:
    Output output_;
    std::string rest_;  ///< Bytes of an incomplete group: at most two between calls
};

/// Sizes of an HTML file with a snapshot in it.
struct WrittenPage {
    std::uint64_t program_bytes = 0;   ///< Bytes of the page without the snapshot
    std::uint64_t snapshot_bytes = 0;  ///< Bytes of the snapshot as embedded in the page
    std::uint64_t content_bytes = 0;   ///< Bytes of the snapshot before compression
};

/// Writes one HTML file that contains the web program in the folder `page` (docs/web.md) and a snapshot, compressed with
/// Zstandard at `level`. It opens by a double click, without a server or a network. `place` is the view that it opens with,
/// in the format of links (app/features/link/links.h); empty for the whole file. Of the snapshot's path, the page contains
/// only the file name. The caller calls commit() on `out`, which also reports write errors. For a large snapshot,
/// calls `expect` once with estimated sizes, after the first MiBs are compressed.
Result<WrittenPage> write_page_file(const std::string& snapshot, const std::string& page, const std::string& place,
                                    int level, OutputFile& out, Progress& progress,
                                    const std::function<void(const WrittenPage&)>& expect);

}  // namespace snapviewer
