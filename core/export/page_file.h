#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/base/output_file.h"
#include "core/base/progress.h"
#include "core/base/result.h"

namespace snapviewer {

/// Sizes of an HTML file with a snapshot in it.
struct WrittenPage {
    std::uint64_t program_bytes = 0;   ///< Bytes of the page without the snapshot
    std::uint64_t snapshot_bytes = 0;  ///< Bytes of the snapshot as embedded in the page
    std::uint64_t content_bytes = 0;   ///< Bytes of the snapshot before compression
};

/// Writes one HTML file that contains the web program in the folder `page` (docs/web.md) and a snapshot, compressed with
/// Zstandard at `level`. It opens by a double click, without a server or a network. `place` is the view that it opens with,
/// in the format of links (app/features/link/place.h); empty for the whole file. Of the snapshot's path, the page contains
/// only the file name. The caller calls put_in_place() on `out`, which also reports write errors. For a large snapshot,
/// calls `expect` once with estimated sizes, after the first MiBs are compressed.
Result<WrittenPage> write_page_file(const std::string& snapshot, const std::string& page, const std::string& place,
                                    int level, OutputFile& out, Progress& progress,
                                    const std::function<void(const WrittenPage&)>& expect);

}  // namespace snapviewer
